"""What belongs to the account: custom field definitions, ranks of orders, users, invoices (October 2.3, 4.2, 6)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .manufacturing_floor import gadget, ordered
from .stock_room import material, sold

type Body = dict[str, Any]
CHOICES = {"choices": [{"label": "Red"}, {"label": "Blue"}]}
COLOUR = {"label": "Colour", "field_type": "singleSelect", "entity_type": "SalesOrder", "source": "api"}


async def defined(api: Caller, **extra: object) -> Body:
    answer = await api.post("/custom_field_definitions", {**COLOUR, "options": CHOICES, **extra})
    assert answer.status == 200, answer.raw
    return answer.body


async def test_a_definition_makes_a_key_of_custom_fields(api: Caller, tenant: Tenant) -> None:
    order = sold(tenant, material(tenant), 1)
    made = await defined(api)
    assert [choice["id"] for choice in made["options"]["choices"]] == [1, 2]
    path = f"/sales_orders/{order['id']}"
    assert (await api.patch(path, {"custom_fields": {made["id"]: 2}})).body["custom_fields"] == {made["id"]: 2}
    listed = await api.get("/custom_field_definitions", {"label": "Colour", "entity_type": "SalesOrder"})
    assert listed.rows == [(await api.get(f"/custom_field_definitions/{made['id']}")).body]
    assert (await api.delete(f"/custom_field_definitions/{made['id']}")).status == 204
    refused = await api.patch(path, {"custom_fields": {made["id"]: 1}})
    assert (refused.status, refused.error["message"]) == (422, "Unknown custom field identifier")
    assert (await api.get("/custom_fields_collections")).rows == []


async def test_options_left_out_are_kept_and_choices_replaced(api: Caller) -> None:
    made = await defined(api, entity_type="ProductVariant", options={**CHOICES, "appearsOn": ["SalesOrderRow"]})
    path = f"/custom_field_definitions/{made['id']}"
    choices = [{"id": 2, "label": "Sky", "deleted": True}, {"label": "Green"}]
    after = (await api.patch(path, {"options": {"choices": choices}})).body["options"]
    assert after["appearsOn"] == ["SalesOrderRow"]
    assert [(choice["id"], choice["label"]) for choice in after["choices"]] == [(2, "Sky"), (3, "Green")]
    wrong: list[object] = [{"options": None}, {"options": {"appearsOn": ["SalesOrderRow"] * 2}}, {"field_type": "url"}]
    assert [(await api.patch(path, body)).status for body in wrong] == [422] * 3
    assert (await api.post("/custom_field_definitions", COLOUR)).status == 422, "a select without choices"
    renamed = await api.patch(f"/custom_field_definitions/{made['id']}", {"label": "Paint"})
    assert (renamed.body["label"], renamed.body["options"]) == ("Paint", after)


async def test_an_account_has_at_most_fifty_definitions(api: Caller, tenant: Tenant) -> None:
    statuses = {(await api.post("/custom_field_definitions", {**COLOUR, "options": CHOICES})).status for _ in range(60)}
    assert (statuses, tenant.count("custom_field_definitions")) == ({200, 422}, 50)


async def test_the_order_that_is_ranked_higher_gets_the_stock(api: Caller, tenant: Tenant) -> None:
    resin = material(tenant, 3)
    first, second = sold(tenant, resin, 3), sold(tenant, resin, 3)

    def states() -> list[object]:
        rows = [tenant.get("sales_orders", order["id"])["product_availability"] for order in (first, second)]
        return list(rows)

    assert states() == ["IN_STOCK", "NOT_AVAILABLE"]
    body: Body = {"order_ids": [second["id"]], "place": {"position": "top"}}
    answers = [await api.post("/sales_order_rerank", body) for _ in range(2)]
    assert [(answer.status, answer.body) for answer in answers] == [(200, {"order_ids": [second["id"]]})] * 2
    assert states() == ["NOT_AVAILABLE", "IN_STOCK"]
    await api.post("/sales_order_rerank", {"order_ids": [first["id"]], "place": {"before_id": second["id"]}})
    assert states() == ["IN_STOCK", "NOT_AVAILABLE"]
    await api.post("/sales_order_rerank", {"order_ids": [first["id"]], "place": {"after_id": second["id"]}})
    assert states() == ["NOT_AVAILABLE", "IN_STOCK"]


@pytest.mark.parametrize(
    "place", [{}, {"position": "top", "after_id": 1}, {"position": "middle"}, {"after_id": 1}, {"before_id": None}]
)
async def test_a_place_that_can_not_be_is_refused(api: Caller, tenant: Tenant, place: Body) -> None:
    order = sold(tenant, material(tenant), 1)
    assert (await api.post("/sales_order_rerank", {"order_ids": [order["id"]], "place": place})).status == 422
    for ids in ([order["id"]] * 2, [1], []):
        assert (await api.post("/sales_order_rerank", {"order_ids": ids, "place": {"position": "top"}})).status == 422


async def test_manufacturing_orders_of_one_sales_order_stay_together(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant)
    sale = sold(tenant, variant, 1)
    body = {"sales_order_row_id": sale["sales_order_rows"][0]["id"]}
    linked = (await api.post("/manufacturing_order_make_to_order", body)).body["id"]
    row = {"sales_order_id": sale["id"], "variant_id": variant, "quantity": 1}
    more = (await api.post("/sales_order_rows", row)).body["id"]
    other = (await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": more})).body["id"]
    alone = (await ordered(api, variant))["id"]
    moved = await api.post("/manufacturing_order_rerank", {"order_ids": [alone, linked], "place": {"position": "top"}})
    assert moved.body["order_ids"] == [alone, linked, other]
    within = {"order_ids": [linked], "place": {"after_id": other}}
    assert (await api.post("/manufacturing_order_rerank", within)).status == 422


async def test_users_are_listed_and_the_key_is_of_one(api: Caller) -> None:
    users = (await api.get("/users")).rows
    own = (await api.get("/user_info")).body
    assert set(own) == {"id", "firstName", "lastName", "email"}
    assert own["email"] in {user["email"] for user in users}


async def test_invoices_are_what_integrations_have_written(api: Caller, tenant: Tenant) -> None:
    assert (await api.get("/sales_order_accounting_metadata")).rows == []
    order = sold(tenant, material(tenant), 1)
    written = {"sales_order_id": order["id"], "fulfillment_id": 7, "invoice_id": "INV", "integration_type": "xero"}
    key = tenant.insert_raw("sales_order_accounting_metadata", {"id": 5, **written})
    found = await api.get("/sales_order_accounting_metadata", {"sales_order_id": order["id"], "fulfillment_id": 7})
    assert found.ids == [key]
    assert (await api.get("/sales_order_accounting_metadata", {"sales_order_id": 1})).rows == []
