"""`get_inventory_movements`: the stock ledger of variants, each movement with the document that caused it."""

from collections.abc import Sequence
from typing import Annotated, cast

from cache_core.conditions import OneOf, Order, Where
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from cache_core.specs.inventory_movements import CAUSES
from katana_client.models.values import InventoryMovementResourceType
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import AtLocation, Moment, Until, not_after, not_before, where
from katana_mcp.surface.operations.open_values import SomeValues, open_value, unknown_values
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import ListLimit, PageNumber, Request, SkusOrVariantIds
from katana_mcp.values import get_int, number
from katana_mcp.workflows.ledger import COUNTED, LEDGER, Ledger, TooManyMovements, place
from katana_mcp.workflows.ledger_levels import LevelCheck, checked_ledger, level_check
from katana_mcp.workflows.variants import NotFound, Resolved, beside, resolve

_CHECKED = 10_000
"""Movements of the variants asked for up to which their balances are checked before they are shown."""
_READS = (*VARIANT_ENTITIES, "location", LEDGER, *FACTORY)


class GetInventoryMovementsRequest(Request):
    """Arguments of `get_inventory_movements`."""

    skus_or_variant_ids: SkusOrVariantIds
    """SKUs (texts) or variant ids (integers), mixed freely, at most 250."""
    location_id: AtLocation = None
    moved_from: Annotated[Moment | None, not_before("movement_date")] = None
    """When it moved; inclusive, a date is a whole day."""
    moved_to: Annotated[Until | None, not_after("movement_date")] = None
    """When it moved; inclusive, a date is a whole day."""
    resource_type: Annotated[SomeValues | None, open_value(InventoryMovementResourceType, "resource_type")] = None
    """Only movements of these kinds of rows."""
    limit: ListLimit = 50
    """Per page."""
    page: PageNumber = 1


class InventoryMovement(Answer):
    """A movement; quantities are in the item's unit, values in the base currency."""

    movement_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    location_id: int | None = None
    location: str | None = None
    movement_date: str | None = None
    """The business date; the ledger is ordered by it."""
    quantity_change: Number | None = None
    balance_after: Number | None = None
    """Of this variant at this location, as Katana gives it."""
    resource_type: str | None = None
    resource_id: int | None = None
    caused_by_order_no: str | None = None
    sales_order_id: int | None = None
    purchase_order_id: int | None = None
    manufacturing_order_id: int | None = None
    stock_adjustment_id: int | None = None
    stock_transfer_id: int | None = None
    value_per_unit: Number | None = None
    average_cost_after: Number | None = None
    value_in_stock_after: Number | None = None


class InventoryMovementsAnswer(Envelope):
    """The answer of `get_inventory_movements`."""

    rows: list[InventoryMovement]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    not_found: list[NotFound]
    base_currency: str | None = None


async def _run(request: GetInventoryMovementsRequest, services: Services) -> Answer:
    began = services.clock.monotonic()
    now = await current(services, _READS, (LEDGER,))
    resolved = await resolve(request.skus_or_variant_ids, services)
    with now.refusals():
        request, notices = await completed(request, services)
        mine = (OneOf("variant_id", tuple(variant.id for variant in resolved.variants)),)
        conditions = (*mine, *await where(request, services))
    total = count = await services.cache.count(LEDGER, mine)
    if conditions != mine:
        total = await services.cache.count(LEDGER, conditions)
    check = level_check(resolved.variants, conditions, now, services, began)
    checked = await _checked(mine, check, services) if count <= _CHECKED else Ledger({})
    said = beside(resolved)

    async def render(first: int, last: int) -> list[Answer]:
        return (await _rows(conditions, (first, last), resolved, services))[0]

    asked = await page_of("get_inventory_movements", request, services, render, said.parts)
    moved, stored, names = await _rows(conditions, (asked.first, asked.last), resolved, services)
    page = paged(asked, moved, total, now, beside=said.parts)
    more = cast("list[str]", page.fields.get("next_actions", resolved.next_actions))
    page.fields["next_actions"] = [*more, *checked.next_actions()]
    kept = cast("list[InventoryMovement]", page.fields["rows"])
    # Within one date the rank decides; sorted after the cut, so that the next page begins where this one ends.
    places = {row.id: place(row.record) for row in stored}
    page.fields["rows"] = sorted(kept, key=lambda row: places[row.movement_id or 0], reverse=True)
    return now.answer(
        InventoryMovementsAnswer,
        *notices,
        *await unknown_values(request, (LEDGER,), services),
        *said.warnings,
        *checked.warnings(),
        *unread_warnings(now, {LEDGER: COUNTED}),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=said.not_found,
        base_currency=names.base_currency(),
    )


async def _checked(mine: Where, check: LevelCheck, services: Services) -> Ledger:
    """Return the ledger whose balances are checked; an empty one where more has come since it was counted."""
    try:
        return await checked_ledger(services, mine, _CHECKED, check)
    except TooManyMovements:
        return Ledger({})


async def _rows(
    conditions: Where, window: tuple[int, int], resolved: Resolved, services: Services
) -> tuple[list[Answer], Sequence[Stored], Names]:
    """Return the movements from one index to another, newest first, as they are shown and as they are cached."""
    first, last = window
    selection = Selection(conditions, Order("movement_date", descending=True), last - first, first)
    stored = await services.cache.select(LEDGER, selection)
    ids_by_entity: dict[str, list[object]] = {
        "variant": [],
        "location": [row.record.get("location_id") for row in stored],
        "factory": [],
    }
    names = await look_up(services.cache, ids_by_entity, [("variant", variant) for variant in resolved.variants])
    return [_movement(row.record, names) for row in stored], stored, names


def _movement(record: Record, names: Names) -> Answer:
    fields: dict[str, object] = {name: get_int(record, name) for name in ("variant_id", "location_id", "resource_id")}
    fields |= {name: number(record, name) for name in _NUMBERS}
    fields |= {name: text(record, name) for name in ("movement_date", "resource_type", "caused_by_order_no")}
    document = CAUSES.get(text(record, "resource_type") or "")
    if document is not None:
        fields[f"{document}_id"] = get_int(record, "caused_by_resource_id")
    return InventoryMovement.model_validate(
        fields
        | {
            "movement_id": get_int(record, "id"),
            "sku": names.sku(record.get("variant_id")),
            "location": names.name("location", record.get("location_id")),
        }
    )


_NUMBERS = ("quantity_change", "balance_after", "value_per_unit", "average_cost_after", "value_in_stock_after")

GET_INVENTORY_MOVEMENTS = ToolSpec(
    name="get_inventory_movements",
    toolset="inventory",
    description=(
        "Get what moved the stock of one or more variants: receipts, shipments, production, adjustments, transfers.\n\n"
        "Pass a list of SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely. Newest "
        "business date first; each movement names its document and the balance after it."
    ),
    request=GetInventoryMovementsRequest,
    answer=InventoryMovementsAnswer,
    run=_run,
    reads=_READS,
)
