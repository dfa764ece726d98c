"""Steps, lots and customers as `trace` answers them, with the names of everything."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from katana_mcp.references.display_names import Names, text
from katana_mcp.values import EMPTY, get_bool
from katana_mcp.workflows.tracing.accounts import Account, Delivery, Sold
from katana_mcp.workflows.tracing.answers import CustomerGoods, InStock, TracedLot, TraceRow
from katana_mcp.workflows.tracing.events import Lot
from katana_mcp.workflows.tracing.starts import LotRecords
from katana_mcp.workflows.tracing.stock import Stock, batch_number
from katana_mcp.workflows.tracing.walk import Step, Walk

_ORDERS = 10


def ids_to_name(walk: Walk, stock: Stock) -> dict[str, list[object]]:
    """Return the ids that need names, by cache entity."""
    events = [step.event for step in walk.steps]
    places = [place for event in events for place in (event.location_id, event.target_location_id)]
    bought, sold = ({"purchase_order"}, {"sales_order", "sales_return"})
    return {
        "variant": [*(event.lot.variant_id for event in events), *(lot.variant_id for lot in walk.lots)],
        "location": [*places, *(held.location_id for in_lot in stock.held.values() for held in in_lot)],
        "supplier": [event.document.party_id for event in events if event.document.entity in bought],
        "customer": [event.document.party_id for event in events if event.document.entity in sold],
    }


def is_shown(step: Step, names: Names) -> bool:
    """Return whether a step is a row: what was used of goods that are never told apart is none."""
    lot = step.event.lot
    if lot.is_traced or step.event.kind != "used":
        return True
    item = names.item(names.record("variant", lot.variant_id)) or EMPTY
    return bool(get_bool(item, "batch_tracked") or get_bool(item, "serial_tracked"))


@dataclass(frozen=True, slots=True)
class Shown:
    """What rows are made with."""

    names: Names
    lot_records: LotRecords
    stock: Stock

    def rows(self, steps: Sequence[Step], first: int, last: int) -> list[TraceRow]:
        """Return the rows from one place to another."""
        places = {step: place for place, step in enumerate(steps, 1)}
        return [self._row(step, places) for step in steps[first:last]]

    def _row(self, step: Step, places: Mapping[Step, int]) -> TraceRow:
        event, document = step.event, step.event.document
        party = _PARTIES.get(document.entity)
        named = (
            {} if party is None else {f"{party}_id": document.party_id, party: self._party(party, document.party_id)}
        )
        return TraceRow.model_validate(
            {
                "row": places[step],
                "through": places.get(step.through) if step.through is not None else None,
                "level": step.level,
                "direction": step.direction,
                "event": event.kind,
                **self._lot(event.lot),
                "untraced": True if not event.lot.is_traced else None,
                "quantity": event.quantity,
                "date": event.date,
                "order_no": document.number,
                "status": document.status,
                f"{document.entity}_id": document.id,
                **named,
                "location": self.names.name("location", event.location_id),
                "to_location": self.names.name("location", event.target_location_id),
            }
        )

    def lots(self, walk: Walk, accounts: Mapping[Lot, Account], most: int) -> list[TracedLot]:
        """Return the first lots."""
        return [self._account(lot, walk, accounts.get(lot)) for lot in list(walk.lots)[:most]]

    def _account(self, lot: Lot, walk: Walk, account: Account | None) -> TracedLot:
        reached, in_stock = walk.lots[lot], self.stock.total(lot)
        sums = {} if account is None else {name: getattr(account, name) or None for name in _SUMS}
        held = [
            InStock(
                location_id=portion.location_id,
                location=self.names.name("location", portion.location_id),
                quantity=portion.quantity,
            )
            for portion in self.stock.held.get(lot, ())
        ]
        return TracedLot.model_validate(
            {
                "level": reached.level,
                "direction": reached.direction,
                **self._lot(lot),
                "expiration_date": batch_number(self.lot_records, lot.batch_id)["expiration_date"],
                **sums,
                "in_stock": in_stock,
                "stock": held or None,
                "unaccounted": None if account is None else account.unaccounted(in_stock),
            }
        )

    def customers(self, sold: Mapping[Sold, Delivery], most: int) -> list[CustomerGoods]:
        """Return the first of the customers that got most."""
        largest = sorted(sold.items(), key=lambda item: (-item[1].shipped, item[0][0] or 0, item[0][1]))
        return [self._customer(key, delivery) for key, delivery in largest[:most]]

    def _customer(self, key: Sold, delivery: Delivery) -> CustomerGoods:
        customer, variant = key
        goods = self._lot(Lot(variant))
        return CustomerGoods.model_validate(
            {
                "customer_id": customer,
                "customer": self._party("customer", customer),
                **goods,
                "shipped": delivery.shipped,
                "returned": delivery.returned or None,
                "orders": [number or str(key) for key, number in delivery.orders.items()][:_ORDERS],
                "orders_total": len(delivery.orders),
            }
        )

    def _party(self, entity: str, party_id: int | None) -> str | None:
        return self.names.name(entity, party_id)

    def _lot(self, lot: Lot) -> dict[str, object]:
        variant = self.names.record("variant", lot.variant_id)
        return {
            "variant_id": lot.variant_id,
            "sku": self.names.sku(lot.variant_id),
            "name": self.names.variant(lot.variant_id),
            "batch_id": lot.batch_id,
            "batch_number": batch_number(self.lot_records, lot.batch_id)["batch_number"],
            "serial_number_id": lot.serial_number_id,
            "serial_number": self.lot_records.serial_number(lot.serial_number_id),
            "unit": text(self.names.item(variant), "uom"),
        }


_SUMS = ("received", "made", "returned", "adjusted", "used", "shipped", "reserved", "in_transit")
_PARTIES = {"purchase_order": "supplier", "sales_order": "customer", "sales_return": "customer"}


def untraced_goods(steps: Iterable[Step], names: Names) -> dict[str, Decimal]:
    """Return how much was made, used or shipped of no lot, by SKU."""
    found: dict[str, Decimal] = {}
    for event in (step.event for step in steps if not step.event.lot.is_traced):
        sku = names.sku(event.lot.variant_id) or f"variant {event.lot.variant_id}"
        found[sku] = found.get(sku, Decimal(0)) + event.quantity
    return found
