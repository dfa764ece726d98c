"""The texts that people write into Katana's records, and how others are written into them."""

from collections.abc import Callable
from typing import Any

from katana_sandbox import Tenant

from .matrix import matrix

ADDRESS = ("first_name", "last_name", "company", "phone", "line_1", "line_2", "city", "state", "zip", "country")
TEXTS: dict[str, tuple[str, ...]] = {
    "locations": ("name", "legal_name"),
    "suppliers": ("name", "email", "phone", "comment"),
    "supplier_addresses": ADDRESS[4:],
    "customers": (
        *("name", "first_name", "last_name", "company", "email", "phone", "comment", "category", "reference_id"),
    ),
    "customer_addresses": ADDRESS,
    "tax_rates": ("name", "display_name"),
    "operators": ("operator_name",),
    "additional_costs": ("name",),
    "custom_field_definitions": ("label", "description"),
    "products": ("name", "uom", "category_name", "additional_info", "purchase_uom"),
    "materials": ("name", "uom", "category_name", "additional_info", "purchase_uom"),
    "services": ("name", "uom", "category_name", "additional_info"),
    "variants": ("sku", "internal_barcode", "registered_barcode", "supplier_item_codes", "config_attributes"),
    "factory": ("name", "legal_name", "timezone"),
    "bom_rows": ("notes",),
    "sales_orders": (
        *("order_no", "customer_ref", "additional_info", "tracking_number", "tracking_number_url"),
        *("ecommerce_order_id", "ecommerce_order_type", "ecommerce_store_name"),
    ),
    "sales_order_addresses": ADDRESS,
    "sales_order_shipping_fee": ("description",),
    "sales_order_fulfillments": ("tracking_number", "tracking_url", "tracking_carrier", "tracking_method"),
    "sales_returns": (
        *("order_no", "additional_info"),
        *("tracking_number", "tracking_number_url", "tracking_carrier", "tracking_method"),
    ),
    "purchase_orders": ("order_no", "additional_info"),
    "purchase_order_rows": ("purchase_uom",),
    "po_additional_cost_rows": ("name", "reference"),
    "purchase_order_accounting_metadata": ("bill_id",),
    "manufacturing_orders": ("order_no", "additional_info"),
    "manufacturing_order_recipe_rows": ("notes",),
    "manufacturing_order_operation_rows": ("operation_name", "resource_name"),
    "stock_transfers": ("stock_transfer_number", "additional_info"),
    "stocktakes": ("stocktake_number", "reason", "additional_info"),
    "stocktake_rows": ("notes",),
    "stock_adjustments": ("stock_adjustment_number", "reason", "additional_info"),
}
"""The texts that people write, by collection."""


NESTED: dict[str, Callable[[str], object]] = {
    "supplier_item_codes": lambda text: [text],
    "config_attributes": lambda text: [{"config_name": text, "config_value": text}],
}
NAMES_NONE = ("create_item", "define_custom_field", "create_customer", "create_supplier")
"""Tools whose usual call makes something that names no record, so that no text of one is shown; as they are listed."""


def plant(tenant: Tenant, written: Callable[[str, object], str]) -> None:
    """Write what is returned for a field's name and a record's key into texts of records.

    They are the oldest and the newest, and the sales orders that usual calls name, as no other is of their status.
    """
    usual = [call.arguments for call in matrix(tenant).values()]
    named = {("sales_orders", arguments.get("sales_order_id")) for arguments in usual}
    for collection, names in TEXTS.items():
        records = list(tenant.all(collection))
        for chosen in [
            *records[:2],
            *(record for record in records[2:-2] if (collection, record.get("id")) in named),
            *records[-2:],
        ]:
            key = chosen.get("id", 1)
            texts: dict[str, Any] = {name: NESTED.get(name, str)(written(name, key)) for name in names}
            tenant.edit(collection, key, **texts)
    # Their numbers stand in warnings, where no text of a record is to stand; what else they say is to be seen.
    for key in {arguments.get("manufacturing_order_id") for arguments in usual}:
        if isinstance(key, int):
            tenant.edit("manufacturing_orders", key, additional_info=written("additional_info", key))


def planted_calls(tenant: Tenant, word: str) -> dict[str, dict[str, object]]:
    """Return a call of each tool that shows what was planted, searches by a word of it."""
    planted: dict[str, object] = {"skus_or_variant_ids": [next(tenant.all("variants"))["id"]]}
    found = {"skus_or_variant_ids": planted, "query": {"query": word}}
    calls = {tool: usual.arguments for tool, usual in matrix(tenant).items()}
    # A billed order is named in a warning, and its number is what was planted.
    unbilled = next(
        order
        for order in tenant.all("purchase_orders")
        if order["status"] == "RECEIVED" and order["billing_status"] == "NOT_BILLED"
    )
    changed = [{"row_id": unbilled["purchase_order_rows"][0]["id"], "quantity": 77}]
    calls["correct_purchase_order"] = {"purchase_order_id": unbilled["id"], "update_rows": changed}
    return {
        tool: arguments
        | {name: value for argument in arguments if argument in found for name, value in found[argument].items()}
        for tool, arguments in calls.items()
    }
