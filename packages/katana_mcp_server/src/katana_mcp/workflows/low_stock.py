"""`list_low_stock_items`: what stands below its reorder point, location by location, the worst first; what to order.

Refuses to judge what is not known: such levels are counted, and never taken for zero.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import repeat
from typing import Annotated, Any, Literal, cast

from cache_core.conditions import Missing, OneOf, Order, Where
from cache_core.protocol import ByIds, Selection, Stored
from cache_core.records import Record
from cache_core.specs.stock import STOCK
from cache_core.sync import StockAnswer, target_of
from katana_mcp.references.display_names import FACTORY, Names, look_up, none_yet, text
from katana_mcp.references.purchasable import PurchasableVariant, is_supplier_deleted, purchasable_variant
from katana_mcp.references.resolve import first_rows, none_at_all
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, Refers, needed, where
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number, so_many
from katana_mcp.tools.requests import ListLimit, NameOrId, PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning, advisory, info, truncated
from katana_mcp.values import get_int, number, rows
from katana_mcp.workflows.low_stock_cover import READS, USED, Cover, covers
from katana_mcp.workflows.order_quantities import (
    OrderLine,
    SupplierTotal,
    by_supplier,
    order_line,
    price_of,
    purchase_unit,
    shown_suppliers,
)
from katana_mcp.workflows.requirements import Place
from katana_mcp.workflows.stock import age_of, is_at, places_in, unread, without_figures
from katana_mcp.workflows.whole_account import PatientReads, goes_on, patient

_READS = ("variant", "product", "material", "location", "supplier", "purchase_order", "stock_transfer", *FACTORY)
_ITEMS = (("product", "product_id"), ("material", "material_id"))
_USED = {
    "variant": ("product_id", "material_id"),
    **dict.fromkeys(("product", "material"), ("default_supplier_id",)),
    **USED,
}
"""What finds the variants that are looked at, and what covers them."""
_MOST = 10_000
FRESH_FOR = timedelta(minutes=5)
"""How old a level may be here: reading that of every item takes many of Katana's 60 requests a minute."""


class ListLowStockItemsRequest(Request):
    """Filters of `list_low_stock_items`."""

    location_id: AtLocation = None
    supplier_id: Annotated[NameOrId | None, Refers("supplier", "default_supplier_id", "supplier")] = None
    """Default supplier: id, or name or a part of it."""
    item_type: Literal["product", "material"] | None = None
    """Only products or only materials."""
    include_expected: bool = True
    """False: ignore what is on order or being made."""
    limit: ListLimit = 50
    """Per page."""
    page: PageNumber = 1


class LowStockItem(Answer):
    """A variant that is short at a location, in the item's unit."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    item_type: str | None = None
    uom: str | None = None
    location_id: int | None = None
    location: str | None = None
    severity: Literal["missing", "low"]
    """missing: stock does not cover what is committed; low: below the reorder point."""
    short: Number
    """Short of the reorder point or safety stock, whichever is higher."""
    in_stock: Number | None = None
    committed: Number | None = None
    expected: Number | None = None
    drafted: Number | None = None
    """In draft purchase orders and transfers, which `expected` leaves out."""
    free_elsewhere: Number | None = None
    """What other locations can spare: where it covers the row, nothing is to order."""
    reorder_point: Number | None = None
    safety_stock_level: Number | None = None
    supplier_id: int | None = None
    supplier: str | None = None
    minimum_order_quantity: Number | None = None
    lead_time: int | None = None
    """Days."""
    order_quantity: Number | None = None
    """To order, in purchase units: what is short after all incoming and drafted goods, at least the minimum order."""
    purchase_uom: str | None = None
    """Where it is not the item's unit."""
    purchase_uom_conversion_rate: Number | None = None
    """Item's units in one."""
    purchase_price: Number | None = None
    """Of a purchase unit."""
    line_value: Number | None = None
    currency: str | None = None


class LowStockAnswer(Envelope):
    """The answer of `list_low_stock_items`."""

    rows: list[LowStockItem]
    total: int | None = None
    total_is_lower_bound: bool | None = None
    page: int
    limit: int
    has_more: bool | None = None
    variants: int
    """That meet the filters; of what is archived or deleted `replenish` names what open orders need."""
    checked: int
    """Of these, with known stock."""
    to_order: list[SupplierTotal]
    """Of all pages, by supplier."""


@dataclass(frozen=True, slots=True)
class _Short:
    """A level that is short, and by how much."""

    variant: Stored
    level: Record
    short: Decimal
    missing: bool
    share: Decimal
    """Of what should be there."""
    uncovered: Decimal | None = None
    """What is short beyond what is on its way."""
    cover: Cover | None = None
    """What covers that; None where nothing is short beyond it."""

    @property
    def place(self) -> Place:
        """The variant and the location."""
        return get_int(self.variant.record, "id") or 0, get_int(self.level, "location_id") or 0

    def rank(self) -> tuple[object, ...]:
        """Return what the worst comes first by."""
        return (not self.missing, -self.share, -self.short, text(self.variant.record, "sku") or "", *self.place)


async def _run(request: ListLowStockItemsRequest, services: Services) -> Answer:
    with patient(services) as reads:
        return await _answer(request, reads)


async def _answer(request: ListLowStockItemsRequest, reads: PatientReads) -> Answer:
    services, began = reads.services, reads.services.clock.monotonic()
    now = await current(services, (*_READS, *needed(request)), ("variant",))
    with now.refusals():
        request, notices = await completed(request, services)
        conditions = await where(request, services)
    ids, count = await _variants(request, conditions, services)
    spent = services.clock.monotonic() - began
    stock = await reads.stock().ensure(ids, FRESH_FOR, spent, fields=frozenset((_COVERED,)))
    judged = _Judged(include_expected=request.include_expected)
    found = sorted(await _short(stock, places_in(conditions), judged, services), key=_Short.rank)

    names = await _names_of(found, services)
    goods = [purchasable_variant(short.variant.record, names) for short in found]
    needed_lines = [
        order_line(good, short.cover.to_order if short.cover else None)
        for good, short in zip(goods, found, strict=True)
    ]
    lines = [line for line in needed_lines if line is not None]
    totals = by_supplier(lines)
    to_order = shown_suppliers(totals)

    async def render(first: int, last: int) -> list[Answer]:
        shown = slice(first, last)
        return [*map(_row, found[shown], goods[shown], needed_lines[shown], repeat(names))]

    asked = await page_of("list_low_stock_items", request, services, render, to_order)
    page = paged(asked, await render(asked.first, asked.last), len(found), now, beside=to_order)
    actions = cast("list[str]", page.fields.get("next_actions", []))
    actions = [*actions, *_spared(found), *goes_on("list_low_stock_items", now, services, len(stock.unknown))]
    if not count and await none_at_all(services, "variant"):
        actions = [none_yet("items")]
    page.fields["next_actions"] = actions
    return now.answer(
        LowStockAnswer,
        *notices,
        *unread(stock),
        *judged.warnings(),
        *unread_warnings(now, _USED),
        *([_too_many(count)] if count > len(ids) else []),
        *([_more_suppliers(len(to_order), len(totals))] if len(to_order) < len(totals) else []),
        *_of_deleted(lines, names),
        *_unpriced(lines),
        *page.warnings,
        **page.fields,
        total_is_lower_bound=(count > len(stock.stored) or judged.unknown > 0) or None,
        page=request.page,
        limit=request.limit,
        variants=count,
        checked=len(stock.stored),
        to_order=to_order,
        **age_of(stock, now, services),
    )


async def _variants(request: ListLowStockItemsRequest, conditions: Where, services: Services) -> tuple[list[int], int]:
    """Return the ids of the live variants that meet the filters, at most `_MOST`, and how many there are."""
    supplied = tuple(condition for condition in conditions if condition.field == "default_supplier_id")
    found: list[int] = []
    count = 0
    for entity, path in _ITEMS:
        if request.item_type in {None, entity}:
            mine: Where = (Missing(path, missing=False),)
            if supplied:
                items, more = await first_rows(services, entity, Selection(supplied, Order("id"), _MOST))
                count += more
                mine = (OneOf(path, tuple(item.id for item in items)),)
            window = Selection(mine, Order("id"), _MOST - len(found), fields=frozenset(("id",)))
            variants = await services.cache.select("variant", window)
            found += [variant.id for variant in variants if isinstance(variant.id, int)]
            is_whole = len(variants) < window.limit
            count += len(variants) if is_whole else await services.cache.count("variant", mine)
    return found, count


async def _short(
    stock: StockAnswer, places: frozenset[object], judged: "_Judged", services: Services
) -> Sequence[_Short]:
    """Return what is short at these locations or, without any, everywhere; of the rest nothing more is read."""
    ids = [stored.id for stored in stock.stored if stored.record.get(_COVERED) is not True]
    reads = [ByIds(STOCK.name, ids, frozenset(("levels",))), ByIds("variant", ids), *READS]
    levels, variants, *drafts = await services.cache.read(reads)
    found = [*judged.short(variants, levels, places)]
    uncovered = {short.place: short.uncovered for short in found if short.uncovered and short.uncovered > 0}
    covered = covers(uncovered, levels, *drafts)
    return [replace(short, cover=covered.get(short.place)) for short in found]


_COVERED = "is_covered"


@dataclass(slots=True)
class _Judged:
    """Judges levels; counts those of which something is unknown."""

    include_expected: bool
    unknown: int = 0

    def short(self, variants: Sequence[Stored], stock: Sequence[Stored], places: frozenset[object]) -> Iterator[_Short]:
        """Yield the levels that are short, at these locations or, without any, everywhere."""
        by_id = {variant.id: variant for variant in variants}
        for stored in stock:
            for level in rows(stored.record, "levels"):
                if is_at(level, places) and stored.id in by_id:
                    short = self._short(by_id[stored.id], level)
                    if short is not None:
                        yield short

    def _short(self, variant: Stored, level: Record) -> _Short | None:
        """Return the level if it is short; one that cannot be judged is counted."""
        in_stock, committed = number(level, "quantity_in_stock"), number(level, "quantity_committed")
        point, coming = target_of(level), number(level, "quantity_expected")
        expected = coming if self.include_expected else Decimal(0)
        if point is None or in_stock is None or committed is None or expected is None:
            self.unknown += 1
            return None
        required, there = point + committed, in_stock + expected
        short = required - there
        if short <= 0:
            return None
        share = min(Decimal(1), short / required) if required > 0 else Decimal(1)
        uncovered = None if coming is None else short + expected - coming
        return _Short(variant, level, short, there < committed, share, uncovered)

    def warnings(self) -> list[ToolWarning]:
        """Return a warning about levels that could not be judged."""
        return without_figures(self.unknown, "could not be judged")


def _too_many(count: int) -> ToolWarning:
    message = f"{_MOST} of {count} variants are looked at; narrow them down by supplier_id or item_type"
    return truncated(message)


def _more_suppliers(shown: int, total: int) -> ToolWarning:
    return truncated(f"to_order names {shown} of {total} suppliers, those with the most lines; give a supplier_id")


def _of_deleted(lines: Sequence[OrderLine], names: Names) -> list[ToolWarning]:
    """Return warnings of suppliers that are deleted, of whom lines are to be ordered."""
    counts = Counter(line.good.supplier for line in lines if is_supplier_deleted(line.good.supplier, names))
    return [
        advisory(
            warning_codes.DELETED_ITEM,
            f"supplier {names.name('supplier', supplier) or supplier} is deleted in Katana, and is the default one of "
            f"{so_many(count, 'line')} to order; modify_item names another",
        )
        for supplier, count in counts.items()
    ]


def _unpriced(lines: Sequence[OrderLine]) -> list[ToolWarning]:
    """Return a note of lines that have no price."""
    without = sum(line.value is None for line in lines)
    message = f"{without} of {len(lines)} lines to order have no purchase price: values leave them out"
    return [info(warning_codes.PRICE_REQUIRED, message)] if without else []


async def _names_of(found: Sequence[_Short], services: Services) -> Names:
    """Return the names of all that is short: totals by supplier are of every page."""
    ids_by_entity: dict[str, list[object]] = {
        "variant": [],
        "supplier": [],
        "factory": [],
        "location": [short.level.get("location_id") for short in found],
    }
    return await look_up(services.cache, ids_by_entity, [("variant", short.variant) for short in found])


def _spared(found: Sequence[_Short]) -> list[str]:
    """Return the call that plans the transfers of what other locations can spare, where they can."""
    is_any = any(short.cover is not None and short.cover.is_spared for short in found)
    return ["replenish(...): plans these orders, and the transfers from elsewhere"] if is_any else []


def _row(found: _Short, good: PurchasableVariant, line: OrderLine | None, names: Names) -> Answer:
    variant, level = found.variant.record, found.level
    parent = names.parent(variant)
    return LowStockItem(
        variant_id=get_int(variant, "id"),
        sku=text(variant, "sku"),
        name=names.display(variant),
        item_type=parent[0] if parent else None,
        uom=text(names.item(variant), "uom"),
        location_id=get_int(level, "location_id"),
        location=names.name("location", level.get("location_id")),
        severity="missing" if found.missing else "low",
        short=found.short,
        in_stock=number(level, "quantity_in_stock"),
        committed=number(level, "quantity_committed"),
        expected=number(level, "quantity_expected"),
        drafted=(found.cover and found.cover.drafted) or None,
        free_elsewhere=(found.cover and found.cover.free) or None,
        reorder_point=number(level, "reorder_point"),
        safety_stock_level=number(level, "safety_stock_level"),
        supplier_id=good.supplier,
        supplier=good.supplier_name,
        minimum_order_quantity=good.minimum,
        lead_time=get_int(variant, "lead_time"),
        **_ordered(line),
    )


def _ordered(line: OrderLine | None) -> dict[str, Any]:
    """Return what a row says of its order."""
    if line is None:
        return {}
    good, price = line.good, price_of(line.good)
    return {
        "order_quantity": line.quantity,
        **purchase_unit(good),
        "purchase_price": price,
        "line_value": line.value,
        "currency": None if price is None else good.currency,
    }


LIST_LOW_STOCK_ITEMS = ToolSpec(
    name="list_low_stock_items",
    toolset="inventory",
    description=(
        "List what is short of stock — one call gives every live variant and location, worst first: in stock minus "
        "committed plus expected, compared with that location's reorder point and safety stock (cache-backed). "
        "`order_quantity` says how much to order, `to_order` the totals by supplier. "
        "`checked` of `variants` were looked at; unknown stock is not counted as zero."
    ),
    request=ListLowStockItemsRequest,
    answer=LowStockAnswer,
    run=_run,
    reads=_READS,
    shows_dates=False,
)
