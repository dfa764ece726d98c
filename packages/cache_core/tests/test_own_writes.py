"""Own writes put through: read at once whatever lags, never wiping, never lowering, and marking stock."""

from datetime import timedelta

import pytest
from sync_world import World, settled

from cache_core.errors import SourceUnavailable
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch
from cache_core.records import Record, iso
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_core.sync import Part, Syncer
from cache_core.testing import START, FakeSource, ManualClock

ROWS: list[Record] = [{"id": 1, "part_id": 1, "variant_id": 5}, {"id": 2, "part_id": 1, "variant_id": 6}]


async def part(world: World) -> Record:
    (row,) = (await world.cache.get_many("part", [1])).rows
    return row.record


async def with_a_part() -> World:
    world = World()
    world.source.put("part", {"id": 1, "name": "old", "rows": ROWS}, START - timedelta(hours=1))
    await world.syncer.start("part")
    return world


@pytest.mark.parametrize("lag", [0, 30, 600])
async def test_our_write_is_read_at_once_and_stays_while_replicas_lag(lag: float) -> None:
    world = await with_a_part()
    world.clock.advance(3600)
    world.source.put("part", {"id": 1, "name": "new"}, world.clock.now())
    world.source.lag = lambda: lag
    answer = dict(world.source.rows("part")[1])
    assert await world.syncer.write_through("part", answer)
    for _ in range(22):
        assert (await part(world))["name"] == "new"
        world.clock.advance(31)
        await world.fresh.ensure(["part"])
        await settled()
    assert (await world.cache.state("part")).cursor == answer["updated_at"]


async def test_an_answer_without_rows_wipes_none() -> None:
    world = await with_a_part()
    world.clock.advance(60)
    answer: Record = {"id": 1, "name": "new", "rows": [], "updated_at": iso(world.clock.now())}
    assert await world.syncer.write_through("part", answer, knows=())
    shown = await part(world)
    assert (shown["name"], shown["rows"]) == ("new", ROWS)


NESTED = [spec for spec in SPECS if spec.children or spec.feeds]


@pytest.mark.parametrize("spec", NESTED, ids=lambda spec: spec.name)
async def test_no_answer_wipes_anything_that_it_does_not_know(spec: EntitySpec) -> None:
    clock = ManualClock()
    cache = MemoryBackend(SPECS)
    syncer = Syncer(SPECS, FakeSource(clock), cache, clock)
    nested = [path.partition("[")[0] for path in (*spec.children, *(feed.children for feed in spec.feeds))]
    whole = {spec.id_path: 1, **{name: [{"id": 7}] for name in nested}, "note": "kept", "updated_at": iso(START)}
    await syncer.write_through(spec.name, whole)
    for wiped in ({}, dict.fromkeys(nested, None), {name: list[Record]() for name in nested}):
        clock.advance(1)
        said: Record = {spec.id_path: 1, "name": f"at {clock.monotonic()}", "updated_at": iso(clock.now())}
        assert await syncer.write_through(spec.name, {**said, **wiped}, knows=())
        (row,) = (await cache.get_many(spec.name, [1])).rows
        assert row.record == {**whole, **said}


async def test_an_answer_that_knows_its_rows_replaces_them() -> None:
    world = await with_a_part()
    answer: Record = {"id": 1, "name": "new", "rows": ROWS[:1], "updated_at": iso(START)}
    await world.syncer.write_through("part", answer, knows=("rows",))
    assert (await part(world))["rows"] == ROWS[:1]


async def test_a_document_that_is_not_cached_is_read_for_the_rows_that_the_answer_lacks() -> None:
    world = World()
    world.source.put("part", {"id": 1, "name": "old", "rows": ROWS}, START)
    answer: Record = {"id": 1, "name": "new", "updated_at": iso(START + timedelta(seconds=1))}
    assert await world.syncer.write_through("part", answer, knows=())
    shown = await part(world)
    assert (shown["name"], shown["rows"]) == ("new", ROWS)
    assert world.asked() == [("part", 0)]


async def test_a_new_document_is_shown_before_anything_lists_it() -> None:
    world = World()
    answer: Record = {"id": 1, "name": "new", "updated_at": iso(START)}
    assert await world.syncer.write_through("part", answer, knows=(), is_new=True)
    assert (await part(world))["name"] == "new"


async def test_a_document_whose_rows_nobody_knows_is_not_stored_without_them() -> None:
    world = World()
    answer: Record = {"id": 1, "name": "new", "updated_at": iso(START)}
    assert not await world.syncer.write_through("part", answer, knows=())
    world.source.down = "Katana is down"
    with pytest.raises(SourceUnavailable):
        await world.syncer.write_through("part", answer, knows=())
    assert await world.cached("part") == {}


async def test_a_late_answer_lowers_no_version() -> None:
    world = await with_a_part()
    late: Record = {"id": 1, "name": "late", "rows": [], "updated_at": iso(START - timedelta(hours=2))}
    assert not await world.syncer.write_through("part", late)
    assert (await part(world))["name"] == "old"


async def test_an_answer_without_a_version_keeps_the_stored_one() -> None:
    world = await with_a_part()
    assert await world.syncer.write_through("part", {"id": 1, "name": "new", "rows": ROWS})
    assert (await world.cached("part"))[1] == iso(START - timedelta(hours=1))
    await world.syncer.start("part")
    assert (await part(world))["name"] == "new"


async def test_a_write_moves_no_cursor() -> None:
    world = await with_a_part()
    before = await world.cache.state("part")
    await world.syncer.write_through("part", {"id": 2, "rows": [], "updated_at": iso(START + timedelta(hours=3))})
    assert await world.cache.state("part") == before


@pytest.mark.parametrize("lag", [0, 600])
async def test_what_we_wrote_stays_in_a_collection_that_is_listed_whole_while_replicas_lag(lag: float) -> None:
    world = World()
    for number in (1, 2):
        world.source.put("colour", {"id": number, "name": f"c{number}"}, START - timedelta(days=number))
    await world.syncer.start("colour")
    world.clock.advance(3600)
    world.source.put("colour", {"id": 3, "name": "ours"}, world.clock.now())
    world.source.lag = lambda: lag
    assert await world.syncer.write_through("colour", world.source.rows("colour")[3])
    for _ in range(12):
        world.clock.advance(150)
        await world.fresh.ensure(["colour"])
        assert list(await world.cached("colour")) == [3, 2, 1]
    world.source.drop("colour", 2)
    world.source.drop("colour", 3)
    world.source.lag = lambda: 0
    world.clock.advance(150)
    await world.fresh.ensure(["colour"])
    assert list(await world.cached("colour")) == [3, 1]
    world.clock.advance(1201)
    await world.fresh.ensure(["colour"])
    assert list(await world.cached("colour")) == [1]


async def test_what_we_deleted_stays_deleted_while_listings_lag() -> None:
    world = await with_a_part()
    assert await world.syncer.delete_through("part", 1)
    await world.syncer.start("part")
    assert await world.cache.count("part") == 0
    assert not await world.syncer.delete_through("part", 99)


async def test_a_renamed_parent_is_followed_at_once() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    await world.fresh.ensure(["gadget"], wait=60)
    await world.syncer.write_through("maker", {"id": 1, "name": "Globex", "updated_at": iso(START)})
    assert await world.found("globex") == [7]


async def test_our_write_marks_the_stock_that_it_may_have_moved() -> None:
    world = await with_a_part()
    stock: list[Record] = [
        {"variant_id": variant_id, "fetched_at": iso(START), "levels": []} for variant_id in (5, 6, 7)
    ]
    rows = (await prepare(STOCK, stock, world.cache)).rows
    await world.cache.apply(Batch(entity="stock", at=iso(START), upserts=rows))
    answer: Record = {"id": 1, "rows": [{**ROWS[0], "variant_id": 7}, ROWS[1]], "updated_at": iso(START)}
    await world.syncer.write_through("part", answer)
    found = await world.cache.get_many("stock", [5, 6, 7])
    assert [row.record.get("dirty_at") for row in found.rows] == [iso(START)] * 3
    same: Record = {"id": 2, "rows": [], "updated_at": iso(START)}
    world.clock.advance(5)
    await world.syncer.write_through("part", same)
    again = await world.cache.get_many("stock", [5, 6, 7])
    assert again == found


THIRD: Record = {"id": 3, "part_id": 1, "variant_id": 7, "updated_at": iso(START)}


def with_sums() -> World:
    """Return a made-up Katana in which a part sums up its rows, and shows no change of them in its version."""
    world = World()
    world.source.put("part", {"id": 1, "name": "old", "total": 2, "rows": ROWS}, START - timedelta(hours=1))
    return world


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (Part("part_rows", THIRD), [*ROWS, THIRD]),
        (Part("part_rows", {"id": 1, "variant_id": 9}), [{**ROWS[0], "variant_id": 9}, ROWS[1]]),
        (Part("part_rows", {"id": 1}, gone=True), ROWS[1:]),
        (Part("part_rows", {"id": 4}, gone=True), ROWS),
    ],
)
async def test_a_part_that_we_wrote_is_in_its_document_at_once_and_the_sums_wait(
    written: Part, shown: list[Record]
) -> None:
    world = with_sums()
    await world.syncer.start("part")
    assert await world.syncer.put_part("part", 1, written)
    document = await part(world)
    assert (document["rows"], document["name"], "total" in document) == (shown, "old", False)


async def test_a_part_of_a_document_that_is_not_cached_asks_nothing() -> None:
    world = with_sums()
    assert not await world.syncer.put_part("part", 1, Part("part_rows", THIRD))
    assert (await world.cached("part"), world.asked()) == ({}, [])


async def test_a_document_read_back_is_stored_once_it_shows_what_we_wrote() -> None:
    world = with_sums()
    await world.syncer.start("part")
    written = [Part("part_rows", THIRD), Part("part_rows", {"id": 2}, gone=True)]
    for change in written:
        await world.syncer.put_part("part", 1, change)
    assert not await world.syncer.read_back("part", 1, written)
    assert (await part(world))["rows"] == [ROWS[0], THIRD]
    world.source.put("part", {"id": 1, "name": "old", "total": 3, "rows": [ROWS[0], THIRD]}, START - timedelta(hours=1))
    assert await world.syncer.read_back("part", 1, written)
    assert (await part(world))["total"] == 3


async def test_a_document_read_back_lowers_no_version() -> None:
    world = with_sums()
    await world.syncer.start("part")
    await world.syncer.write_through("part", {"id": 1, "name": "new", "updated_at": iso(START)}, knows=())
    assert not await world.syncer.read_back("part", 1, ())
    assert not await world.syncer.read_back("part", 2, ())
    assert (await part(world))["name"] == "new"
