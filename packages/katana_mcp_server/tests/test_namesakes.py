"""Records of one name are listed with what tells them apart, and with what they have in common."""

import pytest
from server_wire import live

from katana_mcp.references.namesakes import told_apart
from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

NAME = "Zwilling Velos"


def _namesakes(tenant: Tenant, collection: str) -> list[int]:
    """Give two records one name, and e-mail addresses of their own."""
    ids = sorted(record["id"] for record in live(tenant, collection)[:2])
    for record_id, email in zip(ids, ("bern@velo.example", "basel@velo.example"), strict=True):
        tenant.edit(collection, record_id, name=NAME, email=email)
    return ids


def _message(answer: Payload) -> str:
    (message,) = [row["message"] for row in answer["warnings"] if row["code"] == "ambiguous_name"]
    return message


@pytest.mark.parametrize(
    ("collection", "tool", "given"),
    [
        ("customers", "list_sales_orders", {"customer_id": NAME}),
        ("customers", "get_customer", {"customer_id": NAME}),
        ("suppliers", "list_purchase_orders", {"supplier_id": NAME}),
    ],
)
async def test_records_of_one_name_are_told_apart_by_e_mail(
    stage: Stage, tenant: Tenant, collection: str, tool: str, given: dict[str, str]
) -> None:
    first, second = _namesakes(tenant, collection)
    message = _message(await stage.refusal(tool, **given))
    assert message.endswith(f"id: {first} ({NAME}, bern@velo.example), {second} ({NAME}, basel@velo.example)")


async def test_a_preview_tells_customers_of_one_name_apart(stage: Stage, tenant: Tenant) -> None:
    first, second = _namesakes(tenant, "customers")
    sku = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"])
    rows = [{"sku_or_variant_id": sku, "quantity": 1}]
    message = _message(await stage.call("create_sales_order", customer_id=NAME, rows=rows))
    assert message == (
        f"customer_id: 2 customers have the name '{NAME}'; give the id of one: "
        f"{first} ({NAME}, bern@velo.example), {second} ({NAME}, basel@velo.example)"
    )


async def test_variants_of_one_sku_are_said_to_share_it(stage: Stage, tenant: Tenant) -> None:
    pads = [variant["id"] for variant in live(tenant, "variants") if variant["sku"] == "PAD"]
    customer = live(tenant, "customers")[0]["id"]
    rows = [{"sku_or_variant_id": "PAD", "quantity": 1}]
    message = _message(await stage.call("create_sales_order", customer_id=customer, rows=rows))
    assert f"{len(pads)} variants have the SKU 'PAD'; give the id of one: {pads[0]} (" in message


@pytest.mark.parametrize(
    ("records", "called"),
    [
        ([("a", ("x",)), ("b", ("y",))], ["a", "b"]),
        ([("a", ("x", "1")), ("a", ("x", "2"))], ["a, 1", "a, 2"]),
        ([("a", ("x", "1")), ("a", ("", "2"))], ["a, x", "a"]),
        ([("a", ("x", "1", "p")), ("a", ("x", "2", "p")), ("a", ("y", "2", "q"))], ["a, x, 1", "a, x, 2", "a, y, 2"]),
        ([("a", ("x", "1")), ("a", ("x", "2")), ("a", ("y", "3"))], ["a, 1", "a, 2", "a, 3"]),
        ([("a", ()), ("a", ())], ["a", "a"]),
        ([], []),
    ],
)
def test_as_little_is_said_as_tells_them_apart(records: list[tuple[str, tuple[str, ...]]], called: list[str]) -> None:
    assert told_apart(records) == called


@pytest.mark.parametrize("tool", ["list_blocking_ingredients", "get_manufacturing_order"])
async def test_orders_of_one_number_are_told_apart_by_what_they_make(stage: Stage, tenant: Tenant, tool: str) -> None:
    first, second = sorted(live(tenant, "manufacturing_orders"), key=lambda order: order["id"])[:2]
    made = [order["variant_id"] for order in (first, second)]
    assert made[0] != made[1]
    for order in (first, second):
        tenant.edit("manufacturing_orders", order["id"], order_no="MO-TWICE")
    skus = [tenant.get("variants", key)["sku"] for key in made]
    message = _message(await stage.refusal(tool, manufacturing_order_id="MO-TWICE"))
    assert message.endswith(f"id: {first['id']} (MO-TWICE, {skus[0]}), {second['id']} (MO-TWICE, {skus[1]})")
