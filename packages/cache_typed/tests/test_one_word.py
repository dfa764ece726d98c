"""A search for one word that many rows hold: indexes tell what reading the rows would tell."""

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_empty import empty_cache

from cache_core.conditions import EVERYTHING, LIVE, Missing, OneOf, Visibility
from cache_core.protocol import Batch, Row, Search, SearchResult
from cache_core.records import Json, RecordId
from cache_core.search_rules import SearchText, Tier, WeightClass, fold, tokens_of
from cache_typed import dialect, fuzzy, one_word, searching
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.searching import search
from cache_typed.tables.variants import VARIANT_TABLE
from cache_typed.writing import write_batch

ALL, NONE = 0, sys.maxsize
"""Values of `one_word.FEW`: every match is ranked by indexes, or none is."""


def store(db: Connection, rows: Sequence[Row]) -> None:
    """Store rows."""
    write_batch(db, Layout(VARIANT_TABLE), Batch(entity="variant", at="2025-01-01T12:00:00.000Z", upserts=rows))


def wheels(db: Connection, many: int = one_word.FEW) -> None:
    """Store so many rows of a wheel, and hidden ones beside."""
    rows = [Row(nr, None, {"id": nr}, SearchText(names=f"wheel {nr % 7}")) for nr in range(1, many + 1)]
    rows += [Row(nr + many, None, {"id": nr + many}, SearchText("wheel"), archived=True) for nr in range(1, 4)]
    rows += [Row(nr + many, None, {"id": nr + many}, SearchText("wheel"), deleted=True) for nr in range(4, 9)]
    store(db, rows)


def statements(db: Connection, request: Search) -> list[str]:
    """Return the statements of a search that ask the index of words."""
    traced: list[str] = []
    db.set_trace_callback(traced.append)
    search(db, Layout(VARIANT_TABLE), request)
    db.set_trace_callback(None)
    return [statement for statement in traced if "MATCH" in statement]


def plan(db: Connection, statement: str) -> tuple[set[str | None], list[str]]:
    """Return the tables that a statement reads, and its steps."""
    read: set[str | None] = set()

    def noted(_: int, table: str | None, *_others: str | None) -> int:
        read.add(table)
        return sqlite3.SQLITE_OK

    db.set_authorizer(noted)
    steps = [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
    db.set_authorizer(None)
    return read, steps


def found(db: Connection, request: Search, few: int, most: int) -> SearchResult:
    """Return what a search finds that ranks so many rows at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_word, "FEW", few)
        patch.setattr(searching, "MAX_CANDIDATES", most)
        return search(db, Layout(VARIANT_TABLE), request)


WORDS = st.sampled_from(["red", "redder", "re", "blue", "blues", "tür", "\u13a0", "漢字", "7", "72", "x" * 300])
PARTS = st.lists(WORDS, max_size=3).map(lambda words: fold(" ".join(words)))


def record_of(row_id: RecordId, **fields: Json) -> dict[str, Json]:
    """Return a record with these fields."""
    return {"id": row_id, **fields}


@st.composite
def rows_of(draw: st.DrawFn) -> list[Row]:
    """Draw rows with few different texts, some hidden, some with a text for an id."""
    rows: list[Row] = []
    for nr in range(1, draw(st.integers(1, 12))):
        parts = [draw(PARTS) for _ in dialect.TEXT_COLUMNS]
        row_id = draw(st.sampled_from([nr, nr, f"i-{nr}"]))
        codes = tuple((part, place) for part, place in zip(parts, WeightClass, strict=False) if part and draw(FLAGS))
        text = SearchText(*parts, codes=codes)
        record = record_of(row_id, type=draw(st.sampled_from(["a", "b", None])), new=draw(FLAGS))
        rows.append(Row(row_id, None, record, text, deleted=draw(FLAGS), archived=draw(FLAGS)))
    return rows


FLAGS = st.sampled_from([False, False, False, True])
REQUESTS = st.builds(
    Search,
    st.sampled_from(["r", "re", "red", "redder", "b", "blue", "tur", "\u13a0", "漢", "7", "x", "none"]) | PARTS,
    st.integers(0, 14),
    st.sampled_from([(), (), (OneOf("type", ("a",)),), (Missing("type", missing=True),), (OneOf("new", (True,)),)]),
    st.builds(Visibility, st.booleans(), st.booleans()),
    st.just(False),
)


@given(rows_of(), st.lists(REQUESTS, min_size=1, max_size=6), st.integers(1, 15))
@settings(deadline=None, max_examples=60)
def test_indexes_rank_as_the_rows_do(rows: list[Row], requests: list[Search], most: int) -> None:
    with closing(empty_cache()) as db:
        store(db, rows)
        for request in requests:
            assert found(db, request, ALL, most) == found(db, request, NONE, most)


NEAR = st.builds(
    Search,
    st.sampled_from(
        ["rad", "rde", "redd", "reddor", "blu", "bleus", "lue", "edde", "tür", "txr", "ür", "x" * 299 + "y"]
    ),
    st.integers(0, 14),
    st.sampled_from([(), (), (), (OneOf("type", ("a",)),)]),
    st.builds(Visibility, st.booleans(), st.booleans()),
)


@given(rows_of(), st.lists(NEAR, min_size=1, max_size=6), st.integers(1, 15))
@settings(deadline=None, max_examples=60)
def test_indexes_rank_what_a_word_may_stand_for_as_the_rows_do(
    rows: list[Row], requests: list[Search], most: int
) -> None:
    with closing(empty_cache()) as db, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuzzy, "MAX_ROWS", most)
        store(db, rows)
        for request in requests:
            assert found(db, request, ALL, 20) == found(db, request, NONE, 20)


@pytest.mark.parametrize(("text", "tier"), [("whel", Tier.TYPO), ("wwheel", Tier.TYPO), ("heel", Tier.SUBSTRING)])
def test_no_text_is_read_to_rank_what_a_word_may_stand_for(
    db: Connection, monkeypatch: pytest.MonkeyPatch, text: str, tier: Tier
) -> None:
    wheels(db, one_word.FEW + 1)
    asked = [statement for statement in statements(db, Search(text, 2)) if "variant_fts MATCH" in statement]
    assert not any("cache_related" in statement and "variant.cache" in statement for statement in asked)
    result = search(db, Layout(VARIANT_TABLE), Search(text, 2))
    assert [(hit.row.id, hit.tier) for hit in result.hits] == [(7, tier), (14, tier)]
    assert (result.total, result.cut) == (one_word.FEW + 1, False)
    monkeypatch.setattr(fuzzy, "MAX_STEPS", 0)
    assert search(db, Layout(VARIANT_TABLE), Search(text, 2)).cut


def test_words_nearer_to_what_was_typed_come_first(db: Connection) -> None:
    store(db, [Row(nr, None, {"id": nr}, SearchText(names=f"{word} {nr}")) for nr, word in enumerate(TYPED, 1)])
    result = found(db, Search("vehicle", 9), ALL, 20)
    assert [hit.row.id for hit in result.hits] == [2, 5, 4, 3, 1]
    assert found(db, Search("vehicle", 9), NONE, 20) == result


TYPED = ("vhicles", "vehicl", "vehixlx", "vehocle", "vehirle", "bicycle")


def test_each_class_is_asked_until_there_are_as_many_as_wanted(db: Connection) -> None:
    texts = [SearchText("wheel", "wheel"), SearchText(names="wheel a"), SearchText(extras="wheel"), SearchText("", "b")]
    texts += [SearchText(related="wheel"), SearchText("", "a", "wheel", "wheel")]
    store(db, [Row(nr, None, {"id": nr}, text) for nr, text in enumerate(texts, 1)])
    keys, names, extras, related, _ = WeightClass
    ranked = [(1, keys), (2, names), (6, extras), (3, extras), (5, related)]
    for limit in range(7):
        result = found(db, Search("whe", limit), ALL, 9)
        assert [(hit.row.id, hit.place) for hit in result.hits] == ranked[:limit]
        assert result.total == 5


@pytest.mark.parametrize("visibility", [LIVE, Visibility(deleted=True), Visibility(archived=True), EVERYTHING])
def test_no_row_is_read_to_rank_it(db: Connection, visibility: Visibility) -> None:
    wheels(db, one_word.FEW + 1)
    asked = statements(db, Search("wheel", visibility=visibility))
    assert len(asked) == 3
    for statement in asked:
        read, steps = plan(db, statement)
        assert "variant_fts" in read
        assert "variant" not in read
        assert not any("SCAN" in step and "VIRTUAL TABLE" not in step and "(subquery" not in step for step in steps)


@pytest.mark.parametrize(("many", "asked"), [(0, 1), (1, 2), (one_word.FEW, 2), (one_word.FEW + 1, 3)])
def test_few_rows_are_read_after_they_were_counted(db: Connection, many: int, asked: int) -> None:
    wheels(db, many)
    assert len(statements(db, Search("wheel", near=False))) == asked


def test_a_hit_says_that_it_begins_a_word(db: Connection) -> None:
    wheels(db, one_word.FEW + 1)
    result = search(db, Layout(VARIANT_TABLE), Search("whe", 2))
    assert [(hit.row.id, hit.tier, hit.place) for hit in result.hits] == [
        (nr, Tier.TOKENS, WeightClass.NAMES) for nr in (7, 14)
    ]
    assert (result.total, result.cut) == (one_word.FEW + 1, False)


def test_the_index_of_words_takes_every_word_as_the_text_rules_leave_it(db: Connection) -> None:
    letters = (chr(code) for code in range(sys.maxunicode + 1) if chr(code).isalnum())
    words = {word for letter in letters for word in tokens_of(f"q{letter}z")}
    db.execute("INSERT INTO variant_fts (rowid, cache_keys) VALUES (1, ?)", (" ".join(sorted(words)),))
    assert {term for (term,) in db.execute("SELECT term FROM variant_terms")} == words
