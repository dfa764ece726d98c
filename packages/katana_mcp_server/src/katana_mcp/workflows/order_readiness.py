"""`order_readiness`: which sales orders can ship now, which cannot, which are late, and what each row waits for.

Whether goods are there for a row is Katana's own booking, by the rank of its order: what stands in stock may be held by
orders before it. What lacks is told with what brings it.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple, cast

from pydantic import Field

from cache_core.conditions import NoneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from cache_core.sync import StockAnswer
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, none_yet, text
from katana_mcp.references.purchasable import soft_states
from katana_mcp.references.resolve import first_rows, none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, Moment, Refers, Until, not_after, not_before, where
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.days import Days
from katana_mcp.tools.requests import ListLimit, NameOrId, PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.values import EMPTY, get_int, number
from katana_mcp.workflows import elsewhere
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.contradicted import read_orders_again
from katana_mcp.workflows.elsewhere import Elsewhere, Move
from katana_mcp.workflows.incoming import ARRIVE_BY, SOURCES, Arrivals, Incoming, arrivals
from katana_mcp.workflows.needs import NOT_SHIPPING, SOLD, THERE, OpenRow, open_rows, shipped_rows
from katana_mcp.workflows.stock import LEVELS, age_of, levels_by_place, missing_of, unread
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient

_ORDERS, _SHIPMENTS = "sales_order", "sales_order_fulfillment"
_READS = (_ORDERS, _SHIPMENTS, *SOURCES, *VARIANT_ENTITIES, "customer", "location", "supplier")
_USED = {
    _ORDERS: ("status", "location_id", "customer_id", "delivery_date", "sales_order_rows[].product_availability"),
    _SHIPMENTS: ("sales_order_id", "sales_order_fulfillment_rows[].quantity"),
    **ARRIVE_BY,
}
"""What is filtered by, ordered by and judged by."""
_MOST = 10_000
_NAMED = 10
"""Rows of an order, and documents that bring what a row waits for, that are named; the counts tell of all."""
_LAST = "9999"

type State = Literal["ready", "part", "waiting"]
type Late = Literal["overdue", "after_delivery_date", "goods_overdue", "no_date"]


class OrderReadinessRequest(Request):
    """Filters of `order_readiness`."""

    state: Annotated[list[State], Field(min_length=1, max_length=3)] | None = None
    """Any of: ready (every open row is in stock), part (some are), waiting (none is)."""
    late: bool | None = None
    """Only orders whose delivery date has passed, or comes before their goods; false: only others."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Id, name or part of it."""
    location_id: AtLocation = None
    delivery_from: Annotated[Moment | None, not_before("delivery_date")] = None
    """Due date; inclusive, a date is a whole day."""
    delivery_to: Annotated[Until | None, not_after("delivery_date")] = None
    """Due date; inclusive, a date is a whole day."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class WaitingRow(Answer):
    """A row whose goods are not there, in its stock unit."""

    sales_order_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    archived: bool | None = None
    deleted: bool | None = None
    open: Number
    """Left to ship."""
    missing: Number | None = None
    """Of these, what stock minus all that is committed does not cover; absent if the stock is unknown."""
    product_availability: str | None = None
    product_expected_date: str | None = None
    overdue: bool | None = None
    """That day has passed."""
    linked_manufacturing_order_id: int | None = None
    """What is made for this row."""
    incoming: list[Incoming]
    """Of this variant at this location, for whichever order; earliest first."""


class ReadyOrder(Answer):
    """An open sales order, and whether it can ship."""

    sales_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    customer_id: int | None = None
    customer: str | None = None
    location: str | None = None
    delivery_date: str | None = None
    state: State
    late: Late | None = None
    """overdue: the delivery date has passed; after_delivery_date: goods come later; goods_overdue: they should have
    come already; no_date: nothing brings them."""
    expected_date: str | None = None
    """When the last goods come; absent if that is not known of a row, or has passed."""
    open_rows: int
    ready_rows: int
    waiting: list[WaitingRow]
    url: str | None = None


class OrderReadinessAnswer(Envelope):
    """The answer of `order_readiness`."""

    rows: list[ReadyOrder]
    elsewhere: list[Elsewhere] | None = None
    """Free at another location, of what these rows miss."""
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    total_is_lower_bound: bool | None = None
    ready: int
    """Orders of all pages, whatever their `state`, as are the next three."""
    part: int
    waiting: int
    late: int


class _Judged(NamedTuple):
    """An order with how many rows are open, those whose goods are not there, and what became of it."""

    order: Stored
    open: int
    lacking: Sequence[OpenRow]
    state: State
    late: Late | None
    expected: str | None

    def rank(self) -> tuple[str, int]:
        """Return what the most urgent comes first by."""
        return text(self.order.record, "delivery_date") or _LAST, get_int(self.order.record, "id") or 0


_READ_OF = SOLD | {
    *("id", "status", "customer_id"),
    *(f"sales_order_rows[].{name}" for name in ("product_expected_date", "linked_manufacturing_order_id")),
}
"""What is read of an order."""


async def _run(request: OrderReadinessRequest, services: Services) -> Answer:
    with patient(services) as reads:
        return await _answer(request, reads)


async def _answer(request: OrderReadinessRequest, reads: PatientReads) -> Answer:
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, _READS, (_ORDERS, _SHIPMENTS))
    with now.refusals():
        request, notices = await completed(request, services)
        conditions = (NoneOf("status", NOT_SHIPPING), *await where(request, services))
    selection = Selection(conditions, Order("id"), _MOST, fields=_READ_OF)
    orders, more = await first_rows(services, _ORDERS, selection)
    shipped = await shipped_rows([order.id for order in orders], services)
    if await read_orders_again(orders, shipped, services):
        orders, more = await first_rows(services, _ORDERS, selection)
    judged = await _judged(orders, shipped, services)
    found = sorted((judgement for judgement in judged if _is_meant(judgement, request)), key=_Judged.rank)

    async def render(first: int, last: int) -> list[Answer]:
        return (await _rows(found[first:last], reads, began)).rows

    asked = await page_of("order_readiness", request, services, render)
    shown, stock, levels, coming, names = await _rows(found[asked.first : asked.last], reads, began)
    moves = _moves(found[asked.first : asked.last], levels, coming, elsewhere.live_locations(names))
    page = paged(asked, shown, len(found), now)
    actions = cast("list[str]", page.fields.get("next_actions", []))
    if not orders and await none_at_all(services, _ORDERS):
        actions = [none_yet("sales orders")]
    moving = elsewhere.transfers(moves, services)
    page.fields["next_actions"] = [*actions, *moving, *goes_on("order_readiness", now, services, len(stock.unknown))]
    states = Counter(judgement.state for judgement in judged)
    return now.answer(
        OrderReadinessAnswer,
        *notices,
        *unread(stock),
        *(_too_many() if more or coming.cut else ()),
        *unread_warnings(now, _USED),
        *elsewhere.left_out(moves),
        *page.warnings,
        **page.fields,
        elsewhere=elsewhere.shown(moves, names),
        total_is_lower_bound=more or None,
        page=request.page,
        limit=request.limit,
        ready=states["ready"],
        part=states["part"],
        waiting=states["waiting"],
        late=sum(judgement.late is not None for judgement in judged),
        **(age_of(stock, now, services) if stock.stale else {}),
    )


def _too_many() -> Sequence[ToolWarning]:
    message = f"{_MOST} documents of a kind are looked at, and there are more; narrow the orders down by their filters"
    return [truncated(message)]


async def _judged(
    orders: Sequence[Stored], shipped: Mapping[int | None, Decimal], services: Services
) -> Sequence[_Judged]:
    """Return the orders of which something is left to ship."""
    today, days = services.midnight(), services.days
    asked = (today, days)
    size = len(orders) + len(shipped)
    return await computed_once(size, (*orders, shipped), _judged_on, orders, shipped, today, days, asked=asked)


def _judged_on(
    orders: Sequence[Stored], shipped: Mapping[int | None, Decimal], today: str, days: Days
) -> Sequence[_Judged]:
    left = [(order, list(open_rows(order.record, shipped))) for order in orders]
    return [_judge(order, mine, today, days) for order, mine in left if mine]


def _judge(order: Stored, mine: Sequence[OpenRow], today: str, days: Days) -> _Judged:
    lacking = [row for row in mine if text(row.record, "product_availability") not in THERE]
    # A service that is never in stock is nothing to ship in part.
    is_any_there = any(text(row.record, "product_availability") == THERE[0] for row in mine)
    state: State = "ready" if not lacking else "part" if is_any_there else "waiting"
    dates = [text(row.record, "product_expected_date") for row in lacking]
    dated = [date for date in dates if date is not None]
    expected = max(dated) if dated and len(dated) == len(dates) else None
    has_passed = any(date < today for date in dated)
    late = _late(text(order.record, "delivery_date"), expected, today, days, lacks=bool(lacking))
    late = "goods_overdue" if late is None and has_passed else late
    return _Judged(order, len(mine), lacking, state, late, None if has_passed else expected)


def _late(delivery: str | None, expected: str | None, today: str, days: Days, *, lacks: bool) -> Late | None:
    """Return why an order is late, or will be; days are those of the factory."""
    if delivery is not None and delivery < today:
        return "overdue"
    if expected is None:
        return "no_date" if lacks else None
    is_after = delivery is not None and days.day(expected) > days.day(delivery)
    return "after_delivery_date" if is_after else None


def _is_meant(order: _Judged, request: OrderReadinessRequest) -> bool:
    of_state = request.state is None or order.state in request.state
    return of_state and (request.late is None or (order.late is not None) == request.late)


type _Levels = Mapping[tuple[int | None, int | None], Record]


class _Rows(NamedTuple):
    """Rows as they are shown, the stock and the arrivals that they tell of, and what all that is called."""

    rows: list[Answer]
    stock: StockAnswer
    levels: _Levels
    coming: Arrivals
    names: Names


def _named(found: Sequence[_Judged]) -> list[OpenRow]:
    return [row for judgement in found for row in judgement.lacking[:_NAMED]]


def _moves(found: Sequence[_Judged], levels: _Levels, coming: Arrivals, locations: Container[int]) -> Sequence[Move]:
    """Return what is free at another location of what these orders miss, and what was not sent already."""
    free = {
        (variant, location): in_stock - committed
        for (variant, location), level in levels.items()
        if variant is not None
        and location is not None
        and (in_stock := number(level, "quantity_in_stock")) is not None
        and (committed := number(level, "quantity_committed")) is not None
    }
    open_at = dict[tuple[int, int], Decimal]()
    for row in _named(found):
        if row.variant_id is not None and row.location_id is not None:
            place = row.variant_id, row.location_id
            open_at[place] = open_at.get(place, Decimal(0)) + row.left
    sent = {
        place: sum(arrival.quantity or Decimal(0) for arrival in coming.by_place.get(place, ()) if arrival.is_transfer)
        for place in open_at
    }
    missing = {place: min(left, -free[place] - sent[place]) for place, left in open_at.items() if place in free}
    return elsewhere.moves(missing, free, coming.drafts, locations)


async def _rows(found: Sequence[_Judged], reads: PatientReads, began: float) -> _Rows:
    """Return the rows of these orders."""
    services, lacking = reads.services, _named(found)
    variants = list(dict.fromkeys(row.variant_id for row in lacking if row.variant_id is not None))
    stock = await reads.stock().ensure(variants, spent=services.clock.monotonic() - began, fields=LEVELS)
    coming, levels = await arrivals(variants, services), levels_by_place(stock)
    named = [arrival.document.get("supplier_id") for arriving in coming.by_place.values() for arrival in arriving]
    ids_by_entity: dict[str, list[object]] = {
        "variant": list[object](variants),
        "customer": [judgement.order.record.get("customer_id") for judgement in found],
        "location": [
            *(judgement.order.record.get("location_id") for judgement in found),
            *(location for _, location in levels),
        ],
        "supplier": named,
    }
    names = await look_up(services.cache, ids_by_entity, item_suppliers=False, only_shown=True)
    shown = [_row(judgement, levels, coming, names, services) for judgement in found]
    return _Rows(list[Answer](shown), stock, levels, coming, names)


def _row(judgement: _Judged, levels: _Levels, coming: Arrivals, names: Names, services: Services) -> ReadyOrder:
    record, lacking = judgement.order.record, judgement.lacking
    return ReadyOrder(
        sales_order_id=get_int(record, "id"),
        order_no=text(record, "order_no"),
        status=text(record, "status"),
        customer_id=get_int(record, "customer_id"),
        customer=names.name("customer", record.get("customer_id")),
        location=names.name("location", record.get("location_id")),
        delivery_date=text(record, "delivery_date"),
        state=judgement.state,
        late=judgement.late,
        expected_date=judgement.expected,
        open_rows=judgement.open,
        ready_rows=judgement.open - len(lacking),
        waiting=[_waiting(row, levels, coming, names, services) for row in lacking[:_NAMED]],
        url=services.url(f"/salesorder/{judgement.order.id}"),
    )


def _waiting(row: OpenRow, levels: _Levels, coming: Arrivals, names: Names, services: Services) -> WaitingRow:
    place, expected = (row.variant_id, row.location_id), text(row.record, "product_expected_date")
    return WaitingRow(
        sales_order_row_id=get_int(row.record, "id"),
        variant_id=row.variant_id,
        sku=names.sku(row.variant_id),
        name=names.variant(row.variant_id),
        **soft_states(names.record("variant", row.variant_id), names),
        open=row.left,
        missing=missing_of(row.left, levels.get(place, EMPTY)),
        product_availability=text(row.record, "product_availability"),
        product_expected_date=expected,
        overdue=(expected is not None and expected < services.midnight()) or None,
        linked_manufacturing_order_id=get_int(row.record, "linked_manufacturing_order_id"),
        incoming=[arrival.to_answer(names, services) for arrival in coming.by_place.get(place, [])[:_NAMED]],
    )


ORDER_READINESS = ToolSpec(
    name="order_readiness",
    toolset="sales",
    description=(
        "List which sales orders still to pack can ship now, which only in part, which wait, which are late and why "
        "(cache-backed). Per row that waits: what is missing, when it is expected, and what brings it. Stock that "
        "Katana has booked for earlier orders is not counted. Earliest delivery date first; `state=[ready]` "
        "is what can ship today."
    ),
    request=OrderReadinessRequest,
    answer=OrderReadinessAnswer,
    run=_run,
    reads=_READS,
)
