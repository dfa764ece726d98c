"""No change of a row is lost though its document keeps its version: people work, under skew, lag and moving pages."""

import pytest
from sync_world import Account, Condition

from cache_core.records import Record, RecordId, iso

DOCUMENTS = 300

CONDITIONS = {
    "calm": Condition(),
    "our clock five minutes ahead": Condition(skew=300, lag=30, edits=1),
    "our clock five minutes behind": Condition(skew=-300, lag=30, edits=1),
    "replicas lag up to 600 s": Condition(lag=600, edits=1),
    "rare reads and lag": Condition(lag=600, edits=1, pause=400),
    "everything at once": Condition(skew=-300, lag=600, edits=1, shifts=1),
}


class Orders(Account):
    """Documents with rows that people change."""

    def fill(self) -> None:
        self.last_row = 0
        self.last_document = 0
        for _ in range(DOCUMENTS):
            self.add_document()
            self.server.advance(3600 / DOCUMENTS)

    def edit(self) -> None:
        self.random.choice((self.edit_row, self.edit_row, self.add_row, self.delete_row, self.edit_document))()

    def shift(self) -> None:
        self.add_document()

    def add_document(self) -> None:
        self.last_document += 1
        self.source.put("part", {"id": self.last_document, "rows": []}, self.server.now())
        for _ in range(2):
            self.add_row(self.last_document)

    def add_row(self, document: RecordId | None = None) -> None:
        self.last_row += 1
        chosen = document or self.random.randint(1, self.last_document)
        self.change_row(self.last_row, {"part_id": chosen, "n": 0})

    def edit_row(self) -> None:
        self.change_row(self.any_row(), {"n": self.random.randrange(1_000_000)})

    def delete_row(self) -> None:
        self.change_row(self.any_row(), {"deleted_at": iso(self.server.now())})

    def edit_document(self) -> None:
        self.source.put("part", {"id": self.random.randint(1, self.last_document), "n": 1}, self.server.now())

    def vanish_row(self) -> None:
        """Delete a row without a trace."""
        row = self.any_row()
        document = self.source.rows("part_rows")[row]["part_id"]
        self.source.drop("part_rows", row)
        self.show_rows(document)

    def any_row(self) -> RecordId:
        rows = self.source.rows("part_rows")
        return self.random.choice([key for key, row in rows.items() if row["deleted_at"] is None])

    def change_row(self, row: RecordId, fields: Record) -> None:
        """Change a row, and what its document shows, whose version stays."""
        self.source.put("part_rows", {"id": row, **fields}, self.server.now())
        self.show_rows(self.source.rows("part_rows")[row]["part_id"])

    def show_rows(self, document: object) -> None:
        rows = self.source.rows("part_rows").values()
        live = [row for row in rows if row["part_id"] == document and row["deleted_at"] is None]
        self.source.alter("part", {"id": document, "rows": live})

    async def different(self) -> list[RecordId]:
        """Return the documents that the cache does not show as they are."""
        truth = self.source.rows("part")
        found = await self.world.cache.get_many("part", list(truth))
        return [*found.missing, *(row.id for row in found.rows if row.record != truth[row.id])]


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("seed", range(5))
async def test_after_rest_and_one_sync_every_document_shows_its_rows(name: str, seed: int) -> None:
    orders = Orders(CONDITIONS[name], seed, "part")
    await orders.work(15)
    await orders.rest()
    assert await orders.different() == []


@pytest.mark.parametrize("seed", range(3))
async def test_rows_that_vanish_without_a_trace_are_gone_after_an_audit(seed: int) -> None:
    orders = Orders(CONDITIONS["everything at once"], seed, "part")
    await orders.work(5)
    for _ in range(20):
        orders.vanish_row()
    await orders.work(5)
    await orders.rest()
    await orders.world.syncer.audit("part")
    assert await orders.different() == []
