"""Search, held to the oracle: `cache_core.search_rules` over every visible row, in the declared order."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.conditions import EVERYTHING, Missing, OneOf, Visibility, Where
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Search
from cache_core.search_rules import Tier, WeightClass, parse, tokens_of

from .oracle import oracle
from .strategies import QUERIES, TEXT_FIELDS, VISIBILITIES, relaxed
from .toys import HOSTILE_TEXTS, TOY, found_ids, hold_only, listing, moment, owner, removal, tag, toy, toy_of

OWNER = "Müller & Söhne"


@relaxed
@given(st.lists(TEXT_FIELDS, max_size=8), QUERIES, VISIBILITIES, st.integers(0, 9))
async def test_search_finds_and_ranks_exactly_as_the_text_rules_say(
    cache: CacheBackend, fields: list[dict[str, object]], text: str, visibility: Visibility, limit: int
) -> None:
    rows = [toy_of(number, values, owned_by=OWNER) for number, values in enumerate(fields)]
    await hold_only(cache, rows)
    result = await cache.search("toy", Search(text, limit, (), visibility))
    expected = oracle(rows, text, visibility, cache.capabilities("toy"))
    assert [(hit.tier, hit.place, hit.row.id) for hit in result.hits] == expected[:limit]
    assert result.total == len(expected)
    assert result.cut == parse(text).cut


PLACES: dict[str, Callable[[str], dict[str, object]]] = {
    "sku": lambda value: {"sku": value},
    "name": lambda value: {"name": value},
    "second_name": lambda value: {"second_name": value},
    "codes": lambda value: {"codes": ["first", value]},
    "barcode": lambda value: {"barcode": value},
    "notes of rows": lambda value: {"rows": [{"note": "x"}, {"note": value}]},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", ["00.4021.018.003", "AB-12/34.5_X", "Größe É_x", "漢字-9 #7", "e\u0301 a"])
async def test_a_value_is_found_whole_and_by_each_run_in_any_case_with_any_separator(
    cache: CacheBackend, place: str, value: str
) -> None:
    row = toy_of(1, PLACES[place](value))
    await cache.apply(listing(row, toy(2, sku="other", name="thing")))
    parts = tokens_of(value)
    runs = [parts[start:end] for start in range(len(parts)) for end in range(start + 1, len(parts) + 1)]
    texts = [separator.join(run) for run in runs for separator in (" ", ".", "-_/", "\x00", "😀")]
    for text in [value, value.upper(), value.lower(), *texts, *(text.upper() for text in texts)]:
        assert await found_ids(cache, text) == [1], text


async def test_borrowed_text_is_found_below_own_text(cache: CacheBackend) -> None:
    borrowed = toy(1, sku="A", name="z", owned_by=OWNER)
    await cache.apply(listing(borrowed, toy(2, name="muller"), toy(3, barcode="muller x")))
    result = await cache.search("toy", Search("MÜLLER"))
    assert [(hit.row.id, hit.place) for hit in result.hits] == [
        (2, WeightClass.NAMES),
        (3, WeightClass.EXTRAS),
        (1, WeightClass.RELATED),
    ]


async def test_a_truth_value_borrows_from_nobody(cache: CacheBackend) -> None:
    await cache.apply(listing(owner(1, OWNER), entity="toy_owner"))
    wrong, right = {"id": 1, "owner_id": True}, {"id": 2, "owner_id": 1}
    rows = (await prepare(TOY, [wrong, right], cache)).rows
    await cache.apply(listing(*rows))
    assert await found_ids(cache, "muller") == [2]


async def test_an_exact_code_outranks_everything_and_equal_hits_go_by_name_then_id(
    cache: CacheBackend,
) -> None:
    await cache.apply(
        listing(
            toy(1, sku="X.12", name="b"),
            toy(2, name="x 12"),
            toy(3, sku="X.1", name="zz", codes=["X-12"]),
            toy(4, sku="X.123", name="b"),
            toy(5, sku="x 12 3", name="a"),
            toy(6, sku="x 12 3", name="a"),
            toy(7, sku="X 12", name="a"),
            toy(8, name="x", barcode="12 more"),
        )
    )
    result = await cache.search("toy", Search("x-12"))
    assert [(hit.row.id, hit.tier, hit.place) for hit in result.hits] == [
        (7, Tier.EXACT, WeightClass.KEYS),
        (1, Tier.EXACT, WeightClass.KEYS),
        (3, Tier.EXACT, WeightClass.EXTRAS),
        (5, Tier.TOKENS, WeightClass.KEYS),
        (6, Tier.TOKENS, WeightClass.KEYS),
        (4, Tier.TOKENS, WeightClass.KEYS),
        (2, Tier.TOKENS, WeightClass.NAMES),
        (8, Tier.TOKENS, WeightClass.SPREAD),
    ]


async def test_a_whole_code_is_found_without_its_separators_below_one_that_is_written_so(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, sku="1-11", name="a"),
            toy(2, sku="11-1", name="b"),
            toy(3, sku="111", name="z"),
            toy(4, sku="X", codes=["1.1.1"]),
            toy(5, sku="1110", name="c"),
            toy(6, name="1-11", second_name="one 1-1", codes=["number 1 11", "one-one-one"]),
        )
    )
    result = await cache.search("toy", Search("111"))
    assert [(hit.row.id, hit.tier, hit.place) for hit in result.hits] == [
        (3, Tier.EXACT, WeightClass.KEYS),
        (1, Tier.EXACT, WeightClass.NAMES),
        (2, Tier.EXACT, WeightClass.NAMES),
        (4, Tier.EXACT, WeightClass.RELATED),
        (5, Tier.TOKENS, WeightClass.KEYS),
    ]
    assert (await found_ids(cache, "1-11"))[0] == 1
    assert await found_ids(cache, "oneoneone") == []


@pytest.mark.parametrize("typed", ["4791234567", "+4791234567", "+47 912 34 567", "47-912-34-567", "912 34 567"])
async def test_a_phone_number_is_found_however_its_digits_are_grouped(cache: CacheBackend, typed: str) -> None:
    other, note = "+47 912 34 56", "call 4791234567, or 47 912 34 567 at noon"
    await cache.apply(
        listing(
            toy(1, codes=["+47 (912) 34 567"]), toy(2, codes=[other]), toy(3, codes=["4 791", "47"]), toy(4, sku="K")
        )
    )
    result = await cache.search("toy", Search(typed))
    assert [hit.row.id for hit in result.hits] == [1]
    await cache.apply(listing(toy(5, codes=[note])))
    assert await found_ids(cache, "calloror") == await found_ids(cache, "call4791234567or47912") == []


async def test_a_code_asked_for_with_separators_that_it_has_not_is_suggested(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, sku="SO37"), toy(2, sku="FSKT-35M")))
    assert await cache.suggest("toy", "so-37") == ("so37",)
    assert (await cache.suggest("toy", "fskt-35-m"))[0] == "fskt35m"
    assert await found_ids(cache, "fskt35m") == [2]


_WHOLE = toy(
    1,
    sku="RED.7",
    name="blue bell",
    rows=[{"id": 5, "note": "n", "amount": 3}],
    owner_id=4,
    status="open",
    unforeseen=1,
)
_READ = {"sku", "name", "second_name", "codes", "barcode", "owner_id", "amount"}


@pytest.mark.parametrize("where", [(), (OneOf("status", ("open",)),), (OneOf("unforeseen", (1,)),)])
@pytest.mark.parametrize("text", ["red.7", "blue", "blue or what", "lue bel", "bleu"])
async def test_a_hit_holds_what_is_asked_for_and_what_its_text_is_made_of(
    cache: CacheBackend, text: str, where: Where
) -> None:
    await cache.apply(listing(_WHOLE))
    whole = await cache.search("toy", Search(text, where=where))
    some = await cache.search("toy", Search(text, where=where, fields=frozenset({"amount"})))
    assert whole.hits or text in {"lue bel", "bleu"}
    for hit, less in zip(whole.hits, some.hits, strict=True):
        assert less.row.record == {
            **{name: value for name, value in hit.row.record.items() if name in _READ},
            "rows": [{"note": "n"}],
        }
        assert less == hit._replace(row=hit.row._replace(record=less.row.record))


async def test_old_text_is_gone_after_an_update(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, sku="OLD.1", name="ancient", codes=["c.old"])))
    await cache.apply(listing(toy(1, version=1, sku="NEW.1", name="modern", codes=["c.new"])))
    for text in ("old.1", "ancient", "c.old", "OLD"):
        assert await found_ids(cache, text) == []
    for text in ("new.1", "modern", "c.new", "NEW"):
        assert await found_ids(cache, text) == [1]


async def test_an_ignored_update_leaves_the_text_alone(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, version=2, name="current", codes=["c.1"])))
    await cache.apply(listing(toy(1, version=1, name="outdated", codes=["c.2"])))
    assert await found_ids(cache, "outdated") == await found_ids(cache, "c-2") == []
    assert await found_ids(cache, "current") == await found_ids(cache, "c-1") == [1]


async def test_removed_rows_are_never_found(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, name="same", codes=["code.1"]) for number in range(100))))
    await cache.apply(removal(*range(0, 100, 2)))
    assert await found_ids(cache, "same") == list(range(1, 100, 2))
    assert await found_ids(cache, "code 1") == list(range(1, 100, 2))
    result = await cache.search("toy", Search("same", visibility=EVERYTHING))
    assert result.total == 50


async def test_a_row_that_comes_back_is_found_again(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="first")))
    await cache.apply(removal(1))
    await cache.apply(listing(toy(1, name="second")))
    assert await found_ids(cache, "second") == [1]
    assert await found_ids(cache, "first") == []


async def test_deleted_and_archived_rows_are_found_only_on_request(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, name="same"),
            toy(2, name="same", deleted_at=moment()),
            toy(3, name="same", archived_at=moment()),
        )
    )
    for visibility, expected in (
        (Visibility(), [1]),
        (Visibility(deleted=True), [1, 2]),
        (Visibility(archived=True), [1, 3]),
        (EVERYTHING, [1, 2, 3]),
    ):
        result = await cache.search("toy", Search("same", visibility=visibility))
        assert [hit.row.id for hit in result.hits] == expected
        assert result.total == len(expected)


@pytest.mark.parametrize(
    "where", [(OneOf("status", ("RARE",)),), (OneOf("count", (7,)), Missing("status", missing=False))]
)
async def test_filters_apply_before_the_limit(cache: CacheBackend, where: Where) -> None:
    rows = [toy(number, name=f"same {number}") for number in range(2_500)]
    rare = toy(9_999, name="same z", codes=["same"], status="RARE", count=7)
    await cache.apply(listing(*rows, rare))
    result = await cache.search("toy", Search("same", 1, where))
    assert [hit.row.id for hit in result.hits] == [9_999]
    assert (result.total, result.cut) == (1, False)


async def test_a_filter_that_only_records_can_answer_applies_before_the_limit(cache: CacheBackend) -> None:
    rows = [toy(number, name=f"same {number}") for number in range(30)]
    await cache.apply(listing(toy(99, name="same z", without_a_column=True), *rows))
    result = await cache.search("toy", Search("same", 1, (OneOf("without_a_column", (True,)),)))
    assert [(hit.row.id, hit.tier) for hit in result.hits] == [(99, Tier.TOKENS)]
    assert (result.total, result.cut) == (1, False)


async def test_a_broad_answer_is_whole_or_says_that_it_was_cut(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, name=f"same {number}") for number in range(2_500)), toy(3_000, sku="same")))
    result = await cache.search("toy", Search("sam", 5))
    assert len(result.hits) == 5
    assert result.total == 2_501 or (result.cut and result.total >= 1_000)
    assert result.hits[0].row.id == 3_000


async def test_a_query_is_read_to_sixteen_tokens_and_256_characters(cache: CacheBackend) -> None:
    words = [f"w{number}" for number in range(20)]
    await cache.apply(listing(toy(1, name=" ".join(words[:16])), toy(2, name="y" * 300)))
    sixteen = await cache.search("toy", Search(" ".join(words[:16])))
    assert ([hit.row.id for hit in sixteen.hits], sixteen.cut) == ([1], False)
    repeated = await cache.search("toy", Search(" ".join(words[:16] + words[:16])))
    assert ([hit.row.id for hit in repeated.hits], repeated.cut) == ([1], False)
    seventeen = await cache.search("toy", Search(" ".join(words)))
    assert ([hit.row.id for hit in seventeen.hits], seventeen.cut) == ([1], True)
    long = await cache.search("toy", Search("y" * 256))
    assert ([hit.row.id for hit in long.hits], long.cut) == ([2], False)
    longer = await cache.search("toy", Search("y" * 256 + " z"))
    assert ([hit.row.id for hit in longer.hits], longer.cut) == ([2], True)
    nowhere = await cache.search("toy", Search(" ".join(f"q{number}" for number in range(17))))
    assert (nowhere.hits, nowhere.cut) == ((), True)


@pytest.mark.parametrize("text", ["", " ", "\x00", '"', "***", "😀", "- _ .", "\ud800", "()" * 200])
async def test_a_text_without_a_token_finds_nothing(cache: CacheBackend, text: str) -> None:
    await cache.apply(listing(toy(1, name="x", sku="y"), toy(2)))
    result = await cache.search("toy", Search(text))
    assert (result.hits, result.total, result.cut) == ((), 0, len(text) > 256)


async def test_a_thousand_hostile_strings_never_raise(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, name=text, codes=[text]) for number, text in enumerate(HOSTILE_TEXTS))))
    operators = (
        '"',
        "NEAR(",
        "*",
        "^",
        "col:",
        "-x",
        "\x00",
        "\u202e",
        "😀",
        "\ud800",
        "e\u0301",
        " AND ",
        "{",
        "'",
        "%",
    )
    pieces = [*HOSTILE_TEXTS, *operators]
    texts = [f"{left}{right}" for left in pieces for right in pieces][:1_000]
    texts += ["x" * 100_000, "a " * 500_000, " ".join(f"t{index}" for index in range(3_000)), '"' * 1_000_000]
    for text in texts:
        await cache.search("toy", Search(text, limit=3))


async def test_every_hostile_text_with_a_token_finds_itself(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, barcode=text) for number, text in enumerate(HOSTILE_TEXTS))))
    for number, text in enumerate(HOSTILE_TEXTS):
        if tokens_of(text):
            assert number in await found_ids(cache, text), text


async def test_a_long_text_is_searchable_to_its_bound(cache: CacheBackend) -> None:
    words = [f"word{number}" for number in range(20_000)]
    await cache.apply(listing(toy(1, name=" ".join(words))))
    assert await found_ids(cache, "word1000 word5") == [1]
    assert await found_ids(cache, "word19999") == []


async def test_a_search_sees_its_own_entity_only(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="same", sku="same")))
    await cache.apply(listing(owner(1, "same"), owner(2, "same"), entity="toy_owner"))
    await cache.apply(listing(tag("a", "same"), entity="toy_tag"))
    assert await found_ids(cache, "same") == [1]
    assert await found_ids(cache, "same", "toy_owner") == [1, 2]
    assert await found_ids(cache, "same", "toy_tag") == ["a"]


async def test_reindexed_text_is_found_in_the_same_transaction(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(number, name=f"n{number}", owned_by=OWNER) for number in range(50))))
    rows = tuple(toy(number, name=f"n{number}", owned_by="Weiß") for number in range(50))
    await cache.apply(Batch(entity="toy", at=moment(), reindexed=rows))
    assert len(await found_ids(cache, "weiss")) == 50
    assert await found_ids(cache, "muller") == []


async def test_a_limit_of_zero_still_counts(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="x"), toy(2, name="x")))
    result = await cache.search("toy", Search("x", limit=0))
    assert (result.hits, result.total) == ((), 2)


async def test_an_empty_cache_finds_nothing(cache: CacheBackend) -> None:
    assert (await cache.search("toy", Search("x"))).hits == ()
    assert await cache.suggest("toy", "x") == ()


@pytest.mark.parametrize("typo", ["wodget", "wdget", "widgget", "wigdet", "WIDGTE", "wodget blue"])
async def test_a_one_letter_typo_is_corrected(cache: CacheBackend, typo: str) -> None:
    await cache.apply(listing(toy(1, name="Blue Widget", sku="S.10"), toy(2, name="gadget")))
    suggested = await cache.suggest("toy", typo)
    assert suggested
    assert await found_ids(cache, suggested[0]) == [1]


async def test_one_wrong_word_among_right_ones_is_corrected(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, name="blue widget"), toy(2, name="red wadget"), toy(3, name="blue gadget")))
    assert (await cache.suggest("toy", "blue wodget"))[0] == "blue widget"


@pytest.mark.parametrize("text", ["", "qqqqzzzz", "xylophonist", "\x00", "😀", "\ud800", "zz", '"*"', "w" * 1_000])
async def test_nonsense_is_answered_with_nothing(cache: CacheBackend, text: str) -> None:
    await cache.apply(listing(toy(1, name="blue widget"), toy(2, name="gadget")))
    assert await cache.suggest("toy", text) == ()


async def test_what_is_not_live_is_never_suggested(cache: CacheBackend) -> None:
    await cache.apply(
        listing(
            toy(1, name="widget", deleted_at=moment()),
            toy(2, name="wydget", archived_at=moment()),
            toy(3, name="wadget"),
        )
    )
    await cache.apply(removal(3))
    assert await cache.suggest("toy", "wodget") == ()


async def test_suggestions_are_nearest_first_and_limited(cache: CacheBackend) -> None:
    names = ["widget", "wadget", "widgets", "gadget"]
    await cache.apply(listing(*(toy(number, name=name) for number, name in enumerate(names))))
    assert await cache.suggest("toy", "wedget") == ("wadget", "widget", "widgets")
    assert await cache.suggest("toy", "wedget", limit=1) == ("wadget",)
    assert await cache.suggest("toy", "wedget", limit=0) == ()
