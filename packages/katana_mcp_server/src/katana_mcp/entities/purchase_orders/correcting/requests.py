"""The requests of a correction, each with how it is told whether it happened: rows, receipts, costs and the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from cache_core.records import Json, Record, canonical
from katana_mcp.documents.correcting import LATER
from katana_mcp.documents.steps import body_of, id_of, patch_of, spec_of
from katana_mcp.documents.traces import TRACE
from katana_mcp.documents.transition import State
from katana_mcp.entities.purchase_orders.correcting.order import ALIKE, CALLED, RECEIPT
from katana_mcp.entities.purchase_orders.pricing import ROWS
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.entities.purchase_orders.receiving.plan import RECEIVE
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import get_int, number
from katana_mcp.writing.actions import SOME, Action, Recognise, on_record

_COSTS = "po_additional_cost_rows"
_EXPECTED = ("id", "variant_id", "quantity", "received_date", "location_id")
"""What of a row a look-up compares."""

type Pair = tuple[State, State | None]
"""A row as it is to be, and as it is; None where it is yet to be added."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests about one order, given its record as it is."""

    record: Record

    @property
    def key(self) -> int:
        """The id of the order."""
        return id_of(self.record)

    @property
    def called(self) -> str:
        """The order in words."""
        return f"purchase order {self.record.get('order_no')}"

    def reopen(self, then: Sequence[Record]) -> Action:
        """Return what takes all receipts back; `then` are the rows that are left."""
        title = f"reopen {self.called}: its goods leave stock until they are received again"
        left = [{name: row[name] for name in row if name not in {RECEIPT, TRACE, CALLED}} for row in then]
        return replace(self._patch(title, {"status": "NOT_RECEIVED"}), implies=canonical({ROWS: left}))

    def head(self, fields: Mapping[str, object]) -> Action:
        """Return what changes fields of the order."""
        return self._patch(f"change {', '.join(fields)} of {self.called}", fields)

    def _patch(self, title: str, fields: Mapping[str, object]) -> Action:
        body = patch_of(spec_of("purchase_orders"), fields, self.record)
        return on_record(title, "purchase_order", "purchase_orders", self.key, body)

    def change(self, target: Record, row: Record, fields: Mapping[str, object]) -> Action:
        """Return what changes fields of an open row."""
        return self._on_row("change", target, id_of(row), fields)

    def delete(self, row: Record) -> Action:
        """Return what deletes an open row."""
        return self._on_row("delete", row, id_of(row), None)

    def _on_row(self, verb: str, row: Record, key: int, fields: Mapping[str, object] | None) -> Action:
        body = None if fields is None else body_of(spec_of(ROWS).update, fields)
        called = f" ({row[CALLED]})" if row.get(CALLED) else ""
        action = on_record(f"{verb} row {key}{called} of {self.called}", "purchase_order", ROWS, key, body)
        return replace(action, record=self.key, part=ROWS, row=key)

    def add(self, row: Record, there: Sequence[int]) -> Action:
        """Return what adds a row beside those that are there."""
        held = {name: row[name] for name in (*ALIKE, "custom_fields") if row.get(name) is not None}
        body = body_of(spec_of(ROWS).create, {**held, "purchase_order_id": self.key})
        again = " again: reopening made it one with another row" if row.get("id") is not None else ""
        return Action(
            title=f"add {row.get(CALLED)} to {self.called}{again}",
            method="POST",
            path=f"/{ROWS}",
            body=body,
            entity="purchase_order",
            record=self.key,
            part=ROWS,
            expects=body,
            recognise=Recognise(
                collection=ROWS,
                filters={"purchase_order_id": self.key, "variant_id": row.get("variant_id")},
                besides=tuple(there),
            ),
        )

    def receive(self, title: str, others: Sequence[Record], now: Sequence[Pair]) -> Action:
        """Return what receives rows in one call, each on its date, at its location, with what it was traced by.

        Args:
            title: what it does.
            others: the other rows of the order.
            now: the rows.
        """
        sent = [_receipt(target, row) for target, row in now]
        is_over = all(row.get("received_date") is not None for row in others)
        came = [{"received_date": SOME, **_expected({**target, "id": (row or {}).get("id")})} for target, row in now]
        return Action(
            title=title,
            method="POST",
            path=RECEIVE,
            body=sent[0] if len(sent) == 1 else sent,
            entity="purchase_order",
            record=self.key,
            expects={"status": "RECEIVED" if is_over else "PARTIALLY_RECEIVED", ROWS: [*map(_expected, others), *came]},
            recognise=Recognise(collection="purchase_orders", filters={"ids": [self.key]}),
            is_answered=False,
        )

    def add_cost(self, cost: Record, group: object, there: Sequence[Record]) -> Action:
        """Return what adds a cost to the group of a receipt, beside the costs that are there."""
        held = {name: cost[name] for name in cost if name not in {"id", RECEIPT} and cost[name] is not None}
        body = {**body_of(spec_of(_COSTS).create, {**held, "group_id": 1}), "group_id": cast("Json", group)}
        place = get_int(cost, RECEIPT)
        where = "" if place is None else f" receipt {place + 1} of"
        return Action(
            title=f"put {_cost(cost)} on{where} {self.called} again",
            method="POST",
            path=f"/{_COSTS}",
            body=body,
            entity=COST,
            expects=body,
            document=("purchase_order", self.key),
            recognise=Recognise(
                collection=_COSTS,
                filters={"group_id": group, "additional_cost_id": cost.get("additional_cost_id")},
                besides=tuple(id_of(one) for one in there if one.get("group_id") == group),
            ),
        )

    def delete_cost(self, cost: Record) -> Action:
        """Return what deletes a cost from where reopening put it."""
        title = f"delete {_cost(cost)} from where reopening put it"
        return replace(on_record(title, COST, _COSTS, id_of(cost)), document=("purchase_order", self.key))


def _cost(cost: Record) -> str:
    price, name = number(cost, "price"), cost.get(CALLED) or cost.get("name") or cost.get("additional_cost_id")
    return f"additional cost {name}{'' if price is None else f' ({plain_number(price)})'}"


def _receipt(target: Record, row: Record | None) -> dict[str, Json]:
    key = {LATER: f"the id of the new row of {target.get(CALLED)}"} if row is None else id_of(row)
    held = {name: target[name] for name in ("received_date", "location_id") if target.get(name) is not None}
    trace = {"traceability": target[TRACE]} if target.get(TRACE) else {}
    return canonical({"purchase_order_row_id": key, "quantity": target["quantity"], **held, **trace})


def _expected(row: State) -> dict[str, Json]:
    return canonical({name: row[name] for name in _EXPECTED if row.get(name) is not None})
