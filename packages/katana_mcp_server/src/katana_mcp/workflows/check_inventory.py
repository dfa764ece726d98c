"""`check_inventory`: stock of many variants in as few requests as the API allows; unknown is never zero."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.live_reads import LiveRead, LiveRows
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, where
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import Request, SkusOrVariantIds
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, number, rows, total
from katana_mcp.workflows.bins import BinStock, Pair, stock_by_bin
from katana_mcp.workflows.stock import NEVER, age_of, is_at, is_service, places_in, unread
from katana_mcp.workflows.variants import NotFound, bounded, current_for, resolve

_SMALL = ("location",)
_READS = (*VARIANT_ENTITIES, *_SMALL)


class CheckInventoryRequest(Request):
    """Arguments of `check_inventory`."""

    skus_or_variant_ids: SkusOrVariantIds
    """SKUs (texts) or variant ids (integers), mixed freely, at most 250; the order is kept."""
    location_id: AtLocation = None
    by_bin: bool = False
    """Also by bin."""


class StockLevel(Answer):
    """Stock of a variant at one location, in the item's unit."""

    location_id: int | None = None
    location: str | None = None
    in_stock: Number | None = None
    committed: Number | None = None
    expected: Number | None = None
    available: Number | None = None
    """In stock less committed."""
    reorder_point: Number | None = None
    missing_or_excess: Number | None = None
    """In stock less committed, plus expected, less the reorder point: below zero means short."""
    bins: list[BinStock] | None = None


class VariantStock(Answer):
    """Stock of a variant over all locations, or at the one asked for."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    in_stock: Number | None = None
    committed: Number | None = None
    expected: Number | None = None
    available: Number | None = None
    short: bool | None = None
    """True when a location lacks stock for what is committed and its reorder point."""
    locations: list[StockLevel]
    note: str | None = None


class CheckInventoryAnswer(Envelope):
    """The answer of `check_inventory`."""

    stock: list[VariantStock]
    not_found: list[NotFound]
    unknown: list[str | int] | None = None
    """Their stock could not be read; it is unknown, not zero."""


async def _run(request: CheckInventoryRequest, services: Services) -> Answer:
    began, live = services.clock.monotonic(), LiveRead.begin(services)
    now = await current_for(request.skus_or_variant_ids, _READS, _SMALL, services)
    with now.refusals():
        request, notices = await completed(request, services)
        places = places_in(await where(request, services))
    resolved = await resolve(request.skus_or_variant_ids, services)
    ids = [variant.id for variant in resolved.variants if isinstance(variant.id, int) and not is_service(variant)]
    stock = await services.stock.ensure(ids, spent=services.clock.monotonic() - began)
    levels = {row.id: [level for level in rows(row.record, "levels") if is_at(level, places)] for row in stock.stored}
    named = [level.get("location_id") for variant_levels in levels.values() for level in variant_levels]
    levels |= {variant.id: [] for variant in resolved.variants if is_service(variant)}
    variants = [("variant", variant) for variant in resolved.variants]
    names = await look_up(services.cache, {"variant": list(levels), "location": named}, variants)
    place = next((key for key in places if isinstance(key, int)), None) if len(places) == 1 else None
    bins, read = await stock_by_bin(ids, place, live) if request.by_bin else (None, LiveRows([]))
    shown = [(variant, levels[variant.id]) for variant in resolved.variants if variant.id in levels]
    answered = [_stock(variant, variant_levels, names, bins) for variant, variant_levels in shown]
    fit = bounded("check_inventory", answered, resolved)
    return now.answer(
        CheckInventoryAnswer,
        *notices,
        *unread(stock),
        *_unreadable_amounts([level for variant_levels in levels.values() for level in variant_levels]),
        *read.warnings("name fewer variants, or a location"),
        *fit.warnings,
        stock=fit.rows,
        next_actions=fit.next_actions,
        not_found=fit.not_found,
        unknown=[*fit.unknown, *(record_id for record_id in stock.unknown if isinstance(record_id, int))] or None,
        **age_of(stock, now, services),
    )


def _stock(
    variant: Stored, levels: list[Record], names: Names, bins: Mapping[Pair, list[BinStock]] | None
) -> VariantStock:
    shown = [_level(level, names, bins) for level in levels]
    return VariantStock(
        variant_id=get_int(variant.record, "id"),
        sku=text(variant.record, "sku"),
        name=names.display(variant.record),
        uom=text(names.item(variant.record), "uom"),
        in_stock=_sum([level.in_stock for level in shown]),
        committed=_sum([level.committed for level in shown]),
        expected=_sum([level.expected for level in shown]),
        available=_sum([level.available for level in shown]),
        short=any(level.missing_or_excess is not None and level.missing_or_excess < 0 for level in shown) or None,
        locations=shown,
        note=None if levels else NEVER if is_service(variant) else _NOWHERE,
    )


_NOWHERE = "Katana keeps no stock of this variant there"


def _level(level: Record, names: Names, bins: Mapping[Pair, list[BinStock]] | None) -> StockLevel:
    pair = get_int(level, "variant_id"), get_int(level, "location_id")
    in_stock, committed = number(level, "quantity_in_stock"), number(level, "quantity_committed")
    return StockLevel(
        location_id=get_int(level, "location_id"),
        location=names.name("location", level.get("location_id")),
        in_stock=in_stock,
        committed=committed,
        expected=number(level, "quantity_expected"),
        available=None if in_stock is None or committed is None else in_stock - committed,
        reorder_point=number(level, "reorder_point"),
        missing_or_excess=number(level, "quantity_missing_or_excess"),
        bins=None if bins is None else bins.get(pair, []),
    )


def _unreadable_amounts(levels: Sequence[Record]) -> list[ToolWarning]:
    """Return a warning about amounts whose form nobody foresaw: sums of them are left out."""
    amounts = ("quantity_in_stock", "quantity_committed", "quantity_expected", "reorder_point")
    odd = [
        name for name in amounts if any(number(level, name) is None and level.get(name) is not None for level in levels)
    ]
    message = f"incomplete: {', '.join(odd)} of some levels could not be read, so sums leave it out"
    return [advisory(warning_codes.UNREAD_FIELD, message)] if odd else []


def _sum(values: list[Decimal | None]) -> Decimal | None:
    """Return the sum, or None when there is nothing to add or one of them is unknown."""
    return total(values) if values else None


CHECK_INVENTORY = ToolSpec(
    name="check_inventory",
    toolset="inventory",
    description=(
        "Check current stock levels of SKUs or variant ids.\n\n"
        "Pass a list of SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely; "
        "batching N checks in one call is faster than N separate calls. Per location and total: in stock, committed, "
        "expected, available; `short` if missing."
    ),
    request=CheckInventoryRequest,
    answer=CheckInventoryAnswer,
    run=_run,
    reads=_READS,
)
