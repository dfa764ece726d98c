"""Search: exact codes and tokens, then parts of codes, then some of the words; a bounded number of rows is ranked.

The full-text index and the table of codes only propose; the rank is decided by `cache_core.search_rules`.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

import aiosqlite

from cache_core.partial import MAX_LISTED, Listed, likeliest, present
from cache_core.records import RecordId
from cache_core.search_rules import (
    AFTER_A_MISS,
    GUESSES,
    Query,
    SearchText,
    Tier,
    WeightClass,
    carriers,
    guess,
    match,
    words_missing,
)
from cache_legacy.reading import Filter

_RANKED = 2_000
_BEST = 500
_CODES_READ = 200_000
"""Codes that are read to find one of which the query is a part: about 30 ms."""
_RANKING = "e.ref, e.id, i.sku, i.name, i.extras, i.name2"
_JOINED = "JOIN entities AS e USING (ref) JOIN entity_index AS i USING (ref)"


class Ranked(NamedTuple):
    """How a row answers a query; rows sort best first."""

    tier: Tier
    far: int
    place: WeightClass
    name: str
    is_text: bool
    row_id: RecordId
    missing: tuple[str, ...] = ()


class Answers(NamedTuple):
    """The rows that answer a query, by their `ref`, and whether there were more of them than are ranked."""

    ranked: dict[int, Ranked]
    cut: bool


async def answers(db: aiosqlite.Connection, query: Query, seen: Filter, *, near: bool) -> Answers:
    """Return the rows that hold the query, or after a miss those of the first tier that finds any, if wanted."""
    found = await _certain(db, query, seen)
    cut = found.cut
    for tier in AFTER_A_MISS if near and not found.ranked else ():
        if tier not in GUESSES and not found.ranked:
            found = await (_coded(db, query, seen) if tier is Tier.CODE else _partial(db, query, seen))
            cut = cut or found.cut
    return Answers(found.ranked, cut)


async def _certain(db: aiosqlite.Connection, query: Query, seen: Filter) -> Answers:
    """Return the rows one of whose codes is the query, or that hold each of its tokens."""
    exact = f"""SELECT {_RANKING}, min(c.place) FROM codes AS c {_JOINED}
        WHERE c.entity = e.entity AND c.code = ? AND {seen.sql} GROUP BY e.ref LIMIT {_RANKED + 1}"""
    tokens = f"""SELECT {_RANKING} FROM entity_fts AS f CROSS JOIN entities AS e ON e.ref = f.rowid
        JOIN entity_index AS i USING (ref) WHERE entity_fts MATCH ? AND {seen.sql} LIMIT ?"""
    words = _prefixes(query.tokens)
    found = list(await db.execute_fetchall(tokens, (words, *seen.values, _RANKED + 1)))
    cut = len(found) > _RANKED
    for column in ("sku", "name") if cut else ():
        found += await db.execute_fetchall(tokens, (f"{column} : ({words})", *seen.values, _BEST))
    ranked: dict[int, Ranked] = {}
    for ref, row_id, *parts in found:
        text = SearchText(*parts)
        how = match(query, text)
        if how is not None:
            ranked[ref] = Ranked(how[0], 0, how[1], text.sort_name, isinstance(row_id, str), row_id)
    for ref, row_id, *parts, place in await db.execute_fetchall(exact, (query.code, *seen.values)):
        name = SearchText(*parts).sort_name
        ranked[ref] = Ranked(Tier.EXACT, 0, WeightClass(place), name, isinstance(row_id, str), row_id)
    return Answers(ranked, cut)


async def _coded(db: aiosqlite.Connection, query: Query, seen: Filter) -> Answers:
    """Return the rows of one of whose codes the query is a part."""
    if not query.run:
        return Answers({}, cut=False)
    entity = seen.values[0]
    read = "SELECT code, place, ref FROM codes WHERE entity = ? LIMIT ?"
    sql = f"""SELECT {_RANKING}, min(c.place) FROM ({read}) AS c {_JOINED}
        WHERE instr(c.code, ?) AND NOT instr(c.code, ' ') AND {seen.sql} GROUP BY e.ref LIMIT {_RANKED + 1}"""
    found = list(await db.execute_fetchall(sql, (entity, _CODES_READ, query.run, *seen.values)))
    (codes,) = next(iter(await db.execute_fetchall(f"SELECT count(*) FROM ({read})", (entity, _CODES_READ + 1))))
    ranked: dict[int, Ranked] = {}
    for ref, row_id, *parts, place in found[:_RANKED]:
        name = SearchText(*parts).sort_name
        ranked[ref] = Ranked(Tier.CODE, 0, WeightClass(place), name, isinstance(row_id, str), row_id)
    return Answers(ranked, len(found) > _RANKED or codes > _CODES_READ)


async def _partial(db: aiosqlite.Connection, query: Query, seen: Filter) -> Answers:
    """Return the rows that hold at least half of the words."""
    if len(query.words) == 1 or not carriers(query):
        return Answers({}, cut=False)
    listed = [await _listed(db, word, seen) for word in carriers(query)]
    together = present(query, listed)
    refs, cut = likeliest(listed, (await _listed(db, together, seen)).rows if together else ())
    sql = f"""SELECT {_RANKING} FROM json_each(?) AS found JOIN entities AS e ON e.ref = found.value
        JOIN entity_index AS i USING (ref) WHERE {seen.sql}"""
    ranked: dict[int, Ranked] = {}
    for ref, row_id, *parts in await db.execute_fetchall(sql, (json.dumps(refs), *seen.values)):
        text = SearchText(*parts)
        how = guess(query, text, Tier.PARTIAL)
        if how is not None:
            missing = words_missing(query, text)
            ranked[ref] = Ranked(Tier.PARTIAL, *how, text.sort_name, isinstance(row_id, str), row_id, missing)
    return Answers(ranked, cut)


async def _listed(db: aiosqlite.Connection, tokens: Iterable[str], seen: Filter) -> Listed:
    sql = """SELECT f.rowid FROM entity_fts AS f CROSS JOIN entities AS e ON e.ref = f.rowid
        WHERE entity_fts MATCH ? AND e.entity = ? ORDER BY f.rowid DESC LIMIT ?"""
    rows = await db.execute_fetchall(sql, (_prefixes(tokens), seen.values[0], MAX_LISTED + 1))
    refs = [ref for (ref,) in rows]
    return Listed(refs[:MAX_LISTED], len(refs) > MAX_LISTED)


def _prefixes(tokens: Iterable[str]) -> str:
    return " ".join(f'"{token}"*' for token in tokens)
