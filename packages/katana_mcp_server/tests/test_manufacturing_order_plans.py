"""Plans of manufacturing orders on plain facts: what is sent and used, what is refused, the way back."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.manufacturing_orders.completing import COMPLETION
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.writes import WRITES
from katana_mcp.references.display_names import Names
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.writing.change import Draft

PRODUCT, FORK, WHEEL, PLACE = 7, 8, 9, 3
DATE = "2026-02-20T08:00:00.000Z"
NAMES = Names(
    {
        **{("variant", key): {"id": key, "product_id": key} for key in (PRODUCT, FORK, WHEEL)},
        ("product", PRODUCT): {"id": PRODUCT, "is_producible": True},
        ("product", FORK): {"id": FORK, "batch_tracked": True},
        ("product", WHEEL): {"id": WHEEL},
        ("location", PLACE): {"id": PLACE, "manufacturing_allowed": True},
        ("sales_order", 5): {"id": 5, "order_no": "SO-5"},
    }
)
REFERENCES: dict[tuple[str, int | str], Named] = {
    **{
        ("variant", key): Named(key, (NamedRecord(id=key, sku=sku),))
        for key, sku in ((PRODUCT, "BIKE"), (FORK, "FORK"), (WHEEL, "WHEEL"))
    },
    ("location", PLACE): Named(PLACE, (NamedRecord(id=PLACE, name="Works"),)),
}
ORDER: dict[str, Any] = {
    "id": 40,
    "order_no": "MO-40",
    "status": "IN_PROGRESS",
    "variant_id": PRODUCT,
    "location_id": PLACE,
    "planned_quantity": Decimal(10),
    "completed_quantity": None,
}
RECIPE: list[dict[str, Any]] = [
    {"id": 11, "manufacturing_order_id": 40, "variant_id": FORK, "planned_quantity_per_unit": Decimal(1)},
    {"id": 12, "manufacturing_order_id": 40, "variant_id": WHEEL, "planned_quantity_per_unit": Decimal(2)},
]
WORK: list[dict[str, Any]] = [
    {"id": 21, "type": "process", "operation_name": "Weld", "planned_time_parameter": Decimal(60)},
    {"id": 22, "type": "setup", "operation_name": "Set up", "planned_time_parameter": Decimal(300)},
]
MADE: dict[str, Any] = {
    "id": 31,
    "quantity": Decimal(4),
    "production_date": DATE,
    "ingredients": [{"manufacturing_order_recipe_row_id": 12, "variant_id": WHEEL, "quantity": Decimal(9)}],
    "operations": [{"manufacturing_order_operation_id": 21, "time": Decimal(200)}],
}


def _facts(*made: dict[str, Any], **changed: object) -> Facts:
    taken = sum((row["quantity"] for row in made), Decimal(0))
    status = {"status": "PARTIALLY_COMPLETED", "completed_quantity": taken} if made else {}
    return Facts(
        record={**ORDER, **status, **changed},
        names=NAMES,
        references=REFERENCES,
        beside={RECIPE_ROWS: tuple(RECIPE), OPERATIONS: tuple(WORK), PRODUCTIONS: tuple(made)},
        levels={key: {PLACE: Decimal(15)} for key in (PRODUCT, FORK, WHEEL)},
    )


def _complete(facts: Facts, **asked: object) -> tuple[Draft, Mapping[str | None, str]]:
    """Return a plan, and the severity of each warning by its code."""
    request = COMPLETION.request.model_validate({"manufacturing_order_id": 40, **asked})
    found = COMPLETION.checks(request, facts)
    return COMPLETION.plan(request, facts), {warning.code: warning.severity for warning in found}


def _modify(facts: Facts, **asked: object) -> tuple[Draft, Mapping[str | None, str]]:
    change = WRITES["modify"]
    request = change.request.model_validate({"manufacturing_order_id": 40, **asked})
    return change.plan(request, facts), {check.code: check.severity for check in change.checks(request, facts)}


def _body(draft: Draft) -> dict[str, Any]:
    (action,) = draft.actions
    assert isinstance(action.body, dict)
    return action.body


def test_without_a_quantity_all_that_remains_is_made_and_the_order_is_then_done() -> None:
    draft, warnings = _complete(_facts(MADE))
    body = _body(draft)
    assert (body["completed_quantity"], body["is_final"]) == (6, True)
    assert not {"completed_date", "ingredients", "operations", "traceability"} & body.keys()
    assert draft.stock == ("BIKE at Works: 15 → 21", "FORK at Works: 15 → 9", "WHEEL at Works: 15 → 3")
    assert [(line.sku, line.quantity) for line in draft.lines] == [("FORK", 6), ("WHEEL", 12)]
    assert (draft.status, draft.own["remaining_quantity"]) == ("DONE", 0)
    assert "insufficient_stock" not in warnings


def test_a_part_leaves_the_rest_open_and_a_last_one_ends_the_order_with_fewer() -> None:
    some, _ = _complete(_facts(), quantity=4)
    last, _ = _complete(_facts(), quantity=4, is_final=True)
    assert [(_body(draft)["is_final"], draft.status, draft.own["remaining_quantity"]) for draft in (some, last)] == [
        (False, "PARTIALLY_COMPLETED", 6),
        (True, "DONE", 6),
    ]


def test_what_is_named_is_sent_with_all_the_others_as_planned_and_nothing_of_none() -> None:
    draft, _ = _complete(
        _facts(),
        quantity=5,
        ingredients=[{"recipe_row_id": 11, "quantity": 0}],
        operations=[{"operation_row_id": 21, "seconds": 90}],
    )
    body = _body(draft)
    assert body["ingredients"] == [{"manufacturing_order_recipe_row_id": 12, "quantity": 10}]
    assert [(operation["manufacturing_order_operation_id"], operation["time"]) for operation in body["operations"]] == [
        (21, 90),
        (22, 150),
    ]
    assert draft.stock == ("BIKE at Works: 15 → 20", "WHEEL at Works: 15 → 5")


def test_no_more_decimals_are_sent_than_katana_keeps() -> None:
    draft, _ = _complete(
        _facts(planned_quantity=Decimal(3)), quantity=1, operations=[{"operation_row_id": 21, "seconds": 1}]
    )
    assert [operation["time"] for operation in _body(draft)["operations"]] == [1, 100]
    odd, _ = _complete(
        _facts(planned_quantity=Decimal(7)), quantity=1, operations=[{"operation_row_id": 21, "seconds": 1}]
    )
    assert _body(odd)["operations"][1]["time"] == Decimal("42.8571428571")


def test_more_than_is_in_stock_is_said_by_ingredient_and_more_than_remains_of_the_order() -> None:
    _, warnings = _complete(_facts(), quantity=11)
    assert warnings["insufficient_stock"] == warnings["over_production"] == "advisory"
    assert "insufficient_stock" not in _complete(_facts(), quantity=7)[1]


def test_a_production_is_known_by_quantity_and_date_among_those_of_its_order_that_were_not_there() -> None:
    draft, _ = _complete(_facts(MADE), quantity=2, completed_date=DATE)
    (action,) = draft.actions
    assert action.recognise is not None
    assert dict(action.recognise.filters) == {"manufacturing_order_ids": [40]}
    assert action.recognise.besides == (31,)
    assert dict(action.expects) == {
        "manufacturing_order_id": 40,
        "quantity": 2,
        "production_date": "2026-02-20T08:00:00Z",
    }
    assert action.document == ("manufacturing_order", 40)
    assert set(action.refreshes) == {RECIPE_ROWS, OPERATIONS}


def test_the_way_back_deletes_a_part_reopens_what_was_made_at_once_and_is_none_after_earlier_ones() -> None:
    part, _ = _complete(_facts(), quantity=2)
    whole, _ = _complete(_facts())
    last, warnings = _complete(_facts(MADE))
    assert part.undoing == {
        "tool": "complete_manufacturing_order",
        "arguments": {"manufacturing_order_id": 40, "delete_production_id": {"$ref": [0, "id"]}},
    }
    assert whole.undoing == {
        "tool": "modify_manufacturing_order",
        "arguments": {"manufacturing_order_id": 40, "status": "IN_PROGRESS", "reopen": True},
    }
    assert (last.undoing, bool(last.one_way)) == (None, True)
    assert "no_way_back" not in warnings
    assert "no_way_back" in _complete(_facts(status="NOT_STARTED"))[1]


def test_a_production_that_is_deleted_is_reported_again_with_what_it_used_and_nothing_else() -> None:
    draft, _ = _complete(_facts(MADE), delete_production_id=31)
    assert draft.stock == ("BIKE at Works: 15 → 11", "WHEEL at Works: 15 → 24")
    assert draft.revert is not None
    arguments: Any = draft.revert["arguments"]
    assert (arguments["quantity"], arguments["completed_date"], arguments["is_final"]) == (4, DATE, False)
    assert {ingredient["recipe_row_id"]: ingredient["quantity"] for ingredient in arguments["ingredients"]} == {
        11: 0,
        12: 9,
    }
    assert {operation["operation_row_id"]: operation["seconds"] for operation in arguments["operations"]} == {
        21: 200,
        22: 0,
    }
    traced = _complete(_facts({**MADE, "serial_numbers": [{"id": 1}]}), delete_production_id=31)[0]
    assert (traced.revert, bool(traced.one_way)) == (None, True)


def test_what_is_tracked_by_batch_comes_and_goes_in_one_or_it_is_said() -> None:
    used = [{"recipe_row_id": 11, "quantity": 5, "batches": [{"batch_id": 2, "quantity": 5}]}]
    draft, warnings = _complete(_facts(), quantity=5, batch_id=1, ingredients=used)
    body = _body(draft)
    assert body["traceability"] == [{"batch_id": 1}]
    assert body["ingredients"][0]["traceability"] == [{"batch_id": 2, "quantity": "5"}]
    assert "untraced_shipment" not in warnings
    assert _complete(_facts(), quantity=5)[1]["untraced_shipment"] == "advisory"


@pytest.mark.parametrize(
    ("changed", "asked", "code"),
    [
        ({"status": "DONE"}, {}, "already_completed"),
        ({"completed_quantity": 10}, {}, "invalid_quantity"),
        ({}, {"ingredients": [{"recipe_row_id": 99, "quantity": 1}]}, "unknown_row_id"),
        ({}, {"operations": [{"operation_row_id": 99, "seconds": 1}]}, "unknown_row_id"),
        ({}, {"serial_number_ids": [1]}, "serial_count_mismatch"),
        ({}, {"delete_production_id": 99}, "unknown_row_id"),
        ({}, {"production_id": 31}, "no_effective_change"),
        ({"status": "DONE"}, {"delete_production_id": 31}, "locked"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_sent(
    changed: dict[str, Any], asked: dict[str, Any], code: str
) -> None:
    facts = _facts(MADE, **changed) if "production_id" in str(asked) else _facts(**changed)
    draft, warnings = _complete(facts, **asked)
    assert (warnings.get(code), draft.actions) == ("blocking", ())


@pytest.mark.parametrize(
    "asked",
    [
        {"delete_production_id": 31, "quantity": 1},
        {"production_id": 31, "quantity": 1},
        {"batch_id": 1, "serial_number_ids": [1]},
        {"quantity": 0},
        {"quantity": None},
    ],
)
def test_arguments_that_exclude_each_other_are_refused(asked: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        COMPLETION.request.model_validate({"manufacturing_order_id": 40, **asked})


def test_a_done_order_is_opened_before_its_rows_change_and_only_where_that_was_asked_for() -> None:
    rows = [{"recipe_row_id": 12, "planned_quantity_per_unit": 3}]
    done = _facts(MADE, status="DONE", done_date=DATE)
    draft, warnings = _modify(done, status="IN_PROGRESS", reopen=True, update_recipe_rows=rows, planned_quantity=5)
    assert [action.path for action in draft.actions] == [
        "/manufacturing_orders/40",
        "/manufacturing_orders/40",
        "/manufacturing_order_recipe_rows/12",
    ]
    assert draft.actions[0].fields["status"] == "IN_PROGRESS"
    assert draft.actions[0].refreshes == (RECIPE_ROWS, OPERATIONS, PRODUCTIONS)
    assert draft.stock == ("BIKE at Works: 15 → 11", "WHEEL at Works: 15 → 24")
    assert (warnings["status_moves_back"], draft.revert) == ("advisory", None)
    assert _modify(done, status="IN_PROGRESS")[1]["reopen_required"] == "blocking"
    assert _modify(done, update_recipe_rows=rows)[1] == {"locked": "blocking"}
    assert "locked" not in _modify(done, additional_info="x")[1]


def test_ingredients_that_are_written_are_named_in_the_summary_the_requests_and_the_lines() -> None:
    added, changed = {"sku_or_variant_id": FORK, "planned_quantity_per_unit": 3}, {"recipe_row_id": 12, "notes": "x"}
    draft, _ = _modify(_facts(), add_recipe_rows=[added], update_recipe_rows=[changed], delete_recipe_row_ids=[11])
    phrases = "recipe_row 12 (WHEEL) notes x; delete recipe_row 11 (FORK); add ingredient (FORK)"
    assert draft.summary == f"manufacturing order MO-40: {phrases}"
    assert [action.title for action in draft.actions] == [
        "change recipe row 12 (WHEEL) of manufacturing order MO-40",
        "delete recipe row 11 (FORK) of manufacturing order MO-40",
        "add ingredient (FORK) to manufacturing order MO-40",
    ]
    assert [(line.change, line.row_id, line.sku, line.quantity) for line in draft.lines] == [
        ("update", 12, "WHEEL", 2),
        ("add", None, "FORK", 3),
        ("delete", 11, "FORK", 1),
    ]
    unknown, _ = _modify(_facts(), add_recipe_rows=[{**added, "sku_or_variant_id": "NEW"}])
    assert unknown.summary == "manufacturing order MO-40: add ingredient (NEW)"
    other, _ = _modify(_facts(), update_recipe_rows=[{"recipe_row_id": 11, "sku_or_variant_id": WHEEL}])
    assert other.summary == "manufacturing order MO-40: recipe_row 11 (FORK) variant_id WHEEL"
    assert _modify(_facts(), additional_info="x")[0].lines == ()


def test_what_is_partly_made_keeps_its_status_and_is_not_planned_below_what_was_made() -> None:
    assert _modify(_facts(MADE), status="BLOCKED")[1]["invalid_status_transition"] == "blocking"
    assert _modify(_facts(MADE), planned_quantity=3)[1]["invalid_quantity"] == "blocking"
    assert "invalid_quantity" not in _modify(_facts(MADE), planned_quantity=4)[1]
    assert _modify(_facts(MADE), delete_recipe_row_ids=[12])[1]["locked"] == "advisory"
    assert _modify(_facts(), done_date="2026-02-20")[1] == {"locked": "blocking"}


def test_notes_that_a_request_does_not_name_are_sent_along_so_that_katana_keeps_them() -> None:
    draft, _ = _modify(_facts(additional_info="rack 3"), status="BLOCKED", planned_quantity=12)
    assert [dict(action.fields) for action in draft.actions] == [
        {"additional_info": "rack 3", "planned_quantity": 12},
        {"additional_info": "rack 3", "status": "BLOCKED"},
    ]


def test_a_deletion_names_the_sales_order_and_says_what_the_way_back_takes_from_the_product() -> None:
    change = WRITES["delete"]
    request = change.request.model_validate({"manufacturing_order_id": 40})

    def planned(facts: Facts) -> tuple[Draft, Mapping[str | None, str]]:
        return change.plan(request, facts), {check.code: check.severity for check in change.checks(request, facts)}

    free, severities = planned(_facts(status="NOT_STARTED"))
    assert free.revert is not None
    assert free.revert["tool"] == "create_manufacturing_order"
    assert severities == {"no_way_back": "advisory"}
    linked, warnings = planned(_facts(status="NOT_STARTED", sales_order_id=5))
    assert (linked.linked, linked.revert, warnings["locked"]) == (("sales order SO-5",), None, "advisory")
    assert planned(_facts(MADE))[1]["stock_was_moved"] == "advisory"
    assert planned(_facts(status="DONE"))[1]["locked"] == "blocking"
