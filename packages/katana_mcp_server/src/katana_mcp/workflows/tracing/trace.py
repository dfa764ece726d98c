"""`trace`: where a batch, a serial number or what an order holds came from and went, over bills of materials.

Documents come from the cache; numbers and stock of batches and units are asked of Katana, which alone knows them.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import cast

from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up
from katana_mcp.references.live_reads import CALL_SECONDS, LiveRead
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, plain_number
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking, info, truncated
from katana_mcp.workflows.tracing.accounts import accounts_of, deliveries
from katana_mcp.workflows.tracing.answers import TraceAnswer, TraceRequest
from katana_mcp.workflows.tracing.reading import DOCUMENTS, USED, Documents
from katana_mcp.workflows.tracing.shown import Shown, ids_to_name, is_shown, untraced_goods
from katana_mcp.workflows.tracing.starts import LotRecords, Start, start_of
from katana_mcp.workflows.tracing.stock import stock_of
from katana_mcp.workflows.tracing.walk import Direction, Step, Walk
from katana_mcp.workflows.variants import resolve
from katana_mcp.workflows.whole_account import goes_on, patient

_READS = (*DOCUMENTS, *VARIANT_ENTITIES, "location", "supplier", "customer")
_LOTS, _CUSTOMERS, _NAMED = 20, 20, 5


async def _run(request: TraceRequest, services: Services) -> Answer:
    with patient(services, CALL_SECONDS) as reads:  # half a recall is worse than one that takes a minute
        return await _answer(request, reads.services)


async def _answer(request: TraceRequest, services: Services) -> Answer:
    now = await current(services, _READS, DOCUMENTS)
    live, lot_records = LiveRead.begin(services), LotRecords()
    with now.refusals():
        variants = await _variants(request, services)
        start = await start_of(request.number, request.kind, variants, live, lot_records)
    walk = await _walked(request, start, variants, lot_records, services)
    stock = await stock_of(list(walk.lots), live, lot_records)
    names = await look_up(services.cache, ids_to_name(walk, stock), only_shown=True)
    shown = Shown(names, lot_records, stock)
    steps = [step for step in walk.steps if is_shown(step, names)]
    whole = [lot for lot, reached in walk.lots.items() if reached.whole]
    lots = shown.lots(walk, accounts_of(walk.documents.by_lot, whole), _LOTS)
    sold = deliveries(walk.steps)
    customers = shown.customers(sold, _CUSTOMERS)

    async def render(first: int, last: int) -> list[Answer]:
        return list(shown.rows(steps, first, last))

    beside = [*lots, *customers]
    asked = await page_of("trace", request, services, render, beside)
    page = paged(asked, await render(asked.first, asked.last), len(steps), now, beside=beside)
    actions = cast("list[str]", page.fields.get("next_actions", []))
    page.fields["next_actions"] = [*actions, *goes_on("trace", now, services)]
    return now.answer(
        TraceAnswer,
        *stock.warnings,
        *(_nothing(request, start, steps) if now.warming is None else ()),
        *_ends(steps, names),
        *_cuts(walk, len(walk.lots), len(sold)),
        *unread_warnings(now, USED),
        *page.warnings,
        **page.fields,
        kind=start.kind,
        page=request.page,
        limit=request.limit,
        lots=lots,
        lots_total=len(walk.lots),
        customers=customers,
        customers_total=len(sold),
    )


async def _variants(request: TraceRequest, services: Services) -> list[int] | None:
    """Return the variants that the number is to be of; None for any."""
    if request.sku_or_variant_id is None:
        return None
    resolved = await resolve([request.sku_or_variant_id], services)
    variants = [variant.id for variant in resolved.variants if isinstance(variant.id, int)]
    if not variants:
        message = f"no item has the SKU or variant id {request.sku_or_variant_id!r}"
        raise Refused(blocking(warning_codes.NOT_FOUND, message, "sku_or_variant_id"))
    return variants


async def _walked(
    request: TraceRequest, start: Start, variants: Sequence[int] | None, lot_records: LotRecords, services: Services
) -> Walk:
    walk = Walk(Documents(services.cache, lot_records.moved), request.levels)
    directions: Sequence[Direction] = ("down", "up") if request.direction == "both" else (request.direction,)
    if start.order is not None and isinstance(start.order.id, int):
        await walk.start_at_order(start.kind, start.order.id, directions, variants)
    else:
        await walk.start_at_lots(start.lots, directions)
    return walk


def _nothing(request: TraceRequest, start: Start, steps: Sequence[Step]) -> list[ToolWarning]:
    """Say what an order has not done yet, where that is why nothing is traced."""
    if steps or start.order is None:
        return []
    done = {"purchase_order": "received", "manufacturing_order": "made"}.get(start.kind, "shipped")
    of = "" if request.sku_or_variant_id is None else f" of {request.sku_or_variant_id}"
    message = f"nothing{of} is {done} by {request.number} yet, so there is nothing to trace"
    return [ToolWarning(severity="info", message=message, field_path="number")]


def _ends(steps: Sequence[Step], names: Names) -> list[ToolWarning]:
    """Say where the trail ends because goods are of no batch and no serial number."""
    found = untraced_goods(steps, names)
    if not found:
        return []
    goods = ", ".join(f"{_amount(amount)} of {sku}" for sku, amount in list(found.items())[:_NAMED])
    more = f" and {len(found) - _NAMED} more items" if len(found) > _NAMED else ""
    message = (
        f"tracing stops at goods without batch or serial number ({goods}{more}): where each went is not "
        "recorded, so any later shipment of these items may contain them"
    )
    return [advisory(warning_codes.TRAIL_ENDS, message)]


def _amount(amount: Decimal) -> int | float | str:
    return plain_number(amount)


def _cuts(walk: Walk, lots: int, customers: int) -> list[ToolWarning]:
    warnings: list[ToolWarning] = []
    if walk.documents.cut:
        warnings.append(truncated("more documents speak of these items than are read at once: rows are missing"))
    if walk.left:
        message = (
            f"{len(walk.left)} batches, units or untraced goods lie beyond level {walk.levels}: ask for more levels"
        )
        warnings.append(advisory(warning_codes.TRUNCATED_RESULT, message, "levels"))
    for count, most, what in ((lots, _LOTS, "lots"), (customers, _CUSTOMERS, "customers")):
        if count > most:
            message = f"{most} of {count} {what} are summed up; the rows of all pages hold what happened to each"
            warnings.append(info(warning_codes.TRUNCATED_RESULT, message))
    return warnings


TRACE = ToolSpec(
    name="trace",
    toolset="inventory",
    description=(
        "Trace where a batch, serial number or order is from and where it went, on all levels, as in a recall.\n\n"
        "Rows are the steps: products it is in, customers who have them, suppliers' batches in it; `lots` sum up what "
        "came in, went out and is in stock. Documents are cache-backed, the rest is read live."
    ),
    request=TraceRequest,
    answer=TraceAnswer,
    run=_run,
    reads=_READS,
)
"""Where goods came from and went."""
