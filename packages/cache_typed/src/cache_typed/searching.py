"""Search: exact codes from their index, then tokens from the full-text index, then guesses, ranked by the text rules.

The full-text index proposes, and the prefix test of `cache_core.search_rules.match` decides; for one word that many
rows hold, both say the same, and the index decides alone.
"""

from dataclasses import dataclass
from typing import NamedTuple

from cache_core.conditions import LIVE, hold
from cache_core.protocol import Hit, Search, SearchResult, Stored
from cache_core.search_rules import Query, Tier, WeightClass, parse
from cache_core.spec import read_of_hits
from cache_core.suggest import MAX_TERMS, nearest
from cache_typed import dialect, one_word
from cache_typed.compiling import Clause, compiled
from cache_typed.dialect import Connection
from cache_typed.fuzzy import after_a_miss
from cache_typed.mapping import Layout
from cache_typed.reading import load_kept, narrowed, shown
from cache_typed.transactions import takes_long
from cache_typed.unchanged import Question, question, unchanged

MAX_CANDIDATES = 20_000
"""Rows that one search ranks at most; a broader query ranks those with the greatest keys and says `cut`."""

_REACH = 2
_MAX_CHECKED = 200
_LAST = "\U0010ffff"
_TELLING, _FEW = 4, 500
"""Characters from which a number may be asked for alone, and the rows that may hold it then."""


class _Ranked(NamedTuple):
    """A row that answers the query."""

    nr: int
    tier: Tier
    place: WeightClass


def sought(layout: Layout, request: Search) -> Question | None:
    """Return the question of `search`; None for one that is read in any case."""
    return question(request.where, layout, request)


def search(db: Connection, layout: Layout, request: Search) -> SearchResult:
    """Return the best rows for a text that a person typed; after a miss, those of the first tier that finds any."""
    return unchanged(db, sought(layout, request), lambda: _search(db, layout, request), lambda found: len(found.hits))


def _search(db: Connection, layout: Layout, request: Search) -> SearchResult:
    query = parse(request.text)
    if not query.tokens:
        return SearchResult(cut=query.cut)
    found = _certain(db, layout, request, query)
    if found.total or not request.near:
        return found
    takes_long()
    missed = after_a_miss(db, layout, request, query)
    return SearchResult(missed.hits, missed.total, found.cut or missed.cut)


def _certain(db: Connection, layout: Layout, request: Search, query: Query) -> SearchResult:
    checked = bool(request.where) and narrowed(db, layout, request.where, request.visibility)[1]
    limit = MAX_CANDIDATES if checked else request.limit
    exact, exact_total = _tier(db, layout, request, _Exact(query), limit)
    many = None if exact_total else _many_of_one_word(db, layout, request, query)
    tokens, token_total = many or _tier(db, layout, request, _Tokens(query, _asked_of_index(db, layout, query)), limit)
    cut = query.cut or max(exact_total, token_total) > MAX_CANDIDATES
    ranked, read = exact + tokens, read_of_hits(layout.spec, request.fields)
    if not checked:
        found = _load(db, shown(layout, read), ranked[: request.limit])
        total = min(exact_total, MAX_CANDIDATES) + min(token_total, MAX_CANDIDATES)
    else:
        kept = [pair for pair in _load(db, layout, ranked) if hold(request.where, pair[1].record)]
        found, total = [(how, row.projected(read)) for how, row in kept[: request.limit]], len(kept)
    return SearchResult(tuple(Hit(row, how.tier, how.place) for how, row in found), total, cut)


def _many_of_one_word(
    db: Connection, layout: Layout, request: Search, query: Query
) -> tuple[list[_Ranked], int] | None:
    """Return what a tier of tokens finds, where indexes alone can tell it; no row may have the query as its code."""
    if len(query.tokens) != 1 or request.where or not layout.mapping.guesses:
        return None
    best = one_word.best_of_many(db.execute, layout, [dialect.prefixes(query.tokens)], request, MAX_CANDIDATES + 1)
    if best is None:
        return None
    rows, total = best
    return [_Ranked(row.nr, Tier.TOKENS, row.place) for row in rows], min(total, MAX_CANDIDATES + 1)


def _asked_of_index(db: Connection, layout: Layout, query: Query) -> tuple[str, ...]:
    """Return the tokens that the index is asked for: of a code, the number in it where few rows hold that.

    Every row may hold the `SO` of `SO-1042`: the index makes a list of them all before it meets the other one.
    """
    numbers = [token for token in query.tokens if len(token) >= _TELLING and not token.isalpha()]
    if not numbers or len(query.tokens) == 1:
        return query.tokens
    number = max(numbers, key=len)
    matches = dialect.text_matches(layout.name, "?")
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {layout.name}_fts WHERE {matches} LIMIT {_FEW + 1})"
    (count,) = db.execute(sql, (dialect.prefixes((number,)),)).fetchone()
    return (number,) if count <= _FEW else query.tokens


def terms(db: Connection, layout: Layout, token: str) -> list[str]:
    """Return the terms of live rows that may correct a token, and one that it begins, if there is one."""
    takes_long()
    table = f"{layout.name}_terms"
    like = f"SELECT term FROM {table} WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? LIMIT ?"
    span = (len(token) - _REACH, len(token) + _REACH)
    near = [term for (term,) in db.execute(like, (token[0], token[0] + _LAST, *span, MAX_TERMS))]
    alike = [term for far, term in nearest(token, near) if far][:_MAX_CHECKED]
    begins = f"SELECT term FROM {table} WHERE term >= ? AND term < ? LIMIT ?"
    begun = [term for (term,) in db.execute(begins, (token, token + _LAST, _MAX_CHECKED))]
    first = next((term for term in begun if _is_live(db, layout, term)), None)
    return [term for term in alike if _is_live(db, layout, term)] + ([] if first is None else [first])


def _is_live(db: Connection, layout: Layout, term: str) -> bool:
    clause = compiled(layout, (), LIVE)
    name = layout.name
    match = dialect.text_matches(name, clause.bind(dialect.term(term)))
    sql = f"SELECT 1 FROM {dialect.text_rows(name, layout.pk)} WHERE {clause.sql(match)} LIMIT 1"
    return db.execute(sql, clause.values).fetchone() is not None


def finds(db: Connection, layout: Layout, candidate: str) -> bool:
    """Return whether a search for this text has a live hit, guesses aside."""
    query = parse(candidate)
    return bool(query.tokens) and bool(_certain(db, layout, Search(candidate, limit=1, visibility=LIVE), query).hits)


def _load(db: Connection, layout: Layout, ranked: list[_Ranked]) -> list[tuple[_Ranked, Stored]]:
    rows = load_kept(db, layout, [candidate.nr for candidate in ranked])
    return [(candidate, rows[candidate.nr]) for candidate in ranked]


@dataclass(frozen=True, slots=True)
class _Exact:
    """Rows one of whose codes is the whole query."""

    query: Query
    tier = Tier.EXACT

    @property
    def values(self) -> tuple[str, ...]:
        """What `source` binds, in this order."""
        return (self.query.code,)

    def source(self, layout: Layout, clause: Clause) -> tuple[str, str]:
        """Return where the rows come from, and what their place is."""
        name, (code,) = layout.name, map(clause.bind, self.values)
        source = (
            f"(SELECT nr, min(place) AS place FROM {name}_code WHERE code = {code} GROUP BY nr) AS found"
            f" CROSS JOIN {name} ON {name}.{layout.pk} = found.nr"
        )
        return source, "found.place"


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Rows every token of the query begins some token of, without the exact ones.

    Attributes:
        query: what is asked.
        asked: the tokens that the index is asked for; the text of its rows is asked for all.
    """

    query: Query
    asked: tuple[str, ...]
    tier = Tier.TOKENS

    @property
    def values(self) -> tuple[str, ...]:
        """What `source` binds, in this order."""
        return (dialect.prefixes(self.asked), self.query.code, *(f" {token}" for token in self.query.tokens))

    def source(self, layout: Layout, clause: Clause) -> tuple[str, str]:
        """Return where the rows come from, and what their place is."""
        name = layout.name
        expression, code, *padded = map(clause.bind, self.values)
        clause.parts.append(dialect.text_matches(name, expression))
        clause.parts.append(f"{name}.{layout.pk} NOT IN (SELECT nr FROM {name}_code WHERE code = {code})")
        texts = [f"' ' || {name}.{column}" for column in dialect.TEXT_COLUMNS]
        places = [
            (" AND ".join(dialect.holds(text, token) for token in padded), place) for place, text in enumerate(texts)
        ]
        spread = " AND ".join(dialect.holds(" || ".join(texts), token) for token in padded)
        cases = " ".join(f"WHEN {test} THEN {place}" for test, place in (*places, (spread, 4)))
        return dialect.text_rows(name, layout.pk), f"CASE {cases} END"


def _tier(
    db: Connection, layout: Layout, request: Search, how: _Exact | _Tokens, limit: int
) -> tuple[list[_Ranked], int]:
    """Return the best rows of a tier, and how many there are up to one more than are ranked at most."""
    bounds = (MAX_CANDIDATES + 1, max(limit, 1))
    form = (how.tier, len(how.values), request.visibility)
    sql = None if request.where else layout.statements.get(form)
    if sql is not None:
        clause = Clause(values={f"v{place}": value for place, value in enumerate((*how.values, *bounds))})
    else:
        clause, _ = narrowed(db, layout, request.where, request.visibility)
        sql = _statement(layout, how, clause, bounds)
        if not request.where:
            layout.statements[form] = sql
    rows = db.execute(sql, clause.values).fetchall()
    total = rows[0][2] if rows else 0
    return [_Ranked(nr, how.tier, WeightClass(at)) for nr, at, _ in rows[:limit]], total


def _statement(layout: Layout, how: _Exact | _Tokens, clause: Clause, bounds: tuple[int, int]) -> str:
    """Return the statement for the best rows of a tier that meet the clause, as many of them as the bounds say.

    Without conditions its text, and the order in which it binds values, depend on how many of these there are alone.
    """
    name, tie = layout.name, layout.pk if layout.id_is_pk else "cache_id"
    source, place = how.source(layout, clause)
    most, limit = map(clause.bind, bounds)
    # Counted beside the best rows, not over all of them: a window would keep each row once more to sort it.
    return (
        f"WITH found AS (SELECT {name}.{layout.pk} AS nr, {name}.{tie} AS tie,"
        f" {name}.cache_sort AS sort, {place} AS place FROM {source} WHERE {clause.sql()}"
        f" ORDER BY {_scan_order(how, name)} LIMIT {most})"
        " SELECT nr, place, (SELECT count(place) FROM found) FROM found"
        f" WHERE place IS NOT NULL ORDER BY place, sort, tie LIMIT {limit}"
    )


def _scan_order(how: _Exact | _Tokens, name: str) -> str:
    return dialect.newest_text_first(name) if isinstance(how, _Tokens) else "found.nr DESC"
