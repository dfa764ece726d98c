"""The ledger of serial numbers, which Katana gives in one piece: what each is called, and what moved it (facts 5.4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selection
from katana_client.models.serial_numbers_stock import SerialNumberStock
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, rows
from katana_mcp.workflows.tracing.events import Lot
from katana_mcp.workflows.tracing.from_documents import Units

type Source = tuple[str, int]
"""Kind and id of what moved a unit."""

_ROWS = {
    "PurchaseOrderRow": ("purchase_order", "purchase_order_rows"),
    "SalesOrderRow": ("sales_order", "sales_order_rows"),
    "StockAdjustmentRow": ("stock_adjustment", "stock_adjustment_rows"),
    "StockTransferRow": ("stock_transfer", "stock_transfer_rows"),
}
_ORDER, _PRODUCTION = "ManufacturingOrder", "Production"


@dataclass(frozen=True, slots=True)
class UnitLedger:
    """Serial numbers by the id of the unit, whether it is in stock, and what moved it."""

    numbers: Mapping[int, str] = field(default_factory=dict[int, str])
    in_stock: Mapping[int, bool] = field(default_factory=dict[int, bool])
    sources: Mapping[int, Sequence[Source]] = field(default_factory=dict[int, Sequence[Source]])
    moved: Units = field(default_factory=dict[tuple[str, int], Sequence[int]])
    """By what moved them, units that have moved; those that are only held are left out."""

    def named(self, number: str) -> list[int]:
        """Return the units that have exactly this serial number."""
        return [unit for unit, serial_number in self.numbers.items() if serial_number == number]


def ledger_of(units: Iterable[SerialNumberStock]) -> UnitLedger:
    """Return the ledger as it is looked up."""
    numbers, in_stock, sources = dict[int, str](), dict[int, bool](), dict[int, Sequence[Source]]()
    moved: dict[tuple[str, int], list[int]] = {}
    for unit in units:
        if unit.id is None:
            continue
        numbers[unit.id], in_stock[unit.id] = unit.serial_number or "", bool(unit.in_stock)
        entries = [
            transaction
            for transaction in unit.transactions or ()
            if transaction.resource_type and transaction.resource_id is not None
        ]
        sources[unit.id] = [(str(entry.resource_type), entry.resource_id or 0) for entry in entries]
        for entry in entries:
            if entry.transaction_date is not None:
                moved.setdefault((str(entry.resource_type), entry.resource_id or 0), []).append(unit.id)
    return UnitLedger(numbers, in_stock, sources, moved)


async def lots_of(units: Iterable[int], ledger: UnitLedger, services: Services) -> list[Lot]:
    """Return the lots of units: of which variant each is, only the documents that moved it tell."""
    found: list[Lot] = []
    for unit in units:
        for source in ledger.sources.get(unit, ()):
            variant = await _variant_of(source, services)
            if variant is not None:
                found.append(Lot(variant, None, unit))
                break
    return found


async def _variant_of(source: Source, services: Services) -> int | None:
    kind, key = source
    if kind in {_ORDER, _PRODUCTION}:
        return await _variant_made(kind, key, services)
    if kind not in _ROWS:
        return None
    entity, name = _ROWS[kind]
    where = (OneOf(f"{name}[].id", (key,)),)
    for stored in await services.cache.select(entity, Selection(where, Order("id"), 1, visibility=EVERYTHING)):
        lines = rows(stored.record, name)
        return next((get_int(row, "variant_id") for row in lines if get_int(row, "id") == key), None)
    return None


async def _variant_made(kind: str, key: int, services: Services) -> int | None:
    if kind == _PRODUCTION:
        made = (await services.cache.get_many("manufacturing_order_production", [key])).rows
        order = get_int(made[0].record, "manufacturing_order_id") if made else None
        return None if order is None else await _variant_made(_ORDER, order, services)
    orders = (await services.cache.get_many("manufacturing_order", [key])).rows
    return get_int(orders[0].record, "variant_id") if orders else None
