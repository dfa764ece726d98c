"""`stock_value`: what stock was worth at a moment, by location and category, and what changed it since an earlier one.

Everything is told from the stock ledger, whose movements hold the value of stock after each (facts 3.7). Refuses a
moment that lies ahead, a beginning that is not before the end, and a ledger of more movements than are read at once.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple, cast

from cache_core.conditions import OneOf, Where, Within
from cache_core.records import Record, as_id, iso
from katana_mcp.references.display_names import (
    FACTORY,
    VARIANT_ENTITIES,
    VARIANT_PARENTS,
    Names,
    look_up,
    none_yet,
    text,
)
from katana_mcp.references.resolve import none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, Moment, Until, where
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number, so_many
from katana_mcp.tools.requests import ListLimit, PageNumber, Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.values import number, total
from katana_mcp.workflows.computing import computed_once
from katana_mcp.workflows.ledger import COUNTED, LEDGER, Ledger, Pair, TooManyMovements, ledger

_UNBILLED = ("purchase_order", "sales_order")
_READS = (*VARIANT_ENTITIES, "location", *_UNBILLED, LEDGER, *FACTORY)
_MOST = 250_000
_VALUE = "value_in_stock_after"
_UNKNOWN = "unknown"
"""The kind of movements that Katana gives no kind of, or whose change of value is known only with that of others."""
BASIS = (
    "value after the last movement dated up to then, by movement_date, in the base currency; what was deleted in "
    "Katana counts until an audit of the cache finds it gone, a cost that was changed later until it is read again"
)

NOT_BILLED: Where = (
    OneOf("status", ("PARTIALLY_RECEIVED", "RECEIVED")),
    OneOf("billing_status", ("NOT_BILLED", "PARTIALLY_BILLED")),
)
NOT_INVOICED: Where = (
    OneOf("status", ("PARTIALLY_DELIVERED", "DELIVERED")),
    OneOf("invoicing_status", ("notInvoiced", "partiallyInvoiced")),
)


class StockValueRequest(Request):
    """Arguments of `stock_value`."""

    as_of: Until | None = None
    """A date (end of that day) or a moment; now by default."""
    since: Moment | None = None
    """Tells what changed the value from here on: a date (its first moment) or a moment."""
    location_id: AtLocation = None
    limit: ListLimit = 50
    """Per page."""
    page: PageNumber = 1


class ValueOfStock(Answer):
    """Stock of a category at a location; values are in the base currency."""

    location_id: int | None = None
    location: str | None = None
    category: str | None = None
    """Absent: items without one."""
    variants: int
    """That were in stock, or short of it."""
    value: Number | None = None
    value_before: Number | None = None
    """At `since`."""


class ValueChange(Answer):
    """What movements of one kind changed, in the base currency."""

    resource_type: str
    movements: int
    change: Number


class StockValueAnswer(Envelope):
    """The answer of `stock_value`."""

    rows: list[ValueOfStock]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    at: str
    since: str | None = None
    basis: str
    base_currency: str | None = None
    value: Number | None = None
    """Of all pages, as are the next ones; absent: unknown."""
    value_before: Number | None = None
    changes: list[ValueChange] | None = None
    """Add up to `value` minus `value_before`."""
    received_not_billed: int
    """Purchase orders received but not, or only partly, billed; as of now, all locations."""
    shipped_not_invoiced: int
    """Sales orders shipped but not, or only partly, invoiced; as of now, all locations."""


@dataclass(slots=True)
class _Sum:
    """Values added up.

    Attributes:
        now: at the moment asked for.
        before: at the beginning of the time that is explained.
        variants: in stock, or short of it.
        unknown: pairs of variant and location of which the value is not known.
    """

    now: Decimal = Decimal(0)
    before: Decimal = Decimal(0)
    variants: int = 0
    unknown: int = 0

    def add(self, valued: "_Valued") -> None:
        """Add what a variant at a location was worth."""
        if valued.now is None or valued.before is None:
            self.unknown += 1
            return
        self.now += valued.now
        self.before += valued.before
        self.variants += valued.is_there


class _Valued(NamedTuple):
    """What a variant at a location was worth at both moments; None where the ledger does not tell.

    Attributes:
        pair: variant and location.
        is_there: whether it was in stock then, or short of it.
        changes: by kind of movement, how many there were and what they changed.
    """

    pair: Pair
    before: Decimal | None
    now: Decimal | None
    is_there: bool
    changes: Mapping[str, tuple[int, Decimal]] = MappingProxyType({})


async def _run(request: StockValueRequest, services: Services) -> Answer:
    at, since = _moments(request, services)
    now = await current(services, _READS, (LEDGER,))
    with now.refusals():
        request, notices = await completed(request, services)
        conditions = (Within("movement_date", high=iso(at)), *await where(request, services))
        moved = await _moved(conditions, services) if now.warming is None else None
    valued: Sequence[_Valued] = []
    size = 0 if moved is None else moved.size
    if moved is not None:
        valued = await computed_once(size, (moved.pairs, moved.balances), _values, moved, since, asked=since)
    names = await _named(valued, services)
    groups = await computed_once(size, (valued, *names.records.values()), _grouped, valued, names)
    complete = None if moved is None or any(group.unknown for group in groups.values()) else groups.values()
    changes = None if complete is None or since is None else _changes(valued)
    found = [_row(place, group, names, since) for place, group in groups.items()]
    found.sort(key=lambda row: (-(row.value or 0), row.location_id or 0, row.category or ""))

    async def render(first: int, last: int) -> list[Answer]:
        return list(found[first:last])

    asked = await page_of("stock_value", request, services, render)
    page = paged(asked, await render(asked.first, asked.last), len(found), now)
    received, shipped = [
        await services.cache.count(entity, conditions)
        for entity, conditions in zip(_UNBILLED, (NOT_BILLED, NOT_INVOICED), strict=True)
    ]
    actions = [*cast("list[str]", page.fields.get("next_actions", [])), *_what_is_open(received, shipped)]
    if not found and await none_at_all(services, LEDGER):
        actions = [none_yet("movements of stock")]
    page.fields["next_actions"] = [*actions, *(moved.next_actions() if moved else ())]
    return now.answer(
        StockValueAnswer,
        *notices,
        *_doubts(moved, groups.values(), changes),
        *unread_warnings(now, {LEDGER: (*COUNTED, _VALUE)}),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        at=iso(at),
        since=since and iso(since),
        basis=BASIS,
        base_currency=names.base_currency(),
        value=None if complete is None else total([group.now for group in complete]),
        value_before=None if complete is None or since is None else total([group.before for group in complete]),
        changes=changes,
        received_not_billed=received,
        shipped_not_invoiced=shipped,
    )


def _moments(request: StockValueRequest, services: Services) -> tuple[datetime, datetime | None]:
    """Return the moment that is asked for, today as now, and the beginning."""
    now = services.clock.now()
    at = now if request.as_of is None or request.as_of == services.days.tonight(now) else request.as_of
    if at > now:
        message = f"as_of is {iso(at)}: must not be later than now, {iso(now)}"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "as_of"))
    if request.since is not None and request.since >= at:
        message = f"since is {iso(request.since)}: must be before as_of, {iso(at)}"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "since"))
    return at, request.since


async def _moved(conditions: Where, services: Services) -> Ledger:
    try:
        return await ledger(services, conditions, _MOST)
    except TooManyMovements as many:
        message = f"{many.count} movements stand in the ledger, at most {_MOST} are read at once: name a location"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "location_id")) from None


def _values(moved: Ledger, since: datetime | None) -> list[_Valued]:
    return [_value(pair, moved, since) for pair in moved.pairs]


def _value(pair: Pair, moved: Ledger, since: datetime | None) -> _Valued:
    """Return what one variant at one location was worth; its movements are in the order of the ledger."""
    movements, is_there = moved.pairs[pair], bool(moved.balance(pair))
    now = number(movements[-1], _VALUE)
    if since is None:
        return _Valued(pair, Decimal(0), now, is_there)
    first = bisect_left(movements, iso(since), key=_moment)
    before = number(movements[first - 1], _VALUE) if first else Decimal(0)
    return _Valued(pair, before, now, is_there, _changes_of(movements[first:], before))


def _moment(movement: Record) -> str:
    return text(movement, "movement_date") or ""


def _changes_of(movements: Sequence[Record], value: Decimal | None) -> Mapping[str, tuple[int, Decimal]]:
    """Return by kind how many of these movements there are, and what they changed of the value before them."""
    changes: dict[str, tuple[int, Decimal]] = {}
    kinds: list[str] = []  # of the movements since the last known value
    for movement in movements:
        after = number(movement, _VALUE)
        kinds.append(text(movement, "resource_type") or _UNKNOWN)
        if after is not None and value is not None:
            # What movements of one kind changed together is known, though not of each.
            kind = kinds[0] if len(set(kinds)) == 1 else _UNKNOWN
            count, change = changes.get(kind, (0, Decimal(0)))
            changes[kind] = count + len(kinds), change + after - value
        if after is not None:
            value, kinds = after, []
    return changes


async def _named(valued: Iterable[_Valued], services: Services) -> Names:
    pairs = [value.pair for value in valued]
    variants = list(dict.fromkeys(key for variant, _ in pairs if (key := as_id(variant)) is not None))
    ids_by_entity: dict[str, list[object]] = {
        "variant": [*variants],
        "location": [place for _, place in pairs],
        "factory": [],
    }
    found = (await services.cache.get_many("variant", variants, _PARENTS)).rows
    return await look_up(services.cache, ids_by_entity, [("variant", row) for row in found])


_PARENTS = frozenset(path for path, _ in VARIANT_PARENTS)
"""What of a variant leads to its category."""


type _Place = tuple[int | None, str | None]
"""Location and category."""


def _grouped(valued: Iterable[_Valued], names: Names) -> dict[_Place, _Sum]:
    groups: dict[_Place, _Sum] = {}
    categories: dict[int | None, str | None] = {}
    for value in valued:
        variant, location = value.pair
        if variant not in categories:
            categories[variant] = text(names.item(names.record("variant", variant)), "category_name")
        group = groups.get((location, categories[variant]))
        if group is None:
            group = groups[location, categories[variant]] = _Sum()
        group.add(value)
    return groups


def _row(place: _Place, found: _Sum, names: Names, since: datetime | None) -> ValueOfStock:
    location, category = place
    return ValueOfStock(
        location_id=location,
        location=names.name("location", location),
        category=category,
        variants=found.variants,
        value=None if found.unknown else found.now,
        value_before=None if found.unknown or since is None else found.before,
    )


def _changes(valued: Iterable[_Valued]) -> list[ValueChange]:
    """Return what each kind of movement changed, the largest change first."""
    sums: dict[str, tuple[int, Decimal]] = {}
    for value in valued:
        for kind, (count, change) in value.changes.items():
            so_far = sums.get(kind, (0, Decimal(0)))
            sums[kind] = so_far[0] + count, so_far[1] + change
    changes = [ValueChange(resource_type=kind, movements=totals[0], change=totals[1]) for kind, totals in sums.items()]
    return sorted(changes, key=lambda row: (-abs(row.change), row.resource_type))


def _what_is_open(received: int, shipped: int) -> list[str]:
    """Return the calls that list what came or left and was not billed."""
    listed: list[str] = []
    if received:
        listed.append(f"list_purchase_orders({_as_arguments(NOT_BILLED)}): received, not billed")
    if shipped:
        listed.append(f"list_sales_orders({_as_arguments(NOT_INVOICED)}): shipped, not invoiced")
    return listed


def _as_arguments(conditions: Where) -> str:
    return ", ".join(
        f"{condition.field}={list(condition.values)}" for condition in conditions if isinstance(condition, OneOf)
    )


def _doubts(moved: Ledger | None, groups: Iterable[_Sum], changes: Iterable[ValueChange] | None) -> list[ToolWarning]:
    messages: list[str] = []
    unknown = sum(group.unknown for group in groups)
    if unknown:
        messages.append(
            f"the ledger has no value for {so_many(unknown, 'variant')} at a location: sums that hold it are unknown"
        )
    mixed = sum(change.movements for change in changes or () if change.resource_type == _UNKNOWN)
    if mixed:
        messages.append(
            f"of {so_many(mixed, 'movement')} Katana gives no kind, or no value between them and those of another kind:"
            f" what they changed is told together, as '{_UNKNOWN}'"
        )
    doubts = [advisory(warning_codes.STOCK_UNKNOWN, message) for message in messages]
    return [*(moved.warnings() if moved else ()), *doubts]


STOCK_VALUE = ToolSpec(
    name="stock_value",
    toolset="inventory",
    description=(
        "Get what stock was worth on a day, by category, and which kinds of movements changed its value since an "
        "earlier day, for accounting.\n\n"
        "Also how many orders are received and not billed, or shipped and not invoiced."
    ),
    request=StockValueRequest,
    answer=StockValueAnswer,
    run=_run,
    reads=_READS,
)
"""What stock is worth."""
