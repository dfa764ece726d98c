"""What is planned for suppliers, and what speaks against it: pure functions of a request and of facts."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts, Linked
from katana_mcp.entities.suppliers.supplied import Supplied
from katana_mcp.entities.suppliers.writes import WRITES
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action, Recognise
from katana_mcp.writing.preview import FieldChange

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
LINES = ("line_1", "line_2", "city", "state", "zip", "country")
ADDRESS: dict[str, Any] = {"id": 11, "supplier_id": 5, "line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"}
RECORD: dict[str, Any] = {
    "id": 5,
    "name": "Nordlager",
    "email": "office@example.com",
    "phone": "",
    "comment": None,
    "currency": "EUR",
    "default_address_id": 11,
    "addresses": [ADDRESS, {"id": 12, "city": "gone", "deleted_at": "2026-03-01T08:00:00.000Z"}],
}
HALL: dict[str, object] = {"line_1": "Hall 3", "city": "Linz"}


def _old(**changed: object) -> Facts:
    return Facts(record=RECORD | changed)


def _bare(**changed: object) -> Facts:
    return _old(addresses=[], default_address_id=None, **changed)


def _new(**fields: object) -> Request:
    return CREATE.request.model_validate({"name": "Nordlager", **fields})


def _change(**fields: object) -> Request:
    return MODIFY.request.model_validate({"supplier_id": 5, **fields})


DELETION = DELETE.request.model_validate({"supplier_id": 5})


def _summaries(warnings: Iterable[ToolWarning]) -> list[tuple[str, str | None, str | None]]:
    return [(warning.severity, warning.code, warning.field_path) for warning in warnings]


def _arguments(undoing: object) -> dict[str, Any]:
    call: Any = undoing
    return call["arguments"]


def test_a_new_supplier_is_one_request_recognised_by_all_that_it_is_to_hold() -> None:
    draft = CREATE.plan(_new(phone="", currency="sek", addresses=[{**HALL, "line_2": ""}]), Facts(namesakes=(2,)))
    assert draft.actions == (
        Action(
            title="create supplier Nordlager",
            method="POST",
            path="/suppliers",
            body={"name": "Nordlager", "currency": "SEK", "addresses": [HALL]},
            entity="supplier",
            expects={
                **dict.fromkeys(("email", "phone", "comment", "custom_fields")),
                "name": "Nordlager",
                "currency": "SEK",
                "addresses": [{**dict.fromkeys(LINES), **HALL}],
            },
            recognise=Recognise(collection="suppliers", filters={"name": "Nordlager"}, besides=(2,)),
        ),
    )
    assert draft.changes == (
        FieldChange(field="name", new="Nordlager"),
        FieldChange(field="currency", new="SEK"),
        FieldChange(field="addresses[0].line_1", new="Hall 3"),
        FieldChange(field="addresses[0].city", new="Linz"),
    )
    assert draft.summary == "new supplier Nordlager (Hall 3, Linz)"
    assert draft.undoing == {"tool": "delete_supplier", "arguments": {"supplier_id": {"$ref": [0, "id"]}}}
    assert CREATE.plan(_new(), Facts()).summary == "new supplier Nordlager"


def test_a_name_that_others_have_is_told() -> None:
    assert _summaries(CREATE.checks(_new(), Facts(taken=(3,)))) == [("advisory", "duplicate_name", "name")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"phone": "1" * 31},
        {"currency": "EURO"},
        {"currency": None},
        {"addresses": [HALL, HALL]},
        {"addresses": [{"street": "x"}]},
        {"default_address_id": 11},
    ],
)
def test_what_katana_does_not_take_is_no_request(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        _new(**wrong)
    assert _new(phone="1" * 30, currency="EUR", addresses=[HALL])


def test_a_change_sends_what_differs_and_its_address_by_requests_of_its_own() -> None:
    request = _change(
        email=None, comment="Fridays", phone="", update_addresses=[{"address_id": 11, "city": "Wels", "zip": "08010"}]
    )
    draft = MODIFY.plan(request, _old())
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        ("PATCH", "/suppliers/5", {"email": None, "comment": "Fridays"}),
        ("PATCH", "/supplier_addresses/11", {"city": "Wels"}),
    ]
    assert draft.changes == (
        FieldChange(field="email", old="office@example.com"),
        FieldChange(field="comment", new="Fridays"),
        FieldChange(field="addresses[id=11].city", old="Graz", new="Wels"),
    )
    assert _arguments(draft.undoing) == {
        "supplier_id": 5,
        "email": "office@example.com",
        "comment": None,
        "update_addresses": [{"address_id": 11, "city": "Graz"}],
    }


def test_an_address_takes_the_place_of_the_one_before_which_goes_first_and_comes_back() -> None:
    draft = MODIFY.plan(_change(delete_address_ids=[11], add_addresses=[HALL]), _old())
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        ("DELETE", "/supplier_addresses/11", None),
        ("POST", "/supplier_addresses", {"supplier_id": 5, **HALL}),
    ]
    assert draft.actions[1].recognise == Recognise(
        collection="supplier_addresses", filters={"supplier_ids": [5]}, besides=(11,)
    )
    assert MODIFY.checks(_change(delete_address_ids=[11], add_addresses=[HALL]), _old()) == []
    assert _arguments(draft.undoing) == {
        "supplier_id": 5,
        "delete_address_ids": [{"$if_applied": [1, {"$ref": [1, "id"]}]}],
        "add_addresses": [{"$if_applied": [0, {"line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"}]}],
    }


@pytest.mark.parametrize(
    ("facts", "asked", "expected"),
    [
        (_old(), {"add_addresses": [HALL]}, [("blocking", "only_one_allowed", "add_addresses[0]")]),
        (
            _old(),
            {"add_addresses": [HALL], "update_addresses": [{"address_id": 11, "city": "Wels"}]},
            [("blocking", "only_one_allowed", "add_addresses[0]")],
        ),
        (_bare(), {"add_addresses": [HALL]}, []),
        (_bare(), {"add_addresses": [{"city": ""}]}, [("blocking", "invalid_argument", "add_addresses[0]")]),
        (_old(), {"delete_address_ids": [12]}, [("blocking", "unknown_row_id", "delete_address_ids[0]")]),
        (_old(), {"email": "office@example.com"}, [("blocking", "no_effective_change", None)]),
    ],
)
def test_what_speaks_against_a_change_names_its_field(
    facts: Facts, asked: dict[str, object], expected: list[tuple[str, str, str | None]]
) -> None:
    assert _summaries(MODIFY.checks(_change(**asked), facts)) == expected


def test_an_address_of_a_new_supplier_says_something() -> None:
    nothing: dict[str, object] = {}
    assert _summaries(CREATE.checks(_new(addresses=[nothing]), Facts())) == [
        ("blocking", "invalid_argument", "addresses[0]")
    ]
    assert CREATE.checks(_new(addresses=[HALL]), Facts()) == []


def test_a_new_currency_says_that_purchase_prices_keep_their_numbers() -> None:
    request, facts = _change(currency="SEK"), replace(_old(), own=Supplied(count=3))
    (warning,) = MODIFY.checks(request, facts)
    assert _summaries([warning]) == [("advisory", "amounts_stay", "currency")]
    assert warning.message == (
        "currency: purchase prices of 3 items are not converted: the same numbers are in EUR now and in SEK then"
    )
    assert MODIFY.checks(request, replace(_old(), own=Supplied())) == []
    unknown = replace(_old(), own=Supplied(is_counted=False))
    assert _summaries(MODIFY.checks(request, unknown)) == [("advisory", "cold_cache", "currency")]
    assert MODIFY.plan(request, facts).content != MODIFY.plan(request, replace(_old(), own=Supplied(count=4))).content


def test_a_currency_that_was_none_is_not_emptied_again() -> None:
    facts = replace(_old(currency=None), own=Supplied(count=1))
    checks = MODIFY.checks(_change(currency="SEK"), facts)
    assert _summaries(checks) == [("advisory", "amounts_stay", "currency"), ("advisory", "no_way_back", "currency")]
    assert "the same numbers are in no currency now and in SEK then" in checks[0].message


def test_a_deletion_says_what_hangs_on_the_supplier_and_how_it_is_made_again() -> None:
    orders = tuple({"id": nr, "order_no": f"PO-{nr}", "status": "NOT_RECEIVED"} for nr in (9, 8))
    linked = Linked(what="purchase order", count=3, newest=orders)
    facts = replace(_old(), linked=(linked,), own=Supplied(count=2))
    draft = DELETE.plan(DELETION, facts)
    assert [(action.method, action.path) for action in draft.actions] == [("DELETE", "/suppliers/5")]
    assert draft.summary == "delete supplier Nordlager (Mill Lane 3, 08010, Graz; open purchase orders: 3; items: 2)"
    assert draft.linked == (
        "purchase order PO-9 (NOT_RECEIVED)",
        "purchase order PO-8 (NOT_RECEIVED)",
        "1 more open purchase orders",
    )
    supplied, ordered = DELETE.checks(DELETION, facts)
    assert _summaries([supplied, ordered]) == [("advisory", "supplies_items", None), ("advisory", "open_orders", None)]
    assert supplied.message == "supplier 5 is the default supplier of 2 items: give these another one in Katana"
    assert ordered.message == "supplier 5 has 3 open purchase orders; `linked` lists the newest"
    assert FieldChange(field="addresses[id=11].zip", old="08010") in draft.changes
    assert draft.undoing == {
        "tool": "create_supplier",
        "arguments": {
            "name": "Nordlager",
            "email": "office@example.com",
            "currency": "EUR",
            "addresses": [{"line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"}],
        },
    }
    for other in (replace(facts, own=Supplied(count=1)), replace(facts, linked=(replace(linked, count=4),))):
        assert draft.content != DELETE.plan(DELETION, other).content


def test_a_deletion_that_nothing_hangs_on_is_told_nothing_of() -> None:
    facts = replace(_bare(), own=Supplied())
    assert DELETE.checks(DELETION, facts) == []
    assert DELETE.plan(DELETION, facts).summary == "delete supplier Nordlager (open purchase orders: 0; items: 0)"


def test_orders_and_items_that_are_not_known_yet_are_told() -> None:
    linked = Linked(what="purchase order", is_counted=False)
    items, orders = DELETE.checks(DELETION, replace(_old(), linked=(linked,), own=Supplied(is_counted=False)))
    assert _summaries([items, orders]) == [("advisory", "cold_cache", None)] * 2
    assert "sync of items" in items.message
    assert "sync of purchase orders" in orders.message


def test_a_deleted_supplier_comes_back_with_its_custom_fields() -> None:
    facts = _old(custom_fields={"f1": "x"})
    assert DELETE.checks(DELETION, facts) == []
    revert = DELETE.plan(DELETION, facts).revert
    assert revert is not None
    assert cast("dict[str, object]", revert["arguments"])["custom_fields"] == {"f1": "x"}


def test_what_is_deleted_is_neither_changed_nor_deleted_again() -> None:
    gone = Facts(record=RECORD | {"deleted_at": "2026-03-02T08:00:00.000Z"}, deleted=True)
    for warnings in (MODIFY.checks(_change(phone="1"), gone), DELETE.checks(DELETION, gone)):
        assert _summaries(warnings) == [("blocking", "not_found", "supplier_id")]
