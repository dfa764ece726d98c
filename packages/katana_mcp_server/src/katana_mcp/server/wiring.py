"""The composition root: from settings to services. Nothing else knows which cache backends there are."""

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import structlog
from pydantic import SecretStr

from cache_core.clock import Clock, SystemClock
from cache_core.compared import Recorder
from cache_core.errors import CacheError, CacheUnavailable
from cache_core.specs import SPECS
from cache_core.sync import FreshReads, Patience, Round, StockReads, Syncer
from katana_client import KatanaClient
from katana_client.budget import Budget
from katana_client.errors import ConfigurationError
from katana_client.paths import checked_base_url, checked_key
from katana_client.sending import RequestRecord
from katana_client.transport import Route, Transport
from katana_mcp.caches.accounts.question_key import question_key
from katana_mcp.caches.accounts.shared_budget import SharedBudget
from katana_mcp.caches.accounts.tenancy import AccountMatch, ApiKeyClient, Tenancy
from katana_mcp.caches.accounts.tenants import Tenants, identity
from katana_mcp.caches.comparisons import KeptComparisons
from katana_mcp.caches.rebuilding import OpenCache, OwnRebuilder
from katana_mcp.caches.source import Awaited, KatanaSource
from katana_mcp.caches.stores import Stores
from katana_mcp.configuration.settings import Settings, SettingsError
from katana_mcp.journal.file import JournalFile, journal_path
from katana_mcp.journal.journal import Journal
from katana_mcp.references.code_shapes import Codes
from katana_mcp.references.live_lookups import LiveLookups
from katana_mcp.references.page_ends import PageEnds
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking

_log = structlog.get_logger("katana_mcp.katana")

_AFTER_ANSWERING = 1.0
_AFTER_FAILURE = 15.0
_IDLE = 900.0
"""Seconds without a call after which nothing is refreshed ahead of reads any more, until the next one."""
_OFF = "KATANA_SYNC is off, so Katana is not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What a tenant meets of the outside world; tests bring their own.

    Attributes:
        transport: used instead of the network.
        clock: where time comes from.
        on_request: told of every HTTP request to Katana.
        patience: how long reads wait for a sync.
        in_memory: keep caches in memory instead of in files.
        recorder: where the comparisons of a parallel run go; a file beside the cache by default.
    """

    transport: Transport | None = None
    clock: Clock | None = None
    on_request: Callable[[RequestRecord], None] | None = None
    patience: Patience | None = None
    in_memory: bool = False
    recorder: Recorder | None = None


class Tenant:
    """One account: its clients and its caches, opened by the first read and closed with the server."""

    def __init__(self, settings: Settings, outside: Environment | None = None) -> None:
        self._settings = settings
        self._outside = outside or Environment()
        self._clock = self._outside.clock or SystemClock()
        self._woken = self._clock.monotonic()
        self._opening = asyncio.Lock()
        self._opened: Services | None = None
        self._sameness: AccountMatch | None = None
        self._comparisons: KeptComparisons | None = None
        self._root = _root(settings, self._outside)
        self._budgets: list[SharedBudget] = []
        self._temporary: Path | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._silence: str | None = None
        self._key = self._connect(settings.api_key)
        self._sync_key = None if settings.sync_api_key is None else self._connect(settings.sync_api_key)

    async def services(self) -> Services:
        """Return the tenant's services, opening its caches first if need be.

        Raises:
            CacheUnavailable: the cache files cannot be used, and not even memory can stand in.
            Refused: the key for listings opens another account.
        """
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open()
            return self._opened

    async def source(self, tenant: str) -> tuple[KatanaSource, tuple[str, ...]]:
        """Return where the records of this account come from, by the name of its cache, and what should be known of it.

        Raises:
            Refused: the key for listings opens another account.
        """
        bulk, unconfirmed = await self._bulk(self._tenancy(), tenant)
        return KatanaSource(self._key.client, bulk), unconfirmed

    @property
    def budget(self) -> Budget:
        """The requests that listings are counted by."""
        return (self._sync_key or self._key).client.budget

    def _tenancy(self) -> Tenancy:
        return Tenancy(self._root, self._settings.base_url, self._clock)

    def wake(self, entities: Collection[str]) -> None:
        """Keep these entities fresh from now on, where the settings say so, until nobody has called for long."""
        if self._settings.sync != "background":
            return
        self._woken = self._clock.monotonic()
        if self._refreshing is None or self._refreshing.done():
            working = self.keep_fresh(entities, _untold, self._is_awake)
            self._refreshing = asyncio.create_task(working, name="refresher")

    def _is_awake(self) -> bool:
        return self._clock.monotonic() - self._woken < _IDLE

    async def keep_fresh(
        self, entities: Collection[str], tell: Callable[[Round], None], is_needed: Callable[[], bool] = lambda: True
    ) -> None:
        """Refresh ahead of the reads as long as it is wanted; what fails is tried again and meets its reader there.

        Args:
            entities: what to refresh; what they borrow from is added.
            tell: told of each round.
            is_needed: whether to go on.
        """
        pause = _AFTER_ANSWERING
        while is_needed():
            await self._clock.sleep(pause)
            try:
                services = await self.services()
                done = await services.fresh.keep_fresh(entities)
            except (CacheError, Refused) as error:
                _log.warning("refreshing has to wait", reason=str(error))
                pause = _AFTER_FAILURE
            else:
                tell(done)
                pause = done.rest

    async def recover(self) -> None:
        """Close the caches after damage; the next read sets the damaged file aside and begins anew."""
        async with self._opening:
            services, self._opened = self._opened, None
            if services is not None:
                await _closed(services)
            if self._comparisons is not None:
                await self._comparisons.close()

    async def close(self) -> None:
        """Stop syncs, close caches and connections."""
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await self.recover()
        for key in (self._key, self._sync_key):
            if key is not None:
                await key.client.aclose()
        for budget in self._budgets:
            budget.close()
        if self._temporary is not None:
            await asyncio.to_thread(shutil.rmtree, self._temporary, ignore_errors=True)

    def _connect(self, secret: SecretStr) -> ApiKeyClient:
        settings, outside = self._settings, self._outside
        key = secret.get_secret_value()
        digest = identity(settings.base_url, key)
        budget = None
        if self._root is not None:
            budget = SharedBudget(self._root / f"budget-{digest}.sqlite", outside.clock or SystemClock())
            self._budgets.append(budget)
        client = KatanaClient(
            key,
            settings.base_url,
            transport=outside.transport,
            route=route(settings),
            clock=outside.clock,
            budget=budget,
            on_request=self._hear,
        )
        return ApiKeyClient(digest, client)

    def _hear(self, request: RequestRecord) -> None:
        self._silence = silence_of(request)
        (self._outside.on_request or log_request)(request)

    async def _bulk(self, tenancy: Tenancy, tenant: str) -> tuple[KatanaClient, tuple[str, ...]]:
        """Return the client for listings, and what should be known of it."""
        if self._sync_key is None:
            return self._key.client, ()
        if self._sameness is None:
            self._sameness = await tenancy.same(tenant, self._key, self._sync_key)
        if self._sameness is AccountMatch.DIFFERENT:
            message = "KATANA_SYNC_API_KEY is a key of another account than KATANA_API_KEY; correct it, or leave it out"
            raise Refused(blocking(warning_codes.WRONG_ACCOUNT, message))
        if self._sameness is AccountMatch.SAME:
            return self._sync_key.client, ()
        message = "Katana did not confirm that KATANA_SYNC_API_KEY is a key of the same account; it is not used"
        return self._key.client, (f"{message} until the next start",)

    async def _open(self) -> Services:
        settings, outside = self._settings, self._outside
        clock = self._clock
        tenancy = self._tenancy()
        tenant = await tenancy.of(self._key)
        bulk, unconfirmed = await self._bulk(tenancy, tenant)
        directory = None if self._root is None else self._root / tenant
        if directory is not None and any(flag.startswith("compare:") for flag in settings.flags().values()):
            self._comparisons = KeptComparisons(directory, clock)
        stores = Stores(settings.flags(), outside.recorder or self._comparisons, clock)
        cache, notices = await stores.open(directory)
        awaited = Awaited()
        source = KatanaSource(self._key.client, bulk, awaited=awaited)
        syncer = Syncer(SPECS, source, cache, clock, KatanaSource(self._key.client, priority=None))
        closed = _OFF if settings.sync == "off" else None
        fresh_for = None if settings.fresh_for is None else timedelta(seconds=settings.fresh_for)
        patience = replace(outside.patience or Patience(), fresh_for=fresh_for)
        here = OpenCache(
            cache=cache,
            directory=stores.directory,
            flags=settings.flags(),
            source=source,
            clock=clock,
            closed=closed,
        )
        fresh = FreshReads(syncer, cache, clock, patience, closed=closed, late=source.late)
        return Services(
            cache=cache,
            syncer=syncer,
            fresh=fresh,
            lookups=LiveLookups(fresh, syncer, cache, clock).of_call("local"),
            codes=Codes(cache, syncer.specs, clock),
            stock=StockReads(source, cache, clock, patience, closed=closed, late=source.late),
            rebuilder=OwnRebuilder(here),
            client=self._key.client,
            journal=Journal(JournalFile(journal_path(directory or self._passing()), clock)),
            tenant=tenant,
            clock=clock,
            sandbox=settings.sandbox,
            web_base_url=settings.web_base_url.rstrip("/"),
            pages=PageEnds(),
            notices=(*notices, *unconfirmed),
            awaited=awaited.waited_for,
            silence=lambda: self._silence,
            directory=stores.directory,
            read_only=settings.read_only,
            most_lines=settings.max_plan_lines,
            most_writes=settings.max_writes_per_minute,
            must_confirm=settings.confirm == "required",
        )

    def _passing(self) -> Path:
        """Return a place for a journal that ends with the server, as the cache beside it does."""
        if self._temporary is None:
            self._temporary = Path(tempfile.gettempdir()) / f"katana-mcp-{secrets.token_hex(8)}"
        return self._temporary / "memory"


def _untold(done: Round) -> None:
    del done


async def _closed(services: Services) -> None:
    await services.journal.settled()
    await services.fresh.close()
    await services.stock.close()
    await services.syncer.close()
    await services.cache.close()
    await services.journal.close()


def connected(settings: Settings, outside: Environment | None = None) -> Tenant:
    """Return the tenant of these settings.

    Raises:
        SettingsError: the API key or the base URL cannot work.
    """
    if settings.sandbox and not settings.api_key.get_secret_value():
        message = f"the sandbox at {settings.base_url} takes the key that katana-sandbox serve printed"
        raise SettingsError(f"KATANA_API_KEY is not set: {message}")
    check_account(settings)
    try:
        return Tenant(settings, outside)
    except ConfigurationError as error:
        raise SettingsError(f"KATANA_SYNC_API_KEY: {error}") from None


def route(settings: Settings) -> Route:
    """Return how Katana is reached where a company says how."""
    proxy = None if settings.proxy is None else settings.proxy.get_secret_value()
    return Route(proxy=proxy, system_certificates=settings.system_certificates)


def check_account(settings: Settings) -> None:
    """Refuse an address or a key that cannot be one.

    Raises:
        SettingsError: what is wrong with it, in one sentence.
    """
    name = "KATANA_BASE_URL (--base-url)"
    try:
        checked_base_url(settings.base_url)
        name = "KATANA_API_KEY"
        checked_key(settings.api_key.get_secret_value())
    except ConfigurationError as error:
        raise SettingsError(f"{name}: {error}") from None


def cache_directory(settings: Settings, outside: Environment) -> Path | None:
    """Return where the account's cache stands, or None for a cache in memory.

    A known key may have joined the cache of another key of the same account.
    """
    root = _root(settings, outside)
    if root is None:
        return None
    digest = identity(settings.base_url, settings.api_key.get_secret_value())
    return root / (Tenants(root).of_key(digest) or digest)


def shared_budget(settings: Settings, outside: Environment) -> SharedBudget | None:
    """Return the requests of a minute that all who use the key share, or None where no server has used it here."""
    root = _root(settings, outside)
    digest = identity(settings.base_url, settings.api_key.get_secret_value())
    path = None if root is None else root / f"budget-{digest}.sqlite"
    return None if path is None or not path.exists() else SharedBudget(path, outside.clock or SystemClock())


def question_key_of(settings: Settings, outside: Environment) -> bytes:
    """Return the key that seals questions: that of the settings, else the one that all servers on the caches share.

    Where the caches cannot be used, questions are those of this process alone.
    """
    if settings.question_key is not None:
        return settings.question_key.get_secret_value().encode()
    try:
        return question_key(_root(settings, outside))
    except CacheUnavailable as error:
        _log.warning("questions do not outlive this server", reason=str(error))
        return question_key(None)


def _root(settings: Settings, outside: Environment) -> Path | None:
    """A sandbox that is started again holds other data under the same address: its cache is kept only where told."""
    kept = not outside.in_memory and (not settings.sandbox or settings.cache_dir is not None)
    return settings.cache_root() if kept else None


_AGAIN = frozenset({408, 429})


def silence_of(request: RequestRecord) -> str | None:
    """Return how Katana did not answer a request that is sent again, as a verb; None where it answered."""
    status, is_unreadable = request.status, request.outcome == "unreadable"
    if status is None:
        return "does not answer"
    if status >= 500 or status in _AGAIN or is_unreadable:
        return f"answers {status}{', unreadable' if is_unreadable else ''}"
    return None


def log_request(request: RequestRecord) -> None:
    """Log a request: what of, and how it ended."""
    _log.info(
        "katana request",
        method=request.method,
        path=request.path,
        status=request.status,
        attempt=request.attempt,
        waited=round(request.waited, 2),
    )
