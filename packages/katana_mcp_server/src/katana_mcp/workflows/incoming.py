"""What is on its way to a location: purchase orders, manufacturing orders, and stock transfers under way."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from cache_core.conditions import NoneOf, OneOf, Order
from cache_core.protocol import Selected, Selection, Stored
from cache_core.records import Record, RecordId, is_set
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.resolve import Rows, first_of_each
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int, number, rows
from katana_mcp.workflows.computing import computed_once

SOURCES = ("purchase_order", "manufacturing_order", "stock_transfer")
_MOST = 10_000
ARRIVE_BY: Mapping[str, tuple[str, ...]] = {
    "purchase_order": (
        "status",
        "expected_arrival_date",
        *(f"purchase_order_rows[].{name}" for name in ("variant_id", "quantity", "received_date", "arrival_date")),
    ),
    "stock_transfer": ("status", "target_location_id", "stock_transfer_rows[].variant_id"),
}
"""What documents say of arrivals, by their cache entity; those of production are the orders themselves."""

_READ_OF: Mapping[str, frozenset[str]] = {
    "purchase_order": frozenset(
        (
            *("id", "order_no", "supplier_id", "location_id", "expected_arrival_date"),
            *(
                f"purchase_order_rows[].{name}"
                for name in ("variant_id", "location_id", "received_date", "arrival_date")
            ),
            *(f"purchase_order_rows[].{name}" for name in ("quantity", "purchase_uom_conversion_rate")),
        )
    ),
    "manufacturing_order": frozenset(
        (
            *("id", "order_no", "variant_id", "location_id", "remaining_quantity", "production_deadline_date"),
            "ingredient_availability",
        )
    ),
    "stock_transfer": frozenset(
        (
            *("id", "stock_transfer_number", "status", "expected_arrival_date"),
            *("source_location_id", "target_location_id"),
            *("stock_transfer_rows[].variant_id", "stock_transfer_rows[].quantity"),
        )
    ),
}
"""What is read of documents that bring something."""

type Place = tuple[int | None, int | None]
"""Variant and location."""


class Incoming(Answer):
    """An open document that brings an item, and how much of it."""

    purchase_order_id: int | None = None
    manufacturing_order_id: int | None = None
    stock_transfer_id: int | None = None
    order_no: str | None = None
    quantity: Number | None = None
    """In the item's stock unit."""
    expected_date: str | None = None
    overdue: bool | None = None
    supplier: str | None = None


class Arrival(NamedTuple):
    """What a document brings to a place.

    Attributes:
        key: the name of the document's id.
        document: its record, with what is read of it here.
        order_no: its number.
        quantity: in stock units; None when it is not known.
        date: when it is expected.
    """

    key: str
    document: Record
    order_no: str | None
    quantity: Decimal | None
    date: str | None

    @property
    def is_transfer(self) -> bool:
        """Whether it was sent from another location of the company."""
        return self.key == "stock_transfer_id"

    def to_answer(self, names: Names, services: Services) -> Incoming:
        """Return it as it is shown."""
        return Incoming.model_validate(self.fields(names, services))

    def fields(self, names: Names, services: Services) -> dict[str, object]:
        """Return the fields of `Incoming`, for an answer that has others beside them."""
        return {
            self.key: get_int(self.document, "id"),
            "order_no": self.order_no,
            "quantity": self.quantity,
            "expected_date": self.date,
            "overdue": (self.date is not None and self.date < services.midnight()) or None,
            "supplier": names.name("supplier", self.document.get("supplier_id")),
        }


class Arrivals(NamedTuple):
    """What is on its way.

    Attributes:
        by_place: what comes, the earliest first.
        cut: the kinds of documents of which there are more.
        drafts: stock transfers that are only drafted: they bring nothing yet.
    """

    by_place: Mapping[Place, list[Arrival]]
    cut: Sequence[str]
    drafts: Sequence[Record]


async def arrivals(variant_ids: Sequence[RecordId], services: Services) -> Arrivals:
    """Return what is on its way of these variants; one read in all."""
    return await arrivals_in(await first_of_each(services, bringing(variant_ids)))


def bringing(variant_ids: Sequence[RecordId]) -> list[Selected]:
    """Return the reads of open documents that bring these variants, one of each kind."""
    ids = tuple(variant_ids)
    bought = (
        OneOf("purchase_order_rows[].variant_id", ids),
        NoneOf("status", ("DRAFT", "RECEIVED")),
    )
    made = (OneOf("variant_id", ids), NoneOf("status", ("DONE",)))
    moved = (OneOf("stock_transfer_rows[].variant_id", ids), NoneOf("status", ("received",)))
    return [
        Selected(entity, Selection(where, Order("id"), _MOST, fields=_READ_OF[entity]))
        for entity, where in zip(SOURCES, (bought, made, moved), strict=True)
    ]


async def arrivals_in(found: Sequence[Rows]) -> Arrivals:
    """Return what these documents bring, which are what `bringing` reads."""
    documents = [some for some, _ in found]
    by_place = await computed_once(sum(map(len, documents)), chain.from_iterable(documents), _by_place, documents)
    drafts = [stored.record for stored in documents[-1] if _is_draft(stored.record)]
    return Arrivals(by_place, [entity for entity, (_, more) in zip(SOURCES, found, strict=True) if more], drafts)


def _by_place(documents: Sequence[Sequence[Stored]]) -> Mapping[Place, list[Arrival]]:
    """Return what these documents bring, those of each source by themselves; by place, the earliest first."""
    found: dict[Place, list[Arrival]] = {}
    for some, brought in zip(documents, (_bought, _made, _moved), strict=True):
        for place, arrival in (pair for row in some for pair in brought(row.record)):
            found.setdefault(place, []).append(arrival)
    return {place: sorted(coming, key=lambda arrival: arrival.date or _LAST) for place, coming in found.items()}


_LAST = "9999"


def _bought(order: Record) -> Iterator[tuple[Place, Arrival]]:
    for row in rows(order, "purchase_order_rows"):
        if not is_set(row, "received_date"):
            quantity, rate = number(row, "quantity"), number(row, "purchase_uom_conversion_rate")
            units = quantity if quantity is None or rate is None else quantity * rate
            date = text(row, "arrival_date") or text(order, "expected_arrival_date")
            location = get_int(row, "location_id") or get_int(order, "location_id")
            arrival = Arrival("purchase_order_id", order, text(order, "order_no"), units, date)
            yield (get_int(row, "variant_id"), location), arrival


def _made(order: Record) -> Iterator[tuple[Place, Arrival]]:
    left, date = number(order, "remaining_quantity"), text(order, "production_deadline_date")
    arrival = Arrival("manufacturing_order_id", order, text(order, "order_no"), left, date)
    yield (get_int(order, "variant_id"), get_int(order, "location_id")), arrival


def _is_draft(transfer: Record) -> bool:
    return text(transfer, "status") == "draft"


def _moved(transfer: Record) -> Iterator[tuple[Place, Arrival]]:
    if _is_draft(transfer):
        return
    called, date = text(transfer, "stock_transfer_number"), text(transfer, "expected_arrival_date")
    for row in rows(transfer, "stock_transfer_rows"):
        arrival = Arrival("stock_transfer_id", transfer, called, number(row, "quantity"), date)
        yield (get_int(row, "variant_id"), get_int(transfer, "target_location_id")), arrival
