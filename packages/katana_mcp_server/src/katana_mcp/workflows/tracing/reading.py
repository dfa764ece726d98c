"""The documents that speak of variants, read from the cache in a few statements for all variants of a level at once.

Each document is read once, and gives all of its events; conditions are on columns with an index.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import cast

from cache_core.conditions import Missing, NoneOf, OneOf, Order, Visibility, Where
from cache_core.protocol import CacheBackend, Selection
from cache_core.records import Record
from katana_mcp.values import EMPTY, get_int, rows
from katana_mcp.workflows.tracing.events import Event, Lot, Process
from katana_mcp.workflows.tracing.fields import (
    ADJUSTMENTS,
    BOUGHT,
    MADE,
    OUTSOURCED,
    PRODUCTIONS,
    READ,
    RECIPE,
    RETURNED,
    RETURNS,
    SHIPMENTS,
    SOLD,
    TRANSFERS,
)
from katana_mcp.workflows.tracing.from_documents import (
    Units,
    adjusted,
    document_of,
    produced,
    received,
    reserved,
    returned,
    shipped,
    sold_rows,
    transferred,
    used_outsourced,
)

DOCUMENTS = (
    *(BOUGHT, OUTSOURCED, MADE, RECIPE, PRODUCTIONS, SOLD, SHIPMENTS),
    *(RETURNS, RETURNED, ADJUSTMENTS, TRANSFERS),
)
"""The cache entities that are read."""
USED = {
    BOUGHT: ("purchase_order_rows[].variant_id", "purchase_order_rows[].received_date"),
    MADE: ("variant_id",),
    PRODUCTIONS: ("manufacturing_order_id", "ingredients[].variant_id", "ingredients[].traceability"),
    SOLD: ("sales_order_rows[].variant_id",),
    SHIPMENTS: ("sales_order_id", "sales_order_fulfillment_rows[].traceability"),
}
"""What documents are found and judged by."""
_LIVING = Visibility(archived=True)
_MOST = 50_000
"""Documents of a kind that are read for one level."""

type Variants = Collection[int]


class Documents:
    """Documents read so far, and their events by what they are looked up by.

    Attributes:
        by_lot: of each batch and unit.
        by_process: of each production and outsourced row, what it used and what it made.
        by_row: of rows of sales orders, what left.
        by_document: by cache entity and id of the document.
        cut: whether there were more documents than are read.
    """

    def __init__(self, cache: CacheBackend, units: Units) -> None:
        self._cache, self._units = cache, units
        self._records: dict[str, dict[int, Record]] = {entity: {} for entity in DOCUMENTS}
        self._seen: set[tuple[str, int]] = set()
        self._whole: set[int] = set()
        self._origins: set[int] = set()
        self.by_lot: dict[Lot, list[Event]] = {}
        self.by_process: dict[Process, list[Event]] = {}
        self.by_row: dict[int, list[Event]] = {}
        self.by_document: dict[tuple[str, int], list[Event]] = {}
        self.cut = False

    async def read_origins(self, variants: Variants) -> None:
        """Read what brought these variants in: purchases, productions, returns, adjustments."""
        new = [variant for variant in variants if variant not in self._origins]
        self._origins.update(new)
        if not new:
            return
        came = Missing("purchase_order_rows[].received_date", missing=False)
        bought = await self._find(BOUGHT, _one_of("purchase_order_rows[].variant_id", new), came)
        await self._tell_bought(bought)
        made = await self._find(MADE, _one_of("variant_id", new))
        await self._tell_produced(await self._find(PRODUCTIONS, _one_of("manufacturing_order_id", made)))
        await self._tell_returned(await self._find(RETURNED, _one_of("variant_id", new)))
        adjustments = await self._find(ADJUSTMENTS, _one_of("stock_adjustment_rows[].variant_id", new))
        for key, record in adjustments.items():
            self._add(ADJUSTMENTS, key, adjusted(record, self._units))

    async def read_all(self, variants: Variants) -> None:
        """Read also where these variants went: productions, outsourcing, shipments, transfers, and what holds them."""
        await self.read_origins(variants)
        new = [variant for variant in variants if variant not in self._whole]
        self._whole.update(new)
        if not new:
            return
        await self._tell_produced(await self._find(PRODUCTIONS, _one_of("ingredients[].variant_id", new)))
        used = await self._find(OUTSOURCED, _one_of("ingredient_variant_id", new))
        await self._tell_bought(await self._read_by_id(BOUGHT, _ids(used.values(), "purchase_order_id")))
        sold = await self._find(SOLD, _one_of("sales_order_rows[].variant_id", new))
        await self._tell_shipped(sold)
        transfers = await self._find(TRANSFERS, _one_of("stock_transfer_rows[].variant_id", new))
        for key, record in transfers.items():
            self._add(TRANSFERS, key, transferred(record, self._units))
        await self._tell_reserved(new)

    async def read_document(self, entity: str, key: int) -> Sequence[Event]:
        """Read one purchase, sales or manufacturing order; return its events."""
        orders = await self._read_by_id(entity, [key])
        if entity == BOUGHT:
            await self._tell_bought(orders)
        elif entity == SOLD:
            await self._tell_shipped(orders)
        else:
            await self._tell_produced(await self._find(PRODUCTIONS, _one_of("manufacturing_order_id", orders)))
        return self.by_document.get((entity, key), ())

    async def read_sold(self, orders: Collection[int]) -> None:
        """Read what left with these sales orders."""
        if orders:
            await self._tell_shipped(await self._read_by_id(SOLD, orders))

    def linked(self, order_id: int, row_id: int | None) -> int | None:
        """Return the manufacturing order that makes a row of a sales order to order, or None."""
        lines = rows(self.record(SOLD, order_id), "sales_order_rows")
        made = (get_int(row, "linked_manufacturing_order_id") for row in lines if get_int(row, "id") == row_id)
        return next(made, None)

    def record(self, entity: str, key: int | None) -> Record:
        """Return a document that was read, or an empty record."""
        return EMPTY if key is None else self._records[entity].get(key, EMPTY)

    async def _find(self, entity: str, *where: OneOf | Missing | NoneOf) -> dict[int, Record]:
        """Return the live records that meet the conditions."""
        if any(isinstance(condition, OneOf) and not condition.values for condition in where):
            return {}
        asked = Selection(cast("Where", where), Order("id"), _MOST + 1, fields=READ[entity])
        found = await self._cache.select(entity, asked)
        self.cut |= len(found) > _MOST
        new = {row.id: cast("Record", row.record) for row in found[:_MOST] if isinstance(row.id, int)}
        self._records[entity] |= new
        return new

    async def _read_by_id(self, entity: str, ids: Iterable[int]) -> dict[int, Record]:
        """Return records by their ids; those that are deleted are left out."""
        keys = list(dict.fromkeys(ids))
        held = self._records[entity]
        missing = [key for key in keys if key not in held]
        mine = (OneOf("id", tuple(missing)),)
        asked = Selection(mine, Order("id"), len(missing), visibility=_LIVING, fields=READ[entity])
        found = await self._cache.select(entity, asked) if missing else ()
        held |= {row.id: row.record for row in found if isinstance(row.id, int)}
        return {key: held[key] for key in keys if key in held}

    async def _tell_bought(self, orders: Mapping[int, Record]) -> None:
        outsourced = [key for key, order in orders.items() if order.get("entity_type") == "outsourced"]
        lines = await self._find(OUTSOURCED, _one_of("purchase_order_id", outsourced))
        for key, order in orders.items():
            mine = [line for line in lines.values() if get_int(line, "purchase_order_id") == key]
            self._add(BOUGHT, key, [*received(order, self._units), *used_outsourced(order, mine)])

    async def _tell_produced(self, productions: Mapping[int, Record]) -> None:
        orders = await self._read_by_id(MADE, _ids(productions.values(), MADE + "_id"))
        for key, production in productions.items():
            order = orders.get(get_int(production, "manufacturing_order_id") or 0)
            if order is not None:
                self._add(PRODUCTIONS, key, produced(production, order))

    async def _tell_shipped(self, orders: Mapping[int, Record]) -> None:
        """Tell shipments, and what open orders still hold."""
        shipments = await self._find(SHIPMENTS, _one_of("sales_order_id", orders))
        for key, fulfillment in shipments.items():
            order = orders[get_int(fulfillment, "sales_order_id") or 0]
            self._add(SHIPMENTS, key, shipped(fulfillment, order, self._units))
        for key, order in orders.items():
            if order.get("status") != "DELIVERED":
                taken = _taken(self.by_document.get((SOLD, key), ()))
                document = document_of(SOLD, order, party="customer_id")
                self._add(SOLD, key, reserved(document, sold_rows(order), taken))

    async def _tell_returned(self, lines: Mapping[int, Record]) -> None:
        headers = await self._read_by_id(RETURNS, _ids(lines.values(), "sales_return_id"))
        for key, row in lines.items():
            self._add(RETURNED, key, returned(row, headers.get(get_int(row, "sales_return_id") or 0, EMPTY)))

    async def _tell_reserved(self, variants: Sequence[int]) -> None:
        """Tell what open manufacturing orders hold of these variants."""
        open_rows = NoneOf("ingredient_availability", ("PROCESSED",))
        found = await self._find(RECIPE, _one_of("variant_id", variants), open_rows)
        held = {key: row for key, row in found.items() if rows(row, "traceability") or rows(row, "batch_transactions")}
        orders = await self._read_by_id(MADE, _ids(held.values(), MADE + "_id"))
        for key, row in held.items():
            order = orders.get(get_int(row, "manufacturing_order_id") or 0, EMPTY)
            variant = get_int(row, "variant_id")
            if order and order.get("status") != "DONE" and variant is not None:
                taken = _taken(self.by_document.get((MADE, get_int(order, "id") or 0), ()))
                line = (row, variant, get_int(order, "location_id"))
                self._add(RECIPE, key, reserved(document_of(MADE, order), [line], taken))

    def _add(self, entity: str, key: int, events: Iterable[Event]) -> None:
        """Take the events of a record that was not seen before."""
        if (entity, key) in self._seen:
            return
        self._seen.add((entity, key))
        for event in events:
            self.by_document.setdefault((event.document.entity, event.document.id), []).append(event)
            if event.lot.is_traced:
                self.by_lot.setdefault(event.lot, []).append(event)
            if event.process is not None:
                self.by_process.setdefault(event.process, []).append(event)
            if event.kind == "shipped" and event.row_id is not None:
                self.by_row.setdefault(event.row_id, []).append(event)


def _one_of(path: str, values: Iterable[int]) -> OneOf:
    return OneOf(path, tuple(values))


def _ids(records: Iterable[Record], name: str) -> list[int]:
    return [key for record in records if (key := get_int(record, name)) is not None]


def _taken(events: Iterable[Event]) -> dict[tuple[int | None, Lot], Decimal]:
    """Return what left or was used, by row and lot."""
    found: dict[tuple[int | None, Lot], Decimal] = {}
    for event in events:
        if event.kind in {"used", "shipped"}:
            place = event.row_id, event.lot
            found[place] = found.get(place, Decimal(0)) + event.quantity
    return found
