"""Searching the backend of plain dictionaries: which rows are found, how, in which order, and what is suggested."""

from cache_core.conditions import EVERYTHING, OneOf
from cache_core.indexing import row_of
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Hit, Search, SearchResult
from cache_core.records import Record, RecordId, canonical
from cache_core.search_rules import Tier, WeightClass
from cache_core.spec import EntitySpec, Searchable

TOY = EntitySpec(
    name="toy", collection="toys", searchable=Searchable(keys=("code",), names=("name",), extras=("note",))
)
AT = "2026-03-02T08:00:00.000Z"


async def holding(*records: Record) -> MemoryBackend:
    """Return a backend with these toys."""
    cache = MemoryBackend((TOY,))
    rows = [row_of(TOY, canonical({"updated_at": AT, **record}), {}) for record in records]
    await cache.apply(Batch(entity="toy", at=AT, upserts=rows))
    return cache


async def found(cache: MemoryBackend, search: Search) -> list[tuple[RecordId, Tier, WeightClass]]:
    """Return the id of each hit, how it was found and where."""
    return [(hit.row.id, hit.tier, hit.place) for hit in (await cache.search("toy", search)).hits]


async def test_hits_come_exact_first_then_by_class_name_and_id() -> None:
    cache = await holding(
        {"id": 1, "name": "zebra ball"},
        {"id": 10, "name": "apple ball"},
        {"id": 9, "name": "apple ball"},
        {"id": "a", "name": "apple ball"},
        {"id": 2, "code": "BALL-2", "name": "x"},
        {"id": 3, "code": "BALL", "name": "y"},
        {"id": 4, "name": "none", "note": "a ball"},
        {"id": 5, "name": "cube"},
    )
    assert await found(cache, Search("ball")) == [
        (3, Tier.EXACT, WeightClass.KEYS),
        (2, Tier.TOKENS, WeightClass.KEYS),
        (9, Tier.TOKENS, WeightClass.NAMES),
        (10, Tier.TOKENS, WeightClass.NAMES),
        ("a", Tier.TOKENS, WeightClass.NAMES),
        (1, Tier.TOKENS, WeightClass.NAMES),
        (4, Tier.TOKENS, WeightClass.EXTRAS),
    ]
    result = await cache.search("toy", Search("ball", limit=2))
    assert ([hit.row.id for hit in result.hits], result.total, result.cut) == ([3, 2], 7, False)


async def test_a_hit_is_told_whole() -> None:
    cache = await holding({"id": 1, "code": "B-1", "name": "Red ball"})
    (row,) = (await cache.get_many("toy", [1])).rows
    assert await cache.search("toy", Search("red")) == SearchResult(
        (Hit(row, Tier.TOKENS, WeightClass.NAMES, ()),), 1, cut=False
    )
    assert await cache.search("toy", Search("")) == SearchResult()
    assert (await cache.search("toy", Search(f"{'red ' * 70}"))).cut


async def test_only_a_miss_is_looked_for_near_and_only_where_that_is_wished() -> None:
    cache = await holding(
        {"id": 1, "name": "red ball"},
        {"id": 2, "name": "red wooden cube"},
        {"id": 3, "code": "AB-12-34", "name": "code"},
    )
    partial = await cache.search("toy", Search("red wooden train"))
    assert [(hit.row.id, hit.tier, hit.missing) for hit in partial.hits] == [(2, Tier.PARTIAL, ("train",))]
    assert await cache.search("toy", Search("red wooden train", near=False)) == SearchResult()
    assert await found(cache, Search("b1234")) == [(3, Tier.CODE, WeightClass.NAMES)]
    assert (await cache.search("toy", Search("b1234"))).hits[0].missing == ()
    assert await found(cache, Search("b1234", near=False)) == []
    assert await found(cache, Search("red")) == [
        (1, Tier.TOKENS, WeightClass.NAMES),
        (2, Tier.TOKENS, WeightClass.NAMES),
    ]
    assert await found(cache, Search("bxll")) == await found(cache, Search("oode")) == []


async def test_what_lacks_fewer_words_comes_first() -> None:
    cache = await holding(
        {"id": 1, "name": "a red wooden"}, {"id": 2, "name": "b red wooden train"}, {"id": 3, "name": "c red"}
    )
    result = await cache.search("toy", Search("red wooden train long"))
    assert [(hit.row.id, hit.missing) for hit in result.hits] == [(2, ("long",)), (1, ("train", "long"))]


async def test_a_search_looks_only_at_what_it_may_see() -> None:
    cache = await holding(
        {"id": 1, "name": "ball", "n": 1},
        {"id": 2, "name": "ball", "n": 2},
        {"id": 3, "name": "ball", "deleted_at": AT},
    )

    async def ids(search: Search) -> list[RecordId]:
        return [row_id for row_id, _, _ in await found(cache, search)]

    assert await ids(Search("ball")) == [1, 2]
    assert await ids(Search("ball", where=(OneOf("n", (2,)),))) == [2]
    assert await ids(Search("ball", visibility=EVERYTHING)) == [1, 2, 3]


async def test_suggestions_come_from_live_rows_with_the_first_letter_and_find_something() -> None:
    cache = await holding(
        {"id": 1, "name": "wooden train"},
        {"id": 2, "name": "woolen cap"},
        {"id": 3, "name": "wodden gone", "deleted_at": AT},
        {"id": 4, "code": "K1", "note": "rooden"},
    )
    assert await cache.suggest("toy", "wooxen") == ("wooden", "woolen")
    assert await cache.suggest("toy", "wooxen", 1) == ("wooden",)
    assert await cache.suggest("toy", "wooxen trayn") == ("wooden train",)
    assert await cache.suggest("toy", "roodem") == ("rooden",)
    assert await cache.suggest("toy", "xooden") == ()
    assert await cache.suggest("toy", "goneg") == ()


async def test_five_are_suggested_where_nobody_says_how_many() -> None:
    cache = await holding(*({"id": number, "name": f"wood{letter}n"} for number, letter in enumerate("abcdef")))
    assert await cache.suggest("toy", "woodzn") == tuple(f"wood{letter}n" for letter in "abcde")
