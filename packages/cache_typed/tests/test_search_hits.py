"""Search on a connection: the whole answer of each tier, its bounds, and the terms that correct a token."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing
from string import ascii_lowercase

import pytest

from cache_core.conditions import EVERYTHING, OneOf
from cache_core.protocol import Batch, Row, Search, SearchResult
from cache_core.records import Json, RecordId
from cache_core.search_rules import SearchText, Tier, WeightClass
from cache_core.suggest import nearest
from cache_typed import dialect, fuzzy, schema, searching, trigrams
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.searching import finds, search, terms
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE
from cache_typed.tables.variants import VARIANT_TABLE
from cache_typed.trigrams import Budget
from cache_typed.writing import write_batch

MAPPINGS = (VARIANT_TABLE, SALES_ORDER_TABLE, BOM_ROW_TABLE, TAX_RATE_TABLE)
KEYS, NAMES, EXTRAS, RELATED, SPREAD = WeightClass
type Found = tuple[RecordId, Tier, WeightClass]


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty cache in memory."""
    with closing(dialect.connect(":memory:")) as connection:
        dialect.load_image(schema.empty_image(MAPPINGS), connection)
        yield connection


@pytest.fixture
def variants() -> Layout:
    """Return the layout of variants, read anew."""
    return Layout(VARIANT_TABLE)


def row(row_id: RecordId, text: SearchText, *, deleted: bool = False, **fields: Json) -> Row:
    """Return a record with this text."""
    return Row(row_id, None, {"id": row_id, **fields}, text, deleted=deleted)


def store(db: Connection, layout: Layout, *rows: Row) -> None:
    """Store rows."""
    write_batch(db, layout, Batch(entity=layout.spec.name, at="2025-01-01T12:00:00.000Z", upserts=rows))


def named(db: Connection, layout: Layout, names: Iterable[str]) -> None:
    """Store rows of these names, numbered from 1."""
    store(db, layout, *(row(nr, SearchText(names=name)) for nr, name in enumerate(names, 1)))


def wheels(db: Connection, layout: Layout) -> None:
    """Store rows in whose text a wheel stands in each class."""
    store(
        db,
        layout,
        row(1, SearchText("wheel 26", "big wheel", codes=(("wheel 26", KEYS),)), type="a"),
        row(2, SearchText(names="wheel small"), type="b", x=1),
        row(3, SearchText(names="fork", extras="wheel", codes=(("wheel 26", EXTRAS),)), type="a", x=1),
        row(4, SearchText(names="fork", related="wheel"), type="b"),
        row(5, SearchText(names="wheel", extras="small"), type="a", x=1),
        row(6, SearchText(names="wheel"), deleted=True),
    )


def hits(result: SearchResult) -> list[Found]:
    """Return what was found and how."""
    return [(hit.row.id, hit.tier, hit.place) for hit in result.hits]


def ids(result: SearchResult) -> list[RecordId]:
    """Return the ids of what was found."""
    return [hit.row.id for hit in result.hits]


def test_words_are_ranked_by_their_class_then_by_name_then_by_id(db: Connection, variants: Layout) -> None:
    wheels(db, variants)
    result = search(db, variants, Search("wheel"))
    tokens = ((1, KEYS), (5, NAMES), (2, NAMES), (3, EXTRAS), (4, RELATED))
    assert hits(result) == [(nr, Tier.TOKENS, place) for nr, place in tokens]
    assert (result.total, result.cut) == (5, False)
    assert ids(search(db, variants, Search("wheel", visibility=EVERYTHING))) == [1, 5, 6, 2, 3, 4]


def test_words_of_several_classes_come_after_those_of_one(db: Connection, variants: Layout) -> None:
    wheels(db, variants)
    assert hits(search(db, variants, Search("small wheel"))) == [(2, Tier.TOKENS, NAMES), (5, Tier.TOKENS, SPREAD)]


def test_a_whole_code_comes_first_and_once(db: Connection, variants: Layout) -> None:
    wheels(db, variants)
    store(
        db, variants, row(7, SearchText(names="wheel 26b")), row(8, SearchText("wheel 26", codes=(("wheel 26", KEYS),)))
    )
    result = search(db, variants, Search("Wheel-26"))
    exact = [(1, Tier.EXACT, KEYS), (8, Tier.EXACT, KEYS), (3, Tier.EXACT, EXTRAS), (7, Tier.TOKENS, NAMES)]
    assert (hits(result), result.total, result.cut) == (exact, 4, False)


@pytest.mark.parametrize(("limit", "found"), [(0, []), (1, [1]), (4, [1, 5, 2, 3]), (5, [1, 5, 2, 3, 4])])
def test_a_limit_cuts_the_hits_and_not_their_number(
    db: Connection, variants: Layout, limit: int, found: list[int]
) -> None:
    wheels(db, variants)
    result = search(db, variants, Search("wheel", limit))
    assert (ids(result), result.total, result.cut) == (found, 5, False)


@pytest.mark.parametrize(
    ("request_", "found", "total"),
    [
        (Search("wheel", 9, (OneOf("type", ("a",)),)), [1, 5, 3], 3),
        (Search("wheel", 1, (OneOf("type", ("a",)),)), [1], 3),
        (Search("wheel", 9, (OneOf("x", (1,)),)), [5, 2, 3], 3),
        (Search("wheel", 2, (OneOf("x", (1,)),)), [5, 2], 3),
    ],
)
def test_conditions_are_met_by_columns_or_by_records(
    db: Connection, variants: Layout, request_: Search, found: list[int], total: int
) -> None:
    wheels(db, variants)
    result = search(db, variants, request_)
    assert (ids(result), result.total, result.cut) == (found, total, False)


@pytest.mark.parametrize(
    ("most", "text", "answer"),
    [(5, "wheel", (5, False)), (4, "wheel", (4, True)), (1, "wheel 26", (2, True)), (2, "wheel 26", (3, False))],
)
def test_a_broad_query_ranks_as_many_as_may_be_and_says_so(
    db: Connection, monkeypatch: pytest.MonkeyPatch, most: int, text: str, answer: tuple[int, bool]
) -> None:
    variants = Layout(VARIANT_TABLE)
    wheels(db, variants)
    if text != "wheel":
        store(db, variants, row(7, SearchText(names="wheel 26b")))
    monkeypatch.setattr(searching, "MAX_CANDIDATES", most)
    result = search(db, variants, Search(text))
    assert (result.total, result.cut) == answer


def test_the_candidates_of_a_broad_query_are_the_newest(
    db: Connection, variants: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(db, variants, ["wheel a", "wheel b", "wheel c", "wheel d"])
    monkeypatch.setattr(searching, "MAX_CANDIDATES", 2)
    assert ids(search(db, variants, Search("wheel", 2))) == [2, 3]


@pytest.mark.parametrize(
    ("text", "cut"), [("", False), ("!", False), ("!" * 256, False), ("!" * 257, True), ("q" * 257, True)]
)
def test_nothing_is_found_for_a_text_without_words(db: Connection, variants: Layout, text: str, *, cut: bool) -> None:
    wheels(db, variants)
    assert search(db, variants, Search(text)) == SearchResult((), 0, cut)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dleb", [(1, Tier.SUBSTRING, NAMES), (2, Tier.SUBSTRING, EXTRAS)]),
        ("dleb tape", [(1, Tier.SUBSTRING, NAMES)]),
        # Nearer before farther, whatever the class.
        ("handlebax", [(1, Tier.TYPO, NAMES), (2, Tier.TYPO, EXTRAS)]),
        ("handlebarrs", [(2, Tier.TYPO, EXTRAS), (1, Tier.TYPO, NAMES)]),
        ("0214", [(3, Tier.SUBSTRING, NAMES)]),
        ("40210180", [(3, Tier.CODE, RELATED)]),
        ("tape saddle", [(1, Tier.PARTIAL, NAMES)]),
        ("nobody", []),
        ("zz", []),
    ],
)
def test_after_a_miss_the_first_tier_that_finds_any_answers(
    db: Connection, variants: Layout, text: str, found: list[Found]
) -> None:
    codes = (("00 4021 018", KEYS), ("004021018003", RELATED))
    store(
        db,
        variants,
        row(1, SearchText(names="handlebar tape")),
        row(2, SearchText(extras="handlebars")),
        row(3, SearchText("00 4021 018", "x02147", codes=codes)),
    )
    result = search(db, variants, Search(text))
    assert (hits(result), result.total, result.cut) == (found, len(found), False)


def test_an_entity_without_guesses_has_codes_and_some_of_the_words(db: Connection) -> None:
    orders = Layout(SALES_ORDER_TABLE)
    store(db, orders, row(1, SearchText("so 1", "handlebar tape", codes=(("40210180", RELATED),))))
    assert search(db, orders, Search("dleb")) == search(db, orders, Search("handlebax")) == SearchResult()
    assert hits(search(db, orders, Search("0210"))) == [(1, Tier.CODE, RELATED)]
    partial = search(db, orders, Search("handlebar saddle"))
    assert [(hit.tier, hit.place, hit.missing) for hit in partial.hits] == [(Tier.PARTIAL, NAMES, ("saddle",))]


def test_an_entity_without_codes_is_not_asked_for_parts_of_them(db: Connection) -> None:
    rates = Layout(TAX_RATE_TABLE)
    store(db, rates, row(1, SearchText(names="standard rate", codes=(("40210180", RELATED),))))
    assert search(db, rates, Search("0210")) == SearchResult()
    assert hits(search(db, rates, Search("tandar"))) == [(1, Tier.SUBSTRING, NAMES)]


def test_rows_with_most_of_the_words_are_ordered_by_what_is_missing(db: Connection) -> None:
    rows = Layout(BOM_ROW_TABLE)
    texts = {"b": "fork red steel", "a": "fork red steel", "c": "fork red steel short", "d": "fork"}
    store(db, rows, *(row(name, SearchText(extras=text)) for name, text in texts.items()))
    result = search(db, rows, Search("fork red steel short long", 9))
    assert [(hit.row.id, hit.missing) for hit in result.hits] == [
        ("c", ("long",)),
        ("a", ("short", "long")),
        ("b", ("short", "long")),
    ]
    assert (result.total, result.cut) == (3, False)


@pytest.mark.parametrize(
    ("request_", "found", "total"),
    [
        (Search("dleb"), [3, 1, 2], 3),
        (Search("dleb", 2), [3, 1], 3),
        (Search("dleb", 0), [], 3),
        (Search("dleb", visibility=EVERYTHING), [3, 1, 4, 2], 4),
        (Search("dleb", 1, (OneOf("type", ("a",)),)), [3], 2),
        (Search("dleb", 1, (OneOf("x", (1,)),)), [1], 2),
        (Search("dleb", 9, (OneOf("x", (1,)),)), [1, 2], 2),
    ],
)
def test_guesses_obey_limit_conditions_and_visibility(
    db: Connection, variants: Layout, request_: Search, found: list[int], total: int
) -> None:
    store(
        db,
        variants,
        row(1, SearchText(names="handlebar a"), type="b", x=1),
        row(2, SearchText(names="handlebar c"), type="a", x=1),
        row(3, SearchText(names="handlebar"), type="a"),
        row(4, SearchText(names="handlebar b"), deleted=True),
    )
    result = search(db, variants, request_)
    assert (ids(result), result.total, result.cut) == (found, total, False)


@pytest.mark.parametrize(("most", "answer"), [(4, ([1, 2, 3], False)), (3, ([1, 2, 3], False)), (2, ([2, 3], True))])
def test_a_tier_ranks_the_newest_rows_and_says_that_there_are_more(
    db: Connection, variants: Layout, monkeypatch: pytest.MonkeyPatch, most: int, answer: tuple[list[int], bool]
) -> None:
    named(db, variants, ["handlebar a", "handlebar b", "handlebar c"])
    monkeypatch.setattr(fuzzy, "MAX_ROWS", most)
    result = search(db, variants, Search("dleb"))
    assert (ids(result), result.cut) == answer
    assert result.total == len(result.hits)


@pytest.mark.parametrize(("most", "answer"), [(4, (2, False)), (3, (1, True)), (0, (1, True))])
def test_all_tokens_together_stand_for_so_many_words(
    db: Connection, variants: Layout, monkeypatch: pytest.MonkeyPatch, most: int, answer: tuple[int, bool]
) -> None:
    named(db, variants, ["handlebar tape", "handlebarx tapes"])
    monkeypatch.setattr(fuzzy, "MAX_PROPOSED", most)
    result = search(db, variants, Search("dleb ape"))
    assert (result.total, result.cut) == answer


def test_what_finds_a_text_is_live_and_no_guess(db: Connection, variants: Layout) -> None:
    store(db, variants, row(1, SearchText(names="handlebar")), row(2, SearchText(names="tape"), deleted=True))
    assert [finds(db, variants, text) for text in ("handle", "tape", "dleb", "", "!")] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_terms_near_a_token_are_those_of_live_rows_nearest_first_and_one_that_it_begins(
    db: Connection, variants: Layout
) -> None:
    store(
        db,
        variants,
        row(1, SearchText(names="wheel wheels whelk wholexx")),
        row(2, SearchText(names="whale whelan"), deleted=True),
        row(3, SearchText(names="xhel wh")),
    )
    assert terms(db, variants, "whel") == ["wheel", "whelk", "whelk"]
    assert terms(db, variants, "whelks") == ["whelk", "wheels"]
    assert terms(db, variants, "zz") == []


def test_so_many_terms_are_checked_at_most(db: Connection, variants: Layout) -> None:
    token = "whelk"
    near = [f"whe{first}{second}" for first in ascii_lowercase for second in ascii_lowercase]
    alike = [term for far, term in nearest(token, near) if far]
    begun = [f"{token}{first}{second}" for first in ascii_lowercase for second in ascii_lowercase]
    gone = [*alike[:199], *begun[:199]]
    store(
        db,
        variants,
        row(1, SearchText(names=" ".join(gone)), deleted=True),
        row(2, SearchText(names=" ".join((*alike[199:201], *begun[199:201])))),
    )
    assert terms(db, variants, token) == [alike[199], begun[199]]
    store(db, variants, row(3, SearchText(names=begun[199]), deleted=True), row(2, SearchText(names=begun[200])))
    assert terms(db, variants, token) == []


COUNTING = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 5000) SELECT n FROM numbers"
)


def test_a_budget_is_counted_in_thousands_of_steps(db: Connection) -> None:
    found: dict[int, int] = {}
    for steps in (0, 999, 1_000, 1_999, 2_000):
        budget = Budget(steps)
        found[steps] = len(budget.rows(db, COUNTING, (), 5_000))
        assert budget.spent
    assert 0 < found[0] == found[999] < found[1_000] == found[1_999] < found[2_000] < 5_000
    assert found[1_000] + found[1_000] == pytest.approx(found[0] + found[2_000], abs=2)
    assert len(db.execute(COUNTING).fetchall()) == 5_000


def test_a_budget_that_is_spent_gives_no_more_rows(db: Connection) -> None:
    budget = Budget(1_000)
    first = len(budget.rows(db, COUNTING, (), 5_000))
    assert len(budget.rows(db, COUNTING, (), 5_000)) < first


@pytest.mark.parametrize(("most", "found", "spent"), [(2, 2, True), (3, 3, False), (4, 3, False), (0, 0, True)])
def test_a_budget_gives_so_many_rows_and_says_that_there_are_more(
    db: Connection, most: int, found: int, *, spent: bool
) -> None:
    budget = Budget(1_000_000)
    rows = budget.rows(db, "SELECT value FROM json_each(?)", ("[1, 2, 3]",), most)
    assert (rows, budget.spent) == ([(1,), (2,), (3,)][:found], spent)


def test_a_statement_that_fails_has_not_spent_the_budget(db: Connection) -> None:
    budget = Budget(1_000_000)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        budget.rows(db, "SELECT 1 FROM nowhere", (), 1)
    assert not budget.spent


def test_a_token_of_three_characters_stands_inside_of_words(db: Connection, variants: Layout) -> None:
    named(db, variants, ["handlebar bar arb", "2abc2"])
    budget = Budget(1_000_000)
    assert sorted(trigrams.holding(db, "variant", "bar", budget, 9)) == ["bar", "handlebar"]
    assert (trigrams.holding(db, "variant", "ba", budget, 9), budget.spent) == ([], False)


def test_a_token_stands_for_words_as_many_characters_longer_or_shorter_as_it_may_be_off(
    db: Connection, variants: Layout
) -> None:
    named(db, variants, ["shel sheel sheelf shelfves shelve shelves helves shves"])
    found = trigrams.near(db, "variant", ["shelve", "shel", "12345", "she"], Budget(1_000_000), 9)
    assert {token: sorted(words) for token, words in found.items()} == {
        "shelve": ["helves", "shel", "shelfves", "shelve", "shelves"],
        "shel": ["sheel", "shel"],
        "she": ["shel"],
    }
