r"""Text rules of search, once for content and query: fold, split at `\W` and `_`, prefix-match, rank.

Refuses query syntax: quotes, `NEAR`, `*`, NUL and a megabyte of anything are data.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from rapidfuzz.distance import OSA

RULES = 3
"""Raised when the same record comes to another search text: rows that are stored are then indexed anew."""

MAX_QUERY_CHARACTERS = 256
MAX_QUERY_TOKENS = 16
MAX_TEXT_CHARACTERS = 20_000
SHORTEST_PART = 3
"""Characters from which a token may stand inside a word, or be a misspelt one."""

_ONE_EDIT = 4
_NUMBER = re.compile(r"[0-9]+")

_SEPARATORS = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_BLANK = re.compile(r"\s")
_PHONE = re.compile(r"[+(]{0,2}[0-9][0-9 ()./-]{3,}[0-9]", re.ASCII)
# Latin letters that do not decompose into a base letter and a mark.
_LATIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "\u0131": "i"}
)


class WeightClass(IntEnum):
    """Where a text stands, best first: a hit in a business key outranks one in a name, and so on."""

    KEYS = 0
    NAMES = 1
    EXTRAS = 2
    RELATED = 3
    SPREAD = 4
    """No single class matched every token of the query; only a result, never a place."""


class Tier(IntEnum):
    """How a hit was found, best first."""

    EXACT = 0
    TOKENS = 1
    SUBSTRING = 2
    TYPO = 3


@dataclass(frozen=True, slots=True)
class SearchText:
    """What is searchable of one record: normalised tokens joined by spaces, one string per weight class.

    `codes` are whole normalised values of keys and extras, for exact hits: `("00 4021 018 003", EXTRAS)`. Codes without
    their separators count a class less: `("004021018003", RELATED)`.
    """

    keys: str = ""
    names: str = ""
    extras: str = ""
    related: str = ""
    codes: tuple[tuple[str, WeightClass], ...] = ()

    def by_class(self) -> tuple[str, str, str, str]:
        """Return the four strings in the order of `WeightClass`."""
        return (self.keys, self.names, self.extras, self.related)

    @property
    def sort_name(self) -> str:
        """What hits of equal standing are ordered by: the name, or the key where there is no name."""
        return self.names or self.keys or self.extras


@dataclass(frozen=True, slots=True)
class Query:
    """A query after the text rules.

    Attributes:
        tokens: distinct tokens in the order given, at most 16 of the first 256 characters.
        code: the tokens joined by spaces, repeats kept: compared with `SearchText.codes`.
        cut: whether something of the given text was left out.
    """

    tokens: tuple[str, ...]
    code: str
    cut: bool = field(default=False)


def fold(text: str) -> str:
    """Return the text without case and, in Latin script only, without diacritics (`Tür` → `tur`)."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(_fold_character(character) for character in folded)


def tokens_of(text: str) -> list[str]:
    r"""Return the tokens of a text: folded, split at `\W` and `_`, repeats kept."""
    return [token for token in _SEPARATORS.split(fold(text[:MAX_TEXT_CHARACTERS])) if token]


def normalised(text: str) -> str:
    """Return the tokens of a text joined by single spaces."""
    return _normalised_short(text) if len(text) <= MAX_QUERY_CHARACTERS else " ".join(tokens_of(text))


@lru_cache(maxsize=4096)
def _normalised_short(text: str) -> str:
    # Records of a page share names and options, and a code is asked for twice.
    return " ".join(tokens_of(text))


def unseparated(text: str, place: WeightClass) -> str | None:
    """Return a code without its separators, or None for what is no code or has none.

    A key is a code, and so are a phone number and an extra without blanks that has a digit: notes and names are none.
    """
    plain = _DIGIT.search(text) is not None and not _BLANK.search(text)
    is_code = place is WeightClass.KEYS or plain or _PHONE.fullmatch(text.strip()) is not None
    tokens = normalised(text) if is_code and len(text) <= MAX_QUERY_CHARACTERS else ""
    return tokens.replace(" ", "") if " " in tokens else None


def parse(text: str) -> Query:
    """Return the query for a text that a person typed; never raises, whatever the text."""
    tokens = tokens_of(text[:MAX_QUERY_CHARACTERS])
    distinct = tuple(dict.fromkeys(tokens))
    cut = len(text) > MAX_QUERY_CHARACTERS or len(distinct) > MAX_QUERY_TOKENS
    return Query(distinct[:MAX_QUERY_TOKENS], " ".join(tokens), cut)


def match(query: Query, text: SearchText) -> tuple[Tier, WeightClass] | None:
    """Return how the text answers the query: exact code, else every token as a prefix of some token."""
    exact = [place for code, place in text.codes if code == query.code]
    if exact:
        return Tier.EXACT, min(exact)
    if not query.tokens:
        return None
    classes = [f" {part}" for part in text.by_class()]
    for place, part in enumerate(classes):
        if all(f" {token}" in part for token in query.tokens):
            return Tier.TOKENS, WeightClass(place)
    everything = "".join(classes)
    if all(f" {token}" in everything for token in query.tokens):
        return Tier.TOKENS, WeightClass.SPREAD
    return None


def guess(query: Query, text: SearchText, tier: Tier) -> tuple[int, WeightClass] | None:
    """Return how a text that `match` refuses may still be meant: edits in all, and where they are fewest.

    Each token stands for a word of one class, or of all of them together, as `edits` says.
    """
    classes = [part.split() for part in text.by_class()]
    classes.append([word for part in classes for word in part])
    totals = ((_edits_of_all(query, words, tier), place) for place, words in zip(WeightClass, classes, strict=True))
    return min(((total, place) for total, place in totals if total is not None and query.tokens), default=None)


def edits(token: str, word: str, tier: Tier) -> int | None:
    """Return how many edits lie between a token and the word it stands for; None where it does not.

    None lie between a token and a word that it begins, or, for the substring tier, stands inside.
    """
    if word.startswith(token):
        return 0
    if tier is Tier.SUBSTRING:
        return 0 if len(token) >= SHORTEST_PART and token in word else None
    return _distance(token, word) if tier is Tier.TYPO else None


def reach(token: str) -> int:
    """Return how far a misspelt token may be from its word: less for short ones, nothing below three characters."""
    return 0 if len(token) < SHORTEST_PART else 1 if len(token) <= _ONE_EDIT else 2


def is_number(token: str) -> bool:
    """Return whether a token is digits alone: never a typo, for another number is another thing."""
    return _NUMBER.fullmatch(token) is not None


def _edits_of_all(query: Query, words: Sequence[str], tier: Tier) -> int | None:
    total = 0
    for token in query.tokens:
        fewest = min((far for word in words if (far := edits(token, word, tier)) is not None), default=None)
        if fewest is None:
            return None
        total += fewest
    return total


@lru_cache(maxsize=32_768)
def _distance(token: str, word: str) -> int | None:
    allowed = reach(token)
    if not allowed or is_number(token) or is_number(word):
        return None
    far = OSA.distance(token, word, score_cutoff=allowed)
    return far if far <= allowed else None


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character.isascii():
        return character
    decomposed = unicodedata.normalize("NFD", character)
    if len(decomposed) > 1 and unicodedata.name(decomposed[0], "").startswith("LATIN"):
        return decomposed[0].translate(_LATIN)
    if unicodedata.combining(character):
        return "" if unicodedata.name(character, "").startswith("COMBINING") else character
    return character.translate(_LATIN)
