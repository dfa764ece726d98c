"""What a batch comes to is computed before others have to wait for the file, and anew if they wrote meanwhile."""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from cache_core.protocol import Applied, Batch, Origin, Row
from cache_core.records import Json, RecordId
from cache_core.search_rules import SearchText
from cache_core.testing import ManualClock
from cache_typed import dialect, writing
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.mapping import DocumentRows, Layout, layout_of
from cache_typed.storage import FILE_NAME
from cache_typed.tables.tax_rates import TAX_RATE_TABLE

AT = "2025-01-01T12:00:00.000Z"
OLD, NEW, NEWEST = (f"2025-01-0{day}T00:00:00.000Z" for day in (1, 2, 3))

type Meanwhile = Callable[[Callable[[], object]], None]


def rate(nr: RecordId, version: str, name: str) -> Row:
    """Return a tax rate."""
    return Row(nr, version, {"id": nr, "name": name}, SearchText())


def batch(*rows: Row, origin: Origin = Origin.LISTING) -> Batch:
    """Return a batch of tax rates."""
    return Batch(entity="tax_rate", at=AT, upserts=rows, origin=origin)


@pytest.fixture
async def cache(tmp_path: Path) -> AsyncGenerator[TypedBackend]:
    """Return the typed cache with a file."""
    opened = TypedBackend(tmp_path, (TAX_RATE_TABLE,), ManualClock())
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def other(cache: TypedBackend, tmp_path: Path) -> Generator[Connection]:
    """Return a connection of another process to the file; it waits for nobody."""
    del cache
    with closing(dialect.connect(str(tmp_path / FILE_NAME), 0)) as connection:
        yield connection


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Return what lets something happen once, between what is decided and what is written."""

    def arrange(happens: Callable[[], object]) -> None:
        def decided(db: Connection, layout: Layout, batch: Batch) -> object:
            before = decide(db, layout, batch)
            monkeypatch.setattr(writing, "decide", decide)
            happens()
            return before

        decide = writing.decide
        monkeypatch.setattr(writing, "decide", decided)

    return arrange


def written(db: Connection, *rows: Row, origin: Origin = Origin.LISTING) -> None:
    """Write as another process does."""
    db.execute("BEGIN IMMEDIATE")
    writing.write_batch(db, layout_of(TAX_RATE_TABLE), batch(*rows, origin=origin))
    db.execute("COMMIT")


async def names(cache: TypedBackend, *ids: RecordId) -> list[object]:
    """Return the names of tax rates."""
    found = await cache.get_many("tax_rate", ids)
    return [row.record["name"] for row in found.rows]


async def test_nobody_waits_while_cells_are_made(
    cache: TypedBackend, other: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def to_rows(layout: Layout, nr: int, record: Mapping[str, Json]) -> DocumentRows:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        made.append(nr)
        return kept(layout, nr, record)

    kept = Layout.to_rows
    monkeypatch.setattr(Layout, "to_rows", to_rows)
    assert await cache.apply(batch(rate(1, OLD, "a"), rate(2, OLD, "b"))) == Applied((1, 2), 0)
    assert await cache.apply(batch(rate(1, NEW, "c"), rate(2, OLD, "b"))) == Applied((1, 2), 0)
    assert (made, await names(cache, 1, 2)) == ([1, 2, 1], ["c", "b"])


async def test_what_another_wrote_meanwhile_counts(
    cache: TypedBackend, other: Connection, meanwhile: Meanwhile
) -> None:
    await cache.apply(batch(rate(1, OLD, "old"), rate(2, OLD, "two")))
    meanwhile(lambda: written(other, rate(1, NEWEST, "newest")))
    assert await cache.apply(batch(rate(1, NEW, "new"), rate(2, NEW, "second"))) == Applied((2,), 1)
    assert await names(cache, 1, 2) == ["newest", "second"]


async def test_our_own_write_of_another_process_is_protected(
    cache: TypedBackend, other: Connection, meanwhile: Meanwhile
) -> None:
    await cache.apply(batch(rate(1, OLD, "old")))
    meanwhile(lambda: written(other, rate(1, OLD, "ours"), origin=Origin.OWN_WRITE))
    assert await cache.apply(batch(rate(1, OLD, "as listed before"))) == Applied((), 1)
    assert await names(cache, 1) == ["ours"]


async def test_a_record_that_another_removed_is_stored_again(
    cache: TypedBackend, other: Connection, meanwhile: Meanwhile
) -> None:
    await cache.apply(batch(rate(1, OLD, "one")))
    meanwhile(lambda: other.execute("DELETE FROM tax_rate"))
    assert await cache.apply(batch(rate(1, OLD, "one"))) == Applied((1,), 0)
    assert await names(cache, 1) == ["one"]


async def test_a_key_that_another_took_meanwhile_is_not_taken_again(
    cache: TypedBackend, other: Connection, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: written(other, rate("theirs", OLD, "theirs")))
    await cache.apply(batch(rate("ours", OLD, "ours")))
    assert await names(cache, "ours", "theirs") == ["ours", "theirs"]


async def test_a_later_row_of_an_id_meets_the_earlier_one(cache: TypedBackend) -> None:
    assert await cache.apply(batch(rate(1, NEW, "new"), rate(1, OLD, "old"))) == Applied((1,), 1)
    assert await names(cache, 1) == ["new"]
