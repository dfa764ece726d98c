"""What becomes of our own writes in the cache: whole documents, parts of them, and what was deleted."""

from datetime import timedelta

import pytest

from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Quarantined, SyncState
from cache_core.records import Record, iso
from cache_core.spec import EntitySpec, Feed
from cache_core.sync import Part, SourcePage, Syncer
from cache_core.testing import START, FakeSource, ManualClock

ROWS = Feed("part_rows", "part_id", "rows[]", sums=("total", "tax"))
FEE = Feed("fees", "part_id", "fee", sums=("cost",))
PART = EntitySpec(name="part", collection="parts", children=("rows", "fee"), feeds=(ROWS, FEE))


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


NOW = moment(0)
FIRST: dict[str, object] = {"id": 1, "n": 1, "updated_at": moment(-60)}
SECOND: dict[str, object] = {"id": 2, "n": 2}
STORED: dict[str, object] = {
    "id": 1,
    "name": "old",
    "total": 3,
    "cost": 4,
    "rows": [FIRST, SECOND],
    "fee": {"id": 7},
    "updated_at": moment(-60),
}


class Account:
    """An account and a cache of it, with what is read live and for listings apart."""

    def __init__(self) -> None:
        self.clock, self.source, self.live = ManualClock(), FakeSource(), FakeSource()
        self.cache = MemoryBackend((PART,))
        self.syncer = Syncer((PART,), self.source, self.cache, self.clock, self.live)

    async def holds(self, *records: Record) -> None:
        """Let these be cached."""
        rows = (await prepare(PART, records, self.cache)).rows
        await self.cache.apply(Batch(entity="part", at=NOW, upserts=rows))

    async def part(self) -> Record | None:
        """Return what is cached of the part; no write moves the state."""
        assert await self.cache.state("part") == SyncState()
        found = (await self.cache.get_many("part", [1])).rows
        return found[0].record if found else None


async def written(record: Record, knows: tuple[str, ...] | None, stored: Record | None = STORED) -> Record | None:
    """Write a record to an account in which a part is cached; return what is cached then."""
    account = Account()
    await account.holds(*([stored] if stored else []))
    shown = await account.syncer.write_through("part", record, knows=knows)
    assert (shown, account.source.requests) == (True, [])
    return await account.part()


@pytest.mark.parametrize("knows", [None, ("rows", "fee"), ("rows",), ()])
async def test_what_an_answer_does_not_know_stays_as_it_is_stored(knows: tuple[str, ...] | None) -> None:
    answer: dict[str, object] = {"id": 1, "name": "new", "rows": [], "fee": None, "updated_at": NOW}
    expected: dict[tuple[str, ...] | None, dict[str, object]] = {
        None: answer,
        ("rows", "fee"): {**STORED, **answer},
        ("rows",): {**STORED, **answer, "fee": STORED["fee"]},
        (): {**STORED, **answer, "fee": STORED["fee"], "rows": STORED["rows"]},
    }
    assert await written(answer, knows) == expected[knows]
    if knows is None or len(knows) == 2:
        assert await written(answer, knows, stored=None) == answer


@pytest.mark.parametrize(("knows", "name"), [(None, None), ((), "old")])
async def test_an_answer_without_a_version_has_the_stored_one(knows: tuple[str, ...] | None, name: str | None) -> None:
    found = await written({"id": 1, "n": 5}, knows)
    assert found is not None
    assert (found.get("updated_at"), found.get("name"), found["n"]) == (moment(-60), name, 5)


async def test_a_document_that_is_not_cached_is_read_before_a_part_of_it_is_written() -> None:
    account = Account()
    account.source.put("part", {**STORED, "deleted_at": None}, START - timedelta(seconds=60))
    assert await account.syncer.write_through("part", {"id": 1, "name": "new", "updated_at": NOW}, knows=("fee",))
    assert await account.part() == {**STORED, "deleted_at": None, "name": "new", "updated_at": NOW}
    assert (account.source.requests, account.live.requests) == ([("part", 0, None)], [])


@pytest.mark.parametrize("is_new", [False, True])
async def test_a_document_that_nobody_lists_is_shown_where_we_made_it(is_new: bool) -> None:
    account = Account()
    answer: Record = {"id": 1, "name": "new", "rows": [], "updated_at": NOW}
    assert await account.syncer.write_through("part", answer, knows=("fee",), is_new=is_new) is is_new
    assert await account.part() == ({"id": 1, "name": "new", "updated_at": NOW} if is_new else None)


async def test_an_answer_without_an_id_or_older_than_what_is_stored_is_not_shown() -> None:
    account = Account()
    await account.holds(STORED)
    old = {"id": 1, "updated_at": moment(-61)}
    assert [await account.syncer.write_through("part", record) for record in ({"name": "x"}, old)] == [False, False]
    assert (await account.part(), account.syncer.wrote("part", 1)) == (STORED, True)


async def test_a_write_is_known_for_a_quarter_of_an_hour_to_the_entity_and_id() -> None:
    account = Account()
    await account.syncer.write_through("part", {"id": 1, "updated_at": NOW})
    account.clock.advance(900)
    await account.syncer.write_through("part", {"id": 2, "updated_at": NOW})
    known = [account.syncer.wrote("part", number) for number in (1, 2, 3)]
    account.clock.advance(0.001)
    await account.syncer.write_through("part", {"id": 3, "updated_at": NOW})
    later = [account.syncer.wrote("part", number) for number in (1, 2, 3)]
    assert (known, later, account.syncer.wrote("other", 2)) == ([True, True, False], [False, True, True], False)


@pytest.mark.parametrize(("deleted_at", "after"), [(None, moment(5)), ("soon", moment(5)), (moment(-9), moment(-9))])
async def test_what_we_deleted_is_marked_once(deleted_at: str | None, after: str) -> None:
    account = Account()
    account.clock.advance(5)
    assert await account.syncer.delete_through("part", 1) is False
    await account.holds({**STORED, "deleted_at": deleted_at})
    assert await account.syncer.delete_through("part", 1) is True
    assert await account.part() == {**STORED, "deleted_at": after}
    assert (account.source.requests, account.live.requests) == ([], [])


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (Part("part_rows", {"id": 3}), {"rows": [FIRST, SECOND, {"id": 3}]}),
        (Part("part_rows", {"id": 1, "n": 9}), {"rows": [{**FIRST, "n": 9}, SECOND]}),
        (Part("part_rows", {"id": 2, "m": 9}), {"rows": [FIRST, {**SECOND, "m": 9}]}),
        (Part("part_rows", {"id": 1}, gone=True), {"rows": [SECOND]}),
        (Part("part_rows", {"id": 8}, gone=True), {"rows": [FIRST, SECOND]}),
        (Part("fees", {"id": 8, "n": 1}), {"fee": {"id": 8, "n": 1}}),
        (Part("fees", {"id": 7}, gone=True), {"fee": None}),
    ],
)
async def test_a_part_takes_its_place_in_the_document_and_sums_of_such_parts_go(
    part: Part, shown: dict[str, object]
) -> None:
    account = Account()
    assert await account.syncer.put_part("part", 1, part) is False
    await account.holds(STORED)
    assert await account.syncer.put_part("part", 1, part) is True
    kept = {name: value for name, value in STORED.items() if name != ("total" if "rows" in shown else "cost")}
    assert await account.part() == {**kept, **shown}


@pytest.mark.parametrize(
    ("seconds", "rows", "parts", "stored"),
    [
        (-60, [FIRST], [], True),
        (0, [FIRST], [], True),
        (-60.001, [FIRST], [], False),
        (0, [FIRST], [Part("part_rows", FIRST)], True),
        (0, [FIRST], [Part("part_rows", {**FIRST, "updated_at": NOW})], False),
        (0, [FIRST], [Part("part_rows", SECOND)], False),
        (0, [FIRST, SECOND], [Part("part_rows", SECOND), Part("part_rows", {"id": 1}, gone=True)], False),
        (0, [FIRST, SECOND], [Part("part_rows", SECOND), Part("part_rows", {"id": 5}, gone=True)], True),
        (0, [FIRST], [Part("part_rows", {"n": 1})], False),
    ],
)
async def test_a_document_read_back_is_stored_where_it_shows_every_part_and_is_not_older(
    seconds: float, rows: list[Record], parts: list[Part], stored: bool
) -> None:
    account = Account()
    await account.holds(STORED)
    read = {**STORED, "rows": rows, "deleted_at": None}
    account.live.put("part", read, START + timedelta(seconds=seconds))
    assert await account.syncer.read_back("part", 1, parts) is stored
    assert await account.part() == ({**read, "updated_at": moment(seconds)} if stored else STORED)
    assert (account.source.requests, account.live.requests) == ([], [("part", 0, None)])


async def test_a_document_read_back_need_not_be_cached_and_has_to_come() -> None:
    account = Account()
    assert await account.syncer.read_back("part", 1, []) is False
    account.live.put("part", {"id": 1}, START)
    account.live.tamper = lambda spec, number, page: SourcePage([{"id": 2}, *page.records], 2)
    assert await account.syncer.read_back("part", 1, []) is True
    assert await account.part() == {"id": 1, "deleted_at": None, "updated_at": NOW}
    assert (await account.cache.get_many("part", [2])).rows == ()


async def test_a_write_outranks_a_listing_of_the_same_version_and_heals_the_quarantine() -> None:
    account = Account()
    await account.cache.apply(Batch(entity="part", at=NOW, quarantine=[Quarantined(1, "bad", "{}")]))
    await account.syncer.write_through("part", {"id": 1, "name": "ours", "updated_at": NOW})
    await account.holds({"id": 1, "name": "theirs", "updated_at": NOW})
    found = await account.part()
    assert (found, await account.cache.quarantined("part")) == ({"id": 1, "name": "ours", "updated_at": NOW}, ())
