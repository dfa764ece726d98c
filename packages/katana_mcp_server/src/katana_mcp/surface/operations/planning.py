"""`create_`, `modify_` and `delete_<entity>`: a plan, what speaks against it, and a token. They write nothing."""

from collections.abc import Mapping, Sequence
from functools import partial

from cache_core.records import iso
from katana_mcp.journal.entries import LIFE, Plan, digest_of, new_token
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.batch_numbers import with_batch_ids
from katana_mcp.references.services import Services, as_it_stands
from katana_mcp.surface.descriptor import AnyTool, Entity, ToolSpec, Verb
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.change import AnyChange, Changes, Draft
from katana_mcp.writing.gathering import gathered
from katana_mcp.writing.limits import too_large, unreadable
from katana_mcp.writing.preview import PlannedRequest, Preview
from katana_mcp.writing.stock_moves import in_a_sentence
from katana_mcp.writing.under_way import kept_lanes, under_way
from katana_mcp.writing.unlikely_dates import unlikely_dates

WRITING: tuple[Verb, ...] = ("create", "modify", "delete")


def write_tool(verb: Verb, entity: Entity) -> AnyTool | None:
    """Return the tool that plans this verb for an entity, or None where it has none."""
    change = entity.writes.get(verb)
    if change is None:
        return None
    return planning_tool(tool_name(verb, entity), entity.toolset, _description(verb, entity, change), change)


def planning_tool(name: str, toolset: str, description: str, change: AnyChange) -> AnyTool:
    """Return the tool that plans a change."""
    return ToolSpec(
        name=name,
        toolset=toolset,
        description=description,
        request=change.request,
        answer=change.answer,
        run=partial(preview, name, change),
        reads=change.reads,
        plans=True,
    )


def workflow_tools(entity: Entity) -> tuple[AnyTool, ...]:
    """Return the tools that plan a write of an entity otherwise than by a verb."""
    return tuple(
        planning_tool(name, entity.toolset, description, change)
        for name, (change, description) in entity.workflows.items()
    )


def tool_name(verb: Verb, entity: Entity) -> str:
    """Return the name of the tool that plans this verb."""
    return f"{verb}_{entity.name}"


def changes_of(entities: tuple[Entity, ...]) -> Changes:
    """Return every change of these entities by the name of its tool."""
    by_verb = {tool_name(verb, entity): change for entity in entities for verb, change in entity.writes.items()}
    return by_verb | {name: change for entity in entities for name, (change, _) in entity.workflows.items()}


def _description(verb: Verb, entity: Entity, change: AnyChange) -> str:
    note = entity.notes.get(verb, "")
    planned = f"Plan to {verb} one {entity.title}{change.what}; nothing is written."
    return f"{planned}\n\nShows its requests and a `plan_token` for `apply_plan`. {note}".rstrip()


async def preview(name: str, change: AnyChange, request: Request, services: Services) -> Preview:
    """Return what a change would be, with a token for `apply_plan` where nothing speaks against it."""
    began, kept = services.clock.monotonic(), await kept_lanes(services)
    request = await with_batch_ids(request, services)
    facts = await _gathered(change, request, services)
    # A small account is whole within a moment; of a large one, goods that were named need no listing.
    draft, now = change.plan(request, facts), await as_it_stands(services, change.reads, services.brief(began))
    running = await under_way(draft.lanes, {**kept, **await kept_lanes(services)}, services)
    if running is not None:
        warnings = [blocking(warning_codes.PLAN_RUNNING, running)]
    else:
        warnings = [now.judged(check) for check in change.checks(request, facts)]
        warnings += unlikely_dates(request, draft.status, services)
        warnings += [*too_large(draft, services), *_final(draft)]
    own = {name: draft.own[name] for name in change.answer.model_fields if name in draft.own}
    whole = {"warnings": warnings, **own, **_preview_payload(draft, warnings, services, None)}
    warnings += unreadable(change.answer.model_validate(whole))
    token = None
    if draft.actions and not services.read_only and not any(warning.severity == "blocking" for warning in warnings):
        planned = _plan(name, request, draft, services, warnings)
        try:
            await services.journal.add(planned[1])
            token = planned[0]
        except JournalError as error:
            warnings.append(blocking(warning_codes.JOURNAL_UNAVAILABLE, str(error)))
    return now.answer(change.answer, *warnings, **own, **_preview_payload(draft, warnings, services, token))


async def _gathered(change: AnyChange, request: Request, services: Services) -> object:
    """Return what a plan depends on; a refusal says how current the rows are that it was judged by."""
    try:
        return await gathered(change, request, services)
    except Refused:
        now = await as_it_stands(services, change.reads)
        with now.refusals():
            raise


def _final(draft: Draft) -> list[ToolWarning]:
    """Return that a plan has no way back."""
    if not draft.actions or draft.revert is not None:
        return []
    why = f" ({draft.one_way})" if draft.one_way else ""
    message = f"this cannot be fully undone{why}: there will be no revert"
    return [advisory(warning_codes.NO_WAY_BACK, message)]


def _plan(
    name: str, request: Request, draft: Draft, services: Services, warnings: Sequence[ToolWarning]
) -> tuple[str, Plan]:
    """Return a new token, and the plan that it stands for."""
    token, now = new_token(), services.clock.now()
    return token, Plan(
        digest=digest_of(token),
        tool=name,
        tenant=services.tenant,
        principal=services.principal,
        created_at=now,
        expires_at=now + LIFE,
        summary=draft.summary,
        content=draft.content,
        actions=tuple(draft.sent),
        shown=draft.as_dict(
            [services.days.in_words(warning.message) for warning in warnings if warning.severity == "advisory"]
        ),
        request=request.model_dump(mode="json", exclude_unset=True),
        touches=draft.touches,
        lanes=draft.lanes,
    )


def _preview_payload(
    draft: Draft, warnings: Sequence[ToolWarning], services: Services, token: str | None
) -> Mapping[str, object]:
    against = next((warning.message for warning in warnings if warning.severity == "blocking"), None)
    return {
        "message": _message(draft, against, warnings, services),
        **draft.document,
        "lines": list(draft.lines) or None,
        "changes": list(draft.changes) or None,
        "requests": [PlannedRequest.of(action) for action in draft.actions if against is None],
        "plan_token": token,
        "expires_at": None if token is None else iso(services.clock.now() + LIFE),
        "next_actions": [] if token is None else [f"apply_plan(plan_tokens=[{token!r}])"],
    }


def _message(draft: Draft, against: str | None, warnings: Sequence[ToolWarning], services: Services) -> str:
    """Return what is planned in sentences: first what is not there, then what moves."""
    if against is not None:
        return f"cannot be applied: {against}"
    first = "; ".join(warning.message for warning in warnings if warning.code == warning_codes.INSUFFICIENT_STOCK)
    moving = in_a_sentence(draft.stock) if draft.stock else ""
    end = "read-only mode: it cannot be applied here" if services.read_only else _UNWRITTEN
    return ". ".join(sentence for sentence in (first, moving, f"{draft.summary}; {end}") if sentence)


_UNWRITTEN = "nothing is written before apply_plan"
