"""Rows from a customer's or a supplier's document: a good by whatever code is its own, and never one that is likely."""

from collections.abc import Mapping
from typing import Any

import pytest
from server_wire import Wire, live
from transfer_plans import applied, writes

from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant

LABEL = "Customer code"
EAN, OURS, CODE, MANY = "4006381333931", "IN-7700", "K-4711", "TWICE-1"


def sold(tenant: Tenant) -> list[Wire]:
    """Return variants that are sold, each of an item of its own, without a barcode of anybody else."""
    kept = {product["id"] for product in live(tenant, "products") if product["is_sellable"]}
    found: dict[int, Wire] = {}
    for variant in live(tenant, "variants"):
        if variant["product_id"] in kept and variant["sku"] and variant["sales_price"]:
            found.setdefault(variant["product_id"], variant)
    return list(found.values())


def field_of(tenant: Tenant, label: str = LABEL, kind: str = "ProductVariant", field_type: str = "shortText") -> str:
    """Return the id of a new custom field of variants."""
    body = {"label": label, "entity_type": kind, "field_type": field_type, "source": "katana"}
    return tenant.create("custom_field_definitions", body)["id"]


def ordered(tenant: Tenant, *codes: int | str, **changed: object) -> dict[str, object]:
    """Return the arguments of a new sales order with a row for each of these."""
    rows = [{"sku_or_variant_id": code, "quantity": 1 + nr} for nr, code in enumerate(codes)]
    return {"customer_id": live(tenant, "customers")[0]["id"], "rows": rows} | changed


def warnings_of(answer: Mapping[str, Any], code: str) -> list[dict[str, Any]]:
    return [warning for warning in answer["warnings"] if warning["code"] == code]


async def test_a_row_is_understood_by_sku_barcode_custom_field_and_name_and_each_line_says_by_what(
    stage: Stage, tenant: Tenant
) -> None:
    first, second, third, fourth, fifth, sixth = sold(tenant)[:6]
    tenant.edit("variants", second["id"], registered_barcode=EAN)
    tenant.edit("variants", third["id"], internal_barcode=OURS)
    tenant.edit("variants", fourth["id"], custom_fields={field_of(tenant): CODE})
    name = "Odd Thing No Other"
    tenant.edit("products", fifth["product_id"], name=name)
    tenant.edit("variants", fifth["id"], config_attributes=[])
    for variant in live(tenant, "variants"):
        if variant["product_id"] == fifth["product_id"] and variant["id"] != fifth["id"]:
            tenant.edit("variants", variant["id"], deleted_at="2026-01-01T00:00:00.000Z")
    answer = await stage.call(
        "create_sales_order",
        **ordered(tenant, first["sku"], EAN, OURS.lower(), f" {CODE} ", name, sixth["id"], first["sku"].lower()),
    )
    assert [(line["variant_id"], line["match"]) for line in answer["lines"]] == [
        (first["id"], "SKU"),
        (second["id"], "barcode"),
        (third["id"], "barcode"),
        (fourth["id"], f"custom field {LABEL}"),
        (fifth["id"], "name"),
        (sixth["id"], "id"),
        (first["id"], "SKU"),
    ]
    assert answer["plan_token"]
    said = " ".join(row["message"] for row in warnings_of(answer, "matched_by_code"))
    assert f"rows[1].sku_or_variant_id {EAN!r} is variant {second['id']}" in said
    assert "understood by their custom field: rows[3].sku_or_variant_id" in said
    await applied(stage, answer["plan_token"])
    (order,) = [record for record in tenant.all("sales_orders") if record["order_no"] == answer["number"]]
    made = [row["variant_id"] for row in tenant.all("sales_order_rows") if row["sales_order_id"] == order["id"]]
    assert made == [line["variant_id"] for line in answer["lines"]]


async def test_every_line_that_is_not_understood_is_reported_at_once_with_what_is_near_as_data(
    stage: Stage, tenant: Tenant
) -> None:
    first, second, third = sold(tenant)[:3]
    field = field_of(tenant)
    for variant in (second, third):
        tenant.edit("variants", variant["id"], custom_fields={field: MANY})
    odd = f"{first['sku']}X"
    answer = await stage.call("create_sales_order", **ordered(tenant, odd, first["sku"], MANY, "nothing-like-it-99"))
    assert "plan_token" not in answer
    assert answer["requests"] == []
    wrong = [
        (warning["code"], warning["field_path"]) for warning in answer["warnings"] if warning["severity"] == "blocking"
    ]
    assert wrong == [
        ("not_found", "rows[0].sku_or_variant_id"),
        ("ambiguous_name", "rows[2].sku_or_variant_id"),
        ("not_found", "rows[3].sku_or_variant_id"),
    ]
    lines = answer["lines"]
    assert [line["sku"] for line in lines] == [odd, first["sku"], MANY, "nothing-like-it-99"]
    assert first["id"] in [row["variant_id"] for row in lines[0]["match"]]
    assert all(row["name"] for row in lines[0]["match"])
    assert lines[1]["match"] == "SKU"
    assert [(row["variant_id"], row["sku"], row["by"]) for row in lines[2]["match"]] == [
        (record["id"], record["sku"], f"custom field {LABEL}") for record in (second, third)
    ]
    assert "match" not in lines[3]
    assert writes(stage) == []


async def test_a_sku_goes_before_the_barcode_of_another_and_that_is_said(stage: Stage, tenant: Tenant) -> None:
    first, second = sold(tenant)[:2]
    tenant.edit("variants", second["id"], registered_barcode=first["sku"])
    answer = await stage.call("create_sales_order", **ordered(tenant, first["sku"]))
    assert [(line["variant_id"], line["match"]) for line in answer["lines"]] == [(first["id"], "SKU")]
    (also,) = warnings_of(answer, "matched_by_code")
    assert also["severity"] == "advisory"
    assert f"variant {second['id']} has it as its barcode" in also["message"]
    assert answer["plan_token"]


async def test_digits_are_a_code_before_an_id_and_never_both_unseen(stage: Stage, tenant: Tenant) -> None:
    first, second, third = sold(tenant)[:3]
    tenant.edit("variants", second["id"], internal_barcode=str(first["id"]))
    by_number = await stage.call("create_sales_order", **ordered(tenant, first["id"], str(third["id"])))
    assert [(line["variant_id"], line["match"]) for line in by_number["lines"]] == [
        (first["id"], "id"),
        (third["id"], "id"),
    ]
    either = await stage.call("create_sales_order", **ordered(tenant, str(first["id"])))
    assert "plan_token" not in either
    assert [(row["variant_id"], row["by"]) for row in either["lines"][0]["match"]] == [
        (first["id"], "id"),
        (second["id"], "barcode"),
    ]


@pytest.mark.parametrize("gone", ["archived_at", "deleted_at"])
async def test_codes_of_what_is_archived_or_deleted_name_nothing(stage: Stage, tenant: Tenant, gone: str) -> None:
    first, second = sold(tenant)[:2]
    for variant in (first, second):
        tenant.edit("variants", variant["id"], registered_barcode=EAN)
    item, place = ("variants", first["id"]) if gone == "deleted_at" else ("products", first["product_id"])
    tenant.edit(item, place, bump=True, **{gone: "2026-01-01T00:00:00.000Z"})
    answer = await stage.call("create_sales_order", **ordered(tenant, EAN))
    assert [(line["variant_id"], line["match"]) for line in answer["lines"]] == [(second["id"], "barcode")]


async def test_a_live_owner_of_a_code_is_meant_where_who_has_it_as_sku_is_deleted_and_none_where_archived(
    stage: Stage, tenant: Tenant
) -> None:
    first, second, third, fourth = sold(tenant)[:4]
    tenant.edit("variants", second["id"], internal_barcode=first["sku"])
    tenant.edit("variants", first["id"], deleted_at="2026-01-01T00:00:00.000Z")
    tenant.edit("variants", fourth["id"], internal_barcode=third["sku"])
    tenant.edit("products", third["product_id"], archived_at="2026-01-01T00:00:00.000Z")
    answer = await stage.call("create_sales_order", **ordered(tenant, first["sku"], third["sku"]))
    of_deleted, of_archived = answer["lines"]
    assert (of_deleted["variant_id"], of_deleted["match"]) == (second["id"], "barcode")
    assert [row["variant_id"] for row in of_archived["match"]] == [third["id"], fourth["id"]]


async def test_a_word_in_a_custom_field_is_no_code_and_a_number_is_none(stage: Stage, tenant: Tenant) -> None:
    first, second, third = sold(tenant)[:3]
    tenant.edit("variants", first["id"], custom_fields={field_of(tenant, "Colour"): "crimson"})
    tenant.edit("variants", second["id"], custom_fields={field_of(tenant, "Weight", field_type="number"): 4712})
    tenant.edit("variants", third["id"], custom_fields={field_of(tenant, "Link", field_type="url"): "u-77"})
    answer = await stage.call("create_sales_order", **ordered(tenant, "crimson", "4712", "u-77"))
    assert [warning["code"] for warning in answer["warnings"] if warning["severity"] == "blocking"] == ["not_found"] * 3


async def test_the_older_form_of_custom_fields_is_read_too(stage: Stage, tenant: Tenant) -> None:
    first, second = sold(tenant)[:2]
    tenant.edit("variants", first["id"], custom_fields=[{"field_name": "Their code", "field_value": "AB 12-7"}])
    tenant.edit("variants", second["id"], custom_fields=[])
    answer = await stage.call("create_sales_order", **ordered(tenant, "ab 12-7"))
    assert [(line["variant_id"], line["match"]) for line in answer["lines"]] == [
        (first["id"], "custom field Their code")
    ]


async def test_a_suppliers_code_names_what_is_bought_and_nothing_that_is_sold(stage: Stage, tenant: Tenant) -> None:
    good = next(
        variant for variant in live(tenant, "variants") if variant["material_id"] and variant["supplier_item_codes"]
    )
    code = "SUP-0815"
    tenant.edit("variants", good["id"], supplier_item_codes=["other", code])
    row = {"sku_or_variant_id": code, "quantity": 1, "price_per_unit": 1}
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    bought = await stage.call("create_purchase_order", **parties, rows=[row])
    assert [(line["variant_id"], line["match"]) for line in bought["lines"]] == [(good["id"], "supplier item code")]
    not_sold = await stage.call("create_sales_order", **ordered(tenant, code))
    assert "plan_token" not in not_sold
    assert [candidate["variant_id"] for candidate in not_sold["lines"][0]["match"]] == [good["id"]]


async def test_a_price_that_is_given_is_compared_with_that_of_the_item(stage: Stage, tenant: Tenant) -> None:
    first, second = sold(tenant)[:2]
    base = next(tenant.all("factory"))["base_currency_code"]
    own = float(first["sales_price"])
    rows = [
        {"sku_or_variant_id": first["id"], "quantity": 1, "price_per_unit": own + 1},
        {"sku_or_variant_id": second["id"], "quantity": 1, "price_per_unit": float(second["sales_price"])},
    ]
    answer = await stage.call("create_sales_order", **ordered(tenant, currency=base, rows=rows))
    (said,) = warnings_of(answer, "other_price")
    assert (said["severity"], said["field_path"]) == ("info", "rows[0].price_per_unit")
    assert f"not the sales price of the item, {own:g} {base}" in said["message"]


async def test_an_apply_notices_that_a_code_means_another_variant_by_now(stage: Stage, tenant: Tenant) -> None:
    first, second = sold(tenant)[:2]
    tenant.edit("variants", first["id"], registered_barcode=EAN)
    asked = ordered(tenant, EAN)
    moved = await stage.call("create_sales_order", **asked)
    tenant.edit("variants", first["id"], registered_barcode=None)
    tenant.edit("variants", second["id"], registered_barcode=EAN)
    refused = await stage.refusal("apply_plan", plan_tokens=[moved["plan_token"]])
    assert refused["error"] == "stale_plan"
    assert writes(stage) == []


@pytest.mark.parametrize("change", [{"internal_barcode": EAN}, {"sku": EAN}], ids=["barcode", "SKU"])
async def test_an_apply_notices_that_another_has_the_code_too(
    stage: Stage, tenant: Tenant, clock: ManualClock, change: dict[str, str]
) -> None:
    first, second = sold(tenant)[:2]
    tenant.edit("variants", first["id"], registered_barcode=EAN)
    plan = await stage.call("create_sales_order", **ordered(tenant, EAN))
    assert plan["lines"][0]["variant_id"] == first["id"]
    clock.advance(5)
    tenant.edit("variants", second["id"], bump=True, **change)
    refused = await stage.refusal("apply_plan", plan_tokens=[plan["plan_token"]])
    assert refused["error"] == "stale_plan"
    assert writes(stage) == []


async def test_an_apply_notices_that_the_item_of_a_name_is_called_otherwise(stage: Stage, tenant: Tenant) -> None:
    alone = {}
    for record in sold(tenant):
        if sum(other["product_id"] == record["product_id"] for other in live(tenant, "variants")) == 1:
            alone = record
    name = tenant.get("products", alone["product_id"])["name"]
    plan = await stage.call("create_sales_order", **ordered(tenant, name))
    assert plan["lines"][0]["match"] == "name"
    tenant.edit("products", alone["product_id"], name="Something else")
    refused = await stage.refusal("apply_plan", plan_tokens=[plan["plan_token"]])
    assert refused["error"] == "stale_plan"


async def test_a_warm_preview_asks_katana_for_no_code_that_is_cached(stage: Stage, tenant: Tenant) -> None:
    first, second = sold(tenant)[:2]
    tenant.edit("variants", first["id"], registered_barcode=EAN)
    tenant.edit("variants", second["id"], custom_fields={field_of(tenant): CODE})
    await stage.call("create_sales_order", **ordered(tenant, EAN, CODE))
    before = stage.requests()
    plain = ordered(tenant, first["sku"], order_no="SO-PLAIN")
    await stage.call("create_sales_order", **plain)
    of_plain, before = stage.requests() - before, stage.requests()
    await stage.call("create_sales_order", **ordered(tenant, EAN, CODE, order_no="SO-CODED"))
    assert stage.requests() - before == of_plain
