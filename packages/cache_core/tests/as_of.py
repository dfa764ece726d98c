"""When what a cache holds was last true: each record counts its changes, and when each was is noted."""

from datetime import datetime

from cache_core.conditions import EVERYTHING
from cache_core.protocol import CacheBackend, Selection
from cache_core.records import Record, RecordId
from cache_core.spec import EntitySpec, Feed, Listed
from cache_core.testing import FakeSource, ManualClock

COUNTER = "unheard_of"
"""A field that no entity declares."""


def identity(spec: EntitySpec, number: int) -> int | str:
    """Return the id of the entity's record of this number: a text where Katana gives texts."""
    return f"id-{number:06}" if spec.name in {"bom_row", "custom_field_definition"} else number


class Truth:
    """What a server held and until when.

    Attributes:
        source: the server.
        clock: its clock, and the cache's.
    """

    def __init__(self, source: FakeSource, clock: ManualClock) -> None:
        self.source = source
        self.clock = clock
        self._counter = 0
        self._until: dict[object, datetime] = {}

    def put(self, spec: EntitySpec, number: int, at: datetime) -> None:
        """Create or change a record."""
        record_id = identity(spec, number)
        new = record_id not in self.source.rows(spec.name)
        # Katana's documents always name their children.
        children: dict[str, object] = {}
        for feed in spec.feeds if new else ():
            children[feed.children.removesuffix("[]")] = () if feed.children.endswith("[]") else None
        self.source.put(spec.name, {"id": record_id, **children, **self._changed(spec, number)}, at)

    def put_child(self, spec: EntitySpec, feed: Feed, number: int) -> None:
        """Change a document by one of its children, so that its own version stays."""
        document = identity(spec, number)
        child: Record = {"id": number, feed.parent: document, COUNTER: self._counter}
        self.source.put(feed.collection, child, self.clock.now())
        stored = self.source.rows(feed.collection)[number]
        name = feed.children.removesuffix("[]")
        shown = [stored] if feed.children.endswith("[]") else stored
        self.source.alter(spec.name, {"id": document, name: shown, **self._changed(spec, number)})

    async def older(self, cache: CacheBackend, spec: EntitySpec, than: datetime) -> list[RecordId]:
        """Return the records that the cache shows as they were before this moment and were no longer at it."""
        rows = await cache.select(spec.name, Selection(limit=10_000, visibility=EVERYTHING))
        return [row.id for row in rows if self._until.get(row.record.get(COUNTER), than) < than]

    def _changed(self, spec: EntitySpec, number: int) -> Record:
        """Return the next count of changes; the one before is true until now."""
        before = self.source.rows(spec.name).get(identity(spec, number))
        if before is not None:
            self._until[before[COUNTER]] = self.clock.now()
        self._counter += 1
        return {COUNTER: self._counter}


def change(truth: Truth, spec: EntitySpec, number: int) -> None:
    """Change a record now; no two changes are of one moment."""
    truth.clock.advance(0.01)
    truth.put(spec, number, truth.clock.now())


def change_child(truth: Truth, spec: EntitySpec, number: int) -> None:
    """Change a document by a child of its first feed, or as a whole where it has none."""
    truth.clock.advance(0.01)
    if spec.feeds:
        truth.put_child(spec, spec.feeds[0], number)
    else:
        truth.put(spec, number, truth.clock.now())


def cut_between(source: FakeSource, page: int, *, whole: bool) -> None:
    """Let this page fail, of whole listings alone or of any, until told otherwise."""

    def cut(listed: Listed, number: int) -> None:
        source.down = "cut" if number >= page and not (whole and number == 1) else None

    source.before = cut
