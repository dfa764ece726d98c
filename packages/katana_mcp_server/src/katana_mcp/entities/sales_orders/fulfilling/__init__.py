"""`fulfill_order`: what of an order is packed or delivered, in full or in part; a shipment changed, or taken back."""

from collections.abc import Iterable
from dataclasses import replace

from cache_core.records import Record
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.checks import is_open
from katana_mcp.entities.sales_orders.fulfilling.departing import moves
from katana_mcp.entities.sales_orders.fulfilling.plan import checks, plan
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest
from katana_mcp.entities.sales_orders.fulfilling.shipment import as_it_is, shipped
from katana_mcp.entities.sales_orders.fulfilling.tracing import BATCHES, takes_first_expiring
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS, MADE
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.reading import made_for
from katana_mcp.entities.sales_orders.responses import FulfillOrderResponse
from katana_mcp.entities.sales_orders.shipped_goods import place_of, with_kits
from katana_mcp.entities.sales_orders.writes import WRITES
from katana_mcp.references.resolve import listed_now
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, rows
from katana_mcp.writing.change import Change
from katana_mcp.writing.stock_moves import read_levels

_MODIFY = WRITES["modify"]


async def _gather(request: FulfillOrderRequest, services: Services) -> Facts:
    """Return the order with its shipments as they are now, and all that a shipment of it touches."""
    whole_order = _MODIFY.request.model_validate({"sales_order_id": request.sales_order_id})
    facts: Facts = await _MODIFY.gather(whole_order, services)
    record = facts.record or {}
    beside: dict[str, tuple[Record, ...]] = {FULFILLMENTS: (), MADE: await made_for(rows(record, ROWS), services)}
    if not is_open(record):
        beside[FULFILLMENTS] = await shipments_now(get_int(record, "id") or 0, services)
    facts = replace(facts, beside=beside)
    order = as_it_is(facts, request.sales_order_id)
    going = shipped(request, facts, order)
    facts = await with_kits(facts, rows(record, ROWS), services)
    chosen = [portion.row for portion in going if portion.row is not None and takes_first_expiring(facts, portion)]
    stocked = await _batches({(get_int(row, "variant_id"), place_of(order, row)) for row in chosen}, services)
    levels = await read_levels(services, [move.variant for move in moves(request, facts, order, going)])
    return replace(facts, beside={**facts.beside, BATCHES: stocked}, levels=levels)


async def shipments_now(order: int, services: Services) -> tuple[Record, ...]:
    """Return the live shipments of an order as Katana lists them now."""
    listing = services.client.sales_order_fulfillments.pages(sales_order_id=order)
    return tuple(await listed_now(listing, f"what of sales order {order} is shipped"))


async def _batches(pairs: Iterable[tuple[int | None, int | None]], services: Services) -> tuple[Record, ...]:
    """Return how much of each batch there is now, of these variants at these locations."""
    found: list[Record] = []
    for variant, place in pairs:
        listing = services.client.batch_stocks.pages(variant_id=variant, location_id=place)
        found += await listed_now(listing, f"which batches of variant {variant} there are")
    return tuple(found)


FULFILLING = Change(
    request=FulfillOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=_MODIFY.reads,
    answer=FulfillOrderResponse,
)
