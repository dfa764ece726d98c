"""Suppliers; there is no GET by id."""

from typing import cast

from katana_sandbox.descriptor import Collection, Context, Embed, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.contacts import add_supplier_address, check_currency
from katana_sandbox.wire.encoding import Record


def _create(ctx: Context, body: Record) -> Record:
    check_currency(body)
    fields = build(SUPPLIERS, body)
    fields["currency"] = body.get("currency") or ctx.factory().get("base_currency_code")
    supplier = ctx.insert("suppliers", fields)
    for address in cast("list[Record]", body.get("addresses") or []):
        add_supplier_address(ctx, {**address, "supplier_id": supplier["id"]})
    return supplier


def _update(_ctx: Context, _supplier: Record, changes: Record) -> Record:
    check_currency(changes)
    return changes


SUPPLIERS = Collection(
    name="suppliers",
    custom_fields=("Supplier",),
    fields=plain_fields("name email= phone= comment= currency default_address_id custom_fields"),
    children=(("supplier_addresses", "supplier_id"),),
    embeds=(Embed("addresses", "supplier_addresses", "supplier_id"),),
    on_create=_create,
    on_update=_update,
)
