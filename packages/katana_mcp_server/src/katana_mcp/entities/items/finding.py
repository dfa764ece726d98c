"""One item by id, exact name or SKU; what several items have is refused with the candidates."""

from katana_mcp.entities.items.headers import ITEM_TYPES, ItemType
from katana_mcp.references.display_names import none_yet, service_variants, text
from katana_mcp.references.resolve import none_at_all, read_items
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import did_you_mean, near_keys, same_key
from katana_mcp.surface.operations.rows import Sourced
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import get_int, id_in


async def one_item(id_or_name: int | str, kind: ItemType | None, services: Services) -> Sourced:
    """Return the item with this id (integer), exact name or SKU (text), in any soft state.

    Raises:
        Refused: nothing has it, or several items have and no type tells them apart.
    """
    kinds = (kind,) if kind else ITEM_TYPES
    found = await _found(id_or_name, kinds, services)
    if not found:
        named = [(entity, id_or_name) for entity in (*kinds, *(("variant",) if isinstance(id_or_name, str) else ()))]
        found = await _found(id_or_name, kinds, services) if await services.lookups.ask(named) else []
    live = [item for item in found if not (item[1].deleted or item[1].archived)]
    if len(live) == 1 or len(found) == 1:
        return (live or found)[0]
    if not found:
        raise Refused(blocking(warning_codes.NOT_FOUND, await _missing(id_or_name, kinds, services), "item_id"))
    candidates = ", ".join(f"{source} {row.id} ({text(row.record, 'name')})" for source, row in (live or found)[:5])
    message = (
        f"{len(live or found)} items have the id, name or SKU {id_or_name!r}; "
        f"name one by id and `item_type`: {candidates}"
    )
    raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, message, "item_id"))


async def _found(id_or_name: int | str, kinds: tuple[ItemType, ...], services: Services) -> list[Sourced]:
    if isinstance(id_or_name, int):
        return await _by_id(id_or_name, kinds, services)
    found = [item for kind in kinds for item in await _by_name(id_or_name, kind, services)]
    found = found or await _by_sku(id_or_name, kinds, services)
    number = id_in(id_or_name)
    return found if found or number is None else await _by_id(number, kinds, services)


async def _by_id(item_id: int, kinds: tuple[ItemType, ...], services: Services) -> list[Sourced]:
    return [(kind, row) for kind in kinds for row in (await services.cache.get_many(kind, [item_id])).rows]


async def _by_name(name: str, kind: ItemType, services: Services) -> list[Sourced]:
    match = await services.cache.find_by_key(kind, name)
    if match.ambiguous:
        return [(kind, row) for row in (await services.cache.get_many(kind, match.ambiguous)).rows]
    found = [match.row] if match.row is not None else await same_key(services, kind, name)
    return [(kind, row) for row in found]


async def _by_sku(sku: str, kinds: tuple[ItemType, ...], services: Services) -> list[Sourced]:
    match = await services.cache.find_by_key("variant", sku)
    variants = list((await services.cache.get_many("variant", match.ambiguous)).rows) if match.ambiguous else []
    variants = variants or ([match.row] if match.row is not None else await same_key(services, "variant", sku))
    variants += await service_variants(services.cache, "sku", [sku])
    await read_items(variants, services)
    named = dict.fromkeys(
        (kind, item_id)
        for row in variants
        for kind in kinds
        if (item_id := get_int(row.record, f"{kind}_id")) is not None
    )
    return [(kind, row) for kind, item_id in named for row in (await services.cache.get_many(kind, [item_id])).rows]


async def _missing(id_or_name: int | str, kinds: tuple[ItemType, ...], services: Services) -> str:
    called = " or ".join(kinds)
    missing = (
        f"{called} {id_or_name} not found"
        if isinstance(id_or_name, int)
        else f"no {called} has the name or SKU {id_or_name!r}"
    )
    if await none_at_all(services, *ITEM_TYPES):
        return f"{missing}; {none_yet('items')}"
    if isinstance(id_or_name, int):
        return missing
    near = [key for entity in (*kinds, "variant") for key in await near_keys(services, entity, id_or_name)]
    return f"{missing}{did_you_mean(dict.fromkeys(near[:3]))}"
