"""The wire facts that a stand-in must reproduce: one test for each, its subject in its name."""

import asyncio
import re

import pytest

from katana_sandbox import Caller, ManualClock, ReplicaLag, Sandbox, SandboxConfig, Tenant
from katana_sandbox.faults.script import Fault

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def limited(clock: ManualClock) -> Sandbox:
    return Sandbox(clock=clock)


async def test_sixty_requests_per_sixty_seconds_are_granted_per_key(limited: Sandbox, clock: ManualClock) -> None:
    limited.add_key("second")
    first, second = limited.caller(), limited.caller("second")
    statuses = [(await first.get("/factory")).status for _ in range(61)]
    assert statuses == [200] * 60 + [429]
    assert (await second.get("/factory")).headers["x-ratelimit-remaining"] == "59"
    clock.advance(59.9)
    assert (await first.get("/factory")).status == 429
    clock.advance(0.1)
    assert (await first.get("/factory")).status == 200


async def test_rate_headers_say_limit_remaining_and_reset_in_epoch_milliseconds(
    limited: Sandbox, clock: ManualClock
) -> None:
    first = await limited.caller().get("/factory")
    clock.advance(20)
    missing = await limited.caller().get("/nowhere")
    opened = int(clock.now().timestamp() * 1000) - 20_000
    assert first.headers["x-ratelimit-limit"] == "60"
    assert first.headers["x-ratelimit-reset"] == str(opened + 60_000)
    assert missing.status == 404
    assert missing.headers["x-ratelimit-remaining"] == "58"
    assert missing.headers["x-ratelimit-reset"] == str(opened + 60_000)


async def test_retry_after_comes_with_a_429(limited: Sandbox, clock: ManualClock) -> None:
    caller = limited.caller()
    for _ in range(60):
        await caller.get("/factory")
    clock.advance(17.5)
    answer = await caller.get("/factory")
    assert answer.status == 429
    assert answer.headers["retry-after"] == "43"
    assert answer.error == {"statusCode": 429, "name": "TooManyRequests", "message": "Too Many Requests"}
    assert limited.max_requests_in_window() == 61


async def test_x_pagination_is_json_whose_numbers_and_booleans_are_strings(api: Caller) -> None:
    answer = await api.get("/products", {"limit": 5, "page": 2})
    assert answer.page == {
        "total_records": "21",
        "total_pages": "5",
        "offset": "5",
        "page": "2",
        "first_page": "false",
        "last_page": "false",
    }


async def test_page_size_is_50_by_default_and_250_at_most(api: Caller) -> None:
    assert len((await api.get("/variants")).rows) == 50
    rows = (await api.get("/sales_order_addresses", {"limit": 1000})).rows
    assert len(rows) == 236
    assert len((await api.get("/inventory", {"limit": 251})).rows) == 250


async def test_list_envelope_is_data_and_factory_is_a_single_object_without_id(api: Caller) -> None:
    for path in ("/products", "/operators", "/tax_rates", "/locations", "/inventory", "/bom_rows"):
        assert list((await api.get(path)).body) == ["data"]
    factory = await api.get("/factory")
    assert "id" not in factory.body
    assert factory.body["base_currency_code"] == "EUR"
    assert "x-pagination" not in factory.headers


async def test_updated_at_min_is_inclusive_to_the_millisecond(api: Caller, tenant: Tenant) -> None:
    tenant.edit("customers", 10000103, bump=False, updated_at="2026-03-01T10:00:00.123Z")
    for bound, found in (
        ("10:00:00.122Z", True),
        ("10:00:00.123Z", True),
        ("10:00:00.1231Z", False),
        ("10:00:00.124Z", False),
    ):
        answer = await api.get("/customers", {"updated_at_min": f"2026-03-01T{bound}", "limit": 250})
        assert (10000103 in answer.ids) is found
    answer = await api.get("/customers", {"updated_at_max": "2026-03-01T10:00:00.123Z", "limit": 250})
    assert 10000103 in answer.ids


async def test_include_deleted_affects_the_top_level_only_and_nested_deleted_rows_stay_hidden(api: Caller) -> None:
    order = next(
        row
        for row in (await api.get("/sales_orders", {"status": "NOT_SHIPPED"})).rows
        if len(row["sales_order_rows"]) > 1
    )
    gone = order["sales_order_rows"][0]["id"]
    assert (await api.delete(f"/sales_order_rows/{gone}")).status == 204
    query = {"include_deleted": True, "ids": [order["id"]]}
    parent = (await api.get("/sales_orders", query)).rows[0]
    assert gone not in [row["id"] for row in parent["sales_order_rows"]]
    rows = (await api.get("/sales_order_rows", {"include_deleted": True, "ids": [gone]})).rows
    assert [(row["id"], row["deleted_at"] is not None) for row in rows] == [(gone, True)]


async def test_include_archived_shows_variants_of_archived_items_which_have_no_archive_flag(api: Caller) -> None:
    item = (await api.get("/products")).rows[0]
    variant = item["variants"][0]
    before = (await api.get("/variants", {"ids": [variant["id"]]})).rows[0]
    assert (await api.patch(f"/products/{item['id']}", {"is_archived": True})).body["archived_at"] is not None
    assert (await api.get("/variants", {"ids": [variant["id"]]})).rows == []
    shown = (await api.get("/variants", {"ids": [variant["id"]], "include_archived": True})).rows
    assert shown == [before]
    assert "archived_at" not in shown[0]


async def test_hard_deletes_leave_no_tombstone(api: Caller, tenant: Tenant) -> None:
    row = (await api.get("/bom_rows")).rows[0]
    assert (await api.delete(f"/bom_rows/{row['id']}")).status == 204
    assert (await api.get("/bom_rows", {"id": row["id"], "include_deleted": True})).rows == []
    tenant.delete("customers", 10000101, hard=True)
    assert (await api.get("/customers", {"ids": [10000101], "include_deleted": True})).rows == []


async def test_child_edit_moves_no_parent_stamp_and_parent_edit_moves_no_child_stamp(
    api: Caller, clock: ManualClock, tenant: Tenant
) -> None:
    order = (await api.get("/sales_orders", {"status": "NOT_SHIPPED"})).rows[0]
    row = order["sales_order_rows"][0]
    clock.advance(60)
    assert (await api.patch(f"/sales_order_rows/{row['id']}", {"quantity": 40})).status == 200
    after = tenant.get("sales_orders", order["id"])
    assert after["updated_at"] == order["updated_at"]
    assert after["total"] != order["total"]
    changed = tenant.get("sales_order_rows", row["id"])
    clock.advance(60)
    assert (await api.patch(f"/sales_orders/{order['id']}", {"customer_ref": "x"})).status == 200
    assert tenant.get("sales_order_rows", row["id"])["updated_at"] == changed["updated_at"]
    assert tenant.get("sales_orders", order["id"])["updated_at"] > order["updated_at"]


async def test_child_edit_bumps_the_parent_when_the_switch_says_so(clock: ManualClock) -> None:
    sandbox = Sandbox(SandboxConfig(switches={"child_edit_bumps_parent": True}), clock=clock)
    api = sandbox.caller()
    order = (await api.get("/sales_orders", {"status": "NOT_SHIPPED"})).rows[0]
    clock.advance(60)
    answer = await api.patch(f"/sales_order_rows/{order['sales_order_rows'][0]['id']}", {"quantity": 2})
    assert sandbox.tenant().get("sales_orders", order["id"])["updated_at"] == answer.body["updated_at"]


async def test_variant_and_product_ids_are_separate_spaces_that_overlap(api: Caller) -> None:
    products = set((await api.get("/products", {"limit": 250})).ids)
    materials = set((await api.get("/materials", {"limit": 250})).ids)
    variants = set((await api.get("/variants", {"limit": 250})).ids)
    assert products & materials
    assert products & variants


async def test_skus_are_nullable_and_duplicated(api: Caller) -> None:
    skus = [row["sku"] for row in (await api.get("/variants", {"limit": 250})).rows]
    assert None in skus
    twice = await api.get("/variants", {"sku": ["PAD"]})
    assert len(twice.rows) == 2
    assert len({row["material_id"] for row in twice.rows}) == 2


async def test_operators_and_factory_ignore_updated_at_min(api: Caller) -> None:
    late = {"updated_at_min": "2030-01-01T00:00:00.000Z"}
    assert len((await api.get("/operators", late)).rows) == 5
    assert (await api.get("/factory", late)).status == 200
    assert len((await api.get("/inventory", late)).rows) == 50


async def test_locations_know_updated_at_min(api: Caller) -> None:
    assert (await api.get("/locations", {"updated_at_min": "2030-01-01T00:00:00.000Z"})).rows == []
    assert len((await api.get("/locations", {"updated_at_min": "2020-01-01T00:00:00.000Z"})).rows) == 3


async def test_nulls_come_where_the_docs_show_values(api: Caller) -> None:
    variants = (await api.get("/variants", {"limit": 250})).rows
    assert {row["custom_fields"] for row in variants} == {None}
    assert None in {row["internal_barcode"] for row in variants}
    assert None in {row["registered_barcode"] for row in variants}
    stock = (await api.get("/inventory")).rows
    assert {(row["default_storage_bin"], row["quantity_potential"]) for row in stock} == {(None, None)}
    assert (await api.get("/factory")).body["default_po_lead_time"] is None
    services = (await api.get("/services")).rows
    assert [row["variants"][0]["custom_fields"] for row in services] == [None] * 3


async def test_any_field_of_any_record_can_be_null_missing_or_unknown(api: Caller, tenant: Tenant) -> None:
    tenant.edit("customers", 10000101, name=None, currency=None, loyalty_tier="gold")
    tenant.insert_raw("customers", {"id": 9001})
    tenant.insert_raw("customers", "not an object")
    rows = (await api.get("/customers", {"limit": 250})).rows
    assert rows[0] == "not an object"
    assert rows[1] == {"id": 9001}
    assert next(row for row in rows[2:] if row["id"] == 10000101)["loyalty_tier"] == "gold"


async def test_absent_nested_objects_are_empty_objects(api: Caller) -> None:
    order = (await api.get("/sales_orders/10000101")).body
    assert order["shipping_fee"] == {}
    item = (await api.get("/products", {"extend": ["supplier"], "is_producible": True})).rows[0]
    assert item["supplier"] == {}


async def test_decimals_are_strings_on_read_and_numbers_on_write_with_the_shipping_amount_a_string(
    api: Caller, tenant: Tenant
) -> None:
    order = (await api.get("/sales_orders", {"status": "NOT_SHIPPED"})).rows[0]
    body = {
        "sales_order_id": order["id"],
        "variant_id": 10000103,
        "quantity": 1.5,
        "price_per_unit": 0.1,
        "total_discount": 0.03,
    }
    row = (await api.post("/sales_order_rows", body)).body
    shown = (
        row["quantity"],
        row["price_per_unit"],
        row["total_discount"],
        row["total"],
        row["price_per_unit_in_base_currency"],
    )
    rate = order["conversion_rate"]
    assert shown == (1.5, "0.1000000000", "0.03", 0.12, round(0.1 * rate, 10))
    refused = await api.post("/sales_order_rows", {**body, "price_per_unit": "0.1"})
    assert refused.error["details"][0]["message"] == "must be number"
    order_id = next(o["id"] for o in tenant.all("sales_orders") if o["shipping_fee"] == {} and not o["deleted_at"])
    fee = await api.post("/sales_order_shipping_fee", {"sales_order_id": order_id, "amount": "6.75"})
    assert fee.body["amount"] == 6.75
    assert (await api.get(f"/sales_order_shipping_fee/{fee.body['id']}")).body["amount"] == "6.7500000000"
    refused = await api.post("/sales_order_shipping_fee", {"sales_order_id": order_id, "amount": 6.75})
    assert (refused.error["details"][0]["path"], refused.error["details"][0]["message"]) == (
        "/amount",
        "must be string",
    )


async def test_stock_amounts_have_five_places_and_costs_ten(api: Caller) -> None:
    row = (await api.get("/inventory", {"variant_id": [10000106]})).rows[0]
    assert re.fullmatch(r"\d+\.\d{5}", row["quantity_in_stock"])
    assert re.fullmatch(r"\d+\.\d{10}", row["average_cost"])
    assert row["average_cost"] == "8.4000000000"
    material = (await api.get("/materials", {"purchase_uom": "box"})).rows[0]
    assert material["purchase_uom_conversion_rate"] == "500.00000000000"


async def test_unknown_enum_values_are_served_as_they_are(api: Caller, tenant: Tenant) -> None:
    tenant.edit("sales_orders", 10000101, bump=False, status="AWAITING_PICKUP", production_status="NEW_THING")
    order = (await api.get("/sales_orders/10000101")).body
    assert (order["status"], order["production_status"]) == ("AWAITING_PICKUP", "NEW_THING")
    tenant.insert_raw("sales_orders", {"id": 9999, "status": "AWAITING_PICKUP"})
    assert (await api.get("/sales_orders", {"status": "AWAITING_PICKUP"})).ids == [9999, 10000101]


async def test_post_answers_200_and_never_201_and_some_posts_answer_204(api: Caller, tenant: Tenant) -> None:
    assert (await api.post("/customers", {"name": "Velo Neu"})).status == 200
    row = (await api.get("/bom_rows")).rows[0]
    body = {name: row[name] for name in ("product_variant_id", "product_item_id", "ingredient_variant_id")}
    created = await api.post("/bom_rows", body)
    assert (created.status, created.body["product_variant_id"]) == (200, row["product_variant_id"])
    before = tenant.count("bom_rows")
    batch = await api.post("/bom_rows/batch/create", {"data": [body, body]})
    assert (batch.status, batch.raw) == (204, b"")
    assert tenant.count("bom_rows") == before + 2


async def test_patch_without_additional_info_wipes_it_and_keeps_every_other_field(api: Caller, tenant: Tenant) -> None:
    for name in ("products", "materials"):
        item = next(row for row in tenant.all(name) if row["additional_info"] and not row["deleted_at"])
        answer = await api.patch(f"/{name}/{item['id']}", {"category_name": "Changed"})
        kept = {k: v for k, v in item.items() if k not in {"additional_info", "category_name", "updated_at"}}
        assert answer.body["additional_info"] == ""
        assert {k: v for k, v in answer.body.items() if k in kept} == kept
        echoed = await api.patch(f"/{name}/{item['id']}", {"category_name": "Again", "additional_info": "kept"})
        assert echoed.body["additional_info"] == "kept"


@pytest.mark.parametrize(("on", "left"), [(False, "keep me"), (True, "")])
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("sales_orders", {"customer_ref": "x"}),
        ("stock_transfers", {"stock_transfer_number": "x"}),
        ("services", {"category_name": "x"}),
    ],
)
async def test_patch_wipes_additional_info_of_what_was_not_probed_only_when_switched_on(
    sandbox: Sandbox, name: str, body: dict[str, str], on: bool, left: str
) -> None:
    """5.1, 6.8."""
    sandbox.switches.set("additional_info_wipe_untested", on)
    sandbox.tenant().edit(name, 10000101, additional_info="keep me")
    answer = await sandbox.caller().patch(f"/{name}/10000101", body)
    assert (answer.status, answer.body["additional_info"]) == (200, left)


async def test_unknown_body_keys_are_a_422_with_ajv_details_inside_the_error_envelope(api: Caller) -> None:
    answer = await api.post("/customers", {"name": "A", "vip": True})
    assert answer.status == 422
    assert answer.body == {
        "error": {
            "statusCode": 422,
            "name": "UnprocessableEntityError",
            "message": "The request body is invalid. See error object `details` property for more info.",
            "code": "VALIDATION_FAILED",
            "details": [
                {
                    "path": "",
                    "code": "additionalProperties",
                    "message": "must NOT have additional properties",
                    "info": {"additionalProperty": "vip"},
                }
            ],
        }
    }


async def test_an_empty_configs_array_is_a_422(api: Caller) -> None:
    answer = await api.patch("/products/10000101", {"configs": []})
    detail = answer.error["details"][0]
    assert (answer.status, detail["path"], detail["code"], detail["info"]) == (
        422,
        "/configs",
        "minItems",
        {"limit": 1},
    )


@pytest.mark.parametrize("moment", ["2026-03-01T10:00:00", "2026-03-01", "yesterday", "2026-02-30T10:00:00Z"])
async def test_naive_and_impossible_datetimes_are_a_422(api: Caller, moment: str) -> None:
    answer = await api.patch("/sales_orders/10000101", {"order_created_date": moment})
    detail = answer.error["details"][0]
    assert (answer.status, detail["path"], detail["message"]) == (
        422,
        "/order_created_date",
        'must match format "date-time"',
    )


async def test_datetimes_with_any_zone_are_taken_and_given_back_in_utc_with_milliseconds(
    api: Caller, tenant: Tenant
) -> None:
    answer = await api.patch("/sales_orders/10000101", {"order_created_date": "2026-03-01T12:00:00+02:00"})
    assert answer.body["order_created_date"] == "2026-03-01T10:00:00.000Z"
    for name in ("sales_orders", "customers", "variants"):
        record = next(tenant.all(name))
        assert _MOMENT.fullmatch(record["created_at"])
        assert _MOMENT.fullmatch(record["updated_at"])


async def test_412_answers_a_delete_that_children_forbid(api: Caller, tenant: Tenant) -> None:
    blocked = next(tenant.all("sales_returns"))["sales_order_id"]
    answer = await api.delete(f"/sales_orders/{blocked}")
    assert (answer.status, answer.error["name"]) == (412, "PreconditionFailedError")
    assert answer.error["message"] == "Cannot delete sales orders as sales orders have return orders."


async def test_header_date_cascades_from_the_sales_order_to_its_fulfillments(api: Caller, tenant: Tenant) -> None:
    shipped = next(row for row in tenant.all("sales_order_fulfillments"))
    moment = "2026-02-20T08:00:00.000Z"
    assert (await api.patch(f"/sales_orders/{shipped['sales_order_id']}", {"picked_date": moment})).status == 200
    assert tenant.get("sales_order_fulfillments", shipped["id"])["picked_date"] == moment


async def test_there_is_no_get_by_id_where_the_api_has_none(api: Caller, tenant: Tenant) -> None:
    for name in (
        "customers",
        "suppliers",
        "tax_rates",
        "operators",
        "additional_costs",
        "customer_addresses",
        "supplier_addresses",
        "sales_order_addresses",
        "bom_rows",
    ):
        key = next(tenant.all(name))["id"]
        assert (await api.get(f"/{name}/{key}")).status == 404
    for name in (
        "products",
        "materials",
        "services",
        "variants",
        "locations",
        "sales_orders",
        "sales_order_rows",
        "sales_order_fulfillments",
        "sales_order_shipping_fee",
    ):
        key = next(row["id"] for row in tenant.all(name) if not row.get("deleted_at"))
        assert (await api.get(f"/{name}/{key}")).body["id"] == key


async def test_an_unknown_filter_is_silently_ignored(api: Caller) -> None:
    everything = await api.get("/sales_orders", {"limit": 250})
    ignored = await api.get("/sales_orders", {"limit": 250, "sales_order_no": "x", "sort": "id"})
    assert ignored.ids == everything.ids


@pytest.mark.parametrize("lag", [1, 60, 600])
async def test_replica_lag_shows_a_get_the_past_while_the_patch_reply_is_fresh(
    sandbox: Sandbox, api: Caller, clock: ManualClock, lag: int
) -> None:
    sandbox.switches.set("replica_lag", lag)
    clock.advance(3600)
    before = (await api.get("/variants/10000106")).body["supplier_item_codes"]
    reply = await api.patch("/variants/10000106", {"supplier_item_codes": ["NEW-1"]})
    assert reply.body["supplier_item_codes"] == ["NEW-1"]
    clock.advance(lag - 0.5)
    assert (await api.get("/variants/10000106")).body["supplier_item_codes"] == before
    clock.advance(1)
    assert (await api.get("/variants/10000106")).body["supplier_item_codes"] == ["NEW-1"]


async def test_replica_lag_by_fault_strikes_only_the_matched_get(
    sandbox: Sandbox, api: Caller, clock: ManualClock
) -> None:
    created = (await api.post("/customers", {"name": "Fresh"})).body["id"]
    clock.advance(5)
    sandbox.faults.add(Fault("GET /customers", 2, ReplicaLag(60)))
    seen = [created in (await api.get("/customers")).ids for _ in range(3)]
    assert seen == [True, False, True]


async def test_an_idempotency_key_is_not_honoured(api: Caller) -> None:
    headers = {"Idempotency-Key": "once"}
    ids = [(await api.call("POST", "/customers", b'{"name":"Twice"}', headers=headers)).body["id"] for _ in range(2)]
    assert len(set(ids)) == 2


async def test_each_tenant_has_its_own_key_and_data(sandbox: Sandbox, api: Caller) -> None:
    other = sandbox.add_tenant("b", seed=9, key="key-b")
    created = (await api.post("/customers", {"name": "Only in A"})).body["id"]
    api_b = sandbox.caller("key-b")
    assert created not in (await api_b.get("/customers", {"ids": [created]})).ids
    assert (await api_b.get("/customers", {"name": "Only in A"})).rows == []
    assert other.count("customers") + 1 == sandbox.tenant().count("customers")


async def test_ids_stay_unique_under_many_simultaneous_calls(api: Caller) -> None:
    bodies = [{"name": f"C{number}"} for number in range(200)]
    answers = await asyncio.gather(*(api.post("/customers", body) for body in bodies))
    assert len({answer.body["id"] for answer in answers}) == 200
    names = {row["name"] for row in (await api.get("/customers", {"limit": 200})).rows}
    assert names == {body["name"] for body in bodies}
