"""An action sent once: which answers count as Katana's own, and what each of the others means."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from katana_client.exchange import Call, ExchangeFailed, Reply
from katana_client.sending import Answer
from katana_client.testing import FakeClient, listing, reply
from katana_mcp.journal.entries import ActionState
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.actions import Action, JsonObject, Recognise, Ref
from katana_mcp.writing.sending import lacking, send, surprises

if TYPE_CHECKING:
    from katana_client import KatanaClient

LOOK = Recognise(collection="customers", filters={"name": "Ann"})
NEW = Action(
    title="new customer",
    method="POST",
    path="/customers",
    body={"name": "Ann"},
    entity="customer",
    expects={"name": "Ann"},
    recognise=LOOK,
)
GONE = replace(NEW, method="DELETE", path="/customers/5", body=None, record=5, expects={})
ANN: JsonObject = {"id": 5, "name": "Ann"}


class Sending(FakeClient):
    """A client that sends what was planned; listings have rows of their own."""

    def __init__(self, answer: Reply | ExchangeFailed, rows: Sequence[object] = ()) -> None:
        def answered(call: Call) -> Reply:
            if call.method == "GET":
                return listing(rows, call)
            if isinstance(answer, ExchangeFailed):
                raise answer
            return answer

        super().__init__(answered)

    async def send(self, call: Call) -> Answer:
        """Send one call."""
        return await self.sender.send(call)


async def ended(
    action: Action, answer: Reply | ExchangeFailed, rows: Sequence[object] = ()
) -> tuple[ActionState, list[str]]:
    """Return how an action ends that is answered like this, and the methods of what was asked."""
    client = Sending(answer, rows)
    state = await send(action, {}, cast("KatanaClient", client))
    return state, [call.method for call in client.wire.calls]


def unclear(status: int, rows: int = 0, as_planned: int = 0) -> ActionState:
    """Return what is known after an answer that shows nothing, and a look that finds nothing."""
    why = f"Katana's answer ({status}) does not show what was written"
    asked = {"asked": "GET /customers name=Ann", "rows": rows, "as_planned": as_planned}
    return ActionState("unknown", None, why, asked)


async def test_what_was_planned_is_sent_as_it_is_with_what_was_answered_before() -> None:
    client = Sending(reply({"id": 9}))
    action = replace(
        NEW, path="/customers/{}/addresses", body={"of": Ref(0, "id"), "city": "Riga"}, target=Ref(0, "id")
    )
    state = await send(replace(action, answers="customer_addresses"), {0: {"id": 5}}, cast("KatanaClient", client))
    assert state == ActionState("applied", {"id": 9})
    assert client.wire.calls == [Call("POST", "/customers/5/addresses", (), {"of": 5, "city": "Riga"})]


async def test_what_refers_to_nothing_is_not_sent() -> None:
    client = Sending(reply({"id": 9}))
    state = await send(replace(NEW, body={"of": Ref(0, "id")}), {0: {"id": None}}, cast("KatanaClient", client))
    assert state == ActionState("failed", error="an earlier answer of Katana does not contain the value it needs: id")
    assert client.wire.calls == []
    assert lacking(LookupError("rows.0")) == ("an earlier answer of Katana does not contain the value it needs: rows.0")


async def test_what_katana_refuses_was_not_done_and_is_not_looked_up() -> None:
    refused = reply({"statusCode": 422, "name": "UnprocessableEntityError", "message": "no"}, 422)
    assert await ended(NEW, refused, [ANN]) == (
        ActionState("failed", error="POST /customers: 422 no"),
        ["POST"],
    )


async def test_what_may_have_happened_is_looked_up() -> None:
    state, methods = await ended(NEW, reply(b"", 502), [ANN])
    assert (state.state, state.result, methods) == ("applied", ANN, ["POST", "GET"])
    state, _ = await ended(NEW, reply(b"", 502))
    assert (state.state, "POST /customers" in (state.error or "")) == ("unknown", True)
    # That Katana did not say that it was done: an empty listing proves no deletion.
    assert (await ended(GONE, reply(b"", 502)))[0].state == "unknown"


@pytest.mark.parametrize(("sent", "state", "asked"), [(False, "failed", set[str]()), (True, "unknown", {"GET"})])
async def test_what_never_left_was_not_done_and_what_may_have_arrived_is_looked_up(
    sent: bool, state: str, asked: set[str]
) -> None:
    found, methods = await ended(NEW, ExchangeFailed("no connection", sent=sent))
    assert (found.state, set(methods) - {"POST"}, "no connection" in (found.error or "")) == (state, asked, True)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (reply({"id": 5, "name": "Ann"}), ANN),
        (reply({"id": 5, "name": "Ann"}, 201), ANN),
        (reply({"id": "x"}), {"id": "x"}),
        # An id that is none, no record at all, a page of a gateway.
        (reply({"id": True}), None),
        (reply({"name": "Ann"}), None),
        (reply([{"id": 5}]), None),
        (reply(b"<html>", 200), None),
        (reply(b"", 204), None),
    ],
)
async def test_a_record_was_written_where_an_answer_has_its_id(answer: Reply, result: JsonObject | None) -> None:
    state, methods = await ended(NEW, answer)
    if result is None:
        assert (state, methods) == (unclear(answer.status), ["POST", "GET"])
    else:
        assert (state, methods) == (ActionState("applied", result), ["POST"])


async def test_an_answer_is_kept_without_the_quirks_of_the_wire() -> None:
    action = replace(NEW, path="/purchase_orders", answers="purchase_orders")
    state, _ = await ended(action, reply({"id": 5, "total": "1.50", "supplier": {}}))
    assert repr(state.result) == "{'id': 5, 'total': Decimal('1.50'), 'supplier': None}"


EMPTY = ActionState("applied", None)


@pytest.mark.parametrize(
    ("answer", "is_done"),
    [
        (reply(b"", 204), True),
        (reply(b" \n", 204), True),
        (reply(b"x", 204), False),
        (Reply(204, {}, b"", complete=False), False),
        (reply(b"", 200), False),
        (reply({"id": 5}), False),
    ],
)
async def test_a_deletion_is_answered_with_nothing(answer: Reply, is_done: bool) -> None:
    for action in (GONE, replace(NEW, is_answered=False)):
        state, methods = await ended(action, answer, [ANN, {**ANN, "id": 6}])
        assert ((state.state, methods) == ("applied", [action.method])) is is_done
        assert (state == EMPTY) is is_done


async def test_a_success_that_says_nothing_of_a_deletion_is_believed_when_the_record_is_gone() -> None:
    asked = {"asked": "GET /customers name=Ann, include_deleted=True", "rows": 0, "as_planned": 0}
    assert (await ended(GONE, reply(b"", 200)))[0] == ActionState("applied", None, None, asked)


MANY = replace(NEW, answers_many=2, expects={"customers": [{"name": "Ann"}]})


@pytest.mark.parametrize(
    ("value", "is_done"),
    [
        ([{"id": 1}, {"id": 2}], True),
        ({"data": [{"id": 1}, {"id": 2}]}, True),
        ([{"id": 1}], False),
        ([{"id": 1}, {"id": 2}, {"id": 3}], False),
        ([{"id": 1}, {"id": None}], False),
        ([{"id": 1}, {}], False),
        ({}, False),
    ],
)
async def test_many_records_were_made_where_an_answer_has_all_their_ids(value: object, is_done: bool) -> None:
    state, methods = await ended(MANY, reply(value))
    assert (state.state, methods) == (("applied", ["POST"]) if is_done else ("unknown", ["POST", "GET"]))


async def test_many_records_without_an_answer_were_made_where_it_is_empty() -> None:
    assert await ended(replace(MANY, is_answered=False), reply(b"", 204)) == (EMPTY, ["POST"])
    assert (await ended(replace(MANY, is_answered=False), reply([{"id": 1}, {"id": 2}])))[0].state == "unknown"


RANKED = replace(NEW, body={"ids": [1, "2"], "to": 3}, answers_ids="ids", expects={})


@pytest.mark.parametrize(
    ("answer", "is_done"),
    [
        (reply({"ids": [1, "2"]}), True),
        (reply({"ids": ["2", 3, 1]}), True),
        (reply({"ids": [1]}), False),
        (reply({"ids": [1, 2]}), False),
        (reply({"ids": 1}), False),
        (reply({"other": [1, "2"]}), False),
        (reply({"ids": [1, "2"]}, 201), False),
        (reply([1, "2"]), False),
        (reply(b"", 204), True),
        (reply(b"", 200), False),
    ],
)
async def test_what_is_answered_with_ids_was_done_where_all_that_were_sent_are_among_them(
    answer: Reply, is_done: bool
) -> None:
    assert ((await ended(RANKED, answer))[1] == ["POST"]) is is_done


ECHOED = replace(NEW, body={"name": "Ann", "phone": "1"}, answers_body=True)


@pytest.mark.parametrize(
    ("answer", "is_done"),
    [
        (reply({"name": "Ann", "phone": "1", "more": 2}), True),
        (reply({"name": "Ann"}), False),
        (reply({"name": "Ann", "phone": "2"}), False),
        (reply({"name": "Ann", "phone": "1"}, 201), False),
        (reply([{"name": "Ann", "phone": "1"}]), False),
        (reply(b"", 204), False),
    ],
)
async def test_what_is_answered_with_its_body_was_done_where_all_of_it_came_back(answer: Reply, is_done: bool) -> None:
    assert ((await ended(ECHOED, answer))[1] == ["POST"]) is is_done


EXPECTING = replace(NEW, expects={"name": "Ann", "phone": None, "email": "a"})


@pytest.mark.parametrize(
    ("action", "state", "messages"),
    [
        (EXPECTING, ActionState("applied", {"name": "Ann", "email": "a"}), []),
        (EXPECTING, ActionState("applied", {"name": "Ann"}), []),
        (
            EXPECTING,
            ActionState("applied", {"name": "Bob", "phone": 7, "email": "a"}),
            ["new customer: name is Bob, not Ann", "new customer: phone is 7, not None"],
        ),
        (EXPECTING, ActionState("applied", {}), []),
        (EXPECTING, ActionState("applied"), []),
        (replace(EXPECTING, is_answered=False), ActionState("applied", {"name": "Bob"}), []),
    ],
)
def test_what_an_answer_says_otherwise_than_planned_is_told(
    action: Action, state: ActionState, messages: list[str]
) -> None:
    assert surprises(action, state) == [advisory(warning_codes.UNEXPECTED_RESULT, text) for text in messages]
