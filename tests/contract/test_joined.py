"""Search after a miss, for the backends that guess: one word of the query that stands in the text as two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import LIVE, OneOf, Visibility
from cache_core.protocol import CacheBackend, Search
from cache_core.search_rules import Tier, WeightClass

from .oracle import oracle
from .strategies import TEXT_FIELDS, VISIBILITIES, relaxed
from .toys import hold_only, listing, moment, removal, toy, toy_of

WORDS = st.sampled_from(["red", "blue", "rosso", "strasse", "4021", "018", "tur", "fork", "ab"])
JOINED = st.lists(WORDS, min_size=2, max_size=3).map("".join)


@pytest.fixture
def able(cache: CacheBackend) -> bool:
    """Return whether the backend guesses at all; one that does not must find nothing."""
    return bool(cache.capabilities("toy"))


async def found(cache: CacheBackend, text: str) -> list[tuple[object, Tier]]:
    """Return ids and tiers of the hits, best first."""
    return [(hit.row.id, hit.tier) for hit in (await cache.search("toy", Search(text))).hits]


@relaxed
@given(st.lists(TEXT_FIELDS, max_size=6), JOINED, VISIBILITIES, st.integers(0, 7))
async def test_joined_words_are_found_as_the_text_rules_say(
    cache: CacheBackend, fields: list[dict[str, object]], text: str, visibility: Visibility, limit: int
) -> None:
    rows = [toy_of(number, values) for number, values in enumerate(fields)]
    rows += [toy(90, name="red rosso"), toy(91, sku="FORK-BLUE", name="strasse tur fork")]
    await hold_only(cache, rows)
    result = await cache.search("toy", Search(text, limit, (), visibility))
    expected = oracle(rows, text, visibility, cache.capabilities("toy"))
    assert [(hit.tier, hit.place, hit.row.id) for hit in result.hits] == expected[:limit]
    assert result.total == len(expected)


@pytest.mark.parametrize("query", ["zweikomponenten", "ZWEIKOMPO"])
@pytest.mark.parametrize("name", ["Zwei-Komponenten Kleber", "Kleber, zwei Komponenten", "Kleber zwei/Komponentenharz"])
async def test_a_word_is_found_where_the_text_has_it_as_two(
    cache: CacheBackend, able: bool, query: str, name: str
) -> None:
    await cache.apply(listing(toy(1, name=name), toy(2, name="zwei"), toy(3, name="Komponenten")))
    hits = (await cache.search("toy", Search(query))).hits
    expected = [(1, Tier.JOINED, WeightClass.NAMES, ())] if able else []
    assert [(hit.row.id, hit.tier, hit.place, hit.missing) for hit in hits] == expected


async def test_two_words_are_found_where_the_text_has_them_as_one(cache: CacheBackend, able: bool) -> None:
    await cache.apply(listing(toy(1, name="Zweikomponentenkleber"), toy(2, name="zweifach")))
    for query in ("zwei-komponenten", "Zwei Komponenten", "zwei/komponentenkleber"):
        hits = await found(cache, query)
        assert ((1, Tier.SUBSTRING) in hits) is able, query


async def test_two_words_that_are_joined_stand_side_by_side_in_one_field(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, name="zwei schnelle Komponenten"),
            toy(2, name="Komponenten zwei"),
            toy(3, name="zweite Komponenten"),
            toy(4, name="zwei", barcode="komponenten"),
            toy(5, name="drei zwo Komponenten"),
        )
    )
    assert await found(cache, "zweikomponenten") == []


async def test_each_of_the_two_has_three_characters_or_more(cache: CacheBackend, able: bool) -> None:
    await cache.apply(listing(toy(1, name="ab fork"), toy(2, name="fork ab"), toy(3, name="abc for")))
    for query in ("abfork", "forkab"):
        assert Tier.JOINED not in [tier for _, tier in await found(cache, query)], query
    assert await found(cache, "abcfor") == ([(3, Tier.JOINED)] if able else [])


async def test_what_holds_the_word_itself_comes_alone(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="zwei Komponenten"), toy(2, name="zweikomponenten")))
    assert await found(cache, "zweikomponenten") == [(2, Tier.TOKENS)]


async def test_conditions_and_visibility_hold_for_joined_words(cache: CacheBackend, able: bool) -> None:
    await cache.apply(
        listing(
            toy(1, name="fork seal", status="DONE"),
            toy(2, name="fork seal", status="OPEN", archived_at=moment()),
            toy(3, name="fork seal", status="OPEN"),
            toy(4, name="fork seal", status="OPEN", deleted_at=moment()),
        )
    )
    result = await cache.search("toy", Search("forkseal", 20, (OneOf("status", ("OPEN",)),), LIVE))
    assert ([hit.row.id for hit in result.hits], result.total) == (([3], 1) if able else ([], 0))
    await cache.apply(removal(3))
    assert await found(cache, "forkseal") == ([(1, Tier.JOINED)] if able else [])
