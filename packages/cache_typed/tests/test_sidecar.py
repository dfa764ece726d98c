"""The full-text sidecar stays true for every write path, and the ranking is that of the text rules."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typed_orders import NOON, batch, only_file, order

from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Row, Search
from cache_core.search_rules import SearchText, Tier, WeightClass, guess, match, normalised, parse
from cache_core.specs.sales_orders import SALES_ORDER
from cache_typed import dialect, one_word, searching
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.mapping import TableMapping, layout_of
from cache_typed.tables import TABLES
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE

RELAXED = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
async def db(tmp_path: Path) -> AsyncGenerator[Connection]:
    """Return a raw connection to a cache of ten orders."""
    cache = TypedBackend(tmp_path)
    await cache.open()
    await cache.apply(batch(*(order(nr) for nr in range(1, 11))))
    await cache.close()
    with closing(dialect.connect(str(only_file(tmp_path)))) as connection:
        yield connection


def found(db: Connection, word: str, table: str = "sales_order") -> list[int]:
    """Return what the full-text index finds."""
    sql = f"SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH ? ORDER BY rowid"
    return [nr for (nr,) in db.execute(sql, (f'"{word}"*',))]


def coded(db: Connection, code: str, table: str = "sales_order") -> list[int]:
    """Return what the code index finds."""
    return [nr for (nr,) in db.execute(f"SELECT nr FROM {table}_code WHERE code = ? ORDER BY nr", (code,))]


def test_raw_updates_are_followed(db: Connection) -> None:
    db.execute("UPDATE sales_order SET cache_names = 'zebra', cache_codes = '[[\"zz 9\", 0]]' WHERE id IN (2, 3)")
    db.execute(dialect.sidecar_check("sales_order"))
    assert found(db, "zebra") == coded(db, "zz 9") == [2, 3]
    assert found(db, "muller") == [4, 6, 8, 10]
    assert coded(db, "so 2") == []


def test_raw_deletes_and_replaces_are_followed(db: Connection) -> None:
    db.execute("DELETE FROM sales_order WHERE id > 5")
    row = db.execute("SELECT * FROM sales_order WHERE id = 5").fetchone()
    db.execute(f"INSERT OR REPLACE INTO sales_order VALUES ({', '.join('?' * len(row))})", row)
    db.execute(dialect.sidecar_check("sales_order"))
    assert found(db, "so") == [1, 2, 3, 4, 5]
    assert coded(db, "so 6") == []
    assert db.execute("SELECT count(*) FROM sales_order_row WHERE cache_parent > 5").fetchone() == (0,)


def test_a_moved_primary_key_and_a_raw_insert_are_followed(db: Connection) -> None:
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE sales_order SET id = 99 WHERE id = 1")
    columns = [name for _, name, *_ in db.execute("PRAGMA table_info(sales_order)")]
    others = ", ".join(name for name in columns if name != "id")
    db.execute(f"INSERT INTO sales_order (id, {others}) SELECT 100, {others} FROM sales_order WHERE id = 99")
    db.execute(dialect.sidecar_check("sales_order"))
    assert coded(db, "so 1") == [99, 100]


@pytest.mark.parametrize("mapping", TABLES, ids=lambda mapping: mapping.spec.name)
async def test_raw_writes_of_every_kind_are_followed_in_every_table(tmp_path: Path, mapping: TableMapping) -> None:
    layout = layout_of(mapping)
    table, pk = layout.name, layout.pk
    ids = [nr if layout.id_is_pk else f"x{nr}" for nr in range(1, 6)]
    texts = [SearchText(f"k {nr}", "old", codes=((f"k {nr}", WeightClass.KEYS),)) for nr in range(1, 6)]
    rows = [
        Row(record_id, None, {mapping.spec.id_path: record_id}, text)
        for record_id, text in zip(ids, texts, strict=True)
    ]
    cache = TypedBackend(tmp_path, (mapping,))
    await cache.open()
    await cache.apply(Batch(entity=mapping.spec.name, at=NOON, upserts=rows))
    await cache.close()
    with closing(dialect.connect(str(only_file(tmp_path)))) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        numbers = db.execute(f"SELECT {pk} FROM {table} ORDER BY abs({pk})")
        updated, gone, replaced, moved, copied = (nr for (nr,) in numbers)
        told = "cache_names = 'zebra', cache_codes = '[[\"zz 9\", 0]]', cache_archived = 1, cache_sort = 'zebra'"
        db.execute(f"UPDATE {table} SET {told} WHERE {pk} = ?", (updated,))
        db.execute(f"DELETE FROM {table} WHERE {pk} = ?", (gone,))
        row = db.execute(f"SELECT * FROM {table} WHERE {pk} = ?", (replaced,)).fetchone()
        db.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        db.execute(f"UPDATE {table} SET {pk} = 1000 WHERE {pk} = ?", (moved,))
        columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
        others = ", ".join(name for name in columns if name not in {pk, "cache_id"})
        sql = f"INSERT INTO {table} ({pk}, {others}) SELECT 2000, {others} FROM {table} WHERE {pk} = ?"
        db.execute(sql, (copied,))
        db.execute(dialect.sidecar_check(table))
        assert found(db, "zebra", table) == coded(db, "zz 9", table) == [updated]
        assert found(db, "old", table) == sorted([replaced, copied, 1000, 2000])
        codes = {nr: coded(db, f"k {nr}", table) for nr in range(1, 6)}
        assert codes == {1: [], 2: [], 3: [replaced], 4: [1000], 5: [copied, 2000]}
        assert not (mapping.guesses and db.execute(one_word.rank_differs(table, pk)).fetchone())


def test_an_update_that_changes_no_text_leaves_the_sidecar_alone(db: Connection) -> None:
    before = db.total_changes
    db.execute("UPDATE sales_order SET status = 'X', cache_version = 'v'")
    assert db.total_changes - before == 10


def test_the_check_sees_a_sidecar_that_lies(db: Connection) -> None:
    db.execute("DROP TRIGGER sales_order_fts_text")
    db.execute("UPDATE sales_order SET cache_names = 'behind its back' WHERE id = 1")
    with pytest.raises(sqlite3.DatabaseError):
        db.execute(dialect.sidecar_check("sales_order"))


async def test_a_dropped_trigger_index_or_sidecar_is_mended_at_open(tmp_path: Path) -> None:
    for damage in (
        "DROP TRIGGER sales_order_fts_text",
        "DROP INDEX ix_sales_order_customer_id",
        "DROP TABLE sales_order_fts",
        "DROP TABLE sales_order_code",
    ):
        cache = TypedBackend(tmp_path / damage.split()[-1])
        await cache.open()
        await cache.apply(batch(order(1)))
        await cache.close()
        with closing(sqlite3.connect(only_file(tmp_path / damage.split()[-1]))) as raw:
            raw.execute(damage)
        await cache.open()
        assert cache.emptied == frozenset()
        assert [hit.tier for hit in (await cache.search("sales_order", Search("so-1"))).hits] == [Tier.EXACT]
        assert [hit.tier for hit in (await cache.search("sales_order", Search("mull"))).hits] == []
        assert [hit.row.id for hit in (await cache.search("sales_order", Search("ase"))).hits] == [1]
        await cache.close()


async def test_an_entity_with_a_drifted_table_starts_empty_and_the_others_stay(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path)
    await cache.open()
    await cache.apply(batch(order(1)))
    await cache.apply(Batch(entity="stock", at=NOON, upserts=(Row(1, None, {"variant_id": 1}, SearchText()),)))
    await cache.close()
    with closing(sqlite3.connect(only_file(tmp_path))) as raw:
        raw.execute("ALTER TABLE sales_order RENAME COLUMN status TO state_of_affairs")
    await cache.open()
    assert cache.emptied == {"sales_order"}
    assert await cache.count("sales_order") == 0
    assert await cache.count("stock") == 1
    await cache.apply(batch(order(1)))
    assert await cache.count("sales_order") == 1
    await cache.close()


# The last of these fold differently in SQLite's tables of Unicode 6.1 than in Python's.
WORDS = st.sampled_from(
    [
        "red",
        "redder",
        "Tür",
        "tur",
        "00.4021",
        "ABC-1",
        "x_1",
        "漢字",
        "ß",
        "\u212a",
        "\u13a0",
        "\uab70",
        "\u01c6",
        "١٢",
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=4), max_size=3).map(" ".join)


@st.composite
def search_texts(draw: st.DrawFn) -> SearchText:
    """Draw searchable text as a record would have it."""
    parts = [normalised(draw(TEXTS)) for _ in range(4)]
    code = draw(st.sampled_from(parts))
    codes = ((code, draw(st.sampled_from([WeightClass.KEYS, WeightClass.EXTRAS]))),) if code else ()
    return SearchText(*parts, codes=codes)


@given(st.lists(search_texts(), min_size=1, max_size=6), TEXTS)
@RELAXED
async def test_hits_and_their_order_are_those_of_the_text_rules(texts: list[SearchText], query: str) -> None:
    cache = TypedBackend(None, (SALES_ORDER_TABLE,))
    await cache.open()
    rows = tuple(Row(nr, None, {"id": nr}, text) for nr, text in enumerate(texts))
    await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows))
    hits = (await cache.search("sales_order", Search(query))).hits
    await cache.close()
    parsed = parse(query)
    ranked = sorted((*how, row.text.sort_name, row.id) for row in rows if (how := match(parsed, row.text)))
    found = [(tier, place, nr) for tier, place, _, nr in ranked]
    for tier in (Tier.CODE, Tier.PARTIAL):
        guessed = sorted((*how, row.text.sort_name, row.id) for row in rows if (how := guess(parsed, row.text, tier)))
        found = found or [(tier, place, nr) for _, place, _, nr in guessed]
    assert [(hit.tier, hit.place, hit.row.id) for hit in hits] == found


async def test_a_broad_query_is_cut_says_so_and_still_filters_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_CANDIDATES", 5)
    cache = TypedBackend(None, (SALES_ORDER_TABLE,))
    await cache.open()
    await cache.apply(batch(*(order(nr) for nr in range(1, 21))))
    broad = await cache.search("sales_order", Search("so", limit=3))
    await cache.close()
    assert (len(broad.hits), broad.total, broad.cut) == (3, 5, True)


async def test_orders_are_found_by_everything_that_the_spec_declares() -> None:
    typed, memory = TypedBackend(None, (SALES_ORDER_TABLE,)), MemoryBackend([SALES_ORDER])
    await typed.open()
    orders = batch(*(order(nr) for nr in range(1, 60)))
    for cache in (typed, memory):
        await cache.apply(orders)
    for text in ("SO-17", "so 1", "mull", "süd", "ref/12", "00.4021.007", "4021", "call", "nothing", "1", '"', ""):
        assert await typed.search("sales_order", Search(text)) == await memory.search("sales_order", Search(text))
    await typed.close()
