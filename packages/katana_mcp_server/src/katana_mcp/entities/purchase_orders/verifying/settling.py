"""The calls that would have an order agree with a document: each plans a change, and none is sent from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from cache_core.records import Record
from katana_mcp.documents.traces import TRACE, is_of_one, is_of_units, traces
from katana_mcp.entities.purchase_orders.verifying.responses import Call
from katana_mcp.entities.purchase_orders.verifying.sides import Side
from katana_mcp.entities.purchase_orders.verifying.units import exact
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import MAX_AMOUNT
from katana_mcp.values import get_int, number

CORRECT: Literal["correct_purchase_order"] = "correct_purchase_order"
_INEXACT = "it cannot be written exactly in the order's unit: change the row by hand"
DELETED = "the order was deleted in Katana"
UNDER_WAY = "a correction of the order is under way: see `warnings`"
_DRAFT = "the order is a draft: order it first, by modify_purchase_order with status NOT_RECEIVED"
_BILLED = (
    "the order is billed: correct_purchase_order with reopen_billed=true changes it, and may post to accounting again"
)
_SEVERAL = "several rows of the order are of this item: correct the right one with correct_purchase_order"
_LOCKED = (
    "received rows can no longer be changed; correct_purchase_order corrects them when all of the order is received"
)


@dataclass(frozen=True, slots=True)
class Way:
    """The call that settles a difference, or why none does."""

    settle: Call | None = None
    no_call: str | None = None


@dataclass(frozen=True, slots=True)
class Settling:
    """The calls of one order.

    Attributes:
        order: its id.
        status: as it is.
        row_count: of all of its rows.
        closed: why nothing of it is changed now; None where it may be.
        is_billed: whether bills of it stand in accounting.
    """

    order: int
    status: str | None
    row_count: int
    closed: str | None = None
    is_billed: bool = False

    def modify(self, **arguments: object) -> Way:
        """Return the call that changes the order so."""
        if self.closed is not None:
            return Way(no_call=self.closed)
        return Way(Call(tool="modify_purchase_order", arguments={"purchase_order_id": self.order, **arguments}))

    def correct(self, rows: Sequence[Record], name: str, value: object) -> Way:
        """Return the call that corrects a field of received rows, where Katana reopens the order."""
        if self.closed is not None:
            return Way(no_call=self.closed)
        if self.status != "RECEIVED" or not rows:
            return Way(no_call=_LOCKED)
        if self.is_billed:
            return Way(no_call=_BILLED)
        changed = [{"row_id": get_int(row, "id"), name: value} for row in rows]
        return Way(Call(tool=CORRECT, arguments={"purchase_order_id": self.order, "update_rows": changed}))

    def row_set(self, row: Record, name: str, value: Fraction) -> Way:
        """Return the call that sets an amount of an open row."""
        amount = _sendable(value)
        if amount is None or (name == "quantity" and not amount):
            return Way(no_call=_INEXACT)
        return self.modify(update_rows=[{"row_id": get_int(row, "id"), name: plain_number(amount)}])

    def rows_priced(self, side: Side, price: Fraction) -> Way:
        """Return the call that gives the open rows of a good a price."""
        amount = _sendable(price)
        if amount is None:
            return Way(no_call=_INEXACT)
        return self.rows_changed(side, "price_per_unit", plain_number(amount))

    def rows_changed(self, side: Side, name: str, value: object) -> Way:
        """Return the call that sets a field of the open rows of a good that have another value."""
        rows = [row for row in side.open_rows if _plain(row.get(name)) != value]
        if not rows:
            return self.correct([row for row in side.rows if _plain(row.get(name)) != value], name, value)
        return self.modify(update_rows=[{"row_id": get_int(row, "id"), name: value} for row in rows])

    def quantity_of(self, side: Side, more: Fraction) -> Way:
        """Return the call that orders more of a good, or less where `more` is less than nothing."""
        rows = side.open_rows
        if not rows:
            price = side.rows[-1].get("price_per_unit")
            return self.added(side, more, price) if more > 0 else Way(no_call=_LOCKED)
        then = Fraction(_quantity(rows[-1])) + more
        if then <= 0:
            return Way(
                no_call=f"{len(rows)} open rows of {side.good.called} would change: choose one and change it by hand"
            )
        return self.row_set(rows[-1], "quantity", then)

    def came(self, side: Side, more: Fraction) -> Way:
        """Return the call that corrects how much of a good was received, where all of the order was."""
        if len(side.rows) > 1 or not side.is_alone:
            return Way(no_call=_SEVERAL)
        amount = _sendable(Fraction(_quantity(side.rows[0])) + more)
        if not amount:
            return Way(no_call=_INEXACT)
        way = self.correct(side.rows, "quantity", plain_number(amount))
        traced = _traced(side.rows[0])
        return way if way.settle is None or traced is None else Way(no_call=traced)

    def added(self, side: Side, quantity: Fraction, price: object) -> Way:
        """Return the call that adds a row of a good to the order; `price` None where its own one fits."""
        if self.status == "RECEIVED":
            return Way(no_call="no rows can be added to a received order: use create_purchase_order")
        amount = _sendable(quantity)
        if not amount:
            return Way(no_call=_INEXACT)
        row: dict[str, object] = {"sku_or_variant_id": side.good.variant_id, "quantity": plain_number(amount)}
        if price is not None:
            row["price_per_unit"] = _plain(price)
        if side.rows and side.unit.name is not None:
            row |= {"purchase_uom": side.unit.name, "purchase_uom_conversion_rate": plain_number(side.unit.rate)}
        return self.modify(add_rows=[row])

    def dropped(self, side: Side) -> Way:
        """Return the call that takes the open rows of a good off the order."""
        ids = [get_int(row, "id") for row in side.open_rows]
        if not ids:
            return Way(no_call=_LOCKED)
        if len(ids) == self.row_count:
            return Way(no_call="the order would have no rows left; use delete_purchase_order to delete it")
        return self.modify(delete_row_ids=ids)

    def received(self, sides: Sequence[Side], unread: Sequence[Side] = ()) -> Way:
        """Return the call that receives what came of these goods, as far as it is open; of others that is not known."""
        if self.closed is not None or self.status == "DRAFT":
            return Way(no_call=self.closed or _DRAFT)
        rows = [row for side in sides for row in _receipts(side)]
        if not rows and unread:
            side = unread[0]
            why = too_little(side) if side.is_nothing else f"how much of {side.good.called} came is not known"
            return Way(no_call=f"{why}: see the differences")
        if not rows:
            return Way(no_call="nothing is left to receive")
        arguments: dict[str, object] = {"purchase_order_id": self.order, "rows": rows}
        return Way(Call(tool="receive_purchase_order", arguments=arguments))


def too_little(side: Side) -> str:
    """Return what is wrong with lines that come to nothing, or to less."""
    if len(side.lines) == 1:
        return f"the quantity of line {side.places[0]} has to be more than 0"
    return f"the quantities of lines {', '.join(map(str, side.places))} have to come to more than 0"


def corrected_lines(side: Side) -> Way:
    """Return that lines which come to nothing, or to less, are to be corrected on the document's side."""
    how = "correct it, or leave the line out" if len(side.lines) == 1 else "correct them, or leave the lines out"
    return Way(no_call=f"{too_little(side)}: {how}, and compare again")


def _traced(row: Record) -> str | None:
    """Return why a received row comes in another quantity only once it is said of what; None where it need not be."""
    held = {**row, TRACE: traces(row)}
    if not held[TRACE] or is_of_one(held):
        return None
    what, named = ("serial numbers", "serial_number_ids") if is_of_units(held) else ("batches", "batches")
    return f"row {get_int(row, 'id')} came in {what}: {CORRECT} changes it with its `{named}` named"


def _receipts(side: Side) -> list[Mapping[str, object]]:
    """Return what came of each open row, those that are expected first at first."""
    left, found = side.quantity or Fraction(0), list[Mapping[str, object]]()
    for row in side.open_rows:
        came = _sendable(min(left, Fraction(_quantity(row))))
        if came:
            found.append({"row_id": get_int(row, "id"), "quantity": plain_number(came)})
            left -= Fraction(came)
    return found


def _quantity(row: Record) -> Decimal:
    return number(row, "quantity") or Decimal(0)


def _sendable(value: Fraction) -> Decimal | None:
    return exact(value) if 0 <= value <= MAX_AMOUNT else None


def _plain(value: object) -> object:
    return plain_number(value) if isinstance(value, Decimal) else value
