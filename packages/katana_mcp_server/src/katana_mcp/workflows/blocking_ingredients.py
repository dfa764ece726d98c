"""`list_blocking_ingredients`: what holds up open manufacturing orders, which orders, and what is on its way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, NamedTuple, cast

from cache_core.conditions import NoneOf, OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from cache_core.sync import StockAnswer
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, none_yet, text, titled
from katana_mcp.references.purchasable import soft_states
from katana_mcp.references.resolve import first_rows, none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import Moment, Refers, Until, not_after, not_before, where
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number, first_of
from katana_mcp.tools.requests import ListLimit, NameOrId, PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning, advisory, truncated
from katana_mcp.values import EMPTY, get_int, number, total
from katana_mcp.workflows.computing import MOST_AT_ONCE
from katana_mcp.workflows.contradicted import read_ingredients_again
from katana_mcp.workflows.incoming import ARRIVE_BY, SOURCES, Arrivals, Incoming, Place
from katana_mcp.workflows.needs import Need, Needs, arrivals_and_needs
from katana_mcp.workflows.stock import LEVELS, age_of, levels_by_place, missing_of, unread
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient

_ORDERS, _RECIPE_ROWS = "manufacturing_order", "manufacturing_order_recipe_row"
_READS = (*SOURCES, _RECIPE_ROWS, *VARIANT_ENTITIES, "location", "supplier")
_MOST = 10_000
_NAMED = 20
"""Orders, and documents on their way, that are named per ingredient; the counts tell of all."""


class ListBlockingIngredientsRequest(Request):
    """Filters of `list_blocking_ingredients`."""

    location_id: Annotated[NameOrId | None, Refers("location", "location_id", "location")] = None
    """Where it is made: location id, or name or a part of it."""
    deadline_from: Annotated[Moment | None, not_before("production_deadline_date")] = None
    """When orders are due; inclusive, a date is a whole day."""
    deadline_to: Annotated[Until | None, not_after("production_deadline_date")] = None
    """When orders are due; inclusive, a date is a whole day."""
    manufacturing_order_id: Annotated[NameOrId | None, Refers("manufacturing_order", "id", "manufacturing order")] = (
        None
    )
    """Only what this order waits for: id or number."""
    include_expected: bool = True
    """False: leave out ingredients that are on their way in sufficient quantity."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class HeldUpOrder(Answer):
    """An open manufacturing order that lacks the ingredient."""

    manufacturing_order_id: int | None = None
    order_no: str | None = None
    production_deadline_date: str | None = None
    overdue: bool | None = None
    needed: Number | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None


class GivingWay(Answer):
    """An open order that holds the ingredient and is due later than the first that lacks it."""

    type: str | None = None
    """`sales_order` or `manufacturing_order`, as `prioritize_orders` takes it."""
    order_no: str | None = None
    due_date: str | None = None
    quantity: Number | None = None
    """That it holds."""


class BlockingIngredient(Answer):
    """An ingredient that orders at a location wait for, in its stock unit."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    location_id: int | None = None
    location: str | None = None
    ingredient_availability: str | None = None
    """NOT_AVAILABLE if it is so for any of the orders, else EXPECTED."""
    needed: Number | None = None
    """By the orders held up."""
    missing: Number | None = None
    """Needed quantity that stock does not cover; absent if the stock is unknown."""
    in_stock: Number | None = None
    committed: Number | None = None
    order_count: int
    orders: list[HeldUpOrder]
    """Earliest deadline first."""
    incoming_count: int
    incoming: list[Incoming]
    """Earliest first; drafts are left out."""
    could_give_way: list[GivingWay] | None = None
    """Up to 3 orders that hold it and are due later, the latest first; `prioritize_orders` puts others before them."""


class BlockingIngredientsAnswer(Envelope):
    """The answer of `list_blocking_ingredients`."""

    rows: list[BlockingIngredient]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    total_is_lower_bound: bool | None = None
    """The counts of orders and documents are lower bounds too."""
    orders_held_up: int | None = None


@dataclass(slots=True)
class _Wait:
    """An ingredient at a location, and the recipe rows that wait for it with their orders."""

    place: Place
    rows: list[tuple[Record, Record]] = field(default_factory=list[tuple[Record, Record]])

    def worst(self) -> str:
        """Return the worst availability."""
        states = {text(row, "ingredient_availability") for row, _ in self.rows}
        return _SHORT if _SHORT in states else _COMING

    def needed(self) -> Decimal | None:
        """Return what all of the orders still take; None when it is not known of one."""
        return total([number(row, "total_remaining_quantity") for row, _ in self.rows])

    def rank(self) -> tuple[object, ...]:
        """Return what the worst comes first by."""
        return (self.worst() != _SHORT, -len(_orders(self.rows)), self.earliest(), *(key or 0 for key in self.place))

    def earliest(self) -> str:
        """Return the first deadline of the orders; what comes after all others where none has one."""
        return min(text(order, "production_deadline_date") or _LAST for _, order in self.rows)


_USED = {
    _ORDERS: ("status", "location_id", "production_deadline_date"),
    _RECIPE_ROWS: ("manufacturing_order_id", "variant_id", "ingredient_availability", "total_remaining_quantity"),
    **ARRIVE_BY,
}
"""What is filtered by, ordered by and added up."""
_HELD_UP = frozenset(("id", "order_no", "location_id", "production_deadline_date"))
_WAITING = frozenset(
    (
        *("id", "manufacturing_order_id", "variant_id", "total_remaining_quantity"),
        *("ingredient_availability", "ingredient_expected_date"),
    )
)
"""What is read of orders, and of their recipe rows."""
_SHORT, _COMING, _LAST = "NOT_AVAILABLE", "EXPECTED", "9999"


async def _run(request: ListBlockingIngredientsRequest, services: Services) -> Answer:
    with patient(services) as reads:
        return await _answer(request, reads)


async def _answer(request: ListBlockingIngredientsRequest, reads: PatientReads) -> Answer:
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, _READS, (_ORDERS, _RECIPE_ROWS))
    with now.refusals():
        request, notices = await completed(request, services)
        conditions = (NoneOf("status", ("DONE",)), *await where(request, services))
    selection = Selection(conditions, Order("id"), _MOST, fields=_HELD_UP)
    orders, more_orders = await first_rows(services, _ORDERS, selection)
    await read_ingredients_again(await _taking(orders, services), orders, services)
    waiting, more_rows = await _waiting(request, orders, services)
    waits = sorted(_waits(waiting, orders), key=_Wait.rank)

    async def render(first: int, last: int) -> list[Answer]:
        return (await _rows(waits[first:last], reads, began))[0]

    asked = await page_of("list_blocking_ingredients", request, services, render)
    shown, stock, coming, gone = await _rows(waits[asked.first : asked.last], reads, began)
    left = [*([_ORDERS] if more_orders else []), *([_RECIPE_ROWS] if more_rows else []), *coming.cut]
    page = paged(asked, shown, len(waits), now)
    if not orders and await none_at_all(services, _ORDERS):
        page.fields["next_actions"] = [none_yet(f"{titled(_ORDERS)}s")]
    actions = cast("list[str]", page.fields.get("next_actions", []))
    page.fields["next_actions"] = [*actions, *goes_on("list_blocking_ingredients", now, services, len(stock.unknown))]
    return now.answer(
        BlockingIngredientsAnswer,
        *notices,
        *unread(stock),
        *([_too_many(left)] if left else []),
        *unread_warnings(now, _USED),
        *gone,
        *page.warnings,
        **page.fields,
        total_is_lower_bound=bool(left) or None,
        page=request.page,
        limit=request.limit,
        orders_held_up=len(_orders([row for wait in waits for row in wait.rows])) if now.warming is None else None,
        **(age_of(stock, now, services) if stock.stale else {}),
    )


async def _rows(
    found: Sequence[_Wait], reads: PatientReads, began: float
) -> tuple[list[Answer], StockAnswer, Arrivals, list[ToolWarning]]:
    """Return the rows of these ingredients, their stock and arrivals, and which of them is gone."""
    services = reads.services
    variants = list(dict.fromkeys(wait.place[0] for wait in found if wait.place[0] is not None))
    stock = await reads.stock().ensure(variants, spent=services.clock.monotonic() - began, fields=LEVELS)
    coming, needs = await arrivals_and_needs(variants, services)
    names = await _names_of(found, coming, services)
    beside = _Beside(levels_by_place(stock), coming, needs, names, services)
    today = services.midnight()
    return [_row(wait, beside, today) for wait in found], stock, coming, _gone(variants, names)


def _gone(variants: Sequence[int], names: Names) -> list[ToolWarning]:
    """Return warnings of ingredients that are archived, and of those that are deleted."""
    called: dict[str, list[str]] = {"archived": [], "deleted": []}
    for variant in variants:
        states = soft_states(names.record("variant", variant), names)
        state = "deleted" if states["deleted"] else "archived" if states["archived"] else None
        if state is not None:
            called[state].append(names.sku(variant) or str(variant))
    codes = {"archived": warning_codes.ARCHIVED_ITEM, "deleted": warning_codes.DELETED_ITEM}
    return [
        advisory(codes[state], f"{state} in Katana, so that `replenish` orders no more of it: {first_of(skus, _NAMED)}")
        for state, skus in called.items()
        if skus
    ]


def _too_many(left: Sequence[str]) -> ToolWarning:
    kinds = ", ".join(f"{titled(entity)}s" for entity in left)
    return truncated(f"of {kinds} the first {_MOST} are looked at: counts are lower bounds; narrow the orders down")


async def _taking(orders: Sequence[Stored], services: Services) -> Sequence[Stored]:
    """Return recipe rows of these orders that still take something, so many as one read keeps."""
    mine = OneOf("manufacturing_order_id", tuple(order.id for order in orders))
    conditions = (mine, NoneOf("ingredient_availability", ("PROCESSED",)))
    selection = Selection(conditions, Order("id"), MOST_AT_ONCE, fields=_WAITING)
    return (await first_rows(services, _RECIPE_ROWS, selection))[0]


async def _waiting(
    request: ListBlockingIngredientsRequest, orders: Sequence[Stored], services: Services
) -> tuple[Sequence[Stored], bool]:
    """Return the recipe rows of these orders that wait, and whether there are more."""
    states = (_SHORT, _COMING) if request.include_expected else (_SHORT,)
    mine = OneOf("manufacturing_order_id", tuple(order.id for order in orders))
    conditions = (mine, OneOf("ingredient_availability", states))
    return await first_rows(services, _RECIPE_ROWS, Selection(conditions, Order("id"), _MOST, fields=_WAITING))


def _waits(waiting: Sequence[Stored], orders: Sequence[Stored]) -> list[_Wait]:
    """Return the ingredients that these rows of the orders wait for."""
    by_id = {row.id: row.record for row in orders}
    found: dict[Place, _Wait] = {}
    for row in waiting:
        order = by_id.get(get_int(row.record, "manufacturing_order_id") or 0)
        if order is not None:
            place = (get_int(row.record, "variant_id"), get_int(order, "location_id"))
            found.setdefault(place, _Wait(place)).rows.append((row.record, order))
    return list(found.values())


async def _names_of(found: Sequence[_Wait], coming: Arrivals, services: Services) -> Names:
    ids_by_entity: dict[str, list[object]] = {
        "variant": [wait.place[0] for wait in found],
        "location": [wait.place[1] for wait in found],
        "supplier": [
            arrival.document.get("supplier_id") for arriving in coming.by_place.values() for arrival in arriving
        ],
    }
    return await look_up(services.cache, ids_by_entity, item_suppliers=False, only_shown=True)


def _giving_way(wait: _Wait, needs: Needs) -> list[GivingWay]:
    """Return the orders that hold the ingredient though an order that lacks it is due before them."""
    variant, location = wait.place
    if variant is None or location is None:
        return []
    first, mine = wait.earliest(), {("manufacturing_order", key) for key in _orders(wait.rows)}
    later = [
        need
        for need in needs.get((variant, location), ())
        if need.is_booked and need.order not in mine and (need.date or _LAST) > first
    ]
    return [_holder(need) for need in later[: -_GIVING - 1 : -1]]


def _holder(need: Need) -> GivingWay:
    return GivingWay(type=need.order[0], order_no=need.order_no, due_date=need.date, quantity=need.quantity)


_GIVING = 3


class _Beside(NamedTuple):
    """What ingredients are told with: stock, what comes, who else needs them, and names."""

    levels: Mapping[Place, Record]
    coming: Arrivals
    needs: Needs
    names: Names
    services: Services


def _row(wait: _Wait, beside: _Beside, today: str) -> BlockingIngredient:
    variant_id, location_id = wait.place
    levels, brought, needs, names, services = beside
    level, coming = levels.get(wait.place, EMPTY), brought.by_place.get(wait.place, [])
    needed = wait.needed()
    held_up = sorted(wait.rows, key=lambda pair: text(pair[1], "production_deadline_date") or _LAST)
    return BlockingIngredient(
        variant_id=variant_id,
        sku=names.sku(variant_id),
        name=names.variant(variant_id),
        uom=text(names.item(names.record("variant", variant_id)), "uom"),
        location_id=location_id,
        location=names.name("location", location_id),
        ingredient_availability=wait.worst(),
        needed=needed,
        missing=missing_of(needed, level),
        in_stock=number(level, "quantity_in_stock"),
        committed=number(level, "quantity_committed"),
        order_count=len(_orders(wait.rows)),
        orders=[_held_up(row, order, today) for row, order in held_up[:_NAMED]],
        incoming_count=len(coming),
        incoming=[arrival.to_answer(names, services) for arrival in coming[:_NAMED]],
        could_give_way=_giving_way(wait, needs) or None,
    )


def _held_up(row: Record, order: Record, today: str) -> HeldUpOrder:
    deadline = text(order, "production_deadline_date")
    return HeldUpOrder(
        manufacturing_order_id=get_int(order, "id"),
        order_no=text(order, "order_no"),
        production_deadline_date=deadline,
        overdue=(deadline is not None and deadline < today) or None,
        needed=number(row, "total_remaining_quantity"),
        ingredient_availability=text(row, "ingredient_availability"),
        ingredient_expected_date=text(row, "ingredient_expected_date"),
    )


def _orders(waiting: Sequence[tuple[Record, Record]]) -> set[int | None]:
    return {get_int(order, "id") for _, order in waiting}


LIST_BLOCKING_INGREDIENTS = ToolSpec(
    name="list_blocking_ingredients",
    toolset="manufacturing",
    description=(
        "List the ingredients that block open manufacturing orders — one call gives, per ingredient and location, "
        "what is missing, the orders with their deadlines, and the purchase orders, manufacturing orders and "
        "transfers that supply it (cache-backed). Worst first."
    ),
    request=ListBlockingIngredientsRequest,
    answer=BlockingIngredientsAnswer,
    run=_run,
    reads=_READS,
)
