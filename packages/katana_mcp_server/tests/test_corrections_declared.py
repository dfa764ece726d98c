"""What corrections of closed documents share: rows found again, steps, amounts, the plan and its refusals."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from katana_client.errors import KatanaError
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.correcting import (
    ONE_WAY,
    Correction,
    as_targets,
    batch_sum,
    blocks,
    check_expected,
    is_as,
    is_itself,
    listed,
    no_change,
    not_emptied,
    paired,
    record_now,
    refused,
    spread,
    steps_between,
)
from katana_mcp.documents.declaration import Field, Key, Part, Status, Writable
from katana_mcp.documents.states import transition
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action, on_record
from katana_mcp.writing.change import Astray
from katana_mcp.writing.preview import FieldChange

if TYPE_CHECKING:
    from katana_mcp.references.services import Services

HELD = "purchase_order_rows"
ROWS = Part(
    name="rows",
    one="row",
    held=HELD,
    says={"new": "", "add": "", "update": "", "delete": ""},
    most=9,
    fields=(Field("variant_id", int), Field("quantity", int), Field("purchase_uom", str)),
    collection="purchase_order_rows",
    parent="purchase_order_id",
)
ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="",
    key=Key(name="order_no", words="number", prefix="PO-"),
    head=(Field("order_no", str), Field("currency", str), Field("additional_info", str)),
    parts=(ROWS,),
    status=Status(kind=str, says="", first="DRAFT", refused={}, path=""),
    described=lambda _: "",
    what={},
    answers={},
)
ROW: dict[str, object] = {"id": 17, "variant_id": 7, "quantity": 2, "purchase_uom": None}
OTHER: dict[str, object] = {"id": 18, "variant_id": 8, "quantity": 4, "purchase_uom": "box"}
RECORD: dict[str, object] = {"id": 40, "order_no": "PO-40", "status": "RECEIVED", "currency": "", HELD: [ROW, OTHER]}


def resulting(**asked: object) -> Transition:
    """Return what a request comes to."""
    request = request_of(ORDER, "modify").model_validate({"purchase_order_id": 40, **asked})
    return transition(ORDER, "modify", request, Facts(record=RECORD))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"quantity": "2.0", "variant_id": 7}, True),
        ({"quantity": None, "variant_id": 7}, True),
        ({"variant_id": 7, "purchase_uom": "x"}, True),
        ({"quantity": 3, "variant_id": 7}, False),
        ({"quantity": 2, "variant_id": 8}, False),
        ({}, True),
    ],
)
def test_a_row_is_as_wanted_where_all_that_is_said_of_it_is_the_same(target: State, expected: bool) -> None:
    assert is_as(PurchaseOrderRow, target, ROW, ("quantity", "variant_id")) == expected


@pytest.mark.parametrize(("mine", "other", "expected"), [(1, 1, True), (1, 2, False), (None, None, False)])
def test_a_row_is_itself_by_its_id(mine: object, other: object, expected: bool) -> None:
    assert is_itself({"id": mine}, {"id": other}) == expected


def same_goods(target: State, there: State) -> bool:
    """Return whether two rows are of the same goods."""
    return target.get("variant_id") == there.get("variant_id")


def test_rows_are_found_by_the_first_rule_that_finds_one_and_each_once() -> None:
    wanted: list[State] = [{"variant_id": 7}, {"variant_id": 8}, {"id": 17, "variant_id": 8}, {"variant_id": 7}]
    third: State = {"id": 19, "variant_id": 9}
    again: State = {"id": 20, "variant_id": 7}
    found, left = paired(wanted, [ROW, OTHER, third, again], [is_itself, same_goods])
    assert found == [(wanted[0], again), (wanted[1], OTHER), (wanted[2], ROW), (wanted[3], None)]
    assert left == [third]
    assert paired(wanted[:1], [ROW, again], []) == ([(wanted[0], None)], [ROW, again])


def test_a_row_that_somebody_else_added_is_refused() -> None:
    check_expected(
        [ROW, {"variant_id": 9}], [ROW, {"id": 30, "variant_id": 9}, {"id": 17, "variant_id": 1}], same_goods
    )
    end = "was added to the order by somebody else: look at the order in Katana, delete the"
    for found, key in (({"id": 30, "variant_id": 1}, 30), ({"id": None, "variant_id": 1}, None)):
        with pytest.raises(Astray) as astray:
            check_expected([ROW, {"variant_id": 9}], [found], same_goods)
        assert str(astray.value) == f"row {key} {end} row there, and apply the same token again"
    with pytest.raises(
        Astray,
        match=r"^cost 30 was added to the order by somebody else: look at the order in Katana, delete the cost there",
    ):
        check_expected([], [{"id": 30}], same_goods, "cost")


def test_rows_are_to_be_as_they_are_with_what_is_otherwise_and_the_others_are_made() -> None:
    wanted: State = {"variant_id": 7, "quantity": None, "purchase_uom": "", "price": 5, "more": []}
    assert as_targets([(wanted, ROW), (wanted, None)], ROWS.fields, ["price", "more", "nothing"]) == [
        ROW | {"purchase_uom": ""},
        {"variant_id": 7, "price": 5},
    ]
    assert as_targets([(wanted, None)], ROWS.fields) == [{"variant_id": 7}]


def test_the_steps_between_two_states_are_those_of_the_head_and_the_rows() -> None:
    then = {**RECORD, "currency": "EUR", HELD: [{**ROW, "quantity": 3}]}
    sent = steps_between(ORDER, RECORD, then)
    assert [(action.method, action.path, action.body) for action in sent] == [
        ("PATCH", "/purchase_orders/40", {"currency": "EUR"}),
        ("PATCH", "/purchase_order_rows/17", {"quantity": 3}),
        ("DELETE", "/purchase_order_rows/18", None),
    ]
    opened = steps_between(ORDER, RECORD, then, {**RECORD, "status": "DRAFT"})
    assert [action.body for action in opened][:2] == [{"status": "DRAFT"}, {"currency": "EUR"}]
    assert steps_between(ORDER, RECORD, RECORD) == ()

    def is_known(change: Transition) -> bool:
        return change.facts.record == RECORD

    assert steps_between(replace(ORDER, is_sendable=is_known), RECORD, then) == sent


@pytest.mark.parametrize(
    ("amounts", "total", "expected"),
    [
        ([], 5, []),
        ([2, 3], 5, [2, 3]),
        ([2, 3], 7, [2, 5]),
        ([2, 3], 4, [2, 2]),
        ([2, 3], 2, [2, 0]),
        ([2, 3, 4], 1, [1, 0, 0]),
        ([4], 9, [9]),
    ],
)
def test_the_last_amounts_take_the_difference(amounts: list[int], total: int, expected: list[int]) -> None:
    assert spread([Decimal(amount) for amount in amounts], Decimal(total)) == expected


class Listing:
    """A listing of Katana, a record a page; None where it does not answer."""

    def __init__(self, found: Sequence[Mapping[str, object]] | None) -> None:
        self.found = found
        self.asked: list[dict[str, object]] = []

    async def pages(self, **filters: object) -> AsyncIterator[SimpleNamespace]:
        """Yield its pages."""
        self.asked.append(filters)
        if self.found is None:
            raise KatanaError("no answer")
        for record in self.found:
            yield SimpleNamespace(valid_records=[record])


def services_of(listing: Listing) -> "Services":
    """Return services whose client has this listing of orders."""
    return cast("Services", SimpleNamespace(client=SimpleNamespace(purchase_orders=listing)))


async def test_an_order_is_read_by_its_id_as_it_is_now() -> None:
    listing = Listing([{"id": 41}, {"id": 40, "quantity": Decimal("1.50")}])
    found = await record_now("purchase_orders", {"before": {"id": 40}}, services_of(listing))
    assert found == {"id": 40, "quantity": Decimal("1.50")}
    assert listing.asked == [{"ids": [40]}]
    nowhere: list[dict[str, object]] = [{}, {"before": {}}]
    for saga in nowhere:
        with pytest.raises(Astray, match=r"^the order is no longer there: it was deleted by somebody else$"):
            await record_now("purchase_orders", saga, services_of(listing))
    assert listing.asked[1:] == [{"ids": [0]}] * 2
    zero = Listing([{"id": None}])
    with pytest.raises(Astray):
        await record_now("purchase_orders", {}, services_of(zero))


async def test_what_katana_does_not_say_is_refused() -> None:
    listing = Listing([{"id": 1}, {"id": 2}])
    assert await listed("purchase_orders", services_of(listing), status="DRAFT") == [{"id": 1}, {"id": 2}]
    assert listing.asked == [{"status": "DRAFT"}]
    with pytest.raises(Refused) as refusal:
        await listed("purchase_orders", services_of(Listing(None)))
    message = "Katana could not be asked how the order is now, so nothing was done: ask again"
    assert [one.message for one in refusal.value.warnings] == [message]


def test_the_plan_of_a_correction_has_its_steps_and_what_they_are_planned_from() -> None:
    goal = {**RECORD, "currency": "EUR"}
    correction = Correction(doc=ORDER, asked=ORDER, change=resulting(currency="EUR"), before=RECORD, goal=goal)
    saga = {"before": RECORD, "goal": goal, "rolls_back": False}
    assert correction.saga == saga
    sent = [on_record("open", "purchase_order", "purchase_orders", 40, {"status": "DRAFT"})]
    given: list[Any] = []

    def rest(saga: Mapping[str, object], now: Mapping[str, object]) -> Sequence[Action]:
        given.extend((saga, now))
        return sent

    more = FieldChange(field="rows", old="1", new="2")
    draft = correction.draft(rest, {"now": 1}, [more], own={"steps": 1}, stock=("BOLT",))
    assert given == [saga, {"now": 1}]
    assert draft.summary == "correct purchase order PO-40: currency EUR (1 step)"
    alone = replace(correction, change=resulting()).draft(rest, {}, [more])
    assert alone.summary == "correct purchase order PO-40: rows 2 (1 step)"
    assert (draft.actions, draft.one_way, draft.stock) == (tuple(sent), ONE_WAY, ("BOLT",))
    assert draft.touches == {"record": RECORD, "others with the number": [], "saga": saga}
    assert draft.changes == (FieldChange(field="currency", old="", new="EUR"), more)
    assert (draft.own, draft.prior_state) == ({"steps": 1}, RECORD)
    named = replace(ORDER, head=(Field("supplier_id", int, names="supplier"),))
    plain = replace(correction, doc=named, change=replace(correction.change, after={**goal, "supplier_id": 3}))
    assert plain.draft(rest, {}, [], own={"steps": 1}).own == {"supplier_id": 3, "steps": 1}
    assert plain.draft(rest, {}, []).own == {"supplier_id": 3}


def test_a_correction_that_something_speaks_against_sends_nothing() -> None:
    draft = refused(ORDER, resulting(currency="EUR"), {"id": 40})
    assert (draft.summary, draft.actions) == ("correct purchase order PO-40: currency EUR", ())
    assert (draft.prior_state, draft.one_way) == ({"id": 40}, ONE_WAY)
    assert refused(ORDER, resulting(currency="EUR"), None).prior_state is None


def test_what_a_roll_back_cannot_empty_is_told() -> None:
    update = [{"row_id": 17, "purchase_uom": "box", "quantity": 3}, {"row_id": 18, "purchase_uom": "pcs"}]
    change = resulting(currency="EUR", additional_info="x", order_no="PO-41", update_rows=update)
    end = "although it had none before"
    assert not_emptied(ORDER, change) == [
        f"after the roll-back, the order keeps currency and additional_info, {end}",
        f"after the roll-back, row 17 keeps purchase_uom, {end}",
    ]
    assert not_emptied(ORDER, resulting(order_no="PO-41")) == []
    bare = replace(ORDER, parts=(replace(ROWS, fields=ROWS.fields[:2]),))
    assert not_emptied(bare, change)[1:] == []


def told(warnings: Sequence[ToolWarning]) -> list[tuple[str, str | None, str | None, str]]:
    """Return severity, code, path and sentence of each warning."""
    return [(one.severity, one.code, one.field_path, one.message) for one in warnings]


def test_refusals_say_what_is_wrong() -> None:
    message = "order PO-40 already has these values: nothing would change"
    assert told([no_change("order PO-40")]) == [("blocking", "no_effective_change", None, message)]
    batches: list[State] = [{"quantity": Decimal("1.5")}, {"quantity": None}, {"quantity": 1}]
    sums = "rows[0].batches: they add up to 2.5, more than 2.4"
    expected = ("blocking", "batch_sum_mismatch", "rows[0].batches", sums)
    assert told([*batch_sum("rows[0].batches", batches, Decimal("2.4"))]) == [expected]
    assert told([*batch_sum("rows[0].batches", batches, Decimal("2.5"))]) == []
    assert [blocks(found) for found in ([], [advisory("x", "y")], [advisory("x", "y"), blocking("x", "y")])] == [
        False,
        False,
        True,
    ]
