"""What is planned for changes of purchase orders, and what a status, a receipt or a row that is not there forbids."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from order_plans import (
    BOXED,
    CAME,
    CHEAP_FORKS,
    COST,
    EARLY,
    FORKS,
    LATE,
    LATER,
    MODIFY,
    OTHER,
    RECORD,
    ROUND,
    ROW,
    against,
    change,
    knowing,
    old,
    planned,
    sent,
)

from katana_mcp.references.purchasable import PurchasableVariant
from katana_mcp.writing.actions import Recognise
from katana_mcp.writing.change import Draft
from katana_mcp.writing.preview import FieldChange

HEAD = "/purchase_orders/40"
NOTES = {"additional_info": "fragile"}
FORK_ROW = {"variant_id": 7, "quantity": 2, "price_per_unit": 2, "tax_rate_id": 5}


def _undo(draft: Draft) -> dict[str, Any]:
    """Return what would be asked to take a change back, but for the order's id."""
    call: Any = draft.undoing
    return {name: value for name, value in call["arguments"].items() if name != "purchase_order_id"}


def test_what_locks_a_row_decides_the_order_of_requests() -> None:
    everything: dict[str, Any] = {
        "supplier_id": "Bolt",
        "expected_arrival_date": "2026-04-01",
        "add_rows": [CHEAP_FORKS],
        "update_rows": [{"row_id": 17, "quantity": 3, "received_date": "2026-03-07"}],
        "delete_row_ids": [18],
        "add_additional_costs": [{"additional_cost_id": 6, "price": 1, "tax_rate_id": 5}],
        "update_additional_costs": [{"additional_cost_row_id": 70, "price": 12}],
    }
    parts: list[tuple[str, str, object]] = [
        ("PATCH", HEAD, {**NOTES, "supplier_id": 4, "expected_arrival_date": LATER}),
        ("POST", "/purchase_order_rows", {**FORK_ROW, "purchase_order_id": 40}),
        ("PATCH", "/purchase_order_rows/17", {"quantity": 3}),
        ("DELETE", "/purchase_order_rows/18", None),
        ("POST", "/po_additional_cost_rows", {"additional_cost_id": 6, "tax_rate_id": 5, "price": 1, "group_id": 60}),
        ("PATCH", "/po_additional_cost_rows/70", {"price": 12}),
    ]
    locks = planned(**everything, status="RECEIVED")
    came = ("PATCH", "/purchase_order_rows/17", {"received_date": "2026-03-07T00:00:00Z"})
    assert sent(locks) == [*parts, ("PATCH", HEAD, {**NOTES, "status": "RECEIVED"}), came]
    everything["update_rows"] = [{"row_id": 17, "quantity": 3}]
    unlocks = planned(old("RECEIVED"), **everything, status="not received", unreceive=True)
    assert sent(unlocks) == [("PATCH", HEAD, {**NOTES, "status": "NOT_RECEIVED"}), *parts]
    assert against(old("RECEIVED"), **everything, unreceive=True) == [
        ("advisory", "dates_cascade", "expected_arrival_date"),
        ("advisory", "status_moves_back", "status"),
        ("info", "other_price", "add_rows[0].price_per_unit"),
    ]
    added = locks.actions[1]
    assert (added.record, added.part) == (40, "purchase_order_rows")
    assert added.recognise == Recognise(
        collection="purchase_order_rows", filters={"purchase_order_id": 40, "variant_id": 7}, besides=(17, 18)
    )
    assert [(line.row_id, line.change, line.quantity) for line in locks.lines] == [
        (17, "update", 3),
        (None, "add", 2),
        (18, "delete", 4),
        (70, "update", None),
        (None, "add", None),
    ]
    assert (locks.totals.net_total, locks.status, locks.currency) == (Decimal("11.5"), "RECEIVED", "EUR")


def test_no_change_of_the_head_wipes_the_notes() -> None:
    changes: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"order_no": "PO-9"}, [{"order_no": "PO-9", **NOTES}]),
        ({"status": "DRAFT"}, [{"status": "DRAFT", **NOTES}]),
        ({"additional_info": "new"}, [{"additional_info": "new"}]),
        ({"additional_info": None}, [{"additional_info": ""}]),
        (
            {"additional_info": "new", "status": "RECEIVED"},
            [{"additional_info": "new"}, {"additional_info": "new", "status": "RECEIVED"}],
        ),
        ({"additional_info": None, "status": "RECEIVED"}, [{"additional_info": ""}, {"status": "RECEIVED"}]),
    ]
    for fields, bodies in changes:
        assert [body for _, _, body in sent(planned(**fields))] == bodies
    back = planned(old("RECEIVED"), additional_info="new", status="NOT_RECEIVED")
    assert [body for _, _, body in sent(back)] == [{"status": "NOT_RECEIVED", **NOTES}, {"additional_info": "new"}]
    bare = planned(old(additional_info=""), order_no="PO-9")
    assert [body for _, _, body in sent(bare)] == [{"order_no": "PO-9"}]


def test_a_date_of_the_head_overwrites_those_of_rows_and_a_rows_own_comes_after() -> None:
    fields: dict[str, Any] = {
        "expected_arrival_date": "2026-03-09",
        "update_rows": [{"row_id": 18, "arrival_date": "2026-04-01"}],
    }
    draft = planned(**fields)
    assert sent(draft) == [
        ("PATCH", HEAD, {**NOTES, "expected_arrival_date": EARLY}),
        ("PATCH", "/purchase_order_rows/18", {"arrival_date": LATER}),
    ]
    assert draft.actions[0].implies == {"purchase_order_rows": [ROW, OTHER | {"arrival_date": EARLY}]}
    assert draft.changes == (
        FieldChange(field="expected_arrival_date", old=LATE[:10], new=LATER[:10]),
        FieldChange(field="rows[id=18].arrival_date", old=LATE[:10], new=LATER[:10]),
    )
    assert against(**fields) == [("advisory", "dates_cascade", "expected_arrival_date")]
    alone = planned(expected_arrival_date="2026-04-01")
    assert [(edit.field, edit.old, edit.new) for edit in alone.changes] == [
        ("expected_arrival_date", LATE[:10], LATER[:10]),
        ("rows[id=17].arrival_date", EARLY[:10], LATER[:10]),
        ("rows[id=18].arrival_date", LATE[:10], LATER[:10]),
    ]
    assert [line.change for line in alone.lines] == ["update", "update", None]
    head = "expected_arrival_date replaces the arrival date of every row"
    both = fields | {"update_rows": [{"row_id": row_id, "arrival_date": "2026-04-01"} for row_id in (17, 18)]}
    asked = (fields, {"expected_arrival_date": "2026-03-09"}, both)
    assert [[check.message for check in MODIFY.checks(change(**case), old())] for case in asked] == [
        [f"{head} without a new date here (1)"],
        [f"{head} (2)"],
        [],
    ]
    # What a row would have by the head anyway is not sent again.
    assert len(planned(expected_arrival_date=LATER, update_rows=[{"row_id": 17, "arrival_date": LATER}]).actions) == 1


def test_changes_are_shown_in_words() -> None:
    draft = planned(
        supplier_id=4,
        update_rows=[{"row_id": 17, "sku_or_variant_id": "WHEEL", "price_per_unit": 3, "location_id": "South"}],
        update_additional_costs=[{"additional_cost_row_id": 70, "price": 12.5}],
        delete_row_ids=[18],
    )
    assert [(edit.field, edit.old, edit.new) for edit in draft.changes] == [
        ("supplier_id", "Acme", "Bolt"),
        ("expected_arrival_date", LATE[:10], EARLY[:10]),
        ("rows[id=17].variant_id", "FORK", "WHEEL"),
        ("rows[id=17].price_per_unit", "2.5", "3"),
        ("rows[id=17].location_id", "North", "South"),
        ("additional_costs[id=70].price", "10", "12.5"),
    ]
    assert draft.summary == (
        f"purchase order PO-40: supplier_id Bolt, expected_arrival_date {EARLY[:10]}; change 1 row; delete 1 row; "
        "change 1 additional cost row"
    )
    assert [(line.row_id, line.change, line.sku, line.total) for line in draft.lines] == [
        (17, "update", "WHEEL", 6),
        (18, "delete", "WHEEL", 10),
        (70, "update", None, Decimal("12.5")),
    ]
    assert (draft.totals.net_total, draft.totals.additional_costs) == (6, Decimal("12.5"))


SLOTS: dict[str, dict[str, Any]] = {
    "supplier_id": {"supplier_id": "Bolt"},
    "currency": {"currency": "USD"},
    "location_id": {"location_id": "South"},
    "order_no": {"order_no": "PO-9"},
    "expected_arrival_date": {"expected_arrival_date": "2026-04-01"},
    "order_created_date": {"order_created_date": "2026-04-01"},
    "additional_info": {"additional_info": "new"},
    "add_rows": {"add_rows": [CHEAP_FORKS]},
    "update_rows[0].quantity": {"update_rows": [{"row_id": 17, "quantity": 3}]},
    "update_rows[0].sku_or_variant_id": {"update_rows": [{"row_id": 17, "sku_or_variant_id": "WHEEL"}]},
    "update_rows[0].price_per_unit": {"update_rows": [{"row_id": 17, "price_per_unit": 3}]},
    "update_rows[0].location_id": {"update_rows": [{"row_id": 17, "location_id": "South"}]},
    "update_rows[0].arrival_date": {"update_rows": [{"row_id": 17, "arrival_date": "2026-04-01"}]},
    "update_rows[0].received_date": {"update_rows": [{"row_id": 17, "received_date": "2026-03-07"}]},
    "delete_row_ids[0]": {"delete_row_ids": [17]},
    "update_additional_costs": {"update_additional_costs": [{"additional_cost_row_id": 70, "price": 1}]},
}
OPEN = {"update_rows[0].received_date"}
ROW_LOCKED = {slot for slot in SLOTS if slot.startswith(("update_rows", "delete_row"))} - {
    "update_rows[0].arrival_date",
    "update_rows[0].received_date",
}
PARTIES = {"supplier_id", "currency", "location_id"}
LOCKED: dict[tuple[str, tuple[int, ...]], set[str]] = {
    ("DRAFT", ()): OPEN,
    ("NOT_RECEIVED", ()): OPEN,
    ("PARTIALLY_RECEIVED", (18,)): PARTIES | OPEN,
    ("PARTIALLY_RECEIVED", (17,)): PARTIES | ROW_LOCKED,
    ("RECEIVED", (17, 18)): PARTIES | ROW_LOCKED | {"order_no", "expected_arrival_date", "add_rows"},
}


@pytest.mark.parametrize(("status", "received"), LOCKED)
@pytest.mark.parametrize("slot", SLOTS)
def test_a_status_and_a_receipt_lock_what_katana_says(status: str, received: tuple[int, ...], slot: str) -> None:
    blocked = [check for check in against(old(status, received), **SLOTS[slot]) if check[0] == "blocking"]
    assert blocked == ([("blocking", "locked", slot)] if slot in LOCKED[status, received] else [])


@pytest.mark.parametrize("slot", sorted(set(SLOTS) - OPEN))
def test_taking_receipts_back_unlocks_everything_in_the_same_plan(slot: str) -> None:
    warned = against(old("RECEIVED"), **SLOTS[slot], unreceive=True)
    assert ("advisory", "status_moves_back", "status") in warned
    assert [check for check in warned if check[0] == "blocking"] == []
    assert sent(planned(old("RECEIVED"), **SLOTS[slot], unreceive=True))[0][2] == {
        "status": "NOT_RECEIVED",
        **NOTES,
    }


@pytest.mark.parametrize(
    ("was", "status", "warned"),
    [
        ("DRAFT", "NOT_RECEIVED", []),
        ("DRAFT", "RECEIVED", [("blocking", "invalid_status_transition", "status")]),
        ("NOT_RECEIVED", "DRAFT", [("advisory", "status_moves_back", "status")]),
        ("NOT_RECEIVED", "RECEIVED", [("advisory", "receives_rows", "status")]),
        ("PARTIALLY_RECEIVED", "DRAFT", [("blocking", "invalid_status_transition", "status")]),
        ("PARTIALLY_RECEIVED", "NOT_RECEIVED", [("blocking", "invalid_status_transition", "status")]),
        ("PARTIALLY_RECEIVED", "RECEIVED", [("advisory", "receives_rows", "status")]),
        ("RECEIVED", "DRAFT", [("blocking", "invalid_status_transition", "status")]),
        ("RECEIVED", "NOT_RECEIVED", [("blocking", "unreceive_required", "status")]),
        ("RECEIVED", "RECEIVED", [("blocking", "no_effective_change", None)]),
    ],
)
def test_a_status_follows_the_present_one(was: str, status: str, warned: list[tuple[str, str, str]]) -> None:
    received = (17,) if was == "PARTIALLY_RECEIVED" else None
    assert against(old(was, received), status=status) == warned


def test_what_a_status_moves_is_named() -> None:
    (receives,) = MODIFY.checks(change(status="RECEIVED"), old("PARTIALLY_RECEIVED", (17,)))
    assert receives.message == "every open row of purchase order PO-40 is received now: 4 pcs of WHEEL"
    (back,) = MODIFY.checks(change(unreceive=True), old("RECEIVED"))
    assert back.message.endswith("the received goods from stock: 2 box (12 pcs, 24 in all) of FORK, 4 pcs of WHEEL")
    tracked = knowing(goods={8: replace(ROUND, in_batches=True)})
    assert against(tracked, status="RECEIVED") == [("blocking", "batch_required", "status")]
    assert against(old(purchase_order_rows=[]), status="RECEIVED") == [("blocking", "empty_order", "status")]


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"update_rows": [{"row_id": 99, "quantity": 1}]}, [("unknown_row_id", "update_rows[0].row_id")]),
        ({"delete_row_ids": [17, 99]}, [("unknown_row_id", "delete_row_ids[1]")]),
        (
            {"update_rows": [{"row_id": 17, "quantity": 1}], "delete_row_ids": [17]},
            [("duplicate_row_overrides", "delete_row_ids[0]")],
        ),
        (
            {"update_rows": [{"row_id": 17, "quantity": 1}, {"row_id": 17, "quantity": 3}]},
            [("duplicate_row_overrides", "update_rows[1].row_id")],
        ),
        ({"update_rows": [{"row_id": 17, "quantity": 0}]}, [("invalid_quantity", "update_rows[0].quantity")]),
        (
            {"update_additional_costs": [{"additional_cost_row_id": 17, "price": 1}]},
            [("unknown_row_id", "update_additional_costs[0].additional_cost_row_id")],
        ),
        (
            {"delete_additional_cost_row_ids": [70, 70]},
            [("duplicate_row_overrides", "delete_additional_cost_row_ids[1]")],
        ),
        (
            {"update_rows": [{"row_id": 17, "purchase_uom": "pcs"}]},
            [("invalid_argument", "update_rows[0].purchase_uom_conversion_rate")],
        ),
        ({"tracking_location_id": 2}, [("locked", "tracking_location_id")]),
        (
            {"add_rows": [{"sku_or_variant_id": "WHEEL", "quantity": 1, "tax_rate_id": 5}]},
            [("price_required", "add_rows[0].price_per_unit")],
        ),
        ({"update_rows": [{"row_id": 17, "quantity": 2, "arrival_date": EARLY}]}, [("no_effective_change", None)]),
        ({"currency": "EUR", "additional_info": "fragile"}, [("no_effective_change", None)]),
        ({}, [("no_effective_change", None)]),
    ],
)
def test_what_does_not_fit_the_order_is_blocking_and_names_its_field(
    fields: dict[str, Any], warned: list[tuple[str, str | None]]
) -> None:
    assert against(**fields) == [("blocking", code, path) for code, path in warned]
    assert planned(**fields).id == 40


def test_a_request_without_a_field_is_told_apart_from_one_that_changes_nothing() -> None:
    asked: tuple[dict[str, Any], ...] = ({}, {"add_rows": []}, {"currency": "EUR"})
    assert [check.message for fields in asked for check in MODIFY.checks(change(**fields), old())] == [
        "no change was given: name what to change in purchase order PO-40",
        "no change was given: name what to change in purchase order PO-40",
        "purchase order PO-40 already has these values: nothing would change",
    ]


def test_an_order_that_would_be_empty_or_have_a_number_twice_is_worth_a_look() -> None:
    assert against(delete_row_ids=[17, 18]) == [("blocking", "no_rows_left", "delete_row_ids")]
    assert against(delete_row_ids=[17, 18], add_rows=[FORKS]) == []
    assert against(replace(old(), taken=(30,)), order_no="PO-9") == [("advisory", "duplicate_order_number", "order_no")]
    for name in ("order_no", "supplier_id", "currency", "expected_arrival_date", "status"):
        with pytest.raises(ValueError, match=f"{name} cannot be null: leave it out instead"):
            change(**{name: None})


def test_a_change_is_taken_back_by_old_values_new_rows_going_and_old_ones_coming() -> None:
    draft = planned(
        supplier_id="Bolt",
        additional_info="new",
        expected_arrival_date=LATER,
        add_rows=[CHEAP_FORKS],
        update_rows=[{"row_id": 17, "quantity": 3}],
        delete_row_ids=[18],
        add_additional_costs=[{"additional_cost_id": 6, "price": 1, "tax_rate_id": 5}],
        delete_additional_cost_row_ids=[70],
        status="RECEIVED",
    )
    others = {"variant_id", "id", "purchase_order_id", "received_date", "group_id"}
    kept = {name: value for name, value in OTHER.items() if name not in others}
    cost = {name: COST[name] for name in ("additional_cost_id", "tax_rate_id", "price", "distribution_method")}
    assert draft.undoing == {
        "tool": "modify_purchase_order",
        "arguments": {
            "purchase_order_id": 40,
            "supplier_id": 3,
            "expected_arrival_date": LATE,
            "additional_info": "fragile",
            "add_rows": [{"$if_applied": [3, {"sku_or_variant_id": 8, **kept}]}],
            "update_rows": [{"row_id": 17, "quantity": 2, "arrival_date": EARLY}],
            "delete_row_ids": [{"$if_applied": [1, {"$ref": [1, "id"]}]}],
            "add_additional_costs": [{"$if_applied": [5, cost]}],
            "delete_additional_cost_row_ids": [{"$if_applied": [4, {"$ref": [4, "id"]}]}],
            "status": "NOT_RECEIVED",
            "unreceive": True,
        },
    }
    assert draft.prior_state == {**RECORD, "additional_costs": [COST]}


def test_a_purchase_unit_is_sent_and_taken_back_with_its_rate() -> None:
    draft = planned(update_rows=[{"row_id": 17, "purchase_uom": "box", "purchase_uom_conversion_rate": 10}])
    assert [body for _, _, body in sent(draft)] == [{"purchase_uom": "box", "purchase_uom_conversion_rate": 10}]
    assert [edit.field for edit in draft.changes] == ["rows[id=17].purchase_uom_conversion_rate"]
    assert _undo(draft) == {"update_rows": [{"row_id": 17, "purchase_uom": "box", "purchase_uom_conversion_rate": 12}]}


def test_the_orders_own_location_takes_its_rows_with_it_and_each_goes_back_to_where_it_was() -> None:
    draft = planned(location_id="South")
    moved = {"purchase_order_rows": [ROW | {"location_id": 2}, OTHER]}
    assert [(one.to_json()["body"], one.implies) for one in draft.actions] == [({**NOTES, "location_id": 2}, moved)]
    assert [(edit.field, edit.old, edit.new) for edit in draft.changes] == [
        ("location_id", "North", "South"),
        ("rows[id=17].location_id", "North", "South"),
    ]
    assert [line.change for line in draft.lines] == ["update", None, None]
    assert _undo(draft) == {
        "location_id": 1,
        "update_rows": [{"row_id": 17, "location_id": 1}, {"row_id": 18, "location_id": 2}],
    }
    (warning,) = MODIFY.checks(change(location_id="South"), old())
    assert (warning.severity, warning.code, warning.field_path) == ("advisory", "locations_cascade", "location_id")
    moved = "rows expected at North change to South, like their order"
    assert warning.message == f"{moved}: 2 box (12 pcs, 24 in all) of FORK"
    own: dict[str, Any] = {"location_id": "South", "update_rows": [{"row_id": 17, "location_id": "North"}]}
    assert [body for _, _, body in sent(planned(**own))] == [{**NOTES, "location_id": 2}, {"location_id": 1}]
    assert against(**own) == []


def test_another_currency_or_supplier_leaves_the_numbers_of_prices_as_they_are() -> None:
    facts = knowing(supplier_currency="USD")
    asked: list[dict[str, Any]] = [{"currency": "USD"}, {"supplier_id": "Bolt"}, {"supplier_id": 4, "currency": "USD"}]
    assert [[(check.code, check.message) for check in MODIFY.checks(change(**case), facts)] for case in asked] == [
        [("amounts_stay", "currency: amounts are not converted, the numbers stay the same: 2.5 EUR becomes 2.5 USD")],
        [("amounts_stay", "supplier_id: the currency of Bolt is USD, and the order stays in EUR, with its prices")],
        [("amounts_stay", "currency: amounts are not converted, the numbers stay the same: 2.5 EUR becomes 2.5 USD")],
    ]


def test_a_date_of_the_head_that_a_row_had_already_does_not_cost_the_row_its_date_on_the_way_back() -> None:
    assert _undo(planned(expected_arrival_date=EARLY)) == {
        "expected_arrival_date": LATE,
        "update_rows": [{"row_id": 17, "arrival_date": EARLY}, {"row_id": 18, "arrival_date": LATE}],
    }


def test_receipts_that_are_taken_back_can_be_made_again_only_where_all_was_received() -> None:
    whole = planned(old("RECEIVED"), status="NOT_RECEIVED")
    assert whole.undoing == {
        "tool": "modify_purchase_order",
        "arguments": {
            "purchase_order_id": 40,
            "update_rows": [{"row_id": 17, "received_date": CAME}, {"row_id": 18, "received_date": CAME}],
            "status": "RECEIVED",
        },
    }
    partly = old("PARTIALLY_RECEIVED", (17,))
    assert [planned(partly, status=status).revert for status in ("NOT_RECEIVED", "RECEIVED")] == [None, None]
    facts = knowing(old("RECEIVED"), goods={8: replace(ROUND, in_batches=True)})
    assert planned(facts, status="NOT_RECEIVED").revert is None


def test_no_receipt_date_is_lost_or_made_up_in_silence() -> None:
    (gone,) = MODIFY.checks(change(unreceive=True, delete_row_ids=[18]), old("RECEIVED"))
    assert gone.message == (
        "undoing the receipt of purchase order PO-40 removes the received goods from stock: "
        "2 box (12 pcs, 24 in all) of FORK, 4 pcs of WHEEL; the receipt date of 4 pcs of WHEEL is lost with the row"
    )
    came = [{"row_id": 17, "received_date": "2026-03-07"}]
    (again,) = MODIFY.checks(change(status="RECEIVED", update_rows=came), old())
    assert again.message == (
        "every open row of purchase order PO-40 is received now: 4 pcs of WHEEL; "
        "with the receipt date given: 2 box (12 pcs, 24 in all) of FORK"
    )


def test_a_row_gets_its_receipt_date_in_the_plan_that_receives_it() -> None:
    came = {"row_id": 17, "received_date": "2026-03-07"}
    assert against(status="RECEIVED", update_rows=[came]) == [("advisory", "receives_rows", "status")]


PARTLY = old("PARTIALLY_RECEIVED", received=[17])


def test_an_order_without_its_last_open_row_is_received_and_says_so() -> None:
    draft = planned(PARTLY, delete_row_ids=[18])
    assert (draft.status, draft.revert) == ("RECEIVED", None)
    assert FieldChange(field="status", old="PARTIALLY_RECEIVED", new="RECEIVED") in draft.changes
    assert against(PARTLY, delete_row_ids=[18]) == [("advisory", "receives_rows", "delete_row_ids")]
    others = planned(PARTLY, delete_row_ids=[18], add_rows=[CHEAP_FORKS]), planned(delete_row_ids=[18])
    assert [other.status for other in others] == ["PARTIALLY_RECEIVED", "NOT_RECEIVED"]


def test_a_new_last_row_moves_the_date_of_the_order() -> None:
    changes = [planned(add_rows=[CHEAP_FORKS | more]).changes for more in ({}, {"arrival_date": LATER})]
    assert changes == [(), (FieldChange(field="expected_arrival_date", old=LATE[:10], new=LATER[:10]),)]


HOMELESS = old(purchase_order_rows=[ROW | {"location_id": None}, OTHER])


def test_a_row_without_a_place_of_its_own_goes_where_its_order_goes() -> None:
    draft = planned(HOMELESS, location_id="South")
    assert ("rows[id=17].location_id", "North", "South") in [(edit.field, edit.old, edit.new) for edit in draft.changes]
    assert ("advisory", "locations_cascade", "location_id") in against(HOMELESS, location_id="South")
    elsewhere = planned(HOMELESS, update_rows=[{"row_id": 17, "location_id": "South"}])
    assert _undo(elsewhere) == {"update_rows": [{"row_id": 17, "location_id": 1}]}
    assert [line.location for line in elsewhere.lines[:2]] == ["South", "South"]
    assert [line.location for line in draft.lines[:2]] == [None, None]
    (again,) = _undo(planned(HOMELESS, delete_row_ids=[17]))["add_rows"]
    assert "location_id" not in again["$if_applied"][1]


def test_what_was_empty_cannot_be_taken_back() -> None:
    untaxed = old(purchase_order_rows=[ROW | {"tax_rate_id": None}, OTHER])
    assert planned(untaxed, update_rows=[{"row_id": 17, "tax_rate_id": "VAT"}]).revert is None
    left = ("advisory", "no_way_back", "expected_arrival_date")
    assert left in against(old(expected_arrival_date=None), expected_arrival_date=LATER)
    assert planned(old(additional_info=None), additional_info="new").revert is not None


def test_another_date_of_a_received_row_may_be_refused_and_is_not_taken_back_by_itself() -> None:
    assert against(PARTLY, update_rows=[{"row_id": 17, "arrival_date": LATER}]) == [
        ("advisory", "locked", "update_rows[0].arrival_date"),
        ("advisory", "no_way_back", "rows"),
    ]
    assert [row["row_id"] for row in _undo(planned(PARTLY, expected_arrival_date=LATER))["update_rows"]] == [18]


@pytest.mark.parametrize(("name", "was", "new"), [("order_no", "7", "7.0"), ("additional_info", "1.10", "1.1")])
def test_texts_that_look_like_numbers_are_texts(name: str, was: str, new: str) -> None:
    assert against(facts := replace(old(), record=RECORD | {name: was}), **{name: new}) == []
    assert [(edit.field, edit.old, edit.new) for edit in planned(facts, **{name: new}).changes] == [(name, was, new)]


def test_a_cost_needs_the_group_that_katana_keeps_it_in() -> None:
    cost = {"additional_cost_id": "Freight", "price": 3}
    locked = ("blocking", "locked", "add_additional_costs")
    assert locked in against(old(default_group_id=None), add_additional_costs=[cost])


@pytest.mark.parametrize(
    ("good", "blocked"),
    [
        (replace(BOXED, is_cached=False), ("blocking", "cold_cache", "add_rows[0].sku_or_variant_id")),
        (replace(BOXED, currency=None), ("blocking", "price_required", "add_rows[0].price_per_unit")),
    ],
)
def test_no_price_is_taken_from_an_item_not_all_known(good: PurchasableVariant, blocked: tuple[str, ...]) -> None:
    facts = knowing(goods={7: good})
    assert blocked in against(facts, add_rows=[{"sku_or_variant_id": "FORK", "quantity": 1}])
