"""`promise_date`: by when goods can be there, and where they come from: stock, what is on its way, making, buying."""

from collections.abc import Container, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, NamedTuple, cast

from pydantic import Field

from cache_core.protocol import Stored
from cache_core.records import Record
from cache_core.sync import StockAnswer
from katana_mcp.documents.usual_fields import Some
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.namesakes import details_of, told_apart
from katana_mcp.references.purchasable import is_gone
from katana_mcp.references.resolve import one_record
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import Refers, where
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, first_of
from katana_mcp.tools.requests import NameOrId, Request, SkuOrVariantId
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, info, truncated
from katana_mcp.values import EMPTY, get_bool, get_int
from katana_mcp.workflows import elsewhere
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.contradicted import read_orders_again
from katana_mcp.workflows.elsewhere import Elsewhere, Move
from katana_mcp.workflows.incoming import ARRIVE_BY, SOURCES
from katana_mcp.workflows.needs import NOT_SHIPPING, arrivals_and_needs, open_rows, shipped_rows
from katana_mcp.workflows.promise_shown import (
    Asked,
    Promised,
    PromisedRow,
    is_held,
    overdue_actions,
    overdue_arrivals,
    overdue_warnings,
    short_actions,
    short_arrivals,
    short_warnings,
    shown_row,
)
from katana_mcp.workflows.promising import Promise, Source, Supply, World, ledgers
from katana_mcp.workflows.replenish_reading import levels_in, producible, recipes_of
from katana_mcp.workflows.requirements import ingredients
from katana_mcp.workflows.stock import LEVELS, age_of, is_service, places_in, unread, without_figures
from katana_mcp.workflows.variants import NotFound, Resolved, resolve
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient

_ORDER = "sales_order"
_TAKERS = (_ORDER, "sales_order_fulfillment", "manufacturing_order_recipe_row")
_READS = (*VARIANT_ENTITIES, *_TAKERS, *SOURCES, "bom_row", "location", "supplier", *FACTORY)
_USED = {
    _ORDER: ("status", "delivery_date", "sales_order_rows[].variant_id", "sales_order_rows[].quantity"),
    "manufacturing_order_recipe_row": ("manufacturing_order_id", "variant_id", "total_remaining_quantity"),
    "bom_row": ("product_variant_id", "ingredient_variant_id", "quantity"),
    "variant": ("product_id", "material_id", "lead_time"),
    **ARRIVE_BY,
}
_MOST = 50
_CANDIDATES = 10
"""Variants of one SKU that are named, to choose from."""


class PromiseRow(Request):
    """What is asked for."""

    sku_or_variant_id: SkuOrVariantId
    """SKU (text) or variant id (integer)."""
    quantity: Some
    """In the item's stock unit."""


class PromiseDateRequest(Request):
    """Arguments of `promise_date`: rows, a sales order, or both."""

    rows: Annotated[list[PromiseRow], Field(min_length=1, max_length=_MOST)] | None = None
    """Of a new order, or to be added to `sales_order_id`; they rank after all existing orders."""
    sales_order_id: NameOrId | None = None
    """Id or number of an order, for its open rows."""
    location_id: Annotated[NameOrId | None, Refers("location", "location_id", "location")] = None
    """Where `rows` ship from: id, name or part of it; by default where they are ready first."""


class PromiseDateAnswer(Envelope):
    """The answer of `promise_date`."""

    date: str | None = None
    """When all rows are available; absent if not known."""
    sales_order_id: int | None = None
    order_no: str | None = None
    delivery_date: str | None = None
    in_time: bool | None = None
    rows: list[PromisedRow]
    elsewhere: list[Elsewhere] | None = None
    """Free at another location, of what stock does not cover."""
    not_found: list[NotFound]


async def _run(request: PromiseDateRequest, services: Services) -> Answer:
    with patient(services) as reads:
        return await _answer(request, reads)


_NONE_SHIPPED: Mapping[int | None, Decimal] = {}


async def _current(asked: NameOrId, services: Services) -> tuple[Stored, Mapping[int | None, Decimal]]:
    """Return an order, as Katana has it now where stock says otherwise, and how much of each row is in shipments."""
    order = await one_record(services, _ORDER, asked, "order number")
    shipped = await shipped_rows([order.id], services)
    is_read = await read_orders_again([order], shipped, services)
    return await one_record(services, _ORDER, asked, "order number") if is_read else order, shipped


async def _answer(request: PromiseDateRequest, reads: PatientReads) -> Answer:
    _check_asked(request)
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, _READS, ("variant", _ORDER))
    with now.refusals():
        request, notices = await completed(request, services)
        places = places_in(await where(request, services))
        asked_order = request.sales_order_id
        order, shipped = (None, _NONE_SHIPPED) if asked_order is None else await _current(asked_order, services)
    asked_for = [row.sku_or_variant_id for row in request.rows or ()]
    resolved = await resolve(asked_for, services)
    with now.refusals():
        await _check_unambiguous(resolved, asked_for, services)
    left = _left(order) if order else []
    asked = [*(_of_order(order, shipped) if order and not left else []), *_of_rows(request, resolved, places)]
    known = await _world(asked, order, reads, began)
    world, names, stock = known.world, known.names, known.stock
    for row in asked:
        if is_held(row) and row.location is not None:
            world.book((row.variant, row.location), row.quantity)
    promised = [_promise(row, known) for row in asked]
    shown = [shown_row(promise, world.today, names, services) for promise in promised]
    overdue, short = overdue_arrivals(promised, services), short_arrivals(promised)
    moves = _moves(known)
    dates = [row.date for row in shown]
    whole = bool(shown) and None not in dates and not resolved.not_found and not resolved.unknown
    day = max(cast("list[str]", dates)) if whole else None
    return now.answer(
        PromiseDateAnswer,
        *notices,
        *left,
        *(_at_row(warning, asked_for) for warning in resolved.warnings),
        *unread(stock),
        *known.warnings,
        *overdue_warnings(overdue, services),
        *short_warnings(short),
        *elsewhere.left_out(moves),
        *unread_warnings(now, _USED),
        date=day,
        **_head(order, day, services),
        rows=shown,
        elsewhere=elsewhere.shown(moves, names),
        not_found=resolved.not_found,
        next_actions=[
            *resolved.next_actions,
            *overdue_actions(overdue),
            *short_actions(short),
            *elsewhere.transfers(moves, services),
            *goes_on("promise_date", now, services, len(stock.unknown)),
        ],
        **age_of(stock, now, services),
    )


def _check_asked(request: PromiseDateRequest) -> None:
    if request.rows is None and request.sales_order_id is None:
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, "give rows, or a sales_order_id, or both", "rows"))


def _left(order: Stored) -> list[ToolWarning]:
    """Return a note on an order of which nothing is left to ship."""
    status = "deleted" if order.deleted else text(order.record, "status")
    if status not in {"deleted", *NOT_SHIPPING} - {"PENDING"}:
        return []
    message = f"sales order {text(order.record, 'order_no')} is {status}: nothing of it is left to ship"
    return [info(warning_codes.BLOCKED_STATUS, message, "sales_order_id")]


def _of_rows(request: PromiseDateRequest, resolved: Resolved, places: frozenset[object]) -> list[Asked]:
    found = {match.asked: match.matches[0] for match in resolved.found if match.matches}
    location = next((place for place in places if isinstance(place, int)), None)
    return [
        Asked(variant.id, row.quantity, location, is_service=is_service(variant))
        for row in request.rows or ()
        if (variant := found.get(row.sku_or_variant_id)) is not None and isinstance(variant.id, int)
    ]


async def _check_unambiguous(resolved: Resolved, asked_for: Sequence[str | int], services: Services) -> None:
    refusals = [
        blocking(
            warning_codes.AMBIGUOUS_NAME,
            f"{len(match.matches)} variants have the SKU {match.asked!r}; name one by id: "
            f"{await _candidates(match.matches, services)}",
            f"rows[{asked_for.index(match.asked)}].sku_or_variant_id",
        )
        for match in resolved.found
        if len(match.matches) > 1
    ]
    if refusals:
        raise Refused(*refusals)


async def _candidates(variants: Sequence[Stored], services: Services) -> str:
    """Return the first of these variants, each with its id, SKU and name."""
    named = variants[:_CANDIDATES]
    names = await look_up(services.cache, {"variant": ()}, [("variant", row) for row in named])
    records = [row.record for row in named]
    details = [(f"{text(record, 'sku')}, {names.display(record)}", details_of("variant", record)) for record in records]
    called = [f"{row.id} ({name})" for row, name in zip(named, told_apart(details), strict=True)]
    return first_of(called, _CANDIDATES, len(variants))


def _at_row(warning: ToolWarning, asked_for: Sequence[str | int]) -> ToolWarning:
    """Return a warning about the n-th of what was asked for, about the row that asked."""
    index = int((warning.field_path or "").removeprefix("skus_or_variant_ids[").removesuffix("]"))
    asked = list(dict.fromkeys(asked_for))[index]
    return warning.model_copy(update={"field_path": f"rows[{asked_for.index(asked)}].sku_or_variant_id"})


def _of_order(order: Stored, shipped: Mapping[int | None, Decimal]) -> list[Asked]:
    """Return the open rows of an order."""
    return [
        Asked(row.variant_id, row.left, row.location_id, row.record)
        for row in open_rows(order.record, shipped)
        if row.variant_id is not None
    ]


class _Known(NamedTuple):
    """What is known of variants and of all that they are made of, what that is called, and what is to be said of it.

    `locations` are not deleted; `drafts` are stock transfers that move some of them once they are sent.
    """

    world: World
    locations: Container[int]
    names: Names
    stock: StockAnswer
    drafts: Sequence[Record]
    warnings: list[ToolWarning]


async def _world(asked: Sequence[Asked], order: Stored | None, reads: PatientReads, began: float) -> _Known:
    services = reads.services
    roots = list(dict.fromkeys(row.variant for row in asked))
    recipes, is_deep = await recipes_of(await producible(roots, services), services)
    variants = list(dict.fromkeys([*roots, *recipes, *ingredients(recipes)]))
    stock = await reads.stock().ensure(variants, spent=services.clock.monotonic() - began, fields=LEVELS)
    levels, unjudged = await levels_in(stock, frozenset())
    coming, needs = await arrivals_and_needs(variants, services)
    today, own = services.midnight(), (_ORDER, order.id) if order else ("", None)

    def day_of(moment: str) -> str:
        return "" if moment < today else services.days.day(moment)

    known = (levels, coming.by_place, needs)
    asked_on = (today, services.days, own)
    there = await computed_once(len(levels) + len(needs), known, ledgers, *known, day_of, own, asked=asked_on)
    suppliers = [arrival.document.get("supplier_id") for there in coming.by_place.values() for arrival in there]
    locations = dict.fromkeys([*(row.location for row in asked), *(location for _, location in there)])
    called = {"variant": variants, "factory": (), "location": locations, "supplier": suppliers}
    names = await look_up(services.cache, called, item_suppliers=False)
    world = World(
        today=services.today().astimezone(services.days.zone).date(),
        recipes=recipes,
        supplies=_supplies(variants, names),
        unknown=frozenset(record_id for record_id in stock.unknown if isinstance(record_id, int)),
        ledgers=there,
        idle=frozenset(place for place in locations if place is not None and _is_idle(place, names)),
    )
    warnings = [truncated(_TOO_MANY)] if is_deep or coming.cut else []
    live = elsewhere.live_locations(names)
    return _Known(world, live, names, stock, coming.drafts, [*warnings, *without_figures(unjudged, "count as empty")])


def _is_idle(location: int, names: Names) -> bool:
    return elsewhere.is_idle(names.record("location", location) or EMPTY)


_TOO_MANY = "not all bills of materials and documents could be looked at: the dates may be too late"


def _supplies(variants: Sequence[int], names: Names) -> Mapping[int, Supply]:
    """Return how each variant is got, and the days that it takes: its own lead time, of bought ones else the usual."""
    factory = next(names.of("factory"), EMPTY)
    usual = text(factory, "default_po_lead_time") or ""
    return {
        variant: _supply(record, names.item(record) or EMPTY, int(usual) if usual.isdecimal() else None)
        for variant in variants
        if (record := names.record("variant", variant)) is not None
    }


def _supply(variant: Record, item: Record, usual: int | None) -> Supply:
    days, no_more = get_int(variant, "lead_time"), is_gone(variant, item)
    if get_bool(item, "is_producible"):
        return Supply("make", days, no_more)
    is_bought = get_bool(item, "is_purchasable") is not False
    return Supply("buy" if is_bought else None, usual if days is None else days, no_more)


def _promise(asked: Asked, known: _Known) -> Promised:
    """Return where and by when so much is there, and hold it."""
    world = known.world
    if is_held(asked):
        return asked, asked.location, Promise([Source("stock", asked.quantity, "")], Decimal(0))
    if asked.location is not None:
        return asked, asked.location, world.promise((asked.variant, asked.location), asked.quantity)
    places = (location for variant, location in world.ledgers if variant == asked.variant)
    locations = sorted(location for location in places if location in known.locations)
    if not locations:
        return asked, None, Promise([], Decimal(0))
    return asked, *world.soonest(asked.variant, locations, asked.quantity)


def _moves(known: _Known) -> Sequence[Move]:
    """Return what is free at another location: of what is asked for, else of what that is made of."""
    world, rest = known.world, (known.world.free(), known.drafts, known.locations)
    return elsewhere.moves(world.missing, *rest) or elsewhere.moves(world.ingredients, *rest)


def _head(order: Stored | None, day: str | None, services: Services) -> dict[str, object]:
    """Return what is said of the order that is asked about."""
    if order is None:
        return {}
    delivery = text(order.record, "delivery_date")
    return {
        "sales_order_id": order.id,
        "order_no": text(order.record, "order_no"),
        "delivery_date": delivery,
        "in_time": None if delivery is None or day is None else day <= services.days.day(delivery),
    }


PROMISE_DATE = ToolSpec(
    name="promise_date",
    toolset="sales",
    description=(
        "Get the date by which a quantity can be promised, and where each part comes from: free stock, what is on "
        "its way already, else making or buying by lead time, level by level (cache-backed).\n\n"
        "Pass ``rows`` for a new order, or ``sales_order_id``. What other orders need comes first. Days are those "
        "of the factory; without a date or lead time none is guessed: see `note`. Capacity is not known."
    ),
    request=PromiseDateRequest,
    answer=PromiseDateAnswer,
    run=_run,
    reads=_READS,
)
