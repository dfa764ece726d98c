"""What is planned for services, and what speaks against it: pure functions of a request and of facts."""

from decimal import Decimal
from typing import Any

import pytest

from katana_mcp.documents.transition import Facts, Linked
from katana_mcp.entities.items.writes import WRITES
from katana_mcp.tools.requests import Request
from katana_mcp.writing.actions import SOME, Action, Recognise
from katana_mcp.writing.change import Draft
from katana_mcp.writing.lost_answers import is_as_planned
from katana_mcp.writing.preview import FieldChange

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
VARIANT: dict[str, Any] = {"id": 50, "sku": "TRUE-1", "sales_price": Decimal("12.50"), "default_cost": None}
RECORD: dict[str, Any] = {
    "id": 5,
    "name": "Wheel truing",
    "uom": "pcs",
    "category_name": "",
    "is_sellable": True,
    "additional_info": "by appointment",
    "archived_at": None,
    "variants": [VARIANT],
}
ARCHIVED = {"archived_at": "2026-03-01T08:00:00.000Z"}


def _new(**fields: object) -> Request:
    return CREATE.request.model_validate({"type": "service", "name": "Wheel truing", **fields})


def _change(**fields: object) -> Request:
    return MODIFY.request.model_validate({"type": "service", "item_id": 5, **fields})


def _old(**changed: object) -> Facts:
    return Facts(record=RECORD | changed)


def _sent(draft: Draft) -> list[object]:
    return [action.body for action in draft.actions]


def test_a_new_service_sends_price_and_sku_in_its_one_variant_and_is_recognised_by_all_that_it_is_to_hold() -> None:
    draft = CREATE.plan(_new(sku="TRUE-1", sales_price=12.5, category_name=""), Facts(namesakes=(3,)))
    nothing = dict.fromkeys(("category_name", "additional_info"))
    assert draft.actions == (
        Action(
            title="create service Wheel truing",
            method="POST",
            path="/services",
            body={"name": "Wheel truing", "variants": [{"sku": "TRUE-1", "sales_price": Decimal("12.5")}]},
            entity="service",
            expects={
                "name": "Wheel truing",
                **nothing,
                "archived_at": None,
                "variants": [{"sku": "TRUE-1", "sales_price": Decimal("12.5"), "default_cost": None}],
            },
            recognise=Recognise(collection="services", filters={"name": "Wheel truing"}, besides=(3,)),
        ),
    )
    assert draft.changes == (
        FieldChange(field="name", new="Wheel truing"),
        FieldChange(field="sku", new="TRUE-1"),
        FieldChange(field="sales_price", new="12.5"),
    )
    assert draft.undoing == {"tool": "delete_item", "arguments": {"type": "service", "item_id": {"$ref": [0, "id"]}}}
    assert is_as_planned(draft.actions[0], RECORD | {"additional_info": ""})
    for other in (RECORD, RECORD | ARCHIVED, RECORD | {"additional_info": "", "variants": [VARIANT | {"sku": "X"}]}):
        assert not is_as_planned(draft.actions[0], other)
    assert _sent(CREATE.plan(_new(), Facts())) == [{"name": "Wheel truing", "variants": [{}]}]


def test_a_change_sends_what_the_variant_and_the_archive_hold_as_fields_of_the_service() -> None:
    request = _change(sku="TRUE-2", sales_price=12.5, default_cost=4, is_archived=True)
    draft = MODIFY.plan(request, _old())
    (action,) = draft.actions
    head = {"is_archived": True, "default_cost": 4, "sku": "TRUE-2", "additional_info": "by appointment"}
    assert (action.method, action.path, action.body) == ("PATCH", "/services/5", head)
    assert action.expects == {
        "additional_info": "by appointment",
        "archived_at": SOME,
        "variants": [{"sku": "TRUE-2", "default_cost": 4}],
    }
    assert [(change.field, change.old, change.new) for change in draft.changes] == [
        ("sku", "TRUE-1", "TRUE-2"),
        ("default_cost", None, "4"),
        ("is_archived", "false", "true"),
    ]
    assert draft.undoing == {
        "tool": "modify_item",
        "arguments": {"type": "service", "item_id": 5, "sku": "TRUE-1", "default_cost": None, "is_archived": False},
    }
    done = RECORD | ARCHIVED | {"variants": [VARIANT | {"sku": "TRUE-2", "default_cost": 4}]}
    assert is_as_planned(action, done)
    for undone in (RECORD, done | {"archived_at": None}, done | {"variants": [VARIANT]}):
        assert not is_as_planned(action, undone)
    assert Action.read(action.to_json()) == action


def test_a_service_comes_back_from_the_archive() -> None:
    draft = MODIFY.plan(_change(is_archived=False), _old(**ARCHIVED, additional_info=""))
    assert (_sent(draft), draft.actions[0].expects) == ([{"is_archived": False}], {"archived_at": None})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "no change was given: name what to change in service Wheel truing"),
        ({"sku": "TRUE-1", "sales_price": 12.5}, "service Wheel truing already has these values: nothing would change"),
        ({"is_archived": False, "category_name": None}, "service Wheel truing already has these values: nothing would"),
    ],
)
def test_what_is_like_that_already_changes_nothing(fields: dict[str, object], message: str) -> None:
    (warning,) = MODIFY.checks(_change(**fields), _old())
    assert (warning.code, message in warning.message) == ("no_effective_change", True)
    assert MODIFY.plan(_change(**fields), _old()).actions == ()


@pytest.mark.parametrize("verb", [CREATE, MODIFY, DELETE])
@pytest.mark.parametrize(("kind", "meant"), [("Material", "material"), ("service", "service"), ("kit", None)])
def test_the_type_of_an_item_is_one_of_three_in_any_letters(verb: Any, kind: str, meant: str | None) -> None:  # noqa: ANN401 - any change
    given: dict[str, object] = {"type": kind, **({"name": "x"} if verb is CREATE else {"item_id": 5})}
    if meant is None:
        with pytest.raises(ValueError, match="Input should be 'product', 'material' or 'service'"):
            verb.request.model_validate(given)
    else:
        assert verb.request.model_validate(given).type == meant


def test_a_price_beyond_what_katana_takes_is_refused() -> None:
    for price in (-1, 10**11 + 1):
        with pytest.raises(ValueError, match="sales_price"):
            _new(sales_price=price)


def test_a_sku_that_others_have_is_told_and_binds_the_plan() -> None:
    request = _new(sku="TRUE-1")
    (warning,) = CREATE.checks(request, Facts(own=(7, 8)))
    assert (warning.severity, warning.code, warning.field_path) == ("advisory", "duplicate_sku", "sku")
    assert "variants 7, 8 have the SKU TRUE-1 too" in warning.message
    assert CREATE.plan(request, Facts(own=(7,))).content != CREATE.plan(request, Facts(own=())).content


def test_a_service_that_goes_leaves_open_orders_and_comes_back_without_what_no_argument_gives() -> None:
    request = DELETE.request.model_validate({"type": "service", "item_id": 5})
    orders = Linked(count=1, newest=({"id": 9, "order_no": "SO-9", "status": "NOT_SHIPPED"},))
    facts = Facts(record=RECORD | ARCHIVED, linked=(orders,))
    draft = DELETE.plan(request, facts)
    assert draft.undoing == {
        "tool": "create_item",
        "arguments": {
            "type": "service",
            "name": "Wheel truing",
            "sku": "TRUE-1",
            "sales_price": Decimal("12.50"),
            "uom": "pcs",
            "is_sellable": True,
            "additional_info": "by appointment",
        },
    }
    paths = {check.code: check.field_path for check in DELETE.checks(request, facts)}
    assert paths == {"open_orders": None, "no_way_back": "is_archived"}
    assert draft.linked == ("sales order SO-9 (NOT_SHIPPED)",)
    assert draft.content != DELETE.plan(request, _old(**ARCHIVED)).content


def test_a_service_that_becomes_free_is_told() -> None:
    (check,) = MODIFY.checks(_change(sales_price=0), _old())
    assert (check.code, check.severity, check.field_path) == ("unusual_price", "advisory", "sales_price")
    assert check.message.endswith("of the price now: 12.5 → 0")
    assert MODIFY.checks(_change(sales_price=100), _old()) == []
