"""One planned action sent once, and the truth about how it ended. Never sends anything twice."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from cache_core.errors import SourceUnavailable
from cache_core.records import canonical
from katana_client import KatanaClient
from katana_client.errors import InvalidRequest, KatanaError, KatanaUnavailable, RateLimited, RequestRejected
from katana_client.exchange import Body, Call
from katana_client.filters import FilterValue
from katana_client.normalise import normalise
from katana_client.page import Page
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action, resolved
from katana_mcp.writing.meaning import differing, holds
from katana_mcp.writing.preview import shown_value

if TYPE_CHECKING:
    from katana_client.collection import Collection

_CERTAINLY_NOT = (RequestRejected, RateLimited, KatanaUnavailable, InvalidRequest)
"""Katana refused it, or it never left."""


class Listing(Protocol):
    """A collection that can be listed."""

    spec: Any

    async def page(self, number: int, **filters: FilterValue) -> Page[Any]:
        """Return one page."""
        ...


async def send(action: Action, answers: Mapping[int, JsonObject], client: KatanaClient) -> ActionState:
    """Send an action, and look up what became of it where no answer says so.

    Args:
        action: what to send.
        answers: of the actions before it, for its references.
        client: sends.
    """
    body = None if action.body is None else cast("Body", resolved(action.body, answers))
    try:
        answer = await client.send(Call(action.method, action.path, (), body))
    except _CERTAINLY_NOT as error:
        return ActionState("failed", error=str(error))
    except KatanaError as error:
        return await look_up(action, client, str(error))
    record = _record(action, answer.value, client)
    if action.method == "DELETE" or record is not None:
        return ActionState("applied", record)
    found = await look_up(action, client, "")
    return ActionState("applied", found.result, look_up=found.look_up)


async def look_up(action: Action, client: KatanaClient, why: str) -> ActionState:
    """Return how an action ended whose outcome nobody saw: applied where Katana shows it, else unknown.

    Katana's listings can lag minutes behind a write, so one that does not show it proves nothing.

    Args:
        action: what was sent, or may have been.
        client: reads.
        why: what is known of the failure.
    """
    look = action.recognise
    if look is None:
        return ActionState("unknown", error=why or None, look_up={"found": "nothing can tell this action"})
    filters = cast("dict[str, FilterValue]", dict(look.filters))
    asked = f"GET /{look.collection} {', '.join(f'{name}={value}' for name, value in filters.items())}"
    try:
        page = await cast("Listing", getattr(client, look.collection)).page(1, **filters)
    except KatanaError as error:
        return ActionState("unknown", error=why or None, look_up={"asked": asked, "error": str(error)})
    rows = [each for each in page.valid_records if each.get("id") not in look.besides]
    fitting = rows if action.method == "DELETE" else [each for each in rows if holds(action.expects, canonical(each))]
    told = {"asked": asked, "rows": len(rows), "as_planned": len(fitting)}
    if action.method == "DELETE":
        return ActionState("unknown", None, why, told) if rows else ActionState("applied", None, None, told)
    if len(fitting) == 1:
        return ActionState("applied", canonical(fitting[0]), None, told)
    return ActionState("unknown", None, why, told)


def surprises(action: Action, state: ActionState) -> list[ToolWarning]:
    """Return what Katana's answer says otherwise than was planned."""
    found = state.result or {}
    return [
        ToolWarning(
            severity="advisory",
            code=warning_codes.UNEXPECTED_RESULT,
            message=f"{action.title}: {name} is {shown_value(found[name])}, not {shown_value(action.expects[name])}",
        )
        for name in differing(action.expects, found)
    ]


async def put_through(action: Action, state: ActionState, services: Services) -> list[ToolWarning]:
    """Let the cache show an applied action at once; return why it does not where that fails."""
    syncer = services.syncer
    try:
        if action.method == "DELETE":
            await syncer.delete_through(action.entity, action.record or 0)
        elif state.result:
            known = [each for each in syncer.specs[action.entity].children if each in state.result]
            whole = action.method == "POST" and len(known) == len(syncer.specs[action.entity].children)
            await syncer.write_through(action.entity, state.result, knows=None if whole else known)
    except SourceUnavailable as error:
        message = f"{action.title}: the cache does not show it yet ({error}); the next sync brings it"
        return [ToolWarning(severity="info", code=warning_codes.CACHE_WRITE_FAILED, message=message)]
    return []


def _record(action: Action, value: object, client: KatanaClient) -> JsonObject | None:
    if not isinstance(value, dict):
        return None
    collection = cast("Collection", getattr(client, action.path.split("/")[1]))
    return canonical(normalise(cast("dict[str, object]", value), collection.spec.model))
