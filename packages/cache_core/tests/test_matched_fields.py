"""The fields in which a hit stands are those whose every text, split into tokens, says so."""

from hypothesis import given
from hypothesis import strategies as st

from cache_core.records import Record
from cache_core.search_rules import GUESSES, Query, Tier, WeightClass, carriers, edits, normalised, parse, unseparated
from cache_core.spec import EntitySpec, Lookup, Searchable, matched_fields, texts_at

SPEC = EntitySpec(
    name="toy",
    collection="toys",
    searchable=Searchable(
        keys=("sku",),
        names=("name", Lookup("maker_id", "maker", ("name",))),
        extras=("codes[]", "barcode"),
        related=("rows[].note",),
    ),
)
PLACES = (
    (WeightClass.KEYS, "sku"),
    (WeightClass.NAMES, "name"),
    (WeightClass.EXTRAS, "codes[]"),
    (WeightClass.EXTRAS, "barcode"),
    (WeightClass.RELATED, "rows[].note"),
)


def split_and_matched(record: Record, query: Query, tier: Tier) -> tuple[str, ...]:
    """Return the same, with every text split into its tokens."""
    return tuple(
        place
        for weight, place in PLACES
        if any(_mentions(text, weight, query, tier) for text in texts_at(place, record, {}))
    )


def _mentions(text: str, place: WeightClass, query: Query, tier: Tier) -> bool:
    words = normalised(text)
    tokens = query.tokens if tier is not Tier.PARTIAL else [token for word in carriers(query) for token in word]
    if any(f" {token}" in f" {words}" for token in tokens):
        return True
    if words.replace(" ", "") == query.code and unseparated(text, place) == query.code:
        return True
    if tier is Tier.CODE:
        code = unseparated(text, place) or words
        return place in {WeightClass.KEYS, WeightClass.EXTRAS} and " " not in code and query.run in code
    return tier in GUESSES and any(edits(token, words, tier) is not None for token in query.tokens)


TEXTS = st.text("aB1ä2.- _ß", max_size=9)
VALUES = st.one_of(st.none(), TEXTS, st.integers(0, 30))
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "sku": VALUES,
        "name": VALUES,
        "codes": st.one_of(VALUES, st.lists(VALUES, max_size=2)),
        "barcode": VALUES,
        "rows": st.lists(st.fixed_dictionaries({"note": VALUES}), max_size=2),
        "maker_id": st.just(1),
    },
)


@given(RECORDS, TEXTS.map(parse).filter(lambda query: bool(query.tokens)), st.sampled_from(Tier))
def test_matched_fields_are_those_of_texts_that_are_split(record: Record, query: Query, tier: Tier) -> None:
    assert matched_fields(SPEC, record, query, tier) == split_and_matched(record, query, tier)


@given(TEXTS, st.data())
def test_a_part_of_a_code_is_found_as_it_is_found_in_its_tokens(text: str, data: st.DataObject) -> None:
    tokens = normalised(text).split()
    if not tokens:
        return
    plain = "".join(tokens)
    query = parse(data.draw(st.sampled_from([plain, *tokens, " ".join(tokens), plain[:4]])))
    record: Record = {"sku": text, "name": text, "codes": [text]}
    for tier in Tier:
        assert matched_fields(SPEC, record, query, tier) == split_and_matched(record, query, tier)
