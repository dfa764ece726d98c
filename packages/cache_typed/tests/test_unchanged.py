"""What was read is kept while nothing is written: by us, by another process, in memory or in a file."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typed_empty import opened
from typed_orders import NOON

from cache_core.conditions import EVERYTHING
from cache_core.indexing import row_of
from cache_core.protocol import Batch, Quarantined, Selection, Standing
from cache_core.specs.factory import FACTORY, FACTORY_ID
from cache_core.states import SyncState
from cache_typed import dialect, reading
from cache_typed.backend import TypedBackend
from cache_typed.unchanged import unchanged

FEW = Selection(limit=1, visibility=EVERYTHING)


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


async def test_what_is_long_or_asked_by_a_condition_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []

    def noted[T](db: dialect.Connection, asked: object, read: Callable[[], T]) -> T:
        kept.append(asked)
        return unchanged(db, ("noted", asked), read)

    monkeypatch.setattr(reading, "unchanged", noted)
    async with opened(None) as backend:
        await backend.select("bom_row", Selection(limit=1_000_000))
        await backend.select("sales_order", FEW)
        assert kept == []
        await backend.select("factory", FEW)
        assert kept == [("factory", FEW)]


def test_an_answer_is_kept_for_its_connection_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(dialect.connect(path)) as one, closing(dialect.connect(path)) as other:
        assert unchanged(one, "asked", lambda: 1) == 1
        assert unchanged(other, "asked", lambda: 2) == 2
        assert unchanged(one, "asked", lambda: 3) == 1
        other.execute("CREATE TABLE t (n)")
        assert unchanged(one, "asked", lambda: 3) == 3
