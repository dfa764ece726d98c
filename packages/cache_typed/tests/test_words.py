"""The words of an entity stay true for every write path, and a search after a miss stops where its budget ends."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest
from bench.data import NOON, product
from bench.data import words as vocabulary
from typed_orders import only_file

from cache_core.indexing import prepare
from cache_core.protocol import Batch, Capability, Search
from cache_core.search_rules import Tier, edits
from cache_core.specs.products import PRODUCT
from cache_typed import dialect, fuzzy, trigrams
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.tables import TABLES

VOCABULARY = vocabulary(200)


async def filled(cache: TypedBackend, count: int = 300) -> None:
    """Store products named by the vocabulary."""
    prepared = await prepare(PRODUCT, [product(nr, VOCABULARY) for nr in range(1, count + 1)], cache)
    await cache.apply(Batch(entity="product", at=NOON, upserts=prepared.rows))


@pytest.fixture
async def db(tmp_path: Path) -> AsyncGenerator[Connection]:
    """Return a raw connection to a cache of products."""
    cache = TypedBackend(tmp_path)
    await cache.open()
    await filled(cache)
    await cache.close()
    with closing(dialect.connect(str(only_file(tmp_path)))) as connection:
        yield connection


def known(db: Connection) -> set[str]:
    """Return the words there are."""
    return {word for (word,) in db.execute("SELECT word FROM product_word")}


def test_every_word_of_every_text_is_known_once(db: Connection) -> None:
    texts = db.execute(f"SELECT {" || ' ' || ".join(dialect.TEXT_COLUMNS)} FROM product").fetchall()
    assert known(db) == {word for (text,) in texts for word in text.split()}
    db.execute(trigrams.words_check("product"))


def test_raw_writes_are_followed(db: Connection) -> None:
    db.execute("UPDATE product SET cache_names = 'zebra ''quo\"ted\\' WHERE id = 2")
    row = db.execute("SELECT * FROM product WHERE id = 5").fetchone()
    db.execute(f"INSERT OR REPLACE INTO product VALUES ({', '.join('?' * len(row))})", row)
    assert {"zebra", "'quo\"ted\\"} <= known(db)
    db.execute("DELETE FROM product")
    db.execute(trigrams.words_check("product"))
    for statement in trigrams.refill_words("product"):
        db.execute(statement)
    assert known(db) == set()
    db.execute(trigrams.words_check("product"))


def test_an_update_that_changes_no_text_learns_nothing(db: Connection) -> None:
    before = db.total_changes
    db.execute("UPDATE product SET uom = 'kg'")
    assert db.total_changes - before == 300


async def test_words_dropped_behind_the_back_are_made_again_at_open(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path)
    for damage in ("DROP TABLE product_word", "DROP TABLE product_run", "DROP TRIGGER product_word_insert"):
        await cache.open()
        await filled(cache)
        await cache.close()
        with closing(sqlite3.connect(only_file(tmp_path))) as raw:
            raw.execute(damage)
        await cache.open()
        assert cache.emptied == frozenset()
        for bent in (VOCABULARY[0][1:], f"x{VOCABULARY[0]}"):
            assert (await cache.search("product", Search(bent))).total, damage
        await cache.close()


def nearly(token: str) -> list[str]:
    """Return the words that a misspelt token may stand for."""
    return [word for word in VOCABULARY if edits(token, word, Tier.TYPO)]


@pytest.mark.parametrize("bound", ["rows", "words", "proposals", "steps"])
async def test_a_bounded_guess_says_that_it_was_cut(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    misspelt = next(word for term in VOCABULARY if len(nearly(word := f"q{term}")) > 1)
    cache = TypedBackend(None)
    await cache.open()
    await filled(cache)
    whole = await cache.search("product", Search(misspelt, limit=3))
    assert (whole.hits[0].tier, whole.cut) == (Tier.TYPO, False)
    module, name = {
        "rows": (fuzzy, "MAX_ROWS"),
        "words": (trigrams, "MAX_WORDS"),
        "proposals": (fuzzy, "MAX_PROPOSED"),
        "steps": (fuzzy, "MAX_STEPS"),
    }[bound]
    monkeypatch.setattr(module, name, 1)
    cut = await cache.search("product", Search(misspelt, limit=3))
    await cache.close()
    assert cut.cut
    assert len(cut.hits) <= 3


async def test_a_spent_budget_leaves_the_connection_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = TypedBackend(None)
    await cache.open()
    await filled(cache, 3_000)
    with monkeypatch.context() as bounded:
        bounded.setattr(fuzzy, "MAX_STEPS", 1_000)
        assert (await cache.search("product", Search("xbaba"))).cut
    assert await cache.count("product") == 3_000
    await filled(cache, 3_000)
    await cache.close()


def test_what_is_searched_among_the_nine_is_guessed_and_documents_are_not() -> None:
    nine = {"location", "tax_rate", "operator", "supplier", "customer", "product", "material", "service", "variant"}
    guessed = {mapping.spec.name: mapping.guesses for mapping in TABLES if mapping.guesses}
    assert guessed == dict.fromkeys(nine, frozenset(Capability))


@pytest.mark.parametrize(
    ("most", "found", "cut"),
    [
        (1, {"abcde"}, True),
        (3, {"abcde", "abcd", "abcdef"}, True),
        (5, {"abcde", "abcd", "abcdef", "abc", "abcdefg"}, False),
    ],
)
def test_where_not_all_words_are_compared_those_as_long_as_the_token_come_first(
    db: Connection, monkeypatch: pytest.MonkeyPatch, most: int, found: set[str], *, cut: bool
) -> None:
    db.execute("DELETE FROM product_word")
    db.executemany(
        "INSERT INTO product_word(word) VALUES (?)",
        [(word,) for word in ("abc", "abcd", "abcde", "abcdef", "abcdefg", "ab", "abcdefgh", "12345")],
    )
    monkeypatch.setattr(trigrams, "MAX_WORDS", most)
    budget = trigrams.Budget(trigrams.MAX_STEPS)
    assert set(trigrams.near(db, "product", ("abcde",), budget, 100)["abcde"]) == found
    assert budget.spent is cut


def test_numbers_and_short_tokens_stand_for_no_other_word(db: Connection) -> None:
    budget = trigrams.Budget(trigrams.MAX_STEPS)
    assert trigrams.near(db, "product", ("12345", "ab"), budget, 100) == {}
    assert not budget.spent


@pytest.mark.parametrize(("most", "cut"), [(4, False), (3, True)])
async def test_some_of_the_words_are_cut_only_where_more_rows_hold_one_than_are_listed(
    monkeypatch: pytest.MonkeyPatch, most: int, *, cut: bool
) -> None:
    cache = TypedBackend(None)
    await cache.open()
    names = ["fork one", "fork two", "fork three", "fork four"]
    prepared = await prepare(PRODUCT, [{**product(nr), "name": name} for nr, name in enumerate(names, 1)], cache)
    await cache.apply(Batch(entity="product", at=NOON, upserts=prepared.rows))
    monkeypatch.setattr(fuzzy, "MAX_LISTED", most)
    found = await cache.search("product", Search("fork saddle"))
    await cache.close()
    assert (found.cut, [hit.row.id for hit in found.hits][:1]) == (cut, [4])
    assert {hit.row.id for hit in found.hits} == ({2, 3, 4} if cut else {1, 2, 3, 4})


@pytest.mark.parametrize(("most", "cut"), [(3, False), (2, True), (1, True)])
def test_only_so_many_words_stand_for_a_token(db: Connection, most: int, *, cut: bool) -> None:
    db.execute("DELETE FROM product_word")
    words = ["abcde", "abcdex", "abcdxy"]
    db.executemany("INSERT INTO product_word(word) VALUES (?)", [(word,) for word in words])
    budget = trigrams.Budget(trigrams.MAX_STEPS)
    near = trigrams.near(db, "product", ("abcdef",), budget, most)["abcdef"]
    assert (len(near), budget.spent) == (most, cut)
    budget = trigrams.Budget(trigrams.MAX_STEPS)
    assert trigrams.holding(db, "product", "bcd", budget, most) == words[:most]
    assert budget.spent is cut
