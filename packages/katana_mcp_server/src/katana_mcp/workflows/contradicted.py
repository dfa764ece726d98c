"""Orders of which stock says otherwise than their rows do: Katana decides that anew without changing the order.

Each is read again once; what Katana says then stands until its stock is another.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cache_core.protocol import CacheBackend, Stored
from cache_core.records import Record, RecordId
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, number, rows
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.needs import open_rows
from katana_mcp.workflows.stock import LEVELS

_ORDERS, _RECIPE_ROWS = "sales_order", "manufacturing_order_recipe_row"
_BOOKED, _LACKING = "IN_STOCK", ("EXPECTED", "NOT_AVAILABLE")
_MOST = 250
"""Records that are read again at once: by one request."""
_MOST_KNOWN = 10_000

type _Where = tuple[int | None, int | None]
"""A variant and a location."""


class _Claim(NamedTuple):
    """What a row says of the goods that it still takes.

    Attributes:
        record: the id of the record that is read again to hear it anew.
        row: the row's id.
        said: its availability.
        where: what it takes, and from where.
        left: how much.
    """

    record: RecordId
    row: int | None
    said: str | None
    where: _Where
    left: Decimal


class _Contradiction(NamedTuple):
    """A claim, and the stock that says otherwise."""

    claim: _Claim
    in_stock: Decimal
    committed: Decimal


type _Found = Mapping[RecordId, tuple[_Contradiction, ...]]
"""By the record that is read again."""

_READ_AGAIN: WeakKeyDictionary[CacheBackend, dict[tuple[str, RecordId], tuple[_Contradiction, ...]]] = (
    WeakKeyDictionary()
)


async def read_orders_again(
    orders: Sequence[Stored], shipped: Mapping[int | None, Decimal], services: Services
) -> bool:
    """Read those of these sales orders again of which stock says otherwise; return whether some were read."""
    claims = await computed_once(len(orders), (*orders, shipped), _sold, orders, shipped)
    return await _read_again(_ORDERS, claims, services)


async def read_ingredients_again(lines: Sequence[Stored], orders: Sequence[Stored], services: Services) -> bool:
    """Read those recipe rows of manufacturing orders again of which stock says otherwise; return whether some were."""
    claims = await computed_once(len(lines) + len(orders), (*lines, *orders), _used, lines, orders)
    return await _read_again(_RECIPE_ROWS, claims, services)


async def _read_again(entity: str, claims: Sequence[_Claim], services: Services) -> bool:
    """Read again what claims otherwise than stock; that is what is cached, asked for where it was seen to move."""
    variants = list(dict.fromkeys(claim.where[0] for claim in claims if claim.where[0] is not None))
    levels = (await services.stock.known(variants, LEVELS)).stored
    found = await computed_once(len(claims) + len(levels), (claims, *levels), _contradicted, claims, levels)
    known = _READ_AGAIN.setdefault(services.cache, {})
    asked = [record for record, said in found.items() if known.get((entity, record)) != said][:_MOST]
    if not asked or not await services.fresh.read_again(entity, asked):
        return False
    if len(known) > _MOST_KNOWN:
        known.clear()
    known.update(((entity, record), found[record]) for record in asked)
    return True


def _sold(orders: Sequence[Stored], shipped: Mapping[int | None, Decimal]) -> Sequence[_Claim]:
    return [
        _Claim(
            order.id,
            get_int(row.record, "id"),
            text(row.record, "product_availability"),
            (row.variant_id, row.location_id),
            row.left,
        )
        for order in orders
        for row in open_rows(order.record, shipped)
    ]


def _used(lines: Sequence[Stored], orders: Sequence[Stored]) -> Sequence[_Claim]:
    locations = {order.id: get_int(order.record, "location_id") for order in orders}
    return [
        _Claim(
            line.id,
            get_int(line.record, "id"),
            text(line.record, "ingredient_availability"),
            (get_int(line.record, "variant_id"), locations[order]),
            left,
        )
        for line in lines
        if (order := get_int(line.record, "manufacturing_order_id") or 0) in locations
        and (left := number(line.record, "total_remaining_quantity"))
    ]


def _contradicted(claims: Sequence[_Claim], stored: Sequence[Stored]) -> _Found:
    levels: dict[_Where, Record] = {
        (get_int(level, "variant_id"), get_int(level, "location_id")): level
        for row in stored
        for level in rows(row.record, "levels")
    }
    booked = dict[_Where, Decimal]()
    for claim in claims:
        if claim.said == _BOOKED:
            booked[claim.where] = booked.get(claim.where, Decimal(0)) + claim.left
    found: dict[RecordId, tuple[_Contradiction, ...]] = {}
    for claim in claims:
        level = levels.get(claim.where)
        contradiction = None if level is None else _of(claim, level, booked.get(claim.where, Decimal(0)))
        if contradiction is not None:
            found[claim.record] = (*found.get(claim.record, ()), contradiction)
    return found


def _of(claim: _Claim, level: Record, booked: Decimal) -> _Contradiction | None:
    """Return what stock says against a claim: less is there than is booked, or all that is committed."""
    in_stock, committed = number(level, "quantity_in_stock"), number(level, "quantity_committed")
    if in_stock is None or committed is None:
        return None
    is_there = in_stock >= max(committed, claim.left)
    is_wrong = in_stock < booked if claim.said == _BOOKED else claim.said in _LACKING and is_there
    return _Contradiction(claim, in_stock, committed) if is_wrong else None
