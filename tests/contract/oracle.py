"""What search must find, by the text rules alone; what is found after a miss depends on declared capabilities."""

from collections.abc import Sequence

from cache_core.conditions import Visibility
from cache_core.protocol import Capability, Row, SearchResult
from cache_core.records import RecordId
from cache_core.search_rules import AFTER_A_MISS, GUESSES, Query, Tier, WeightClass, guess, match, parse

type Expected = list[tuple[Tier, WeightClass, RecordId]]


def oracle(rows: Sequence[Row], text: str, visibility: Visibility, able: frozenset[Capability]) -> Expected:
    """Return every hit in order: how it was found, where, and its id."""
    query = parse(text)
    shown = [
        row for row in rows if (visibility.deleted or not row.deleted) and (visibility.archived or not row.archived)
    ]
    ranked = sorted((*how, row.text.sort_name, row.id) for row in shown if (how := match(query, row.text)) is not None)
    found = [(tier, place, row_id) for tier, place, _, row_id in ranked]
    needs = dict.fromkeys((Tier.SUBSTRING, Tier.JOINED), Capability.SUBSTRING) | {Tier.TYPO: Capability.TYPO}
    for tier in AFTER_A_MISS:
        if not found and (tier not in needs or needs[tier] in able):
            found = guessed(shown, query, tier)
    return found


def is_lawful(found: SearchResult, reference: SearchResult) -> bool:
    """Return whether a backend found what the reference did, or guessed where that one missed or guesses nothing."""
    nothing_shown = not found.hits and not reference.hits and bool(found.total)
    guessed = any(hit.tier in GUESSES for hit in found.hits[:1])
    return (
        found == reference
        or nothing_shown
        or (guessed and all(found.hits[0].tier < hit.tier for hit in reference.hits))
    )


def guessed(rows: Sequence[Row], query: Query, tier: Tier) -> Expected:
    """Return what a tier after a miss finds."""
    ranked = sorted(
        (*how, row.text.sort_name, row.id) for row in rows if (how := guess(query, row.text, tier)) is not None
    )
    return [(tier, place, row_id) for _, place, _, row_id in ranked]
