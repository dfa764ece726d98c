"""The composition root: from settings to services. Nothing else knows which cache backends there are."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import structlog

from cache_core.clock import Clock, SystemClock
from cache_core.errors import CacheUnavailable
from cache_core.files import private_directory
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_core.specs import SPECS
from cache_core.sync import FreshReads, Patience, StockReads, Syncer
from katana_client import KatanaClient
from katana_client.errors import ConfigurationError
from katana_client.paths import checked_base_url
from katana_client.sending import RequestRecord
from katana_client.transport import Transport
from katana_mcp.services import Services
from katana_mcp.settings import Settings, SettingsError
from katana_mcp.source import KatanaSource

TYPED = ("sales_order", "stock")
"""Entities that only the typed cache holds; orders never enter the legacy cache."""

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
    """

    transport: Transport | None = None
    clock: Clock | None = None
    on_request: Callable[[RequestRecord], None] | None = None
    patience: Patience | None = None
    in_memory: bool = False


class Tenant:
    """One account: its client and its caches, opened by the first read and closed with the server."""

    def __init__(self, settings: Settings, outside: Outside | None = None) -> None:
        self._settings = settings
        self._outside = outside or Outside()
        self._opening = asyncio.Lock()
        self._opened: Services | None = None
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

    async def recover(self) -> None:
        """Close the caches after damage; the next read sets the damaged file aside and begins anew."""
        async with self._opening:
            services, self._opened = self._opened, None
            if services is not None:
                await _closed(services)

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
        cache, notices = await _opened_cache(None if outside.in_memory else _directory(settings))
        clock = outside.clock or SystemClock()
        source = KatanaSource(self._client)
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


async def _opened_cache(directory: Path | None) -> tuple[CacheBackend, tuple[str, ...]]:
    """Return the open cache; one in memory, with a notice, where the directory cannot be used."""
    cache, stores = _backends(directory)
    try:
        if directory is not None:
            private_directory(directory.parent)
        await cache.open()
    except CacheUnavailable as error:
        if directory is None:
            raise
        notice = f"{error}; the cache is kept in memory and is lost at the end"
        _log.warning("cache in memory", reason=str(error))
        cache, _ = _backends(None)
        await cache.open()
        return cache, (notice,)
    damaged = [path.name for store in stores for path in store.set_aside]
    return cache, tuple(f"a damaged cache file was set aside as {name} and is rebuilt from Katana" for name in damaged)


class _Store(CacheBackend, Protocol):
    """A backend that keeps files."""

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Damaged files that were renamed and replaced by an empty one."""
        ...


def _backends(directory: Path | None) -> tuple[RoutedBackend, tuple[_Store, ...]]:
    # SQLAlchemy takes 0.3 s to import: the first read pays for it, not the start.
    from cache_legacy.backend import LegacyBackend  # noqa: PLC0415
    from cache_typed.backend import TypedBackend  # noqa: PLC0415

    legacy = LegacyBackend(directory, tuple(spec for spec in SPECS if spec.name not in TYPED))
    typed = TypedBackend(directory)
    stores: tuple[_Store, ...] = (legacy, typed)
    return RoutedBackend({spec.name: typed if spec.name in TYPED else legacy for spec in SPECS}), stores


def _directory(settings: Settings) -> Path:
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
