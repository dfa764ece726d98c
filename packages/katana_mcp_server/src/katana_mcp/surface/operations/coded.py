"""A query that is shaped like the account's numbers or codes is one first: what has it comes first, a miss is said."""

from collections.abc import Iterator, Mapping, Sequence

from cache_core.conditions import EVERYTHING
from cache_core.indexing import parents_of
from cache_core.protocol import Search, Stored
from cache_core.records import Record
from cache_core.search_rules import Query, normalised, parse
from cache_core.spec import EntitySpec, Parents, Place, texts_at
from katana_mcp.references.code_shapes import codes_in, is_numbered, plain
from katana_mcp.references.display_names import titled
from katana_mcp.references.resolve import read_items
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import did_you_mean, near_misses
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.rows import Sourced
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory

_SHOWN = 10
"""Rows that are named for each field in which the query stands."""


async def number_alone(entity: Entity, query: str, services: Services) -> str:
    """Return the number of a query that is one behind words for its kind, `purchase order PO-7`; else the query."""
    *words, last = query.split()
    kind = {*entity.title.split(), *entity.titles.split(), *_NUMBER}
    if not words or not all(word.strip("#.:").casefold() in kind for word in words):
        return query
    return last if any([await services.codes.number(source, last) for source in entity.sources]) else query


_NUMBER = ("number", "no", "nr")


async def brought_first(entity: Entity, searches: Mapping[str, Search], services: Services) -> bool:
    """Return whether something has a code though first listings still go on: Katana is asked for it before them.

    Which shapes the codes of the account have is not known yet: a word with a digit may be one.
    """
    code = next(iter(searches.values())).text.strip()
    if len(code.split()) != 1 or not _LEAST <= len(code) <= _MOST or not any(map(str.isdigit, code)):
        return False
    if not await services.lookups.ask_first(entity.sources, code):
        return False
    specs, plain_code = services.syncer.specs, plain(code)
    owners: list[Sourced] = []
    for source, search in searches.items():
        rows = [(source, hit.row) for hit in (await services.cache.search(source, search)).hits]
        owners += [row for row in rows if plain_code in map(plain, codes_in(specs[source], row[1].record))]
    await read_items([row for source, row in owners if source == "variant"], services)
    return bool(owners)


_LEAST, _MOST = 3, 100
"""Characters of a code that is asked for before the account's codes are known."""


async def is_missed(entity: Entity, query: str, found: Sequence[Sourced], services: Services) -> bool:
    """Return whether a query is shaped like a number or a code, and nothing that was found has it.

    A code may be typed in part, so what holds it in one of its codes has it; a number is whole.
    """
    numbers = [await services.codes.number(source, query) for source in entity.sources]
    is_number = any(number is not None for number in numbers)
    if not is_number and not any([await services.codes.is_code(source, query) for source in entity.sources]):
        return False
    specs, plain_query = services.syncer.specs, plain(query)
    codes = (plain(code) for source, row in found for code in codes_in(specs[source], row.record))
    return not any(code == plain_query if is_number else plain_query in code for code in codes)


async def looked_up(entity: Entity, query: str, services: Services) -> str | None:
    """Return the number or code in the account's own spelling where something may have it by now, else None.

    Katana is asked for it, unless the cache has it in any state. A code may be a supplier's or a barcode: what is
    newest is read, which has the codes of all.
    """
    numbers = {source: await services.codes.number(source, query) for source in entity.sources}
    asked = [(source, query.strip() if number is None else number.written) for source, number in numbers.items()]
    for source, code in asked:
        match = await services.cache.find_by_key(source, code)
        if match.row is not None or match.ambiguous:
            return code
    return asked[0][1] if await services.lookups.ask(asked, newest=not any(numbers.values())) else None


async def missed(entity: Entity, query: str, found: Sequence[Sourced], services: Services) -> ToolWarning:
    """Return that nothing has the number or the code, what was found by which field instead, and what is near."""
    source = entity.sources[0]
    number = await services.codes.number(source, query)
    near = [] if number is None else await near_misses(services, source, query)
    called = query.strip() if number is None else number.written
    message = f"no {entity.title} has the {'code' if number is None else 'number'} {called}"
    past = await _past_owner(entity, called, services)
    if past is not None:
        message += f" except {'a deleted' if past.deleted else 'an archived'} one"
    places = await _places(query, found, services)
    shown = [
        f"{', '.join(names[:_SHOWN])}{' and more' if len(names) > _SHOWN else ''} by {place}"
        for place, names in places.items()
    ]
    elsewhere = f"; what was found has it elsewhere: {'; '.join(shown)}" if shown else ""
    return advisory(warning_codes.NOT_FOUND, f"{message}{elsewhere}{did_you_mean(near)}", "query")


async def _past_owner(entity: Entity, called: str, services: Services) -> Stored | None:
    """Return what has the number or the code and is deleted or archived: archived rather than deleted."""
    match = await services.cache.find_by_key(entity.sources[0], called)
    rows = [] if match.row is None else [match.row]
    for source in entity.sources if not rows else ():
        search = Search(called, limit=_SHOWN, visibility=EVERYTHING, near=False)
        found = [hit.row for hit in (await services.cache.search(source, search)).hits]
        spec = services.syncer.specs[source]
        rows += [row for row in found if plain(called) in map(plain, codes_in(spec, row.record))]
    past = [row for row in rows if row.deleted or row.archived]
    return min(past, key=lambda row: row.deleted, default=None)


async def _places(query: str, found: Sequence[Sourced], services: Services) -> dict[str, list[str]]:
    """Return what the rows are called, by the field in which what their number or code lacks of the query stands."""
    places: dict[str, list[str]] = {}
    for source in dict.fromkeys(origin for origin, _ in found):
        spec = services.syncer.specs[source]
        records = [row.record for origin, row in found if origin == source]
        parents = await parents_of(spec, records, services.cache)
        for record in records:
            name = next(codes_in(spec, record), str(spec.id_of(record)))
            place = next(_fields(spec, record, parse(query), parents), "a text like it")
            places.setdefault(place, []).append(name)
    return places


def _fields(spec: EntitySpec, record: Record, query: Query, parents: Parents) -> Iterator[str]:
    """Yield the fields in which words of the query stand: those first that hold what the number does not."""
    own = [normalised(code) for code in codes_in(spec, record)] if is_numbered(spec) else []
    lacking = [token for token in query.tokens if not any(_stands(token, code) for code in own)]
    for tokens in ([lacking] if lacking else []) + [list(query.tokens)]:
        for place in (place for places in spec.searchable.by_class() for place in places):
            texts = [normalised(text) for text in texts_at(place, record, parents)]
            if any(_stands(token, text) for token in tokens for text in texts):
                yield _called(place)


def _stands(token: str, text: str) -> bool:
    return f" {token}" in f" {text}"


def _called(place: Place) -> str:
    if isinstance(place, str):
        return titled(place.replace("[]", "").replace(".", " "))
    return titled(f"{place.entity} {' or '.join(place.fields)}".replace("[]", ""))
