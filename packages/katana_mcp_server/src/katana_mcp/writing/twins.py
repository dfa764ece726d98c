"""The number of a document that was just made, looked up again: another may have it, made elsewhere at that moment."""

from collections.abc import Sequence

from cache_core.errors import CacheError, SourceUnavailable
from katana_mcp.journal.entries import ActionState
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import Action


async def twins(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
    """Return that other live documents have the number of one that was made; where Katana does not say, nothing."""
    warnings: list[ToolWarning] = []
    for action, state in done:
        spec = services.syncer.specs.get(action.entity)
        if spec is None:
            continue
        made, number = (state.result or {}).get("id"), action.fields.get(spec.key_path or "")
        if action.method != "POST" or action.part is not None or made is None or not isinstance(number, str):
            continue
        others = [found for found in await _having(action, number, services) if found != made]
        if others:
            what = spec.key_path if spec.key_path in {"name", "label"} else "number"
            then = ": change one of the numbers" if what == "number" else ""
            message = f"{action.title}: the {what} is also that of {', '.join(map(str, others[:5]))}{then}"
            warnings.append(advisory(warning_codes.DUPLICATE_NUMBER, message))
    return warnings


async def _having(action: Action, number: str, services: Services) -> list[object]:
    """Return the ids of live documents with the number, of its kind where each kind has numbers of its own."""
    entity = action.entity
    try:
        await services.fresh.read_keys_again(entity, [number])
        match = await services.cache.find_by_key(entity, number)
        # What was just made is stored: whoever shares its number makes it ambiguous.
        rows = (await services.cache.get_many(entity, match.ambiguous)).rows if match.ambiguous else ()
    except (SourceUnavailable, CacheError):
        return []
    look = action.recognise
    kind = {name: value for name, value in action.fields.items() if look is not None and name in look.filters}
    key = services.syncer.specs[entity].key_path
    return [row.id for row in rows if all(row.record.get(name) == kind[name] for name in kind if name != key)]
