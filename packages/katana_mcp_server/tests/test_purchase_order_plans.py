"""What is planned for purchase orders, and what speaks against it: pure functions of a request and of facts."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from order_plans import (
    BOXED,
    CREATE,
    DELETE,
    EARLY,
    FORKS,
    LATE,
    MODIFY,
    OTHER,
    change,
    knowing,
    new_facts,
    new_order,
    old,
    sent,
    summaries,
)
from order_plans import (
    FORK as FORK_32,
)

from katana_mcp.references.wording import Named
from katana_mcp.writing.actions import Action, Recognise
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.totals import Totals


def test_a_new_order_is_made_first_then_rows_for_other_places_then_costs() -> None:
    wheel = {"sku_or_variant_id": "WHEEL", "quantity": 4, "price_per_unit": 1.5, "location_id": "South"}
    fork = {"sku_or_variant_id": "FORK", "quantity": 2, "tax_rate_id": "VAT", "arrival_date": "2026-03-09"}
    request = new_order(
        rows=[fork, wheel],
        additional_costs=[{"additional_cost_id": "Freight", "price": 10, "distribution_method": "by value"}],
        expected_arrival_date="2026-03-20",
        additional_info="fragile",
        status="draft",
    )
    draft = CREATE.plan(request, new_facts(taken=(30,)))
    row = {"variant_id": 7, "quantity": 2, "price_per_unit": Decimal("2.50"), "tax_rate_id": 5, "arrival_date": EARLY}
    body = {
        "supplier_id": 3,
        "location_id": 1,
        "purchase_order_rows": [row],
        "order_no": "PO-41",
        "status": "DRAFT",
        "expected_arrival_date": LATE,
        "additional_info": "fragile",
    }
    order, group = {"$ref": [0, "id"]}, {"$ref": [0, "default_group_id"]}
    elsewhere = {"variant_id": 8, "quantity": 4, "price_per_unit": Decimal("1.5"), "tax_rate_id": 5, "location_id": 2}
    cost = {"additional_cost_id": 6, "tax_rate_id": 5, "price": 10, "distribution_method": "BY_VALUE"}
    assert sent(draft) == [
        ("POST", "/purchase_orders", body),
        ("POST", "/purchase_order_rows", {**elsewhere, "purchase_order_id": order}),
        ("POST", "/po_additional_cost_rows", {**cost, "group_id": group}),
    ]
    first, second, third = draft.actions
    # The head takes the date of its latest row, so the planned one proves nothing.
    assert "expected_arrival_date" not in first.expects
    assert first.recognise == Recognise(collection="purchase_orders", filters={"order_no": "PO-41"}, besides=(30,))
    assert (second.entity, second.part, second.record, second.row) == (
        "purchase_order",
        "purchase_order_rows",
        None,
        None,
    )
    assert second.to_json()["recognise"] == {
        "collection": "purchase_order_rows",
        "filters": {"purchase_order_id": order, "variant_id": 8},
        "besides": [],
    }
    assert (third.entity, third.part) == ("purchase_order_additional_cost_row", None)
    assert draft.lines == (
        PlanLine(
            variant_id=7,
            sku="FORK",
            name="Fork / 32",
            quantity=Decimal(2),
            unit="box (12 pcs, 24 in all)",
            price=Decimal("2.5"),
            total=Decimal(5),
            tax_rate=Decimal(22),
        ),
        PlanLine(
            variant_id=8,
            sku="WHEEL",
            name="Wheel",
            quantity=Decimal(4),
            unit="pcs",
            price=Decimal("1.5"),
            total=Decimal(6),
            tax_rate=Decimal(22),
            location="South",
        ),
        PlanLine(name="additional cost Freight", price=Decimal(10), total=Decimal(10), tax_rate=Decimal(22)),
    )
    assert (draft.totals.net_total, draft.currency, draft.status) == (Decimal(11), "EUR", "DRAFT")
    assert draft.summary == "new purchase order PO-41 from Acme to North (rows: 2)"
    assert (draft.assigned, draft.lanes) == ({}, ("numbers of purchase_order",))
    open_number = CREATE.plan(new_order(), new_facts(is_open=True))
    assert open_number.assigned == {"order_no": "PO-41"}
    assert "PO-41 (the next free number as of now)" in open_number.summary
    assert draft.undoing == {"tool": "delete_purchase_order", "arguments": {"purchase_order_id": order}}
    assert summaries(CREATE.checks(request, new_facts())) == [
        ("info", "default_price", "rows[0].price_per_unit"),
        ("info", "default_tax_rate", "rows"),
        ("info", "default_tax_rate", "additional_costs[0].tax_rate_id"),
    ]
    assert [Action.read(action.to_json()).to_json() for action in draft.actions] == draft.sent


def test_a_purchase_unit_is_said_with_its_price_and_with_how_many_stock_units_come() -> None:
    request = new_order(rows=[FORK | {"quantity": 1500}, FORK])
    lines = CREATE.plan(request, new_facts()).lines
    assert [line.unit for line in lines] == ["box (12 pcs, 18,000 in all)", "box (12 pcs)"]
    messages = [warning.message for warning in CREATE.checks(request, new_facts()) if warning.code == "default_price"]
    assert messages[0] == f"{PRICED}: no price given: the purchase price of FORK is used, 2.5 EUR per box (12 pcs)"


def test_of_a_new_row_of_nothing_it_is_said_what_is_allowed() -> None:
    warnings = CREATE.checks(new_order(rows=[FORKS | {"quantity": 0}]), new_facts())
    messages = [warning.message for warning in warnings if warning.code == "invalid_quantity"]
    assert messages == ["rows[0].quantity is 0: must be more than 0"]


PRICED = "rows[0].price_per_unit"
FORK: dict[str, Any] = {"sku_or_variant_id": "FORK", "quantity": 1, "tax_rate_id": 5}
"""A row without a price."""


@pytest.mark.parametrize(
    ("changed", "warned", "planned"),
    [
        ({"supplier_id": "Nobody"}, ("blocking", "not_found", "supplier_id"), False),
        ({"location_id": "Nowhere"}, ("blocking", "not_found", "location_id"), False),
        ({"entity_type": "outsourced"}, ("blocking", "tracking_location_required", "tracking_location_id"), False),
        ({"tracking_location_id": 2}, ("blocking", "invalid_argument", "tracking_location_id"), False),
        ({"rows": [FORKS | {"location_id": "South"}]}, ("blocking", "own_location_required", "location_id"), False),
        ({"rows": [FORKS | {"location_id": "Moon"}]}, ("blocking", "not_found", "rows[0].location_id"), False),
        ({"rows": [FORKS | {"quantity": 0}]}, ("blocking", "invalid_quantity", "rows[0].quantity"), True),
        (
            {"rows": [FORKS | {"sku_or_variant_id": "FOR"}]},
            ("blocking", "not_found", "rows[0].sku_or_variant_id"),
            False,
        ),
        (
            {"rows": [FORKS | {"sku_or_variant_id": "LAB", "price_per_unit": 1}]},
            ("blocking", "not_purchasable", "rows[0].sku_or_variant_id"),
            True,
        ),
        (
            {"rows": [FORKS | {"sku_or_variant_id": "MADE", "price_per_unit": 1}]},
            ("advisory", "not_purchasable", "rows[0].sku_or_variant_id"),
            True,
        ),
        ({"rows": [FORK | {"sku_or_variant_id": "WHEEL"}]}, ("blocking", "price_required", PRICED), False),
        (
            {"rows": [FORK], "currency": "USD"},
            ("blocking", "price_required", PRICED),
            False,
        ),
        (
            {"rows": [FORK | {"purchase_uom": "pcs", "purchase_uom_conversion_rate": 1}]},
            ("blocking", "price_required", PRICED),
            False,
        ),
        (
            {"rows": [FORKS | {"purchase_uom": "box"}]},
            ("blocking", "invalid_argument", "rows[0].purchase_uom_conversion_rate"),
            True,
        ),
        (
            {"rows": [FORKS | {"purchase_uom_conversion_rate": 12}]},
            ("blocking", "invalid_argument", "rows[0].purchase_uom"),
            True,
        ),
        (
            {"additional_costs": [{"additional_cost_id": "Fright", "price": 1, "tax_rate_id": 5}]},
            ("blocking", "not_found", "additional_costs[0].additional_cost_id"),
            False,
        ),
        (
            {"additional_costs": [{"additional_cost_id": 6, "price": 1, "tax_rate_id": "x"}]},
            ("blocking", "not_found", "additional_costs[0].tax_rate_id"),
            False,
        ),
        (
            {"additional_costs": [{"additional_cost_id": 6, "price": 1}]},
            ("info", "default_tax_rate", "additional_costs[0].tax_rate_id"),
            True,
        ),
    ],
)
def test_what_speaks_against_a_new_order_names_its_field(
    changed: dict[str, Any], warned: tuple[str, str, str], planned: bool
) -> None:
    unknown = {
        ("supplier", "Nobody"),
        ("location", "Nowhere"),
        ("location", "Moon"),
        ("tax_rate", "x"),
        ("variant", "FOR"),
        ("additional_cost", "Fright"),
    }
    request, facts = new_order(**changed), new_facts(names={key: Named(key[1]) for key in unknown})
    assert summaries(CREATE.checks(request, facts)) == [warned]
    assert (CREATE.plan(request, facts).actions != ()) is planned


def test_facts_speak_against_a_new_order_too() -> None:
    cost = {"additional_cost_id": 6, "price": 1}
    for facts, request, warned in (
        (new_facts(taken=(30,)), new_order(), ("advisory", "duplicate_order_number", "order_no")),
        (new_facts(is_counted=False), new_order(), ("blocking", "cold_cache", "order_no")),
        (
            new_facts(default_tax=None),
            new_order(additional_costs=[cost]),
            ("blocking", "tax_rate_required", "additional_costs[0].tax_rate_id"),
        ),
    ):
        assert summaries(CREATE.checks(request, facts)) == [warned]
    numbered = new_order().model_copy(update={"order_no": None})
    assert summaries(CREATE.checks(numbered, new_facts())) == [("info", "default_number", None)]
    facts = new_facts(names={("variant", "FORK"): Named("FORK", (replace(FORK_32, archived=True),))})
    assert summaries(CREATE.checks(new_order(), facts)) == [("advisory", "archived_item", "rows[0].sku_or_variant_id")]


def test_an_outsourced_order_says_where_its_ingredients_go() -> None:
    draft = CREATE.plan(new_order(entity_type="outsourced", tracking_location_id="South"), new_facts())
    ((_, _, body),) = sent(draft)
    assert isinstance(body, dict)
    assert (body["entity_type"], body["tracking_location_id"]) == ("outsourced", 2)


def test_two_rows_that_are_alike_cannot_be_told_apart_by_looking_them_up() -> None:
    away = FORKS | {"location_id": "South"}
    draft = CREATE.plan(new_order(rows=[FORKS, away, away, away | {"quantity": 3}]), new_facts())
    assert [action.recognise is None for action in draft.actions] == [False, False, True, False]
    dated = CREATE.plan(new_order(rows=[FORKS, away | {"arrival_date": "2026-03-09"}, away]), new_facts())
    assert [action.recognise is None for action in dated.actions] == [False, False, True]


def test_a_deletion_shows_what_goes_with_it_and_how_to_make_it_again() -> None:
    request = DELETE.request.model_validate({"purchase_order_id": "PO-40"})
    facts = knowing(old("RECEIVED"), bills=({"bill_id": "B-1"},), ingredients=({"id": 1}, {"id": 2}))
    draft = DELETE.plan(request, facts)
    assert sent(draft) == [("DELETE", "/purchase_orders/40", None)]
    assert draft.linked == ("bill B-1", "ingredients of its outsourced rows: 2")
    assert [(line.sku, line.name, line.total) for line in draft.lines] == [
        ("FORK", "Fork / 32", 5),
        ("WHEEL", "Wheel", 10),
        (None, "additional cost Freight", 10),
    ]
    assert (draft.totals, draft.currency) == (
        Totals(total=Decimal("18.3"), net_total=Decimal(15), additional_costs=Decimal(10)),
        "EUR",
    )
    assert summaries(DELETE.checks(request, facts)) == [
        ("advisory", "stock_was_moved", None),
        ("advisory", "billed_order", None),
        ("advisory", "no_way_back", "status"),
    ]
    assert summaries(DELETE.checks(request, old())) == []
    again: Any = draft.undoing
    made = again["arguments"]
    assert (again["tool"], made["status"], made["location_id"]) == ("create_purchase_order", "NOT_RECEIVED", 1)
    assert [(row["sku_or_variant_id"], row["location_id"]) for row in made["rows"]] == [(7, 1), (8, 2)]
    replayed = CREATE.request.model_validate(made)
    assert [path for _, path, _ in sent(CREATE.plan(replayed, new_facts(number="PO-40")))] == [
        "/purchase_orders",
        "/purchase_order_rows",
        "/po_additional_cost_rows",
    ]
    elsewhere: Any = DELETE.plan(request, old(purchase_order_rows=[OTHER])).undoing
    assert elsewhere["arguments"]["location_id"] == 2


def test_what_is_deleted_is_neither_changed_nor_deleted_again() -> None:
    gone = replace(old(deleted_at="2026-03-02T08:00:00.000Z"), deleted=True)
    delete = DELETE.request.model_validate({"purchase_order_id": 40})
    for warnings in (MODIFY.checks(change(order_no="PO-9"), gone), DELETE.checks(delete, gone)):
        assert summaries(warnings) == [("blocking", "not_found", "purchase_order_id")]


def test_a_price_that_does_not_fit_is_named_with_its_unit_and_the_orders_currency() -> None:
    wheel = FORK | {"sku_or_variant_id": "WHEEL"}
    of_one = FORK | {"purchase_uom": "pcs", "purchase_uom_conversion_rate": 1}
    dollars = CREATE.checks(new_order(rows=[FORK, wheel], currency="USD"), new_facts())
    assert [warning.message for warning in [*dollars, *CREATE.checks(new_order(rows=[of_one]), new_facts())]] == [
        f"{PRICED}: FORK has a price of 2.5 EUR per box (12 pcs), but the order is in USD; give one",
        "rows[1].price_per_unit: WHEEL has no purchase price; give one",
        f"{PRICED}: FORK has a price of 2.5 EUR per box (12 pcs), but the row has another purchase unit; give one",
    ]


def test_a_total_of_which_a_price_is_missing_is_unknown_and_not_zero() -> None:
    request = new_order(rows=[{"sku_or_variant_id": "WHEEL", "quantity": 1}, FORKS])
    assert CREATE.plan(request, new_facts()).totals.net_total is None


def test_the_price_of_another_supplier_and_less_than_the_minimum_are_worth_a_look() -> None:
    forks = replace(BOXED, supplier=4, supplier_name="Bolt Ltd", minimum=Decimal(36))
    facts = new_facts(goods={7: forks})
    unpriced = {"sku_or_variant_id": "FORK", "quantity": 2, "tax_rate_id": 5}
    looks = CREATE.checks(new_order(rows=[unpriced]), facts)
    assert [look.message for look in looks if look.severity == "advisory"] == [
        "rows[0].price_per_unit: FORK has the price of supplier Bolt Ltd, but the order is for Acme",
        "rows[0].quantity: FORK has a minimum order of 36",
    ]
    enough = [unpriced | {"quantity": 3, "price_per_unit": 2.5}]
    assert summaries(CREATE.checks(new_order(supplier_id="Bolt", rows=enough), facts)) == []


def test_the_minimum_is_that_of_all_rows_of_a_good_and_goods_of_several_rows_are_told() -> None:
    forks = replace(BOXED, minimum=Decimal(36))
    few, more = FORKS | {"quantity": 1}, FORKS | {"quantity": 2, "sku_or_variant_id": 7}
    twice = ("advisory", "duplicate_row", "rows[1].sku_or_variant_id")
    assert summaries(CREATE.checks(new_order(rows=[few, more]), new_facts(goods={7: forks}))) == [twice]
    assert summaries(CREATE.checks(new_order(rows=[few, few]), new_facts(goods={7: forks}))) == [
        twice,
        ("advisory", "below_minimum", "rows[0].quantity"),
    ]
    for minimum, warned in ((48, []), (49, [("advisory", "below_minimum", "add_rows[0].quantity")])):
        goods = {7: replace(BOXED, minimum=Decimal(minimum))}
        assert summaries(MODIFY.checks(change(add_rows=[FORKS]), knowing(goods=goods))) == warned


def test_a_price_that_is_not_the_items_own_is_told_in_the_same_currency_and_unit() -> None:
    dear = FORKS | {"price_per_unit": 2500}
    (told,) = CREATE.checks(new_order(rows=[dear]), new_facts())
    message = "rows[0].price_per_unit: 2500 is not the purchase price of the item, 2.5 EUR"
    assert (told.severity, told.code, told.message) == ("info", "other_price", message)
    other_unit = dear | {"purchase_uom": "pallet", "purchase_uom_conversion_rate": 1200}
    assert CREATE.checks(new_order(rows=[other_unit]), new_facts()) == []
    in_dollars = CREATE.checks(new_order(currency="USD", rows=[dear]), new_facts())
    assert [warning.code for warning in in_dollars] == ["amounts_stay"]


def test_an_order_in_another_currency_than_its_suppliers_is_worth_a_look() -> None:
    request = new_order(currency="USD", rows=[FORKS])
    assert summaries(CREATE.checks(request, new_facts())) == [("advisory", "amounts_stay", "currency")]


def test_the_head_of_a_new_order_is_shown() -> None:
    request = new_order(expected_arrival_date=LATE, additional_info="fragile", status="DRAFT")
    assert {difference.field: difference.new for difference in CREATE.plan(request, new_facts()).changes} == {
        "supplier_id": "Acme",
        "location_id": "North",
        "order_no": "PO-41",
        "expected_arrival_date": LATE[:10],
        "additional_info": "fragile",
        "status": "DRAFT",
    }


def test_an_order_without_rows_is_not_made_again() -> None:
    facts = old(purchase_order_rows=[])
    assert DELETE.plan(DELETE.request.model_validate({"purchase_order_id": 40}), facts).revert is None


def test_a_way_back_sets_the_dates_of_all_rows_because_a_plan_may_stop_once_its_head_is_sent() -> None:
    draft = MODIFY.plan(change(expected_arrival_date=EARLY, update_rows=[{"row_id": 18, "arrival_date": LATE}]), old())
    undo: Any = draft.undoing
    assert undo["arguments"]["update_rows"] == [
        {"row_id": 17, "arrival_date": EARLY},
        {"row_id": 18, "arrival_date": LATE},
    ]
