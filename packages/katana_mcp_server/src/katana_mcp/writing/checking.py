"""A plan found by its token and checked again on fresh facts, and why it may not be applied; sends no write."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from cache_core.records import decode, encode
from katana_mcp.journal.entries import Entry, JsonObject, Plan
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.change import SAGA, USED, AnyChange, Changes, Draft
from katana_mcp.writing.differences import differences
from katana_mcp.writing.gathering import gathered
from katana_mcp.writing.limits import too_large


async def entry_of_token(token: str, services: Services) -> Entry:
    """Return the entry of a token that was given out to this caller for this account.

    Raises:
        Refused: there is none.
    """
    entry = await services.journal.find(token)
    if entry is None or (entry.plan.tenant, entry.plan.principal) != (services.tenant, services.principal):
        message = "no plan of this account and caller has this token: plan it again and use the new token"
        if services.sandbox:
            message += "; a sandbox that a server starts for itself ends with it, and so do its plans"
        raise Refused(blocking(warning_codes.UNKNOWN_PLAN, message, "plan_tokens"))
    return entry


def is_free(entry: Entry, services: Services) -> bool:
    """Return whether nobody has claimed the plan, or who had is gone and sent nothing."""
    is_left = entry.state == "claimed" and not entry.is_begun and entry.is_forsaken(services.clock.now())
    return entry.state == "planned" or is_left


async def refuse_over(entry: Entry, services: Services) -> None:
    """Refuse a plan that may not be sent whatever the facts are.

    Raises:
        Refused: it has expired, or it needs a person's yes and has none.
    """
    await _refuse_expired(entry, services)
    if services.must_confirm and entry.answer != "accepted":
        raise Refused(unconfirmed(entry.plan))


async def _refuse_expired(entry: Entry, services: Services) -> None:
    """Refuse a plan that was not applied in time: for good, since a clock that was ahead may be set right later.

    Raises:
        Refused: it has expired.
    """
    if entry.stands(services.clock.now()) == "expired":
        with suppress(JournalError):  # then nothing can be claimed either
            await services.journal.expire(entry.id)
        raise Refused(expired(entry.plan))


@dataclass(frozen=True, slots=True)
class Checked:
    """A plan as it is to be sent, and what fresh facts say besides, which the preview could not know."""

    plan: Plan
    warnings: Sequence[ToolWarning] = ()


async def check_again(entry: Entry, services: Services, changes: Changes) -> Checked:
    """Gather, plan and check anew, and compare with what is stored; the journal notes why it does not fit.

    Raises:
        Refused: the plan has expired, or fresh facts make another plan of the request, or speak against it.
    """
    try:
        return await _checked(entry, services, changes)
    except Refused as refusal:
        if refusal.warnings[0].code == warning_codes.STALE_PLAN:
            with suppress(JournalError):  # then it is told all the same
                await services.journal.refused(entry.id, services.days.in_words(refusal.warnings[0].message))
        raise


async def _checked(entry: Entry, services: Services, changes: Changes) -> Checked:
    plan = entry.plan
    await _refuse_expired(entry, services)
    change = changes.get(plan.tool)
    if change is None:
        raise Refused(_stale(plan, f"{plan.tool} is no longer there"))
    try:
        request = change.request.model_validate(plan.request)
        facts = await gathered(change, request, services._replace(anew=_used(plan)))
    except Refused as refusal:
        if refusal.warnings[0].code == warning_codes.KATANA_UNAVAILABLE:
            raise
        raise Refused(_stale(plan, refusal.warnings[0].message), *refusal.warnings) from None
    warnings = change.checks(request, facts)
    against = [warning for warning in warnings if warning.severity == "blocking"]
    if against:
        raise Refused(_stale(plan, against[0].message), *against)
    return Checked(_fitting(entry, change, request, facts, services), _new_advisories(plan, warnings, services))


def _used(plan: Plan) -> Mapping[str, list[int]]:
    """Return the ids of the records that a plan takes from, by cache entity."""
    records = cast("Mapping[str, list[dict[str, int]]]", plan.touches.get(USED, {}))
    return {entity: [record["id"] for record in some] for entity, some in records.items()}


def _new_advisories(plan: Plan, warnings: Sequence[ToolWarning], services: Services) -> list[ToolWarning]:
    """Return what is to be said by now and was not when the plan was shown: what it repeats, stock that is gone."""
    shown = cast("Sequence[object]", plan.shown.get("advisory") or ())
    said = [warning for warning in warnings if warning.severity == "advisory"]
    return [warning for warning in said if services.days.in_words(warning.message) not in shown]


def _fitting(entry: Entry, change: AnyChange, request: Request, facts: object, services: Services) -> Plan:
    """Return the plan as it is to be sent: as it was shown, but for a number that the caller left open.

    Raises:
        Refused: fresh facts make another plan of the request.
    """
    plan, draft = entry.plan, change.plan(request, facts)
    final = draft
    if draft.assigned and change.renumbered is not None:
        number = str(draft.number)
        shown = str(cast("JsonObject", plan.shown.get("assigned") or {}).get(next(iter(draft.assigned))))
        draft = change.plan(request, change.renumbered(facts, Numbered(number=shown, is_open=True)))
        final = replace(
            change.plan(request, change.renumbered(facts, Numbered(number=number))),
            assigned=dict.fromkeys(draft.assigned, number),
        )
    if draft.content != plan.content or not _alike(draft.sent, plan.actions):
        raise Refused(_stale(plan, _what_changed(plan, draft)))
    if large := too_large(draft, services):
        raise Refused(*large)
    if final is draft:
        return plan
    shown = final.as_dict(plan.shown.get("advisory"))
    touches = final.touches if SAGA in final.touches else plan.touches  # a saga finds its record by the number there
    return replace(plan, summary=final.summary, actions=tuple(final.sent), shown=shown, touches=touches)


def _what_changed(plan: Plan, draft: Draft) -> str:
    """Return which field of what the plan depends on is different, or of what would be sent."""
    before, now = ({str(record["title"]): record["body"] for record in sent} for sent in (plan.actions, draft.sent))
    bodies = before if before.keys() == now.keys() else {}
    old, new = {**bodies, **plan.touches}, {**{name: now[name] for name in bodies}, **draft.touches}
    return differences(old, decode(encode(new))) or "a record that the plan uses was changed"


def _alike(new: Sequence[JsonObject], kept: Sequence[JsonObject]) -> bool:
    return encode({"actions": new}) == encode({"actions": kept})


def _stale(plan: Plan, why: str) -> ToolWarning:
    message = (
        f"{plan.summary}: not applied, because of a change after the preview: {why}; plan it again with {plan.tool}"
    )
    return blocking(warning_codes.STALE_PLAN, message, "plan_tokens")


def unconfirmed(plan: Plan) -> ToolWarning:
    """Return that a plan needs a person's yes, and that nobody gave one."""
    why = "KATANA_MCP_CONFIRM=required: a person must confirm, and this client cannot ask one: nothing was written"
    message = f"{plan.summary}: {why}; apply the same token from a client that can ask the user (elicitation)"
    return blocking(warning_codes.CONFIRMATION_REQUIRED, message, "plan_tokens")


def declined(plan: Plan) -> ToolWarning:
    """Return that a plan is over because a person said no to it."""
    message = f"{plan.summary}: a person declined it and nothing was written; plan it again with {plan.tool}"
    return blocking(warning_codes.DECLINED_PLAN, message, "plan_tokens")


def expired(plan: Plan) -> ToolWarning:
    """Return that a plan is over because it was not applied in time."""
    message = f"{plan.summary}: the plan has expired and nothing was written; plan it again with {plan.tool}"
    return blocking(warning_codes.EXPIRED_PLAN, message, "plan_tokens")
