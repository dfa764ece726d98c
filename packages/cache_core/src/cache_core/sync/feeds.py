"""Child feeds: documents that changed though their own version stayed, found by their children and read again.

Each feed has a cursor of its own. Reading single documents never moves the cursor of the documents.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

from cache_core.indexing import excerpt
from cache_core.protocol import Quarantined, Stored, SyncState
from cache_core.records import Record, RecordId, as_id, is_set, iso, values_at
from cache_core.spec import EntitySpec, Feed
from cache_core.states import Awaited
from cache_core.sync.counters import Tally
from cache_core.sync.cursor import advanced
from cache_core.sync.listing import Verdict
from cache_core.sync.run import Run, begun, read_through
from cache_core.sync.source import Source, SourcePage
from cache_core.sync.storing import Extra, Store

AWAITED_FOR = timedelta(minutes=20)
"""How long a document is read again in vain: longer than any lag, and than our own write outranks a listing."""

_REMEMBERED = 1_000
"""Children that are noted at most before their documents are read."""

_UNSTAMPED = ""
"""The version of a child that shows none: whether its document shows the change, nobody can tell."""


class Feeds:
    """Follows the feeds of an entity after each of its deltas."""

    def __init__(self, source: Source, store: Store) -> None:
        self._source = source
        self._store = store

    async def follow(self, spec: EntitySpec, tally: Tally) -> str | None:
        """Ask every feed, and read again the documents it names; return why it could not be completed, or None.

        Raises:
            SourceUnavailable: the source did not answer.
        """
        for feed in spec.feeds:
            reason = await self._ask(spec, feed, tally)
            if reason is not None:
                return f"{feed.collection}: {reason}"
        await self._read_again(spec, tally)
        return None

    async def _ask(self, spec: EntitySpec, feed: Feed, tally: Tally) -> str | None:
        state = (await self._store.cache.state(spec.name)).feeds[feed.collection]
        begin = state.checkpoint
        if begin is None or begin.begun is None:
            begin = begun(feed, state, self._store.clock.now())
        run = Run(feed, begin, self._store.clock)

        async def keep(page: SourcePage, verdict: Verdict) -> None:
            awaited = await self._awaited(spec, feed, page.records)
            lost = [*_orphans(feed, page.records), *(_named(feed, invalid_value) for invalid_value in page.invalid)]
            extra = Extra(lambda state: _fed(feed, run, state, verdict, awaited), await self._found(spec, feed, page))
            tally.add(await self._store.keep(spec, SourcePage((), None, lost), extra))
            if len((await self._store.cache.state(spec.name)).awaited) >= _REMEMBERED:
                await self._read_again(spec, tally)

        try:
            return await read_through(self._source, run, keep)
        finally:
            tally.requests += run.requests

    async def _found(self, spec: EntitySpec, feed: Feed, page: SourcePage) -> list[RecordId]:
        """Return the names in quarantine of children whose documents are known by now."""
        poison = {bad_record.id for bad_record in await self._store.cache.quarantined(spec.name, _REMEMBERED)}
        child_names = (
            name_of_child(feed, feed.id_of(record)) for record in page.records if _parent(feed, record) is not None
        )
        return [record_id for record_id in child_names if record_id is not None and record_id in poison]

    async def _awaited(self, spec: EntitySpec, feed: Feed, children: Iterable[Record]) -> list[Awaited]:
        """Return the children that the cached documents do not show as they are."""
        until = iso(self._store.clock.now() + AWAITED_FOR)
        candidates: list[Awaited] = []
        for child in children:
            child_id, parent = feed.id_of(child), _parent(feed, child)
            if child_id is not None and parent is not None:
                version = None if is_set(child, "deleted_at") else feed.version_of(child) or _UNSTAMPED
                candidates.append(Awaited(parent, feed.collection, child_id, version, until))
        return await self._unshown(spec, candidates)

    async def _unshown(self, spec: EntitySpec, awaited: Sequence[Awaited]) -> list[Awaited]:
        feeds = {feed.collection: feed for feed in spec.feeds}
        found = await self._store.cache.get_many(spec.name, [awaited_part.id for awaited_part in awaited])
        documents = {row.id: row for row in found.rows}
        return [
            awaited_part
            for awaited_part in awaited
            if awaited_part.feed in feeds
            and not _shows(documents.get(awaited_part.id), feeds[awaited_part.feed], awaited_part)
        ]

    async def _read_again(self, spec: EntitySpec, tally: Tally) -> None:
        """Read the awaited documents; those that still do not show the change wait for the next sync."""
        now = iso(self._store.clock.now())
        asked = (await self._store.cache.state(spec.name)).awaited
        ids = list(dict.fromkeys(awaited_part.id for awaited_part in await self._unshown(spec, asked)))
        for batch in self._source.batches(spec, ids):
            tally.requests += 1 if spec.fetch_by == "list_ids" else len(batch)
            tally.add(await self._store.keep(spec, await self._source.records(spec, batch)))
        # What waited while nobody read was read once all the same.
        left = tuple(
            awaited_part
            for awaited_part in await self._unshown(spec, asked)
            if awaited_part.version != _UNSTAMPED and awaited_part.until > now
        )
        await self._store.remember(spec, lambda state: replace(state, awaited=left))


def name_of_child(feed: Feed, child: RecordId | None) -> RecordId | None:
    """Return how a child is called in the quarantine of its documents, which have ids of their own."""
    return None if child is None else f"{feed.collection} {child}"


def _parent(feed: Feed, child: Record) -> RecordId | None:
    return as_id(child.get(feed.parent))


def _orphans(feed: Feed, children: Iterable[Record]) -> list[Quarantined]:
    """Return the children of which nothing tells whose they are, so that no document is read again for them."""
    lost = (child for child in children if _parent(feed, child) is None)
    return [
        _named(feed, Quarantined(feed.id_of(record), f"{feed.parent}: an id is required", excerpt(record)))
        for record in lost
    ]


def _named(feed: Feed, child: Quarantined) -> Quarantined:
    reason = f"{feed.collection}: {child.reason}"
    return replace(child, id=name_of_child(feed, child.id), reason=reason)


def with_feeds(spec: EntitySpec, state: SyncState, before: SyncState) -> SyncState:
    """Return the state with one for each feed; a new feed starts where its documents stood before.

    Args:
        spec: whose feeds.
        state: the state after a listing of the documents.
        before: the state whose cursor no child's change can be older than.
    """
    fresh = SyncState(cursor=before.cursor, sure=before.sure, completed_at=before.completed_at)
    return replace(state, feeds={feed.collection: state.feeds.get(feed.collection, fresh) for feed in spec.feeds})


def _fed(feed: Feed, run: Run, state: SyncState, verdict: Verdict, awaited: list[Awaited]) -> SyncState:
    """Return the state after a page of a feed: its own progress, and the documents to read again."""
    mine = state.feeds[feed.collection]
    if verdict is Verdict.DONE:
        # Children may show no versions; the documents do, which were listed before them unless the feed was resumed.
        reached_at = None if run.elapsed is None else state.cursor
        mine = replace(
            advanced(mine, run.checkpoint, run.elapsed, reached_at=reached_at), completed_at=run.checkpoint.begun
        )
    elif verdict is Verdict.NEXT or not run.checkpoint.read:
        mine = replace(mine, checkpoint=run.checkpoint if run.checkpoint.read else None)
    kept = {(awaited_part.feed, awaited_part.child): awaited_part for awaited_part in state.awaited}
    for awaited_part in awaited:
        old = kept.get((awaited_part.feed, awaited_part.child))
        kept[awaited_part.feed, awaited_part.child] = (
            old if old is not None and old.version == awaited_part.version else awaited_part
        )
    return replace(state, feeds={**state.feeds, feed.collection: mine}, awaited=tuple(kept.values()))


def _shows(document: Stored | None, feed: Feed, awaited: Awaited) -> bool:
    """Return whether a document holds the child as the feed told of it; a deleted document shows no children."""
    if document is None:
        return False
    if is_set(document.record, "deleted_at") or feed.children.split("[")[0] not in document.record:
        return True
    return awaited.version != _UNSTAMPED and shows(document.record, feed, awaited.child, awaited.version)


def shows(document: Record, feed: Feed, child: RecordId, version: str | None) -> bool:
    """Return whether a document holds a child at this version or a later one; without a version, that it is gone."""
    children = [cast("Record", value) for value in values_at(document, feed.children) if isinstance(value, dict)]
    mine = [row for row in children if as_id(row.get("id")) == child]
    if version is None or not mine:
        return version is None and not mine
    return (feed.version_of(mine[0]) or version) >= version
