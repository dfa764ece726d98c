"""How much an assistant may write: lines of a plan, what can be read whole, requests in a minute. Never cut."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from cache_core.records import iso
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.pace import WriteRequested
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import ENVELOPE_BYTES, size_of
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Draft
from katana_mcp.writing.preview import Preview

_LINES, _WRITES = "KATANA_MCP_MAX_PLAN_LINES", "KATANA_MCP_MAX_WRITES_PER_MINUTE"


def lines_of(draft: Draft) -> int:
    """Return how many lines a plan holds: those that it shows or those that it sends, whichever are more."""
    return max(len(draft.lines), sum(_lines_sent(action) for action in draft.actions))


def _lines_sent(action: Action) -> int:
    """Return how many rows the lists of a request hold; a request is a line at least."""
    held = [action.body, *action.fields.values()]
    return max(1, sum(len(cast("list[object]", value)) for value in held if isinstance(value, list)))


def too_large(draft: Draft, services: Services) -> list[ToolWarning]:
    """Return that a plan holds more than one plan may, or more requests than can ever be sent in a minute."""
    lines, writes = lines_of(draft), len(draft.actions)
    warnings: list[ToolWarning] = []
    if lines > services.most_lines:
        message = (
            f"the plan has {lines} lines, but a plan may have only {services.most_lines} ({_LINES}): plan it in parts"
        )
        warnings.append(blocking(warning_codes.PLAN_TOO_LARGE, message))
    if writes > services.most_writes:
        message = f"the plan has {writes} requests, but only {services.most_writes} may be sent in a minute ({_WRITES})"
        warnings.append(blocking(warning_codes.PLAN_TOO_LARGE, f"{message}: plan it in parts"))
    return warnings


def unreadable(preview: Preview) -> list[ToolWarning]:
    """Return that a preview does not fit into one answer: nobody could read all that would be sent."""
    size = ENVELOPE_BYTES + size_of(preview, MAX_ANSWER_BYTES)
    if size <= MAX_ANSWER_BYTES:
        return []
    message = f"the preview has {size} bytes and an answer holds {MAX_ANSWER_BYTES}, so it cannot be shown completely"
    return [blocking(warning_codes.PLAN_TOO_LARGE, f"{message}: plan it in parts, or do it in Katana")]


def no_room(until: datetime, services: Services) -> ToolWarning:
    """Return that a caller has sent all that it may in a minute, and when it may go on."""
    message = f"{services.most_writes} writes a minute are allowed ({_WRITES}) and all are used: nothing was written"
    when = f"the token stays valid, apply it again at {iso(until)} or later"
    return blocking(warning_codes.TOO_MANY_WRITES, f"{message}; {when}", "plan_tokens")


async def room_for(entries: Sequence[Entry], services: Services) -> None:
    """Refuse early what a claim would refuse, before a person is asked and before anything of it is written.

    Raises:
        Refused: all these plans together are more than may be written now.
    """
    now = services.clock.now()
    waiting = [entry for entry in entries if entry.stands(now) != "expired"]
    actions = sum(len(entry.actions) for entry in waiting)
    if len(waiting) > 1 and actions > services.most_writes:
        message = f"these plans need {actions} writes, but only {services.most_writes} a minute are allowed ({_WRITES})"
        why = f"{message}: nothing was written; apply fewer of them at once"
        raise Refused(blocking(warning_codes.TOO_MANY_WRITES, why, "plan_tokens"))
    request = WriteRequested(services.principal, actions, services.most_writes, [entry.id for entry in waiting])
    until = await services.journal.room_at(request) if waiting else None
    if until is not None:
        raise Refused(no_room(until, services))
