"""The two sides of a comparison: what an order holds of each good, and what the lines of a document say of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.amounts import Amount, amount, decimal_mark
from katana_mcp.entities.purchase_orders.verifying.matching import OrderedGood
from katana_mcp.entities.purchase_orders.verifying.request import DocumentLine, VerifyOrderDocumentRequest
from katana_mcp.entities.purchase_orders.verifying.units import OrderUnit, Unit, in_one, unit
from katana_mcp.references.display_names import text
from katana_mcp.values import number


@dataclass(frozen=True)
class Line:
    """A line of a document as it is read; `place` counts from 1."""

    place: int
    asked: DocumentLine
    quantity: Amount
    price: Amount

    @property
    def problems(self) -> list[str]:
        """Why an amount of it has no value."""
        return [problem for value in (self.quantity, self.price) if (problem := value.problem)]

    @cached_property
    def unit(self) -> Unit:
        """The unit that it says: one that it is given, else what stands behind its quantity."""
        return (
            Unit(holds=self.asked.unit_holds) if self.asked.unit_holds else unit(self.asked.unit or self.quantity.rest)
        )

    @cached_property
    def unit_price(self) -> Fraction | None:
        """Its price of one unit."""
        per = Fraction(self.asked.price_per or 1)
        return None if self.price.value is None else Fraction(self.price.value) / per

    @property
    def total(self) -> Fraction | None:
        """What it comes to without tax."""
        price = self.unit_price
        return None if price is None or self.quantity.value is None else price * Fraction(self.quantity.value)


def read_lines(request: VerifyOrderDocumentRequest) -> list[Line]:
    """Return the lines as they are read; what stands before decimals is told by those that can mean one thing only."""
    written = [value for line in request.lines for value in (line.quantity, line.price)]
    mark = decimal_mark([*written, request.net_total, request.tax_total, request.total])
    return [
        Line(place, line, amount(line.quantity, mark), amount(line.price, mark))
        for place, line in enumerate(request.lines, 1)
    ]


@dataclass(frozen=True, kw_only=True)
class Side:
    """A good of an order with its rows, and the lines that mean it; whether it stands in one unit there.

    What is added up is so once: no line is added after that.
    """

    good: OrderedGood
    rows: Sequence[Record]
    unit: OrderUnit
    is_alone: bool = True
    lines: list[Line] = field(default_factory=list[Line])
    by: list[str] = field(default_factory=list[str])

    @cached_property
    def open_rows(self) -> list[Record]:
        """The rows that have not come, in the order in which they are expected."""
        still = [row for row in self.rows if row.get("received_date") is None]
        return sorted(still, key=lambda row: (text(row, "arrival_date") or "9999", str(row.get("id"))))

    @cached_property
    def ordered(self) -> Decimal:
        """How much of it is ordered, in the order's unit."""
        return _sum(self.rows)

    @cached_property
    def open(self) -> Decimal:
        """How much of it has not come."""
        return _sum(self.open_rows)

    @property
    def received(self) -> Decimal:
        """How much of it has come."""
        return self.ordered - self.open

    @property
    def came_before(self) -> bool:
        """Whether as much of it has come before as the lines say: they may be of that delivery."""
        if not self.received:
            return False
        days = {row.get("received_date") for row in self.rows} - {None}
        at_once = [_sum(row for row in self.rows if row.get("received_date") == day) for day in days]
        came = self.quantity
        return bool(came) and came in map(Fraction, (self.received, *at_once))

    @property
    def is_again(self) -> bool:
        """Whether the lines say more than is open, and as much as came before."""
        return self.came_before and (self.quantity or 0) > Fraction(self.open)

    @property
    def is_nothing(self) -> bool:
        """Whether the lines come to nothing, or to less."""
        return bool(self.lines) and self.quantity is not None and self.quantity <= 0

    @property
    def is_unsaid(self) -> bool:
        """Whether a line leaves open which of two units it counts in."""
        return self.unit.rate != 1 and any(line.unit == Unit() for line in self.lines)

    @property
    def places(self) -> list[int]:
        """The lines that mean it, counted from 1."""
        return [line.place for line in self.lines]

    @cached_property
    def factors(self) -> list[Fraction | None]:
        """How many units of the order one of each line is; None where that is not known."""
        factors = [in_one(line.unit, self.unit) for line in self.lines]
        silent = all(line.unit == Unit() for line in self.lines)
        stocked = [None if factor is None else factor / Fraction(self.unit.rate) for factor in factors]
        in_stock_units = silent and self.unit.rate != 1 and self._fits(stocked) and not self._fits(factors)
        return stocked if in_stock_units else factors

    @cached_property
    def quantity(self) -> Fraction | None:
        """What the lines add up to, in the order's unit; None where one of them is not known."""
        return self._added(self.factors)

    @cached_property
    def prices(self) -> list[Fraction]:
        """The different prices of the lines for one unit of the order."""
        found = [
            line.unit_price / factor
            for line, factor in zip(self.lines, self.factors, strict=True)
            if line.unit_price is not None and factor
        ]
        return list(dict.fromkeys(found))

    def _added(self, factors: Sequence[Fraction | None]) -> Fraction | None:
        added = Fraction(0)
        for line, factor in zip(self.lines, factors, strict=True):
            if factor is None or line.quantity.value is None:
                return None
            added += factor * Fraction(line.quantity.value)
        return added

    def _fits(self, factors: Sequence[Fraction | None]) -> bool:
        return self._added(factors) in {Fraction(quantity) for quantity in (self.ordered, self.open, self.received)}


def _sum(rows: Iterable[Record]) -> Decimal:
    return sum((number(row, "quantity") or Decimal(0) for row in rows), Decimal(0))
