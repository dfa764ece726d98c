"""Who takes a variant from a location: open sales orders, and open manufacturing orders."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from cache_core.conditions import NoneOf, OneOf, Order
from cache_core.protocol import ByIds, Selected, Selection, Stored
from cache_core.records import Record, RecordId
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import Rows, first_of_each
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, number, rows
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.incoming import Arrivals, arrivals_in, bringing
from katana_mcp.workflows.requirements import Place

_MOST = 10_000
NOT_SHIPPING = ("DELIVERED", "PACKED", "PENDING")
"""Statuses of sales orders of which nothing is left to ship, or that are quotes and hold no stock."""

_ROWS = tuple(f"sales_order_rows[].{name}" for name in ("id", "variant_id", "location_id", "quantity"))
SOLD = frozenset(("order_no", "delivery_date", "location_id", "sales_order_rows[].product_availability", *_ROWS))
_SHIPPED = frozenset(f"sales_order_fulfillment_rows[].{name}" for name in ("sales_order_row_id", "quantity"))
_TAKEN = frozenset(("manufacturing_order_id", "variant_id", "total_remaining_quantity", "ingredient_availability"))
_TAKING = frozenset(("order_no", "status", "location_id", "production_deadline_date"))
"""What is read here of sales orders, shipments, ingredients, and the orders that take these."""

THERE = ("IN_STOCK", "NOT_APPLICABLE")
"""Availabilities of a row whose goods are there: booked for it by the rank of its order, or never in stock."""


class Need(NamedTuple):
    """An open order that takes a variant from a location: its number, by when, and how much it still takes.

    Attributes:
        order: its cache entity and id.
        is_booked: whether the goods are there, and booked for it.
    """

    order: tuple[str, RecordId]
    order_no: str
    date: str | None
    quantity: Decimal
    is_booked: bool = False


type Needs = Mapping[Place, Sequence[Need]]
"""By place, the earliest first; those without a date last."""


class OpenRow(NamedTuple):
    """A row of a sales order of which something is left to ship.

    Attributes:
        record: the row.
        left: how much.
        variant_id: None where it is of no variant.
        location_id: where it ships from: the row's own location, or that of its order.
    """

    record: Record
    left: Decimal
    variant_id: int | None
    location_id: int | None


async def needs_of(variants: Sequence[int], services: Services) -> Needs:
    """Return the open sales and manufacturing orders that take these variants; two reads in all."""
    return await _needs_in(await first_of_each(services, _taking(variants)), services)


async def arrivals_and_needs(variants: Sequence[int], services: Services) -> tuple[Arrivals, Needs]:
    """Return what brings these variants, and what takes them; two reads in all."""
    brought = bringing(variants)
    found = await first_of_each(services, [*brought, *_taking(variants)])
    return await arrivals_in(found[: len(brought)]), await _needs_in(found[len(brought) :], services)


def _taking(variants: Sequence[int]) -> list[Selected]:
    ids = tuple(variants)
    sold = (OneOf("sales_order_rows[].variant_id", ids), NoneOf("status", NOT_SHIPPING))
    used = (OneOf("variant_id", ids), NoneOf("ingredient_availability", ("PROCESSED",)))
    return [
        Selected("sales_order", Selection(sold, Order("id"), _MOST, fields=SOLD)),
        Selected("manufacturing_order_recipe_row", Selection(used, Order("id"), _MOST, fields=_TAKEN)),
    ]


async def _needs_in(found: Sequence[Rows], services: Services) -> Needs:
    """Return who needs what by these orders and recipe rows, which are what `_taking` reads."""
    (orders, _), (lines, _) = found
    made = dict.fromkeys(key for line in lines if (key := get_int(line.record, "manufacturing_order_id")) is not None)
    shipments, taking = (), ()
    if orders or made:
        reads = [_shipments([order.id for order in orders]), ByIds("manufacturing_order", list(made), _TAKING)]
        shipments, taking = await services.cache.read(reads)
    shipped = await _shipped_by(shipments)
    size = sum(map(len, (orders, shipped, lines, taking)))
    return await computed_once(size, (*orders, shipped, *lines, *taking), _needs, orders, shipped, lines, taking)


def _needs(
    orders: Sequence[Stored], shipped: Mapping[int | None, Decimal], lines: Sequence[Stored], taking: Sequence[Stored]
) -> Needs:
    found: dict[Place, list[Need]] = {}
    sold = (pair for order in orders for pair in _sold(order, shipped))
    for place, need in chain(sold, _used(lines, taking)):
        found.setdefault(place, []).append(need)
    return {place: sorted(waiting, key=lambda need: need.date or "9999") for place, waiting in found.items()}


async def shipped_rows(orders: Sequence[RecordId], services: Services) -> Mapping[int | None, Decimal]:
    """Return how much of each row of these sales orders is in shipments, by the row's id."""
    (shipments,) = await services.cache.read([_shipments(orders)]) if orders else [()]
    return await _shipped_by(shipments)


def _shipments(orders: Sequence[RecordId]) -> Selected:
    selection = Selection((OneOf("sales_order_id", tuple(orders)),), Order("id"), _MOST, fields=_SHIPPED)
    return Selected("sales_order_fulfillment", selection)


async def _shipped_by(shipments: Sequence[Stored]) -> Mapping[int | None, Decimal]:
    return await computed_once(len(shipments), shipments, _shipped, shipments) if shipments else _NOTHING


_NOTHING: Mapping[int | None, Decimal] = {}
"""What of no order was shipped: always the same, as what is computed of it is."""


def _shipped(shipments: Sequence[Stored]) -> Mapping[int | None, Decimal]:
    found: dict[int | None, Decimal] = {}
    for row in (row for shipment in shipments for row in rows(shipment.record, "sales_order_fulfillment_rows")):
        key = get_int(row, "sales_order_row_id")
        found[key] = found.get(key, Decimal(0)) + (number(row, "quantity") or 0)
    return found


def open_rows(order: Record, shipped: Mapping[int | None, Decimal]) -> Iterator[OpenRow]:
    """Yield the rows of a sales order of which something is left to ship."""
    for row in rows(order, "sales_order_rows"):
        left = (number(row, "quantity") or Decimal(0)) - shipped.get(get_int(row, "id"), Decimal(0))
        if left > 0 and text(row, "product_availability") != "PICKED":
            location = get_int(row, "location_id") or get_int(order, "location_id")
            yield OpenRow(row, left, get_int(row, "variant_id"), location)


def _sold(order: Stored, shipped: Mapping[int | None, Decimal]) -> Iterator[tuple[Place, Need]]:
    called, date = text(order.record, "order_no") or "", text(order.record, "delivery_date")
    for row in open_rows(order.record, shipped):
        if row.variant_id is not None and row.location_id is not None:
            is_booked = text(row.record, "product_availability") == THERE[0]
            need = Need(("sales_order", order.id), called, date, row.left, is_booked)
            yield (row.variant_id, row.location_id), need


def _used(lines: Sequence[Stored], taking: Sequence[Stored]) -> Iterator[tuple[Place, Need]]:
    orders = {row.id: row.record for row in taking if not row.deleted and row.record.get("status") != "DONE"}
    for row in (line.record for line in lines):
        key = get_int(row, "manufacturing_order_id") or 0
        order = orders.get(key)
        location = None if order is None else get_int(order, "location_id")
        variant, left = get_int(row, "variant_id"), number(row, "total_remaining_quantity")
        if order is not None and location is not None and variant is not None and left:
            date = text(order, "production_deadline_date")
            is_booked = text(row, "ingredient_availability") == THERE[0]
            need = Need(("manufacturing_order", key), text(order, "order_no") or "", date, left, is_booked)
            yield (variant, location), need
