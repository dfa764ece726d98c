"""Receiving purchase orders: in part and in whole, in stock units, once, and what is refused by which code."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from server_wire import Wire, amount, live
from transfer_plans import applied

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.purchase_orders.pricing import Buying
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS
from katana_mcp.entities.purchase_orders.receiving import RECEIVING
from katana_mcp.entities.purchase_orders.receiving.request import ReceivePurchaseOrderRequest
from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.testing import Payload, Stage
from katana_mcp.writing.actions import Action, Recognise
from katana_mcp.writing.lost_answers import is_as_planned
from katana_sandbox import Drop, Fault, Tenant

TOOL, NUMBER = "receive_purchase_order", "PO-900"
ROWS: list[dict[str, Any]] = [
    {"id": 17, "variant_id": 7, "quantity": 5, "location_id": 3, "purchase_uom_conversion_rate": 12},
    {"id": 18, "variant_id": 8, "quantity": 2, "location_id": 3, "received_date": "2026-02-01T08:00:00.000Z"},
    {"id": 19, "variant_id": 8, "quantity": 2, "location_id": 3},
]
ORDER: dict[str, Any] = {"id": 40, "order_no": NUMBER, "status": "PARTIALLY_RECEIVED", "location_id": 3}
BATCHED = Buying(goods={7: PurchasableVariant(in_batches=True), 8: PurchasableVariant()})


def _asked(**asked: object) -> ReceivePurchaseOrderRequest:
    return RECEIVING.request.model_validate({"purchase_order_id": 40, **asked})


def _row(**asked: object) -> dict[str, object]:
    return {"rows": [{"row_id": 17, **asked}]}


def _against(asked: Mapping[str, object], **changed: object) -> list[tuple[str, str | None, str | None]]:
    record = {**ORDER, "purchase_order_rows": ROWS, **changed}
    found = RECEIVING.checks(_asked(**asked), Facts(record=record, own=BATCHED))
    return [
        (warning.severity, warning.code, warning.field_path) for warning in found if warning.code != "untraced_receipt"
    ]


@pytest.mark.parametrize(
    ("asked", "changed", "expected"),
    [
        ({}, {"status": "DRAFT"}, ("draft_order", None)),
        ({}, {"status": "RECEIVED"}, ("already_received", None)),
        ({}, {"purchase_order_rows": []}, ("empty_order", None)),
        ({"rows": [{"row_id": 99}]}, {}, ("unknown_row_id", "rows[0].row_id")),
        ({"rows": [{"row_id": 17}, {"row_id": 17}]}, {}, ("duplicate_row_overrides", "rows[1].row_id")),
        ({"rows": [{"row_id": 18}]}, {}, ("already_received", "rows[0].row_id")),
        (_row(quantity=6), {}, ("over_receipt", "rows[0].quantity")),
        (_row(quantity=0), {}, ("invalid_quantity", "rows[0].quantity")),
        (_row(batches=[{"batch_id": 1, "quantity": 3}] * 2), {}, ("batch_sum_mismatch", "rows[0].batches")),
        (_row(quantity=1, serial_number_ids=[1]), {}, ("serial_count_mismatch", "rows[0].serial_number_ids")),
        (_row(quantity=0.3, serial_number_ids=[1]), {}, ("serial_qty_not_integer", "rows[0].quantity")),
    ],
)
def test_what_cannot_be_received_is_refused_by_a_code_of_its_own(
    asked: dict[str, object], changed: dict[str, object], expected: tuple[str, str | None]
) -> None:
    assert _against(asked, **changed) == [("blocking", *expected)]
    record = {**ORDER, "purchase_order_rows": ROWS, **changed}
    assert RECEIVING.plan(_asked(**asked), Facts(record=record, own=BATCHED)).actions == ()


def test_goods_of_batches_may_come_without_and_that_is_told() -> None:
    record = {**ORDER, "purchase_order_rows": ROWS}
    found = RECEIVING.checks(_asked(), Facts(record=record, own=BATCHED))
    assert [(warning.severity, warning.code) for warning in found] == [("advisory", "untraced_receipt")]


def test_one_request_names_every_row_with_its_date_place_and_batches() -> None:
    south: dict[tuple[str, int | str], Named] = {
        ("location", "South"): Named("South", (NamedRecord(id=4, name="South"),))
    }
    facts = Facts(
        record={**ORDER, "purchase_order_rows": ROWS},
        own=BATCHED,
        levels={7: {3: Decimal(1)}, 8: {4: Decimal(1)}},
        references=south,
    )
    asked = _asked(
        rows=[
            {"row_id": 17, "quantity": 2, "batches": [{"batch_id": 4, "quantity": 1.5}]},
            {
                "row_id": 19,
                "received_date": "2026-03-01T08:00:00Z",
                "location_id": "South",
                "serial_number_ids": [31, 32],
            },
        ],
        received_date="2026-03-02T08:00:00Z",
    )
    draft = RECEIVING.plan(asked, facts)
    first, second = "2026-03-02T08:00:00Z", "2026-03-01T08:00:00Z"
    traced = [{"batch_id": 4, "quantity": Decimal("1.5")}]
    serials = [{"serial_number_id": 31}, {"serial_number_id": 32}]
    assert draft.actions == (
        Action(
            title="receive 2 rows of purchase order PO-900",
            method="POST",
            path="/purchase_order_receive",
            body=[
                {"purchase_order_row_id": 17, "quantity": 2, "received_date": first, "traceability": traced},
                {
                    "purchase_order_row_id": 19,
                    "quantity": 2,
                    "received_date": second,
                    "location_id": 4,
                    "traceability": serials,
                },
            ],
            entity="purchase_order",
            record=40,
            expects={
                "status": "PARTIALLY_RECEIVED",
                "purchase_order_rows": [
                    {"id": 17, "variant_id": 7, "quantity": 3, "location_id": 3},
                    {"variant_id": 7, "quantity": 2, "received_date": first, "location_id": 3},
                    {
                        "id": 18,
                        "variant_id": 8,
                        "quantity": 2,
                        "received_date": "2026-02-01T08:00:00.000Z",
                        "location_id": 3,
                    },
                    {"id": 19, "variant_id": 8, "quantity": 2, "received_date": second, "location_id": 4},
                ],
            },
            recognise=Recognise(collection="purchase_orders", filters={"ids": [40]}),
            is_answered=False,
        ),
    )
    assert draft.touches["places"] == [4]
    assert draft.stock == ("7 at 3: 1 → 25", "8 at South: 1 → 3")
    assert (draft.status, draft.own["still_open"]) == ("PARTIALLY_RECEIVED", ["3 of 7"])
    assert "only after the whole order was received" in draft.one_way


ALIKE = [{"id": 17, "variant_id": 8, "quantity": 5}, {"id": 19, "variant_id": 8, "quantity": 2}]
UNLIKE = [{**ROWS[0], "purchase_uom_conversion_rate": 1}, ROWS[2]]


@pytest.mark.parametrize(
    ("asked", "changed", "why"),
    [
        ({}, {"purchase_order_rows": UNLIKE}, ""),
        ({"rows": [{"row_id": 17, "location_id": 3}, {"row_id": 19}]}, {"purchase_order_rows": UNLIKE}, ""),
        (_row(), {"purchase_order_rows": UNLIKE}, "Katana can undo receipts only after the whole order was received"),
        ({}, {"status": "PARTIALLY_RECEIVED"}, "undoing receipts would also undo the earlier ones"),
        (
            {"rows": [{"row_id": 17, "location_id": 4}, {"row_id": 19}]},
            {"purchase_order_rows": UNLIKE},
            "rows stay at the location where they were received",
        ),
        ({}, {"purchase_order_rows": ALIKE}, "undoing receipts merges identical rows into one"),
    ],
)
def test_only_a_receipt_of_all_that_nothing_else_follows_from_has_a_way_back(
    asked: dict[str, object], changed: dict[str, object], why: str
) -> None:
    record = {**ORDER, "status": "NOT_RECEIVED", "purchase_order_rows": ROWS, **changed}
    places: dict[tuple[str, int | str], Named] = {
        ("location", key): Named(key, (NamedRecord(id=key),)) for key in (3, 4)
    }
    draft = RECEIVING.plan(_asked(**asked), Facts(record=record, own=Buying(), references=places))
    back = {"purchase_order_id": 40, "status": "NOT_RECEIVED", "unreceive": True}
    assert draft.one_way == why
    assert draft.revert == (None if why else {"tool": "modify_purchase_order", "arguments": back})


def test_ingredients_in_batches_have_to_be_named_first() -> None:
    used = {"id": 60, "purchase_order_row_id": 17, "ingredient_variant_id": 7}
    of_another = {**used, "id": 61, "purchase_order_row_id": 18}
    named = {**used, "id": 62, "batch_transactions": [{"batch_id": 4, "quantity": 1}]}
    record = {**ORDER, "purchase_order_rows": [{**ROWS[0], "variant_id": 8}, *ROWS[1:]]}
    facts = Facts(record=record, own=BATCHED, beside={INGREDIENTS: (used, of_another, named)})
    assert [
        (check.severity, check.code, check.message, check.field_path) for check in RECEIVING.checks(_asked(), facts)
    ] == [
        (
            "blocking",
            "batch_required",
            "rows: ingredient 60 of row 17 is tracked by batch: name its batches in Katana first",
            "rows",
        )
    ]


def test_a_receipt_is_known_by_the_rows_that_its_order_then_has_and_not_by_who_sent_it() -> None:
    rows = [{"received_date": None, **row} for row in ROWS]
    facts = Facts(record={**ORDER, "purchase_order_rows": rows}, own=BATCHED)
    (action,) = RECEIVING.plan(_asked(**_row(quantity=2)), facts).actions
    came = {"variant_id": 7, "quantity": 2, "location_id": 3, "received_date": "2026-03-02T08:00:00.000Z"}
    rest, before, still = {**rows[0], "quantity": 3}, *rows[1:]
    done = {**ORDER, "purchase_order_rows": [rest, {**came, "id": 90, "group_id": 5}, before, still]}
    assert is_as_planned(action, done)  # whoever received just that: nothing tells it from ours
    others = [
        [rest, {**came, "id": 90, "received_date": None}, before, still],
        [{**rows[0], "quantity": 4}, {**came, "id": 90, "quantity": 1}, before, still],
        [rest, {**came, "id": 90, "location_id": 4}, before, still],
        [rest, {**came, "id": 90}, before, {**still, "received_date": "2026-03-02T08:00:00.000Z"}],
        rows,
    ]
    assert [is_as_planned(action, {**done, "purchase_order_rows": other}) for other in others] == [False] * len(others)
    assert not is_as_planned(action, {**done, "status": "RECEIVED"})


def _bought(tenant: Tenant) -> list[Wire]:
    items = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    return [variant for variant in live(tenant, "variants") if variant["material_id"] in items][:2]


def _order(tenant: Tenant) -> Wire:
    first, second = _bought(tenant)
    box = {"purchase_uom": "box", "purchase_uom_conversion_rate": 12}
    rows = [
        {"variant_id": first["id"], "quantity": 5, "price_per_unit": 24, **box},
        {"variant_id": second["id"], "quantity": 3, "price_per_unit": 1},
    ]
    parties = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    return tenant.create("purchase_orders", {**parties, "order_no": NUMBER, "purchase_order_rows": rows})


def _stock(tenant: Tenant, order: Wire) -> dict[int, Decimal]:
    """Return the sum of the ledger of each good of an order at its place."""
    goods = {row["variant_id"] for row in order["purchase_order_rows"]}
    moved = [
        movement for movement in tenant.all("inventory_movements") if movement["location_id"] == order["location_id"]
    ]
    changes = {
        product: [amount(one["quantity_change"]) for one in moved if one["variant_id"] == product] for product in goods
    }
    return {variant_id: sum(found, Decimal(0)) for variant_id, found in changes.items()}


async def _received(stage: Stage, **asked: object) -> tuple[Payload, Payload]:
    preview = await stage.call(TOOL, purchase_order_id=NUMBER, **asked)
    return preview, (await applied(stage, preview["plan_token"]))["outcomes"][0]


async def test_a_delivery_in_two_parts_ends_as_a_received_order_and_the_ledger_adds_up(
    stage: Stage, tenant: Tenant
) -> None:
    order = _order(tenant)
    boxes, singles = order["purchase_order_rows"]
    before = _stock(tenant, order)
    preview, outcome = await _received(stage, rows=[{"row_id": boxes["id"], "quantity": 2}])
    assert (outcome["applied"], outcome["status"], "revert" in outcome) == (1, "PARTIALLY_RECEIVED", False)
    assert preview["still_open"][0].split()[:2] == ["3", "box"]
    assert "2 box (12 " in preview["message"]
    then = _stock(tenant, order)
    assert then[boxes["variant_id"]] - before[boxes["variant_id"]] == 24
    shown = (await stage.call("get_purchase_order", purchase_order_id=NUMBER))["order"]
    assert sorted((row["quantity"], "received_date" in row) for row in shown["rows"]) == [
        (2, True),
        (3, False),
        (3, False),
    ]
    _, outcome = await _received(stage)
    assert (outcome["applied"], outcome["status"]) == (1, "RECEIVED")
    assert _stock(tenant, order) == {
        boxes["variant_id"]: before[boxes["variant_id"]] + 60,
        singles["variant_id"]: before[singles["variant_id"]] + 3,
    }
    assert (await stage.call(TOOL, purchase_order_id=NUMBER))["warnings"][0]["code"] == "already_received"


async def test_a_whole_receipt_is_taken_back_and_a_lost_answer_is_recognised(stage: Stage, tenant: Tenant) -> None:
    order = _order(tenant)
    before = _stock(tenant, order)
    stage.own.sandbox.faults.add(Fault("POST /purchase_order_receive", action=Drop(when="after")))
    _, outcome = await _received(stage)
    assert (outcome["applied"], outcome["actions"][0]["look_up"]["as_planned"]) == (1, 1)
    assert _stock(tenant, order) != before
    revert = outcome["revert"]
    back = await stage.call(revert["tool"], **revert["arguments"])
    assert (await applied(stage, back["plan_token"]))["outcomes"][0]["applied"] == 1
    assert _stock(tenant, order) == before


@pytest.mark.parametrize("collection", ["variants", "materials"])
async def test_goods_that_are_deleted_are_named_when_they_come(stage: Stage, tenant: Tenant, collection: str) -> None:
    gone, kept = [
        tenant.create("materials", {"name": name, "uom": "pcs", "variants": [{"sku": name}]})["variants"][0]
        for name in ("FELT-1", "FELT-2")
    ]
    rows = [{"variant_id": variant["id"], "quantity": 2, "price_per_unit": 3} for variant in (kept, gone)]
    places = {"supplier_id": live(tenant, "suppliers")[0]["id"], "location_id": live(tenant, "locations")[0]["id"]}
    made = tenant.create("purchase_orders", {**places, "order_no": NUMBER, "purchase_order_rows": rows})
    tenant.delete(collection, gone["id"] if collection == "variants" else gone["material_id"])
    answer = await stage.call(TOOL, purchase_order_id=made["id"])
    key = made["purchase_order_rows"][1]["id"]
    told = [warning["message"] for warning in answer["warnings"] if warning["code"] == "deleted_item"]
    assert told == [f"rows: FELT-1 of row {key} is deleted in Katana: no stock of it will be listed"]
    assert answer["plan_token"]
