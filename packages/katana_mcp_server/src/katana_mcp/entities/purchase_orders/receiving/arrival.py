"""An order before and after what has come of it: rows that have come in part become two, as Katana makes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cache_core.records import Record, canonical
from katana_mcp.documents.quantities import Portion, portions
from katana_mcp.documents.states import between, transition
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.purchase_orders.pricing import ROWS
from katana_mcp.entities.purchase_orders.receiving.request import ReceivedRow, ReceivePurchaseOrderRequest
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER, WRITES
from katana_mcp.values import EMPTY, get_int, number, rows

NOW = "when it is applied"
"""The receipt date of what comes without one: Katana's clock gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What has come of a row.

    Attributes:
        portion: how much of it, in purchase units.
        date: when it came; None where Katana's clock says.
        place: where it came to; None where it came to where it was expected.
    """

    portion: Portion[ReceivedRow]
    date: str | None
    place: int | None

    @property
    def came(self) -> State:
        """The row as it has come; a part of one has no id yet."""
        row = self.portion.row or EMPTY
        place = {} if self.place is None else {"location_id": self.place}
        kept = row if self.portion.is_whole else {name: value for name, value in row.items() if name != "id"}
        return {**kept, "quantity": self.portion.quantity, "received_date": self.date or NOW, **place}


def as_it_is(facts: Facts, order: int | str) -> State:
    """Return the order as it is."""
    asked = WRITES["modify"].request.model_validate({"purchase_order_id": order})
    return transition(PURCHASE_ORDER, "modify", asked, facts).before or EMPTY


def arrivals(request: ReceivePurchaseOrderRequest, facts: Facts, order: State) -> list[Arrival]:
    """Return what has come: what is named, or all that is open."""
    held = {get_int(row, "id") or 0: row for row in rows(order, ROWS)}
    still = {key: _quantity(row) for key, row in held.items() if row.get("received_date") is None}
    found: list[Arrival] = []
    for portion in portions(request.rows, held, still):
        asked = portion.asked
        location = None if asked is None else facts.one("location", asked.location_id)
        date = _date((asked and asked.received_date) or request.received_date)
        found.append(Arrival(portion=portion, date=date, place=None if location is None else location.id))
    return found


def _quantity(row: State) -> Decimal:
    return number(row, "quantity") or Decimal(0)


def _date(given: object) -> str | None:
    return None if given is None else str(canonical({"date": given})["date"])


def received(facts: Facts, order: State, came: Sequence[Arrival]) -> Transition:
    """Return the order before and after, as every other change of it is looked at."""
    after: dict[str, object] = {**order, ROWS: list(_rows(order, {arrival.portion.key: arrival for arrival in came}))}
    is_over = all(row.get("received_date") is not None for row in rows(after, ROWS))
    after["status"] = "RECEIVED" if is_over else "PARTIALLY_RECEIVED"
    return between(PURCHASE_ORDER, facts, order, after)


def _rows(order: State, came: Mapping[int, Arrival]) -> Iterator[Record]:
    for row in rows(order, ROWS):
        arrival = came.get(get_int(row, "id") or 0)
        if arrival is None:
            yield row
            continue
        if not arrival.portion.is_whole:
            yield {**row, "quantity": _quantity(row) - arrival.portion.quantity}
        yield arrival.came
