"""Search that does not give up: rows that hold most of the words, and parts of codes typed without their separators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import OneOf, Visibility
from cache_core.protocol import CacheBackend, Search
from cache_core.search_rules import Tier, WeightClass

from .oracle import oracle
from .strategies import TEXT_FIELDS, VISIBILITIES, phrases, relaxed
from .toys import hold_only, listing, moment, removal, toy, toy_of

CODE = "00.4021.018.003"
ASKED = phrases(("red", "blue", "rosso", "strasse", "4021", "018003", "021018", "0040", "1", "for", "the", "tur", "zz"))
WORDS = st.lists(ASKED, min_size=1, max_size=4).map(" ".join)


@relaxed
@given(st.lists(TEXT_FIELDS, max_size=6), WORDS, VISIBILITIES, st.integers(0, 7))
async def test_what_is_found_after_a_miss_is_what_the_text_rules_say(
    cache: CacheBackend, fields: list[dict[str, object]], text: str, visibility: Visibility, limit: int
) -> None:
    rows = [toy_of(number, values) for number, values in enumerate(fields)]
    await hold_only(cache, rows)
    result = await cache.search("toy", Search(text, limit, (), visibility))
    expected = oracle(rows, text, visibility, cache.capabilities("toy"))
    assert [(hit.tier, hit.place, hit.row.id) for hit in result.hits] == expected[:limit]
    assert result.total == len(expected)


@pytest.mark.parametrize("query", ["fork gasket", "gasket for a fork", "FORK, gasket!", "the fork"])
async def test_rows_with_half_of_the_words_are_found_and_say_what_they_lack(cache: CacheBackend, query: str) -> None:
    await cache.apply(listing(toy(1, name="Fork seal kit / 35 mm"), toy(2, name="saddle")))
    (hit,) = (await cache.search("toy", Search(query))).hits
    assert (hit.row.id, hit.tier, hit.place) == (1, Tier.PARTIAL, WeightClass.NAMES)
    assert "fork" not in hit.missing
    assert len(hit.missing) == len(query.split()) - 1


async def test_a_sentence_finds_the_row_that_it_describes_first(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, name="Fork"),
            toy(2, name="Fork seal kit / 35 mm"),
            toy(3, name="Seal kit 35"),
            toy(4, name="Seal kit 35", barcode="mm"),
            toy(5, sku="SEAL-KIT-FORK"),
        )
    )
    hits = (await cache.search("toy", Search("seal kit for a 35 mm fork"))).hits
    assert [(hit.row.id, hit.place) for hit in hits] == [
        (2, WeightClass.NAMES),
        (4, WeightClass.SPREAD),
        (5, WeightClass.KEYS),
        (3, WeightClass.NAMES),
    ]
    assert [hit.missing for hit in hits][:2] == [("for", "a"), ("for", "a", "fork")]


@pytest.mark.parametrize(
    "query", ["PO-27", "00.4012.018.003", "PO 27", "35 mm", "a b", "with an", "gasket", "x-fork-y"]
)
async def test_one_word_or_a_part_that_says_nothing_is_no_reason_to_show_others(
    cache: CacheBackend, query: str
) -> None:
    rows = (toy(nr, sku=f"PO-{nr}", name=f"a fork for the 35 inch {nr}", codes=[CODE]) for nr in (1, 17, 117))
    await cache.apply(listing(*rows))
    assert (await cache.search("toy", Search(query))).hits == ()


async def test_most_of_the_words_are_half_of_them_or_more(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="fork blue"), toy(2, name="fork")))
    for query, found in (("fork blue gasket", [1]), ("fork gasket ring", []), ("fork blue gasket ring", [1])):
        assert [hit.row.id for hit in (await cache.search("toy", Search(query))).hits] == found, query


async def test_most_of_the_words_are_looked_for_only_after_a_miss(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="fork gasket"), toy(2, name="fork")))
    hits = (await cache.search("toy", Search("fork gasket"))).hits
    assert [(hit.row.id, hit.tier, hit.missing) for hit in hits] == [(1, Tier.TOKENS, ())]


async def test_conditions_and_visibility_hold_for_rows_with_some_of_the_words(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, name="fork", status="DONE"),
            toy(2, name="fork", status="OPEN", archived_at=moment()),
            toy(3, name="fork", status="OPEN", codes=[CODE]),
            toy(4, name="fork", status="OPEN", deleted_at=moment()),
        )
    )
    for query in ("fork gasket", "40210180"):
        result = await cache.search("toy", Search(query, 20, (OneOf("status", ("OPEN",)),)))
        assert [hit.row.id for hit in result.hits] == [3], query
    await cache.apply(listing(toy(3, version=1, name="other")))
    for query in ("fork gasket", "40210180"):
        assert (await cache.search("toy", Search(query, 20, (OneOf("status", ("OPEN",)),)))).hits == ()


@pytest.mark.parametrize("place", [{"sku": CODE}, {"codes": ["x", CODE]}, {"barcode": CODE}])
async def test_a_code_is_found_by_every_run_of_four_of_its_characters_and_more(
    cache: CacheBackend, place: dict[str, object]
) -> None:
    await cache.apply(listing(toy_of(1, place), toy(2, sku="99.9999", name=f"see {CODE}")))
    plain = CODE.replace(".", "")
    for start in range(len(plain)):
        for end in range(start + 4, len(plain) + 1):
            hits = (await cache.search("toy", Search(plain[start:end]))).hits
            assert 1 in [hit.row.id for hit in hits], plain[start:end]
            assert hits[0].tier in {Tier.EXACT, Tier.TOKENS} or hits[0].row.id == 1
    assert (await cache.search("toy", Search("402101804"))).hits == ()


async def test_a_part_of_a_code_is_gone_with_the_code(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, sku=CODE), toy(2, sku="11.2233.44")))
    hits = (await cache.search("toy", Search("40210180"))).hits
    assert [(hit.row.id, hit.tier) for hit in hits] == [(1, Tier.CODE)]
    await cache.apply(listing(toy(1, version=1, sku="55.6677.88")))
    await cache.apply(removal(2))
    assert (await cache.search("toy", Search("40210180"))).hits == ()
    assert (await cache.search("toy", Search("12233"))).hits == ()
    assert [hit.row.id for hit in (await cache.search("toy", Search("5667788"))).hits] == [1]


async def test_a_word_of_thousands_of_rows_is_looked_for_in_the_newest_and_says_so(cache: CacheBackend) -> None:
    rows = [toy(nr, name="common" if nr % 2 else "usual common") for nr in range(2_400)]
    await cache.apply(listing(*rows, toy(5_000, name="usual common rare")))
    result = await cache.search("toy", Search("usual common gasket", 5))
    assert result.hits[0].missing == ("gasket",)
    assert result.cut or result.total == 1_201
    best = (await cache.search("toy", Search("rare usual common gasket", 5))).hits[0]
    assert (best.row.id, best.missing) == (5_000, ("gasket",))
