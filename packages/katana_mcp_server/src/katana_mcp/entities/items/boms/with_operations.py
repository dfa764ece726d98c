"""`modify_bom`: the recipe of a product and its operations in one plan, each side read only where it is asked for."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.items.boms import rows
from katana_mcp.entities.items.boms.writes import MODIFYING as RECIPE
from katana_mcp.entities.items.operations import checks as operation_checks
from katana_mcp.entities.items.operations import planning, reading
from katana_mcp.entities.items.operations.reading import OperationFacts
from katana_mcp.entities.items.operations.request import FIELDS, OperationsRequest
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import IfApplied, JsonObject
from katana_mcp.writing.change import USED, Change, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RECIPE_FIELDS = frozenset(RECIPE.request.model_fields) - {rows.SUBJECT}


class ModifyBomRequest(OperationsRequest, RECIPE.request):
    """Arguments of `modify_bom`."""


@dataclass(frozen=True, slots=True)
class BomFacts:
    """What was read of each side; None of one that is not asked for."""

    recipe: Facts | None = None
    operations: OperationFacts | None = None


def _recipe_of(request: ModifyBomRequest) -> Request:
    """Return the part of a request that is about the recipe."""
    return RECIPE.request.model_validate(request.model_dump(exclude=set(FIELDS), exclude_unset=True))


async def _gather(request: ModifyBomRequest, services: Services) -> BomFacts:
    """Return what is read: a request without changes is about both, and shows them."""
    of_operations, of_recipe = (bool(fields & request.model_fields_set) for fields in (FIELDS, _RECIPE_FIELDS))
    recipe = None if of_operations and not of_recipe else await RECIPE.gather(_recipe_of(request), services)
    if recipe is None:
        await current(services, RECIPE.reads, (reading.VARIANT,))  # what the answer says to be made of
    operations = None if of_recipe and not of_operations else await reading.gather(request, services)
    return BomFacts(recipe, operations)


def _checks(request: ModifyBomRequest, facts: BomFacts) -> list[ToolWarning]:
    sides: list[Sequence[ToolWarning]] = []
    if facts.recipe is not None:
        sides.append(RECIPE.checks(_recipe_of(request), facts.recipe))
    if facts.operations is not None:
        sides.append(operation_checks.checks(request, facts.operations))
    idle = [any(_is_idle(warning) for warning in side) for side in sides]
    found: dict[object, ToolWarning] = {}
    for check in [warning for side in sides for warning in side if all(idle) or not _is_idle(warning)]:
        found.setdefault((check.code, check.field_path), check)  # both sides say what is wrong with the product
    return [*found.values()]


def _is_idle(warning: ToolWarning) -> bool:
    """Return whether a warning says that a whole side stays as it is."""
    return warning.code == warning_codes.NO_EFFECTIVE_CHANGE and warning.field_path is None


def _plan(request: ModifyBomRequest, facts: BomFacts) -> Draft:
    recipe = None if facts.recipe is None else RECIPE.plan(_recipe_of(request), facts.recipe)
    if facts.operations is None:
        return cast("Draft", recipe)
    operations = planning.plan(request, facts.operations)
    back = operations.revert
    operations = replace(operations, revert=None if back is None else {"tool": "modify_bom", "arguments": back})
    return operations if recipe is None else _both(recipe, operations)


def _both(recipe: Draft, operations: Draft) -> Draft:
    """Return one plan of two: what is sent for the recipe comes first."""
    why = [draft.one_way for draft in (recipe, operations) if draft.actions and draft.one_way]
    return replace(
        recipe,
        summary=f"{recipe.summary}; {operations.summary}",
        actions=(*recipe.actions, *operations.actions),
        touches={**recipe.touches, **operations.touches, USED: _used(recipe, operations)},
        lanes=(*recipe.lanes, *operations.lanes),
        lines=(*recipe.lines, *operations.lines),
        changes=(*recipe.changes, *operations.changes),
        prior_state={**(recipe.prior_state or {}), **(operations.prior_state or {})},
        revert=None if why else _back(recipe, operations),
        one_way="; ".join(why),
    )


def _used(*drafts: Draft) -> JsonObject:
    """Return the records that any of the plans takes from, once."""
    used: dict[str, list[object]] = {}
    for draft in drafts:
        for entity, records in cast("Mapping[str, list[object]]", draft.touches.get(USED, {})).items():
            collected = used.setdefault(entity, [])
            collected += [record for record in records if record not in collected]
    return used


def _back(recipe: Draft, operations: Draft) -> JsonObject | None:
    """Return the one call that takes both back."""
    calls = [draft.revert for draft in (recipe, operations) if draft.actions]
    if not calls or None in calls:
        return None
    arguments: dict[str, object] = {}
    first = 0
    for draft in (recipe, operations):
        if draft.actions and draft.revert is not None:
            arguments |= _later(cast("JsonObject", draft.revert["arguments"]), first)
        first += len(draft.actions)
    return {"tool": "modify_bom", "arguments": arguments}


def _later(arguments: JsonObject, first: int) -> dict[str, object]:
    """Return arguments whose entries depend on actions that stand so many places later."""
    return {name: _moved(value, first) for name, value in arguments.items()}


def _moved(value: object, first: int) -> object:
    if isinstance(value, list):
        return [_moved(item, first) for item in cast("list[object]", value)]
    return IfApplied(value.action + first, value.value) if isinstance(value, IfApplied) else value


MODIFYING = Change(
    request=ModifyBomRequest,
    gather=_gather,
    plan=_plan,
    checks=_checks,
    reads=RECIPE.reads,
    answer=RECIPE.answer,
)
