"""Documents whose children change without them: found by their feeds, read again, and what that costs."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest
from sync_world import World

from cache_core.indexing import prepare
from cache_core.protocol import Batch, Quarantined
from cache_core.records import Record, RecordId, iso, values_at
from cache_core.spec import EntitySpec, Listed
from cache_core.specs.stock import STOCK
from cache_core.sync import SourcePage
from cache_core.testing import START, FakeSource


def stock_part(world: World, part: int, **rows: int) -> None:
    """Put a part with rows, each by its id's last digits: `r7=5` is row 7 of variant 5."""
    children = [
        {"id": int(name[1:]), "part_id": part, "variant_id": variant, "updated_at": "2026-03-02T07:00:00.000Z"}
        for name, variant in rows.items()
    ]
    world.source.put("part", {"id": part, "rows": children}, START - timedelta(hours=5))
    for child in children:
        world.source.put("part_rows", child, START - timedelta(hours=5))
    world.source.put("part", {"id": 1_000, "rows": []}, START - timedelta(hours=1))


def change_row(world: World, part: int, row: int, variant: int | None) -> None:
    """Change, add or (None) delete one row, and not the part's own version."""
    world.clock.advance(1)
    at = world.clock.now()
    deleted = at.isoformat() if variant is None else None
    child: dict[str, object] = {"id": row, "part_id": part, "variant_id": variant, "deleted_at": deleted}
    world.source.put("part_rows", child, at)
    stored = world.source.rows("part_rows")[row]
    rows = cast("list[dict[str, object]]", world.source.rows("part")[part]["rows"])
    kept = [part_row for part_row in rows if part_row["id"] != row]
    world.source.alter("part", {"id": part, "rows": kept if variant is None else [*kept, stored]})


async def variants(world: World, part: int) -> list[object]:
    (row,) = (await world.cache.get_many("part", [part])).rows
    return list(values_at(row.record, "rows[].variant_id"))


async def synced(world: World) -> list[tuple[str, int]]:
    """Sync parts and return what was asked."""
    outcome = await world.syncer.start("part")
    assert outcome.complete, outcome.reason
    asked = world.asked()
    assert outcome.requests == len(asked)
    return asked


async def test_a_cold_sync_asks_no_feed_and_a_delta_with_nothing_new_asks_each_once() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    assert await synced(world) == [("part", 1)]
    assert await synced(world) == [("part", 1), ("part_rows", 1)]
    assert await synced(world) == [("part", 1), ("part_rows", 1)]


@pytest.mark.parametrize(("row", "variant", "shown"), [(1, 9, [6, 9]), (3, 7, [5, 6, 7]), (1, None, [6])])
async def test_a_row_that_changes_alone_brings_its_document(row: int, variant: int | None, shown: list[int]) -> None:
    world = World()
    stock_part(world, 1, r1=5, r2=6)
    stock_part(world, 2, r4=8)
    await synced(world)
    change_row(world, 1, row, variant)
    assert await synced(world) == [("part", 1), ("part_rows", 1), ("part", 0)]
    assert await variants(world, 1) == shown
    assert await synced(world) == [("part", 1), ("part_rows", 1)]


async def test_a_feed_has_a_cursor_of_its_own_and_leaves_the_documents_cursor() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    await synced(world)
    before = (await world.cache.state("part")).cursor
    change_row(world, 1, 1, 9)
    await synced(world)
    state = await world.cache.state("part")
    assert state.cursor == before
    assert state.feeds["part_rows"].cursor == "2026-03-02T08:00:01.000Z"


async def test_a_change_between_the_first_listing_and_the_first_delta_is_not_missed() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    await synced(world)
    change_row(world, 1, 1, 9)
    world.source.put("part", {"id": 2, "rows": []}, START + timedelta(hours=5))
    await synced(world)
    assert await variants(world, 1) == [9]


async def test_five_hundred_changed_documents_are_read_by_two_requests() -> None:
    world = World()
    for part in range(1, 501):
        stock_part(world, part, **{f"r{part}": 5})
    await synced(world)
    for part in range(1, 501):
        change_row(world, part, part, 9)
    asked = await synced(world)
    assert asked.count(("part", 0)) == 2
    assert [await variants(world, part) for part in (1, 250, 500)] == [[9], [9], [9]]


async def test_changed_documents_with_long_ids_are_read_in_as_few_requests_as_name_them() -> None:
    world = World()
    for part in range(1_001, 1_201):
        stock_part(world, part, **{f"r{part}": 5})
    await synced(world)
    for part in range(1_001, 1_201):
        change_row(world, part, part, 9)
    world.source.longest_filter = 100 * len("ids=1001&")
    asked = await synced(world)
    assert asked.count(("part", 0)) == 2
    assert [await variants(world, part) for part in (1_001, 1_100, 1_200)] == [[9], [9], [9]]


class LaggingReads(FakeSource):
    """A source whose readings by id come from a replica that is ten minutes behind."""

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        self.lag = lambda: 600
        try:
            return await super().records(spec, ids)
        finally:
            self.lag = lambda: 0


async def test_a_document_that_lags_behind_its_row_is_read_again_until_it_shows_it() -> None:
    world = World()
    world.source = LaggingReads(world.clock)
    world.start()
    stock_part(world, 1, r1=5)
    world.clock.advance(3600)
    await synced(world)
    change_row(world, 1, 1, 9)
    row = {"id": 99, "part_id": 1, "deleted_at": iso(START)}
    world.source.put("part_rows", row, world.clock.now() + timedelta(minutes=15))
    await synced(world)
    assert await variants(world, 1) == [5]
    world.clock.advance(601)
    assert ("part", 0) in await synced(world)
    assert await variants(world, 1) == [9]
    assert (await world.cache.state("part")).awaited == ()


async def test_a_document_that_never_shows_its_row_is_given_up() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    await synced(world)
    world.source.put("part_rows", {"id": 7, "part_id": 1}, START)
    await synced(world)
    assert len((await world.cache.state("part")).awaited) == 1
    for minute in range(21):
        world.source.put(
            "part_rows", {"id": 8, "part_id": 2, "deleted_at": iso(START)}, START + timedelta(minutes=minute)
        )
        world.clock.advance(60)
        await synced(world)
    assert (await world.cache.state("part")).awaited == ()


async def test_a_feed_that_fails_leaves_the_documents_stale_under_their_own_name() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    await world.fresh.ensure(["part"])
    world.clock.advance(300)
    world.source.broken["part_rows"] = "no rows today"
    fresh = await world.fresh.ensure(["part", "gadget"])
    assert (fresh["part"].stale, fresh["part"].reason) == (True, "part: no rows today")
    assert not fresh["gadget"].stale
    world.clock.advance(20)
    del world.source.broken["part_rows"]
    assert not (await world.fresh.ensure(["part"]))["part"].stale


async def test_a_feed_that_is_cut_goes_on_at_its_page() -> None:
    world = World()
    stock_part(world, 1, **{f"r{row}": 5 for row in range(1, 601)})
    await synced(world)
    for row in range(1, 601):
        change_row(world, 1, row, 6)

    def cut(listed: object, number: int) -> None:
        world.source.down = "cut" if len(world.source.requests) == 2 and number == 2 else None

    world.source.before = cut
    assert not (await world.syncer.start("part")).complete
    assert [number for _, number in world.asked()] == [1, 1, 2]
    world.source.before = lambda listed, number: None
    world.source.down = None
    asked = await synced(world)
    assert asked[:2] == [("part", 1), ("part_rows", 2)]
    assert set(await variants(world, 1)) == {6}


async def test_moved_variants_are_marked_and_asked_for_again() -> None:
    world = World()
    stock_part(world, 1, r1=5, r2=6)
    await synced(world)
    stock: list[Record] = [
        {"variant_id": variant_id, "fetched_at": "2026-03-02T08:00:00.000Z", "levels": []} for variant_id in (5, 6, 9)
    ]
    rows = (await prepare(STOCK, stock, world.cache)).rows
    await world.cache.apply(Batch(entity="stock", at="2026-03-02T08:00:00.000Z", upserts=rows))
    change_row(world, 1, 1, 9)
    await synced(world)
    found = await world.cache.get_many("stock", [5, 6, 9])
    assert [row.record.get("dirty_at") is not None for row in found.rows] == [True, True, True]


async def test_a_cache_from_before_there_were_feeds_starts_them_where_its_documents_stood() -> None:
    world = World()
    stock_part(world, 1, r1=5)
    await synced(world)
    await world.cache.apply(
        Batch(entity="part", at="2026-03-02T08:00:00.000Z", state=replace(await world.cache.state("part"), feeds={}))
    )
    change_row(world, 1, 1, 9)
    world.source.put("part", {"id": 2, "rows": []}, START + timedelta(hours=5))
    await synced(world)
    assert await variants(world, 1) == [9]


def _unstamped(listed: Listed, number: int, page: SourcePage) -> SourcePage:
    """Show children as Katana shows shipping fees: neither when they changed, nor that they are deleted."""
    if listed.name != "part_rows":
        return page
    hidden = {"updated_at", "deleted_at"}
    return replace(page, records=[{k: v for k, v in record.items() if k not in hidden} for record in page.records])


@pytest.mark.parametrize(("variant", "shown"), [(9, [6, 9]), (None, [6])])
async def test_a_child_without_a_version_brings_its_document_whenever_it_is_listed(
    variant: int | None, shown: list[int]
) -> None:
    world = World()
    world.source.tamper = _unstamped
    stock_part(world, 1, r1=5, r2=6)
    await synced(world)
    change_row(world, 1, 1, variant)
    assert await synced(world) == [("part", 1), ("part_rows", 1), ("part", 0)]
    assert await variants(world, 1) == shown
    assert not (await world.cache.state("part")).awaited


async def test_a_feed_without_versions_moves_on_with_its_documents() -> None:
    world = World()
    world.source.tamper = _unstamped
    stock_part(world, 1, r1=5)
    await world.syncer.start("part")
    for minutes in range(10):
        world.source.put("part", {"id": 2, "rows": []}, START + timedelta(minutes=10 * minutes))
        await world.syncer.start("part")
    world.asked()
    await world.syncer.start("part")
    (since,) = [since for name, _, since in world.source.requests if name == "part_rows"]
    assert since is not None
    assert since > "2026-03-02T09:00:00.000Z"


async def quarantine(world: World) -> list[tuple[RecordId | None, str]]:
    return [(bad_record.id, bad_record.reason) for bad_record in await world.cache.quarantined("part")]


@pytest.mark.parametrize("parent", [None, True, {"id": 1}, [], 2**70])
async def test_a_child_that_does_not_say_whose_it_is_is_told_until_it_does(parent: object) -> None:
    world = World()
    stock_part(world, 1, r7=5)
    await synced(world)
    world.source.put("part_rows", {"id": 8, "part_id": parent, "variant_id": 6}, world.clock.now())
    for _ in range(2):
        world.clock.advance(60)
        asked = await synced(world)
        assert await quarantine(world) == [("part_rows 8", "part_rows: part_id: an id is required")]
        assert ("part", 0) not in asked
    assert (await world.cache.status("part")).quarantined == 1
    change_row(world, 1, 8, 6)
    await synced(world)
    assert (await quarantine(world), sorted(await variants(world, 1), key=str)) == ([], [5, 6])


async def test_a_child_without_an_id_is_told() -> None:
    world = World()
    stock_part(world, 1, r7=5)
    await synced(world)
    broken = Quarantined(None, "id: missing", "{}")
    world.clock.advance(60)
    change_row(world, 1, 7, 6)
    world.source.tamper = lambda listed, _, page: (
        replace(page, invalid=(broken,), total=(page.total or 0) + 1) if listed.name == "part_rows" else page
    )
    await synced(world)
    assert await quarantine(world) == [(None, "part_rows: id: missing")]
    assert await variants(world, 1) == [6]
