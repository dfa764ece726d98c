"""Own writes put through to the cache, so that they are read at once, however far Katana's replicas lag.

Refuses to wipe what an answer did not bring: paths that a writer does not know are kept from the stored document. Never
moves a cursor, and never lowers a version.
"""

from collections.abc import Collection
from dataclasses import dataclass

from cache_core.protocol import Origin, Stored
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.sync.source import Source, SourcePage
from cache_core.sync.storing import Extra, Store

_OWN = Extra(origin=Origin.OWN_WRITE)


@dataclass(frozen=True, slots=True)
class Writes:
    """Puts the answers to our own writes through."""

    source: Source
    store: Store

    async def put(self, spec: EntitySpec, record: Record, knows: Collection[str] | None) -> bool:
        """Store what Katana answered to a write; return whether the cache shows it now.

        Args:
            spec: whose record.
            record: the answer, wire quirks already normalised.
            knows: the child paths that the answer is right about; None where it is the whole record.

        Raises:
            SourceUnavailable: the rest of a document that is not cached could not be read.
        """
        record_id = spec.id_of(record)
        lacks = [] if knows is None else [each for each in spec.children if each not in knows]
        if record_id is None:
            return False
        if lacks and await self._stored(spec, record_id) is None:
            await self.store.keep(spec, await self.source.records(spec, [record_id]))
        async with self.store.turn:
            stored = await self._stored(spec, record_id)
            if lacks and stored is None:
                return False
            kept = {} if stored is None or knows is None else stored.record
            said = {name: value for name, value in record.items() if name not in lacks}
            version = {} if stored is None or spec.version_of(record) else {"updated_at": stored.version}
            page = SourcePage([{**kept, **said, **version}], None)
            done = await self.store.keep_alone(spec, page, _OWN)
            return bool(done.applied.changed)

    async def delete(self, spec: EntitySpec, record_id: RecordId) -> bool:
        """Mark a record that we deleted; a listing that lags does not bring it back. Return whether it was cached."""
        async with self.store.turn:
            stored = await self._stored(spec, record_id)
            if stored is None:
                return False
            record = {**stored.record, "deleted_at": stored.record.get("deleted_at") or iso(self.store.clock.now())}
            await self.store.keep_alone(spec, SourcePage([record], None), _OWN)
            return True

    async def _stored(self, spec: EntitySpec, record_id: RecordId) -> Stored | None:
        found = await self.store.cache.get_many(spec.name, [record_id])
        return next(iter(found.rows), None)
