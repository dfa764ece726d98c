"""`delete_stock_transfer`: the whole document, as it is now."""

from collections.abc import Sequence
from decimal import Decimal

from katana_mcp.entities.stock_transfers.head import (
    COLLECTION,
    ENTITY,
    HEAD,
    OldTransfer,
    gather_old,
    line,
    stock_moves,
    with_goods,
    with_stock,
)
from katana_mcp.lookup import gone
from katana_mcp.names import VARIANT_ENTITIES
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import NameOrId, Request, own_id
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import number, rows, whole
from katana_mcp.writing.actions import JsonObject, on_record
from katana_mcp.writing.change import Change, Draft, record_lane
from katana_mcp.writing.stock_moves import described, shortages


class DeleteStockTransferRequest(Request):
    """Arguments of `delete_stock_transfer`."""

    also = own_id("stock_transfer_id")

    stock_transfer_id: NameOrId
    """Stock transfer id (integer) or number (text, ST-3)."""


async def _gather(request: DeleteStockTransferRequest, services: Services) -> OldTransfer:
    facts = await gather_old(request.stock_transfer_id, None, services)
    return await (with_goods if facts.status == "draft" else with_stock)(facts, services)


def checks(request: DeleteStockTransferRequest, facts: OldTransfer) -> list[ToolWarning]:
    """Return what speaks against deleting a transfer."""
    del request
    warnings = gone(ENTITY, facts.number, facts.record, deleted=facts.deleted)
    if facts.status != "draft":
        told = (
            f"stock transfer {facts.number} is {facts.status}: whether Katana takes its stock back is not certain, "
            "so check both locations afterwards"
        )
        warnings.append(advisory(warning_codes.STOCK_WAS_MOVED, told))
    return [*warnings, *shortages(stock_moves(facts, "draft"), facts.levels)]


def plan(request: DeleteStockTransferRequest, facts: OldTransfer) -> Draft:
    """Return the plan of a deletion."""
    del request
    record = facts.record
    known = {each.asked: each.one for each in facts.goods}
    moved = [(whole(each, "variant_id"), number(each, "quantity")) for each in rows(record, "stock_transfer_rows")]
    return Draft(
        summary=f"delete stock transfer {facts.number} ({facts.status}, rows: {len(moved)})",
        actions=(on_record(f"delete stock transfer {facts.number}", ENTITY, COLLECTION, facts.id),),
        touches={"record": record},
        lanes=(record_lane(ENTITY, facts.id),),
        id=facts.id,
        number=facts.number,
        status=facts.status,
        lines=tuple(line(known.get(variant or 0), variant, quantity) for variant, quantity in moved),
        stock=described(stock_moves(facts, "draft"), facts.levels),
        prior_state=record,
        revert=_again(facts, moved),
    )


def _again(facts: OldTransfer, moved: Sequence[tuple[int | None, Decimal | None]]) -> JsonObject | None:
    """Return the call that plans a deleted transfer again; None where that would not be what was deleted.

    A new transfer is a draft, so it moves no stock; each of its rows has a variant, and moves something.
    """
    record = facts.record
    places = [whole(record, name) for name in ("source_location_id", "target_location_id")]
    is_whole = bool(moved) and all(variant and quantity for variant, quantity in moved)
    if facts.status != "draft" or not is_whole or not all(places):
        return None
    again: dict[str, object] = {
        "source_location_id": places[0],
        "destination_location_id": places[1],
        "rows": [{"sku_or_variant_id": variant, "quantity": quantity} for variant, quantity in moved],
    }
    again |= {name: str(record[name]) for name in HEAD if record.get(name)}
    return {"tool": "create_stock_transfer", "arguments": again}


DELETE = Change(
    request=DeleteStockTransferRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(ENTITY, *VARIANT_ENTITIES),
    what=" with its rows",
)
