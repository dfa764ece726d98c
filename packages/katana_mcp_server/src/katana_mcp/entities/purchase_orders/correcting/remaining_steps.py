"""What is left to do so that an order gets from how it is to how it is to be: reopen, edit, receive again, costs.

Each step is planned from the order as it is. An open row that is too much, as one that was added twice, is deleted.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cache_core.records import Record
from katana_client.models.purchase_orders import PurchaseOrder
from katana_mcp.documents.correcting import LATER, check_expected
from katana_mcp.documents.steps import id_of
from katana_mcp.documents.traces import TRACE
from katana_mcp.documents.transition import State
from katana_mcp.entities.purchase_orders.correcting.matching import Matched, matched
from katana_mcp.entities.purchase_orders.correcting.order import (
    ALIKE,
    HEAD,
    RECEIPT,
    by_receipt,
    cost_as,
    is_as,
    is_like,
    order_of,
)
from katana_mcp.entities.purchase_orders.correcting.requests import Requests
from katana_mcp.entities.purchase_orders.following import follow
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS
from katana_mcp.tools.answers import so_many
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEFORE, GOAL, Astray
from katana_mcp.writing.meaning import same


def rest(saga: JsonObject, now: JsonObject) -> Sequence[Action]:
    """Return what is left to do; the first step names only what is there.

    Args:
        saga: the order as it was, as it is to be, and whether it goes back.
        now: its record and its costs, as Katana has them.

    Raises:
        Astray: somebody else changed the order so that nothing is certain.
    """
    before, goal = (cast("State", saga[name]) for name in (BEFORE, GOAL))
    record = cast("Record", now["record"])
    expected = (*rows(before, ROWS), *rows(goal, ROWS))
    steps = _Steps(before if saga[BACK] else goal, expected, Requests(record))
    return list(steps.left(order_of(record, rows(now, "costs"))))


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps towards an order as it is to be; `expected` are all rows that were or are to be."""

    goal: State
    expected: Sequence[Record]
    ask: Requests

    def left(self, order: State) -> Iterator[Action]:
        """Yield what is left to do."""
        if order["status"] == "DRAFT":
            raise Astray(f"{self.ask.called} was made a draft by somebody else: order it again in Katana first")
        check_expected(self.expected, rows(order, ROWS), is_like)
        found, away = matched(self.goal, order), self._head_fields(order)
        if found.has_all and not away:
            yield from self._costs(found.receipts, rows(order, COSTS))
            return
        if found.is_odd or (found.receipts and away):
            order = yield from self._reopened(order)
        order = yield from self._head(order)
        found = matched(self.goal, order)
        yield from self._rows(found)
        yield from self._receipts(order, found)

    def _reopened(self, order: State) -> Generator[Action, None, State]:
        """Yield what opens an order again: Katana takes receipts back only once everything has come."""
        still = [row for row in rows(order, ROWS) if row.get("received_date") is None]
        if still:
            title = f"receive the rest of {self.ask.called}: Katana reopens only what was received completely"
            others = [row for row in rows(order, ROWS) if row.get("received_date") is not None]
            yield self.ask.receive(title, others, [(self._as_expected(row), row) for row in still])
        opened = follow(order, {**order, "status": "NOT_RECEIVED"})
        after: list[Record] = [{**row, TRACE: (), RECEIPT: None} for row in rows(opened, ROWS)]
        yield self.ask.reopen(after)
        return {**opened, ROWS: after}

    def _as_expected(self, row: Record) -> Record:
        """Return an open row as it is expected, without the date on which it came."""
        match = next((one for one in self.expected if is_as(one, row)), row)
        return {**match, "received_date": None}

    def _head_fields(self, order: State) -> dict[str, object]:
        """Return the fields of the head that are otherwise than they are to be."""
        head = {name: self.goal[name] for name in HEAD if self.goal.get(name) is not None}
        return {name: value for name, value in head.items() if not same(PurchaseOrder, name, value, order.get(name))}

    def _head(self, order: State) -> Generator[Action, None, State]:
        fields = self._head_fields(order)
        if not fields:
            return order
        yield self.ask.head(fields)
        return follow(order, {**order, **fields})

    def _rows(self, found: Matched) -> Iterator[Action]:
        """Yield changes, additions and deletions of open rows."""
        there = [id_of(row) for row in (*(row for _, row in found.rows if row is not None), *found.surplus)]
        for target, row in found.rows:
            if row is not None and (fields := _difference(target, row)):
                yield self.ask.change(target, row, fields)
        yield from (self.ask.add(target, there) for target, row in found.rows if row is None)
        yield from (self.ask.delete(row) for row in found.surplus)

    def _receipts(self, order: State, found: Matched) -> Iterator[Action]:
        """Yield a receipt for each that is missing, the oldest first, and then what becomes of the costs."""
        groups: dict[int, object] = dict(found.receipts)
        places, count = sorted({get_int(target, RECEIPT) or 0 for target, _ in found.rows}), len(by_receipt(self.goal))
        came = [row for row in rows(order, ROWS) if row.get("received_date") is not None]
        for place in places:
            now = [pair for pair in found.rows if pair[0].get(RECEIPT) == place]
            later = [row or target for target, row in found.rows if (get_int(target, RECEIPT) or 0) > place]
            title = f"receive {so_many(len(now), 'row')} of {self.ask.called} again"
            number = f" (receipt {place + 1} of {count})" if count > 1 else ""
            still = [{**row, "received_date": None} for row in later]
            yield self.ask.receive(f"{title}{number}", [*came, *still], now)
            came += [{**target, "id": None if row is None else row.get("id")} for target, row in now]
            later_group = {LATER: f"the group of receipt {place + 1}"}
            groups[place] = order.get("default_group_id") if count == 1 else later_group
        default = order.get("default_group_id")
        yield from self._costs(groups, [{**cost, "group_id": default} for cost in rows(self.goal, COSTS)])

    def _costs(self, groups: Mapping[int, object], there: Sequence[Record]) -> Iterator[Action]:
        """Yield the costs that are missing on their receipts, and then those that are left over on others."""
        default, left = self.ask.record.get("default_group_id"), list(there)
        missing: list[tuple[Record, object]] = []
        for cost in rows(self.goal, COSTS):
            place = get_int(cost, RECEIPT)
            group = default if place is None else groups.get(place, default)
            match = next((one for one in left if one.get("group_id") == group and cost_as(cost, one)), None)
            if match is None:
                missing.append((cost, group))
            else:
                left.remove(match)
        yield from (self.ask.add_cost(cost, group, there) for cost, group in missing)
        ours = [cost for cost in left if any(cost_as(one, cost) for one in rows(self.goal, COSTS))]
        yield from (self.ask.delete_cost(cost) for cost in ours)


def _difference(target: Record, row: Record) -> dict[str, object]:
    """Return the fields of a row that are otherwise than they are to be."""
    return {name: target[name] for name in ALIKE if not is_as(target, row, (name,))}
