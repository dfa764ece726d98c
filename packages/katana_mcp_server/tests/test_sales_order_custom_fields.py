"""Custom fields, attributes and the tracking page of sales orders: both forms, what stays, and the way back."""

from decimal import Decimal
from typing import Any, cast

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.writes import WRITES
from katana_mcp.references.display_names import Names
from katana_mcp.writing.change import Draft

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
ROW: dict[str, Any] = {"id": 9, "variant_id": 7, "quantity": 2, "attributes": [{"key": "a", "value": "1"}]}
RECORD: dict[str, Any] = {
    "id": 5,
    "order_no": "SO-5",
    "status": "NOT_SHIPPED",
    "customer_id": 3,
    "custom_fields": {"u-1": "red", "u-2": 7},
    "tracking_number_url": "https://parcels.example/1",
    "sales_order_rows": [{**ROW, "custom_fields": {}}],
}
NONE: dict[str, str] = {}
COLOURS = [{"id": 4, "label": "Red"}, {"id": 5, "label": "Blue"}]
DEFINED: dict[str, Any] = {
    key: {"id": key, "label": label, "entity_type": of, "field_type": kind, "options": options}
    for key, label, of, kind, options in (
        (
            "u-1",
            "Colour",
            "SalesOrder",
            "singleSelect",
            {"choices": [{"id": 4, "label": "Red"}, {"id": 5, "label": "Blue"}]},
        ),
        ("u-2", "Size", "SalesOrder", "number", None),
        ("u-3", "Gift", "SalesOrder", "boolean", None),
        ("u-4", "Fitted", "SalesOrder", "date", None),
        ("u-5", "Page", "SalesOrder", "url", None),
        ("u-9", "Text", "SalesOrderRow", "shortText", None),
        ("u-8", "Text", "ProductVariant", "shortText", None),
    )
}


def _planned(**asked: object) -> Draft:
    request = MODIFY.request.model_validate({"sales_order_id": 5, **asked})
    return MODIFY.plan(request, Facts(record=RECORD, names=Names({})))


def _sent(draft: Draft) -> list[object]:
    return [action.body for action in draft.actions]


def _back(draft: Draft) -> dict[str, Any]:
    assert draft.revert is not None
    return {
        name: value
        for name, value in cast("dict[str, Any]", draft.revert["arguments"]).items()
        if name != "sales_order_id"
    }


@pytest.mark.parametrize(
    "given", [{"u-1": None, "u-3": True}, [{"field": "u-1", "value": None}, {"field": "u-3", "value": True}]]
)
def test_fields_are_merged_in_either_form_and_the_way_back_takes_away_what_came(given: object) -> None:
    draft = _planned(custom_fields=given)
    assert _sent(draft) == [{"custom_fields": {"u-1": None, "u-2": 7, "u-3": True}}]
    assert _back(draft) == {"custom_fields": {"u-1": "red", "u-2": 7, "u-3": None}}
    assert [(change.field, change.old, change.new) for change in draft.changes] == [
        ("custom_fields", '{"u-1": "red", "u-2": 7}', '{"u-1": null, "u-2": 7, "u-3": true}')
    ]


def test_null_clears_all_and_what_is_like_that_already_changes_nothing() -> None:
    draft = _planned(custom_fields=None)
    assert (_sent(draft), _back(draft)) == (
        [{"custom_fields": None}],
        {"custom_fields": {"u-1": "red", "u-2": 7}},
    )
    assert _sent(_planned(custom_fields={"u-2": Decimal(7), "u-4": None})) == []


def test_fields_of_a_row_are_merged_and_its_attributes_replaced() -> None:
    draft = _planned(update_rows=[{"row_id": 9, "attributes": {"b": "2"}, "custom_fields": {"u-9": "x"}}])
    assert _sent(draft) == [{"attributes": [{"key": "b", "value": "2"}], "custom_fields": {"u-9": "x"}}]
    assert _back(draft) == {
        "update_rows": [{"row_id": 9, "attributes": [{"key": "a", "value": "1"}], "custom_fields": None}]
    }
    assert _sent(_planned(update_rows=[{"row_id": 9, "attributes": NONE}])) == [{"attributes": []}]
    assert _sent(_planned(update_rows=[{"row_id": 9, "attributes": {"a": "1"}}])) == []


def test_the_tracking_page_is_set_and_cleared() -> None:
    draft = _planned(tracking_number_url=None)
    assert (_sent(draft), _back(draft)) == (
        [{"tracking_number_url": None}],
        {"tracking_number_url": "https://parcels.example/1"},
    )


def test_a_new_order_and_one_that_is_made_again_have_all_of_it() -> None:
    revert = DELETE.plan(DELETE.request.model_validate({"sales_order_id": 5}), Facts(record=RECORD)).revert
    assert revert is not None
    arguments = cast("dict[str, Any]", revert["arguments"])
    request = CREATE.request.model_validate(arguments)
    (action,) = CREATE.plan(request, Facts(names=Names({}), references={})).actions or (None,)
    assert action is None  # nothing is called 3 or 7 in these facts
    assert {name: arguments[name] for name in ("custom_fields", "tracking_number_url")} == {
        "custom_fields": {"u-1": "red", "u-2": 7},
        "tracking_number_url": "https://parcels.example/1",
    }
    assert arguments["rows"] == [{"sku_or_variant_id": 7, "quantity": 2, "attributes": [{"key": "a", "value": "1"}]}]


def _checked(**asked: object) -> list[tuple[str, str, str | None]]:
    request = MODIFY.request.model_validate({"sales_order_id": 5, **asked})
    found = MODIFY.checks(request, Facts(record=RECORD, definitions=DEFINED, names=Names({})))
    return [
        (warning.code or "", warning.message, warning.field_path) for warning in found if warning.severity == "blocking"
    ]


def test_a_field_that_nothing_defines_is_refused_with_those_that_there_are() -> None:
    rows = [{"row_id": 9, "custom_fields": {"u-0": "x", "u-1": "Red", "u-9": "y"}}]
    checks = _checked(custom_fields={"Shape": 1}, update_rows=rows)
    here = "custom_fields: no custom field has the label or id"
    others = "Gift (u-3), Fitted (u-4), Page (u-5)"
    assert checks == [
        ("not_found", f"{here} Shape here; there are: Colour (u-1), Size (u-2), {others}", "custom_fields"),
        *(
            (
                "not_found",
                f"update_rows[0].{here} {name} here; there are: Text (u-9), Text (u-8)",
                "update_rows[0].custom_fields",
            )
            for name in ("u-0", "u-1")
        ),
    ]


def test_fields_and_choices_are_named_by_their_labels_and_shown_by_them() -> None:
    asked = {
        "custom_fields": {"colour": "blue", "Size": 8},
        "update_rows": [{"row_id": 9, "custom_fields": {"Text": "x"}}],
    }
    request = MODIFY.request.model_validate({"sales_order_id": 5, **asked})
    draft = MODIFY.plan(request, Facts(record=RECORD, definitions=DEFINED, names=Names({})))
    assert _sent(draft) == [{"custom_fields": {"u-1": 5, "u-2": 8}}, {"custom_fields": {"u-9": "x"}}]
    assert [(change.field, change.old, change.new) for change in draft.changes] == [
        ("custom_fields", '{"Colour": "red", "Size": 7}', '{"Colour": "Blue", "Size": 8}'),
        ("rows[id=9].custom_fields", None, '{"Text": "x"}'),
    ]
    assert _back(draft)["custom_fields"] == {"u-1": "red", "u-2": 7}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("Colour", "green", "Colour must be one of Red, Blue, not 'green'"),
        ("u-1", 6, "Colour must be one of Red, Blue, not 6"),
        ("Size", "8", "Size must be a number, not '8'"),
        ("Size", True, "Size must be a number, not True"),
        ("Gift", "yes", "Gift must be true or false, not 'yes'"),
        ("Gift", 1, "Gift must be true or false, not 1"),
        ("Fitted", "tomorrow", "Fitted must be a day, such as 2026-03-01, not 'tomorrow'"),
        ("Fitted", 20260301, "Fitted must be a day, such as 2026-03-01, not 20260301"),
        ("Page", 7, "Page must be a text, not 7"),
    ],
)
def test_a_value_that_a_field_cannot_have_is_refused_with_what_it_can(name: str, value: object, message: str) -> None:
    assert _checked(custom_fields={name: value}) == [("invalid_argument", f"custom_fields: {message}", "custom_fields")]
    fits = {"Colour": 5, "Size": Decimal("8.5"), "Gift": False, "Fitted": "2026-03-01", "Page": "https://p.example"}
    assert _checked(custom_fields=fits) == []
    assert {code for code, _, _ in _checked(custom_fields={name: None})} <= {"no_effective_change"}


def test_a_label_that_two_fields_have_is_refused_with_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFINED, "u-3", {**DEFINED["u-2"], "id": "u-3"})
    message = "custom_fields: 2 custom fields are called Size; name one by its id: u-2, u-3"
    assert _checked(custom_fields={"Size": 8}) == [("ambiguous_name", message, "custom_fields")]
    assert _checked(custom_fields={"u-3": 8}) == []


@pytest.mark.parametrize(
    "given", [["x"], [{"field": "a"}], [{"field": "a", "value": 1}] * 2, {"a": [1]}, "red", {"": 1}]
)
def test_another_form_is_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        MODIFY.request.model_validate({"sales_order_id": 5, "custom_fields": given})
