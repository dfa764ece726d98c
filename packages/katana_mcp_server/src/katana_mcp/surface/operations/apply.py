"""`apply_plan`: the one tool that writes to Katana. It takes tokens of previews, never arguments of its own."""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from katana_client import Priority
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import APPLY, AnyTool, ToolSpec
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.argument_words import Offers
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.applying import applied
from katana_mcp.writing.change import SAGA, Changes
from katana_mcp.writing.checking import check_again, entry_of_token, is_free, unconfirmed
from katana_mcp.writing.confirmation_text import question
from katana_mcp.writing.gathering import in_time
from katana_mcp.writing.limits import room_for
from katana_mcp.writing.outcome import ApplyAnswer, PlanOutcome


class ApplyPlanRequest(Request):
    """Arguments of `apply_plan`."""

    also: ClassVar[Offers] = {"plan_token": ("plan_tokens",)}

    plan_tokens: Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=20)]
    """Tokens of previews, applied in this order; the first not fully applied stops the rest."""
    roll_back: bool = False
    """Undo a correction that stopped halfway."""


def apply_tool(changes: Changes) -> AnyTool:
    """Return the tool that applies plans of these changes."""
    return ToolSpec(
        name=APPLY,
        toolset="writing",
        description=(
            "Write to Katana what previews have planned, by their tokens.\n\n"
            "Each plan is checked again first and refused if anything changed since. A token works once; used again, "
            "it returns the same outcome and writes nothing; a correction that stopped halfway goes on. "
            "`unknown` means that it may have been written: look at the document before planning it again."
        ),
        request=ApplyPlanRequest,
        answer=ApplyAnswer,
        run=partial(_apply, changes),
        read_only=False,
        destructive=True,
    )


async def _apply(changes: Changes, request: ApplyPlanRequest, services: Services) -> Answer:
    if services.read_only:
        raise Refused(blocking(warning_codes.READ_ONLY, "read-only mode: nothing is written to Katana"))
    tokens, services = list(dict.fromkeys(request.plan_tokens)), services._replace(read_at={})
    with _refuse_without_journal():
        answer = await _consent(tokens, services, changes)
    if answer is not None:
        return _apply_answer(answer, [], len(tokens), services)
    with services.client.priority(Priority.WRITE):
        return await _in_turn(tokens, services, changes, roll_back=request.roll_back)


@contextmanager
def _refuse_without_journal() -> Generator[None]:
    """Have a journal that cannot be used refuse what the block asks for."""
    try:
        yield
    except JournalError as error:
        raise Refused(blocking(warning_codes.JOURNAL_UNAVAILABLE, str(error))) from error


async def _consent(tokens: Sequence[str], services: Services, changes: Changes) -> str | None:
    """Ask the person at the client once for all plans; return why nothing is written, or None to go on."""
    entries = [await entry_of_token(token, services) for token in tokens]
    waiting = [entry for entry in entries if is_free(entry, services)]
    await room_for(waiting, services)
    if not waiting or not services.person.can_answer:
        if waiting and services.must_confirm:
            raise Refused(unconfirmed(waiting[0].plan))
        return None
    for pending in waiting:
        await check_again(pending, in_time(services), changes)
    asked = [entry.id for entry in waiting]
    await services.journal.answered(asked, "asked")  # it stays so where no answer ever comes
    answer = await services.person.confirm(question([entry.plan for entry in waiting]), _digest(waiting))
    await services.journal.answered(asked, answer)
    return None if answer == "accepted" else f"{answer}: nothing was written"


def _digest(entries: Sequence[Entry]) -> str:
    bound = "\n".join(f"{entry.plan.digest} {entry.plan.content}" for entry in entries)
    return hashlib.sha256(bound.encode()).hexdigest()


async def _in_turn(tokens: Sequence[str], services: Services, changes: Changes, *, roll_back: bool) -> ApplyAnswer:
    outcomes: list[PlanOutcome] = []
    said: list[str] = []
    refused: list[ToolWarning] = []
    for token in tokens:
        try:
            with _refuse_without_journal():
                first = await entry_of_token(token, services)
                outcomes.append(await applied(token, services, changes, roll_back=roll_back))
            said.append(_of_before(first, services) + outcomes[-1].message)
        except Refused as refusal:
            if not outcomes:
                raise
            refused = list(refusal.warnings)
            break
        if not outcomes[-1].is_complete:
            break
    message = "; ".join([*said, *(warning.message for warning in refused)])
    return _apply_answer(message, outcomes, len(tokens) - len(outcomes), services, refused)


def _of_before(entry: Entry, services: Services) -> str:
    """Return that a plan was over before this call, and when; nothing of one that the call has brought to its end."""
    goes_on = SAGA in entry.plan.touches and entry.is_halfway(services.clock.now())
    if entry.state != "finished" or entry.finished_at is None or goes_on:
        return ""
    return f"used before, at {entry.finished_at:%Y-%m-%d %H:%M:%S} UTC, and nothing is sent again: "


def _apply_answer(
    message: str, outcomes: list[PlanOutcome], left: int, services: Services, refused: Sequence[ToolWarning] = ()
) -> ApplyAnswer:
    return ApplyAnswer(
        source="sandbox" if services.sandbox else None,
        message=message,
        outcomes=outcomes,
        not_tried=left,
        warnings=[*(warning for outcome in outcomes for warning in outcome.warnings), *refused],
    )
