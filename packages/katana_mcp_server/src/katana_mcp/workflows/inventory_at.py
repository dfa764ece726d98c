"""`inventory_at`: what stood in stock at a past moment, from the ledger in its business order.

Refuses a day or a moment that lies ahead, and one without its offset; what the ledger does not tell stays unknown.
"""

from collections.abc import Sequence
from typing import Annotated

from cache_core.conditions import OneOf, Where
from cache_core.protocol import Stored
from cache_core.records import iso
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import Instant, Refers, where
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import NameOrId, Request, SkusOrVariantIds
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import get_int, total
from katana_mcp.workflows.computing import computed
from katana_mcp.workflows.ledger import COUNTED, LEDGER, Ledger, Pair, TooManyMovements
from katana_mcp.workflows.ledger_levels import LevelCheck, checked_ledger, level_check
from katana_mcp.workflows.stock import NEVER, is_service
from katana_mcp.workflows.variants import NotFound, bounded, resolve

_READS = (*VARIANT_ENTITIES, "location", LEDGER)
_MOST = 50_000
BASIS = (
    "balance after the last movement dated up to then, by movement_date; movements entered later count by their date, "
    "what was deleted in Katana counts until an audit of the cache finds it gone"
)


class InventoryAtRequest(Request):
    """Arguments of `inventory_at`."""

    as_of: Instant
    """A date (end of that day) or a moment: 2026-02-28T09:00:00Z."""
    skus_or_variant_ids: SkusOrVariantIds
    """SKUs (texts) or variant ids (integers), mixed freely, at most 250; the order is kept."""
    location_id: Annotated[NameOrId | None, Refers("location", "location_id", "location")] = None
    """Location id, or name or a part of it; all locations by default."""


class LevelThen(Answer):
    """Stock of a variant at one location at that moment."""

    location_id: int | None = None
    location: str | None = None
    in_stock: Number | None = None
    last_movement_date: str | None = None
    last_caused_by_order_no: str | None = None


class VariantThen(Answer):
    """Stock of a variant at that moment, in the item's unit."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    in_stock: Number | None = None
    """Absent: unknown."""
    locations: list[LevelThen]
    """Those that had moved."""
    note: str | None = None


class InventoryAtAnswer(Envelope):
    """The answer of `inventory_at`."""

    at: str
    basis: str
    stock: list[VariantThen]
    not_found: list[NotFound]


async def _run(request: InventoryAtRequest, services: Services) -> Answer:
    began = services.clock.monotonic()
    request = _in_the_past(request, services)
    now = await current(services, _READS, (LEDGER,))
    resolved = await resolve(request.skus_or_variant_ids, services)
    with now.refusals():
        request, notices = await completed(request, services)
        ids = tuple(variant.id for variant in resolved.variants)
        conditions = (OneOf("variant_id", ids), *await where(request, services))
        check = level_check(resolved.variants, conditions, now, services, began)
        moved = None if now.warming is not None else await _moved(conditions, iso(request.as_of), check, services)
    places = [location for _, location in moved.pairs] if moved else []
    variants = [("variant", variant) for variant in resolved.variants]
    names = await look_up(services.cache, {"variant": [], "location": places}, variants)
    fit = bounded("inventory_at", [_then(variant, moved, names) for variant in resolved.variants], resolved)
    rest = [action.replace("(", f"(as_of='{iso(request.as_of)}', ", 1) for action in fit.next_actions]
    return now.answer(
        InventoryAtAnswer,
        *notices,
        *(moved.warnings() if moved else ()),
        *unread_warnings(now, {LEDGER: COUNTED}),
        *fit.warnings,
        at=iso(request.as_of),
        basis=BASIS,
        stock=fit.rows,
        not_found=fit.not_found,
        next_actions=[*rest, *(moved.next_actions() if moved else ())],
    )


def _in_the_past(request: InventoryAtRequest, services: Services) -> InventoryAtRequest:
    """Return the request with today as now: its end lies ahead, and nothing has moved later."""
    now = services.clock.now()
    if request.as_of <= now:
        return request
    if request.as_of == services.days.tonight(now):
        return request.model_copy(update={"as_of": now})
    message = f"as_of is {iso(request.as_of)}: must not be later than now, {iso(now)}"
    raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "as_of"))


async def _moved(conditions: Where, moment: str, check: LevelCheck, services: Services) -> Ledger:
    """Return the ledger up to the moment; all of it is read, for only its end can be held against stock."""
    try:
        checked = await checked_ledger(services, conditions, _MOST, check)
    except TooManyMovements as many:
        message = (
            f"{many.count} movements stand in these ledgers, at most {_MOST} are read at once: name fewer variants"
        )
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "skus_or_variant_ids")) from None
    return await computed(checked.size, checked.until, moment)


def _then(variant: Stored, moved: Ledger | None, names: Names) -> VariantThen:
    mine = [] if moved is None else [(pair, moved) for pair in moved.pairs if pair[0] == variant.id]
    found = [_level(pair, ledger, names) for pair, ledger in mine]
    levels = sorted(found, key=lambda level: level.location_id or 0)
    return VariantThen(
        variant_id=get_int(variant.record, "id"),
        sku=text(variant.record, "sku"),
        name=names.display(variant.record),
        uom=text(names.item(variant.record), "uom"),
        in_stock=None if is_service(variant) or moved is None else total([level.in_stock for level in levels]),
        locations=levels,
        note=NEVER if is_service(variant) else _note(variant.id, moved, levels),
    )


def _note(variant_id: object, moved: Ledger | None, levels: Sequence[LevelThen]) -> str | None:
    """Return what a reader has to know of a variant's figures."""
    if moved is None:
        return _UNREAD
    if variant_id in {variant for variant, _ in moved.differing}:
        return _DIFFERS
    return None if levels else _UNMOVED


_DIFFERS = "in doubt: the ledger does not end at the stock that Katana gives, see warnings"
_UNREAD = "unknown, not zero: the ledger is still being read"
_UNMOVED = "the ledger holds no movement up to that moment, so there was none"


def _level(pair: Pair, moved: Ledger, names: Names) -> LevelThen:
    last = moved.pairs[pair][-1]
    return LevelThen(
        location_id=pair[1],
        location=names.name("location", pair[1]),
        in_stock=None if pair in moved.doubtful else moved.balance(pair),
        last_movement_date=text(last, "movement_date"),
        last_caused_by_order_no=text(last, "caused_by_order_no"),
    )


INVENTORY_AT = ToolSpec(
    name="inventory_at",
    toolset="inventory",
    description=(
        "Get what was in stock at a past moment, per location and in total, from the stock ledger.\n\n"
        "Pass the day or the moment to ``as_of`` and SKUs (texts) or variant ids (integers) to "
        "``skus_or_variant_ids`` — mix freely. For stock now, use ``check_inventory``."
    ),
    request=InventoryAtRequest,
    answer=InventoryAtAnswer,
    run=_run,
    reads=_READS,
)
