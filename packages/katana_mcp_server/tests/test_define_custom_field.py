"""`define_custom_field`: definitions made, changed and deleted in one request each, and what is refused before."""

from pathlib import Path
from typing import Any

import pytest
from cache_jobs import job_on
from journal_plans import hasty
from test_manufacturing_order_writes import applied, codes, live

from katana_mcp.commands.journal.reconcile import reconcile
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, payload_of, staged, within
from katana_mcp.writing.outcome import PlanOutcome
from katana_sandbox import Drop, Fault, ManualClock, ReplicaLag, Status, Tenant

TOOL, DEFINITIONS = "define_custom_field", "custom_field_definitions"
PAINT: dict[str, object] = {"label": "Paint colour", "field_type": "shortText", "entity_type": "SalesOrder"}
ONE = {"POST": f"POST /{DEFINITIONS}", "PATCH": f"PATCH /{DEFINITIONS}/*", "DELETE": f"DELETE /{DEFINITIONS}/*"}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def planned(stage: Stage, clock: ManualClock, **asked: object) -> Payload:
    clock.advance(61)
    return payload_of(await stage.result(TOOL, asked))


async def done(stage: Stage, clock: ManualClock, **asked: object) -> Payload:
    return await applied(stage, clock, await planned(stage, clock, **asked))


async def reverted(stage: Stage, clock: ManualClock, outcome: Payload) -> Payload:
    assert outcome["revert"]["tool"] == TOOL
    return await done(stage, clock, **outcome["revert"]["arguments"])


def called(tenant: Tenant, label: str) -> dict[str, Any] | None:
    return next((row for row in live(tenant, DEFINITIONS) if row["label"] == label), None)


def defined(tenant: Tenant, label: str = "Carrier") -> dict[str, Any]:
    found = called(tenant, label)
    assert found is not None
    return found


def choices(tenant: Tenant, label: str = "Carrier") -> list[tuple[int, str, bool]]:
    """Return the choices of a definition with whether each is retired."""
    return [
        (choice["id"], choice["label"], choice.get("deleted", False)) for choice in _options(tenant, label)["choices"]
    ]


def _options(tenant: Tenant, label: str) -> dict[str, Any]:
    return defined(tenant, label)["options"]


def said(preview: Payload, severity: str = "blocking") -> list[tuple[str, str | None]]:
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == severity
    ]


def message(preview: Payload, code: str) -> str:
    return next(warning["message"] for warning in preview["warnings"] if warning["code"] == code)


async def test_a_new_field_is_listed_and_written_by_its_label_at_once_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    await stage.call("list_reference", kind="custom_field")
    preview = await planned(stage, clock, **PAINT, description="Of the frame")
    assert [request["path"] for request in preview["requests"]] == [f"/{DEFINITIONS}"]
    assert called(tenant, "Paint colour") is None
    outcome = await applied(stage, clock, preview)
    made = defined(tenant, "Paint colour")
    assert (outcome["id"], made["description"], made["source"]) == (made["id"], "Of the frame", "katana-mcp")
    (row,) = (await stage.call("list_reference", kind="custom_field", query="paint"))["rows"]
    assert (row["custom_field_definition_id"], row["entity_type"]) == (made["id"], "SalesOrder")

    order = live(tenant, "sales_orders")[0]["id"]
    change = {"sales_order_id": order, "custom_fields": {"Paint colour": "moss"}}
    await applied(stage, clock, await stage.call("modify_sales_order", **change))
    shown = (await stage.call("get_sales_order", sales_order_id=order))["order"]["custom_fields"]
    assert {"field": "Paint colour", "value": "moss"} in shown

    await reverted(stage, clock, outcome)
    assert called(tenant, "Paint colour") is None
    assert not (await stage.call("list_reference", kind="custom_field", query="paint"))["rows"]


async def test_a_choice_of_a_customers_new_field_is_written_by_its_label(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    asked = {"label": "Level", "field_type": "singleSelect", "entity_type": "Customer", "choices": ["Gold", "Silver"]}
    preview = await planned(stage, clock, **asked)
    assert said(preview, "advisory") == [("needs_feature", "entity_type")]
    await applied(stage, clock, preview)
    key = live(tenant, "customers")[0]["id"]
    change = {"customer_id": key, "custom_fields": {"level": "silver"}}
    await applied(stage, clock, await stage.call("modify_customer", **change))
    assert tenant.get("customers", key)["custom_fields"][defined(tenant, "Level")["id"]] == 2
    assert said(await planned(stage, clock, **asked | {"label": "Tier"}), "advisory") == []


async def test_choices_that_are_left_out_are_retired_and_their_values_stay_readable(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    key = live(tenant, "sales_orders")[0]["id"]
    tenant.edit("sales_orders", key, custom_fields={defined(tenant)["id"]: 2})
    preview = await planned(stage, clock, field="carrier", choices=["Bike", "parcel nord"])
    assert preview["changes"] == [{"field": "choices", "old": "Parcel Nord, Own van", "new": "Bike, parcel nord"}]
    assert said(preview, "advisory") == [("in_use", "choices")]
    outcome = await applied(stage, clock, preview)
    assert choices(tenant) == [(3, "Bike", False), (1, "parcel nord", False), (2, "Own van", True)]
    shown = (await stage.call("get_sales_order", sales_order_id=key))["order"]["custom_fields"]
    assert {"field": "Carrier", "value": "Own van"} in shown
    (row,) = (await stage.call("list_reference", kind="custom_field", query="carrier"))["rows"]
    assert row["choices"] == ["Bike", "parcel nord"]
    refused = payload_of(
        await stage.result("modify_sales_order", {"sales_order_id": key, "custom_fields": {"Carrier": "Own van"}})
    )
    assert codes(refused) == {"invalid_argument"}

    await reverted(stage, clock, outcome)
    assert choices(tenant) == [(1, "Parcel Nord", False), (2, "Own van", False), (3, "Bike", True)]


async def test_a_label_and_a_description_are_changed_cleared_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    before = defined(tenant)
    outcome = await done(stage, clock, field=before["id"], label="Shipper", description="Who drives")
    assert (outcome["id"], defined(tenant, "Shipper")["description"]) == (before["id"], "Who drives")
    assert outcome["prior_state"]["label"] == "Carrier"
    cleared = await done(stage, clock, field="Shipper", description=None)
    assert defined(tenant, "Shipper")["description"] is None
    await reverted(stage, clock, cleared)
    assert defined(tenant, "Shipper")["description"] == "Who drives"
    await reverted(stage, clock, outcome)
    after = defined(tenant)
    assert {name: after[name] for name in ("id", "label", "description", "options")} == {
        name: before[name] for name in ("id", "label", "description", "options")
    }


async def test_what_was_there_and_cannot_be_asked_for_has_no_way_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    tenant.edit(DEFINITIONS, defined(tenant)["id"], description="x" * 256)
    preview = await planned(stage, clock, field="Carrier", description="Short")
    assert said(preview, "advisory") == [("no_way_back", None)]
    assert (await applied(stage, clock, preview)).get("revert") is None
    assert defined(tenant)["description"] == "Short"


ASKED: dict[str, tuple[dict[str, object], tuple[int, int]]] = {
    "a new one": (PAINT, (1, 3)),
    "a change": ({"field": "Carrier", "label": "Shipper"}, (1, 2)),
    "a deletion": ({"field": "Carrier", "delete": True}, (1, 2)),
}


@pytest.mark.parametrize(("asked", "requests"), list(ASKED.values()), ids=list(ASKED))
async def test_a_plan_asks_once_for_all_definitions_and_an_apply_once_more(
    stage: Stage, clock: ManualClock, asked: dict[str, object], requests: tuple[int, int]
) -> None:
    await stage.call("list_reference", kind="factory")
    before = stage.requests()
    preview = await planned(stage, clock, **asked)
    between = stage.requests()
    await applied(stage, clock, preview)
    assert (between - before, stage.requests() - between) == requests


async def test_a_field_of_variants_is_shown_elsewhere_too_and_no_longer(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    asked = {"label": "Gloss", "field_type": "number", "entity_type": "MaterialVariant"}
    preview = await planned(stage, clock, **asked, appears_on=["SalesOrderRow", "ManufacturingOrder"])
    assert ("needs_feature", "appears_on") in said(preview, "advisory")
    await applied(stage, clock, preview)
    assert _options(tenant, "Gloss")["appearsOn"] == ["SalesOrderRow", "ManufacturingOrder"]
    outcome = await done(stage, clock, field="Gloss", appears_on=[])
    assert _options(tenant, "Gloss")["appearsOn"] == []
    await reverted(stage, clock, outcome)
    assert _options(tenant, "Gloss")["appearsOn"] == ["SalesOrderRow", "ManufacturingOrder"]


async def test_a_deletion_says_whose_values_go_and_has_no_way_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    key = defined(tenant)["id"]
    for order in live(tenant, "sales_orders")[:3]:
        tenant.edit("sales_orders", order["id"], custom_fields={key: 1})
    tenant.edit("sales_orders", live(tenant, "sales_orders")[3]["id"], custom_fields={key: None})
    clock.advance(301)
    await stage.call("list_sales_orders")
    preview = await planned(stage, clock, field="Carrier", delete=True)
    assert said(preview, "advisory") == [("in_use", "field"), ("no_way_back", None)]
    assert "3 sales orders" in message(preview, "in_use")
    outcome = await applied(stage, clock, preview)
    assert (outcome["id"], outcome.get("revert"), called(tenant, "Carrier")) == (key, None, None)
    assert not (await stage.call("list_reference", kind="custom_field", query="carrier"))["rows"]


REFUSED: dict[str, tuple[dict[str, object], list[tuple[str, str]]]] = {
    "nothing has the label": ({"field": "Carier", "label": "X"}, [("not_found", "field")]),
    "a new one without anything": (
        {"description": "x"},
        [("invalid_argument", name) for name in ("label", "field_type", "entity_type")],
    ),
    "a deletion of nothing": ({"delete": True}, [("invalid_argument", "field")]),
    "a deletion with more": (
        {"field": "Carrier", "label": "X", "description": None, "delete": True},
        [("invalid_argument", "label"), ("invalid_argument", "description")],
    ),
    "a label that another has": (PAINT | {"label": "carrier"}, [("duplicate_name", "label")]),
    "a new label that another has": ({"field": "Carrier", "label": "gift note"}, [("duplicate_name", "label")]),
    "another type": ({"field": "Carrier", "field_type": "url"}, [("locked", "field_type")]),
    "other records": ({"field": "Carrier", "entity_type": "Supplier"}, [("locked", "entity_type")]),
    "choices of a text": ({"field": "Gift note", "choices": ["A"]}, [("invalid_argument", "choices")]),
    "no choices": (PAINT | {"field_type": "singleSelect"}, [("invalid_argument", "choices")]),
    "no choices left": ({"field": "Carrier", "choices": []}, [("invalid_argument", "choices")]),
    "choices alike": ({"field": "Carrier", "choices": ["A", "B", "a"]}, [("invalid_argument", "choices[2]")]),
    "shown where it cannot be": (PAINT | {"appears_on": ["SalesOrderRow"]}, [("invalid_argument", "appears_on[0]")]),
    "an operation shown on a row": (
        PAINT | {"entity_type": "ProductionOperation", "appears_on": ["ManufacturingOrder", "PurchaseOrderRow"]},
        [("invalid_argument", "appears_on[1]")],
    ),
    "shown twice": (
        PAINT | {"entity_type": "ServiceVariant", "appears_on": ["SalesOrderRow", "SalesOrderRow"]},
        [("invalid_argument", "appears_on[1]")],
    ),
    "the same": (
        {"field": "Carrier", "label": "Carrier", "choices": ["Parcel Nord", "Own van"], "description": ""},
        [("no_effective_change", "field")],
    ),
}


@pytest.mark.parametrize(("asked", "expected"), list(REFUSED.values()), ids=list(REFUSED))
async def test_what_katana_would_refuse_or_nobody_could_mean_is_refused_by_argument(
    stage: Stage, clock: ManualClock, asked: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    preview = await planned(stage, clock, **asked)
    assert said(preview) == expected
    assert "plan_token" not in preview
    assert preview["requests"] == []


async def test_an_unknown_field_is_answered_with_what_is_like_it_or_with_all(stage: Stage, clock: ManualClock) -> None:
    assert "did you mean 'Carrier'?" in message(await planned(stage, clock, field="Carier", label="X"), "not_found")
    text = message(await planned(stage, clock, field="zzz", delete=True), "not_found")
    assert "; there are: " in text
    assert "Carrier (SalesOrder)" in text


async def test_a_label_of_two_kinds_is_named_by_id_and_free_for_a_third(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    carrier = defined(tenant)["id"]
    outcome = await done(stage, clock, **PAINT | {"label": "Carrier", "entity_type": "Supplier"})
    assert outcome["warnings"] == []
    preview = await planned(stage, clock, field="carrier", label="X")
    text = message(preview, "ambiguous_name")
    assert f"{carrier} (SalesOrder)" in text
    assert f"{outcome['id']} (Supplier)" in text
    assert said(preview) == [("ambiguous_name", "field")]
    assert "plan_token" in await planned(stage, clock, field=carrier, label="X")


@pytest.mark.parametrize(
    ("there", "other"),
    [
        ("ProductVariant", "ServiceVariant"),
        ("OutsourcedPurchaseOrder", "PurchaseOrder"),
        ("PurchaseOrderRow", "OutsourcedPurchaseOrderRow"),
    ],
)
async def test_records_that_share_their_fields_share_their_labels(
    stage: Stage, clock: ManualClock, tenant: Tenant, there: str, other: str
) -> None:
    tenant.create(DEFINITIONS, PAINT | {"entity_type": there, "source": "katana"})
    assert said(await planned(stage, clock, **PAINT | {"entity_type": other})) == [("duplicate_name", "label")]


async def test_an_account_has_no_more_than_fifty(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    for nr in range(50 - len(live(tenant, DEFINITIONS))):
        tenant.create(DEFINITIONS, PAINT | {"label": f"Field {nr}", "source": "katana"})
    assert said(await planned(stage, clock, **PAINT)) == [("locked", "label")]
    assert "plan_token" in await planned(stage, clock, field="Field 1", label="First")


async def test_a_definition_that_somebody_changed_or_made_meanwhile_is_not_planned_over(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    change, new = await planned(stage, clock, field="Carrier", label="Shipper"), await planned(stage, clock, **PAINT)
    tenant.edit(DEFINITIONS, defined(tenant)["id"], description="By road")
    tenant.create(DEFINITIONS, PAINT | {"source": "katana"})
    for preview in (change, new):
        asked = {"plan_tokens": [preview["plan_token"]]}
        assert codes(payload_of(await stage.result("apply_plan", asked))) >= {"stale_plan"}
    assert [called(tenant, "Shipper"), defined(tenant, "Paint colour")["source"]] == [None, "katana"]


LOST: dict[str, dict[str, object]] = {
    "POST": PAINT,
    "PATCH": {"field": "Carrier", "choices": ["Own van", "Bike"], "description": "Who drives"},
    "DELETE": {"field": "Carrier", "delete": True},
}


@pytest.mark.parametrize("method", LOST)
async def test_what_katana_did_though_its_answer_was_lost_counts_as_applied(
    stage: Stage, clock: ManualClock, tenant: Tenant, method: str
) -> None:
    preview = await planned(stage, clock, **LOST[method])
    stage.own.sandbox.faults.add(Fault(ONE[method], action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    (action,) = outcome["actions"]
    assert (action["state"], outcome["applied"]) == ("applied", 1)
    assert PlanOutcome.model_validate(outcome).is_complete
    rows = (await stage.call("list_reference", kind="custom_field"))["rows"]
    assert {row["name"] for row in rows} == {row["label"] for row in live(tenant, DEFINITIONS)}


@pytest.mark.parametrize("method", LOST)
async def test_what_never_reached_katana_is_not_told_as_done(
    stage: Stage, clock: ManualClock, tenant: Tenant, method: str
) -> None:
    preview = await planned(stage, clock, **LOST[method])
    before = live(tenant, DEFINITIONS)
    stage.own.sandbox.faults.add(Fault(ONE[method], action=Drop("before")))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert action["state"] == "unknown"
    assert live(tenant, DEFINITIONS) == before


async def test_a_listing_that_lags_behind_a_new_field_does_not_prove_its_deletion(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    await done(stage, clock, **PAINT)
    preview = await planned(stage, clock, field="Paint colour", delete=True)
    faults = stage.own.sandbox.faults
    faults.add(Fault(f"GET /{DEFINITIONS}", nth=2, action=ReplicaLag(600), times=None))
    faults.add(Fault(ONE["DELETE"], action=Drop("before")))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert (action["state"], called(tenant, "Paint colour") is None) == ("unknown", False)


async def test_what_another_plan_defined_just_so_proves_nothing_of_one_that_was_lost(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        own.sandbox.faults.add(Fault(ONE["POST"], action=Drop("before")))
        assert (await done(stage, clock, **PAINT))["unknown"] == 1
        assert (await done(stage, clock, **PAINT))["applied"] == 1
        report = await within(clock, 60, reconcile(job_on(own, tmp_path)))
    assert not report.fine


async def test_a_refusal_of_katana_is_told_and_nothing_is_defined(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    preview = await planned(stage, clock, **PAINT | {"entity_type": "PurchaseOrder"})
    stage.own.sandbox.faults.add(Fault(ONE["POST"], action=Status(422)))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert (action["state"], called(tenant, "Paint colour")) == ("failed", None)
