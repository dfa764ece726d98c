"""Search after a miss: inside words, inside codes, words that are nearly right, and some of the words.

Indexes propose rows, and `cache_core.search_rules.guess` decides. All of it is bounded by counts, never by time; what
was left out makes the answer say `cut`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.conditions import hold
from cache_core.partial import MAX_LISTED, Listed, likeliest, present
from cache_core.protocol import Capability, Hit, Search, SearchResult
from cache_core.search_rules import (
    AFTER_A_MISS,
    Query,
    SearchText,
    Tier,
    WeightClass,
    carriers,
    edits,
    guess,
    halves,
    words_missing,
)
from cache_core.spec import read_of_hits
from cache_typed import code_fragments, dialect, one_word, trigrams
from cache_typed.columns import Cell
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.reading import load_kept, narrowed, shown
from cache_typed.trigrams import MAX_STEPS, Budget

MAX_ROWS = 2_000
"""Rows that one tier ranks at most: those with the greatest keys."""

MAX_PROPOSED = 600
"""Words that all tokens together may stand for at most."""

_NEEDS = {Tier.SUBSTRING: Capability.SUBSTRING, Tier.JOINED: Capability.SUBSTRING, Tier.TYPO: Capability.TYPO}
_WORD_BY_WORD = frozenset({Tier.SUBSTRING, Tier.TYPO})


@dataclass(frozen=True, slots=True)
class _FuzzyQuery:
    """A query, the tier in which it is asked, and the work that it may take."""

    request: Search
    query: Query
    tier: Tier
    budget: Budget


class _Guessed(NamedTuple):
    """A row that is meant: its key, where it is nearest, and the words that it lacks."""

    nr: int
    place: WeightClass
    missing: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    """A row of a tier that was read; candidates sort best first."""

    far: int
    place: WeightClass
    sort: str
    tie: int | str
    row: _Guessed


def after_a_miss(db: Connection, layout: Layout, request: Search, query: Query) -> SearchResult:
    """Return the best rows of the first tier that finds any, of those that the entity has."""
    budget = Budget(MAX_STEPS)
    for tier in AFTER_A_MISS:
        if tier in _NEEDS and _NEEDS[tier] not in layout.mapping.guesses:
            continue
        # Some of the words are still looked for when guesses have spent what they may.
        asked = _FuzzyQuery(request, query, tier, Budget(MAX_STEPS) if tier is Tier.PARTIAL else budget)
        guessed, count = _guessed(db, layout, asked)
        hits, total = _best_rows(db, layout, asked, guessed, count) if count else ((), 0)
        budget.spent = budget.spent or asked.budget.spent
        if total:
            return SearchResult(hits, total, budget.spent)
    return SearchResult(cut=budget.spent)


class _Source(NamedTuple):
    """Where the rows of a tier come from: the source, the condition on it, its placeholder's value, and its row ids."""

    rows: str
    condition: str
    value: str
    row_id: str


def _source(db: Connection, layout: Layout, asked: _FuzzyQuery, meant: Mapping[str, Sequence[str]]) -> _Source | None:
    """Return where the candidates come from; None where nothing can be one."""
    name, pk, query = layout.name, layout.pk, asked.query
    match asked.tier:
        case Tier.CODE:
            if not (query.run and layout.is_coded):
                return None
            parameter = code_fragments.runs_of(query.run)
            return _Source(
                code_fragments.coded_rows(name, pk),
                code_fragments.holds_run(name, "{}"),
                parameter,
                code_fragments.run_id(name),
            )
        case Tier.JOINED:
            pairs = halves(query)
            known = trigrams.whole(db, name, [first for first, _ in pairs])
            pairs = [pair for pair in pairs if pair[0] in known]
            return _by_text(layout, _one_of(pairs)) if pairs else None
        case Tier.PARTIAL:
            nrs = _with_some(db, layout, asked)
            row_id = f"{name}.{pk}"
            return _Source(name, f"{row_id} {dialect.IN_LIST}", json.dumps(nrs), row_id) if nrs else None
        case _:
            if not any(meant.values()):
                return None
            return _by_text(layout, dialect.one_of_each([(token, meant.get(token, [])) for token in query.tokens]))


def _one_of(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the full-text expression for a word and the beginning of another, of one of these pairs."""
    return " OR ".join(f"({dialect.term(first)} AND {dialect.prefixes((second,))})" for first, second in pairs)


def _by_text(layout: Layout, expression: str) -> _Source:
    name = layout.name
    rows, condition = dialect.text_rows(name, layout.pk), dialect.text_matches(name, "{}")
    return _Source(rows, condition, expression, dialect.text_id(name))


def _meant(db: Connection, layout: Layout, asked: _FuzzyQuery) -> dict[str, list[str]]:
    """Return the words that each token may stand for."""
    tokens, budget = asked.query.tokens, asked.budget
    most = max(1, MAX_PROPOSED // len(tokens))
    if asked.tier is Tier.TYPO:
        return trigrams.near(db, layout.name, tokens, budget, most)
    return {token: trigrams.holding(db, layout.name, token, budget, most) for token in tokens}


def _with_some(db: Connection, layout: Layout, asked: _FuzzyQuery) -> list[int]:
    """Return the rows that hold the most words, as far as the words' lists of rows tell."""
    if len(asked.query.words) == 1:
        return []
    listed = [_listed(db, layout, asked, word) for word in carriers(asked.query)]
    together = present(asked.query, listed)
    nrs, cut = likeliest(listed, _listed(db, layout, asked, together).rows if together else ())
    asked.budget.spent = asked.budget.spent or cut
    return nrs


def _listed(db: Connection, layout: Layout, asked: _FuzzyQuery, tokens: tuple[str, ...]) -> Listed:
    name = layout.name
    sql = (
        f"SELECT {dialect.text_id(name)} FROM {name}_fts WHERE {dialect.text_matches(name, '?')}"
        f" ORDER BY {dialect.newest_text_first(name)} LIMIT ?"
    )
    rows = asked.budget.rows(db, sql, (dialect.prefixes(tokens), MAX_LISTED + 1), MAX_LISTED + 1)
    return Listed([int(str(nr)) for (nr,) in rows[:MAX_LISTED]], len(rows) > MAX_LISTED)


def _guessed(db: Connection, layout: Layout, asked: _FuzzyQuery) -> tuple[list[_Guessed], int]:
    """Return the rows of a tier, the best at least and best first, and how many there are."""
    meant = _meant(db, layout, asked) if asked.tier in _WORD_BY_WORD else {}
    best = _best_of_many(db, layout, asked, meant)
    if best is not None:
        return best
    source = _source(db, layout, asked, meant)
    if source is None:
        return [], 0
    clause, _ = narrowed(db, layout, asked.request.where, asked.request.visibility)
    name, tie = layout.name, layout.pk if layout.id_is_pk else "cache_id"
    codes = ("cache_codes",) if asked.tier is Tier.CODE else ()
    columns = (layout.pk, tie, "cache_sort", *dialect.TEXT_COLUMNS, *codes)
    sql = (
        f"SELECT {', '.join(f'{name}.{column}' for column in columns)} FROM {source.rows}"
        f" WHERE {clause.sql(source.condition.format(clause.bind(source.value)))} ORDER BY {source.row_id} DESC"
    )
    found: list[_Candidate] = []
    for nr, tied, sort, *texts in asked.budget.rows(db, sql, clause.values, MAX_ROWS):
        text = _text(*texts)
        how = guess(asked.query, text, asked.tier)
        if how is not None:
            missing = words_missing(asked.query, text) if asked.tier is Tier.PARTIAL else ()
            row_id = tied if isinstance(tied, int) else str(tied)
            found.append(_Candidate(*how, str(sort), row_id, _Guessed(int(str(nr)), how[1], missing)))
    return [candidate.row for candidate in sorted(found)], len(found)


def _best_of_many(
    db: Connection, layout: Layout, asked: _FuzzyQuery, meant: Mapping[str, Sequence[str]]
) -> tuple[list[_Guessed], int] | None:
    """Return the best rows with what the only token may stand for, where indexes alone can tell them, and how many."""
    (token, *others), request = asked.query.tokens, asked.request
    words_by_edits: dict[int, list[str]] = {}
    for word in meant.get(token, ()):
        words_by_edits.setdefault(edits(token, word, asked.tier) or 0, []).append(word)
    # Of words that were left out nobody knows where they stand.
    if others or request.where or asked.budget.spent or not words_by_edits:
        return None
    levels = [one_word.one_of(words_by_edits[far]) for far in sorted(words_by_edits)]

    def rows_within(sql: str, values: dict[str, Cell]) -> list[tuple[Cell, ...]]:
        return asked.budget.rows(db, sql, values, request.limit + 1)

    best = one_word.best_of_many(rows_within, layout, levels, request, MAX_ROWS)
    if best is None or asked.budget.spent:
        return None
    rows, count = best
    asked.budget.spent = count > MAX_ROWS
    return [_Guessed(row.nr, row.place) for row in rows], min(count, MAX_ROWS)


def _text(keys: Cell, names: Cell, extras: Cell, related: Cell, codes: Cell = None) -> SearchText:
    listed = [(code, WeightClass(place)) for code, place in json.loads(str(codes))] if codes is not None else []
    return SearchText(str(keys), str(names), str(extras), str(related), tuple(listed))


def _best_rows(
    db: Connection, layout: Layout, asked: _FuzzyQuery, found: list[_Guessed], count: int
) -> tuple[tuple[Hit, ...], int]:
    """Return the best rows that meet the conditions, and how many there are."""
    request = asked.request
    _, checked = narrowed(db, layout, request.where, request.visibility)
    read = read_of_hits(layout.spec, request.fields)
    taken, projected = (found, layout) if checked else (found[: request.limit], shown(layout, read))
    loaded = load_kept(db, projected, [row.nr for row in taken])
    kept = [row for row in taken if not checked or hold(request.where, loaded[row.nr].record)]
    hits = [Hit(loaded[row.nr].projected(read), asked.tier, row.place, row.missing) for row in kept[: request.limit]]
    return tuple(hits), len(kept) if checked else count
