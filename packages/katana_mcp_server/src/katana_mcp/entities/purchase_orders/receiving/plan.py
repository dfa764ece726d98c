"""What receiving sends, what is shown of it, and what nothing takes back: one request, all of it or nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cache_core.records import canonical
from katana_mcp.documents.steps import id_of
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.verbs import draft
from katana_mcp.entities.purchase_orders.following import follow
from katana_mcp.entities.purchase_orders.pricing import ROWS
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS, arriving
from katana_mcp.entities.purchase_orders.receiving.arrival import NOW, Arrival, arrivals, as_it_is, received
from katana_mcp.entities.purchase_orders.receiving.checks import against
from katana_mcp.entities.purchase_orders.receiving.request import ReceivePurchaseOrderRequest
from katana_mcp.entities.purchase_orders.showing import rows_in_words
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import EMPTY, rows
from katana_mcp.writing.actions import SOME, Action, JsonObject, Recognise
from katana_mcp.writing.change import Draft
from katana_mcp.writing.stock_moves import StockMove, described

RECEIVE = "/purchase_order_receive"
_EXPECTED = ("id", "variant_id", "quantity", "received_date", "location_id")
"""What of a row a look-up compares."""


def checks(request: ReceivePurchaseOrderRequest, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it."""
    order = as_it_is(facts, request.purchase_order_id)
    return against(facts, order, arrivals(request, facts, order))


def plan(request: ReceivePurchaseOrderRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    order = as_it_is(facts, request.purchase_order_id)
    came = arrivals(request, facts, order)
    change = received(facts, order, [arrival for arrival in came if arrival.portion.row is not None])
    is_lawful = not any(warning.severity == "blocking" for warning in against(facts, order, came))
    why, key = no_way_back(change, came), id_of(order)
    revert = {"purchase_order_id": key, "status": "NOT_RECEIVED", "unreceive": True}
    shown = draft(PURCHASE_ORDER, change, _summary(change, came))
    return replace(
        shown,
        actions=(_action(change, came),) if is_lawful and came else (),
        touches={"record": facts.record, "ingredients": list(facts.beside.get(INGREDIENTS, ())), **_named(came)},
        own={**shown.own, "still_open": [rows_in_words([row], change) for row in _open(change)]},
        stock=described(_moves(change, came), facts.levels),
        prior_state=facts.record,
        revert=None if why else {"tool": "modify_purchase_order", "arguments": revert},
        one_way=why,
    )


def _open(change: Transition) -> list[State]:
    return [row for row in rows(change.new, ROWS) if row.get("received_date") is None]


def _summary(change: Transition, came: Sequence[Arrival]) -> str:
    arrived = rows_in_words([arrival.came for arrival in came if arrival.portion.row is not None], change)
    still = rows_in_words(_open(change), change) or "nothing"
    return f"receive {arrived or 'nothing'} of {PURCHASE_ORDER.called(change.old)}; still open: {still}"


def _moves(change: Transition, came: Sequence[Arrival]) -> Iterator[StockMove]:
    for arrival in came:
        if arrival.portion.row is not None:
            yield from arriving(change, {**arrival.came, "id": arrival.portion.key}, f"{arrival.portion.path}.quantity")


def _named(came: Sequence[Arrival]) -> dict[str, object]:
    """Return which places were named, as ids."""
    return {"places": [arrival.place for arrival in came if arrival.place is not None]}


def _action(change: Transition, came: Sequence[Arrival]) -> Action:
    order = change.old
    key = id_of(order)
    sent = [_receipt(arrival) for arrival in came]
    then = [_expected(row) for row in rows(change.new, ROWS)]
    return Action(
        title=f"receive {so_many(len(sent), 'row')} of {PURCHASE_ORDER.called(order)}",
        method="POST",
        path=RECEIVE,
        body=sent[0] if len(sent) == 1 else sent,
        entity="purchase_order",
        record=key,
        expects={"status": change.new.get("status"), ROWS: then},
        recognise=Recognise(collection="purchase_orders", filters={"ids": [key]}),
        is_answered=False,
    )


def _receipt(arrival: Arrival) -> JsonObject:
    asked = arrival.portion.asked
    found: dict[str, object] = {"purchase_order_row_id": arrival.portion.key, "quantity": arrival.portion.quantity}
    if arrival.date is not None:
        found["received_date"] = arrival.date
    if arrival.place is not None:
        found["location_id"] = arrival.place
    if asked is not None and (asked.batches or asked.serial_number_ids):
        batches = [{"batch_id": one.batch_id, "quantity": one.quantity} for one in asked.batches]
        found["traceability"] = [*batches, *({"serial_number_id": one} for one in asked.serial_number_ids)]
    return canonical(found)


def _expected(row: State) -> JsonObject:
    """Return what of a row a look-up compares: a date that Katana's clock gives is only known to be there."""
    found = canonical({name: row[name] for name in _EXPECTED if name in row})
    return {**found, "received_date": SOME} if row.get("received_date") == NOW else found


def no_way_back(change: Transition, came: Sequence[Arrival]) -> str:
    """Return why nothing takes it back; nothing where taking all receipts back does."""
    order, after = change.old, change.new
    if after.get("status") != "RECEIVED":
        return "Katana can undo receipts only after the whole order was received"
    if order.get("status") == "PARTIALLY_RECEIVED":
        return "undoing receipts would also undo the earlier ones"
    if any(
        arrival.place not in (None, (arrival.portion.row or EMPTY).get("location_id", arrival.place))
        for arrival in came
    ):
        return "rows stay at the location where they were received"
    if len(rows(follow(after, {**after, "status": "NOT_RECEIVED"}), ROWS)) != len(rows(order, ROWS)):
        return "undoing receipts merges identical rows into one"
    return ""
