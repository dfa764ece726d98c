"""The definitions that the account has now, which of them a request means, and what it makes of that one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from cache_core.conditions import CustomValue
from cache_core.records import Record, canonical, iso
from katana_client.errors import KatanaError
from katana_mcp.documents.custom_field_labels import choices as live_choices
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import all_listed, unasked
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import same
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS, defining
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import EMPTY, child, get_bool, rows
from katana_mcp.workflows.custom_fields.request import DefineCustomFieldRequest

DEFINITION, COLLECTION = "custom_field_definition", "custom_field_definitions"
SELECT = "singleSelect"
POOLS = (
    frozenset(VARIANT_KINDS),
    frozenset({"PurchaseOrder", "OutsourcedPurchaseOrder"}),
    frozenset({"PurchaseOrderRow", "OutsourcedPurchaseOrderRow"}),
)
"""Kinds of records of which each may have the fields of the others."""
_ROWS = {
    "SalesOrderRow": ("sales_order", "sales_order_rows[].custom_fields"),
    "PurchaseOrderRow": ("purchase_order", "purchase_order_rows[].custom_fields"),
    "ManufacturingOrder": ("manufacturing_order", "custom_fields"),
}
_ON_VARIANTS = (("variant", "custom_fields"), ("service", "variants[].custom_fields"))
_HOLDERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "SalesOrder": (("sales_order", "custom_fields"),),
    "SalesOrderRow": (_ROWS["SalesOrderRow"],),
    **dict.fromkeys(VARIANT_KINDS, (*_ON_VARIANTS, *_ROWS.values())),
    **dict.fromkeys(("PurchaseOrder", "OutsourcedPurchaseOrder"), (("purchase_order", "custom_fields"),)),
    **dict.fromkeys(("PurchaseOrderRow", "OutsourcedPurchaseOrderRow"), (_ROWS["PurchaseOrderRow"],)),
    "ProductionOperation": (("manufacturing_order_operation_row", "custom_fields"), _ROWS["ManufacturingOrder"]),
    "RecipeBom": tuple(
        (name, "custom_fields")
        for name in ("bom_row", "manufacturing_order_recipe_row", "outsourced_purchase_order_recipe_row")
    ),
    "Supplier": (("supplier", "custom_fields"),),
    "Customer": (("customer", "custom_fields"),),
}
"""Where values of the fields of a kind may stand: cache entities, and the path in each."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read.

    Attributes:
        definitions: what Katana has now.
        as_of: when it said so.
        holding: how many live cached records have a value of the one that is to go, by cache entity.
        is_counted: whether all such records are cached.
    """

    definitions: tuple[Record, ...] = ()
    as_of: str | None = None
    holding: Mapping[str, int] | None = None
    is_counted: bool = True


async def gather(request: DefineCustomFieldRequest, services: Services) -> Facts:
    """Return the definitions as they are now, and who has a value of one that is to go.

    Raises:
        Refused: Katana does not say.
    """
    try:
        listed = [definition async for definition in services.client.custom_field_definitions.list()]
    except KatanaError:
        raise Refused(unasked("which custom fields there are now")) from None
    definitions = tuple(
        canonical(definition.model_dump()) for definition in listed if definition.id and not definition.deleted_at
    )
    facts = Facts(definitions, iso(services.clock.now()))
    before = meant(request, facts) if request.delete else None
    return facts if before is None else await _with_holders(before, facts, services)


async def _with_holders(before: Record, facts: Facts, services: Services) -> Facts:
    places = [holder for holder in _HOLDERS.get(kind_of(before), ()) if holder[0] in services.cache.entities]
    holding: dict[str, int] = {}
    for entity, path in places:
        where = (CustomValue(path, (str(before["id"]),), ()),)
        holding[entity] = holding.get(entity, 0) + await services.cache.count(entity, where)
    return replace(facts, holding=holding, is_counted=await all_listed(services, *holding))


def fitting(request: DefineCustomFieldRequest, facts: Facts) -> list[Record]:
    """Return the definitions that have the id or the label that is asked for."""
    return [] if request.field is None else defining(request.field, facts.definitions)


def meant(request: DefineCustomFieldRequest, facts: Facts) -> Record | None:
    """Return the definition that is to change, if that is certain."""
    found = fitting(request, facts)
    return found[0] if len(found) == 1 else None


def kind_of(definition: Record) -> str:
    """Return the kind of records that it is a field of."""
    return text(definition, "entity_type") or ""


def pool_of(kind: str) -> frozenset[str]:
    """Return the kinds of which each may have the fields of this one."""
    return next((pool for pool in POOLS if kind in pool), frozenset({kind}))


def labels_of(definition: Record) -> list[str]:
    """Return the choices that can be chosen, by label."""
    return [text(choice, "label") or "" for choice in live_choices(definition)]


def shown_on(definition: Record) -> list[object]:
    """Return where else it is shown."""
    found = (child(definition, "options") or EMPTY).get("appearsOn")
    return cast("list[object]", found) if isinstance(found, list) else []


def choices_after(before: Record, labels: Sequence[str]) -> list[Record]:
    """Return all choices that Katana is to keep: a known label keeps its id, one that is left out is retired."""
    live = live_choices(before)
    every = rows(child(before, "options") or EMPTY, "choices")
    left = [*live, *(record for record in every if record not in live)]
    after: list[Record] = []
    for label in labels:
        choice = next((record for record in left if same(text(record, "label") or "", label)), None)
        if choice is None:
            after.append({"label": label})
            continue
        left.remove(choice)
        again = {"deleted": False} if get_bool(choice, "deleted") else {}
        after.append({"id": choice.get("id"), "label": label, **again})
    return [*after, *({"id": record.get("id"), "label": record.get("label"), "deleted": True} for record in left)]


def changed(request: DefineCustomFieldRequest, before: Record) -> dict[str, object]:
    """Return what is sent of a change: fields, and keys of its options, that would be something else."""
    fields: dict[str, object] = {}
    if request.label is not None and request.label != before.get("label"):
        fields["label"] = request.label
    if "description" in request.model_fields_set and (request.description or "") != (before.get("description") or ""):
        fields["description"] = request.description or None
    options = dict(_options(request, before))
    return {**fields, "options": options} if options else fields


def _options(request: DefineCustomFieldRequest, before: Record) -> Iterator[tuple[str, object]]:
    if request.choices is not None:
        after = choices_after(before, request.choices)
        now = [(choice.get("id"), choice.get("label")) for choice in live_choices(before)]
        if now != [(record.get("id"), record.get("label")) for record in after if not record.get("deleted")]:
            yield "choices", after
    if request.appears_on is not None and set(request.appears_on) != set(shown_on(before)):
        yield "appearsOn", request.appears_on


def retired(request: DefineCustomFieldRequest, before: Record) -> list[str]:
    """Return the choices that can no longer be chosen."""
    kept = request.choices
    if kept is None:
        return []
    return [label for label in labels_of(before) if not any(same(label, choice) for choice in kept)]
