"""The leases that this process holds: claimed for a sync, renewed while it runs, given back after it."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

from cache_core.clock import Clock
from cache_core.errors import CacheError
from cache_core.leases import Claim, Lease
from cache_core.protocol import CacheBackend
from cache_core.records import iso

LEASE_SECONDS = 10.0
"""How long a holder that was killed or stopped keeps others from syncing; who is only slow loses a page by it."""

_RENEWED_EVERY = LEASE_SECONDS / 4


class Leases:
    """Claims the leases of one cache under one name."""

    def __init__(self, cache: CacheBackend, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._holder = uuid4().hex
        self._held: dict[str, Lease] = {}
        self._users: dict[str, int] = {}

    def of(self, entity: str) -> Lease | None:
        """Return the lease under which this process writes what it lists of the entity, if it holds one."""
        return self._held.get(entity)

    @asynccontextmanager
    async def held(self, entity: str) -> AsyncGenerator[bool]:
        """Hold the entity's lease while the block runs; gives False when another process holds it."""
        lease = await self._claim(entity)
        if lease.holder != self._holder:
            yield False
            return
        self._held[entity] = lease
        self._users[entity] = self._users.get(entity, 0) + 1
        renewing = asyncio.create_task(self._renew(entity))
        try:
            yield True
        finally:
            renewing.cancel()
            self._users[entity] -= 1
            if not self._users[entity]:
                del self._held[entity]
                # Who cannot give it back leaves it to run out.
                with contextlib.suppress(CacheError):
                    await self._claim(entity, 0)

    async def _renew(self, entity: str) -> None:
        """Claim again and again while a page is waited for; a lease that was lost shows at the next write."""
        holder = self._holder
        while holder == self._holder:
            await self._clock.sleep(_RENEWED_EVERY)
            with contextlib.suppress(CacheError):
                holder = (await self._claim(entity)).holder

    async def _claim(self, entity: str, seconds: float = LEASE_SECONDS) -> Lease:
        return await self._cache.claim(Claim(entity, self._holder, iso(self._clock.now()), seconds))
