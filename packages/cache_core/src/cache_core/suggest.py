"""Did you mean: terms near a misspelt token, put together into queries that find something.

The same for every backend, which lends its terms and a check; refuses to look at records.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from cache_core.search_rules import Query, reach

MAX_TERMS = 5_000
"""How many terms a backend offers for one token at most."""

_MAX_TRIED = 20

type Choice = tuple[int, str]


async def suggestions(
    query: Query,
    terms: Callable[[str], Awaitable[Sequence[str]]],
    finds: Callable[[str], Awaitable[bool]],
    limit: int,
) -> tuple[str, ...]:
    """Return queries that find something, by distance from the one given, then by code point.

    Args:
        query: what was asked for.
        terms: gives the distinct terms that share a token's first character, at most `MAX_TERMS`.
        finds: says whether a search for a text has a live hit.
        limit: how many queries to return at most.
    """
    choices = [nearest(token, await terms(token)) for token in query.tokens]
    found: list[str] = []
    # A code that is written without the separators it was asked for with comes before any other word.
    for candidate in dict.fromkeys(("".join(query.tokens), *recombined(choices, _MAX_TRIED + 1))):
        if len(found) >= limit:
            break
        if candidate != " ".join(query.tokens) and await finds(candidate):
            found.append(candidate)
    return tuple(found)


def nearest(token: str, terms: Iterable[str]) -> list[Choice]:
    """Return the terms within reach of a misspelt token with their distance, nearest first.

    The token itself comes first, at distance 0, when it begins some term: then it may well be right.
    A token of one or two characters is never corrected.
    """
    allowed = reach(token)
    near: set[Choice] = set()
    for term in terms:
        if term.startswith(token):
            near.add((0, token))
        distance = OSA.distance(token, term, score_cutoff=allowed)
        if 0 < distance <= allowed:
            near.add((distance, term))
    return sorted(near)


def closest(token: str, words: Sequence[str], limit: int) -> list[str]:
    """Return the words within reach of a misspelt token, nearest first; made for many thousand words."""
    found = process.extract(token, words, scorer=OSA.distance, score_cutoff=reach(token), limit=limit)
    return [word for word, _, _ in found]


def recombined(choices: Sequence[Sequence[Choice]], limit: int) -> list[str]:
    """Return queries of one choice per token, least distance first; nothing if a token has none."""
    partial: list[tuple[int, str]] = [(0, "")] if choices else []
    for options in choices:
        grown = ((far + more, f"{start} {term}") for far, start in partial for more, term in options[:limit])
        partial = sorted(grown)[:limit]
    return [query.removeprefix(" ") for _, query in partial]
