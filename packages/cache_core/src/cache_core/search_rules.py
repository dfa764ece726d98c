r"""Text rules of search, once for content and query: fold, split at `\W` and `_`, prefix-match, rank.

Refuses query syntax: quotes, `NEAR`, `*`, NUL and a megabyte of anything are data.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

RULES = 3
"""Raised when the same record comes to another search text: rows that are stored are then indexed anew."""

MAX_QUERY_CHARACTERS = 256
MAX_QUERY_TOKENS = 16
MAX_TEXT_CHARACTERS = 20_000
SHORTEST_PART = 3
"""Characters from which a token may stand inside a word, or be a misspelt one."""

SHORTEST_RUN = 4
"""Characters from which a text without separators may be a part of a code that has some."""

_ONE_EDIT = 4
_LONG_CODE = 8

_SEPARATORS = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_BLANK = re.compile(r"\s")
_PHONE = re.compile(r"[+(]{0,2}[0-9][0-9 ()./-]{3,}[0-9]", re.ASCII)
_SMALL = frozenset(
    ["an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"]
)
_ASCII = {code: " " if _SEPARATORS.match(chr(code)) else chr(code).lower() for code in range(128)}
"""What each ASCII character is in a folded text, and a blank where it separates."""

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


_PLACES = (WeightClass.KEYS, WeightClass.NAMES, WeightClass.EXTRAS, WeightClass.RELATED)
CODES = ((WeightClass.KEYS, WeightClass.NAMES), (WeightClass.EXTRAS, WeightClass.RELATED))
"""The classes of texts that hold codes, and as which those count without their separators."""
_CODED = frozenset(place for place, _ in CODES)


class Tier(IntEnum):
    """How a hit was found, best first; each tier after `TOKENS` is tried only where those before it found nothing."""

    EXACT = 0
    """A whole code."""
    TOKENS = 1
    """Every token begins a word."""
    SUBSTRING = 2
    """A guess: every token begins a word or stands inside one."""
    CODE = 3
    """The query is a part of a code, typed without the code's separators."""
    JOINED = 4
    """A guess: the query is two words of the text, written as one."""
    TYPO = 5
    """A guess: every token is nearly a word."""
    PARTIAL = 6
    """At least half of the words are there, see `words_missing`."""


AFTER_A_MISS = (Tier.SUBSTRING, Tier.CODE, Tier.JOINED, Tier.TYPO, Tier.PARTIAL)
GUESSES = frozenset({Tier.SUBSTRING, Tier.JOINED, Tier.TYPO})
"""The tiers that only a backend with the capability has."""


type Sources = tuple[Collection[str], ...]
"""The names of the sources of texts of each class, in the order of `WeightClass`."""


@dataclass(frozen=True, slots=True)
class SearchText:
    """What is searchable of one record: normalised tokens joined by spaces, one string per weight class.

    `codes` are whole normalised values of keys and extras, for exact hits: `("00 4021 018 003", EXTRAS)`. Codes without
    their separators count a class less: `("004021018003", RELATED)`. `sources` are what it was made from, and `made_of`
    makes the text of some of them, where that is known.
    """

    keys: str = ""
    names: str = ""
    extras: str = ""
    related: str = ""
    codes: tuple[tuple[str, WeightClass], ...] = ()
    sources: Sources = field(default=(), compare=False, repr=False)
    made_of: "Callable[[Sources], SearchText] | None" = field(default=None, compare=False, repr=False)

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
        words: what stands between blanks, as tokens: `fork 35-M` are `("fork",)` and `("35", "m")`.
        run: the tokens without anything between them, where they may be a part of a code; otherwise empty.
    """

    tokens: tuple[str, ...]
    code: str
    cut: bool = field(default=False)
    words: tuple[tuple[str, ...], ...] = ()
    run: str = ""


def fold(text: str) -> str:
    """Return the text without case and, in Latin script only, without diacritics (`Tür` → `tur`)."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(_fold_character(character) for character in folded)


def tokens_of(text: str) -> list[str]:
    r"""Return the tokens of a text: folded, split at `\W` and `_`, repeats kept."""
    start = text[:MAX_TEXT_CHARACTERS]
    if start.isascii():
        return start.translate(_ASCII).split()
    return [token for token in _SEPARATORS.split(fold(start)) if token]


def normalised(text: str) -> str:
    """Return the tokens of a text joined by single spaces."""
    return _normalised_short(text) if len(text) <= MAX_QUERY_CHARACTERS else " ".join(tokens_of(text))


@lru_cache(maxsize=4096)
def _normalised_short(text: str) -> str:
    # Records of a page share names and options, and a code is asked for twice.
    return " ".join(tokens_of(text))


def words_and_code(text: str, place: WeightClass) -> tuple[str, str | None]:
    """Return the tokens of a text joined by single spaces, and what it is as a code without its separators.

    None for what is no code or has no separators. A key is a code, and so are a phone number and an extra without
    blanks that has a digit: names and notes are none.
    """
    if place not in _CODED:
        return normalised(text), None
    words = " ".join(tokens_of(text))  # Codes of records differ, unlike their names: they are not remembered.
    if " " not in words or len(text) > MAX_QUERY_CHARACTERS:
        return words, None
    return words, words.replace(" ", "") if place is WeightClass.KEYS or _is_code(text) else None


def _is_code(text: str) -> bool:
    plain = _DIGIT.search(text) is not None and not _BLANK.search(text)
    return plain or _PHONE.fullmatch(text.strip()) is not None


def parse(text: str) -> Query:
    """Return the query for a text that a person typed; never raises, whatever the text."""
    return _parsed(text[:MAX_QUERY_CHARACTERS], len(text) > MAX_QUERY_CHARACTERS)


@lru_cache(maxsize=256)
def _parsed(text: str, is_longer: bool) -> Query:
    # One search asks for it up to seven times.
    tokens = tokens_of(text)
    distinct = tuple(dict.fromkeys(tokens))[:MAX_QUERY_TOKENS]
    cut = is_longer or len(set(tokens)) > MAX_QUERY_TOKENS
    chunks = map(tokens_of, text.split())
    words = tuple(dict.fromkeys(tuple(chunk) for chunk in chunks if chunk and set(chunk) <= set(distinct)))
    run = "".join(tokens) if len(words) == 1 and not cut else ""
    return Query(distinct, " ".join(tokens), cut, words, run if len(run) >= SHORTEST_RUN else "")


def is_small(word: tuple[str, ...]) -> bool:
    """Return whether a word says nothing by itself: a letter, a digit, or one of the commonest of English."""
    return all(len(token) == 1 or token in _SMALL for token in word)


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
    """Return how a text that `match` refuses may still be meant: how far it is from that, and where it is nearest.

    How far is counted in edits; for `PARTIAL` in words that are missing; a part of a code is not far at all.
    """
    if tier is Tier.CODE:
        places = [place for code, place in text.codes if query.run in code and " " not in code]
        return (0, min(places)) if query.run and places else None
    if tier is Tier.JOINED:
        looks = [f" {first} {second}" for first, second in halves(query)]
        parts = zip(_PLACES, text.by_class(), strict=True)
        return next(((0, place) for place, part in parts if any(look in f" {part}" for look in looks)), None)
    if tier is Tier.PARTIAL:
        return _part(query, text)
    return _nearest(query, text, tier) if query.tokens else None


def halves(query: Query) -> Sequence[tuple[str, str]]:
    """Return the two words that a query of one token may be, of three characters or more each."""
    word = query.run if len(query.tokens) == 1 else ""
    return [(word[:at], word[at:]) for at in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)]


def _nearest(query: Query, text: SearchText, tier: Tier) -> tuple[int, WeightClass] | None:
    """Return the class in which all tokens are nearest, or all classes where they are nearer in these together."""
    if len(query.tokens) == 1:
        return _nearest_class(query.tokens[0], text, tier)
    best: tuple[int, WeightClass] | None = None
    fewest: list[list[int | None]] = []
    for place, part in zip(_PLACES, text.by_class(), strict=True):
        fewest.append([edits(token, part, tier) for token in query.tokens])
        total = _sum(fewest[-1])
        if total is not None and (best is None or total < best[0]):
            best = total, place
            if not total:
                return best
    spread = _sum([min((far for far in row if far is not None), default=None) for row in zip(*fewest, strict=True)])
    return best if spread is None or (best is not None and best[0] <= spread) else (spread, WeightClass.SPREAD)


def _nearest_class(token: str, text: SearchText, tier: Tier) -> tuple[int, WeightClass] | None:
    """Return the class in which a token is nearest: all classes together are not nearer to it than one of them."""
    best: tuple[int, WeightClass] | None = None
    for place, part in zip(_PLACES, text.by_class(), strict=True):
        far = edits(token, part, tier)
        if far is not None and (best is None or far < best[0]):
            best = far, place
            if not far:
                break
    return best


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def words_missing(query: Query, text: SearchText) -> tuple[str, ...]:
    """Return the words of a query that a text does not hold, each as its tokens joined by spaces.

    A word is held where each of its tokens begins a word of the text; of a small one, where each of them is one.
    """
    padded = f" {' '.join(text.by_class())} "
    return tuple(" ".join(sought.word) for sought in _sought(query) if not sought.stands_in(padded))


def carriers(query: Query) -> tuple[tuple[str, ...], ...]:
    """Return the words that a partial hit may rest on: of three characters or more, numbers only in long codes."""
    return tuple(sought.word for sought in _sought(query) if sought.carries)


class _Sought(NamedTuple):
    """A word of a query: how its tokens look in a text, whether it is small, and whether a hit may rest on it."""

    word: tuple[str, ...]
    looks: tuple[str, ...]
    small: bool
    carries: bool

    def stands_in(self, padded: str) -> bool:
        """Return whether each token stands in a text with a space at each end."""
        return all(look in padded for look in self.looks)


@lru_cache(maxsize=64)
def _sought(query: Query) -> tuple[_Sought, ...]:
    sought: list[_Sought] = []
    for word in query.words:
        small = is_small(word)
        looks = tuple(f" {token} " if small else f" {token}" for token in word)
        telling = any(len(token) >= SHORTEST_PART and not is_number(token) for token in word if token not in _SMALL)
        sought.append(_Sought(word, looks, small, telling or len("".join(word)) >= _LONG_CODE))
    return tuple(sought)


def _part(query: Query, text: SearchText) -> tuple[int, WeightClass] | None:
    """Return how many words are missing, and the class that holds all others.

    None where fewer than half of those that are not small are there, or none of those that a hit may rest on.
    """
    sought = _sought(query)
    padded = f" {' '.join(text.by_class())} "
    there = [word for word in sought if word.stands_in(padded)]
    lacking = sum(not word.small for word in sought) - 2 * sum(not word.small for word in there)
    if len(sought) == 1 or lacking > 0 or not any(word.carries for word in there):
        return None
    parts = zip(_PLACES, text.by_class(), strict=True)
    held = (place for place, part in parts if all(word.stands_in(f" {part} ") for word in there))
    return len(sought) - len(there), next(held, WeightClass.SPREAD)


def edits(token: str, words: str, tier: Tier) -> int | None:
    """Return how many edits lie between a token and the nearest word that it may stand for; None where there is none.

    None lie between a token and a word that it begins, or, for the substring tier, stands inside.

    Args:
        token: of a query.
        words: of a record, joined by spaces.
        tier: what the token may be.
    """
    if words.startswith(token) or f" {token}" in words:
        return 0
    if tier is Tier.SUBSTRING:
        return 0 if len(token) >= SHORTEST_PART and token in words else None
    return _fewest_edits(token, words) if tier is Tier.TYPO else None


def _fewest_edits(token: str, words: str) -> int | None:
    allowed, length = reach(token), len(token)
    fewest: int | None = None
    for word in words.split():
        # Most words are too long, too short or numbers: less work to see than to look for a distance known before.
        if -allowed <= len(word) - length <= allowed and not is_number(word):
            far = _distance(token, word)
            if far is not None and (fewest is None or far < fewest):
                fewest = far
    return fewest


def reach(token: str) -> int:
    """Return how far a misspelt token may be from its word: less for short ones, nothing below three characters."""
    return 0 if len(token) < SHORTEST_PART else 1 if len(token) <= _ONE_EDIT else 2


def is_number(token: str) -> bool:
    """Return whether a token is digits alone: never a typo, for another number is another thing."""
    return token.isdigit() and token.isascii()


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
