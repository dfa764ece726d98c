"""How far a text is from what was asked for: the rule word by word, beside the one that reads whole texts."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from cache_core.search_rules import SearchText, Tier, WeightClass, edits, guess, parse, reach

WORDS = st.sampled_from(["valve", "valv", "vlave", "alve", "oval", "motor", "moter", "va", "4021", "4022", "402"])
TEXTS = st.lists(WORDS, max_size=3).map(" ".join)


def edits_to(token: str, word: str, tier: Tier) -> int | None:
    """Return how far a token is from one word."""
    if word.startswith(token):
        return 0
    if tier is Tier.SUBSTRING:
        return 0 if len(token) >= 3 and token in word else None
    far = OSA.distance(token, word)
    return far if far <= reach(token) and not token.isdigit() and not word.isdigit() else None


def nearest(query: str, text: SearchText, tier: Tier) -> tuple[int, WeightClass] | None:
    """Return the least sum of edits, and the first class that has it."""
    classes = [part.split() for part in text.by_class()]
    classes.append([word for part in classes for word in part])
    found: list[tuple[int, WeightClass]] = []
    for place, words in zip(WeightClass, classes, strict=True):
        fewest = [
            min((far for word in words if (far := edits_to(token, word, tier)) is not None), default=None)
            for token in parse(query).tokens
        ]
        known = [far for far in fewest if far is not None]
        if fewest and len(known) == len(fewest):
            found.append((sum(known), place))
    return min(found, default=None)


@pytest.mark.parametrize("tier", [Tier.SUBSTRING, Tier.TYPO])
@given(query=TEXTS, parts=st.tuples(TEXTS, TEXTS, TEXTS, TEXTS))
@example(query="valv moter", parts=("", "vlave oval", "motor", "valve moter"))
@example(query="valve motor", parts=("valv", "moter", "vlave", "motor"))
@example(query="vlave moter", parts=("valve motor", "valve", "moter", ""))
@example(query="402", parts=("", "4021", "", ""))
def test_the_nearest_class_is_the_first_with_the_fewest_edits(
    tier: Tier, query: str, parts: tuple[str, str, str, str]
) -> None:
    text = SearchText(*parts)
    assert guess(parse(query), text, tier) == nearest(query, text, tier)


@pytest.mark.parametrize(
    ("token", "words", "tier", "far"),
    [
        ("valv", "oval valve", Tier.TYPO, 0),
        ("vlave", "motor oval valve", Tier.TYPO, 1),
        ("vlave", "motor vlav valve vlave2", Tier.TYPO, 0),
        ("al", "valve", Tier.SUBSTRING, None),
        ("alv", "valve", Tier.SUBSTRING, 0),
        ("alv", "va lve", Tier.SUBSTRING, None),
        ("alve", "valve", Tier.TOKENS, None),
        ("val", "valve", Tier.TOKENS, 0),
        ("4021", "4022", Tier.TYPO, None),
        ("٣٤٥", "٣٤٦", Tier.TYPO, 1),
        ("x", "", Tier.TYPO, None),
    ],
)
def test_a_token_is_compared_with_each_word_of_a_text(token: str, words: str, tier: Tier, far: int | None) -> None:
    assert edits(token, words, tier) == far
