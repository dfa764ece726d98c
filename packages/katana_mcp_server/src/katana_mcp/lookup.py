"""One record by id or business key, or a refusal that helps to find the right one."""

from cache_core.protocol import Stored
from katana_mcp.names import titled
from katana_mcp.near import near_keys, same_key
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import id_in


async def one_record(services: Services, entity: str, wanted: int | str, key: str) -> Stored:
    """Return the record with this id (integer, or a text of digits) or business key (text), in any soft state.

    Args:
        services: the tenant's services.
        entity: the cache entity.
        wanted: the id or the business key.
        key: the business key, in words.

    Raises:
        Refused: nothing has it, or several live records share the key.
    """
    argument = f"{entity}_id"
    found = await _by_id(services, entity, wanted) if isinstance(wanted, int) else []
    if isinstance(wanted, str):
        await services.fresh.read_missing_keys(entity, [wanted])
        match = await services.cache.find_by_key(entity, wanted)
        if match.ambiguous:
            ids = ", ".join(map(str, match.ambiguous[:5]))
            message = f"{len(match.ambiguous)} {titled(entity)}s have the {key} {wanted!r}; name one by id: {ids}"
            raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, message, argument))
        found = [match.row] if match.row is not None else await _otherwise(services, entity, wanted)
    if len(found) == 1:
        return found[0]
    raise Refused(blocking(warning_codes.NOT_FOUND, await _missing(services, entity, wanted, key), argument))


async def _missing(services: Services, entity: str, wanted: int | str, key: str) -> str:
    title = titled(entity)
    if isinstance(wanted, int):
        return f"{title} {wanted} not found"
    near = await near_keys(services, entity, wanted)
    hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
    return f"no {title} has the {key} {wanted!r}{hint}"


async def _by_id(services: Services, entity: str, wanted: int) -> list[Stored]:
    await services.fresh.read_missing(entity, [wanted])
    return list((await services.cache.get_many(entity, [wanted])).rows)


async def _otherwise(services: Services, entity: str, wanted: str) -> list[Stored]:
    """Return the live records whose key is this but for case and blanks around it; else the one with this id."""
    number = id_in(wanted)
    same = await same_key(services, entity, wanted)
    return same or (await _by_id(services, entity, number) if number is not None else [])
