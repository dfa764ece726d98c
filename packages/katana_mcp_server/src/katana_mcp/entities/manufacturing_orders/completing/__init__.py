"""`complete_manufacturing_order`: what was made of an order, in whole or in part; a production dated, or taken back."""

from dataclasses import replace

from cache_core.records import Record
from katana_mcp.documents.tracking import BATCHES
from katana_mcp.documents.transition import Facts
from katana_mcp.documents.usual_fields import Reference
from katana_mcp.entities.manufacturing_orders.completing.plan import checks, plan
from katana_mcp.entities.manufacturing_orders.completing.production import moves
from katana_mcp.entities.manufacturing_orders.completing.request import CompleteManufacturingOrderRequest
from katana_mcp.entities.manufacturing_orders.responses import CompleteManufacturingOrderResponse
from katana_mcp.entities.manufacturing_orders.writes import WRITES
from katana_mcp.references.live_reads import LiveRead, read_rows
from katana_mcp.references.services import Services
from katana_mcp.writing.change import Change
from katana_mcp.writing.stock_moves import read_levels

_MODIFY = WRITES["modify"]


async def _gather(request: CompleteManufacturingOrderRequest, services: Services) -> Facts:
    """Return the order with all that belongs to it as it is now, and the stock of what it is made of."""
    whole = _MODIFY.request.model_validate({"manufacturing_order_id": request.manufacturing_order_id})
    facts: Facts = await _MODIFY.gather(whole, services)
    if request.batch_id is not None:
        facts = replace(facts, beside={**facts.beside, BATCHES: await _batch(request.batch_id, services)})
    return replace(facts, levels=await read_levels(services, [move.variant for move in moves(request, facts)]))


async def _batch(key: Reference, services: Services) -> tuple[Record, ...]:
    """Return of which variant a batch is; nothing of one that never had stock, which Katana does not list.

    Raises:
        Refused: Katana does not say.
    """
    pages = services.client.batch_stocks.pages(batch_id=key, include_empty=True)
    found = await LiveRead.begin(services).ask("batches", read_rows([pages]))
    return tuple({"batch_id": key, "variant_id": row.get("variant_id")} for row in found.rows[:1])


COMPLETION = Change(
    request=CompleteManufacturingOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=_MODIFY.reads,
    answer=CompleteManufacturingOrderResponse,
)
