"""Whoever reads a document need not look up what its ids stand for."""

from collections.abc import Iterator

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.answer_schemas import answer_schema

from .shapes import Schema, nodes

CALLED = {
    "variant": ("sku",),
    "item": ("name",),
    "sales_order": ("sales_order_no", "caused_by_order_no"),
    "purchase_order": ("caused_by_order_no",),
    "manufacturing_order": ("caused_by_order_no",),
    "stock_transfer": ("caused_by_order_no",),
    "stock_adjustment": ("caused_by_order_no",),
    "additional_cost": ("name",),
}
"""What an id without its ending is called where its name stands under another key."""
OWN = ("name", "sku", "order_no", "stock_transfer_number", "stock_adjustment_number", "operation")
"""What a record calls itself; its own id comes first."""
UNNAMED = {
    "batch_id": "batches are not cached",
    "serial_number_id": "serial numbers are not cached",
    "bin_location_id": "bins are not cached",
    "reason_id": "reasons of returns are not cached",
    "shipping_fee_id": "a fee has no name, but a description",
    "address_id": "an address has no name",
    "billing_address_id": "one of `addresses`",
    "shipping_address_id": "one of `addresses`",
    "default_billing_id": "one of `addresses`",
    "default_shipping_id": "one of `addresses`",
    "sales_order_fulfillment_id": "a shipment has no name",
    "production_id": "a production has no name",
    "group_id": "a group has no name; rows, costs and bills share its id",
    "default_group_id": "a group has no name; costs share its id",
    "received_items_group_id": "a group has no name; rows and costs share its id",
    "bill_id": "what accounting calls the bill",
    "ecommerce_order_id": "what the shop calls the order",
    "reference_id": "what people call the customer elsewhere",
    "parent_variant_id": "the line above it",
    "resource_id": "a row of the document that `caused_by_order_no` names",
    "order.linked_manufacturing_order_id": "one of `manufacturing_orders` of the rows",
    "order.rows[].linked_manufacturing_order_id": "one of `manufacturing_orders` of the row",
    "order.productions[].operations[].operation_row_id": "one of `operations`",
    "get_manufacturing_order_recipe order.sales_order_id": "the recipe reads no sales orders; the whole order does",
}
"""Ids without a name beside them, by name, path or tool and path, each with its reason."""


def _nameless(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield each id that stands without its name, with its path."""
    for path, node in nodes(schema):
        keys = list(node.get("properties", ()))
        for key in (key for key in keys if key.endswith("_id")):
            stem = key.removesuffix("_id")
            called = {stem, *CALLED.get(stem, ()), *(OWN if key == keys[0] or stem.endswith("_row") else ())}
            if not called & set(keys):
                yield key, f"{path}.{key}"


def test_each_id_in_a_document_has_its_name_beside_it_or_a_reason_to_have_none() -> None:
    found = [
        (key, path, f"{tool.name} {path}")
        for tool in tools()
        if tool.name.startswith("get_")
        for key, path in _nameless(answer_schema(tool.answer))
    ]
    assert [pair for pair in found if not UNNAMED.keys() & set(pair)] == []
    assert UNNAMED.keys() - {name for pair in found for name in pair} == set()
