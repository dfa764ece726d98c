"""Every price names its currency, and no link leads where its record is not."""

from decimal import Decimal

import pytest
from server_wire import live

from cache_core.indexing import row_of
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch
from cache_core.records import Record, canonical
from cache_core.spec import EntitySpec, Searchable
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.display_names import look_up
from katana_mcp.testing import Setup, Stage, staged
from katana_mcp.values import number, total
from katana_sandbox import Tenant

FACTORY = EntitySpec(name="factory", collection="factory", searchable=Searchable(keys=()))
DOCUMENTS = {
    "purchase_order": "purchaseorder",
    "manufacturing_order": "manufacturingorder",
    "stock_transfer": "stocktransfer",
    "stock_adjustment": "stockadjustment",
}
"""Where the web app shows each."""
NOON = "2026-03-02T12:00:00.000Z"
UNSAID: list[Record] = [{}, {"price": None}, {"price": True}, {"price": ""}, {"price": "12.5"}, {"price": {}}]


@pytest.mark.parametrize("sent", UNSAID, ids=repr)
def test_an_amount_that_katana_does_not_say_is_absent_and_never_zero(sent: Record) -> None:
    assert number(sent, "price") is None
    assert total([number(sent, "price"), Decimal(3)]) is None


def test_amounts_keep_every_digit_and_zero_is_one_of_them() -> None:
    sent = {"zero": 0, "none": Decimal("0.00"), "whole": 3, "exact": Decimal("0.1000000000000000000001")}
    assert {name: str(number(sent, name)) for name in sent} == {name: str(value) for name, value in sent.items()}


@pytest.mark.parametrize("currency", ["EUR", "USD"])
async def test_every_amount_of_an_order_names_the_orders_currency(stage: Stage, tenant: Tenant, currency: str) -> None:
    order = next(sales_order for sales_order in live(tenant, "sales_orders") if sales_order["sales_order_rows"])
    tenant.edit("sales_orders", order["id"], currency=currency)
    document = (await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]
    (listed,) = (await stage.call("list_sales_orders", ids=[order["id"]], include_rows=True))["rows"]
    for shown in (document, listed):
        assert shown["currency"] == currency
        assert {row["currency"] for row in shown["rows"]} == {currency}


async def test_a_purchase_price_is_in_the_suppliers_currency(stage: Stage, tenant: Tenant) -> None:
    variant = next(record for record in live(tenant, "variants") if record["material_id"] and record["purchase_price"])
    supplier = tenant.get("suppliers", tenant.get("materials", variant["material_id"])["default_supplier_id"])
    tenant.edit("suppliers", supplier["id"], currency="CHF")
    (shown,) = (await stage.call("get_variant_details", skus_or_variant_ids=[variant["id"]]))["variants"]
    assert shown["purchase_currency"] == "CHF"


async def test_the_base_currency_is_the_factorys_once_that_is_cached() -> None:
    cache = MemoryBackend((FACTORY,))
    await cache.open()
    assert (await look_up(cache, {"factory": ()})).base_currency() is None
    factory = row_of(FACTORY, canonical({"id": 1, "base_currency_code": "SEK"}), {})
    await cache.apply(Batch(entity="factory", at=NOON, upserts=(factory,)))
    assert (await look_up(cache, {"factory": ()})).base_currency() == "SEK"
    assert (await look_up(cache, {})).base_currency() is None


@pytest.mark.parametrize("sandbox", [True, False])
async def test_only_records_of_an_account_have_a_link_into_katanas_web_app(own: OwnSandbox, *, sandbox: bool) -> None:
    flags = {"sandbox": sandbox, "web_base_url": "https://katana.example/"}
    async with staged(own, Setup(flags=flags)) as stage:
        order = (await stage.call("list_sales_orders", limit=1))["rows"][0]
        item = (await stage.call("search_items", query="fork"))["rows"][0]
        customer = (await stage.call("search_customers", query="velo"))["rows"][0]
        (variant,) = (await stage.call("get_variant_details", skus_or_variant_ids=[item["variant_id"]]))["variants"]
        documents = {name: (await stage.call(f"list_{name}s", limit=1))["rows"][0] for name in DOCUMENTS}
    links = [
        f"https://katana.example/salesorder/{order['sales_order_id']}",
        f"https://katana.example/{item['item_type']}/{item['item_id']}",
        f"https://katana.example/contacts/customers/{customer['customer_id']}",
        f"https://katana.example/{item['item_type']}/{item['item_id']}",
        *(f"https://katana.example/{DOCUMENTS[name]}/{document[f'{name}_id']}" for name, document in documents.items()),
    ]
    shown = [row.get("url") for row in (order, item, customer, variant, *documents.values())]
    assert shown == ([None] * len(links) if sandbox else links)
