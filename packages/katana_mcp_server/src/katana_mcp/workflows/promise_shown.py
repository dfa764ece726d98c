"""How rows that were promised are shown: each part with its source and its day, and why nobody knows a day."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from cache_core.records import Record
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Number, first_of
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import EMPTY, get_int
from katana_mcp.workflows.incoming import Arrival, Incoming
from katana_mcp.workflows.needs import THERE
from katana_mcp.workflows.promising import MOST_DAYS, NEVER, Promise, Source

_NAMED = 10
"""Overdue documents that are named."""


class PromiseSource(Incoming):
    """Where a part of the quantity comes from; what is on its way is named, with its date."""

    source: Literal["stock", "booked", "incoming", "make", "buy"]
    """booked: stock reserved for this row; make, buy: started today, or after what it waits for."""
    date: str | None = None
    """Absent: not known; see the row's `note`."""
    lead_time: int | None = None
    """Days."""
    waits_for: str | None = None
    """SKU of the ingredient that arrives last."""


class PromisedRow(Answer):
    """By when all of a row is there."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    location_id: int | None = None
    location: str | None = None
    quantity: Number
    date: str | None = None
    """Absent: not known."""
    free_now: Number | None = None
    """Of the quantity, from stock that no order needs."""
    backlog: Number | None = None
    """What earlier orders lack; they get the next incoming goods first."""
    sources: list[PromiseSource]
    sales_order_row_id: int | None = None
    product_expected_date: str | None = None
    """What Katana expects for this row."""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A variant, how much, where (None: wherever it is soonest); with a row of an order, that too.

    A service is there at once, and nowhere in stock.
    """

    variant: int
    quantity: Decimal
    location: int | None
    row: Record | None = None
    is_service: bool = False


type Promised = tuple[Asked, int | None, Promise]


def shown_row(promised: Promised, today: date, names: Names, services: Services) -> PromisedRow:
    """Return a row as it is shown."""
    asked, location, promise = promised
    variant, row = names.record("variant", asked.variant) or EMPTY, asked.row or EMPTY
    return PromisedRow(
        variant_id=asked.variant,
        sku=text(variant, "sku"),
        name=names.display(variant),
        uom=text(names.item(variant), "uom"),
        location_id=location,
        location=names.name("location", location),
        quantity=asked.quantity,
        date=_day(promise.day, today) if promise.sources else None,
        free_now=_free(promise.sources),
        backlog=promise.backlog or None,
        sources=[_source(source, asked, today, names, services) for source in promise.sources],
        sales_order_row_id=get_int(row, "id"),
        product_expected_date=text(row, "product_expected_date"),
        note="a service is never in stock" if asked.is_service else _note(promise, names, services.midnight()),
    )


def _free(sources: Sequence[Source]) -> Decimal | None:
    """Return what stock gives that nobody else needs; None where the stock is not known."""
    stock = [source for source in sources if source.kind == "stock"]
    if any(source.day == NEVER for source in stock):
        return None
    return sum((source.quantity for source in stock), Decimal(0))


def _day(day: str, today: date) -> str | None:
    return None if day == NEVER else day or today.isoformat()


def _source(source: Source, asked: Asked, today: date, names: Names, services: Services) -> PromiseSource:
    arrival = {} if source.arrival is None else source.arrival.fields(names, services)
    fields = {
        "source": "booked" if source.kind == "stock" and is_held(asked) else source.kind,
        "quantity": source.quantity,
        "date": _day(source.day, today),
        "lead_time": source.lead_time,
        "waits_for": names.sku(source.waits_for),
    }
    return PromiseSource.model_validate(arrival | fields)


def _note(promise: Promise, names: Names, today: str) -> str | None:
    """Return why nobody knows the day, or what it hangs on."""
    if not promise.sources:
        return "Katana keeps no stock of it anywhere"
    reasons = [reason for source in promise.sources if (reason := _reason(source, names, today)) is not None]
    return "; ".join(dict.fromkeys(reasons)) or None


def _reason(source: Source, names: Names, today: str) -> str | None:
    if source.arrival is not None:
        called = _called(source.arrival)
        if source.arrival.date is None:
            return f"{called} has no date"
        return f"it counts on {called}, which is overdue" if source.arrival.date < today else None
    return _unknown_day(source, names, today) if source.day == NEVER else None


def _called(arrival: Arrival) -> str:
    return arrival.order_no or "a document"


def _unknown_day(source: Source, names: Names, today: str) -> str:
    """Return why nobody knows when stock, or what is made or bought, is there."""
    if source.kind == "stock":
        return "its stock could not be read"
    if source.is_gone or source.is_forbidden:
        return "it is archived or deleted in Katana" if source.is_gone else "this location allows no manufacturing"
    if source.last is not None and source.last.day == NEVER:
        return f"{names.sku(source.waits_for) or source.waits_for}: {_reason(source.last, names, today)}"
    if source.lead_time is not None and abs(source.lead_time) > MOST_DAYS:
        return f"its lead time of {source.lead_time} days says nothing"
    if source.lead_time is not None:
        return "its bill of materials leads back to itself"
    begins = f"could begin on {source.last.day}, but " if source.last is not None else ""
    return f"{begins}no lead time is set for it"


def is_held(asked: Asked) -> bool:
    """Return whether nothing is lacking: Katana holds stock for a row of an order, and a service needs none."""
    return asked.is_service or (asked.row is not None and text(asked.row, "product_availability") in THERE)


def overdue_arrivals(promised: Sequence[Promised], services: Services) -> list[Arrival]:
    """Return the arrivals that are overdue and that these rows count on, each document once."""
    today = services.midnight()
    return [arrival for arrival in _counted_on(promised) if arrival.date is not None and arrival.date < today]


def short_arrivals(promised: Sequence[Promised]) -> list[Arrival]:
    """Return the manufacturing orders that these rows count on and that lack ingredients which nothing brings."""
    return [
        arrival
        for arrival in _counted_on(promised)
        if text(arrival.document, "ingredient_availability") == _BROUGHT_BY_NOTHING
    ]


_BROUGHT_BY_NOTHING = "NOT_AVAILABLE"


def _counted_on(promised: Sequence[Promised]) -> Iterable[Arrival]:
    """Return the arrivals that these rows count on, each document once."""
    return {
        (arrival.key, get_int(arrival.document, "id")): arrival
        for _, _, promise in promised
        for source in promise.sources
        for arrival in source.arrivals
    }.values()


def short_warnings(short: Sequence[Arrival]) -> list[ToolWarning]:
    """Return that the dates count on orders that cannot be made yet."""
    if not short:
        return []
    named = first_of([_called(arrival) for arrival in short], _NAMED)
    message = (
        f"the dates may be too early: they count on {named}, for which ingredients are missing that nothing brings"
    )
    return [advisory(warning_codes.INGREDIENTS_MISSING, message)]


def short_actions(short: Sequence[Arrival]) -> list[str]:
    """Return the calls that show what these orders lack."""
    ids = [get_int(arrival.document, "id") for arrival in short[:_NAMED]]
    return [f"list_blocking_ingredients(manufacturing_order_id={value})" for value in ids]


def overdue_warnings(overdue: Sequence[Arrival], services: Services) -> list[ToolWarning]:
    """Return that the dates count on documents that are overdue as if they came today."""
    if not overdue:
        return []
    named = [f"{_called(arrival)} (due {services.days.day(arrival.date or '')})" for arrival in overdue]
    message = f"the dates may be too early, as they count on what is overdue coming today: {first_of(named, _NAMED)}"
    return [advisory(warning_codes.PAST_ARRIVAL_DATE, message)]


def overdue_actions(overdue: Sequence[Arrival]) -> list[str]:
    """Return the calls that show the documents that are overdue."""
    ids = [(arrival.key, get_int(arrival.document, "id")) for arrival in overdue[:_NAMED]]
    return [f"get_{key.removesuffix('_id')}({key}={value}): it is overdue; ask when it comes" for key, value in ids]
