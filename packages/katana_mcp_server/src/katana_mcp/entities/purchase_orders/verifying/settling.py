"""The calls that would have an order agree with a document: each plans a change, and none is sent from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from cache_core.records import Record
from katana_mcp.documents.traces import TRACE, is_of_one, is_of_units, traces
from katana_mcp.entities.purchase_orders.correcting.showing import merged_units
from katana_mcp.entities.purchase_orders.verifying.responses import Call
from katana_mcp.entities.purchase_orders.verifying.sides import Side
from katana_mcp.entities.purchase_orders.verifying.units import exact
from katana_mcp.references.display_names import text
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import MAX_AMOUNT
from katana_mcp.values import get_int, number

CORRECT: Literal["correct_purchase_order"] = "correct_purchase_order"
MODIFY: Literal["modify_purchase_order"] = "modify_purchase_order"
_INEXACT = "it cannot be written exactly in the order's unit: change the row by hand"
DELETED = "the order was deleted in Katana"
UNDER_WAY = "a correction of the order is under way: see `warnings`"
_DRAFT = "the order is a draft: order it first, by modify_purchase_order with status NOT_RECEIVED"
_BILLED = (
    "the order is billed: correct_purchase_order with reopen_billed=true changes it, and may post to accounting again"
)
_CREATE = "use create_purchase_order"
NOT_ADDED = f"if it came, {_CREATE}"
_NEVER_CAME = f"it was received: only if it never came, {CORRECT} takes it off with `delete_row_ids`"
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
        closed: why nothing of it is changed now; None where it may be.
        is_billed: whether bills of it stand in accounting.
        uncorrectable: why what was received of it cannot be corrected by a call; None where it may be.
    """

    order: int
    status: str | None
    closed: str | None = None
    is_billed: bool = False
    uncorrectable: str | None = None

    @property
    def locked(self) -> str | None:
        """Why no call corrects what was received; None where one does."""
        if self.closed is not None:
            return self.closed
        if self.uncorrectable is not None:
            return f"{self.uncorrectable}: correct it in Katana"
        if self.status != "RECEIVED":
            return _LOCKED
        return _BILLED if self.is_billed else None

    def modify(self, **arguments: object) -> Way:
        """Return the call that changes the order so."""
        if self.closed is not None:
            return Way(no_call=self.closed)
        return Way(Call(tool=MODIFY, arguments={"purchase_order_id": self.order, **arguments}))

    def correct(self, **arguments: object) -> Way:
        """Return the call that corrects the order so, where all of it was received."""
        if self.locked is not None:
            return Way(no_call=self.locked)
        return Way(Call(tool=CORRECT, arguments={"purchase_order_id": self.order, **arguments}))

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
            came = [row for row in side.rows if _plain(row.get(name)) != value]
            return self.correct(update_rows=_changed(came, name, value)) if came else Way(no_call=_LOCKED)
        return self.modify(update_rows=_changed(rows, name, value))

    def quantity_of(self, side: Side, more: Fraction) -> Way:
        """Return the call that orders more of a good, or less where `more` is less than nothing."""
        rows = side.open_rows
        if not rows:
            return self._more(side, more)
        then = Fraction(_quantity(rows[-1])) + more
        if then <= 0:
            return Way(
                no_call=f"{len(rows)} open rows of {side.good.called} would change: choose one and change it by hand"
            )
        return self.row_set(rows[-1], "quantity", then)

    def _more(self, side: Side, more: Fraction) -> Way:
        """Return the call that orders more of a good that came; a received order takes no more of it by guess."""
        if self.closed is not None or more <= 0:
            return Way(no_call=self.locked)
        if self.status == "RECEIVED":
            how = self.locked or f"correct the quantity with {CORRECT}"
            return Way(no_call=f"if it is of another delivery, {_CREATE}; if more came than was received, {how}")
        last = side.rows[-1]
        return self.added(side, more, last.get("price_per_unit"), get_int(last, "tax_rate_id"))

    def came(self, side: Side, more: Fraction) -> Way:
        """Return the call that corrects how much of a good was received, where all of the order was."""
        if self.locked is not None:
            return Way(no_call=self.locked)
        if len(side.rows) > 1 or not side.is_alone:
            return Way(no_call=_SEVERAL)
        amount = _sendable(Fraction(_quantity(side.rows[0])) + more)
        if not amount:
            return Way(no_call=_INEXACT)
        traced = _traced(side.rows[0])
        if traced is not None:
            return Way(no_call=traced)
        return self.correct(update_rows=_changed(side.rows, "quantity", plain_number(amount)))

    def added(self, side: Side, quantity: Fraction, price: object, tax_rate: int | None) -> Way:
        """Return the call that adds a row of a good; `price` and `tax_rate`, an id, None where its own ones fit."""
        amount = _sendable(quantity)
        if not amount:
            return Way(no_call=_INEXACT)
        row: dict[str, object] = {"sku_or_variant_id": side.good.variant_id, "quantity": plain_number(amount)}
        if price is not None:
            row["price_per_unit"] = _plain(price)
        if tax_rate is not None:
            row["tax_rate_id"] = tax_rate
        if self.status == "RECEIVED":
            if self.closed is None and self.uncorrectable is not None:
                return Way(no_call=f"{self.uncorrectable}: {NOT_ADDED}")
            return self.correct(add_rows=[row])
        if side.rows and side.unit.name is not None:
            row |= {"purchase_uom": side.unit.name, "purchase_uom_conversion_rate": plain_number(side.unit.rate)}
        return self.modify(add_rows=[row])

    def dropped(self, side: Side, *, has_others: bool) -> Way:
        """Return the call that takes the open rows of a good off the order, where rows of others stay."""
        ids = [get_int(row, "id") for row in side.open_rows]
        if not ids:
            return Way(no_call=self.locked or _NEVER_CAME)
        if not has_others:
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


def uncorrectable(order: Record) -> str | None:
    """Return why no call corrects what was received of an order, whatever is corrected; None where one may."""
    if text(order, "entity_type") == "outsourced":
        return "the order is outsourced, and a correction would lose what its ingredients were taken from"
    merged = merged_units(order) if text(order, "status") == "RECEIVED" else []
    ids = ", ".join(map(str, merged))
    return f"reopening the order would make one row of rows {ids} with serial numbers" if merged else None


def _changed(rows: Sequence[Record], name: str, value: object) -> list[Record]:
    return [{"row_id": get_int(row, "id"), name: value} for row in rows]


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
