"""Addresses of customers and suppliers, and which of them is the default."""

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.wire.currencies import CURRENCIES
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable

ADDRESS_LINES = ("line_1", "line_2", "city", "state", "zip", "country")
PERSON_LINES = ("first_name", "last_name", "company", "phone", *ADDRESS_LINES)
ENTITY_TYPES = ("billing", "shipping")


def check_currency(body: Record) -> None:
    """Refuse a currency that ISO 4217 does not know."""
    currency = body.get("currency")
    if currency is not None and currency not in CURRENCIES:
        raise unprocessable(f"currency {currency} is no ISO 4217 code")


def add_customer_address(ctx: Context, body: Record) -> Record:
    """Store an address; the first of its type becomes the customer's default."""
    customer_id, kind = body["customer_id"], body["entity_type"]
    same = [a for a in ctx.children("customer_addresses", "customer_id", customer_id) if a["entity_type"] == kind]
    if same and kind == "billing":
        raise unprocessable("customer already has a billing address")
    fields = build(ctx.collections["customer_addresses"], body)
    fields["default"] = not same or bool(body.get("default"))
    address = ctx.insert("customer_addresses", fields)
    if address["default"]:
        make_default(ctx, address)
    return address


def make_default(ctx: Context, address: Record) -> None:
    """Let an address be its customer's default for its type."""
    for other in ctx.children("customer_addresses", "customer_id", address["customer_id"]):
        if other["entity_type"] == address["entity_type"]:
            ctx.set("customer_addresses", other["id"], {"default": other["id"] == address["id"]})
    ctx.set("customers", address["customer_id"], {f"default_{address['entity_type']}_id": address["id"]})


def forget_customer_address(ctx: Context, address: Record) -> None:
    """A deleted address is nobody's default."""
    customer = ctx.get("customers", address.get("customer_id"))
    field = f"default_{address.get('entity_type')}_id"
    if customer is not None and customer.get(field) == address["id"]:
        ctx.set("customers", customer["id"], {field: None})


def add_supplier_address(ctx: Context, body: Record) -> Record:
    """Store the one address of a supplier and make it the default."""
    if ctx.children("supplier_addresses", "supplier_id", body["supplier_id"]):
        raise unprocessable("supplier already has an address")
    address = ctx.insert("supplier_addresses", build(ctx.collections["supplier_addresses"], body))
    ctx.set("suppliers", address["supplier_id"], {"default_address_id": address["id"]})
    return address


def forget_supplier_address(ctx: Context, address: Record) -> None:
    """A deleted address is not the default."""
    supplier = ctx.get("suppliers", address.get("supplier_id"))
    if supplier is not None and supplier.get("default_address_id") == address["id"]:
        ctx.set("suppliers", supplier["id"], {"default_address_id": None})
