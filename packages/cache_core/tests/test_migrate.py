"""A backend filled from another that a server goes on writing to meanwhile."""

from collections.abc import Awaitable, Callable

import pytest

from cache_core.conditions import EVERYTHING
from cache_core.errors import LeaseLost
from cache_core.indexing import prepare
from cache_core.leases import Claim
from cache_core.memory import MemoryBackend
from cache_core.migrate import STEP, Migration
from cache_core.protocol import Batch, Quarantined, Selection, Stored, SyncState
from cache_core.records import iso
from cache_core.spec import EntitySpec, Searchable
from cache_core.testing import ManualClock

PART = EntitySpec(name="part", collection="parts", searchable=Searchable(keys=("sku",)), key_path="sku")
AT, LATER = "2026-03-02T08:00:00.000Z", "2026-03-02T09:00:00.000Z"


def _quiet(entity: str, done: int, total: int) -> None:
    del entity, done, total


class Busy(MemoryBackend):
    """A backend to which something is written behind each window that is read."""

    def __init__(self, meanwhile: Callable[["Busy"], Awaitable[None]]) -> None:
        super().__init__((PART,))
        self._meanwhile = meanwhile

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        rows = await super().select(entity, selection)
        await self._meanwhile(self)
        return rows

    async def put(self, ids: range, at: str, *poison: Quarantined, sku: str = "OLD") -> None:
        records = [{"id": record_id, "sku": sku, "updated_at": at} for record_id in ids]
        prepared = await prepare(PART, records, self)
        state = SyncState(cursor=at, completed_at=at)
        await self.apply(Batch(entity="part", at=at, upserts=prepared.rows, quarantine=poison, state=state))


async def _filled(source: MemoryBackend) -> MemoryBackend:
    target = MemoryBackend((PART,))
    await Migration(source, ManualClock(), _quiet).fill(PART, source, target)
    return target


async def test_the_cursor_of_a_filled_backend_is_not_ahead_of_the_rows_that_were_copied() -> None:
    async def edit(source: Busy) -> None:
        await source.put(range(1, 2), LATER, sku="NEW")

    source = Busy(edit)
    await source.put(range(1, 3), AT)
    target = await _filled(source)
    (row,) = (await target.get_many("part", [1])).rows
    assert (row.record["sku"], (await target.state("part")).cursor) == ("OLD", AT)


async def test_a_row_that_goes_while_a_backend_is_filled_hides_no_other() -> None:
    async def remove(source: Busy) -> None:
        await source.apply(Batch(entity="part", at=LATER, removed=[1]))

    source = Busy(remove)
    await source.put(range(1, STEP + 11), AT)
    target = await _filled(source)
    assert await target.count("part", (), EVERYTHING) == STEP + 9


async def test_a_record_healed_while_a_backend_is_filled_is_not_forgotten() -> None:
    async def heal(source: Busy) -> None:
        await source.put(range(1, 2), AT)

    source = Busy(heal)
    await source.put(range(2, 3), AT, Quarantined(1, "poison", AT))
    target = await _filled(source)
    assert [bad_record.id for bad_record in await target.quarantined("part")] == [1]


def _claim(holder: str) -> Claim:
    return Claim("part", holder, iso(ManualClock().now()), 30)


async def test_who_lists_into_a_backend_while_it_is_filled_must_begin_again() -> None:
    target = MemoryBackend((PART,))
    begun = await target.claim(_claim("a listing"))
    refused: list[str] = []

    async def go_on(_: Busy) -> None:
        assert (await target.claim(_claim("a listing"))).holder != "a listing"
        try:
            await target.apply(Batch(entity="part", at=LATER, removed=[1], lease=begun))
        except LeaseLost as error:
            refused.append(str(error))

    source = Busy(go_on)
    await source.put(range(1, 3), AT)
    await Migration(source, ManualClock(), _quiet).fill(PART, source, target)
    assert refused
    assert await target.count("part", (), EVERYTHING) == 2
    assert (await target.claim(_claim("a listing"))).holder == "a listing"


async def test_of_two_that_fill_a_backend_the_later_one_does() -> None:
    target = MemoryBackend((PART,))
    later = MemoryBackend((PART,))
    turns = [later]

    async def fill_too(_: Busy) -> None:
        if turns:
            turns.pop()
            await Migration(later, ManualClock(), _quiet).fill(PART, later, target)

    source = Busy(fill_too)
    await source.put(range(1, 3), AT)
    with pytest.raises(LeaseLost):
        await Migration(source, ManualClock(), _quiet).fill(PART, source, target)
    assert await target.count("part", (), EVERYTHING) == 0
