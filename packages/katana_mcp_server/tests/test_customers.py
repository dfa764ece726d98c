"""`list_customers` and `get_customer` against plain Python over what the sandbox holds."""

from typing import Any

import pytest
from server_wire import Filtered, Wire, amount, assert_filtered, deleted_within, live

from katana_mcp.testing import Stage
from katana_sandbox import Fault, Tenant


async def test_each_filter_keeps_exactly_the_customers_that_have_it(stage: Stage, tenant: Tenant) -> None:
    customers = live(tenant, "customers")
    tenant.edit("customers", customers[3]["id"], reference_id="ERP-7", company="Berger & Söhne", category="Dealer")
    customers = live(tenant, "customers")
    some = customers[3]
    middle = sorted(record["created_at"] for record in customers)[20]

    def has(name: str) -> Filtered:
        return {name: some[name]}, lambda customer: customer[name] == some[name]

    asked = [has(name) for name in ("name", "company", "email", "reference_id", "category", "currency")]
    asked.append(({"created_from": middle}, lambda customer: customer["created_at"] >= middle))
    await assert_filtered(stage, "customers", customers, asked)


async def test_customers_come_in_the_order_asked_for_and_deleted_ones_on_request(stage: Stage, tenant: Tenant) -> None:
    names = sorted(customer["name"] for customer in live(tenant, "customers"))
    up = await stage.call("list_customers", order_by="name", limit=100)
    assert [row["name"] for row in up["rows"]] == names
    gone = [customer for customer in tenant.all("customers") if customer["deleted_at"]]
    every = await stage.call("list_customers", include_deleted=True, limit=100)
    marked = {row["customer_id"]: row["deleted_at"] for row in every["rows"] if "deleted_at" in row}
    assert marked == {record["id"]: record["deleted_at"] for record in gone} != {}


async def test_customers_are_fetched_in_a_batch_by_id(stage: Stage, tenant: Tenant) -> None:
    first, second = (customer["id"] for customer in live(tenant, "customers")[:2])
    answer = await stage.call("list_customers", ids=[second, 999_999, first])
    assert [row["customer_id"] for row in answer["rows"]] == [second, first]
    assert answer["not_found"] == [999_999]


async def test_a_customer_is_shown_with_addresses_and_newest_orders(stage: Stage, tenant: Tenant) -> None:
    orders = live(tenant, "sales_orders")

    def mine(customer: Wire) -> list[Wire]:
        return [order for order in orders if order["customer_id"] == customer["id"]]

    customer = max(live(tenant, "customers"), key=lambda record: len(mine(record)))
    tenant.edit("customers", customer["id"], name="One Of A Kind", comment="pays late", discount_rate=5)
    for asked in (customer["id"], "One Of A Kind", "one of a kind "):
        shown = (await stage.call("get_customer", customer_id=asked))["customer"]
        assert shown["customer_id"] == customer["id"], asked
    assert (shown["comment"], shown["discount_rate"], shown["currency"]) == ("pays late", 5, customer["currency"])
    assert (shown["default_billing_id"], shown["default_shipping_id"]) == (
        customer["default_billing_id"],
        customer["default_shipping_id"],
    )
    for address, sent in zip(shown["addresses"], customer["addresses"], strict=True):
        assert address["address_id"] == sent["id"]
        assert all(address[name] == sent[name] for name in ("entity_type", "default", "line_1", "city", "zip"))
    assert shown["sales_order_count"] == len(mine(customer)) > 5
    assert shown["open_sales_order_count"] == sum(record["status"] != "DELIVERED" for record in mine(customer)) > 0
    newest = sorted(mine(customer), key=lambda order: order["id"], reverse=True)[:5]
    assert [_summary(order, "sales_order_id") for order in shown["recent_sales_orders"]] == [
        _summary(record, "id") for record in newest
    ]


@pytest.mark.cold
async def test_an_address_that_is_deleted_is_not_shown(stage: Stage, tenant: Tenant) -> None:
    customer = next(record for record in live(tenant, "customers") if len(record["addresses"]) > 1)
    first, *others = customer["addresses"]

    stage.own.sandbox.faults.add(Fault("GET /customers", action=deleted_within("addresses", first["id"]), times=None))
    shown = (await stage.call("get_customer", customer_id=customer["id"]))["customer"]["addresses"]
    assert [row["address_id"] for row in shown] == [other["id"] for other in others]
    assert first["id"] not in [row["address_id"] for row in shown]


def _summary(order: dict[str, Any], id_name: str) -> tuple[object, ...]:
    return (order[id_name], order["order_no"], order["status"], amount(order["total"]), order["currency"])


async def test_a_customer_without_orders_has_none_and_a_deleted_one_is_marked(stage: Stage, tenant: Tenant) -> None:
    new = tenant.create("customers", {"name": "Brand New"})
    shown = (await stage.call("get_customer", customer_id=new["id"]))["customer"]
    assert (shown["sales_order_count"], shown["recent_sales_orders"], shown["addresses"]) == (0, [], [])
    gone = next(customer for customer in tenant.all("customers") if customer["deleted_at"])
    answer = await stage.call("get_customer", customer_id=gone["id"])
    assert [warning["code"] for warning in answer["warnings"]] == ["deleted_item"]


async def test_a_name_that_several_have_is_refused_with_their_ids_and_an_unknown_one_with_near_ones(
    stage: Stage, tenant: Tenant
) -> None:
    twins = [customer["id"] for customer in live(tenant, "customers") if customer["name"] == "Velo Berger"]
    refusal = await stage.refusal("get_customer", customer_id="Velo Berger")
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("ambiguous_name", "customer_id")
    assert all(str(twin) in refusal["warnings"][0]["message"] for twin in twins)
    for spelt in ("Velo Berger", "velo berger"):
        refusal = await stage.refusal("list_sales_orders", customer_id=spelt)
        assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("ambiguous_name", "customer_id"), spelt
        assert all(f"{twin} (Velo Berger, " in refusal["warnings"][0]["message"] for twin in twins), spelt
    refusal = await stage.refusal("get_customer", customer_id="Velo Bergr")
    assert refusal["error"] == "not_found"
    assert "did you mean" in refusal["warnings"][0]["message"]
    assert (await stage.refusal("get_customer", customer_id=999_999))["error"] == "not_found"


async def test_a_category_that_many_share_comes_after_the_name_that_begins_with_it(
    stage: Stage, tenant: Tenant
) -> None:
    *shared, named = (customer["id"] for customer in live(tenant, "customers")[:4])
    for customer_id in shared:
        tenant.edit("customers", customer_id, category="Wholesale")
    tenant.edit("customers", named, name="Wholesale Wheels")
    found = await stage.call("search_customers", query="wholesale")
    first, *others = (row["customer_id"] for row in found["rows"])
    assert (first, set(others)) == (named, set(shared))
