"""Words that are kept in memory give what the file gives: after new words, a new table, a spent budget."""

import gc
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_orders import only_file

from cache_core.search_rules import is_number, reach
from cache_core.suggest import closest
from cache_typed import dialect, schema, trigrams
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.tables import TABLES
from cache_typed.trigrams import MAX_STEPS, Budget

TABLE = "product"
SCHEMA = schema.schema_of(next(mapping for mapping in TABLES if mapping.spec.name == TABLE))


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty cache in memory."""
    with closing(dialect.connect(":memory:")) as connection:
        dialect.load_image(schema.empty_image(TABLES), connection)
        yield connection


def learn(db: Connection, words: Sequence[str]) -> None:
    """Add words as the triggers do."""
    listed = [(word,) for word in words]
    db.executemany(f"INSERT INTO {TABLE}_word(word) VALUES (?) ON CONFLICT DO NOTHING", listed)


def make_again(db: Connection, words: Sequence[str]) -> None:
    """Make the table of words again, as an upgrade does, with these in it."""
    schema.renew(db, SCHEMA, dialect.schema_objects(db))
    learn(db, words)


def near(db: Connection, tokens: Sequence[str], most: int = 9) -> tuple[dict[str, list[str]], bool]:
    """Return the words that tokens may stand for, and whether something was left out."""
    budget = Budget(MAX_STEPS)
    return trigrams.near(db, TABLE, tokens, budget, most), budget.spent


def read_near(db: Connection, tokens: Sequence[str], most: int = 9) -> tuple[dict[str, list[str]], bool]:
    """Return the same, with every word read from the file."""
    spelt = [token for token in tokens if reach(token) and not is_number(token)]
    far = sorted((abs(more), len(token) + more) for token in spelt for more in range(-reach(token), reach(token) + 1))
    words: list[str] = []
    cut = False
    for size in dict.fromkeys(size for _, size in far):
        sql = f"SELECT word FROM {TABLE}_word WHERE length(word) = ? AND word GLOB '*[^0-9]*' ORDER BY word"
        found = [word for (word,) in db.execute(sql, (size,))]
        left = trigrams.MAX_WORDS - len(words)
        cut = cut or len(found) > left
        words += found[:left]
    found_by_token = {token: closest(token, words, most + 1) for token in spelt}
    cut = cut or any(len(found) > most for found in found_by_token.values())
    return {token: found[:most] for token, found in found_by_token.items()}, cut


WORDS = st.text("ab1", min_size=1, max_size=8)
STEPS = st.one_of(
    st.tuples(st.just(learn), st.lists(WORDS, max_size=12)),
    st.tuples(st.just(make_again), st.lists(WORDS, max_size=12)),
    st.tuples(st.just(near), st.lists(WORDS, min_size=1, max_size=3)),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(STEPS, max_size=12), st.integers(1, 12), st.integers(1, 4))
def test_kept_words_are_those_of_the_file(steps: list[tuple[object, list[str]]], most_words: int, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(dialect.connect(":memory:")) as db:
        patch.setattr(trigrams, "MAX_WORDS", most_words)
        patch.setattr(trigrams, "MAX_KEPT", 2 * most_words)
        dialect.load_image(schema.empty_image(TABLES), db)
        for step, words in steps:
            if step is near:
                expected = read_near(db, words, most)
                assert [near(db, words, most), near(db, words, most)] == [expected, expected]
            elif step is learn:
                learn(db, words)
            else:
                make_again(db, words)


def test_a_word_that_came_is_found_at_once(db: Connection) -> None:
    learn(db, ["shelf", "12345"])
    assert near(db, ["shelv"]) == ({"shelv": ["shelf"]}, False)
    learn(db, ["shell"])
    assert near(db, ["shelv"]) == ({"shelv": ["shelf", "shell"]}, False)


def test_a_table_that_was_made_again_with_as_many_words_is_read_again(db: Connection) -> None:
    learn(db, ["shelf"])
    assert near(db, ["shelv"]) == ({"shelv": ["shelf"]}, False)
    make_again(db, ["shell"])
    assert near(db, ["shelv"]) == ({"shelv": ["shell"]}, False)


async def test_words_of_another_connection_are_found_at_once(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path)
    await cache.open()
    await cache.close()
    path = str(only_file(tmp_path))
    with closing(dialect.connect(path)) as reader, closing(dialect.connect(path)) as writer:
        learn(writer, ["shelf"])
        assert near(reader, ["shelv"]) == ({"shelv": ["shelf"]}, False)
        make_again(writer, ["shell"])
        assert near(reader, ["shelv"]) == ({"shelv": ["shell"]}, False)
        learn(writer, ["shelf"])
        assert near(reader, ["shelv"]) == ({"shelv": ["shelf", "shell"]}, False)


def read_statements(db: Connection, tokens: Sequence[str]) -> int:
    """Return how many lengths are read for these tokens."""
    seen: list[str] = []
    db.set_trace_callback(seen.append)
    near(db, tokens)
    db.set_trace_callback(None)
    return sum("group_concat" in sql for sql in seen)


def test_what_is_kept_is_not_read_again(db: Connection) -> None:
    learn(db, ["shelf", "shells"])
    assert [read_statements(db, ["shelv"]), read_statements(db, ["shelv"]), read_statements(db, ["shelvs"])] == [
        5,
        0,
        1,
    ]


@pytest.mark.parametrize(("most", "read_again"), [(6, 0), (5, 3)])
def test_no_more_words_are_kept_than_there_may_be(
    db: Connection, monkeypatch: pytest.MonkeyPatch, most: int, read_again: int
) -> None:
    monkeypatch.setattr(trigrams, "MAX_KEPT", most)
    learn(db, ["abc", "abd", "abe", "abcdefghi", "abcdefghj", "abcdefghk"])
    assert [read_statements(db, [token]) for token in ("abc", "abcdefghx", "abc")] == [3, 5, read_again]


def test_words_that_are_kept_cost_what_it_took_to_read_them(db: Connection) -> None:
    learn(db, [f"a{number:04}" for number in range(2_000)])
    left: list[int] = []
    for _ in range(3):
        budget = Budget(MAX_STEPS)
        assert len(trigrams.near(db, TABLE, ["a1234"], budget, 5_000)["a1234"]) > 100
        left.append(budget.left)
    assert left[0] < MAX_STEPS // 1_000 - 5
    assert left[1:] == [left[0], left[0]]


def test_a_budget_that_would_not_do_to_read_words_does_not_do_for_those_kept(db: Connection) -> None:
    learn(db, [f"a{number:04}" for number in range(2_000)])
    near(db, ["a1234"])
    budget = Budget(1_000)
    assert (trigrams.near(db, TABLE, ["a1234"], budget, 9), budget.spent) == ({"a1234": []}, True)


def test_fewer_words_cost_less(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    learn(db, [f"a{number:04}" for number in range(2_000)])
    near(db, ["a1234"])
    monkeypatch.setattr(trigrams, "MAX_WORDS", 200)
    budget = Budget(MAX_STEPS)
    trigrams.near(db, TABLE, ["a1234"], budget, 9)
    assert budget.spent
    assert MAX_STEPS // 1_000 - budget.left < 5


def test_a_connection_is_not_held_by_the_words_that_it_read() -> None:
    connection = dialect.connect(":memory:")
    dialect.load_image(schema.empty_image(TABLES), connection)
    near(connection, ["shelf"])
    connection.close()
    seen = ref(connection)
    del connection
    gc.collect()
    assert seen() is None


def test_how_many_words_are_kept_stands_in_the_documentation() -> None:
    explained = (Path(__file__).parents[3] / "docs" / "explanation" / "search.md").read_text("utf-8")
    assert f"at most {trigrams.MAX_KEPT:,} for each" in explained
