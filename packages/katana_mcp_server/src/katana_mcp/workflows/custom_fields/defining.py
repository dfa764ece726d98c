"""`define_custom_field`: the definition of a custom field planned as one request, with its way back."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import ValidationError

from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.surface.operations.planning import planning_tool
from katana_mcp.values import EMPTY, child
from katana_mcp.workflows.custom_fields.checks import checks
from katana_mcp.workflows.custom_fields.definitions import (
    COLLECTION,
    DEFINITION,
    Facts,
    changed,
    gather,
    kind_of,
    labels_of,
    meant,
    shown_on,
)
from katana_mcp.workflows.custom_fields.request import DefineCustomFieldRequest, DefineCustomFieldResponse
from katana_mcp.writing.actions import Action, JsonObject, Recognise, Ref, on_record
from katana_mcp.writing.change import Change, Draft
from katana_mcp.writing.preview import FieldChange

TOOL = "define_custom_field"
LANE = "custom fields"
"""The name of what plans of definitions share: two made at once could get one label, or be one too many."""
_SOURCE = "katana-mcp"
_BINDING = ("id", "label", "description", "options", "field_type", "entity_type")


def _plan(request: DefineCustomFieldRequest, facts: Facts) -> Draft:
    draft = _draft(request, meant(request, facts))
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    return replace(draft, actions=draft.actions if is_lawful else (), lanes=(LANE,), own={"as_of": facts.as_of})


def _draft(request: DefineCustomFieldRequest, before: Record | None) -> Draft:
    if before is None:
        return _new(request) if request.field is None else Draft(summary=f"custom field {request.field}")
    return _deletion(before) if request.delete else _change(request, before)


def _new(request: DefineCustomFieldRequest) -> Draft:
    label, kind = request.label or "", request.entity_type or ""
    options: dict[str, object] = {}
    if request.choices:
        options["choices"] = [{"label": choice} for choice in request.choices]
    if request.appears_on:
        options["appearsOn"] = request.appears_on
    body: dict[str, object] = {"label": label, "field_type": request.field_type, "entity_type": kind}
    body |= {"source": _SOURCE}
    body |= {"description": request.description} if request.description else {}
    body |= {"options": options} if options else {}
    action = Action(
        title=f"define {label} of {kind}",
        method="POST",
        path=f"/{COLLECTION}",
        body=body,
        entity=DEFINITION,
        expects=body,
        recognise=Recognise(collection=COLLECTION, filters={"label": label, "entity_type": kind}),
    )
    return Draft(
        summary=f"new custom field {label} of {kind}, {request.field_type}",
        actions=(action,),
        touches={"label": label},
        changes=tuple(_changes({}, body)),
        revert={"tool": TOOL, "arguments": {"field": Ref(0, "id"), "delete": True}},
    )


def _change(request: DefineCustomFieldRequest, before: Record) -> Draft:
    body, key = changed(request, before), str(before["id"])
    changes = tuple(_changes(before, body))
    action = on_record(f"change {text(before, 'label')} of {kind_of(before)}", DEFINITION, COLLECTION, key, body)
    look = Recognise(collection=COLLECTION, filters={})
    details = ", ".join(f"{change.field} {change.new or 'cleared'}" for change in changes)
    back = {"field": key, **_back(before, body)}
    return Draft(
        summary=f"custom field {text(before, 'label')} of {kind_of(before)}: {details or 'no change'}",
        actions=(replace(action, expects={"id": key, **body}, recognise=look),),
        touches=_binding(before),
        id=key,
        changes=changes,
        prior_state=before,
        revert={"tool": TOOL, "arguments": back} if _can_be_asked(back) else None,
        one_way="what was there before is more than an argument takes",
    )


def _deletion(before: Record) -> Draft:
    key, called = str(before["id"]), f"{text(before, 'label')} of {kind_of(before)}"
    look = Recognise(collection=COLLECTION, filters={}, since=text(before, "created_at") or "")
    return Draft(
        summary=f"delete custom field {called} with all its values",
        actions=(replace(on_record(f"delete {called}", DEFINITION, COLLECTION, key), recognise=look),),
        touches=_binding(before),
        id=key,
        prior_state=before,
        one_way="a new custom field would have another id, and none of the values",
    )


def _binding(before: Record) -> JsonObject:
    """Return what a plan depends on: the definition as it is now."""
    return {"definition": {name: before.get(name) for name in _BINDING}}


def _changes(before: Record, body: JsonObject) -> Iterator[FieldChange]:
    """Yield old and new value of each field; choices by label, those that can be chosen."""
    after = {**before, **body}
    for name in ("label", "field_type", "entity_type", "description"):
        if name in body:
            yield FieldChange(field=name, old=text(before, name), new=text(after, name))
    options = child(body, "options") or EMPTY
    for name, key, values_of in (("choices", "choices", labels_of), ("appears_on", "appearsOn", shown_on)):
        if key in options:
            old, new = (", ".join(map(str, values_of(definition))) or None for definition in (before, after))
            yield FieldChange(field=name, old=old, new=new)


def _back(before: Record, body: JsonObject) -> JsonObject:
    """Return the arguments that set what a change sets to what it was."""
    options = child(body, "options") or EMPTY
    return {
        **{name: before.get(name) for name in ("label", "description") if name in body},
        **({"choices": labels_of(before)} if "choices" in options else {}),
        **({"appears_on": shown_on(before)} if "appearsOn" in options else {}),
    }


def _can_be_asked(arguments: JsonObject) -> bool:
    """Return whether the tool takes these arguments: in Katana's own pages a text may be longer, or choices none."""
    try:
        DefineCustomFieldRequest.model_validate(arguments)
    except ValidationError:
        return False
    return arguments.get("choices") != []


DEFINING = Change(
    request=DefineCustomFieldRequest, gather=gather, plan=_plan, checks=checks, answer=DefineCustomFieldResponse
)
DEFINE_CUSTOM_FIELD = planning_tool(
    TOOL,
    "items",
    "Plan to define, change or delete a custom field of orders, items, suppliers or customers; nothing is written.\n\n"
    "Gives a `plan_token` for `apply_plan`.",
    DEFINING,
)
