"""Near misses in their own spelling, and keys that are right but for case and blanks around them."""

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Search, Selection, Stored
from cache_core.records import RecordId, values_at
from cache_core.search_rules import Tier, tokens_of
from cache_core.spec import EntitySpec
from katana_mcp.references.code_shapes import Number, codes_in
from katana_mcp.references.services import Services
from katana_mcp.values import id_in


async def same_key(services: Services, entity: str, key: str) -> list[Stored]:
    """Return the live records whose business key is this one but for case and blanks around it."""
    path = services.syncer.specs[entity].key_path or "id"
    result = await services.cache.search(entity, Search(key, limit=50))
    return [hit.row for hit in result.hits if same(str(hit.row.record.get(path)), key)]


async def near_misses(services: Services, entity: str, text: str, limit: int = 3) -> list[str]:
    """Return texts like the one given that would find something, whole codes where there are any."""
    spec = services.syncer.specs[entity]
    if meant := await _meant(services, entity, text):
        return meant
    number = await services.codes.number(entity, text)
    if number is not None:
        return await near_numbers(services, entity, number, limit)
    candidates = await services.cache.suggest(entity, text, limit)
    spelt = [(candidate, await _spelt(services, spec, candidate)) for candidate in candidates]
    whole = [code for _, code in spelt if code is not None]
    return list(dict.fromkeys(whole or candidates))


async def _meant(services: Services, entity: str, text: str) -> list[str]:
    """Return the numbers of live documents that a text stands for, but for how it is written."""
    path, numbers = services.syncer.specs[entity].key_path or "id", await services.codes.meant(entity, text)
    where = (OneOf(path, tuple(number for number in numbers if number != text)),)
    stored = await services.cache.select(entity, Selection(where, Order("id"), _FEW)) if numbers else ()
    return list(dict.fromkeys(code for row in stored if isinstance(code := row.record.get(path), str)))


_FEW = 3


async def near_numbers(services: Services, entity: str, number: Number, limit: int = 3) -> list[str]:
    """Return the numbers of live documents that one slip of the hand makes of this one, the nearest first."""
    path, near = services.syncer.specs[entity].key_path or "id", number.near()
    stored = await services.cache.select(entity, Selection((OneOf(path, tuple(near)),), Order("id"), len(near)))
    there = {code for row in stored if isinstance(code := row.record.get(path), str)}
    return sorted(there & near.keys(), key=lambda code: (*near[code], code))[:limit]


async def near_keys(services: Services, entity: str, text: str, limit: int = 3) -> list[str]:
    """Return business keys that the text may stand for: of what has it as another code, then of what is like it."""
    spec = services.syncer.specs[entity]
    if meant := await _meant(services, entity, text):
        return meant
    number = await services.codes.number(entity, text)
    if number is not None:
        return await _near_number(services, entity, number, limit)
    keys = (_key(spec, row) for row in await near_rows(services, entity, text, limit))
    return list(dict.fromkeys(key for key in keys if key is not None))[:limit]


async def near_rows(services: Services, entity: str, text: str, limit: int = 3) -> list[Stored]:
    """Return live records that a text may stand for, so many of it and of each text like it, the likest first."""
    found: dict[RecordId, Stored] = {}
    for candidate in (text, *await services.cache.suggest(entity, text, limit)):
        result = await services.cache.search(entity, Search(candidate, limit=limit))
        for hit in result.hits:
            found.setdefault(hit.row.id, hit.row)
    return list(found.values())


async def _near_number(services: Services, entity: str, number: Number, limit: int) -> list[str]:
    """Return the number in the account's own spelling where a live document has it, else those near it."""
    match = await services.cache.find_by_key(entity, number.written)
    is_there = bool(match.ambiguous) or (match.row is not None and not match.row.deleted)
    return [number.written] if is_there else await near_numbers(services, entity, number, limit)


def did_you_mean(near: Iterable[str]) -> str:
    """Return the end of a sentence that offers what is near; nothing where nothing is."""
    offered = ", ".join(map(repr, near))
    return f"; did you mean {offered}?" if offered else ""


async def instead(services: Services, entity: str, text: str) -> str:
    """Return the end of a sentence about a key that nothing has: keys near it, else all that there are, if few."""
    near = await near_keys(services, entity, text)
    if near:
        return did_you_mean(near)
    spec = services.syncer.specs[entity]
    rows = await services.cache.select(entity, Selection(order=Order("id"), limit=_ALL + 1))
    keys = [key for row in rows if (key := _key(spec, row)) is not None]
    return f"; there are {', '.join(map(repr, keys))}" if 0 < len(keys) == len(rows) <= _ALL else ""


_ALL = 5
"""Keys that are named where that is all."""


async def texts_like(services: Services, entity: str, path: str, text: str) -> list[str]:
    """Return the texts at a path of records that this text, or one like it, finds, the likeliest first."""
    found: list[str] = []
    for candidate in (text, *await services.cache.suggest(entity, text, _CANDIDATES)):
        result = await services.cache.search(entity, Search(candidate, limit=_HITS))
        values = (value for hit in result.hits for value in values_at(hit.row.record, path))
        found += [value for value in values if isinstance(value, str) and 0 < len(value) <= _LONGEST]
    asked = _plain(text)
    likeness = {value: SequenceMatcher(None, asked, _plain(value)).ratio() for value in found}
    return sorted(
        (value for value in likeness if likeness[value] >= _LIKE), key=lambda value: (-likeness[value], value)
    )


_CANDIDATES, _HITS, _LIKE, _LONGEST = 3, 50, 0.6, 256


def same(text: str, other: str) -> bool:
    """Return whether two texts are the same but for case and blanks around them."""
    return _plain(text) == _plain(other)


def named_by[T](
    asked: int | str, records: Iterable[T], key: Callable[[T], int | None], name: Callable[[T], str | None]
) -> list[T]:
    """Return those with an id or a name: to the letter, else but for case and blanks around it, else by an id."""
    every, asked_id = [*records], asked if isinstance(asked, int) else id_in(asked)
    having = [record for record in every if asked_id is not None and key(record) == asked_id]
    if isinstance(asked, int):
        return having
    exact = [record for record in every if name(record) == asked]
    return exact or [record for record in every if same(name(record) or "", asked)] or having


def _plain(text: str) -> str:
    return text.strip().casefold()


def _key(spec: EntitySpec, row: Stored) -> str | None:
    value = row.record.get(spec.key_path or "id")
    return value if isinstance(value, str) and value else None


async def _spelt(services: Services, spec: EntitySpec, candidate: str) -> str | None:
    """Return the code that the candidate is, as it is written, or None when it is only a part or a name."""
    result = await services.cache.search(spec.name, Search(candidate, limit=1))
    exact = [hit for hit in result.hits if hit.tier is Tier.EXACT]
    asked = "".join(tokens_of(candidate))
    return next(
        (code for hit in exact for code in codes_in(spec, hit.row.record) if "".join(tokens_of(code)) == asked), None
    )
