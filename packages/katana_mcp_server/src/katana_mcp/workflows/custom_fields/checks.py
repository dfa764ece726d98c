"""What speaks against a change of a definition, and what of it cannot be seen in the request."""

from collections.abc import Iterator
from difflib import get_close_matches

from cache_core.records import Record
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.suggestions import did_you_mean, same
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.workflows.custom_fields.definitions import (
    SELECT,
    Facts,
    changed,
    fitting,
    kind_of,
    meant,
    pool_of,
    retired,
    shown_on,
)
from katana_mcp.workflows.custom_fields.request import DefineCustomFieldRequest

_MOST = 50
_SHOWN = 20
_NEEDED = ("label", "field_type", "entity_type")
_TARGETS = ("SalesOrderRow", "PurchaseOrderRow", "OutsourcedPurchaseOrderRow", "ManufacturingOrder")
_SHOWN_ON = {**dict.fromkeys(VARIANT_KINDS, _TARGETS), "ProductionOperation": _TARGETS[-1:]}
"""By the kind of records: where its fields may be shown too."""
_BEHIND_A_FEATURE = frozenset(
    (
        *VARIANT_KINDS,
        *("PurchaseOrder", "PurchaseOrderRow", "OutsourcedPurchaseOrder", "OutsourcedPurchaseOrderRow"),
        *("Customer", "ProductionOperation"),
    )
)


def checks(request: DefineCustomFieldRequest, facts: Facts) -> list[ToolWarning]:
    """Return all of it; the rest is only looked at where it is certain which definition is meant."""
    wrong = [*_meant(request, facts), *_with_delete(request)]
    if wrong:
        return wrong
    before = meant(request, facts)
    if request.delete:
        return [] if before is None else [_holders(before, facts)]
    of_one = _of_a_new_one(request, facts) if before is None else _of_one_that_is_there(request, before)
    wrong = [*of_one, *_taken(request, facts, before), *_choices(request, before), *_appears_on(request, before)]
    if not wrong and before is not None and not changed(request, before):
        message = f"custom field {text(before, 'label')} already has these values: nothing would change"
        wrong.append(blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, "field"))
    return [*wrong, *_said(request, facts, before)]


def _meant(request: DefineCustomFieldRequest, facts: Facts) -> Iterator[ToolWarning]:
    found = fitting(request, facts)
    if request.field is None and request.delete:
        message = "delete needs `field`: the id or the label of the custom field that goes"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "field")
    elif request.field is not None and not found:
        yield blocking(warning_codes.NOT_FOUND, _unknown(request.field, facts), "field")
    elif len(found) > 1:
        ids = ", ".join(f"{record['id']} ({kind_of(record)})" for record in found)
        message = f"field: {len(found)} custom fields are called {request.field!r}; give the id of one: {ids}"
        yield blocking(warning_codes.AMBIGUOUS_NAME, message, "field")


def _unknown(asked: str, facts: Facts) -> str:
    message = f"field: no custom field has the id or label {asked!r}"
    labels = {(text(record, "label") or "").casefold(): text(record, "label") or "" for record in facts.definitions}
    near = [labels[folded] for folded in get_close_matches(asked.casefold(), labels)]
    if near:
        return f"{message}{did_you_mean(near)}"
    there = first_of([f"{text(record, 'label')} ({kind_of(record)})" for record in facts.definitions], _SHOWN)
    return f"{message}; there are: {there or 'none'}"


def _with_delete(request: DefineCustomFieldRequest) -> Iterator[ToolWarning]:
    names = [name for name in type(request).model_fields if name in request.model_fields_set - {"field", "delete"}]
    for name in names if request.delete else ():
        message = f"{name}: a custom field cannot be changed and deleted at once; leave this out"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, name)


def _of_a_new_one(request: DefineCustomFieldRequest, facts: Facts) -> Iterator[ToolWarning]:
    for name in _NEEDED:
        if getattr(request, name) is None:
            message = f"{name}: a new custom field needs it; give `field` to change one that is there"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, name)
    if len(facts.definitions) >= _MOST:
        message = (
            f"label: the account has {len(facts.definitions)} custom fields, and Katana allows {_MOST}: "
            "delete one first"
        )
        yield blocking(warning_codes.LOCKED, message, "label")


def _of_one_that_is_there(request: DefineCustomFieldRequest, before: Record) -> Iterator[ToolWarning]:
    for name, asked in (("field_type", request.field_type), ("entity_type", request.entity_type)):
        if asked is not None and asked != before.get(name):
            message = f"{name}: {text(before, 'label')} is {before.get(name)}, which cannot be changed"
            yield blocking(warning_codes.LOCKED, f"{message}; define another field instead", name)


def _kind(request: DefineCustomFieldRequest, before: Record | None) -> str:
    return (request.entity_type or "") if before is None else kind_of(before)


def _taken(request: DefineCustomFieldRequest, facts: Facts, before: Record | None) -> Iterator[ToolWarning]:
    """Yield that another field of such records has the label: values are written by label."""
    label, pool = request.label, pool_of(_kind(request, before))
    if label is None or (before is not None and same(label, text(before, "label") or "")):
        return
    for record in facts.definitions:
        if record is not before and kind_of(record) in pool and same(label, text(record, "label") or ""):
            message = (
                f"label: custom field {record['id']} of {kind_of(record)} is called {text(record, 'label')} already"
            )
            why = "values are written by label, so each needs its own"
            yield blocking(warning_codes.DUPLICATE_NAME, f"{message}; {why}", "label")


def _choices(request: DefineCustomFieldRequest, before: Record | None) -> Iterator[ToolWarning]:
    kind = request.field_type if before is None else text(before, "field_type")
    given = request.choices
    if kind != SELECT:
        if given is not None and kind is not None:
            message = f"choices: only a {SELECT} field has choices, and this one is {kind}"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, "choices")
        return
    if not given and (before is None or given is not None):
        message = f"choices: a {SELECT} field needs one at least"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "choices")
    for nr, label in enumerate(given or ()):
        first = next((place for place, other in enumerate((given or [])[:nr]) if same(other, label)), None)
        if first is not None:
            message = f"choices[{nr}] is the same as choices[{first}]: {label}"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, f"choices[{nr}]")


def _appears_on(request: DefineCustomFieldRequest, before: Record | None) -> Iterator[ToolWarning]:
    kind, given = _kind(request, before), request.appears_on or []
    allowed = _SHOWN_ON.get(kind, ())
    for nr, target in enumerate(given if kind else ()):
        if target not in allowed:
            may = f"can be shown on {', '.join(allowed)}" if allowed else "is shown on these alone"
            message = f"appears_on[{nr}]: a field of {kind} {may}, and not on {target}"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, f"appears_on[{nr}]")
        elif target in given[:nr]:
            message = f"appears_on[{nr}]: {target} is named twice"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, f"appears_on[{nr}]")


def _said(request: DefineCustomFieldRequest, facts: Facts, before: Record | None) -> Iterator[ToolWarning]:
    gone = [] if before is None else retired(request, before)
    if gone:
        message = f"{', '.join(gone)} can no longer be chosen; records that have it still show it"
        yield advisory(warning_codes.IN_USE, message, "choices")
    kind = request.entity_type
    if (
        before is None
        and kind in _BEHIND_A_FEATURE
        and not any(kind_of(record) == kind for record in facts.definitions)
    ):
        yield _feature(f"entity_type: custom fields of {kind}", "entity_type")
    if request.appears_on and not any(shown_on(record) for record in facts.definitions):
        yield _feature("appears_on: custom fields that are shown elsewhere too", "appears_on")


def _feature(what: str, path: str) -> ToolWarning:
    message = f"{what} are a feature that not every account has: Katana may refuse this with 403 or 422"
    return advisory(warning_codes.NEEDS_FEATURE, message, path)


def _holders(before: Record, facts: Facts) -> ToolWarning:
    """Return whose values go with a field."""
    found = {entity: count for entity, count in (facts.holding or {}).items() if count}
    counted = ", ".join(so_many(count, titled(entity)) for entity, count in found.items())
    unsure = "" if facts.is_counted else "; not all of them are cached yet"
    message = (
        f"its values are removed from every record for ever; cached records with a value: {counted or 'none'}{unsure}"
    )
    return advisory(warning_codes.IN_USE, f"{text(before, 'label')}: {message}", "field")
