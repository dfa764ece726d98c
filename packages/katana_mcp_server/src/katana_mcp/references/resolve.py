"""Every record that a request names: from the cache, else from Katana, else a refusal that helps to find it."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import Any

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selected, Selection, Stored
from cache_core.records import Record, RecordId, canonical
from katana_client.errors import KatanaError
from katana_client.page import Page
from katana_mcp.references.display_names import VARIANT_PARENTS, look_up, none_yet, service_variants, text, titled
from katana_mcp.references.live_lookups import Asked
from katana_mcp.references.namesakes import details_of, told_apart
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import instead, same_key
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.values import get_int, id_in

_MOST = 10_000
_SHARED = 60.0
"""Seconds for which plans that are applied by one call share a record that was read."""
EXPLAINED = 20
"""Unknown SKUs of one call that are looked for in any spelling, and for which near misses are looked up."""


async def one_record(services: Services, entity: str, id_or_key: int | str, key: str) -> Stored:
    """Return the record with this id (integer, or a text of digits) or business key (text), in any soft state.

    Args:
        services: the tenant's services.
        entity: the cache entity.
        id_or_key: the id or the business key.
        key: the business key, in words.

    Raises:
        Refused: nothing has it, or several live records share the key.
    """
    argument = f"{entity}_id"
    found = (await resolved(services, [(entity, id_or_key)]))[entity, id_or_key]
    if len(found) == 1:
        return found[0]
    if found:
        name = str(id_or_key)
        names = await look_up(services.cache, {"variant": [row.record.get("variant_id") for row in found[:5]]})
        apart = told_apart([(name, details_of(entity, row.record, names)) for row in found[:5]])
        known = [f" ({called})" if called != name else "" for called in apart]
        ids = ", ".join(f"{row.id}{details}" for row, details in zip(found, known, strict=False))
        message = f"{len(found)} {titled(entity)}s have the {key} {id_or_key!r}; name one by id: {ids}"
        raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, message, argument))
    raise Refused(blocking(warning_codes.NOT_FOUND, await _missing(services, entity, id_or_key, key), argument))


async def resolved(
    services: Services, asked: Iterable[Asked], already_matched: Collection[Asked] = ()
) -> dict[Asked, Sequence[Stored]]:
    """Return the records that are named, by what names them; Katana is asked for all that the cache does not have.

    A name is an id, a business key to the letter, else but for case and blanks around it, or an id in digits. Katana
    is not asked for what is known to be the name of something in another way.
    """
    names = list(dict.fromkeys(asked))
    found = await _cached(names, services)
    unknown = [name for name in names if name not in already_matched and _may_be_new(name, found[name])]
    if unknown and await services.lookups.ask(unknown):
        found |= await _cached(unknown, services)
        await read_items([row for name in unknown if name[0] == "variant" for row in found[name]], services)
    return found


def _may_be_new(asked: Asked, found: Sequence[Stored]) -> bool:
    """Return whether Katana may have what the cache does not: a name whose owner is deleted may belong to another."""
    return not found or (isinstance(asked[1], str) and all(row.deleted for row in found))


async def _cached(asked: Sequence[Asked], services: Services) -> dict[Asked, Sequence[Stored]]:
    goods = [value for entity, value in asked if entity == "variant"]
    variants = await cached_variants(goods, services) if goods else {}
    return {
        (entity, value): variants.get(value, []) if entity == "variant" else await _named(entity, value, services)
        for entity, value in asked
    }


async def _named(entity: str, value: int | str, services: Services) -> Sequence[Stored]:
    if isinstance(value, int):
        return (await services.cache.get_many(entity, [value])).rows
    match = await services.cache.find_by_key(entity, value)
    if match.ambiguous:
        return (await services.cache.get_many(entity, match.ambiguous)).rows
    same = [match.row] if match.row is not None else await same_key(services, entity, value)
    number = id_in(value)
    return same if same or number is None else await _named(entity, number, services)


async def read_items(variants: Sequence[Stored], services: Services) -> bool:
    """Read the items of variants that have just come: a variant without its item has no name and no unit.

    Returns False where that was tried and did not work.
    """
    are_read = True
    for path, entity in VARIANT_PARENTS:
        ids = {item for row in variants if (item := get_int(row.record, path)) is not None}
        async with services.lookups.account.turn(entity):  # who waits finds what the other one read
            missing = (await services.cache.get_many(entity, list(ids), frozenset())).missing if ids else ()
            if missing:
                are_read = await services.fresh.read_again(entity, missing) and are_read
    return are_read


async def live_record(services: Services, entity: str, stored: Stored) -> Stored:
    """Return a record that was found as it is in Katana now, whatever is cached of it, in any soft state.

    Raises:
        Refused: Katana does not say how it is.
    """
    await as_they_are_now(services, entity, [stored.id])
    return (await services.cache.get_many(entity, [stored.id])).rows[0]


def check_not_deleted(called: str, record: Record, argument: str, *, deleted: bool) -> list[ToolWarning]:
    """Return what speaks against changing a record that is deleted: `sales order SO-1`, as the argument names it."""
    at = text(record, "deleted_at")
    message = f"{called} was deleted in Katana{f' at {at}' if at else ''}"
    return [blocking(warning_codes.NOT_FOUND, message, argument)] if deleted else []


async def as_they_are_now(services: Services, entity: str, ids: Sequence[RecordId]) -> None:
    """Read records from Katana by their ids, whatever is cached of them.

    Raises:
        Refused: Katana does not say how they are.
    """
    if ids and not await services.fresh.read_again(entity, ids):
        which = ", ".join(map(str, ids[:5]))
        raise Refused(unasked(f"how {titled(entity)} {which} {'is' if len(ids) == 1 else 'are'} now"))


async def read_anew(services: Services, records: Mapping[str, Iterable[int]]) -> None:
    """Read records from Katana, one request per collection; plans of one call share what it read.

    A variant of a service comes with that, which holds it.

    Args:
        services: the tenant's services.
        records: their ids by cache entity.

    Raises:
        Refused: Katana does not say how they are.
    """
    ids_by_entity = {entity: set(ids) for entity, ids in records.items()}
    for sold in await service_variants(services.cache, "id", sorted(ids_by_entity.get("variant", ()))):
        ids_by_entity["variant"].discard(get_int(sold.record, "id") or 0)
        ids_by_entity.setdefault("service", set()).add(get_int(sold.record, "service_id") or 0)
    now, read_at = services.clock.monotonic(), {} if services.read_at is None else services.read_at
    for entity, ids in ids_by_entity.items():
        due = [key for key in sorted(ids) if read_at.get((entity, key), -_SHARED) <= now - _SHARED]
        await as_they_are_now(services, entity, due)
        read_at |= {(entity, key): now for key in due}


async def live_with_key(services: Services, entity: str, key: str) -> tuple[int, ...]:
    """Return the ids of the live records that have this business key in Katana now, whatever is cached.

    Raises:
        Refused: Katana does not say.
    """
    return (await live_with_keys(services, entity, [key]))[key]


async def live_with_keys(services: Services, entity: str, keys: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the ids of the live records that have each of these business keys in Katana now, asked for at once.

    What the call shares between its plans (`services.keys_asked`) is asked for once.

    Raises:
        Refused: Katana does not say.
    """
    shared = services.keys_asked
    due = [key for key in keys if shared is None or (entity, key) not in shared]
    if due and not await services.fresh.read_keys_again(entity, due):
        raise Refused(unasked(f"whether {', '.join(map(repr, due[:5]))} {'is' if len(due) == 1 else 'are'} in use"))
    if shared is not None:
        shared.update((entity, key) for key in due)
    found: dict[str, tuple[int, ...]] = {}
    for key in keys:
        match = await services.cache.find_by_key(entity, key)
        one = () if match.row is None or match.row.deleted else (match.row.id,)
        found[key] = tuple(record_id for record_id in match.ambiguous or one if isinstance(record_id, int))
    return found


def unasked(what: str) -> ToolWarning:
    """Return that Katana did not say what a plan has to know."""
    return blocking(
        warning_codes.KATANA_UNAVAILABLE, f"Katana could not be asked {what}, so nothing was done: ask again"
    )


async def listed_now(pages: AsyncIterator[Page[Any]], what: str) -> list[Record]:
    """Return all records of a listing as Katana has them now, whatever the number of its pages.

    Raises:
        Refused: Katana does not say.
    """
    try:
        return [canonical(record) async for page in pages for record in page.valid_records]
    except KatanaError as error:
        raise Refused(unasked(what)) from error


async def _missing(services: Services, entity: str, id_or_key: int | str, key: str) -> str:
    title = titled(entity)
    missing = (
        f"{title} {id_or_key} not found" if isinstance(id_or_key, int) else f"no {title} has the {key} {id_or_key!r}"
    )
    if await none_at_all(services, entity):
        return f"{missing}; {none_yet(f'{title}s')}"
    if isinstance(id_or_key, int):
        return missing
    return f"{missing}{await instead(services, entity, id_or_key)}"


async def all_listed(services: Services, *entities: str) -> bool:
    """Return whether a first listing of each has ended: what is not cached before is unknown, not missing."""
    standings = await services.cache.standings(entities)
    return all(standing.state.completed_at is not None for standing in standings.values())


async def none_at_all(services: Services, *entities: str) -> bool:
    """Return whether Katana holds no record of these at all: each is listed, and nothing came, in any state."""
    if not await all_listed(services, *entities):
        return False
    any_one = Selection(limit=1, visibility=EVERYTHING, fields=frozenset())
    return not any(await services.cache.read([Selected(entity, any_one) for entity in entities]))


async def first_rows(services: Services, entity: str, selection: Selection) -> tuple[Sequence[Stored], bool]:
    """Return the first rows of a selection, as many as its limit says, and whether there are more."""
    (found,) = await first_of_each(services, [Selected(entity, selection)])
    return found


type Rows = tuple[Sequence[Stored], bool]
"""Rows of one read, and whether there are more."""


async def first_of_each(services: Services, reads: Sequence[Selected]) -> list[Rows]:
    """Return of each of these reads what `first_rows` does."""
    limits = [read.selection.limit for read in reads]
    longer = [Selected(read.entity, read.selection.and_one_more()) for read in reads]
    found = await services.cache.read(longer)
    return [(rows[:limit], len(rows) > limit) for rows, limit in zip(found, limits, strict=True)]


async def variants_named(
    asked: Sequence[str | int], services: Services, already_matched: Collection[str | int] = ()
) -> dict[str | int, Sequence[Stored]]:
    """Return the variants per SKU or id, of those that have any, as `resolved` finds them."""
    found = await resolved(
        services, [("variant", name) for name in asked], [("variant", name) for name in already_matched]
    )
    return {value: rows for (_, value), rows in found.items() if rows}


async def named_first(asked: Sequence[str | int], services: Services) -> dict[str | int, Sequence[Stored]] | None:
    """Return the variants per SKU or id while their first listing goes on: Katana is asked for these before it.

    None where the listing has ended, or where Katana does not have all of them, or does not say what their items are.
    """
    if not await services.lookups.account.is_first_listing("variant"):
        return None
    found = await variants_named(asked, services)
    named = [row for rows in found.values() for row in rows]
    return found if len(found) == len({*asked}) and await read_items(named, services) else None


async def cached_variants(asked: Sequence[str | int], services: Services) -> dict[str | int, list[Stored]]:
    """Return the cached variants per SKU or id: by SKU, by SKU but for case and blanks, then by id.

    Past the first `EXPLAINED` SKUs that nothing has as written, only capitals and small letters are tried as well.
    """
    texts = [sku for sku in asked if isinstance(sku, str)]
    found: dict[str | int, list[Stored]] = {**await _by_sku(texts, services)}
    unknown = [sku for sku in texts if sku not in found]
    for sku in unknown[:EXPLAINED]:
        same = await same_key(services, "variant", sku)
        if same:
            found[sku] = same
    found.update(await _by_spelling(unknown[EXPLAINED:], services))
    left = {name: name if isinstance(name, int) else id_in(name) for name in asked if name not in found}
    numbers = {name: number for name, number in left.items() if number is not None}
    by_id = await _variants_by_id(list(dict.fromkeys(numbers.values())), services)
    return found | {name: [by_id[number]] for name, number in numbers.items() if number in by_id}


async def _by_spelling(skus: Sequence[str], services: Services) -> dict[str, list[Stored]]:
    """Return the live variants whose SKU is one of these without blanks around it, in capitals or small letters."""
    if not skus:
        return {}
    spelt = {sku: (sku.strip(), sku.strip().upper(), sku.strip().lower()) for sku in skus}
    every = tuple({form for forms in spelt.values() for form in forms})
    stored = await services.cache.select("variant", Selection((OneOf("sku", every),), Order("id"), _MOST))
    found = {sku: [row for row in stored if row.record["sku"] in forms] for sku, forms in spelt.items()}
    return {sku: same for sku, same in found.items() if same}


async def _by_sku(skus: Sequence[str], services: Services) -> dict[str, list[Stored]]:
    """Return the variants that have exactly these SKUs: all that are live, else the best of those that are gone."""
    if not skus:
        return {}
    where = (OneOf("sku", tuple(skus)),)
    stored = await services.cache.select("variant", Selection(where, Order("id"), _MOST, visibility=EVERYTHING))
    having: dict[str, list[Stored]] = {}
    for row in stored:
        having.setdefault(str(row.record["sku"]), []).append(row)
    for row in await service_variants(services.cache, "sku", [sku for sku in skus if sku not in having]):
        having.setdefault(str(row.record["sku"]), []).append(row)
    live = {sku: [row for row in rows if not (row.deleted or row.archived)] for sku, rows in having.items()}
    # Live before archived before deleted, then the newest, as `find_by_key` has it.
    return {sku: live[sku] or [max(reversed(rows), key=_standing)] for sku, rows in having.items()}


def _standing(row: Stored) -> tuple[bool, bool]:
    return (not row.deleted, not row.archived)


async def _variants_by_id(ids: Sequence[int], services: Services) -> dict[int | str, Stored]:
    if not ids:
        return {}
    found = await services.cache.get_many("variant", ids)
    sold = await service_variants(
        services.cache, "id", [record_id for record_id in found.missing if isinstance(record_id, int)]
    )
    return {row.id: row for row in (*found.rows, *sold)}
