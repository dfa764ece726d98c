"""Refusals: recorded texts word for word (facts 4.13), and the order in which checks are made (1.3, 7.1)."""

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, SandboxConfig, Tenant

PATCHABLE = (
    "products",
    "materials",
    "services",
    "variants",
    "customers",
    "customer_addresses",
    "suppliers",
    "supplier_addresses",
    "sales_orders",
    "sales_order_rows",
    "sales_order_addresses",
    "sales_order_fulfillments",
    "bom_rows",
)
DELETABLE = (*PATCHABLE, "sales_order_shipping_fee")


def _open_order(tenant: Tenant) -> dict[str, object]:
    return next(o for o in tenant.all("sales_orders") if o["status"] == "NOT_SHIPPED" and not o["deleted_at"])


@pytest.mark.parametrize("name", PATCHABLE)
async def test_an_empty_patch_is_refused_with_at_least_1_field_is_required(
    api: Caller, tenant: Tenant, name: str
) -> None:
    key = next(row["id"] for row in tenant.all(name) if not row.get("deleted_at"))
    answer = await api.patch(f"/{name}/{key}", {})
    assert answer.status == 422
    assert answer.error == {
        "statusCode": 422,
        "name": "UnprocessableEntityError",
        "message": "At least 1 field is required",
    }


@pytest.mark.parametrize("name", PATCHABLE)
async def test_a_bad_body_is_a_422_even_for_an_unknown_id_and_a_good_one_a_404(api: Caller, name: str) -> None:
    bad = await api.patch(f"/{name}/999999", {"surprise": 1})
    assert (bad.status, bad.error["code"]) == (422, "VALIDATION_FAILED")
    good = {
        "bom_rows": {"notes": "x"},
        "sales_order_rows": {"quantity": 1},
        "sales_order_fulfillments": {"status": "PACKED"},
        "variants": {"sku": "x"},
        "sales_orders": {"order_no": "x"},
    }
    body = good.get(name, {"line_1": "x"} if "addresses" in name else {"name": "x"})
    answer = await api.patch(f"/{name}/999999", body)
    assert (answer.status, answer.error["message"]) == (404, "Not found")


@pytest.mark.parametrize("name", DELETABLE)
async def test_a_second_delete_of_the_same_record_is_a_404(api: Caller, tenant: Tenant, name: str) -> None:
    if name == "sales_order_rows":
        key = next(iter(tenant.get("sales_orders", int(str(_open_order(tenant)["id"])))["sales_order_rows"]))["id"]
    else:
        blocked = {row["sales_order_id"] for row in tenant.all("sales_returns")}
        key = next(row["id"] for row in tenant.all(name) if not row.get("deleted_at") and row["id"] not in blocked)
    first = await api.delete(f"/{name}/{key}")
    assert (first.status, first.raw) == (204, b"")
    assert (await api.delete(f"/{name}/{key}")).status == 404
    assert key not in (await api.get(f"/{name}", {"limit": 250})).ids


async def test_a_path_id_that_is_no_number_is_a_400_and_one_too_large_a_404(api: Caller) -> None:
    answer = await api.get("/products/abc")
    assert (answer.status, answer.error["code"]) == (400, "INVALID_PARAMETER_VALUE")
    assert answer.error["message"] == 'Invalid data "abc" for parameter "id".'
    assert (await api.get("/products/99999999999999999999999")).status == 400
    assert (await api.get("/products/2147483648")).status == 404


@pytest.mark.parametrize("raw", [b"{", b"\xff\xfe", b'{"name": NaN}', b'{"a":1e999}', b"[" * 100_000, b"1" * 5000])
async def test_a_body_that_is_no_json_is_a_400(api: Caller, raw: bytes) -> None:
    answer = await api.call("POST", "/customers", raw)
    assert answer.error == {"statusCode": 400, "name": "BadRequestError", "message": "Bad Request"}


@pytest.mark.parametrize("body", [None, [], "text", 5, True])
async def test_a_body_that_is_no_object_is_a_422(api: Caller, body: object) -> None:
    answer = await api.post("/customers", body)
    assert answer.error["details"] == [
        {"path": "", "code": "type", "message": "must be object", "info": {"type": "object"}}
    ]


async def test_a_missing_body_is_a_400(api: Caller) -> None:
    assert (await api.call("POST", "/customers")).error["code"] == "MISSING_REQUIRED_PARAMETER"


async def test_every_fault_of_a_body_is_listed_with_its_pointer(api: Caller) -> None:
    body: dict[str, object] = {
        "name": "",
        "uom": "12345678",
        "is_sellable": "yes",
        "variants": [{"sku": 5, "sales_price": -1, "supplier_item_codes": ["x" * 41], "custom_fields": "x"}],
        "configs": [{"name": "Size"}],
    }
    found = [(d["path"], d["code"], d["message"]) for d in (await api.post("/products", body)).error["details"]]
    assert found == [
        ("/name", "minLength", "must NOT have fewer than 1 characters"),
        ("/uom", "maxLength", "must NOT have more than 7 characters"),
        ("/is_sellable", "type", "must be boolean"),
        ("/configs/0", "required", "must have required property 'values'"),
        ("/variants/0/sku", "type", "must be string"),
        ("/variants/0/sales_price", "minimum", "must be >= 0"),
        ("/variants/0/supplier_item_codes/0", "maxLength", "must NOT have more than 40 characters"),
        ("/variants/0/custom_fields", "type", "must be array"),
    ]


async def test_errors_are_bare_when_switched(clock: ManualClock) -> None:
    settings = {"error_form": "bare"}
    api = Sandbox(SandboxConfig(switches=settings), clock=clock).caller()
    body = (await api.post("/products", {"name": 5, "variants": [{"sku": 5}]})).body
    assert body["statusCode"] == 422
    assert [detail["path"] for detail in body["details"]] == ["/name", "/variants/0/sku"]


async def test_an_enum_in_a_body_lists_the_allowed_values(api: Caller) -> None:
    answer = await api.post("/customer_addresses", {"customer_id": 10000101, "entity_type": "office"})
    detail = answer.error["details"][0]
    assert (detail["path"], detail["message"]) == ("/entity_type", "must be equal to one of the allowed values")
    assert detail["info"] == {"allowedValues": ["billing", "shipping"]}


async def test_a_sales_order_at_a_location_that_does_not_sell_is_refused_in_the_recorded_words(api: Caller) -> None:
    body = {
        "customer_id": 10000101,
        "location_id": 10000103,
        "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}],
    }
    answer = await api.post("/sales_orders", body)
    assert (answer.status, answer.error["message"]) == (422, "Location has selling disabled")
    assert "details" not in answer.error


async def test_unknown_custom_fields_are_refused_in_the_recorded_words(api: Caller, tenant: Tenant) -> None:
    order = _open_order(tenant)
    for path, body in ((f"/sales_orders/{order['id']}", {"custom_fields": {"colour": 1}}),):
        answer = await api.patch(path, body)
        assert (answer.status, answer.error["message"]) == (422, "Unknown custom field identifier")
    create = {
        "customer_id": 10000101,
        "custom_fields": {"x": 1},
        "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}],
    }
    assert (await api.post("/sales_orders", create)).error["message"] == "Unknown custom field identifier"


async def test_the_two_custom_field_forms_refuse_each_other(api: Caller) -> None:
    order = await api.patch("/sales_orders/10000101", {"custom_fields": [{"field_name": "a", "field_value": "b"}]})
    assert order.error["details"][0]["message"] == "must be object"
    variant = await api.patch("/variants/10000106", {"custom_fields": {"a": "b"}})
    assert variant.error["details"][0]["code"] == "additionalProperties", "October 3.2: keys are UUIDs"


async def test_picked_date_fees_and_address_ids_are_refused_when_a_sales_order_is_created(api: Caller) -> None:
    base = {"customer_id": 10000101, "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}]}
    for name in ("picked_date", "shipping_fee", "shipping_fees", "billing_address_id", "shipping_address_id"):
        answer = await api.post("/sales_orders", {**base, name: None})
        assert answer.error["details"][0]["info"] == {"additionalProperty": name}


async def test_ecommerce_fields_are_refused_after_creation(api: Caller) -> None:
    answer = await api.patch("/sales_orders/10000101", {"ecommerce_order_id": "5"})
    assert answer.error["details"][0]["code"] == "additionalProperties"


async def test_serial_tracking_of_a_material_can_not_be_written(api: Caller) -> None:
    answer = await api.patch("/materials/10000101", {"serial_tracked": True})
    assert answer.error["details"][0]["info"] == {"additionalProperty": "serial_tracked"}


async def test_a_fulfillment_quantity_of_zero_is_a_schema_error(api: Caller, tenant: Tenant) -> None:
    order = _open_order(tenant)
    rows = [{"sales_order_row_id": 10000101, "quantity": 0}]
    answer = await api.post(
        "/sales_order_fulfillments",
        {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows},
    )
    detail = answer.error["details"][0]
    assert (detail["code"], detail["message"]) == ("exclusiveMinimum", "must be > 0")
    none = await api.post("/sales_order_fulfillments", {"sales_order_id": order["id"], "status": "PACKED"})
    assert none.error["details"][0]["info"] == {"missingProperty": "sales_order_fulfillment_rows"}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/customer_addresses", {"customer_id": 9, "entity_type": "billing"}, "customer not found"),
        ("/supplier_addresses", {"supplier_id": 9}, "supplier not found"),
        ("/variants", {"product_id": 9, "sku": "x"}, "product not found"),
        (
            "/sales_orders",
            {"customer_id": 9, "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}]},
            "customer not found",
        ),
        (
            "/sales_orders",
            {"customer_id": 10000101, "sales_order_rows": [{"variant_id": 9, "quantity": 1}]},
            "variant not found",
        ),
        ("/sales_order_rows", {"sales_order_id": 9, "variant_id": 10000106, "quantity": 1}, "sales order not found"),
        ("/inventory_safety_stock_levels", {"variant_id": 9, "location_id": 10000101, "value": 1}, "variant not found"),
        ("/inventory_reorder_points", {"variant_id": 10000106, "location_id": 9, "value": 1}, "location not found"),
        ("/sales_order_shipping_fee", {"sales_order_id": 9, "amount": "1"}, "sales order not found"),
    ],
)
async def test_a_foreign_key_that_leads_nowhere_is_a_422_that_names_the_entity(
    api: Caller, path: str, body: object, message: str
) -> None:
    answer = await api.post(path, body)
    assert (answer.status, answer.error["message"]) == (422, message)


async def test_a_refused_create_leaves_nothing_behind(api: Caller, tenant: Tenant) -> None:
    before = {name: tenant.count(name) for name in ("sales_orders", "sales_order_rows", "sales_order_addresses")}
    body = {
        "customer_id": 10000101,
        "sales_order_rows": [{"variant_id": 10000106, "quantity": 1}, {"variant_id": 9, "quantity": 1}],
    }
    stock = tenant.get("inventory", (10000106, 10000101))
    assert (await api.post("/sales_orders", body)).status == 422
    assert {name: tenant.count(name) for name in before} == before
    assert tenant.get("inventory", (10000106, 10000101)) == stock
