"""The composition root: from settings to services. Nothing else knows which cache backends there are."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from cache_core.clock import Clock, SystemClock
from cache_core.compared import Recorder
from cache_core.specs import SPECS
from cache_core.sync import FreshReads, Patience, StockReads, Syncer
from katana_client import KatanaClient
from katana_client.errors import ConfigurationError
from katana_client.paths import checked_base_url
from katana_client.sending import RequestRecord
from katana_client.transport import Transport
from katana_mcp.comparisons import KeptComparisons
from katana_mcp.services import Services
from katana_mcp.settings import Settings, SettingsError
from katana_mcp.source import KatanaSource
from katana_mcp.stores import Stores

_log = structlog.get_logger("katana_mcp.katana")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
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
    """One account: its client and its caches, opened by the first read and closed with the server."""

    def __init__(self, settings: Settings, outside: Outside | None = None) -> None:
        self._settings = settings
        self._outside = outside or Outside()
        self._opening = asyncio.Lock()
        self._opened: Services | None = None
        self._comparisons: KeptComparisons | None = None
        self._client = self._connect()

    async def services(self) -> Services:
        """Return the tenant's services, opening its caches first if need be.

        Raises:
            CacheUnavailable: the cache files cannot be used, and not even memory can stand in.
        """
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open()
            return self._opened

    def source(self) -> KatanaSource:
        """Return where the account's records come from."""
        return KatanaSource(self._client)

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
        await self.recover()
        await self._client.aclose()

    def _connect(self) -> KatanaClient:
        settings, outside = self._settings, self._outside
        return KatanaClient(
            settings.api_key.get_secret_value(),
            settings.base_url,
            transport=outside.transport,
            clock=outside.clock,
            on_request=outside.on_request or _logged,
        )

    async def _open(self) -> Services:
        settings, outside = self._settings, self._outside
        clock = outside.clock or SystemClock()
        directory = cache_directory(settings, outside)
        if directory is not None and any(flag.startswith("compare:") for flag in settings.flags().values()):
            self._comparisons = KeptComparisons(directory, clock)
        stores = Stores(settings.flags(), outside.recorder or self._comparisons, clock)
        cache, notices = await stores.open(directory)
        source = self.source()
        syncer = Syncer(SPECS, source, cache, clock)
        return Services(
            cache=cache,
            syncer=syncer,
            fresh=FreshReads(syncer, cache, clock, outside.patience),
            stock=StockReads(source, cache, clock),
            clock=clock,
            sandbox=settings.sandbox,
            web_base_url=settings.web_base_url.rstrip("/"),
            notices=notices,
        )


async def _closed(services: Services) -> None:
    await services.fresh.close()
    await services.syncer.close()
    await services.cache.close()


def connected(settings: Settings, outside: Outside | None = None) -> Tenant:
    """Return the tenant of these settings.

    Raises:
        SettingsError: the API key or the base URL cannot work.
    """
    name = "KATANA_BASE_URL (--base-url)"
    try:
        checked_base_url(settings.base_url)
        name = "KATANA_API_KEY"
        return Tenant(settings, outside)
    except ConfigurationError as error:
        raise SettingsError(f"{name}: {error}") from None


def cache_directory(settings: Settings, outside: Outside) -> Path | None:
    """Return where the account's cache stands, or None for a cache in memory.

    A sandbox that is started again holds other data under the same address: its cache is kept only where told.
    """
    if outside.in_memory or (settings.sandbox and settings.cache_dir is None):
        return None
    return settings.cache_root() / identity(settings.base_url, settings.api_key.get_secret_value())


def identity(base_url: str, api_key: str) -> str:
    """Return the name of an account's cache directory: a digest of base URL and key, never the key itself."""
    return hashlib.sha256(f"{base_url.rstrip('/')}\n{api_key}".encode()).hexdigest()[:24]


def _logged(request: RequestRecord) -> None:
    _log.info(
        "katana request",
        method=request.method,
        path=request.path,
        status=request.status,
        attempt=request.attempt,
        waited=round(request.waited, 2),
    )
