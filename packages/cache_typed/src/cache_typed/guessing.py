"""Search after a miss: tokens that stand inside words, then tokens that are nearly words.

The words propose rows, and `cache_core.text.guess` decides. Both are bounded by counts, never by time; what was left
out makes the answer say `cut`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from cache_core.conditions import hold
from cache_core.protocol import Capability, Search
from cache_core.text import Query, SearchText, Tier, WeightClass, guess
from cache_typed import dialect, words
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.reading import Keyed, load, narrowed
from cache_typed.words import MAX_STEPS, Budget

MAX_ROWS = 2_000
"""Rows that one guess ranks at most: those with the greatest keys."""

MAX_PROPOSED = 600
"""Words that all tokens together may stand for at most."""

TIERS = ((Capability.SUBSTRING, Tier.SUBSTRING), (Capability.TYPO, Tier.TYPO))
"""What is tried after a miss, in this order, each only after the one before it missed."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """Rows that may be meant, best first.

    Attributes:
        tier: how they were found.
        rows: the best rows with their places, at most as many as asked for.
        total: how many there are in all; a lower bound when `cut`.
        cut: whether something was left out.
    """

    tier: Tier = Tier.TYPO
    rows: tuple[tuple[WeightClass, Keyed], ...] = ()
    total: int = 0
    cut: bool = False


class _Candidate(NamedTuple):
    """A row that may be meant; candidates sort best first."""

    edits: int
    place: WeightClass
    sort: str
    tie: int | str
    nr: int


def guesses(db: Connection, layout: Layout, request: Search, query: Query) -> Guessed:
    """Return the rows of the first tier that finds any."""
    budget = Budget(MAX_STEPS)
    for capability, tier in TIERS:
        if capability not in layout.mapping.guesses:
            continue
        meant = _meant(db, layout, query, tier, budget)
        if not any(meant.values()):
            continue
        found = _candidates(db, layout, request, _Asked(query, tier, meant), budget)
        rows, total = _kept(db, layout, request, found)
        if total:
            return Guessed(tier, rows, total, budget.spent)
    return Guessed(cut=budget.spent)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query with the words that each of its tokens may stand for."""

    query: Query
    tier: Tier
    meant: dict[str, list[str]]


def _meant(db: Connection, layout: Layout, query: Query, tier: Tier, budget: Budget) -> dict[str, list[str]]:
    most = max(1, MAX_PROPOSED // len(query.tokens))
    if tier is Tier.TYPO:
        return words.near(db, layout.name, query.tokens, budget, most)
    return {token: words.holding(db, layout.name, token, budget, most) for token in query.tokens}


def _candidates(db: Connection, layout: Layout, request: Search, asked: _Asked, budget: Budget) -> list[_Candidate]:
    clause, _ = narrowed(db, layout, request.where, request.visibility)
    name, tie = layout.name, layout.pk if layout.id_is_pk else "cache_id"
    wanted = dialect.one_of_each([(token, asked.meant.get(token, [])) for token in asked.query.tokens])
    match = dialect.text_matches(name, clause.bind(wanted))
    columns = (layout.pk, tie, "cache_sort", *dialect.TEXT_COLUMNS)
    sql = (
        f"SELECT {', '.join(f'{name}.{column}' for column in columns)} FROM {dialect.text_rows(name, layout.pk)}"
        f" WHERE {clause.sql(match)} ORDER BY {dialect.newest_text_first(name)}"
    )
    found: list[_Candidate] = []
    for nr, tied, sort, *texts in budget.rows(db, sql, clause.values, MAX_ROWS):
        keys, names, extras, related = map(str, texts)
        how = guess(asked.query, SearchText(keys, names, extras, related), asked.tier)
        if how is not None:
            found.append(_Candidate(*how, str(sort), tied if isinstance(tied, int) else str(tied), int(str(nr))))
    return sorted(found)


def _kept(
    db: Connection, layout: Layout, request: Search, found: list[_Candidate]
) -> tuple[tuple[tuple[WeightClass, Keyed], ...], int]:
    """Return the best rows that meet the conditions, and how many there are."""
    _, checked = narrowed(db, layout, request.where, request.visibility)
    taken = found if checked else found[: request.limit]
    loaded = {each.nr: each for each in load(db, layout, [each.nr for each in taken])}
    rows = [(each.place, loaded[each.nr]) for each in taken]
    if not checked:
        return tuple(rows), len(found)
    kept = [each for each in rows if hold(request.where, each[1].row.record)]
    return tuple(kept[: request.limit]), len(kept)
