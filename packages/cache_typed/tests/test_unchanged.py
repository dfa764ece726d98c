"""What was read is kept while nothing is written: by us, by another process, in memory or in a file."""

from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from sqlite3 import Cursor
from types import NoneType
from typing import Any

import pytest
from typed_empty import opened
from typed_orders import NOON, batch, order

from cache_core.conditions import EVERYTHING, Below, CustomValue, Missing, NoneOf, OneOf, Where, Within
from cache_core.indexing import row_of
from cache_core.protocol import Batch, ByIds, Quarantined, Search, Selected, Selection, Standing, Stored
from cache_core.specs.factory import FACTORY, FACTORY_ID
from cache_core.states import SyncState
from cache_typed import dialect
from cache_typed import unchanged as module
from cache_typed.backend import TypedBackend
from cache_typed.columns import Cell
from cache_typed.unchanged import Question, forget, question, unchanged

ASKED = Question(("asked",))
FEW = Selection(limit=1, visibility=EVERYTHING)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is asked be asked by a short read."""
    monkeypatch.setattr(module, "is_short", lambda: True)


@pytest.fixture(params=["file", "memory"])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Return where the cache stands: in a file, or nowhere."""
    return tmp_path if request.param == "file" else None


def listed(zone: str, completed_at: str = NOON) -> Batch:
    """Return a listing of the factory, which is in this time zone."""
    rows = (row_of(FACTORY, {"id": FACTORY_ID, "timezone": zone}, {}),)
    return Batch(entity="factory", at=NOON, upserts=rows, state=SyncState(completed_at=completed_at))


async def zone_of(backend: TypedBackend) -> list[object]:
    """Return the time zones of all factories that are cached."""
    return [row.record["timezone"] for row in await backend.select("factory", FEW)]


async def test_what_is_kept_is_read_again_after_each_write(directory: Path | None) -> None:
    async with opened(directory) as backend:
        for _ in range(2):
            assert await zone_of(backend) == []
            assert await backend.standings(["factory"]) == {"factory": Standing(SyncState(), quarantined=False)}
        for zone, moment in (("Europe/Oslo", "2026-01-01"), ("Asia/Tokyo", "2026-01-02")):
            await backend.apply(listed(zone, moment))
            for _ in range(2):
                assert await zone_of(backend) == [zone]
                assert (await backend.standings(["factory"]))["factory"].state.completed_at == moment
        broken = Quarantined(2, "no factory", "{}")
        await backend.apply(Batch(entity="factory", at=NOON, quarantine=(broken,)))
        assert (await backend.standings(["factory", "product"]))["factory"].quarantined
        await backend.apply(Batch(entity="factory", at=NOON, removed=(FACTORY_ID, 2)))
        assert await zone_of(backend) == []
        assert not (await backend.standings(["factory"]))["factory"].quarantined


async def test_what_another_process_writes_is_seen(tmp_path: Path) -> None:
    async with opened(tmp_path) as backend, opened(tmp_path) as other:
        await backend.apply(listed("Europe/Oslo"))
        for zone in ("Asia/Tokyo", "Asia/Seoul"):
            assert await zone_of(backend) != [zone]
            await other.apply(listed(zone))
            assert await zone_of(backend) == [zone]


async def test_who_changes_the_standings_that_it_was_given_changes_no_others(directory: Path | None) -> None:
    async with opened(directory) as backend:
        (await backend.standings(["factory", "product"])).clear()
        assert list(await backend.standings(["factory", "product"])) == ["factory", "product"]
        assert list(await backend.standings(["product", "factory"])) == ["product", "factory"]


async def test_each_question_has_its_own_answer(directory: Path | None) -> None:
    async with opened(directory) as backend:
        await backend.apply(listed("Europe/Oslo"))
        assert await zone_of(backend) == ["Europe/Oslo"]
        assert await backend.select("factory", Selection(limit=0)) == ()
        assert await backend.select("custom_field_definition", FEW) == ()
        assert "id" not in (await backend.select("factory", Selection(fields=frozenset(("timezone",)))))[0].record


async def one_order(backend: TypedBackend) -> Stored:
    """Return the first order, by a condition that it meets."""
    (found,) = await backend.select("sales_order", Selection((OneOf("order_no", ("SO-1",)),)))
    return found


async def test_rows_by_condition_or_id_and_their_number_are_read_once(directory: Path | None) -> None:
    async with opened(directory) as backend:
        await backend.apply(batch(order(1), order(2)))
        for orders in (2, 3):
            found, by_id = await one_order(backend), await backend.get_many("sales_order", [2, 1, 2, 9])
            for _ in range(2):
                assert await one_order(backend) is found
                assert await backend.get_many("sales_order", [2, 1, 9]) is by_id
                assert await backend.count("sales_order") == orders
            assert ([row.id for row in by_id.rows], by_id.missing) == ([2, 1], (9,))
            await backend.apply(batch(order(3)))


async def test_what_is_kept_costs_one_look_at_what_others_wrote(
    directory: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    execute = dialect.Connection.execute

    def noted(db: dialect.Connection, sql: str, values: Sequence[Cell] = ()) -> Cursor:
        said.append(sql)
        return execute(db, sql, values)

    monkeypatch.setattr(dialect.Connection, "execute", noted)
    async with opened(directory) as backend:
        await backend.apply(batch(order(1), order(2)))
        first = await each_kind(backend)
        said.clear()
        assert await each_kind(backend) == first
        assert said == [dialect.EDITION] * len(first)


async def each_kind(backend: TypedBackend) -> list[object]:
    """Return the answer to each kind of question whose answers are kept."""
    return [
        await backend.read([ByIds("sales_order", (1, 2)), Selected("sales_order", Selection(limit=1))]),
        await backend.get_many("sales_order", [2, 1]),
        await backend.select("sales_order", Selection(limit=2)),
        await backend.count("sales_order"),
        await backend.standings(["sales_order"]),
        await backend.search("sales_order", Search("SO-1")),
    ]


async def test_ids_that_are_equal_and_name_no_record_have_their_own_answers() -> None:
    async with opened(None) as backend:
        await backend.apply(batch(order(1)))
        no_ids: list[Any] = [Decimal(1)]
        for _ in range(2):
            assert not (await backend.get_many("sales_order", no_ids)).rows
            assert len((await backend.get_many("sales_order", [1])).rows) == 1


async def test_conditions_that_are_equal_and_mean_something_else_have_their_own_answers() -> None:
    async with opened(None) as backend:
        await backend.apply(batch(order(1, is_own=True), order(2, is_own=1)))
        for values, ids in (((True,), [1]), ((1,), [2]), ((True, 1), [2, 1]), ((Decimal(1),), [2])):
            for _ in range(2):
                found = await backend.select("sales_order", Selection((OneOf("is_own", values),)))
                assert [row.id for row in found] == ids
                assert await backend.count("sales_order", (OneOf("is_own", values),)) == len(ids)
        no_number = (OneOf("is_own", (Decimal("sNaN"),)),)
        assert await backend.select("sales_order", Selection(no_number)) == ()


@pytest.mark.parametrize(
    ("conditions", "types"),
    [
        ((Within("a", 1, None), Below("b", True), Missing("c")), (int, NoneType, bool)),
        ((NoneOf("a", ("1", 2)), CustomValue("b", ("name",), (False,))), (str, int, bool)),
        ((), ()),
    ],
)
def test_a_question_tells_what_kinds_of_values_it_has(conditions: Where, types: tuple[type, ...]) -> None:
    assert question(conditions, "more") == Question((conditions, types, "more"), len(types))


@pytest.mark.usefixtures("short")
def test_what_is_asked_by_an_amount_or_by_very_many_values_is_read_each_time() -> None:
    assert question((Within("a", 1), Below("b", Decimal("sNaN"))), "more") is None
    assert question((OneOf("a", tuple(range(1_001))),), "more") is None
    assert question((OneOf("a", tuple(range(999))), Below("b", 1)), "more") is not None
    with closing(dialect.connect(":memory:")) as db:
        assert [unchanged(db, None, lambda number=number: number) for number in (1, 2)] == [1, 2]


@pytest.mark.usefixtures("short")
def test_what_has_too_many_rows_or_values_is_not_kept_and_of_too_many_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(module, "MOST", 10)
    with closing(dialect.connect(":memory:")) as db:

        def asked(number: int, rows: int, values: int = 0) -> tuple[int, ...]:
            return unchanged(db, Question((number,), values), lambda: (rows,) * rows, len)

        assert [asked(1, 4), asked(1, 3), asked(1, 2)] == [(4,) * 4, (3,) * 3, (3,) * 3]
        assert [asked(0, 1, 4), asked(0, 2, 4)] == [(1,), (2, 2)]
        assert [asked(2, 3, 2), asked(2, 1, 2), asked(1, 1)] == [(3,) * 3] * 3
        assert [asked(3, 0), asked(1, 1)] == [(), (1,)]  # eleven are more than ten: all is forgotten


def test_what_is_asked_in_a_thread_is_read_each_time() -> None:
    with closing(dialect.connect(":memory:")) as db:
        assert [unchanged(db, ASKED, lambda number=number: number) for number in (1, 2)] == [1, 2]


@pytest.mark.usefixtures("short")
def test_what_is_read_while_all_is_forgotten_is_not_kept() -> None:
    with closing(dialect.connect(":memory:")) as db:

        def read(number: int) -> int:
            forget(db)
            return number

        assert [unchanged(db, ASKED, lambda number=number: read(number)) for number in (1, 2)] == [1, 2]


async def test_answers_are_forgotten_with_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(None) as backend:
        await backend.apply(batch(order(1), order(2)))
        first = await one_order(backend)
        monkeypatch.setattr("cache_typed.remembered.MOST", 1)
        await backend.get_many("sales_order", [2])
        assert await one_order(backend) is not first


@pytest.mark.usefixtures("short")
def test_an_answer_is_kept_for_its_connection_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(dialect.connect(path)) as one, closing(dialect.connect(path)) as other:
        assert unchanged(one, ASKED, lambda: 1) == 1
        assert unchanged(other, ASKED, lambda: 2) == 2
        assert unchanged(one, ASKED, lambda: 3) == 1
        other.execute("CREATE TABLE t (n)")
        assert unchanged(one, ASKED, lambda: 3) == 3
