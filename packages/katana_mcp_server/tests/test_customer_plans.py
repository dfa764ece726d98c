"""What is planned for customers, and what speaks against it: pure functions of a request and of facts."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts, Linked
from katana_mcp.entities.customers.writes import WRITES
from katana_mcp.journal.entries import ActionState, Plan
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.outcome import PlanOutcome
from katana_mcp.writing.preview import FieldChange

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LINES = ("first_name", "last_name", "company", "phone", "line_1", "line_2", "city", "state", "zip", "country")
RECORD: dict[str, Any] = {
    "id": 5,
    "name": "Velo Berger",
    "email": "velo@example.com",
    "phone": None,
    "currency": "EUR",
    "reference_id": "007",
    "discount_rate": Decimal("7.50"),
    "default_billing_id": 11,
    "default_shipping_id": 12,
    "addresses": [
        {"id": 11, "entity_type": "billing", "default": True, "line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"},
        {"id": 12, "entity_type": "shipping", "default": True, "line_1": "Dock 1", "city": "Linz", "line_2": None},
        {"id": 13, "entity_type": "shipping", "default": False, "city": "Wels"},
        {"id": 14, "entity_type": "shipping", "city": "gone", "deleted_at": "2026-03-01T08:00:00.000Z"},
    ],
}


def _summaries(warnings: Iterable[ToolWarning]) -> list[tuple[str, str | None, str | None]]:
    return [(warning.severity, warning.code, warning.field_path) for warning in warnings]


def _new(**fields: object) -> Request:
    return CREATE.request.model_validate({"name": "Velo Berger", **fields})


def test_a_new_customer_is_one_request_recognised_by_all_that_it_is_to_hold() -> None:
    dock = {"entity_type": "shipping", "city": "Linz", "line_2": "", "default": True}
    request = _new(discount_rate=7.5, phone="", addresses=[{"entity_type": "billing", "zip": "08010"}, dock])
    draft = CREATE.plan(request, Facts(taken=(3,), namesakes=(2, 3)))
    empty = dict.fromkeys(LINES)
    expects = {
        **dict.fromkeys(
            ("first_name", "last_name", "company", "email", "phone", "comment", "reference_id", "category")
        ),
        "custom_fields": None,
        "name": "Velo Berger",
        "discount_rate": Decimal("7.5"),
        "addresses": [
            {**empty, "entity_type": "billing", "zip": "08010"},
            {**empty, "entity_type": "shipping", "city": "Linz", "default": True},
        ],
    }
    assert draft.actions == (
        Action(
            title="create customer Velo Berger",
            method="POST",
            path="/customers",
            body={
                "name": "Velo Berger",
                "discount_rate": Decimal("7.5"),
                "addresses": [
                    {"entity_type": "billing", "zip": "08010"},
                    {"entity_type": "shipping", "city": "Linz", "default": True},
                ],
            },
            entity="customer",
            expects=expects,
            recognise=Recognise(collection="customers", filters={"name": "Velo Berger"}, besides=(2, 3)),
        ),
    )
    assert draft.changes == (
        FieldChange(field="name", new="Velo Berger"),
        FieldChange(field="discount_rate", new="7.5"),
        FieldChange(field="addresses[0].entity_type", new="billing"),
        FieldChange(field="addresses[0].zip", new="08010"),
        FieldChange(field="addresses[1].entity_type", new="shipping"),
        FieldChange(field="addresses[1].city", new="Linz"),
        FieldChange(field="addresses[1].default", new="true"),
    )
    assert draft.summary == "new customer Velo Berger (addresses: 2)"
    assert draft.undoing == {"tool": "delete_customer", "arguments": {"customer_id": {"$ref": [0, "id"]}}}
    assert Action.read(draft.actions[0].to_json()) == draft.actions[0]


BILLING, SHIPPING = {"entity_type": "billing"}, {"entity_type": "shipping", "default": True}


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        ([BILLING, {**BILLING, "city": "x"}], ("blocking", "second_billing_address", "addresses[1].entity_type")),
        ([SHIPPING, {**SHIPPING, "city": "x"}], ("blocking", "invalid_default_address", "addresses[1].default")),
        ([{"entity_type": "shipping"}, SHIPPING], ("blocking", "duplicate_row", "addresses[1]")),
        ([BILLING, {**SHIPPING, "city": "x"}, {"entity_type": "shipping"}], None),
        ([{**BILLING, "default": True}, SHIPPING], None),
    ],
)
def test_what_speaks_against_the_addresses_of_a_new_customer_names_its_field(
    addresses: list[dict[str, object]], expected: tuple[str, str, str] | None
) -> None:
    assert _summaries(CREATE.checks(_new(addresses=addresses), Facts())) == ([expected] if expected else [])


def test_a_name_that_others_have_is_told_with_their_ids() -> None:
    (warning,) = CREATE.checks(_new(), Facts(taken=(3, 4), namesakes=(2, 3, 4)))
    assert _summaries([warning]) == [("advisory", "duplicate_name", "name")]
    assert "the name Velo Berger is not unique (also customer 3, 4)" in warning.message
    renamed = _change(name="Velo Berger 2")
    assert _summaries(MODIFY.checks(renamed, _old(taken=(9,)))) == [("advisory", "duplicate_name", "name")]


def _change(**fields: object) -> Request:
    return MODIFY.request.model_validate({"customer_id": 5, **fields})


def _old(taken: tuple[int, ...] = (), **changed: object) -> Facts:
    return Facts(record=RECORD | changed, taken=taken)


def _sent(request: Request, facts: Facts | None = None) -> list[tuple[str, str, object]]:
    return [(action.method, action.path, action.body) for action in MODIFY.plan(request, facts or _old()).actions]


def test_a_change_sends_what_differs_head_first_then_addresses_deletions_before_additions() -> None:
    request = _change(
        email="new@example.com",
        phone=None,
        discount_rate=7.5,
        reference_id="7",
        default_shipping_id=13,
        update_addresses=[{"address_id": 11, "zip": "8010", "city": "Graz", "line_1": None}],
        delete_address_ids=[12],
        add_addresses=[{"entity_type": "shipping", "city": "Enns"}],
    )
    draft = MODIFY.plan(request, _old())
    head = {"email": "new@example.com", "reference_id": "7", "default_shipping_id": 13}
    new = {"customer_id": 5, "entity_type": "shipping", "city": "Enns"}
    part: dict[str, Any] = {"entity": "customer", "record": 5, "part": "customer_addresses"}
    assert draft.actions == (
        Action(
            title="change customer Velo Berger",
            method="PATCH",
            path="/customers/5",
            body=head,
            entity="customer",
            record=5,
            expects=head,
            recognise=Recognise(collection="customers", filters={"ids": [5]}),
        ),
        Action(
            title="change address 11 of customer Velo Berger",
            method="PATCH",
            path="/customer_addresses/11",
            body={"zip": "8010", "line_1": None},
            row=11,
            expects={"zip": "8010", "line_1": None},
            recognise=Recognise(collection="customer_addresses", filters={"ids": [11]}),
            **part,
        ),
        Action(
            title="delete address 12 of customer Velo Berger",
            method="DELETE",
            path="/customer_addresses/12",
            row=12,
            recognise=Recognise(collection="customer_addresses", filters={"ids": [12]}),
            **part,
        ),
        Action(
            title="add a shipping address to customer Velo Berger",
            method="POST",
            path="/customer_addresses",
            body=new,
            expects={**dict.fromkeys(LINES), **new},
            recognise=Recognise(collection="customer_addresses", filters={"customer_ids": [5]}, besides=(11, 12, 13)),
            **part,
        ),
    )
    assert draft.changes == (
        FieldChange(field="email", old="velo@example.com", new="new@example.com"),
        FieldChange(field="reference_id", old="007", new="7"),
        FieldChange(field="default_shipping_id", old="12", new="13"),
        FieldChange(field="addresses[id=11].line_1", old="Mill Lane 3"),
        FieldChange(field="addresses[id=11].zip", old="08010", new="8010"),
        FieldChange(field="addresses[id=12].entity_type", old="shipping"),
        FieldChange(field="addresses[id=12].line_1", old="Dock 1"),
        FieldChange(field="addresses[id=12].city", old="Linz"),
        FieldChange(field="add_addresses[0].entity_type", new="shipping"),
        FieldChange(field="add_addresses[0].city", new="Enns"),
    )
    assert draft.summary == (
        "customer Velo Berger: email new@example.com, reference_id 7, default_shipping_id 13; "
        "address 11 (Mill Lane 3, 08010, Graz) line_1 cleared, zip 8010; "
        "delete address 12 (Dock 1, Linz); add shipping address (Enns)"
    )
    assert (draft.id, draft.prior_state, MODIFY.checks(request, _old())) == (5, RECORD, [])
    for action in draft.actions:
        assert Action.read(action.to_json()) == action


def test_a_new_address_becomes_the_default_by_a_request_that_refers_to_it() -> None:
    new = [{"entity_type": "billing"}, {"entity_type": "shipping", "city": "Enns", "default": True}]
    request = _change(add_addresses=new, delete_address_ids=[11])
    draft = MODIFY.plan(request, _old())
    chosen = {"default_shipping_id": Ref(2, "id")}
    last = draft.actions[-1]
    assert (last.method, last.path, last.body, last.expects) == ("PATCH", "/customers/5", chosen, chosen)
    assert draft.changes[-1] == FieldChange(field="default_shipping_id", old="12", new="add_addresses[1]")
    assert MODIFY.checks(request, _old()) == []
    without = _old(addresses=RECORD["addresses"][:1], default_shipping_id=None)
    assert [call[:2] for call in _sent(request, without)] == [
        ("DELETE", "/customer_addresses/11"),
        ("POST", "/customer_addresses"),
        ("POST", "/customer_addresses"),
    ]


@pytest.mark.parametrize(
    ("kinds", "default", "chosen"),
    [
        (["shipping", "shipping"], 1, 1),
        (["shipping", "billing", "shipping"], 2, 2),
        (["billing", "shipping"], 1, None),
        (["shipping", "shipping"], 0, None),
        (["shipping", "shipping"], None, None),
    ],
)
def test_of_the_first_shipping_addresses_one_behind_another_is_chosen_by_a_request_of_its_own(
    kinds: list[str], default: int | None, chosen: int | None
) -> None:
    new = [{"entity_type": kind, "city": str(nr), "default": nr == default} for nr, kind in enumerate(kinds)]
    sent = _sent(_change(add_addresses=new), _old(addresses=[], default_billing_id=None, default_shipping_id=None))
    choice = [] if chosen is None else [("PATCH", "/customers/5", {"default_shipping_id": Ref(chosen, "id")})]
    assert sent[len(kinds) :] == choice


def test_left_out_null_and_a_value_are_three_things_and_an_empty_text_is_null() -> None:
    assert _sent(_change(email=None)) == _sent(_change(email="")) == [("PATCH", "/customers/5", {"email": None})]
    assert _sent(_change(discount_rate=0)) == [("PATCH", "/customers/5", {"discount_rate": 0})]
    assert _sent(_change(default_shipping_id=None)) == [("PATCH", "/customers/5", {"default_shipping_id": None})]
    assert _sent(_change(reference_id="1.1"), _old(reference_id="1.10"))[0][2] == {"reference_id": "1.1"}
    cleared = _change(update_addresses=[{"address_id": 13, "city": ""}])
    assert _sent(cleared) == [("PATCH", "/customer_addresses/13", {"city": None})]
    for name in ("name", "currency", "add_addresses", "delete_address_ids"):
        with pytest.raises(ValueError, match=f"{name} cannot be null: leave it out instead"):
            _change(**{name: None})


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"email": "velo@example.com", "phone": None, "discount_rate": 7.5, "default_shipping_id": 12},
        {"update_addresses": [{"address_id": 12, "city": "Linz", "line_2": None}], "delete_address_ids": []},
    ],
)
def test_what_is_like_that_already_changes_nothing(fields: dict[str, object]) -> None:
    assert _summaries(MODIFY.checks(_change(**fields), _old())) == [("blocking", "no_effective_change", None)]
    assert MODIFY.plan(_change(**fields), _old()).actions == ()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"update_addresses": [{"address_id": 99, "city": "x"}]},
            ("blocking", "unknown_row_id", "update_addresses[0].address_id"),
        ),
        ({"update_addresses": [{"address_id": 14}]}, ("blocking", "unknown_row_id", "update_addresses[0].address_id")),
        ({"delete_address_ids": [13, 99]}, ("blocking", "unknown_row_id", "delete_address_ids[1]")),
        ({"default_shipping_id": 99}, ("blocking", "unknown_row_id", "default_shipping_id")),
        (
            {"update_addresses": [{"address_id": 13, "city": "x"}], "delete_address_ids": [13]},
            ("blocking", "duplicate_row_overrides", "delete_address_ids[0]"),
        ),
        (
            {"update_addresses": [{"address_id": 13, "city": "x"}, {"address_id": 13, "zip": "1"}]},
            ("blocking", "duplicate_row_overrides", "update_addresses[1].address_id"),
        ),
        ({"delete_address_ids": [13, 13]}, ("blocking", "duplicate_row_overrides", "delete_address_ids[1]")),
        ({"add_addresses": [BILLING]}, ("blocking", "second_billing_address", "add_addresses[0].entity_type")),
        ({"add_addresses": [BILLING], "delete_address_ids": [11]}, None),
        ({"default_shipping_id": 11}, ("blocking", "invalid_default_address", "default_shipping_id")),
        (
            {"default_shipping_id": 13, "delete_address_ids": [13]},
            ("blocking", "invalid_default_address", "default_shipping_id"),
        ),
        *(
            (
                {"default_shipping_id": default, "add_addresses": [SHIPPING]},
                ("blocking", "invalid_default_address", "add_addresses[0].default"),
            )
            for default in (13, None)
        ),
        ({"delete_address_ids": [12]}, ("advisory", "default_address_deleted", "delete_address_ids[0]")),
        ({"delete_address_ids": [13, 11]}, ("advisory", "default_address_deleted", "delete_address_ids[1]")),
        ({"delete_address_ids": [12], "default_shipping_id": 13}, None),
        ({"delete_address_ids": [12], "add_addresses": [SHIPPING]}, None),
        ({"delete_address_ids": [12, 13], "add_addresses": [{"entity_type": "shipping"}]}, None),
        (
            {"delete_address_ids": [12], "add_addresses": [{"entity_type": "shipping"}]},
            ("advisory", "default_address_deleted", "delete_address_ids[0]"),
        ),
    ],
)
def test_what_speaks_against_a_change_of_addresses_names_its_field(
    fields: dict[str, object], expected: tuple[str, str, str] | None
) -> None:
    assert _summaries(MODIFY.checks(_change(**fields), _old())) == ([expected] if expected else [])


def test_the_type_of_an_address_is_no_argument_of_its_change() -> None:
    with pytest.raises(ValueError, match="entity_type"):
        _change(update_addresses=[{"address_id": 13, "entity_type": "billing"}])


def test_a_change_is_undone_with_what_was_there_and_an_address_comes_back_as_a_new_one() -> None:
    request = _change(
        email=None,
        currency="SEK",
        default_shipping_id=13,
        update_addresses=[{"address_id": 13, "city": "Enns", "zip": "4470"}],
        delete_address_ids=[11, 12],
        add_addresses=[{"entity_type": "billing"}],
    )
    assert _undone(request, _old(currency=None), "applied") == {
        "customer_id": 5,
        "email": "velo@example.com",
        "update_addresses": [{"address_id": 13, "city": "Wels", "zip": None}],
        "delete_address_ids": [77],
        "add_addresses": [
            {"entity_type": "billing", "line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"},
            {"entity_type": "shipping", "line_1": "Dock 1", "city": "Linz", "default": True},
        ],
    }
    chosen = _change(add_addresses=[SHIPPING])
    back = {"customer_id": 5, "default_shipping_id": 12, "delete_address_ids": [77]}
    assert _undone(chosen, _old(), "applied") == back
    assert _undone(chosen, _old(default_shipping_id=None), "applied") == {**back, "default_shipping_id": None}
    gone = {"customer_id": 5, "delete_address_ids": [77]}
    assert _undone(chosen, _old(default_shipping_id=14), "applied") == gone


@pytest.mark.parametrize("default", [12, 15, 13])
def test_addresses_that_are_alike_come_back_as_one_that_is_the_default_if_one_of_them_was(default: int) -> None:
    twin = RECORD["addresses"][1] | {"id": 15, "line_2": ""}
    old = _old(addresses=[*RECORD["addresses"], twin], default_shipping_id=default)
    dock = {"entity_type": "shipping", "line_1": "Dock 1", "city": "Linz"}
    yard = {"entity_type": "shipping", "city": "Wels"}
    back = [dock, yard | {"default": True}] if default == 13 else [dock | {"default": True}, yard]

    undone = _undone(_change(delete_address_ids=[12, 13, 15]), old, "applied")
    assert undone == {"customer_id": 5, "add_addresses": back}
    undo = MODIFY.request.model_validate(undone)
    bare = _old(addresses=RECORD["addresses"][:1], default_shipping_id=None)
    assert MODIFY.checks(undo, bare) == []

    draft = DELETE.plan(DELETE.request.model_validate({"customer_id": 5}), old)
    undoing: Any = draft.undoing
    again: dict[str, Any] = undoing["arguments"]
    assert again["addresses"][1:] == back
    assert CREATE.checks(CREATE.request.model_validate(again), Facts()) == []


def test_what_a_way_back_leaves_is_said() -> None:
    (warning,) = MODIFY.checks(_change(currency="SEK"), _old(currency=None))
    assert _summaries([warning]) == [("advisory", "no_way_back", "currency")]
    assert warning.message == "currency was empty and cannot be emptied again: the revert keeps the new value"
    twin = RECORD["addresses"][2] | {"id": 15}
    old = _old(addresses=[*RECORD["addresses"], twin])
    for verb, request in ((MODIFY, {"delete_address_ids": [13, 15]}), (DELETE, {})):
        (warning,) = verb.checks(verb.request.model_validate({"customer_id": 5, **request}), old)
        assert _summaries([warning]) == [("advisory", "no_way_back", "addresses")]
        assert warning.message == "address 15 is the same as another deleted one: the revert adds only one of them"


def test_what_was_not_applied_is_not_undone() -> None:
    request = _change(delete_address_ids=[11, 13], add_addresses=[BILLING])
    assert _undone(request, _old(), "applied", "failed") == {
        "customer_id": 5,
        "delete_address_ids": [],
        "add_addresses": [{"entity_type": "billing", "line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"}],
    }
    assert _undone(request, _old(), "failed") is None


def _undone(request: Request, facts: Facts, *ends: str) -> dict[str, object] | None:
    """Return the arguments that undo a plan of which the actions ended like this, the last of these all others."""
    draft = MODIFY.plan(request, facts)
    plan = Plan(
        digest="",
        tool="modify_customer",
        tenant="",
        principal="",
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=1),
        summary="",
        content=draft.content,
        actions=tuple(draft.sent),
        shown={"revert": draft.undoing},
    )
    given: list[Any] = [*ends, *ends[-1:] * len(draft.actions)][: len(draft.actions)]
    results = [{"id": 77} if action.method == "POST" else None for action in draft.actions]
    states = [
        ActionState(end, result if end == "applied" else None) for end, result in zip(given, results, strict=True)
    ]
    revert = PlanOutcome.of(1, plan, states, []).revert
    return None if revert is None else revert.arguments


def test_what_is_deleted_is_neither_changed_nor_deleted_again() -> None:
    gone = Facts(record=RECORD | {"deleted_at": "2026-03-02T08:00:00.000Z"}, deleted=True)
    delete = DELETE.request.model_validate({"customer_id": 5})
    for warnings in (MODIFY.checks(_change(phone="1"), gone), DELETE.checks(delete, gone)):
        assert _summaries(warnings) == [("blocking", "not_found", "customer_id")]


def test_a_deletion_shows_what_goes_what_stays_behind_and_how_to_make_it_again() -> None:
    request = DELETE.request.model_validate({"customer_id": "Velo Berger"})
    orders = tuple({"id": nr, "order_no": f"SO-{nr}", "status": "NOT_SHIPPED"} for nr in (9, 8))
    facts = replace(_old(), linked=(Linked(count=3, newest=orders),))
    draft = DELETE.plan(request, facts)
    assert draft.actions == (
        Action(
            title="delete customer Velo Berger",
            method="DELETE",
            path="/customers/5",
            entity="customer",
            record=5,
            recognise=Recognise(collection="customers", filters={"ids": [5]}),
        ),
    )
    assert draft.summary == "delete customer Velo Berger (addresses: 3, open sales orders: 3)"
    assert draft.linked == (
        "sales order SO-9 (NOT_SHIPPED)",
        "sales order SO-8 (NOT_SHIPPED)",
        "1 more open sales orders",
    )
    assert FieldChange(field="email", old="velo@example.com") in draft.changes
    assert FieldChange(field="addresses[id=11].zip", old="08010") in draft.changes
    (warning,) = DELETE.checks(request, facts)
    assert (warning.severity, warning.code) == ("advisory", "open_orders")
    assert warning.message == "customer 5 has 3 open sales orders; `linked` lists the newest"
    assert draft.prior_state == RECORD
    assert draft.undoing == {
        "tool": "create_customer",
        "arguments": {
            "name": "Velo Berger",
            "email": "velo@example.com",
            "currency": "EUR",
            "reference_id": "007",
            "discount_rate": Decimal("7.50"),
            "addresses": [
                {"entity_type": "billing", "line_1": "Mill Lane 3", "city": "Graz", "zip": "08010"},
                {"entity_type": "shipping", "line_1": "Dock 1", "city": "Linz", "default": True},
                {"entity_type": "shipping", "city": "Wels"},
            ],
        },
    }
    assert draft.content != DELETE.plan(request, _old()).content


def test_orders_that_are_not_known_yet_are_told() -> None:
    request = DELETE.request.model_validate({"customer_id": 5})
    unknown = replace(_old(), linked=(Linked(is_counted=False),))
    assert _summaries(DELETE.checks(request, unknown)) == [("advisory", "cold_cache", None)]
    assert DELETE.checks(request, _old()) == []


def test_a_name_of_blanks_is_none() -> None:
    with pytest.raises(ValidationError, match="must not be blank"):
        CREATE.request.model_validate({"name": "   "})


def test_what_a_new_address_makes_the_default_is_shown_once() -> None:
    dock = {"entity_type": "shipping", "city": "Enns", "default": True}
    draft = MODIFY.plan(_change(add_addresses=[dock]), _old())
    assert draft.changes == (
        FieldChange(field="add_addresses[0].entity_type", new="shipping"),
        FieldChange(field="add_addresses[0].city", new="Enns"),
        FieldChange(field="default_shipping_id", old="12", new="add_addresses[0]"),
    )
