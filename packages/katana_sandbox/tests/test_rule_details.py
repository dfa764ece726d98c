"""Single sentences of the rules (facts 4.1-4.9, 4.12, 4.13) that no story elsewhere tells."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Refused, Tenant

from .manufacturing_floor import BOLT, STEEL, WORKSHOP, gadget, ordered, produced, rows_of

NOW = "2026-03-02T09:00:00.000Z"
LATER = "2026-03-05T09:00:00.000Z"
LINE: dict[str, object] = {"variant_id": STEEL, "quantity": 2, "price_per_unit": 10, "tax_rate_id": 10000101}


async def sold(api: Caller, *lines: dict[str, object], **header: object) -> dict[str, Any]:
    body = {"customer_id": 10000101, "sales_order_rows": list(lines or (LINE,)), **header}
    answer = await api.post("/sales_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def shipped(api: Caller, order: dict[str, Any], quantity: float = 2, status: str = "PACKED") -> dict[str, Any]:
    rows = [{"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": quantity}]
    body = {"sales_order_id": order["id"], "status": status, "sales_order_fulfillment_rows": rows}
    return (await api.post("/sales_order_fulfillments", body)).body


def purchase(*lines: dict[str, object]) -> dict[str, object]:
    return {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": list(lines or (LINE,))}


async def bought(api: Caller, *lines: dict[str, object], **header: object) -> dict[str, Any]:
    return (await api.post("/purchase_orders", {**purchase(*lines), **header})).body


def keyword(answer: Answer) -> tuple[int, object]:
    return answer.status, answer.error["details"][0]["code"]


@pytest.mark.parametrize("name", ["products", "materials", "services"])
async def test_nothing_brings_a_deleted_item_back(api: Caller, name: str) -> None:
    """4.1, 4.12: there is no undelete; a deleted record is a 404 by id."""
    key = (await api.post(f"/{name}", {"name": "Gone", "variants": [{"sku": "G"}]})).body["id"]
    assert (await api.delete(f"/{name}/{key}")).status == 204
    for body in ({"is_archived": False}, {"name": "Back"}):
        assert (await api.patch(f"/{name}/{key}", body)).status == 404
    assert (await api.get(f"/{name}/{key}")).status == 404
    again = {"name": "N", "variants": [{"sku": "G"}], "deleted_at": None}
    assert keyword(await api.post(f"/{name}", again)) == (
        422,
        "additionalProperties",
    )


async def test_services_are_never_in_inventory(api: Caller, tenant: Tenant) -> None:
    """4.1: always available, never picked or received."""
    service = next(tenant.all("service_variants"))["id"]
    assert (await api.get("/inventory", {"variant_id": service})).rows == []
    order = await sold(api, {"variant_id": service, "quantity": 5})
    assert order["sales_order_rows"][0]["product_availability"] == "NOT_APPLICABLE"
    before = tenant.count("inventory_movements")
    await shipped(api, order, 5, "DELIVERED")
    assert tenant.count("inventory_movements") == before
    assert (await api.post("/purchase_orders", purchase({**LINE, "variant_id": service}))).status == 422
    row = (await bought(api))["purchase_order_rows"][0]
    assert (await api.patch(f"/purchase_order_rows/{row['id']}", {"variant_id": service})).status == 422


async def test_reference_data_is_read_only(api: Caller) -> None:
    """4.2: locations and additional costs; the presets are Shipping, Customs, Other."""
    assert {row["name"] for row in (await api.get("/additional_costs")).rows} == {"Shipping", "Customs", "Other"}
    for name in ("locations", "additional_costs", "operators"):
        answers = [await api.post(f"/{name}", {"name": "x"}), await api.patch(f"/{name}/10000101", {"name": "x"})]
        answers.append(await api.delete(f"/{name}/10000101"))
        assert [answer.status for answer in answers] == [404] * 3, name


@pytest.mark.parametrize(("method", "status"), [("fixed", 200), ("percentage", 200), ("markup", 200), ("free", 422)])
async def test_price_list_rows_have_three_methods(api: Caller, method: str, status: int) -> None:
    """4.2."""
    made = (await api.post("/price_lists", {"name": "Spring"})).body["id"]
    row = {"variant_id": STEEL, "adjustment_method": method, "amount": 5}
    answer = await api.post("/price_list_rows", {"price_list_id": made, "price_list_rows": [row]})
    assert answer.status == status


@pytest.mark.parametrize(
    ("path", "taken", "refused"),
    [
        ("purchase_orders", ["DRAFT", "NOT_RECEIVED"], ["PARTIALLY_RECEIVED", "RECEIVED"]),
        (
            "sales_orders",
            ["PENDING", "NOT_SHIPPED"],
            ["PACKED", "DELIVERED", "PARTIALLY_PACKED", "PARTIALLY_DELIVERED"],
        ),
        ("manufacturing_orders", ["NOT_STARTED"], ["BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"]),
        ("manufacturing_order_operation_rows", ["NOT_STARTED"], ["BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED"]),
    ],
)
async def test_orders_begin_in_their_first_states_only(
    api: Caller, tenant: Tenant, path: str, taken: list[str], refused: list[str]
) -> None:
    """4.3, 4.4, 4.7."""
    variant = await gadget(api, tenant)
    bodies: dict[str, dict[str, object]] = {
        "purchase_orders": purchase(),
        "sales_orders": {"customer_id": 10000101, "sales_order_rows": [LINE]},
        "manufacturing_orders": {"variant_id": variant, "planned_quantity": 1, "location_id": WORKSHOP},
        "manufacturing_order_operation_rows": {
            "manufacturing_order_id": (await ordered(api, variant))["id"],
            "operation_name": "Glue",
        },
    }
    for status in taken:
        assert (await api.post(f"/{path}", {**bodies[path], "status": status})).body["status"] == status
    for status in refused:
        assert keyword(await api.post(f"/{path}", {**bodies[path], "status": status})) == (422, "enum"), status


@pytest.mark.parametrize("status", ["PARTIALLY_PACKED", "PARTIALLY_DELIVERED"])
async def test_partial_states_are_never_written(api: Caller, status: str) -> None:
    """4.4."""
    order = await sold(api)
    assert keyword(await api.patch(f"/sales_orders/{order['id']}", {"status": status})) == (422, "enum")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("quantity", 9),
        ("variant_id", BOLT),
        ("tax_rate_id", 10000102),
        ("tax_rate", "9"),
        ("price_per_unit", 1),
        ("purchase_uom", "box"),
        ("purchase_uom_conversion_rate", 3),
        ("location_id", 10000102),
    ],
)
async def test_a_purchase_row_is_open_until_it_is_received(api: Caller, name: str, value: object) -> None:
    """4.3: each field that needs received_date to be null."""
    row = (await bought(api))["purchase_order_rows"][0]
    path = f"/purchase_order_rows/{row['id']}"
    assert (await api.patch(path, {name: value})).status == 200
    quantity = (await api.get(path)).body["quantity"]
    assert (
        await api.post("/purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": quantity})
    ).raw == b""
    assert (await api.patch(path, {name: value})).status == 422


async def test_the_tracking_location_is_locked_by_the_first_receipt(api: Caller, tenant: Tenant) -> None:
    """4.3: outsourced orders, in DRAFT and NOT_RECEIVED only."""
    variant = await gadget(api, tenant, is_purchasable=True)
    order = await bought(api, {**LINE, "variant_id": variant}, entity_type="outsourced", tracking_location_id=WORKSHOP)
    path = f"/purchase_orders/{order['id']}"
    assert (await api.patch(path, {"tracking_location_id": 10000102})).body["tracking_location_id"] == 10000102
    receipt = {"purchase_order_row_id": order["purchase_order_rows"][0]["id"], "quantity": 1}
    assert (await api.post("/purchase_order_receive", receipt)).status == 204
    assert (await api.patch(path, {"tracking_location_id": WORKSHOP})).status == 422


async def test_a_row_added_later_keeps_its_own_place(api: Caller) -> None:
    """4.3: location_id works on POST and PATCH of rows, where the nested one gives way to the order's."""
    order = await bought(api, {**LINE, "location_id": 10000102})
    assert order["purchase_order_rows"][0]["location_id"] == WORKSHOP
    body = {"purchase_order_id": order["id"], "variant_id": BOLT, "quantity": 1, "price_per_unit": 1}
    row = (await api.post("/purchase_order_rows", {**body, "location_id": 10000102})).body
    assert row["location_id"] == 10000102
    assert (await api.patch(f"/purchase_order_rows/{row['id']}", {"location_id": 10000101})).body[
        "location_id"
    ] == 10000101


async def test_numbers_of_documents_count_on(api: Caller, tenant: Tenant) -> None:
    """4.3, 4.4, 4.7: PO-<n>, SO-<n>, MO-<n> when omitted; the source of an order is the API."""
    variant = await gadget(api, tenant)
    for prefix, made in (
        ("PO-", [await bought(api), await bought(api)]),
        ("SO-", [await sold(api), await sold(api)]),
        ("MO-", [await ordered(api, variant), await ordered(api, variant)]),
    ):
        first, second = [int(str(order["order_no"]).removeprefix(prefix)) for order in made]
        assert second == first + 1
    assert (await sold(api))["source"] == "API"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"delivery_date": LATER}, 200),
        ({"currency": "USD"}, 422),
        ({"order_no": "X"}, 422),
        ({"customer_id": 10000102}, 422),
        ({"location_id": 10000102}, 422),
        ({"order_created_date": LATER}, 200),
        ({"additional_info": "x"}, 200),
        ({"customer_ref": "x"}, 200),
        ({"tracking_number": "x"}, 200),
        ({"tracking_number_url": "x"}, 200),
    ],
)
async def test_which_header_fields_shipping_locks(api: Caller, body: dict[str, object], status: int) -> None:
    """4.4: open before anything is packed, whatever the field."""
    order = await sold(api)
    path = f"/sales_orders/{order['id']}"
    assert (await api.patch(path, body)).status == 200
    await shipped(api, order)
    answer = await api.patch(path, body)
    assert answer.status == status
    if status == 200:
        assert body.items() <= answer.body.items()


@pytest.mark.parametrize("name", ["conversion_rate", "conversion_date"])
async def test_conversion_is_written_once_everything_is_packed(api: Caller, name: str) -> None:
    """4.4: only PACKED and DELIVERED; a part does not do."""
    order = await sold(api, currency="USD")
    path, body = f"/sales_orders/{order['id']}", {name: 2 if name == "conversion_rate" else LATER}
    statuses = [(await api.patch(path, body)).status]
    for quantity, status in ((1, "PACKED"), (1, "DELIVERED")):
        await shipped(api, order, quantity, status)
        statuses.append((await api.patch(path, body)).status)
    assert statuses == [422, 422, 200]


@pytest.mark.parametrize(
    "body",
    [{"quantity": 3}, {"variant_id": BOLT}, {"tax_rate_id": 10000102}, {"price_per_unit": 1}, {"total_discount": 1}],
)
async def test_a_row_is_locked_by_its_own_shipment(api: Caller, body: dict[str, object]) -> None:
    """4.4: the state of a row follows its fulfillment; another row of the order stays open."""
    order = await sold(api, LINE, {**LINE, "variant_id": BOLT})
    await shipped(api, order, 1)
    statuses = [(await api.patch(f"/sales_order_rows/{row['id']}", body)).status for row in order["sales_order_rows"]]
    assert statuses == [422, 200]


async def test_attributes_are_replaced_and_discounts_come_before_tax(api: Caller) -> None:
    """4.4: row total = quantity x price - total_discount, without tax; the order's total has the tax."""
    order = await sold(api, {**LINE, "total_discount": 5, "attributes": [{"key": "a", "value": "1"}]})
    row = order["sales_order_rows"][0]
    assert (row["total"], order["total"]) == (15, 18.3)
    changed = await api.patch(f"/sales_order_rows/{row['id']}", {"attributes": [{"key": "b", "value": "2"}]})
    assert changed.body["attributes"] == [{"key": "b", "value": "2"}]


async def test_what_a_sales_order_says_of_ingredients(api: Caller, tenant: Tenant) -> None:
    """4.4: PROCESSED when nothing is left to make, NO_RECIPE without BOM, NONE when nothing is being made."""
    variant = await gadget(api, tenant)
    bare = (await api.post("/products", {"name": "Bare", "variants": [{"sku": "B"}]})).body["variants"][0]["id"]
    states: list[tuple[object, object]] = []
    for variant_id in (variant, bare, STEEL):
        order = await sold(api, {**LINE, "variant_id": variant_id}, location_id=WORKSHOP)
        states.append((order["ingredient_availability"], order["production_status"]))
    assert states == [("IN_STOCK", "NONE"), ("NO_RECIPE", "NONE"), ("NOT_APPLICABLE", "NOT_APPLICABLE")]
    tenant.set_stock(bare, WORKSHOP, 50)
    order = await sold(api, {**LINE, "variant_id": bare}, location_id=WORKSHOP)
    assert (order["ingredient_availability"], order["product_availability"]) == ("PROCESSED", "IN_STOCK")


async def test_a_fulfillment_needs_rows_and_never_changes_them(api: Caller) -> None:
    """4.5: at least one row; PATCH takes status, dates, conversion, tracking and packer; accounting writes the rest."""
    order = await sold(api)
    body: dict[str, object] = {"sales_order_id": order["id"], "status": "PACKED"}
    assert keyword(await api.post("/sales_order_fulfillments", body)) == (422, "required")
    none: list[object] = []
    empty = {**body, "sales_order_fulfillment_rows": none}
    assert keyword(await api.post("/sales_order_fulfillments", empty)) == (422, "minItems")
    made = await shipped(api, order)
    assert made["picked_date"] == NOW, "4.5: the server's time when it is left out"
    path = f"/sales_order_fulfillments/{made['id']}"
    for wrong in ({"sales_order_fulfillment_rows": none}, {"invoice_status": "INVOICED"}, {"sales_order_id": 10000101}):
        assert keyword(await api.patch(path, wrong)) == (422, "additionalProperties")
    free = {
        "status": "DELIVERED",
        "picked_date": LATER,
        "conversion_rate": 2,
        "conversion_date": LATER,
        "tracking_number": "T",
        "tracking_url": "U",
        "tracking_carrier": "C",
        "tracking_method": "M",
        "packer_id": 10000101,
    }
    assert free.items() <= (await api.patch(path, free)).body.items()
    assert (await api.get(f"/sales_orders/{order['id']}")).body["status"] == "DELIVERED"
    await api.patch(path, {"status": "PACKED"})
    assert (await api.get(f"/sales_orders/{order['id']}")).body["status"] == "PACKED"


async def test_a_deleted_manufacturing_order_takes_its_parts_along(api: Caller, tenant: Tenant) -> None:
    """4.7: 204, rows and productions go with it."""
    order = await ordered(api, await gadget(api, tenant))
    await produced(api, order, 1)

    async def parts() -> list[int]:
        made = (await api.get("/manufacturing_order_productions", {"manufacturing_order_ids": [order["id"]]})).rows
        return [len(made), *[len(await rows_of(api, name, order)) for name in ("recipe_rows", "operation_rows")]]

    assert await parts() == [1, 2, 2]
    assert (await api.delete(f"/manufacturing_orders/{order['id']}")).status == 204
    assert await parts() == [0, 0, 0]
    assert float(tenant.get("inventory", (STEEL, WORKSHOP))["quantity_in_stock"]) == 100


async def test_batches_of_a_transfer_may_be_fewer_and_those_of_an_adjustment_may_not(tenant: Tenant) -> None:
    """4.8, 4.9."""
    few = [{"batch_id": None, "quantity": 1}]
    header = {"stock_transfer_number": "T", "source_location_id": 10000101, "target_location_id": 10000102}
    row = {"variant_id": STEEL, "batch_transactions": few}
    made = tenant.create("stock_transfers", {**header, "stock_transfer_rows": [{**row, "quantity": "2"}]})
    assert made["stock_transfer_rows"][0]["batch_transactions"] == few
    body: dict[str, object] = {"stock_adjustment_number": "A", "location_id": 10000101}
    with pytest.raises(Refused, match="sum of batch quantity"):
        tenant.create("stock_adjustments", {**body, "stock_adjustment_rows": [{**row, "quantity": 2}]})


async def test_a_compensating_adjustment_restores_quantity_and_value(api: Caller, tenant: Tenant) -> None:
    """4.9."""
    tenant.set_stock(STEEL, WORKSHOP, 10, 3)
    before = tenant.get("inventory", (STEEL, WORKSHOP))
    for quantity in (4, -4):
        row = {"variant_id": STEEL, "quantity": quantity}
        body = {"stock_adjustment_number": "A", "location_id": WORKSHOP, "stock_adjustment_rows": [row]}
        assert (await api.post("/stock_adjustments", body)).status == 200
    assert tenant.get("inventory", (STEEL, WORKSHOP)) == before


async def test_missing_or_excess_counts_all_four_figures(api: Caller, tenant: Tenant) -> None:
    """4.12: in stock - committed + expected - safety stock."""
    variant = await gadget(api, tenant)
    tenant.set_stock(variant, WORKSHOP, 10)
    await sold(api, {**LINE, "variant_id": variant, "quantity": 3}, location_id=WORKSHOP)
    await ordered(api, variant, 5)
    level = {"variant_id": variant, "location_id": WORKSHOP, "value": 1.5}
    await api.post("/inventory_safety_stock_levels", level)
    row = tenant.get("inventory", (variant, WORKSHOP))
    assert row["quantity_missing_or_excess"] == "10.50000"


@pytest.mark.parametrize("form", ["list", "text"])
async def test_custom_fields_of_the_wrong_form_are_refused_in_the_recorded_words(api: Caller, form: str) -> None:
    """4.13: `must be object` on orders; October 3.2: on variants an object takes UUIDs as keys."""
    wrong = [{"field_name": "a", "field_value": "b"}] if form == "list" else "x"
    order = await api.patch("/sales_orders/10000101", {"custom_fields": wrong})
    assert order.error["details"][0]["message"] == "must be object"
    variant = await api.patch("/variants/10000106", {"custom_fields": {"a": "b"} if form == "list" else "x"})
    words = "must NOT have additional properties" if form == "list" else "must be array"
    assert variant.error["details"][0]["message"] == words


async def test_a_search_by_a_camel_case_custom_field_is_an_unknown_field(api: Caller) -> None:
    """4.13."""
    where = {"customFields.0c8f1d6e-3c2a-4f5b-9d77-12ab34cd56ef": 1}
    answer = await api.post("/sales_orders/search", {"filter": {"where": where}})
    assert (answer.status, answer.error["details"][0]["message"]) == (422, "unknown field")
