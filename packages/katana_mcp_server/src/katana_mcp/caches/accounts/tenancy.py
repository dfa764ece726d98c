"""Tells which account a key opens, asking Katana once per key, and whether two keys open the same one.

Refuses nothing itself: what Katana does not answer stays unknown, and an unknown key gets a cache of its own.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from katana_client import Clock, KatanaClient
from katana_client.errors import KatanaError
from katana_mcp.caches.accounts.tenants import Oldest, Tenants, identity

_ASKING = 3.0
"""Seconds that Katana gets to tell an unknown key's account."""
_ASKING_WITH_CACHE = 0.8
"""The same where the key has a cache of its own that can answer meanwhile."""


class AccountMatch(Enum):
    """What is known about two keys."""

    SAME = "one account"
    DIFFERENT = "two accounts"
    UNKNOWN = "Katana did not tell"


@dataclass(frozen=True, slots=True)
class ApiKeyClient:
    """A key, by its digest, and the client that uses it."""

    digest: str
    client: KatanaClient


class Tenancy:
    """The accounts behind the keys of one base URL.

    Args:
        root: The cache root; None where nothing is kept, so that nothing is remembered either.
        base_url: Where Katana is; locations are compared within one base URL only.
        clock: Where time comes from.
    """

    def __init__(self, root: Path | None, base_url: str, clock: Clock) -> None:
        self._root = root
        self._tenants = Tenants(root) if root is not None else None
        self._base = identity(base_url, "")
        self._clock = clock

    async def of(self, key: ApiKeyClient) -> str:
        """Return the key's tenant, the name of its cache directory.

        A key that is known costs no request. One that Katana does not confirm in time has a cache of its own for now,
        and is asked about again at the next start.
        """
        if self._root is None or self._tenants is None:
            return key.digest
        tenant = await asyncio.to_thread(self._tenants.of_key, key.digest)
        if tenant is not None:
            return tenant
        has_cache = await asyncio.to_thread(_is_there, self._root / key.digest)
        oldest = await self._oldest(key.client, _ASKING_WITH_CACHE if has_cache else _ASKING)
        if oldest is None:
            return key.digest
        return await asyncio.to_thread(self._tenants.join, key.digest, oldest)

    async def same(self, tenant: str, key: ApiKeyClient, other: ApiKeyClient) -> AccountMatch:
        """Return whether `other` opens the account of `key`, which is this tenant's; known keys cost no request."""
        mine = None if self._tenants is None else await asyncio.to_thread(self._tenants.oldest, tenant)
        if self._tenants is not None and mine is not None:
            other_tenant = await asyncio.to_thread(self._tenants.of_key, other.digest)
            if other_tenant is not None:
                return AccountMatch.SAME if other_tenant == tenant else AccountMatch.DIFFERENT
        ours = mine or await self._oldest(key.client, _ASKING)
        theirs = await self._oldest(other.client, _ASKING) if ours is not None else None
        if ours is None or theirs is None:
            return AccountMatch.UNKNOWN
        if ours != theirs:
            return AccountMatch.DIFFERENT
        if self._tenants is not None and mine is not None:
            await asyncio.to_thread(self._tenants.join, other.digest, theirs)
        return AccountMatch.SAME

    async def _oldest(self, client: KatanaClient, seconds: float) -> Oldest | None:
        """Return the oldest location, or None when Katana does not tell in time."""
        asking = asyncio.ensure_future(self._ask_locations(client))
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({asking, timer}, return_when=asyncio.FIRST_COMPLETED)
            return await asking if asking.done() else None
        except KatanaError:
            return None
        finally:
            timer.cancel()
            asking.cancel()

    async def _ask_locations(self, client: KatanaClient) -> Oldest | None:
        locations: list[tuple[str, int]] = []
        async for page in client.locations.pages(include_deleted=True):
            for record in page.valid_records:
                number, created = record.get("id"), record.get("created_at")
                if isinstance(number, int) and isinstance(created, str):
                    locations.append((created, number))
        if not locations:
            return None
        created, number = min(locations)
        return Oldest(base=self._base, id=number, created_at=created)


def _is_there(path: Path) -> bool:
    """Return whether it is there; what cannot be looked at is told where the cache is opened."""
    with suppress(OSError):
        return path.exists()
    return False
