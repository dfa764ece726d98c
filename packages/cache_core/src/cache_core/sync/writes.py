"""Own writes put through to the cache, so that they are read at once, however far Katana's replicas lag.

Refuses to wipe what an answer did not bring: paths that a writer does not know are kept from the stored document. Never
moves a cursor, and never lowers a version.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

from cache_core.protocol import Origin, Stored, own_write_stands
from cache_core.records import Record, RecordId, as_id, iso, moment_in, values_at
from cache_core.spec import EntitySpec, Feed
from cache_core.sync.feeds import shows
from cache_core.sync.source import Source, SourcePage
from cache_core.sync.storing import Extra, Store

_OWN = Extra(origin=Origin.OWN_WRITE)


@dataclass(frozen=True, slots=True)
class Part:
    """What a document holds, as Katana answered when we wrote it by its own collection: a row, an address.

    Attributes:
        collection: of the feed that tells of such parts: `purchase_order_rows`.
        record: the answer; of one that is `gone`, its id.
        gone: whether we deleted it.
    """

    collection: str
    record: Record
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Writes:
    """Puts the answers to our own writes through; `live` is asked instead of `source` while somebody waits."""

    source: Source
    live: Source
    store: Store
    _written: dict[tuple[str, RecordId], str] = field(default_factory=dict[tuple[str, RecordId], str])

    def wrote(self, entity: str, record_id: RecordId) -> bool:
        """Return whether this process wrote a record so lately that a listing may lag behind it."""
        return own_write_stands(self._written.get((entity, record_id)), iso(self.store.clock.now()))

    def _note(self, entity: str, record_id: RecordId) -> None:
        now = iso(self.store.clock.now())
        for key in [key for key, at in self._written.items() if not own_write_stands(at, now)]:
            del self._written[key]
        self._written[entity, record_id] = now

    async def put(
        self, spec: EntitySpec, record: Record, knows: Collection[str] | None, *, is_new: bool = False
    ) -> bool:
        """Store what Katana answered to a write; return whether the cache shows it now.

        Args:
            spec: whose record.
            record: the answer, wire quirks already normalised.
            knows: the child paths that the answer is right about; None where it is the whole record.
            is_new: whether we made it, so that it is stored even where the source does not list it yet.

        Raises:
            SourceUnavailable: the rest of a document that is not cached could not be read.
        """
        record_id = spec.id_of(record)
        lacks = [] if knows is None else [child for child in spec.children if child not in knows]
        if record_id is None:
            return False
        self._note(spec.name, record_id)
        if lacks and await self._stored(spec, record_id) is None:
            await self.store.keep(spec, await self.source.records(spec, [record_id]))
        async with self.store.turn:
            stored = await self._stored(spec, record_id)
            if lacks and stored is None and not is_new:
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
            record = {
                **stored.record,
                "deleted_at": moment_in(stored.record.get("deleted_at")) or iso(self.store.clock.now()),
            }
            await self.store.keep_alone(spec, SourcePage([record], None), _OWN)
            return True

    async def put_part(self, spec: EntitySpec, record_id: RecordId, part: Part) -> bool:
        """Show a part in its document as we wrote it, or no longer; return whether the document is cached.

        What Katana sums up from such parts is left out, until the document is read with them.
        """
        feed = _feed(spec, part)
        async with self.store.turn:
            stored = await self._stored(spec, record_id)
            if stored is None:
                return False
            name = feed.children.removesuffix("[]")
            kept = {name: value for name, value in stored.record.items() if name not in feed.sums}
            record = {**kept, name: _with(stored.record, feed, part)}
            await self.store.keep_alone(spec, SourcePage([record], None), _OWN)
            return True

    async def read_back(self, spec: EntitySpec, record_id: RecordId, parts: Sequence[Part]) -> bool:
        """Read a document that we wrote to, and store it unless it lags behind us; return whether it is stored.

        Raises:
            SourceUnavailable: Katana did not answer.
        """
        page = await self.live.records(spec, [record_id])
        async with self.store.turn:
            stored = await self._stored(spec, record_id)
            read = next((record for record in page.records if spec.id_of(record) == record_id), None)
            if read is None or (stored is not None and (spec.version_of(read) or "") < (stored.version or "")):
                return False
            if not all(_is_visible(read, _feed(spec, part), part) for part in parts):
                return False
            await self.store.keep_alone(spec, SourcePage([read], None), _OWN)
            return True

    async def _stored(self, spec: EntitySpec, record_id: RecordId) -> Stored | None:
        found = await self.store.cache.get_many(spec.name, [record_id])
        return next(iter(found.rows), None)


def _feed(spec: EntitySpec, part: Part) -> Feed:
    return next(feed for feed in spec.feeds if feed.collection == part.collection)


def _with(document: Record, feed: Feed, part: Part) -> Record | list[Record] | None:
    """Return the document's parts with this one in its place, last where it is new, or without it."""
    if not feed.children.endswith("[]"):
        return None if part.gone else part.record
    mine = as_id(part.record.get("id"))
    parts = [cast("Record", value) for value in values_at(document, feed.children) if isinstance(value, dict)]
    places = {as_id(row.get("id")): place for place, row in enumerate(parts)}
    if part.gone:
        return [row for row in parts if as_id(row.get("id")) != mine]
    if mine not in places:
        return [*parts, part.record]
    parts[places[mine]] = {**parts[places[mine]], **part.record}
    return parts


def _is_visible(document: Record, feed: Feed, part: Part) -> bool:
    child = as_id(part.record.get("id"))
    return child is not None and shows(document, feed, child, None if part.gone else feed.version_of(part.record) or "")
