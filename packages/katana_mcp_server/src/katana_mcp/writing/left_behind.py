"""What Katana leaves behind of a create that it refused or failed: looked up, named, with the call that deletes it."""

from typing import TYPE_CHECKING, cast

from cache_core.records import canonical, is_set
from katana_client import KatanaClient
from katana_client.errors import KatanaError
from katana_mcp.journal.entries import ActionState, JsonObject, Plan
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import Action, resolved
from katana_mcp.writing.lost_answers import is_as_planned

if TYPE_CHECKING:
    from katana_client.filters import FilterValue
    from katana_mcp.writing.lost_answers import Listing

_NAMED = 10


async def leftovers(
    plan: Plan, action: Action, state: ActionState, client: KatanaClient
) -> tuple[ActionState, list[ToolWarning]]:
    """Return how a create ended, with the records that it left behind, and a warning for each; none if Katana is mute.

    A record counts that has the name, was not there before, and is not what was planned. Katana may list one late.

    Args:
        plan: that it belongs to; its way back is the call that deletes what is left.
        action: the create.
        state: how it ended.
        client: reads.
    """
    look = action.recognise
    if not action.leaves or look is None or state.state not in {"failed", "unknown"}:
        return state, []
    listing = cast("Listing", getattr(client, look.collection))
    try:
        page = await listing.page(1, **cast("dict[str, FilterValue]", dict(look.filters)))
    except KatanaError:
        return state, []
    found = [canonical(record) for record in page.valid_records if record.get("id") not in look.besides]
    left = [row for row in found if not is_set(row, "deleted_at") and not is_as_planned(action, row)]
    if not left:
        return state, []
    kept = {**(state.look_up or {}), "left_behind": [row.get("id") for row in left]}
    ended = ActionState(state.state, state.result, state.error, kept, at=state.at)
    return ended, [_warning(plan, action, row, state.state) for row in left[:_NAMED]]


def _warning(plan: Plan, action: Action, row: JsonObject, state: str) -> ToolWarning:
    missed = "Katana did not make it" if state == "failed" else "whether Katana made it as planned is unknown"
    message = f"{action.title}: {missed}; {action.entity} {row.get('id')} of that name is left behind"
    return advisory(warning_codes.LEFT_BEHIND, f"{message}; {_deletion(plan, row)}")


def _deletion(plan: Plan, row: JsonObject) -> str:
    call = cast("JsonObject | None", resolved(plan.shown.get("revert"), {0: row}))
    if call is None:
        return "delete it in Katana"
    given = cast("JsonObject", call["arguments"])
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"{call['tool']}({arguments}) plans to delete it"
