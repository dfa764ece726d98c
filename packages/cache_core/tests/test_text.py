import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.search_rules import (
    MAX_QUERY_TOKENS,
    Query,
    SearchText,
    Tier,
    WeightClass,
    fold,
    match,
    normalised,
    parse,
    tokens_of,
)

CODE = "00.4021.018.003"


def test_a_dotted_code_is_split_into_its_parts() -> None:
    assert tokens_of(CODE) == ["00", "4021", "018", "003"]


@pytest.mark.parametrize("query", [CODE, "00-4021-018-003", "00 4021 018 003", "00_4021/018\\003"])
def test_a_code_is_an_exact_hit_with_any_separator(query: str) -> None:
    text = SearchText(extras=normalised(CODE), codes=((normalised(CODE), WeightClass.EXTRAS),))
    assert match(parse(query), text) == (Tier.EXACT, WeightClass.EXTRAS)


@pytest.mark.parametrize("query", ["00.4021", "018", "4021.018", "003", "00.40"])
def test_any_run_of_a_code_finds_it(query: str) -> None:
    text = SearchText(extras=normalised(CODE), codes=((normalised(CODE), WeightClass.EXTRAS),))
    assert match(parse(query), text) == (Tier.TOKENS, WeightClass.EXTRAS)


def test_a_hit_in_a_name_outranks_one_in_extras() -> None:
    name = match(parse("bolt"), SearchText(names="bolt", extras="x"))
    extra = match(parse("bolt"), SearchText(names="x", extras="bolt"))
    assert name is not None
    assert extra is not None
    assert name < extra


def test_words_spread_over_classes_match_last() -> None:
    text = SearchText(names="frame", related="acme")
    assert match(parse("acme frame"), text) == (Tier.TOKENS, WeightClass.SPREAD)
    assert match(parse("acme bolt"), text) is None


def test_tokens_do_not_match_across_the_border_of_two_classes() -> None:
    assert match(parse("framea"), SearchText(names="frame", extras="acme")) is None


@pytest.mark.parametrize(
    ("written", "folded"),
    [("Tür", "tur"), ("STRASSE", "strasse"), ("straße", "strasse"), ("Łódź", "lodz"), ("Ærø", "aero"), ("İ", "i")],
)
def test_latin_diacritics_are_folded(written: str, folded: str) -> None:
    assert fold(written) == folded


@pytest.mark.parametrize("word", ["йод", "ёлка", "日本語", "ガイド"])
def test_other_scripts_keep_their_marks(word: str) -> None:
    assert fold(word) == unicodedata.normalize("NFKC", word)


@pytest.mark.parametrize("separator", [chr(code) for code in range(128)], ids=ascii)
def test_a_text_is_split_alike_beside_letters_that_are_not_ascii(separator: str) -> None:
    text = f"{separator}A1{separator}{separator}b{separator}"
    assert tokens_of(text) == tokens_of(f"{text} 漢")[:-1]


@given(st.text(max_size=40))
def test_content_and_query_agree_whatever_the_normal_form(text: str) -> None:
    assert tokens_of(unicodedata.normalize("NFD", text)) == tokens_of(unicodedata.normalize("NFC", text))


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=300))
def test_a_query_is_bounded_and_says_when_it_was_cut(text: str) -> None:
    query = parse(text)
    assert len(query.tokens) <= MAX_QUERY_TOKENS
    assert all(query.tokens)
    if not query.cut:
        assert query.tokens == tuple(dict.fromkeys(tokens_of(text)))


def test_more_than_sixteen_tokens_are_cut_and_said_so() -> None:
    assert parse(" ".join(f"w{number}" for number in range(17))).cut
    assert not parse(" ".join(f"w{number}" for number in range(16))).cut


@pytest.mark.parametrize("text", ["", "   ", "---", '"', "*", "\0", "NEAR("])
def test_query_syntax_is_data(text: str) -> None:
    assert parse(text).tokens == (("near",) if text == "NEAR(" else ())


def test_an_empty_query_matches_nothing() -> None:
    assert match(Query((), ""), SearchText(names="anything")) is None
