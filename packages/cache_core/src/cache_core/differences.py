"""How two backends' answers to one question differ, in words without data of the account."""

from cache_core.protocol import Found, KeyMatch, SearchResult, Stored
from cache_core.records import RecordId
from cache_core.search_rules import GUESSES, Tier


def difference(answer: object, other: object) -> str | None:
    """Return how the trial's answer differs from the one given, in a few words without records, or None.

    A hit that only one side can find, because substring and typo search are its declared capability, is lawful, and so
    is a hit of a later tier that the other side then still asked.
    """
    if isinstance(answer, SearchResult) and isinstance(other, SearchResult):
        return _search_difference(answer, other)
    if answer == other:
        return None
    left, right = _ids(answer), _ids(other)
    if left is None or right is None:
        return f"{_brief(answer)} against {_brief(other)}"
    if left != right:
        return f"ids {left[:10]} against {right[:10]}"
    return "same ids, other fields"


def _search_difference(answer: SearchResult, other: SearchResult) -> str | None:
    first = min((hit.tier for side in (answer, other) for hit in side.hits), default=Tier.EXACT)
    if first in GUESSES:
        return None
    sides = [[hit for hit in side.hits if hit.tier not in GUESSES] for side in (answer, other)]
    if sides[0] == sides[1]:
        return None
    left, right = ([hit.row.id for hit in side] for side in sides)
    return f"ids {left[:10]} against {right[:10]}" if left != right else "same ids, other fields or ranks"


def is_cut(answer: object) -> bool:
    """Return whether an answer was cut short by a bound or a deadline."""
    return isinstance(answer, SearchResult) and answer.cut


def _ids(answer: object) -> list[RecordId] | None:
    if isinstance(answer, Found):
        return [row.id for row in answer.rows]
    if isinstance(answer, KeyMatch):
        return [answer.row.id] if answer.row is not None else []
    if isinstance(answer, tuple):
        return [row.id for row in answer if isinstance(row, Stored)]  # pyright: ignore[reportUnknownVariableType] - rows
    return None


def _brief(answer: object) -> str:
    return str(answer) if isinstance(answer, int) else type(answer).__name__
