"""Search after a miss, for the backends that declare it: the tiers in order, labelled, bounded, and never otherwise."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import LIVE, CustomValue, OneOf, Visibility
from cache_core.protocol import CacheBackend, Capability, Search
from cache_core.search_rules import Tier, WeightClass, edits, parse

from .oracle import oracle
from .strategies import TEXT_FIELDS, VISIBILITIES, phrases, relaxed
from .toys import HOSTILE_TEXTS, hold_only, listing, moment, removal, toy, toy_of

BOTH = frozenset(Capability)
BENT = phrases(("rde", "edde", "bleu", "ur", "ete", "4021", "021", "18", "trasse", "reddr", "strase", "bluee", "漢"))


@pytest.fixture
def able(cache: CacheBackend) -> bool:
    """Return whether the backend guesses at all; one that does not must find nothing."""
    able = cache.capabilities("toy")
    assert able in {BOTH, frozenset()}
    return bool(able)


async def tiers(cache: CacheBackend, text: str) -> list[tuple[object, Tier]]:
    """Return ids and tiers of the hits, best first."""
    return [(hit.row.id, hit.tier) for hit in (await cache.search("toy", Search(text))).hits]


@relaxed
@given(st.lists(TEXT_FIELDS, max_size=6), BENT, VISIBILITIES, st.integers(0, 7))
async def test_guesses_are_exactly_those_of_the_text_rules(
    cache: CacheBackend, fields: list[dict[str, object]], text: str, visibility: Visibility, limit: int
) -> None:
    rows = [toy_of(number, values) for number, values in enumerate(fields)]
    await hold_only(cache, rows)
    result = await cache.search("toy", Search(text, limit, (), visibility))
    expected = oracle(rows, text, visibility, cache.capabilities("toy"))
    assert [(hit.tier, hit.place, hit.row.id) for hit in result.hits] == expected[:limit]
    assert (result.total, result.cut) == (len(expected), parse(text).cut)


async def test_a_guess_is_made_only_after_a_miss_and_a_typo_only_after_a_missed_substring(
    cache: CacheBackend, able: bool
) -> None:
    rows = (toy(1, name="gadget"), toy(2, name="ungadget"), toy(3, name="godget"))
    for held, tier in ((rows, Tier.TOKENS), (rows[1:], Tier.SUBSTRING), (rows[2:], Tier.TYPO), ((), None)):
        await hold_only(cache, held)
        expected = [(row.id, tier) for row in held[:1] if able or tier is Tier.TOKENS]
        assert await tiers(cache, "gadget") == expected


async def test_what_comes_near_is_not_looked_for_where_it_is_not_wanted(cache: CacheBackend) -> None:
    await hold_only(cache, [toy(1, name="ungadget", sku="00.4021.018"), toy(2, name="red wheel")])
    for text, known in (("gadget", ()), ("402101", ()), ("redd", ()), ("red gadget", ()), ("red", (2,)), ("00", (1,))):
        found = await cache.search("toy", Search(text, near=False))
        assert (tuple(hit.row.id for hit in found.hits), found.total, found.cut) == (known, len(known), False), text


async def test_a_substring_needs_three_characters_and_the_others_begin_a_word(cache: CacheBackend, able: bool) -> None:
    await cache.apply(listing(toy(1, sku="00.4021.018.003"), toy(2, name="x")))
    for text in ("4021 018 003 0", "402 003"):
        assert await tiers(cache, text) == [(1, Tier.TOKENS)], text
    for text, otherwise in (("021.01", [(1, Tier.CODE)]), ("021", []), ("021 003 4", [])):
        assert await tiers(cache, text) == ([(1, Tier.SUBSTRING)] if able else otherwise), text
    assert await tiers(cache, "21") == await tiers(cache, "021 18") == []


async def test_fewer_edits_come_first_then_the_class_then_the_name(cache: CacheBackend, able: bool) -> None:
    await cache.apply(
        listing(
            toy(1, name="widgets blue"),
            toy(2, barcode="wodget"),
            toy(3, name="wydget b"),
            toy(4, name="wydget a"),
            toy(5, sku="wydget"),
        )
    )
    hits = (await cache.search("toy", Search("wadget"))).hits
    expected = [(5, WeightClass.KEYS), (4, WeightClass.NAMES), (3, WeightClass.NAMES), (2, WeightClass.EXTRAS)]
    assert [(hit.row.id, hit.place) for hit in hits] == ([*expected, (1, WeightClass.NAMES)] if able else [])


async def test_another_number_is_never_a_typo(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, sku="40211"), toy(2, name="ab")))
    assert await tiers(cache, "40212") == await tiers(cache, "ac") == []
    assert edits("40212", "40211", Tier.TYPO) is None


async def test_conditions_and_visibility_hold_for_guesses(cache: CacheBackend, able: bool) -> None:
    await cache.apply(
        listing(
            toy(1, name="widget", status="DONE"),
            toy(2, name="widget", status="OPEN", archived_at=moment()),
            toy(3, name="wydget", status="OPEN"),
            toy(4, name="widget", status="OPEN", deleted_at=moment()),
            toy(5, name="widget", custom_fields=[{"field_name": "Colour", "field_value": "red"}]),
        )
    )
    red = CustomValue("custom_fields", ("Colour",), ("red",))
    conditions = (OneOf("status", ("OPEN",)), [3]), (OneOf("unheard", (1,)), []), (red, [5])
    for (condition, expected), limit in product(conditions, (1, 20)):
        result = await cache.search("toy", Search("wadget", limit, (condition,), LIVE))
        found = expected if able else []
        assert ([hit.row.id for hit in result.hits], result.total) == (found, len(found))


async def test_a_text_that_is_gone_is_not_guessed(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="widget"), toy(2, name="wudget")))
    await cache.apply(listing(toy(1, version=1, name="other")))
    await cache.apply(removal(2))
    assert await tiers(cache, "wadget") == await tiers(cache, "idge") == []


async def test_hostile_texts_are_guessed_without_a_fault(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, name=text, codes=[text]) for number, text in enumerate(HOSTILE_TEXTS))))
    for text in HOSTILE_TEXTS:
        for bent in (text[1:], text[:-1] + "q", f"q{text}", text * 40):
            await cache.search("toy", Search(bent, limit=3))
