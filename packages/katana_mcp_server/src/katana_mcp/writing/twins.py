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
        spec = services.syncer.specs[action.entity]
        made, number = (state.result or {}).get("id"), action.fields.get(spec.key_path or "")
        if action.method != "POST" or action.part is not None or made is None or not isinstance(number, str):
            continue
        others = [found for found in await _having(action.entity, number, services) if found != made]
        if others:
            what = "name" if spec.key_path == "name" else "number: change one of them"
            told = f"{action.title}: {', '.join(map(str, others[:5]))} have the same {what}"
            warnings.append(advisory(warning_codes.DUPLICATE_NUMBER, told))
    return warnings


async def _having(entity: str, number: str, services: Services) -> list[object]:
    try:
        await services.fresh.read_keys_again(entity, [number])
        match = await services.cache.find_by_key(entity, number)
    except (SourceUnavailable, CacheError):
        return []
    live = match.row is not None and not match.row.deleted
    return list(match.ambiguous) or ([match.row.id] if match.row is not None and live else [])
