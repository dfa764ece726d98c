"""Custom fields of items set by label, where the account keeps them by definition; the older form stays Katana's."""

from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, live

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

CODE, GRADE = "Customer code", "Grade"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture(autouse=True)
def defined(stage: Stage, tenant: Tenant) -> dict[str, str]:
    """Return the definitions of an account that has two for items, by label."""
    stage.own.sandbox.switches.set("item_custom_fields", "object")
    choices = {"choices": [{"label": "A"}, {"label": "B"}]}
    bodies: list[dict[str, Any]] = [
        {"label": CODE, "field_type": "shortText", "entity_type": "ProductVariant"},
        {"label": GRADE, "field_type": "singleSelect", "entity_type": "MaterialVariant", "options": choices},
    ]
    made = [tenant.create("custom_field_definitions", {**body, "source": "us"}) for body in bodies]
    return {record["label"]: record["id"] for record in made}


@pytest.fixture
def variant(tenant: Tenant) -> dict[str, Any]:
    return next(record for record in live(tenant, "variants") if record["product_id"])


async def _planned(stage: Stage, tool: str, **arguments: object) -> Payload:
    return payload_of(await stage.result(tool, arguments))


def _change(variant: dict[str, Any], **fields: object) -> dict[str, object]:
    row = {"variant_id": variant["id"], "custom_fields": fields["custom_fields"]}
    return {"type": "product", "item_id": variant["product_id"], "update_variants": [row]}


async def test_values_are_set_by_label_joined_with_those_there_and_come_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, variant: dict[str, Any], defined: dict[str, str]
) -> None:
    preview = await _planned(stage, "modify_item", **_change(variant, custom_fields={"customer code": "K-77"}))
    assert '{"Customer code": "K-77"}' in preview["message"]
    await applied(stage, clock, preview)
    clock.advance(61)
    preview = await _planned(stage, "modify_item", **_change(variant, custom_fields={GRADE: "B"}))
    (change,) = preview["changes"]
    assert change["field"] == f"variants[id={variant['id']}].custom_fields"
    outcome = await applied(stage, clock, preview)
    assert tenant.get("variants", variant["id"])["custom_fields"] == {defined[CODE]: "K-77", defined[GRADE]: 2}
    item = (await stage.call("get_item", item_id=variant["product_id"], item_type="product"))["item"]
    (row,) = [entry for entry in item["rows"] if entry["variant_id"] == variant["id"]]
    assert {field["field"]: field["value"] for field in row["custom_fields"]} == {CODE: "K-77", GRADE: "B"}
    clock.advance(61)
    back = await _planned(stage, outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    await applied(stage, clock, back)
    assert tenant.get("variants", variant["id"])["custom_fields"] == {defined[CODE]: "K-77"}


async def test_a_new_item_and_a_service_have_them_from_the_start(
    stage: Stage, clock: ManualClock, tenant: Tenant, defined: dict[str, str]
) -> None:
    lamp = {"sku": "LAMP-1", "custom_fields": {CODE: "K-78"}}
    preview = await _planned(stage, "create_item", type="product", name="Lamp", uom="pcs", variants=[lamp])
    assert (await applied(stage, clock, preview))["applied"] == 1
    made = next(record for record in live(tenant, "variants") if record["sku"] == "LAMP-1")
    assert made["custom_fields"] == {defined[CODE]: "K-78"}
    clock.advance(61)
    asked = {"type": "service", "name": "Truing", "uom": "h", "custom_fields": {GRADE: "A"}}
    outcome = await applied(stage, clock, await _planned(stage, "create_item", **asked))
    assert outcome["applied"] == 1
    clock.advance(61)
    asked = {"type": "service", "item_id": outcome["id"], "custom_fields": {GRADE: None, CODE: "S-1"}}
    assert (await applied(stage, clock, await _planned(stage, "modify_item", **asked)))["applied"] == 1
    (sold,) = tenant.get("services", outcome["id"])["variants"]
    assert sold["custom_fields"] == {defined[CODE]: "S-1"}


async def test_a_lost_answer_is_looked_up_by_what_was_set(
    stage: Stage, clock: ManualClock, variant: dict[str, Any]
) -> None:
    preview = await _planned(stage, "modify_item", **_change(variant, custom_fields={CODE: "K-79"}))
    stage.own.sandbox.faults.add(Fault("PATCH /variants/*", action=Drop("after")))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert action["state"] == "applied"


@pytest.mark.parametrize(
    ("values", "code"),
    [({"Nobody's": 1}, "not_found"), ({GRADE: "C"}, "invalid_argument"), ({CODE: 7}, "invalid_argument")],
)
async def test_a_label_that_nothing_has_and_a_value_that_it_cannot_have_are_refused_by_their_path(
    stage: Stage, variant: dict[str, Any], values: dict[str, object], code: str
) -> None:
    preview = await _planned(stage, "modify_item", **_change(variant, custom_fields=values))
    assert "plan_token" not in preview
    found = [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]
    assert found == [(code, "update_variants[0].custom_fields")]


async def test_an_account_that_keeps_them_in_collections_is_told_so_and_loses_none(
    stage: Stage, clock: ManualClock, tenant: Tenant, variant: dict[str, Any]
) -> None:
    stage.own.sandbox.switches.set("item_custom_fields", "legacy")
    older = [{"field_name": "Shelf", "field_value": "7"}]
    tenant.edit("variants", variant["id"], True, custom_fields=older)
    preview = await _planned(stage, "modify_item", **_change(variant, custom_fields={CODE: "K-80"}))
    found = [
        (warning["code"], warning["message"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]
    assert [code for code, _ in found] == ["invalid_argument"]
    assert "kept in a collection" in found[0][1]
    clock.advance(61)
    row = {"variant_id": variant["id"], "lead_time": 9}
    asked = {"type": "product", "item_id": variant["product_id"], "update_variants": [row]}
    assert (await applied(stage, clock, await _planned(stage, "modify_item", **asked)))["applied"] == 1
    assert tenant.get("variants", variant["id"])["custom_fields"] == older


@pytest.mark.parametrize("form", ["legacy", "both", "object"])
async def test_no_custom_fields_are_none_in_a_new_item_whatever_form_the_account_has(
    stage: Stage, clock: ManualClock, form: str
) -> None:
    stage.own.sandbox.switches.set("item_custom_fields", form)
    preview = await _planned(stage, "create_item", type="service", name="Wash", sku="WASH", custom_fields={})
    assert "custom_fields" not in preview["requests"][0]["body"]
    assert (await applied(stage, clock, preview))["applied"] == 1
