"""Customers; their names need not be unique, and there is no GET by id."""

from typing import cast

from katana_sandbox.collections.search import search
from katana_sandbox.descriptor import Collection, Context, Embed, Field, Route, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.contacts import add_customer_address, make_default
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable

_TEXTS = ("first_name", "last_name", "company", "email", "phone", "comment", "currency", "reference_id", "category")


def _create(ctx: Context, body: Record) -> Record:
    fields = build(CUSTOMERS, body)
    fields["currency"] = body.get("currency") or ctx.factory().get("base_currency_code")
    customer = ctx.insert("customers", fields)
    for address in cast("list[Record]", body.get("addresses") or []):
        add_customer_address(ctx, {**address, "customer_id": customer["id"]})
    return customer


def _update(ctx: Context, customer: Record, changes: Record) -> Record:
    address_id = changes.get("default_shipping_id")
    if address_id is not None:
        address = ctx.get("customer_addresses", address_id)
        if address is None or address["customer_id"] != customer["id"] or address["entity_type"] != "shipping":
            raise unprocessable("shipping address not found")
        make_default(ctx, address)
    return changes


CUSTOMERS = Collection(
    name="customers",
    custom_fields=("Customer",),
    fields=(
        Field("name"),
        *(Field(name) for name in _TEXTS),
        *plain_fields("discount_rate default_billing_id default_shipping_id custom_fields"),
    ),
    children=(("customer_addresses", "customer_id"),),
    embeds=(Embed("addresses", "customer_addresses", "customer_id"),),
    routes=(Route("POST", "/customers/search", search),),
    on_create=_create,
    on_update=_update,
)
