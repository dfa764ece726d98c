"""Looking without a trace, checking on a copy, and taking over what another file holds in one transaction."""

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typed_orders import NOON, batch, order
from typed_released import FIXTURES

from cache_core.errors import CacheUnavailable, LeaseLost
from cache_core.leases import Claim
from cache_core.protocol import Batch, Quarantined, Row, Search, SyncState
from cache_core.records import canonical
from cache_core.search_rules import SearchText
from cache_core.testing import ManualClock
from cache_typed import dialect, file_swap
from cache_typed.backend import TypedBackend
from cache_typed.storage import FILE_NAME, UNUSED

OLD, NEW = SyncState(cursor="old", completed_at=NOON), SyncState(cursor="new", completed_at=NOON)
POISON = Quarantined(3, "why", "{}")


async def filled(directory: Path, numbers: range, state: SyncState) -> TypedBackend:
    """Return an open cache with these orders and a customer."""
    cache = TypedBackend(directory)
    await cache.open()
    await cache.apply(batch(*(order(nr) for nr in numbers)))
    await cache.apply(Batch(entity="sales_order", at=NOON, state=state, quarantine=(POISON,)))
    customer = Row(7, None, canonical({"id": 7, "name": "Berger"}), SearchText(names="berger"))
    await cache.apply(Batch(entity="customer", at=NOON, upserts=(customer,), state=state))
    return cache


async def test_looking_reads_beside_an_open_cache_and_changes_nothing(tmp_path: Path) -> None:
    live = await filled(tmp_path, range(1, 4), OLD)
    look = TypedBackend(tmp_path, looking=True)
    await look.open()
    assert await look.count("sales_order") == 3
    await live.apply(batch(order(9)))
    assert await look.count("sales_order") == 4
    with pytest.raises(CacheUnavailable, match="readonly"):
        await look.apply(batch(order(10)))
    await look.close()
    await live.close()


async def test_looking_for_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(CacheUnavailable, match="no typed cache yet"):
        await TypedBackend(tmp_path, looking=True).open()
    assert os.listdir(tmp_path) == []


async def test_looking_at_damage_leaves_it_where_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database " * 500)
    look = TypedBackend(tmp_path, looking=True)
    assert await look.faults() == ("file is not a database",)
    assert os.listdir(tmp_path) == [FILE_NAME]


SPOILT = {
    "INSERT INTO sales_order_fts(sales_order_fts, rowid, cache_keys, cache_names, cache_extras, cache_related)"
    " SELECT 'delete', id, cache_keys, cache_names, cache_extras, cache_related FROM sales_order WHERE id = 2": (
        "sales_order: the full-text index and the table differ"
    ),
    "DELETE FROM sales_order_code WHERE nr = 2": "sales_order: the exact codes and the table differ",
    "DROP TRIGGER sales_order_fts_insert": "these are missing or not as expected: sales_order_fts_insert",
    "UPDATE customer_rank SET cache_sort = 'x'": "customer: the order of hits and the table differ",
    "DELETE FROM customer_word WHERE word = 'berger'": "customer: the words and the table differ",
    "INSERT INTO customer_run(customer_run, rowid, word) SELECT 'delete', nr, word FROM customer_word"
    " WHERE word = 'berger'": "customer: the index of words and the table differ",
    "INSERT INTO sales_order_row (cache_parent, cache_position, cache_fields) VALUES (999, 0, 0)": (
        "rows of sales_order_row that belong to no document: 1"
    ),
}


@pytest.mark.parametrize("statement", SPOILT, ids=[statement[:30] for statement in SPOILT])
async def test_a_check_names_what_is_wrong_while_the_cache_is_in_use(tmp_path: Path, statement: str) -> None:
    live = await filled(tmp_path, range(1, 4), OLD)
    assert await live.faults() == ()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw, raw:
        raw.execute(statement)
    assert await live.faults() == (SPOILT[statement],)
    assert not any(name.startswith(file_swap.COPIES) for name in os.listdir(tmp_path))
    await live.close()


@pytest.mark.parametrize("statement", [None, *SPOILT], ids=lambda statement: str(statement)[:30])
async def test_taking_over_replaces_one_entity_whole_and_leaves_the_others(
    tmp_path: Path, statement: str | None
) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    if statement is not None:
        with closing(sqlite3.connect(tmp_path / "live" / FILE_NAME)) as raw, raw:
            raw.execute(statement)
    await live.take(tmp_path / "other", ["sales_order"])
    found = await live.get_many("sales_order", range(1, 9))
    assert [row.record for row in found.rows] == [canonical(order(nr)) for nr in range(3, 8)]
    assert (await live.search("sales_order", Search("so-5"))).hits[0].row.id == 5
    assert (await live.search("sales_order", Search("so-2"))).hits == ()
    assert (await live.state("sales_order"), await live.state("customer")) == (NEW, OLD)
    assert await live.quarantined("sales_order") == (POISON,)
    assert await live.count("customer") == 1
    await live.apply(batch(order(9)))
    assert (await live.search("sales_order", Search("so-9"))).total == 1
    await live.take(tmp_path / "other", ["customer"])
    if statement is None:
        assert await live.faults() == ()
    await live.close()


async def test_who_syncs_while_an_entity_is_taken_over_writes_no_more(tmp_path: Path) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    mine = await live.claim(Claim("sales_order", "me", NOON, 30))
    await live.take(tmp_path / "other", ["sales_order"])
    for _ in range(2):
        with pytest.raises(LeaseLost):
            await live.apply(replace(batch(order(9)), lease=mine))
        assert (await live.claim(Claim("sales_order", "me", NOON, 30))).holder == "me"
    await live.close()


@pytest.mark.parametrize("every", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_taking_over_changes_all_or_nothing_whichever_statement_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    live = await filled(tmp_path / "live", range(1, 4), OLD)
    other = await filled(tmp_path / "other", range(3, 8), NEW)
    await other.close()
    connect, failed = dialect.connect, 0
    for step in range(1, 500, every):
        statements = 0

        def failing(path: str, step: int = step) -> sqlite3.Connection:
            connection = connect(path)

            def trace(_: str) -> None:
                nonlocal statements
                statements += 1
                if statements == step:
                    connection.interrupt()

            connection.set_trace_callback(trace)
            return connection

        try:
            with monkeypatch.context() as taking:
                taking.setattr(dialect, "connect", failing)
                await live.take(tmp_path / "other", ["sales_order"])
        except CacheUnavailable:
            held = (await live.count("sales_order"), await live.state("sales_order"))
            assert held in [(3, OLD), (5, NEW)]
            failed += held == (3, OLD)
        if statements < step:
            break
    assert failed > 20 / every
    assert await live.state("sales_order") == NEW
    assert await live.faults() == ()
    await live.close()


async def test_a_file_of_an_older_version_goes_30_days_after_its_last_use(tmp_path: Path) -> None:
    older, clock = tmp_path / "typed-1.db", ManualClock()
    shutil.copy(FIXTURES / "typed-1.db", older)
    used = clock.now().timestamp()
    os.utime(older, (used, used))
    clock.advance(UNUSED.total_seconds())
    for expected in (True, False):
        cache = TypedBackend(tmp_path, clock=clock)
        await cache.open()
        assert await cache.count("sales_order") == 5
        await cache.close()
        assert older.exists() is expected
        clock.advance(1)


async def test_a_file_that_is_still_used_by_an_older_program_stays(tmp_path: Path) -> None:
    older, clock = tmp_path / "typed-1.db", ManualClock()
    shutil.copy(FIXTURES / "typed-1.db", older)
    os.utime(older, (0, 0))
    log = tmp_path / "typed-1.db-wal"
    log.write_bytes(b"")
    used = clock.now().timestamp()
    os.utime(log, (used, used))
    cache = TypedBackend(tmp_path, clock=clock)
    await cache.open()
    await cache.close()
    assert older.exists()


async def test_opening_notes_that_the_file_is_used(tmp_path: Path) -> None:
    clock = ManualClock()
    cache = TypedBackend(tmp_path, clock=clock)
    await cache.open()
    assert (tmp_path / FILE_NAME).stat().st_mtime == clock.now().timestamp()
    await cache.close()
