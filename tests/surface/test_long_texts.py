"""No answer of any tool or resource outgrows what hosts take, whatever is written into the records."""

import json
from collections.abc import Callable
from typing import Any

from katana_mcp.adapter.server import RESOURCES, TEMPLATES
from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import staged, text_of
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
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
    "purchase_orders": ("order_no", "additional_info"),
    "purchase_order_rows": ("purchase_uom",),
    "po_additional_cost_rows": ("name", "reference"),
    "purchase_order_accounting_metadata": ("bill_id",),
    "manufacturing_orders": ("order_no", "additional_info"),
    "manufacturing_order_recipe_rows": ("notes",),
    "manufacturing_order_operation_rows": ("operation_name", "resource_name"),
    "stock_transfers": ("stock_transfer_number", "additional_info"),
    "stock_adjustments": ("stock_adjustment_number", "reason", "additional_info"),
}
"""The texts that people write, by collection."""


NESTED: dict[str, Callable[[str], object]] = {
    "supplier_item_codes": lambda text: [text],
    "config_attributes": lambda text: [{"config_name": text, "config_value": text}],
}


def _plant(tenant: Tenant, long: str) -> None:
    """Write a long text into every text of the oldest and the newest records, each a little different."""
    for collection, names in TEXTS.items():
        records = list(tenant.all(collection))
        for each in [*records[:2], *records[-2:]]:
            key = each.get("id", 1)
            texts: dict[str, Any] = {name: NESTED.get(name, str)(f"{long} {name} {key}") for name in names}
            tenant.edit(collection, key, **texts)


def _calls(tenant: Tenant) -> dict[str, dict[str, object]]:
    """Return a call of each tool that shows what was planted."""
    planted: dict[str, object] = {"skus_or_variant_ids": [next(tenant.all("variants"))["id"]]}
    found = {"skus_or_variant_ids": planted, "query": {"query": "long"}}
    calls = {tool: usual.arguments for tool, usual in matrix(tenant).items()}
    return {
        tool: arguments | {name: value for each in arguments if each in found for name, value in found[each].items()}
        for tool, arguments in calls.items()
    }


async def test_no_answer_outgrows_what_hosts_take_however_long_the_texts_are(own: OwnSandbox) -> None:
    tenant = own.sandbox.tenant()
    calls, texts = _calls(tenant), dict[str, str]()
    _plant(tenant, "long " * 2_800)
    async with staged(own) as stage:
        for tool, arguments in calls.items():
            result = await stage.result(tool, arguments)
            assert not result.is_error, (tool, str(result.structured_content)[:300])
            texts[tool] = text_of(result)
            assert json.loads(texts[tool]) == result.structured_content, tool
        texts["refusal"] = json.dumps(await stage.refusal("get_customer", customer_id="long"))
        uris = [*RESOURCES, *(template.replace("{id}", _first(tenant, template)) for template in TEMPLATES)]
        texts |= {uri: await stage.read(uri) for uri in uris}
    assert {name: len(text) for name, text in texts.items() if len(text.encode()) > MAX_ANSWER_BYTES} == {}
    plain = [name for name, text in texts.items() if "long long" not in text]
    assert plain == ["cache_status", "rebuild_cache", "katana://help", "katana://help/tools"]
    for name in ("get_sales_order", "list_customers", "katana://suppliers", "refusal"):
        assert " more characters]" in texts[name], name
    codes = [each["code"] for each in json.loads(texts["get_sales_order"])["warnings"]]
    assert codes == ["truncated_result"]


def _first(tenant: Tenant, template: str) -> str:
    """Return the oldest id of what `katana://tax-rate/{id}` shows one of."""
    collection = f"{template.split('/')[2].replace('-', '_')}s"
    return str(next(tenant.all(collection))["id"])
