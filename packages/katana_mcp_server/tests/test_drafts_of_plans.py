"""A draft of a plan: the lanes that plans share, what is shown and kept of it, and what it is compared by."""

import hashlib
from dataclasses import replace
from decimal import Decimal

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import JsonObject
from katana_mcp.writing.actions import Action, Ref
from katana_mcp.writing.change import (
    BACK,
    SAGA,
    Draft,
    Saga,
    goes_back,
    name_lane,
    number_lane,
    record_lane,
    sku_lane,
)
from katana_mcp.writing.preview import FieldChange, PlanLine
from katana_mcp.writing.totals import Totals

MAKE = Action(title="make", method="POST", path="/customers", body={"name": "Ann"}, entity="customer")


def test_plans_of_the_same_record_number_name_or_sku_share_a_lane() -> None:
    assert [record_lane("customer", 7), number_lane("sales_order")] == ["customer 7", "numbers of sales_order"]
    assert (
        name_lane("customer", "  Straße \t Ltd ")
        == name_lane("customer", "STRASSE LTD")
        == ("customer called strasse ltd")
    )
    assert sku_lane(" Bolt  M3") == sku_lane("bolt m3") == "SKU bolt m3"


def test_a_draft_that_only_says_what_it_is_for_changes_nothing() -> None:
    draft = Draft(summary="nothing to do")
    empty = ("id", "number", "status", "total", "net_total", "additional_costs", "currency", "linked", "stock")
    assert draft.document == dict.fromkeys(empty)
    assert draft.as_dict(None) == {
        **dict.fromkeys(empty),
        "lines": [],
        "changes": [],
        "advisory": None,
        "prior_state": None,
        "revert": None,
        "assigned": {},
    }
    assert (draft.sent, draft.undoing, draft.lanes, draft.one_way) == ([], None, (), "")


def test_the_journal_keeps_what_a_person_is_shown() -> None:
    draft = Draft(
        summary="new order",
        actions=(MAKE,),
        assigned={"order_no": "SO-1"},
        id=4,
        number="SO-1",
        status="draft",
        lines=(PlanLine(sku="BOLT", quantity=Decimal("2.5")),),
        totals=Totals(total=Decimal(12), net_total=Decimal(10), additional_costs=Decimal(3)),
        currency="EUR",
        changes=(FieldChange(field="note", new="x"),),
        linked=("PO-1",),
        stock=("BOLT at North: 2 → 4.5",),
        prior_state={"note": None},
        revert={"tool": "delete_order", "arguments": {"ids": [Ref(0, "id")]}},
    )
    shown: JsonObject = {
        "id": 4,
        "number": "SO-1",
        "status": "draft",
        "total": Decimal(12),
        "net_total": Decimal(10),
        "additional_costs": Decimal(3),
        "currency": "EUR",
        "linked": ["PO-1"],
        "stock": ["BOLT at North: 2 → 4.5"],
    }
    undoing = {"tool": "delete_order", "arguments": {"ids": [{"$ref": [0, "id"]}]}}
    assert (draft.document, draft.undoing, draft.sent) == (shown, undoing, [MAKE.to_json()])
    assert draft.as_dict(["it is late"]) == {
        **shown,
        "lines": [{"sku": "BOLT", "quantity": Decimal("2.5")}],
        "changes": [{"field": "note", "new": "x"}],
        "advisory": ["it is late"],
        "prior_state": {"note": None},
        "revert": undoing,
        "assigned": {"order_no": "SO-1"},
    }


def test_a_draft_is_compared_by_all_that_it_depends_on() -> None:
    touches: JsonObject = {"customer": {"id": 3, "rate": Decimal("1.10")}}
    content = Draft(summary="a", touches=touches).content
    assert content == hashlib.sha256(b'{"customer":{"id":3,"rate":1.10}}').hexdigest()
    assert Draft(summary="b", touches=dict(touches)).content == content
    assert Draft(summary="a").content != content


@pytest.mark.parametrize(
    ("touches", "is_back"),
    [
        ({}, False),
        ({SAGA: {}}, False),
        ({SAGA: {BACK: False}}, False),
        ({SAGA: {BACK: True}}, True),
        ({BACK: True}, False),
    ],
)
def test_a_saga_goes_back_where_its_goal_is_what_was_before(touches: JsonObject, is_back: bool) -> None:
    assert goes_back(replace(plan_of("token", ManualClock()), touches=touches)) is is_back


def test_a_saga_says_nothing_at_its_end_unless_it_is_asked() -> None:
    async def look(goal: JsonObject, services: object) -> JsonObject:
        del services
        return goal

    assert Saga(look, lambda goal, record: ()).ended is None
