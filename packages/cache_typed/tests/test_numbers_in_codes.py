"""Codes that begin alike, `SO-1042`: the index is asked for the number alone where few rows hold it."""

from collections.abc import Sequence
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_empty import empty_cache

from cache_core.protocol import Batch, Row, Search, SearchResult
from cache_core.search_rules import SearchText
from cache_typed import searching
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.searching import search
from cache_typed.tables.variants import VARIANT_TABLE
from cache_typed.writing import write_batch

FEW = 500


def store(db: Connection, names: Sequence[str], first: int = 1) -> None:
    """Store rows of these names, numbered from the first."""
    rows = [Row(nr, None, {"id": nr}, SearchText(names=name)) for nr, name in enumerate(names, first)]
    write_batch(db, Layout(VARIANT_TABLE), Batch(entity="variant", at="2025-01-01T12:00:00.000Z", upserts=rows))


def found(db: Connection, text: str, *, near: bool = False) -> SearchResult:
    """Return what a search finds, guesses aside."""
    return search(db, Layout(VARIANT_TABLE), Search(text, limit=50, near=near))


def asked(db: Connection, text: str) -> list[str]:
    """Return what the index of words is asked for, in turn."""
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    found(db, text)
    db.set_trace_callback(None)
    return [statement.split("MATCH '")[1].split("'")[0] for statement in statements if "MATCH '" in statement]


@pytest.mark.parametrize(
    ("text", "expressions"),
    [
        ("SO-1042", ['"1042"*', '"1042"*']),
        ("1042 so", ['"1042"*', '"1042"*']),
        ("so 1042 10425", ['"10425"*', '"10425"*']),
        ("SO-m12x", ['"m12x"*', '"m12x"*']),
        ("1042", ['"1042"*', '"1042"*']),
        ("SO-104", ['"so"* AND "104"*']),
        ("SO-wheel", ['"so"* AND "wheel"*']),
    ],
)
def test_a_number_of_four_characters_is_asked_for_by_itself(db: Connection, text: str, expressions: list[str]) -> None:
    store(db, ["so 1042", "so 10425", "po 1042", "so 1043"])
    assert asked(db, text) == expressions


def test_a_row_with_the_number_and_not_the_rest_is_not_found(db: Connection) -> None:
    store(db, ["so 1042", "so 10425", "po 1042", "so 1043"])
    assert [hit.row.id for hit in found(db, "SO-1042").hits] == [1, 2]
    assert [hit.row.id for hit in found(db, "PO-1042").hits] == [3]
    assert found(db, "XO-1042") == SearchResult()


def test_a_number_that_many_rows_hold_is_asked_for_with_the_rest(db: Connection) -> None:
    store(db, ["so 2026"] * FEW)
    assert asked(db, "SO-2026") == ['"2026"*', '"2026"*']
    store(db, ["po 2026"], FEW + 1)
    assert asked(db, "SO-2026") == ['"2026"*', '"so"* AND "2026"*']
    assert found(db, "SO-2026").total == FEW


WORDS = st.sampled_from(["so", "sol", "1042", "10425", "2026", "20", "m12x", "wheel"])
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@given(st.lists(TEXTS, max_size=8), TEXTS, st.integers(0, 3))
def test_what_is_found_does_not_depend_on_what_is_asked_for(names: Sequence[str], text: str, few: int) -> None:
    with closing(empty_cache()) as db, pytest.MonkeyPatch.context() as patch:
        store(db, names)
        usual = found(db, text, near=True)
        patch.setattr(searching, "_FEW", few - 1)
        assert found(db, text, near=True) == usual
