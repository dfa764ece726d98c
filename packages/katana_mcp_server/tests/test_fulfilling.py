"""Shipping sales orders: in part and in whole, from which batches, once, and what is refused by which code."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import pytest
from pydantic import ValidationError
from server_wire import Wire, amount, live
from transfer_plans import applied

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.fulfilling import FULFILLING
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest
from katana_mcp.entities.sales_orders.fulfilling.tracing import BATCHES
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS, MADE
from katana_mcp.entities.sales_orders.shipped_goods import RECIPE
from katana_mcp.references.display_names import Names
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.testing import Payload, Stage
from katana_mcp.writing.actions import Action, Recognise
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL, NUMBER = "fulfill_order", "SO-900"
GONE_ROWS = "sales_order_fulfillment_rows"
PLAIN, BATCHED, SERIAL, KIT, PART, WORK = 7, 8, 9, 10, 11, 12
ITEMS: dict[int, dict[str, Any]] = {
    PLAIN: {},
    BATCHED: {"batch_tracked": True},
    SERIAL: {"serial_tracked": True},
    KIT: {"is_auto_assembly": True},
    PART: {},
}
NAMES = Names(
    {
        **{("variant", key): {"id": key, "product_id": key} for key in ITEMS},
        **{("product", key): {"id": key, **item} for key, item in ITEMS.items()},
        ("variant", WORK): {"id": WORK, "service_id": WORK},
    }
)
REFERENCES: dict[tuple[str, int | str], Named] = {
    ("variant", key): Named(key, (NamedRecord(id=key, sku=f"V{key}"),)) for key in (*ITEMS, WORK)
}
ROWS: list[dict[str, Any]] = [
    {"id": 17, "variant_id": PLAIN, "quantity": 5},
    {"id": 18, "variant_id": BATCHED, "quantity": 4, "location_id": 4},
    {"id": 19, "variant_id": WORK, "quantity": 1},
]
ORDER: dict[str, Any] = {"id": 40, "order_no": NUMBER, "status": "NOT_SHIPPED", "location_id": 3}
GONE: dict[str, Any] = {
    "id": 70,
    "status": "PACKED",
    "picked_date": "2026-02-01T08:00:00.000Z",
    "tracking_number": "1Z 1",
    GONE_ROWS: [{"sales_order_row_id": 17, "quantity": 2}],
}
STOCKED: list[dict[str, Any]] = [
    {"batch_id": batch_id, "batch_number": f"B-{batch_id}", "expiration_date": until, "quantity_in_stock": held}
    for batch_id, until, held in ((1, None, 9), (2, "2026-09-01T00:00:00.000Z", 3), (3, "2026-05-01T00:00:00.000Z", 2))
]
Summary = tuple[str, str | None, str | None]


def _facts(beside: Mapping[str, list[dict[str, Any]]] | None = None, **changed: object) -> Facts:
    stocked = [{**batch, "variant_id": BATCHED, "location_id": 4} for batch in STOCKED]
    found: dict[str, Any] = {BATCHES: stocked, **(beside or {})}
    levels = {key: {3: Decimal(5), 4: Decimal(5)} for key in ITEMS}
    return Facts(
        record={**ORDER, "sales_order_rows": ROWS, **changed},
        names=NAMES,
        references=REFERENCES,
        beside={name: tuple(records) for name, records in found.items()},
        levels=levels,
    )


def _asked(**asked: object) -> FulfillOrderRequest:
    return FULFILLING.request.model_validate({"sales_order_id": 40, **asked})


def _row(**asked: object) -> dict[str, object]:
    return {"rows": [{"row_id": 17, **asked}]}


def _summaries(asked: Mapping[str, object], facts: Facts) -> list[Summary]:
    return [(check.severity, check.code, check.field_path) for check in FULFILLING.checks(_asked(**asked), facts)]


def _of(variant: int, **row: object) -> dict[str, Any]:
    return {"sales_order_rows": [{**ROWS[0], "variant_id": variant, **row}]}


@pytest.mark.parametrize(
    ("asked", "changed", "expected"),
    [
        ({}, {"sales_order_rows": []}, ("empty_order", None)),
        ({}, {"sales_order_rows": [{**ROWS[0], "quantity": 2}]}, ("already_completed", None)),
        ({"rows": [{"row_id": 99}]}, {}, ("unknown_row_id", "rows[0].row_id")),
        ({"rows": [{"row_id": 17}, {"row_id": 17}]}, {}, ("duplicate_row_overrides", "rows[1].row_id")),
        (_row(), {"sales_order_rows": [{**ROWS[0], "quantity": 2}]}, ("already_completed", "rows[0].row_id")),
        (_row(quantity=3.5), {}, ("over_shipment", "rows[0].quantity")),
        (_row(quantity=0), {}, ("invalid_quantity", "rows[0].quantity")),
        (_row(batches=[{"batch_id": 1, "quantity": 3}] * 2), {}, ("batch_sum_mismatch", "rows[0].batches")),
        (_row(quantity=2), _of(SERIAL), ("serial_numbers_required", "rows[0].serial_number_ids")),
        (_row(quantity=0.5), _of(SERIAL), ("serial_qty_not_integer", "rows[0].quantity")),
        (_row(quantity=2, serial_number_ids=[1]), {}, ("serial_count_mismatch", "rows[0].serial_number_ids")),
        ({"fulfillment_id": 71, "status": "DELIVERED"}, {}, ("unknown_row_id", "fulfillment_id")),
        ({"delete_fulfillment_id": 71}, {}, ("unknown_row_id", "delete_fulfillment_id")),
        ({"fulfillment_id": 70, "status": "PACKED"}, {}, ("no_effective_change", None)),
    ],
)
def test_what_cannot_be_shipped_is_refused_by_a_code_of_its_own(
    asked: dict[str, object], changed: dict[str, object], expected: tuple[str, str | None]
) -> None:
    facts = _facts({FULFILLMENTS: [GONE]}, status="PARTIALLY_PACKED", **changed)
    assert [check for check in _summaries(asked, facts) if check[0] == "blocking"] == [("blocking", *expected)]
    assert FULFILLING.plan(_asked(**asked), facts).actions == ()


@pytest.mark.parametrize(
    "asked",
    [
        {"fulfillment_id": 70, "rows": [{"row_id": 17}]},
        {"delete_fulfillment_id": 70, "status": "PACKED"},
        {"delete_fulfillment_id": 70, "fulfillment_id": 70},
    ],
)
def test_a_shipment_is_new_or_changed_or_taken_back(asked: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=r"cannot be changed|cannot be combined"):
        _asked(**asked)


def test_a_deleted_order_is_not_shipped() -> None:
    facts = Facts(record={**ORDER, "sales_order_rows": ROWS, "deleted_at": "2026-02-01"}, deleted=True)
    assert _summaries({}, facts) == [("blocking", "not_found", "sales_order_id")]


def test_goods_go_from_the_batches_that_expire_first_and_a_service_stays() -> None:
    draft = FULFILLING.plan(_asked(), _facts())
    (action,) = draft.actions
    assert action.fields["sales_order_fulfillment_rows"] == [
        {"sales_order_row_id": 17, "quantity": 5},
        {
            "sales_order_row_id": 18,
            "quantity": 4,
            "traceability": [{"batch_id": 3, "quantity": 2}, {"batch_id": 2, "quantity": 2}],
        },
    ]
    assert (draft.status, draft.stock) == ("DELIVERED", ("V7 at 3: 5 → 0", "V8 at 4: 5 → 1"))
    (warning,) = FULFILLING.checks(_asked(), _facts())
    assert (warning.severity, warning.code) == ("info", "default_batches")
    assert warning.message.endswith("2 of B-3 (expires 2026-05-01), 2 of B-2 (expires 2026-09-01)")


@pytest.mark.parametrize(
    ("asked", "row", "stocked", "entries", "codes"),
    [
        ({"batches": [{"batch_id": 1, "quantity": 1}]}, {}, STOCKED, [(1, 1), (None, 3)], ["untraced_shipment"]),
        ({}, {}, STOCKED[2:], [(3, 2), (None, 2)], ["default_batches", "untraced_shipment"]),
        ({}, {}, [], None, ["untraced_shipment"]),
        ({}, {"batch_transactions": [{"batch_id": 9, "quantity": 4}]}, STOCKED, None, []),
    ],
)
def test_what_is_in_no_batch_is_said_and_what_the_row_holds_is_left_to_katana(
    asked: dict[str, object],
    row: dict[str, object],
    stocked: list[dict[str, Any]],
    entries: list[tuple[int | None, int]] | None,
    codes: list[str],
) -> None:
    here = [{**batch, "variant_id": BATCHED, "location_id": 3} for batch in stocked]
    facts = _facts({BATCHES: here}, **_of(BATCHED, quantity=4, **row))
    sent = FULFILLING.plan(_asked(**_row(**asked)), facts).actions[0].fields
    (line,) = cast("list[Wire]", sent["sales_order_fulfillment_rows"])
    found = line.get("traceability")
    assert (found and [(entry["batch_id"], entry["quantity"]) for entry in found]) == entries
    assert [code for _, code, _ in _summaries(_row(**asked), facts)] == codes


def test_serial_numbers_that_are_named_are_sent_and_those_that_the_row_holds_are_left_to_katana() -> None:
    facts = _facts(**_of(SERIAL, quantity=2, serial_numbers=[5, 6]))
    (named,) = FULFILLING.plan(_asked(**_row(serial_number_ids=[1, 2])), facts).actions
    lines = [{"serial_number_id": unit, "quantity": 1} for unit in (1, 2)]
    assert named.fields["sales_order_fulfillment_rows"] == [
        {"sales_order_row_id": 17, "quantity": 2, "traceability": lines}
    ]
    assert _summaries({}, facts) == []
    gone = {**GONE, "sales_order_fulfillment_rows": [{"sales_order_row_id": 3, "quantity": 1, "serial_numbers": [5]}]}
    left = _facts({FULFILLMENTS: [gone]}, **_of(SERIAL, quantity=2, serial_numbers=[5, 6]))
    assert [code for _, code, _ in _summaries({}, left)] == ["serial_numbers_required"]


def test_a_shipment_is_known_by_its_rows_and_quantities() -> None:
    facts = _facts({FULFILLMENTS: [GONE]}, status="PARTIALLY_PACKED")
    traced = [{"batch_id": 3, "quantity": Decimal(2)}, {"batch_id": 2, "quantity": Decimal(2)}]
    draft = FULFILLING.plan(_asked(status="PACKED", picked_date="2026-02-03T08:00:00Z", tracking_number="1Z 2"), facts)
    head = {
        "sales_order_id": 40,
        "status": "PACKED",
        "picked_date": "2026-02-03T08:00:00Z",
        "tracking_number": "1Z 2",
    }
    lines: list[dict[str, object]] = [
        {"sales_order_row_id": 17, "quantity": 3},
        {"sales_order_row_id": 18, "quantity": 4},
    ]
    nothing = dict.fromkeys(("tracking_url", "tracking_carrier", "tracking_method"))
    assert draft.actions == (
        Action(
            title="add PACKED shipment to sales order SO-900",
            method="POST",
            path="/sales_order_fulfillments",
            body={**head, GONE_ROWS: [lines[0], {**lines[1], "traceability": traced}]},
            entity=FULFILLMENTS,
            expects={**nothing, **head, GONE_ROWS: lines},
            document=("sales_order", 40),
            recognise=Recognise(
                collection="sales_order_fulfillments", filters={"sales_order_id": 40}, besides=(GONE["id"],)
            ),
        ),
    )
    assert draft.undoing == {
        "tool": TOOL,
        "arguments": {"sales_order_id": 40, "delete_fulfillment_id": {"$ref": [0, "id"]}},
    }
    assert draft.touches == {"record": facts.record, "shipments": [GONE]}


def test_two_rows_of_a_good_share_the_batches_of_their_place() -> None:
    elsewhere = [{**STOCKED[2], "batch_id": 7, "expiration_date": "2026-01-01", "location_id": 4}]
    here = [{**batch, "variant_id": BATCHED, "location_id": 3} for batch in STOCKED[1:]]
    rows = [{"id": key, "variant_id": BATCHED, "quantity": 4} for key in (17, 18)]
    facts = _facts({BATCHES: [{**elsewhere[0], "variant_id": BATCHED}, *here]}, sales_order_rows=rows)
    assert FULFILLING.plan(_asked(), facts).actions[0].fields[GONE_ROWS] == [
        {
            "sales_order_row_id": 17,
            "quantity": 4,
            "traceability": [{"batch_id": 3, "quantity": 2}, {"batch_id": 2, "quantity": 2}],
        },
        {
            "sales_order_row_id": 18,
            "quantity": 4,
            "traceability": [{"batch_id": 2, "quantity": 1}, {"batch_id": None, "quantity": 3}],
        },
    ]


LEFT: dict[str, Any] = {
    **GONE,
    "tracking_carrier": "Parcels",
    GONE_ROWS: [
        {"sales_order_row_id": 17, "quantity": 2, "serial_numbers": [5, 6]},
        {"sales_order_row_id": 18, "quantity": 3, "batch_transactions": [{"batch_id": 3, "quantity": 3}]},
    ],
}


def test_a_shipment_that_is_taken_back_is_made_again_with_all_that_it_held() -> None:
    draft = FULFILLING.plan(_asked(delete_fulfillment_id=70), _facts({FULFILLMENTS: [LEFT]}, status="PACKED"))
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        ("DELETE", "/sales_order_fulfillments/70", None)
    ]
    assert (draft.status, draft.stock) == ("NOT_SHIPPED", ("V7 at 3: 5 → 7", "V8 at 4: 5 → 8"))
    arguments = {
        "sales_order_id": 40,
        "rows": [
            {"row_id": 17, "quantity": Decimal(2), "serial_number_ids": [5, 6]},
            {"row_id": 18, "quantity": Decimal(3), "batches": [{"batch_id": 3, "quantity": 3}]},
        ],
        "status": "PACKED",
        "picked_date": "2026-02-01T08:00:00.000Z",
        "tracking_number": "1Z 1",
        "tracking_carrier": "Parcels",
    }
    assert draft.revert == {"tool": TOOL, "arguments": arguments}
    FULFILLING.request.model_validate(arguments)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"invoice_status": "INVOICED"}, "a new shipment is not linked to the invoice"),
        ({"invoice_status": "NOT_INVOICED"}, ""),
        (
            {GONE_ROWS: [{"sales_order_row_id": 18, "quantity": 3}]},
            "goods shipped without a batch would be shipped again with one",
        ),
        (
            {GONE_ROWS: [{"sales_order_row_id": 17, "quantity": 3, "traceability": [{"bin_location_id": 2}]}]},
            "the bins from which goods were shipped cannot be set again",
        ),
    ],
)
def test_what_cannot_be_shipped_anew_has_no_way_back(changed: dict[str, Any], why: str) -> None:
    facts = _facts({FULFILLMENTS: [{**LEFT, **changed}]}, status="PACKED")
    draft = FULFILLING.plan(_asked(delete_fulfillment_id=70), facts)
    assert (draft.one_way, draft.revert is None) == (why, bool(why))


def test_a_kit_takes_what_it_is_made_of_and_what_is_not_there_is_said() -> None:
    recipe = [
        {"product_variant_id": key, "ingredient_variant_id": part, "quantity": 3}
        for key, part in ((KIT, PART), (PART, PLAIN))
    ]
    facts = _facts({RECIPE: recipe}, **_of(KIT, quantity=2))
    assert FULFILLING.plan(_asked(), facts).stock == ("V11 at 3: 5 → -1",)
    assert _summaries({}, facts) == [("advisory", "insufficient_stock", "rows.quantity")]


@pytest.mark.parametrize(
    ("done", "picked", "expected"),
    [
        (None, None, [("advisory", "inventory_ordering", None)]),
        ("2026-02-10T08:00:00.000Z", None, []),
        ("2026-02-10T08:00:00.000Z", "2026-02-10T09:00:00Z", []),
        ("2026-02-10T08:00:00.000Z", "2026-02-10T08:00:00Z", [("advisory", "inventory_ordering", "picked_date")]),
    ],
)
def test_goods_that_are_made_to_order_leave_after_they_are_done(
    done: str | None, picked: str | None, expected: list[Summary]
) -> None:
    made = [{"id": 90, "order_no": "SO-900 / 1", "status": "DONE" if done else "NOT_STARTED", "done_date": done}]
    facts = _facts({MADE: made}, **_of(PLAIN, linked_manufacturing_order_id=90))
    assert _summaries({} if picked is None else {"picked_date": picked}, facts) == expected


@pytest.mark.parametrize(
    ("rows", "status", "then", "still"),
    [
        ([], "DELIVERED", "DELIVERED", ["1 of V12"]),
        ([], "PACKED", "PACKED", ["1 of V12"]),
        ([{"row_id": 17, "quantity": 1}], "PACKED", "PARTIALLY_PACKED", ["4 of V7", "4 of V8", "1 of V12"]),
        ([{"row_id": 17, "quantity": 1}], "DELIVERED", "PARTIALLY_DELIVERED", ["4 of V7", "4 of V8", "1 of V12"]),
        ([{"row_id": 17}], "DELIVERED", "PARTIALLY_DELIVERED", ["4 of V8", "1 of V12"]),
        ([{"row_id": 18}], "PACKED", "PARTIALLY_PACKED", ["5 of V7", "1 of V12"]),
    ],
)
def test_the_status_then_follows_from_what_is_shipped(
    rows: list[Wire], status: str, then: str, still: list[str]
) -> None:
    asked = {"rows": rows} if rows else {}
    draft = FULFILLING.plan(_asked(**asked, status=status), _facts())
    assert (draft.status, draft.own["still_open"]) == (then, still)


def test_a_quote_is_no_longer_one_before_it_is_shipped() -> None:
    facts = _facts(status="PENDING", sales_order_rows=ROWS[:1])
    draft = FULFILLING.plan(_asked(), facts)
    assert [(action.method, action.path) for action in draft.actions] == [
        ("PATCH", "/sales_orders/40"),
        ("POST", "/sales_order_fulfillments"),
    ]
    assert draft.actions[0].body == {"status": "NOT_SHIPPED"}
    assert _summaries({}, facts) == [("advisory", "blocked_status", None), ("advisory", "no_way_back", "status")]


def _order(tenant: Tenant, number: str = NUMBER, count: float = 5) -> Wire:
    sold = {
        product["id"] for product in live(tenant, "products") if product["is_sellable"] and not product["batch_tracked"]
    }
    plain = {
        product["id"]
        for product in live(tenant, "products")
        if not (product["serial_tracked"] or product["is_auto_assembly"])
    }
    goods = [variant["id"] for variant in live(tenant, "variants") if variant.get("product_id") in sold & plain][:2]
    rows = [{"variant_id": good, "quantity": count, "price_per_unit": 4} for good in goods]
    place = next(location["id"] for location in live(tenant, "locations") if location["sales_allowed"])
    parties = {"customer_id": live(tenant, "customers")[0]["id"], "location_id": place}
    return tenant.create("sales_orders", {**parties, "order_no": number, "sales_order_rows": rows})


def _stock(tenant: Tenant, order: Wire) -> list[Decimal]:
    """Return the sum of the ledger of each good of an order at its place."""
    moved = [
        movement for movement in tenant.all("inventory_movements") if movement["location_id"] == order["location_id"]
    ]
    goods = [row["variant_id"] for row in order["sales_order_rows"]]
    changes = [[amount(one["quantity_change"]) for one in moved if one["variant_id"] == good] for good in goods]
    return [sum(found, Decimal(0)) for found in changes]


async def _written(stage: Stage, **asked: object) -> tuple[Payload, Payload]:
    preview = await stage.call(TOOL, sales_order_id=NUMBER, **asked)
    return preview, (await applied(stage, preview["plan_token"]))["outcomes"][0]


async def test_an_order_that_leaves_in_two_parts_is_packed_delivered_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = _order(tenant)
    first, second = order["sales_order_rows"]
    before = _stock(tenant, order)
    preview, outcome = await _written(stage, rows=[{"row_id": first["id"], "quantity": 2}], status="PACKED")
    assert (outcome["applied"], outcome["status"]) == (1, "PARTIALLY_PACKED")
    assert [text.split()[0] for text in preview["still_open"]] == ["3", "5"]
    assert _stock(tenant, order) == [before[0] - 2, before[1]]
    _, outcome = await _written(stage, tracking_number="1Z 1", tracking_carrier="Parcels")
    assert (outcome["applied"], outcome["status"]) == (1, "PACKED")
    shown = (await stage.call("get_sales_order", sales_order_id=NUMBER))["order"]
    assert (shown["status"], [row["status"] for row in shown["fulfillments"]]) == ("PACKED", ["PACKED", "DELIVERED"])
    packed = shown["fulfillments"][0]["sales_order_fulfillment_id"]
    _, outcome = await _written(stage, fulfillment_id=packed, status="DELIVERED")
    assert (outcome["applied"], outcome["status"]) == (1, "DELIVERED")
    assert _stock(tenant, order) == [quantity - 5 for quantity in before]
    back = await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    assert (await applied(stage, back["plan_token"]))["outcomes"][0]["status"] == "PACKED"
    clock.advance(61)
    for fulfillment in shown["fulfillments"]:
        _, outcome = await _written(stage, delete_fulfillment_id=fulfillment["sales_order_fulfillment_id"])
    assert (outcome["applied"], outcome["status"], _stock(tenant, order)) == (1, "NOT_SHIPPED", before)
    again = await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    assert (await applied(stage, again["plan_token"]))["outcomes"][0]["applied"] == 1
    (shipment,) = live(tenant, "sales_order_fulfillments")[-1:]
    assert (shipment["tracking_number"], shipment["tracking_carrier"]) == ("1Z 1", "Parcels")
    assert [row["sales_order_row_id"] for row in shipment["sales_order_fulfillment_rows"]] == [
        first["id"],
        second["id"],
    ]


async def test_order_and_stock_show_at_once_what_was_shipped(stage: Stage, tenant: Tenant) -> None:
    order = _order(tenant)
    goods = [line["variant_id"] for line in order["sales_order_rows"]]
    had = (await stage.call("check_inventory", skus_or_variant_ids=goods))["stock"]
    await _written(stage)
    has = (await stage.call("check_inventory", skus_or_variant_ids=goods))["stock"]
    assert [level["in_stock"] for level in has] == [level["in_stock"] - 5 for level in had]
    (row,) = (await stage.call("list_sales_orders", ids=[order["id"]]))["rows"]
    assert row["status"] == "DELIVERED"


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({}, "POST /sales_order_fulfillments"),
        ({"fulfillment_id": ..., "status": "DELIVERED"}, "PATCH /sales_order_fulfillments/*"),
        ({"delete_fulfillment_id": ...}, "DELETE /sales_order_fulfillments/*"),
    ],
)
async def test_a_lost_answer_is_looked_up_among_the_shipments_of_the_order(
    stage: Stage, tenant: Tenant, asked: dict[str, object], path: str
) -> None:
    _order(tenant)
    row = live(tenant, "sales_orders")[-1]["sales_order_rows"][0]["id"]
    others = [(await _written(stage, rows=[{"row_id": row, "quantity": 1}], status="PACKED"))[1] for _ in range(2)]
    _, other = [written["actions"][0]["id"] for written in others]
    asked = {name: other if value is ... else value for name, value in asked.items()}
    stage.own.sandbox.faults.add(Fault(path, action=Drop(when="after")))
    _, outcome = await _written(stage, **asked)
    assert (outcome["applied"], outcome["actions"][0]["look_up"]["as_planned"]) == (1, 1)


async def test_a_shipment_that_somebody_else_took_back_does_not_prove_ours(stage: Stage, tenant: Tenant) -> None:
    _order(tenant)
    row = live(tenant, "sales_orders")[-1]["sales_order_rows"][0]["id"]
    ends = [(await _written(stage, rows=[{"row_id": row, "quantity": 1}]))[1] for _ in range(2)]
    first, second = [end["actions"][0]["id"] for end in ends]
    tenant.delete("sales_order_fulfillments", first)
    stage.own.sandbox.faults.add(Fault("DELETE /sales_order_fulfillments/*", action=Drop(when="before")))
    _, outcome = await _written(stage, delete_fulfillment_id=second)
    assert (outcome["applied"], outcome["unknown"]) == (0, 1)


async def test_two_orders_of_the_same_goods_are_shipped_by_one_apply(stage: Stage, tenant: Tenant) -> None:
    for number in ("SO-901", "SO-902"):
        _order(tenant, number)
    plans = [await stage.call(TOOL, sales_order_id=number) for number in ("SO-901", "SO-902")]
    answer = await stage.call("apply_plan", plan_tokens=[plan["plan_token"] for plan in plans])
    assert [outcome["status"] for outcome in answer["outcomes"]] == ["DELIVERED", "DELIVERED"]


async def test_batches_of_the_account_are_proposed_by_their_expiry_and_others_by_the_apply_make_the_plan_stale(
    stage: Stage, tenant: Tenant
) -> None:
    order = _order(tenant)
    item = next(material for material in live(tenant, "materials") if material["batch_tracked"])
    variant = next(record["id"] for record in live(tenant, "variants") if record.get("material_id") == item["id"])
    row = {"sales_order_id": order["id"], "variant_id": variant, "quantity": 2, "price_per_unit": 1}
    added = tenant.create("sales_order_rows", row)

    def stocked(name: str, until: str) -> int:
        batch = {"batch_number": name, "variant_id": variant, "expiration_date": until}
        found = tenant.create("batches", batch)["id"]
        counted = {"variant_id": variant, "quantity": 3, "traceability": [{"batch_id": found, "quantity": 3}]}
        head = {"location_id": order["location_id"], "stock_adjustment_rows": [counted]}
        tenant.create("stock_adjustments", {**head, "stock_adjustment_number": name})
        return found

    _, soon = stocked("LATE", "2027-09-01T00:00:00Z"), stocked("SOON", "2026-09-01T00:00:00Z")
    rows = [{"row_id": added["id"]}]
    preview = await stage.call(TOOL, sales_order_id=NUMBER, rows=rows)
    assert [warning["code"] for warning in preview["warnings"] if warning["severity"] == "info"] == ["default_batches"]
    sooner = stocked("SOONER", "2026-08-01T00:00:00Z")
    (stale,) = (await applied(stage, preview["plan_token"]))["warnings"]
    assert (stale["code"], f"batch_id: {soon} → {sooner}" in stale["message"]) == ("stale_plan", True), stale
    _, outcome = await _written(stage, rows=rows)
    assert outcome["applied"] == 1
    (line,) = live(tenant, "sales_order_fulfillments")[-1]["sales_order_fulfillment_rows"]
    assert [entry["batch_id"] for entry in line["traceability"]] == [sooner]
