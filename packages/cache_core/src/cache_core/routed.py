"""One backend made of several: each entity is read from and written to the backend that holds it."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from cache_core.conditions import LIVE, Visibility, Where
from cache_core.errors import WrongCacheUse
from cache_core.leases import Claim, Lease
from cache_core.protocol import (
    Applied,
    Batch,
    CacheBackend,
    Capability,
    EntityStatus,
    Found,
    KeyMatch,
    Quarantined,
    Read,
    Search,
    SearchResult,
    Selection,
    Standing,
    Stored,
    SyncState,
)
from cache_core.records import RecordId
from cache_core.waiting import to_the_end


class RoutedBackend:
    """Sends every call to the backend that its route names for the entity."""

    name = "routed"

    def __init__(self, routes: Mapping[str, CacheBackend]) -> None:
        for entity, backend in routes.items():
            if entity not in backend.entities:
                raise WrongCacheUse(f"{entity!r} is routed to {backend.name}, which does not hold it")
        self._routes = dict(routes)
        self.entities = frozenset(self._routes)
        self._former: list[CacheBackend] = []

    def backend_of(self, entity: str) -> CacheBackend:
        """Return the backend that holds the entity.

        Raises:
            WrongCacheUse: no route names it.
        """
        try:
            return self._routes[entity]
        except KeyError:
            raise WrongCacheUse(f"no backend holds {entity!r}") from None

    def reroute(self, routes: Mapping[str, CacheBackend]) -> None:
        """Read and write these entities in other open backends from now on; those and the former are closed with this.

        Calls under way end where they began.
        """
        self._former += self._backends()
        self._routes |= routes

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return what the entity's backend can do beyond the core."""
        return self.backend_of(entity).capabilities(entity)

    async def open(self) -> None:
        """Open every backend, or none: what opened before a failure is closed again."""
        opened: list[CacheBackend] = []
        try:
            for backend in self._backends():
                await backend.open()
                opened.append(backend)
        except BaseException:
            await to_the_end(_closed(opened))
            raise

    async def close(self) -> None:
        """Close every backend; who is cancelled meanwhile leaves none open."""
        await to_the_end(_closed(dict.fromkeys((*self._former, *self._backends()))))

    async def apply(self, batch: Batch) -> Applied:
        """Write the batch to the entity's backend, in one transaction."""
        return await self.backend_of(batch.entity).apply(batch)

    async def claim(self, claim: Claim) -> Lease:
        """Return the lease of an entity after a claim; it stands beside the entity's rows."""
        return await self.backend_of(claim.entity).claim(claim)

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked."""
        return await self.backend_of(entity).get_many(entity, ids, fields)

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        return await self.backend_of(entity).find_by_key(entity, key)

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        return await self.backend_of(entity).select(entity, selection)

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads: one go at each backend that holds some."""
        only = self._only_one([read.entity for read in reads])
        if only is not None:
            return await only.read(reads)
        found: dict[int, tuple[Stored, ...]] = {}
        for backend, places in self._shared([read.entity for read in reads]):
            found |= zip(places, await backend.read([reads[place] for place in places]), strict=True)
        return [found[place] for place in range(len(reads))]

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        return await self.backend_of(entity).count(entity, where, visibility)

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed."""
        return await self.backend_of(entity).search(entity, search)

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return queries like `text` that would find something live, nearest first."""
        return await self.backend_of(entity).suggest(entity, text, limit)

    async def state(self, entity: str) -> SyncState:
        """Return what sync stored last."""
        return await self.backend_of(entity).state(entity)

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return how each of these entities stands: one read of each backend that holds some."""
        only = self._only_one(entities)
        if only is not None:
            return await only.standings(entities)
        found: dict[str, Standing] = {}
        for backend, places in self._shared(entities):
            found |= await backend.standings([entities[place] for place in places])
        return {entity: found[entity] for entity in entities}

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands, named by the backend that holds it."""
        return await self.backend_of(entity).status(entity)

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the records that could not be kept, newest first."""
        return await self.backend_of(entity).quarantined(entity, limit)

    def _only_one(self, entities: Iterable[str]) -> CacheBackend | None:
        """Return the backend that holds all of these entities; None where several do."""
        holding = set(map(self.backend_of, entities))
        return holding.pop() if len(holding) == 1 else None

    def _shared(self, entities: Sequence[str]) -> Iterable[tuple[CacheBackend, list[int]]]:
        """Return each backend with the places of the entities that it holds."""
        held: dict[CacheBackend, list[int]] = {}
        for place, entity in enumerate(entities):
            held.setdefault(self.backend_of(entity), []).append(place)
        return held.items()

    def _backends(self) -> list[CacheBackend]:
        return list(dict.fromkeys(self._routes.values()))


async def _closed(backends: Iterable[CacheBackend]) -> None:
    await asyncio.gather(*(backend.close() for backend in backends))
