"""A record that is taken for a plan's own because the answer was lost: what it holds besides is told."""

from dataclasses import replace
from pathlib import Path

import pytest
from journal_plans import hasty
from server_wire import Wire, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import ActionState
from katana_mcp.testing import Payload, Setup, Stage, staged
from katana_mcp.writing.actions import Action, JsonObject, Recognise
from katana_mcp.writing.left_open import left_open
from katana_sandbox import Drop, Fault, ManualClock, Mutate, Tenant

MADE = "2026-03-02T09:00:00.000Z"
LOOK: JsonObject = {"asked": "GET /purchase_orders order_no=X-1"}
CREATE = Action(
    title="create purchase order X-1",
    method="POST",
    path="/purchase_orders",
    body={"order_no": "X-1", "supplier_id": 7},
    entity="purchase_order",
    recognise=Recognise(collection="purchase_orders", filters={"order_no": "X-1"}),
)


def told(action: Action = CREATE, look_up: JsonObject | None = LOOK, **fields: object) -> list[str]:
    """Return what is told of a record that was found."""
    record = {"id": 5, "order_no": "X-1", "supplier_id": 7, "created_at": MADE, **fields}
    return [warning.message for warning in left_open(action, ActionState("applied", record, None, look_up))]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"additional_info": "by hand"}, "additional_info is by hand"),
        ({"expected_arrival_date": "2027-01-01T00:00:00.000Z"}, "expected_arrival_date is 2027-01-01T00:00:00.000Z"),
        ({"order_created_date": "2026-02-01T09:00:00.000Z"}, "order_created_date is 2026-02-01T09:00:00.000Z"),
        ({"custom_fields": {"a": "b"}}, 'custom_fields is {"a": "b"}'),
    ],
)
def test_notes_dates_and_custom_fields_that_were_not_sent_are_named(fields: Wire, named: str) -> None:
    (message,) = told(**fields)
    assert message == (
        "create purchase order X-1: Katana's answer was lost, and the record that Katana lists holds what the plan "
        f"left open: {named}; where this is not Katana's default, somebody else may have made it"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"additional_info": ""},
        {"additional_info": None},
        {"order_created_date": MADE},
        {"order_created_date": "2026-03-02T12:00:00.000Z"},
        {"custom_fields": {"a": None}},
        {"custom_fields": None},
        {"status": "NOT_RECEIVED", "entity_type": "regular", "currency": "EUR", "location_id": 3, "total": 9},
    ],
)
def test_what_katana_fills_in_is_not_named(fields: Wire) -> None:
    assert told(**fields) == []


def test_only_a_new_record_that_was_recognised_is_compared() -> None:
    assert told(look_up=None, additional_info="by hand") == []
    for other in (
        replace(CREATE, recognise=None),
        replace(CREATE, method="PATCH"),
        replace(CREATE, record=5),
        replace(CREATE, part="purchase_order_rows"),
        replace(CREATE, recognise=Recognise(collection="suppliers", filters={})),
        replace(CREATE, body={"order_no": "X-1", "additional_info": "by hand"}),
    ):
        assert told(other, additional_info="by hand") == []


async def planned(stage: Stage, tenant: Tenant) -> tuple[Payload, Wire]:
    """Return the preview of a new purchase order, and what it would send."""
    material = next(variant for variant in live(tenant, "variants") if variant["material_id"])
    row = {"sku_or_variant_id": material["id"], "quantity": 3, "price_per_unit": 2}
    places = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    preview = await stage.call("create_purchase_order", order_no="X-1", rows=[row], **places)
    sent = {"variant_id": material["id"], "quantity": 3, "price_per_unit": 2}
    return preview, {"order_no": "X-1", "purchase_order_rows": [sent], **places}


async def test_the_order_of_somebody_else_is_told_from_ours_by_its_notes_and_never_doubled(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty(monkeypatch)
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        preview, body = await planned(stage, tenant)
        by_hand = {**body, "additional_info": "by hand", "expected_arrival_date": "2027-01-01T00:00:00.000Z"}
        theirs = Mutate(change=lambda account: account.create("purchase_orders", by_hand))
        own.sandbox.faults.add(Fault("POST *", action=theirs), Fault("POST *", action=Drop("before")))
        clock.advance(61)
        answer = await stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
        (outcome,) = answer["outcomes"]
        assert outcome["applied"] == 1
        (message,) = [warning["message"] for warning in answer["warnings"] if warning["code"] == "unexpected_result"]
        assert "additional_info is by hand, expected_arrival_date is 2027-01-01" in message
    assert len([order for order in live(tenant, "purchase_orders") if order["order_no"] == "X-1"]) == 1
