"""`list_inventory_signals`: how long the stock of variants lasts at the demand of the last weeks, the shortest first.

Katana works them out for all locations together, so they are not cached: each call asks, or is refused.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from cache_core.records import Record, iso
from katana_client.page import Page
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import Variants, spellings
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import ListLimit, PageNumber, Request
from katana_mcp.values import get_int, id_in, items, number
from katana_mcp.workflows.variants import NotFound, Resolved, resolve

type Risk = Literal["low", "high", "critical", "stockout"]
type Days = Literal[7, 30, 60, 90]

_RISKS: tuple[str, ...] = ("low", "high", "critical", "stockout")
"""What Katana's numbers mean, from 0."""
_DECIMALS = 4


def _number(value: object) -> object:
    """Return the number that a text of digits is, as some hosts send it; anything else stays."""
    parsed = id_in(value) if isinstance(value, str) else None
    return value if parsed is None else parsed


def _risk(value: object) -> object:
    """Return the word for a number of Katana's; anything else stays."""
    if isinstance(value, int) and not isinstance(value, bool) and value in range(len(_RISKS)):
        return _RISKS[value]
    return value


def _in_words(value: object) -> object:
    """Return the risks that are meant by Katana's numbers or by other spellings."""
    return spellings(_RISKS)([_risk(_number(risk)) for risk in items(value)])


class ListInventorySignalsRequest(Request):
    """Arguments of `list_inventory_signals`."""

    skus_or_variant_ids: Variants | None = None
    """Of these SKUs (texts) or variant ids."""
    stock_risk: Annotated[list[Risk], Field(min_length=1, max_length=4), BeforeValidator(_in_words)] | None = None
    """Any of these."""
    demand_window: Annotated[Days, BeforeValidator(_number)] = 30
    """Past days to count demand."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


class InventorySignal(Answer):
    """How long the stock of a variant lasts, in the item's unit and in days, all locations together."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    stock_risk: str | None = None
    """stockout: no stock now; critical: below safety stock before new goods could arrive (lead time); high: within
    a week after that; low: later or never. Absent: not calculated yet."""
    days_of_stock_left: int | None = None
    """Stock divided by daily demand; committed and expected stock do not count."""
    in_stock: Number | None = None
    committed: Number | None = None
    safety_stock: Number | None = None
    avg_daily_demand: Number | None = None
    """Sold and used in production per day, to four decimals; calculated last night."""
    lead_time_used: int | None = None
    lead_time_source: str | None = None
    reorder_point: Number | None = None
    """Demand during the lead time plus safety stock; not that of a location."""
    safety_stock_breach_at: str | None = None
    expected_before_safety_stock_breach: Number | None = None
    demand_calculated_at: str | None = None


class ListInventorySignalsAnswer(Envelope):
    """The answer of `list_inventory_signals`."""

    rows: list[InventorySignal]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    not_found: list[NotFound]
    without: list[int] | None = None
    """Variants asked for that were not sold or used in the window."""


async def _run(request: ListInventorySignalsRequest, services: Services) -> Answer:
    live = LiveRead.begin(services)
    now = await current(services, VARIANT_ENTITIES, ("variant",))
    resolved = await resolve(request.skus_or_variant_ids or (), services)
    with now.refusals():
        read = await live.ask("inventory signals", read_rows(_listings(request, resolved, services)))
    found = sorted((row for row in read.rows if _is_asked(row, request)), key=_shortest_first)

    async def render(first: int, last: int) -> list[Answer]:
        of_page = {"variant": [row.get("variant_id") for row in found[first:last]]}
        names = await look_up(services.cache, of_page, only_shown=True)
        return [_shown(row, names) for row in found[first:last]]

    asked = await page_of("list_inventory_signals", request, services, render, resolved.not_found)
    page = paged(asked, await render(asked.first, asked.last), len(found), now, beside=resolved.not_found)
    page.fields.setdefault("next_actions", resolved.next_actions)
    having = {get_int(row, "variant_id") for row in read.rows}
    return now.answer(
        ListInventorySignalsAnswer,
        *resolved.warnings,
        *read.warnings("name variants or a stock_risk"),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=resolved.not_found,
        without=[variant.id for variant in resolved.variants if variant.id not in having] or None,
        as_of=iso(services.clock.now()),
    )


def _listings(
    request: ListInventorySignalsRequest, resolved: Resolved, services: Services
) -> Sequence[AsyncIterator[Page[Any]]]:
    """Return the listings of the variants that are named, none where nothing has a name, or of the risks, or of all."""
    signals, window = services.client.inventory_signals, request.demand_window
    if request.skus_or_variant_ids is not None:
        ids = [variant.id for variant in resolved.variants]
        return [signals.pages(demand_window=window, variant_id=ids)] if ids else []
    risks = [None] if request.stock_risk is None else sorted(map(_RISKS.index, set(request.stock_risk)), reverse=True)
    return [signals.pages(demand_window=window, stock_risk=risk) for risk in risks]


def _is_asked(row: Record, request: ListInventorySignalsRequest) -> bool:
    return request.stock_risk is None or _risk(get_int(row, "stock_risk")) in request.stock_risk


def _shortest_first(row: Record) -> tuple[int, int, int]:
    """What is not worked out comes last."""
    risk, days = get_int(row, "stock_risk"), get_int(row, "days_of_stock_left")
    return 1 if risk is None else -risk, _FOREVER if days is None else days, get_int(row, "variant_id") or 0


_FOREVER = 10**9
"""More days than any stock lasts."""


def _shown(row: Record, names: Names) -> Answer:
    variant_id, risk = row.get("variant_id"), get_int(row, "stock_risk")
    rounded = {name: value for name in _WORKED_OUT if (value := number(row, name)) is not None}
    return filled(
        InventorySignal,
        row,
        sku=names.sku(variant_id),
        name=names.variant(variant_id),
        stock_risk=None if risk is None else str(_risk(risk)),
        **{name: round(value, _DECIMALS) for name, value in rounded.items()},
    )


_WORKED_OUT = ("avg_daily_demand", "reorder_point")
"""What Katana gives with twenty decimals."""


LIST_INVENTORY_SIGNALS = ToolSpec(
    name="list_inventory_signals",
    toolset="inventory",
    description=(
        "List how many days of stock are left at average demand, and the risk of a stockout; shortest first.\n\n"
        "Pass SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely — or a ``stock_risk``. "
        "All locations count together; lists only items sold or used in the window; Katana is asked "
        "each time."
    ),
    request=ListInventorySignalsRequest,
    answer=ListInventorySignalsAnswer,
    run=_run,
    reads=VARIANT_ENTITIES,
)
