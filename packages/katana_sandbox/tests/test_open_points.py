"""What section 6 of the facts leaves open, and no other test turns: each decision shown on both sides of its switch."""

from typing import Any

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

PART, WORKSHOP = 10000106, 10000101
LINE = {"variant_id": PART, "quantity": 1}
COUNT: dict[str, object] = {"location_id": WORKSHOP, "stock_adjustment_rows": [LINE]}
MOVE: dict[str, object] = {
    "source_location_id": 10000101,
    "target_location_id": 10000102,
    "stock_transfer_rows": [{**LINE, "quantity": "1"}],
}
NUMBERED: dict[str, tuple[str, dict[str, object]]] = {
    "sales_orders": ("order_no", {"customer_id": 10000101, "sales_order_rows": [LINE]}),
    "purchase_orders": (
        "order_no",
        {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": [{**LINE, "price_per_unit": 1}]},
    ),
    "manufacturing_orders": ("order_no", {"planned_quantity": 1, "location_id": WORKSHOP}),
    "stock_transfers": ("stock_transfer_number", MOVE),
    "stock_adjustments": ("stock_adjustment_number", COUNT),
}


async def sold(api: Caller, **header: object) -> dict[str, Any]:
    answer = await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [LINE], **header})
    assert answer.status == 200, answer.raw
    return answer.body


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("name", NUMBERED)
async def test_numbers_of_documents_may_have_to_differ(
    sandbox: Sandbox, api: Caller, tenant: Tenant, name: str, on: bool
) -> None:
    """6.24: whether a number that is in use is refused; a deleted document frees its own."""
    status = 422 if on else 200
    sandbox.switches.set("unique_numbers", on)
    member, body = NUMBERED[name]
    if name == "manufacturing_orders":
        made = next(v["id"] for v in tenant.all("variants") if v["type"] == "product" and not v["deleted_at"])
        body = {**body, "variant_id": made}
    first = await api.post(f"/{name}", {**body, member: "TWICE"})
    assert first.status == 200, first.raw
    assert (await api.post(f"/{name}", {**body, member: "TWICE"})).status == status
    other = (await api.post(f"/{name}", {**body, member: "OTHER"})).body
    assert (await api.patch(f"/{name}/{other['id']}", {member: "TWICE"})).status == status
    own = await api.patch(f"/{name}/{first.body['id']}", {member: "TWICE", "additional_info": "mine"})
    assert own.status == 200, "its own number is no other's"
    assert (await api.delete(f"/{name}/{first.body['id']}")).status == 204
    assert (await api.post(f"/{name}", {**body, member: "TWICE"})).status == 200


@pytest.mark.parametrize("name", ["products", "materials", "services"])
async def test_names_of_items_may_have_to_differ(api: Caller, name: str) -> None:
    """6.24: archived items keep their names; customers may always share one."""
    body = {"name": "Twin", "variants": [{"sku": "T"}]}
    first = (await api.post(f"/{name}", body)).body
    assert (await api.patch(f"/{name}/{first['id']}", {"is_archived": True})).status == 200
    assert (await api.post(f"/{name}", body)).status == 200
    assert [(await api.post("/customers", {"name": "Twin"})).status for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(("word", "status"), [("on", 200), ("403", 403), ("422", 422)])
async def test_custom_fields_may_be_switched_off_for_the_account(
    sandbox: Sandbox, api: Caller, tenant: Tenant, word: str, status: int
) -> None:
    """6.25, 4.14: the status of the refusal is not known; orders without such fields are as before."""
    sandbox.switches.set("custom_field_flag", word)
    order = await sold(api)
    kinds = ("SalesOrder", "SalesOrderRow")
    text = {"field_type": "shortText", "source": "api"}
    made = [tenant.create("custom_field_definitions", {"label": kind, "entity_type": kind, **text}) for kind in kinds]
    fields, own = ({definition["id"]: "x"} for definition in made)
    body = {"customer_id": 10000101, "sales_order_rows": [LINE], "custom_fields": fields}
    for answer in (
        await api.post("/sales_orders", body),
        await api.patch(f"/sales_orders/{order['id']}", {"custom_fields": fields}),
        await api.patch(f"/sales_order_rows/{order['sales_order_rows'][0]['id']}", {"custom_fields": own}),
    ):
        assert answer.status == status
    assert (await api.patch(f"/sales_orders/{order['id']}", {"custom_fields": None})).status == 200


async def test_members_that_only_examples_show_are_there(api: Caller) -> None:
    """6.27."""
    adjustment = (await api.post("/stock_adjustments", {"stock_adjustment_number": "A", **COUNT})).body
    transfer = (await api.post("/stock_transfers", {"stock_transfer_number": "T", **MOVE})).body
    level = {"variant_id": PART, "location_id": WORKSHOP, "value": 3}
    cost = (await api.get("/po_additional_cost_rows", {"limit": 1})).rows[0]
    stock = (await api.get("/inventory", {"variant_id": PART, "extend": "variant", "limit": 1})).rows[0]
    bare = (await api.get("/inventory", {"variant_id": PART, "limit": 1})).rows[0]
    seen = {
        "adjustment row": "traceability" in adjustment["stock_adjustment_rows"][0],
        "transfer row": "traceability" in transfer["stock_transfer_rows"][0],
        "cost row": "reference" in cost,
        "linked variant": "product_or_material_name" in stock["variant"],
        "safety stock": {"created_at", "updated_at"}
        <= (await api.post("/inventory_safety_stock_levels", level)).body.keys(),
        "reorder point": {"created_at", "updated_at"}
        <= (await api.post("/inventory_reorder_points", level)).body.keys(),
    }
    assert set(seen.values()) == {True}, seen
    assert "variant" not in bare
    material = (await api.get("/variants/10000106")).body["material_id"]
    name = (await api.get(f"/materials/{material}")).body["name"]
    assert (cost["reference"], stock["variant"]["product_or_material_name"]) == (None, name)


async def test_members_that_one_description_alone_knows(api: Caller) -> None:
    """6.26."""
    order = await sold(api)
    shown = [order, (await api.get(f"/sales_orders/{order['id']}")).body, (await api.get("/sales_orders")).rows[0]]
    assert {"linked_manufacturing_order_id" in one for one in shown} == {True}
    assert "linked_manufacturing_order_id" in order["sales_order_rows"][0], "3.5: rows always have it"
    variant = {"sku": "L", "lead_time": 9, "minimum_order_quantity": 2.5}
    for name in ("products", "materials"):
        item = (await api.post(f"/{name}", {"name": "Lead", "variants": [variant]})).body
        held = {member: item[member] for member in ("lead_time", "minimum_order_quantity") if member in item}
        assert held == {}


async def test_a_query_value_outside_its_enum_is_refused(api: Caller) -> None:
    """6.3: one description types such filters as any text."""
    answer = await api.get("/sales_order_fulfillments", {"status": "LOST"})
    assert answer.status == 400
    assert (await api.get("/sales_order_fulfillments", {"status": "DELIVERED"})).rows


async def test_bounds_on_the_length_of_texts_are_held(api: Caller) -> None:
    """6.30: few were seen to be held; other bounds always are."""
    for body in ({"name": ""}, {"name": "N", "phone": "1" * 31}):
        assert (await api.post("/suppliers", body)).status == 422
    assert (await api.post("/customers", {"name": "N", "discount_rate": 101})).status == 422
    assert (await api.post("/products", {"name": "N", "variants": []})).status == 422


@pytest.mark.parametrize("path", ["/customers/10000101", "/customers"])
async def test_the_default_billing_address_can_not_be_written(api: Caller, path: str) -> None:
    """6.5: the request's own description has default_shipping_id only."""
    body = {"name": "N", "default_billing_id": 10000101}
    answer = await (api.post if path == "/customers" else api.patch)(path, body)
    assert answer.error["details"][0]["info"] == {"additionalProperty": "default_billing_id"}
