"""Productions of manufacturing orders: what was made when, from what and in what time."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Embed, Route, View, plain_fields
from katana_sandbox.operations.create import checked, created
from katana_sandbox.render import render_key
from katana_sandbox.rules.items import is_tracked
from katana_sandbox.rules.manufacturing_productions import (
    check_production_deletable,
    create_production,
    update_production,
)
from katana_sandbox.rules.manufacturing_settle import settle_changed_production
from katana_sandbox.rules.serials import PRODUCTION, brought_units, wire_entries, wire_entry
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import Refused
from katana_sandbox.wire.numbers import as_decimal, shortest


def _create(ctx: Context, collection: Collection, call: Call) -> Reply:
    body = checked("POST /manufacturing_order_productions", call.body())
    order = ctx.get("manufacturing_orders", body["manufacturing_order_id"])
    if order is None:
        raise Refused(404, f"manufacturing order {body['manufacturing_order_id']} not found")
    production = create_production(ctx, order, body)
    return created(render_key(ctx, collection.name, production["id"], "reply"))


def _parts(ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    production = ctx.get("manufacturing_order_productions", key, deleted=True) or {}
    serials = wire_entries(ctx, PRODUCTION, key)
    serials += [wire_entry(ctx, entry) for entry in brought_units(ctx, production)]
    shown = {"factory_id": b"1", "serial_numbers": encode(serials)}
    if not is_tracked(ctx, production.get("variant_id")):
        return shown
    trace: list[Record] = [{"serial_number_id": unit["id"], "batch_id": None, "quantity": "1"} for unit in serials]
    batch = cast("Record", production.get("batch_transaction") or {})
    rest = as_decimal(production["quantity"]) - len(trace)
    if rest > 0:
        trace.append({"serial_number_id": None, "batch_id": batch.get("batch_id"), "quantity": shortest(rest)})
    return {**shown, "traceability": encode(trace)}


MANUFACTURING_ORDER_PRODUCTIONS = Collection(
    name="manufacturing_order_productions",
    entity="production",
    fields=plain_fields(
        "manufacturing_order_id quantity production_date variant_id location_id cost=0 is_final=false batch_transaction"
    ),
    foreign_keys=("manufacturing_order_id", "variant_id"),
    references={"manufacturing_order_id": "manufacturing_orders"},
    children=(
        ("manufacturing_order_production_ingredients", "production_id"),
        ("manufacturing_order_production_operations", "production_id"),
    ),
    embeds=(
        Embed("ingredients", "manufacturing_order_production_ingredients", "production_id"),
        Embed("operations", "manufacturing_order_production_operations", "production_id"),
    ),
    parts=_parts,
    hidden=frozenset({"variant_id", "location_id", "cost", "is_final", "batch_transaction"}),
    parent=("manufacturing_order_id", "manufacturing_orders"),
    on_update=update_production,
    on_delete=check_production_deletable,
    settle=settle_changed_production,
    routes=(Route("POST", "/manufacturing_order_productions", _create),),
)
