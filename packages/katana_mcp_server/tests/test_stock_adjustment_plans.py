"""What is planned for stock adjustments, and what speaks against it: pure functions of a request and of facts."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stock_adjustments.writes import WRITES
from katana_mcp.references.display_names import Names
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
NORTH, SOUTH = NamedRecord(id=1, name="North"), NamedRecord(id=2, name="South")
FORK, BELL = (
    NamedRecord(id=7, sku="FORK", name="Fork / 32", unit="pcs"),
    NamedRecord(id=8, sku="BELL", name="Bell", unit="pcs"),
)
NAMES = Names({("factory", 0): {"base_currency_code": "EUR"}})
RECORD: dict[str, Any] = {
    "id": 5,
    "stock_adjustment_number": "SA-5",
    "location_id": 1,
    "stock_adjustment_date": "2026-03-01T10:00:00.000Z",
    "reason": "Counted",
    "additional_info": "shelf 4",
    "stock_adjustment_rows": [
        {"id": 9, "variant_id": 7, "quantity": 2, "cost_per_unit": Decimal("3.33333333333333"), "traceability": []},
        {"id": 10, "variant_id": 8, "quantity": -1, "cost_per_unit": Decimal(2)},
    ],
}
FOUND: dict[tuple[str, int | str], Named] = {
    ("location", "North"): Named("North", (NORTH,)),
    ("location", 1): Named(1, (NORTH,)),
    ("location", "South"): Named("South", (SOUTH,)),
    ("variant", "FORK"): Named("FORK", (FORK,)),
    ("variant", 7): Named(7, (FORK,)),
    ("variant", 8): Named(8, (BELL,)),
}
LEVELS = {7: {1: Decimal(11), 2: Decimal(1)}, 8: {1: Decimal(4)}}
UNCERTAIN = [("advisory", "stock_was_moved", None)]


def _new(**changed: object) -> Request:
    usual: dict[str, Any] = {"location_id": "North", "rows": [{"sku_or_variant_id": "FORK", "quantity": 0.5}]}
    return CREATE.request.model_validate(usual | changed)


def _row(**changed: object) -> dict[str, object]:
    return {"sku_or_variant_id": "FORK", "quantity": 0.5} | changed


def _facts(record: dict[str, Any] | None = None) -> Facts:
    numbered = Numbered(number="SA-6") if record is None else None
    return Facts(record=record, numbered=numbered, references=FOUND, levels=LEVELS, names=NAMES)


def _summaries(warnings: Iterable[ToolWarning]) -> list[tuple[str, str | None, str | None]]:
    return [(warning.severity, warning.code, warning.field_path) for warning in warnings]


def test_a_new_adjustment_is_one_request_and_says_what_becomes_of_the_stock() -> None:
    draft = CREATE.plan(_new(rows=[_row(cost_per_unit=3), _row(quantity=-2)], reason="Counted"), _facts())
    (action,) = draft.actions
    assert action.body == {
        "stock_adjustment_number": "SA-6",
        "location_id": 1,
        "reason": "Counted",
        "stock_adjustment_rows": [
            {"variant_id": 7, "quantity": Decimal("0.5"), "cost_per_unit": 3},
            {"variant_id": 7, "quantity": -2},
        ],
    }
    assert draft.summary == "new stock adjustment SA-6 at North (rows: 2)"
    assert draft.stock == ("FORK at North: 11 → 9.5",)
    assert [(line.sku, line.quantity, line.price, line.total) for line in draft.lines] == [
        ("FORK", Decimal("0.5"), Decimal(3), Decimal("1.5")),
        ("FORK", Decimal(-2), None, None),
    ]
    assert draft.currency == "EUR"
    assert draft.undoing == {
        "tool": "delete_stock_adjustment",
        "arguments": {"stock_adjustment_id": {"$ref": [0, "id"]}},
    }


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"quantity": 0}, [("blocking", "invalid_quantity", "rows[0].quantity")]),
        ({"quantity": -1, "cost_per_unit": 0}, [("blocking", "invalid_argument", "rows[0].cost_per_unit")]),
        ({"quantity": -12}, [("advisory", "insufficient_stock", "rows[0].quantity")]),
        ({"quantity": -11}, []),
        ({"cost_per_unit": 0}, []),
    ],
)
def test_what_speaks_against_a_row_names_its_field(
    row: dict[str, object], expected: list[tuple[str, str, str]]
) -> None:
    request = _new(stock_adjustment_number="SA-6", rows=[_row(**row)])
    assert _summaries(CREATE.checks(request, _facts())) == expected
    is_sent = all(severity != "blocking" for severity, *_ in expected)
    assert bool(CREATE.plan(request, _facts()).actions) is is_sent


def test_a_cleared_reason_is_sent_as_an_empty_text() -> None:
    facts = _facts(record=RECORD)
    request = MODIFY.request.model_validate({"stock_adjustment_id": 5, "reason": None})
    (action,) = MODIFY.plan(request, facts).actions
    assert action.body == {"reason": "", "additional_info": "shelf 4"}
    assert _summaries(MODIFY.checks(request, facts)) == []


def test_what_was_adjusted_moves_to_another_location() -> None:
    facts = _facts(record=RECORD)
    request = MODIFY.request.model_validate({"stock_adjustment_id": 5, "location_id": "South"})
    assert MODIFY.plan(request, facts).stock == (
        "FORK at North: 11 → 9",
        "BELL at North: 4 → 5",
        "FORK at South: 1 → 3",
        "BELL at South: 0 → -1",
    )
    assert _summaries(MODIFY.checks(request, facts)) == [
        ("advisory", "stock_was_moved", "location_id"),
        ("advisory", "insufficient_stock", "location_id"),
    ]


def test_a_change_of_the_reason_moves_no_stock() -> None:
    request = MODIFY.request.model_validate({"stock_adjustment_id": 5, "reason": "Lost"})
    facts = _facts(record=RECORD)
    assert (MODIFY.plan(request, facts).stock, MODIFY.checks(request, facts)) == ((), [])


def test_a_deleted_adjustment_is_made_again_with_costs_that_can_be_given() -> None:
    facts = _facts(record=RECORD)
    request = DELETE.request.model_validate({"stock_adjustment_id": 5})
    draft = DELETE.plan(request, facts)
    assert draft.stock == ("FORK at North: 11 → 9", "BELL at North: 4 → 5")
    assert _summaries(DELETE.checks(request, facts)) == UNCERTAIN
    arguments: Any = draft.revert and draft.revert["arguments"]
    assert arguments["rows"] == [
        {"sku_or_variant_id": 7, "quantity": 2, "cost_per_unit": Decimal("3.3333333333")},
        {"sku_or_variant_id": 8, "quantity": -1},
    ]
    CREATE.request.model_validate(arguments)


@pytest.mark.parametrize("name", ["batch_transactions", "traceability"])
@pytest.mark.parametrize("bin_id", [None, 4])
def test_a_deleted_adjustment_comes_back_in_its_batches_but_not_in_its_bins(name: str, bin_id: int | None) -> None:
    row = {**RECORD["stock_adjustment_rows"][0], name: [{"batch_id": 3, "quantity": 2, "bin_location_id": bin_id}]}
    record = {**RECORD, "stock_adjustment_rows": [row]}
    request = DELETE.request.model_validate({"stock_adjustment_id": 5})
    back: Any = DELETE.plan(request, _facts(record=record)).revert
    found = None if back is None else back["arguments"]["rows"][0]["traceability"]
    assert found == ([{"batch_id": 3, "quantity": 2}] if bin_id is None else None)


@pytest.mark.parametrize("cleared", ["location_id", "stock_adjustment_date", "stock_adjustment_number"])
def test_what_cannot_be_empty_cannot_be_cleared(cleared: str) -> None:
    with pytest.raises(ValidationError, match=f"{cleared} cannot be null"):
        MODIFY.request.model_validate({"stock_adjustment_id": 5, cleared: None})


def test_rows_of_an_adjustment_that_is_there_are_refused_with_what_to_do() -> None:
    assert "create_stock_adjustment" in str(MODIFY.request.words["rows"])
