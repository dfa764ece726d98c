"""Which events the writes of one request mean to webhooks: read off what each record was before and is after."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.safety_stock import safety_stock
from katana_sandbox.store.keys import Key
from katana_sandbox.store.levels import Level, Steps, level_of
from katana_sandbox.store.movements import unpair
from katana_sandbox.store.records import DELETED, Entry
from katana_sandbox.store.undo import Change
from katana_sandbox.wire.encoding import Record, decode_record


class Event(NamedTuple):
    """Something that happened to a record; `path` is where it is read, none when it is gone."""

    name: str
    key: Key
    status: str
    path: str | None


@dataclass(frozen=True, slots=True)
class _Resource:
    """The events of a collection: by what a field became, besides created, updated and deleted."""

    name: str
    became: Mapping[str, Mapping[str, str]]
    availability: tuple[str, ...] = ()


_ORDER = {"PACKED": "packed", "DELIVERED": "delivered", "READY_FOR_FULFILLMENT": "ready_for_fulfillment"}
_BOUGHT = {"PARTIALLY_RECEIVED": "partially_received", "RECEIVED": "received"}
_MADE = {"IN_PROGRESS": "in_progress", "BLOCKED": "blocked", "DONE": "done"}
_WORKED = {"IN_PROGRESS": "in_progress", "PAUSED": "paused", "BLOCKED": "blocked", "COMPLETED": "completed"}
_RESOURCES = {
    "sales_orders": _Resource(
        "sales_order",
        {"status": _ORDER},
        ("product_availability", "ingredient_availability"),
    ),
    "purchase_orders": _Resource("purchase_order", {"status": _BOUGHT}),
    "purchase_order_rows": _Resource("purchase_order_row", {}),
    "outsourced_purchase_order_recipe_rows": _Resource("outsourced_purchase_order_recipe_row", {}),
    "manufacturing_orders": _Resource("manufacturing_order", {"status": _MADE}),
    "manufacturing_order_operation_rows": _Resource("manufacturing_order_operation_row", {"status": _WORKED}),
    "manufacturing_order_recipe_rows": _Resource(
        "manufacturing_order_recipe_row",
        {"ingredient_availability": {"IN_STOCK": "ingredients_in_stock"}},
    ),
    "products": _Resource("product", {}),
    "materials": _Resource("material", {}),
    "variants": _Resource("variant", {}),
    "bom_rows": _Resource("bom_row", {}),
}
_EDITS = ("created", "updated", "deleted")
_MORE = {
    "sales_order": ("approved", *_ORDER.values(), "invoiced", "availability_updated"),
    "purchase_order": ("approved", *_BOUGHT.values(), "billed"),
    "purchase_order_row": ("received",),
    "outsourced_purchase_order": ("approved", "received", "billed"),
    "outsourced_purchase_order_row": ("received",),
    "outsourced_purchase_order_recipe_row": (),
    "manufacturing_order": tuple(_MADE.values()),
    "manufacturing_order_operation_row": tuple(_WORKED.values()),
    "manufacturing_order_recipe_row": ("ingredients_in_stock",),
    "product": (),
    "material": (),
    "variant": (),
    "product_recipe_row": (),
    "bom_row": (),
}
_STOCK = ("product_updated", "material_updated", "product_out_of_stock", "material_out_of_stock")
EVENTS: tuple[str, ...] = (
    *(f"{name}.{action}" for name, more in _MORE.items() for action in (*_EDITS, *more)),
    *(f"current_inventory.{action}" for action in _STOCK),
)
"""Every event that a webhook can subscribe to."""


def events_of(ctx: Context, changes: Iterable[Change]) -> Iterator[Event]:
    """What happened, in the order in which it was first written."""
    stores = {id(store): name for name, store in ctx.db.stores.items() if name in _RESOURCES}
    for change in changes:
        name = stores.get(id(change.store))
        if name is not None:
            yield from _record_events(ctx, name, change)
        elif change.store is ctx.db.levels and isinstance(change.key, int):
            before = level_of(cast("Steps | None", change.before))
            yield from _stock_events(ctx, unpair(change.key), before)


def _record_events(ctx: Context, name: str, change: Change) -> Iterator[Event]:
    store = ctx.db.stores[name]
    key, held = cast("Key", change.key), cast("Entry | None", change.before)
    before = None if held is None or held.flags & DELETED else decode_record(held.raw)
    after = store.get(key)
    record = after or before
    if record is None or _same(before, after):
        return
    path = None if after is None else f"/{name}/{key}"
    status = str(record.get("status") or "")
    for resource in _names(ctx, _RESOURCES[name].name, record):
        for action in _actions(_RESOURCES[name], before, after):
            if f"{resource}.{action}" in EVENTS:
                yield Event(f"{resource}.{action}", key, status, path)


def _same(before: Record | None, after: Record | None) -> bool:
    """Whether only derived stamps differ."""
    if before is None or after is None:
        return before is after
    return {**before, "updated_at": None} == {**after, "updated_at": None}


def _names(ctx: Context, name: str, record: Record) -> tuple[str, ...]:
    """Outsourced purchase orders and their rows have names of their own, and a BOM row has two."""
    if name == "bom_row":
        return ("bom_row", "product_recipe_row")
    order = record if name == "purchase_order" else {}
    if name == "purchase_order_row":
        order = ctx.get("purchase_orders", record.get("purchase_order_id"), deleted=True) or {}
    return (f"outsourced_{name}",) if order.get("entity_type") == "outsourced" else (name,)


def _actions(resource: _Resource, before: Record | None, after: Record | None) -> Iterator[str]:
    if after is None:
        yield "deleted"
        return
    yield "created" if before is None else "updated"
    before = before or {}
    for field, words in resource.became.items():
        if before.get(field) != after.get(field) and after.get(field) in words:
            yield words[after[field]]
    if before.get("received_date") is None and after.get("received_date") is not None:
        yield "received"
    if before and any(before.get(field) != after.get(field) for field in resource.availability):
        yield "availability_updated"


def _stock_events(ctx: Context, pair: tuple[int, int], before: Level) -> Iterator[Event]:
    variant_id, location_id = pair
    after = ctx.db.levels.get(variant_id, location_id)
    variant = ctx.get("variants", variant_id)
    found = owner(ctx, variant) if variant is not None else None
    if found is None:
        return
    kind = found[0].removesuffix("s")
    path = f"/inventory?variant_id={variant_id}"
    if (before.in_stock, before.average_cost) != (after.in_stock, after.average_cost):
        yield Event(f"current_inventory.{kind}_updated", variant_id, "", path)
    safety = safety_stock(ctx, variant_id, location_id)
    if before.excess > safety >= after.excess:
        yield Event(f"current_inventory.{kind}_out_of_stock", variant_id, "", path)
