"""`check_inventory` and `get_variant_details`: many at once, in order, and never zero for unknown."""

import json

import pytest
from server_wire import Wire, amount, live, unique_sku

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, payload_of, staged, text_of
from katana_sandbox import Fault, ManualClock, Sandbox, SandboxConfig, Status, Tenant


def _stocked(tenant: Tenant, count: int) -> list[Wire]:
    return [variant for variant in live(tenant, "variants") if variant["sku"] and unique_sku(tenant, variant)][:count]


async def test_stock_comes_in_the_order_asked_each_variant_once(stage: Stage, tenant: Tenant) -> None:
    first, second, third = _stocked(tenant, 3)
    asked = [third["sku"], first["id"], second["sku"], third["id"], first["id"], "nothing-has-this"]
    answer = await stage.call("check_inventory", skus_or_variant_ids=asked)
    assert [row["variant_id"] for row in answer["stock"]] == [third["id"], first["id"], second["id"]]
    assert [missing["asked"] for missing in answer["not_found"]] == ["nothing-has-this"]


async def test_levels_are_those_of_katana_and_add_up(stage: Stage, tenant: Tenant) -> None:
    variants = _stocked(tenant, 20)
    answer = await stage.call("check_inventory", skus_or_variant_ids=[variant["sku"] for variant in variants])
    keys = {"in_stock": "quantity_in_stock", "committed": "quantity_committed", "expected": "quantity_expected"}
    for shown in answer["stock"]:
        sent = {
            place["id"]: tenant.get("inventory", (shown["variant_id"], place["id"]))
            for place in live(tenant, "locations")
        }
        assert set(sent) == {level["location_id"] for level in shown["locations"]}
        for level in shown["locations"]:
            row = sent[level["location_id"]]
            assert {key: amount(level[key]) for key in keys} == {key: amount(row[name]) for key, name in keys.items()}
            assert amount(level["available"]) == amount(level["in_stock"]) - amount(level["committed"])
            assert level["location"] == tenant.get("locations", level["location_id"])["name"]
        for key in (*keys, "available"):
            assert amount(shown[key]) == sum(amount(level[key]) for level in shown["locations"]), key
        missing = [amount(level["missing_or_excess"]) for level in shown["locations"]]
        assert shown.get("short", False) is (min(missing) < 0)
    assert any(entry.get("short") for entry in answer["stock"])


async def test_a_sku_of_several_variants_gives_all_of_them_and_says_so(stage: Stage, tenant: Tenant) -> None:
    first, second = _stocked(tenant, 2)
    tenant.edit("variants", second["id"], sku=first["sku"])
    for tool, rows in (("check_inventory", "stock"), ("get_variant_details", "variants")):
        answer = await stage.call(tool, skus_or_variant_ids=[first["sku"]])
        assert [row["variant_id"] for row in answer[rows]] == [first["id"], second["id"]]
        (warning,) = answer["warnings"]
        assert (warning["code"], warning["field_path"]) == ("duplicate_sku", "skus_or_variant_ids[0]")


async def test_a_variant_without_sku_is_reached_by_id_as_number_or_text(stage: Stage, tenant: Tenant) -> None:
    bare = next(variant for variant in live(tenant, "variants") if variant["sku"] is None)
    for asked in (bare["id"], str(bare["id"])):
        (row,) = (await stage.call("check_inventory", skus_or_variant_ids=[asked]))["stock"]
        assert (row["variant_id"], row.get("sku")) == (bare["id"], None)
        assert row["name"]


async def test_an_unknown_sku_is_not_found_with_near_misses_and_never_zero(stage: Stage, tenant: Tenant) -> None:
    (variant,) = _stocked(tenant, 1)
    answer = await stage.call("check_inventory", skus_or_variant_ids=[f"{variant['sku']}x", 999_999])
    assert answer["stock"] == []
    assert [missing["asked"] for missing in answer["not_found"]] == [f"{variant['sku']}x", 999_999]
    assert variant["sku"] in answer["not_found"][0]["did_you_mean"]


@pytest.mark.parametrize("by", ["id", "sku"])
async def test_a_service_is_known_and_has_no_stock_to_ask_for(stage: Stage, tenant: Tenant, by: str) -> None:
    service = live(tenant, "services")[0]
    variant = service["variants"][0]
    (row,) = (await stage.call("check_inventory", skus_or_variant_ids=[variant[by]]))["stock"]
    assert (row["variant_id"], row["sku"], row["name"]) == (variant["id"], variant["sku"], service["name"])
    assert (row["locations"], row.get("in_stock"), row["note"]) == ([], None, "a service is never in stock")
    assert stage.own.sandbox.requests(path="/inventory") == []
    (details,) = (await stage.call("get_variant_details", skus_or_variant_ids=[variant[by]]))["variants"]
    assert (details["item_type"], details["item_id"], details.get("url")) == ("service", service["id"], None)


@pytest.mark.parametrize(("state", "code"), [("deleted", "deleted_item"), ("archived", "archived_item")])
async def test_an_item_that_is_gone_is_shown_with_an_advisory(
    stage: Stage, tenant: Tenant, state: str, code: str
) -> None:
    (variant,) = _stocked(tenant, 1)
    kind = "products" if variant["product_id"] else "materials"
    if state == "deleted":
        tenant.delete("variants", variant["id"])
    else:
        tenant.edit(kind, variant["product_id"] or variant["material_id"], archived_at="2026-02-01T00:00:00.000Z")
    answer = await stage.call("get_variant_details", skus_or_variant_ids=[variant["id"]])
    assert [entry["variant_id"] for entry in answer["variants"]] == [variant["id"]]
    assert answer["variants"][0][state] is True
    assert [(warning["severity"], warning["code"]) for warning in answer["warnings"]] == [("advisory", code)]


async def test_the_stock_of_250_variants_takes_four_requests_and_comes_bounded(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=400), clock=clock))
    variant_ids = [variant["id"] for variant in live(own.sandbox.tenant(), "variants")[:250]]
    assert len(variant_ids) == 250
    async with staged(own) as stage:
        left, seen = variant_ids, list[int]()
        while left:
            result = await stage.result("check_inventory", {"skus_or_variant_ids": left})
            assert len(text_of(result).encode()) <= 40_000
            answer: Payload = payload_of(result)
            seen += [row["variant_id"] for row in answer["stock"]]
            cut = [warning["code"] for warning in answer["warnings"]] == ["truncated_result"]
            assert cut is bool(answer["next_actions"])
            left = json.loads(answer["next_actions"][0].partition("=")[2].rstrip(")")) if cut else list[int]()
        # One listing names 200 ids of eight digits: three pages of 600 levels, and one of the 150 of the other 50.
        assert len(own.sandbox.requests(path="/inventory")) == 4
        seen_details = (await stage.call("get_variant_details", skus_or_variant_ids=variant_ids))["variants"]
    assert seen == variant_ids
    assert [detail["variant_id"] for detail in seen_details] == variant_ids[: len(seen_details)]


@pytest.mark.cold
async def test_stock_that_cannot_be_read_is_unknown_and_never_zero(stage: Stage, tenant: Tenant) -> None:
    first, second = _stocked(tenant, 2)
    stage.own.sandbox.faults.add(Fault("GET /inventory", action=Status(403), times=None))
    answer = await stage.call("check_inventory", skus_or_variant_ids=[first["sku"], second["id"]])
    assert answer["stock"] == []
    assert answer["not_found"] == []
    assert answer["unknown"] == [first["id"], second["id"]]
    assert [(warning["severity"], warning["code"]) for warning in answer["warnings"]] == [("advisory", "stock_unknown")]


@pytest.mark.cold
async def test_stock_once_read_is_shown_with_its_age_when_it_cannot_be_read_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    (variant,) = _stocked(tenant, 1)
    before = await stage.call("check_inventory", skus_or_variant_ids=[variant["id"]])
    clock.advance(60)
    stage.own.sandbox.faults.add(Fault("GET /inventory", action=Status(403), times=None))
    after = await stage.call("check_inventory", skus_or_variant_ids=[variant["id"]])
    assert after["stock"] == before["stock"]
    assert before["as_of"] == after["as_of"] == "2026-03-02T09:00:00.000Z"
    assert after["stale"]["age_seconds"] == 60
    assert after["stale"]["reason"]


async def test_stock_follows_katana_once_it_is_no_longer_fresh(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    (variant,) = _stocked(tenant, 1)
    place = live(tenant, "locations")[0]["id"]
    tenant.set_stock(variant["id"], place, 7)
    asked = {"skus_or_variant_ids": [variant["id"]]}
    first = (await stage.call("check_inventory", **asked))["stock"][0]["locations"][0]
    tenant.set_stock(variant["id"], place, 4321.125)
    same = (await stage.call("check_inventory", **asked))["stock"][0]["locations"][0]
    clock.advance(31)
    later = await stage.call("check_inventory", **asked)
    assert (first["in_stock"], same["in_stock"]) == (7, 7)
    assert later["stock"][0]["locations"][0]["in_stock"] == 4321.125
    assert later["as_of"] == "2026-03-02T09:00:31.000Z"


async def test_details_hold_what_katana_holds_of_variant_item_and_supplier(stage: Stage, tenant: Tenant) -> None:
    variant = next(
        record
        for record in live(tenant, "variants")
        if record["material_id"]
        and record["supplier_item_codes"]
        and tenant.get("materials", record["material_id"])["default_supplier_id"]
    )
    item = tenant.get("materials", variant["material_id"])
    (shown,) = (await stage.call("get_variant_details", skus_or_variant_ids=[variant["sku"]]))["variants"]
    assert shown["name"].startswith(item["name"])
    assert shown["supplier_item_codes"] == variant["supplier_item_codes"]
    assert (shown["item_type"], shown["item_id"]) == ("material", item["id"])
    assert amount(shown["purchase_price"]) == amount(variant["purchase_price"])
    assert shown["lead_time"] == variant["lead_time"]
    assert shown["internal_barcode"] == variant["internal_barcode"]
    assert shown["uom"] == item["uom"]
    assert shown["supplier"] == tenant.get("suppliers", item["default_supplier_id"])["name"]


async def test_stock_at_one_location_is_that_location_alone(stage: Stage, tenant: Tenant) -> None:
    skus = [record["sku"] for record in _stocked(tenant, 5)]
    place = next(location for location in live(tenant, "locations") if location["name"] == "North warehouse")
    every = (await stage.call("check_inventory", skus_or_variant_ids=skus))["stock"]
    answer = await stage.call("check_inventory", skus_or_variant_ids=skus, location_id="North")
    assert [warning["code"] for warning in answer["warnings"]] == ["partial_name"]
    for here, all_places in zip(answer["stock"], every, strict=True):
        assert here["locations"] == [
            location for location in all_places["locations"] if location["location_id"] == place["id"]
        ]
        assert [here["in_stock"]] == [location["in_stock"] for location in here["locations"]]


async def test_stock_at_a_location_that_there_is_not_is_refused(stage: Stage, tenant: Tenant) -> None:
    sku = _stocked(tenant, 1)[0]["sku"]
    (warning,) = (await stage.refusal("check_inventory", skus_or_variant_ids=[sku], location_id="Moon"))["warnings"]
    assert (warning["code"], warning["field_path"]) == ("not_found", "location_id")


async def test_a_service_at_a_location_is_never_in_stock(stage: Stage, tenant: Tenant) -> None:
    service = next(tenant.all("services"))["variants"][0]["id"]
    answer = await stage.call("check_inventory", skus_or_variant_ids=[service], location_id="Main workshop")
    assert [(row["locations"], row["note"]) for row in answer["stock"]] == [([], "a service is never in stock")]
