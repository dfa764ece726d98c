"""`delete_purchase_order`: the whole document, as it is now."""

from dataclasses import replace

from katana_mcp.entities.purchase_orders.costs import cost_line
from katana_mcp.entities.purchase_orders.facts import directory
from katana_mcp.entities.purchase_orders.head import COLLECTION, ENTITY, READS, OldOrder, gather_old, named_by
from katana_mcp.entities.purchase_orders.lines import line
from katana_mcp.entities.purchase_orders.receipts import (
    INGREDIENTS,
    received,
    taken_out,
    with_ingredients,
    with_levels,
)
from katana_mcp.entities.purchase_orders.undoing import made_again
from katana_mcp.entities.purchase_orders.wanted import RECEIVED
from katana_mcp.lookup import gone
from katana_mcp.names import text
from katana_mcp.operations.get import of_ids, rows_beside
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import NameOrId, Request, own_id
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import whole
from katana_mcp.writing.actions import on_record
from katana_mcp.writing.change import Change, Draft, record_lane
from katana_mcp.writing.stock_moves import described, shortages
from katana_mcp.writing.totals import totals_of

_BILLS = "purchase_order_accounting_metadata"
_READS = (*READS, INGREDIENTS, _BILLS)


class DeletePurchaseOrderRequest(Request):
    """Arguments of `delete_purchase_order`."""

    also = own_id("purchase_order_id")

    purchase_order_id: NameOrId
    """Purchase order id (integer) or number (text, PO-42)."""


async def _gather(request: DeletePurchaseOrderRequest, services: Services) -> OldOrder:
    facts = await with_ingredients(await gather_old(request.purchase_order_id, services, _READS), services)
    bills = await rows_beside(services, _BILLS, of_ids("purchase_order_id", facts.id))
    goods = [whole(each, "variant_id") for each in facts.rows]
    goods += [whole(each, "ingredient_variant_id") for each in facts.ingredients]
    facts = replace(
        facts,
        bills=tuple(text(each, "bill_id") or str(each.get("id")) for each in bills),
        directory=await directory(services, named_by(facts.record, facts.costs), goods),
    )
    return await with_levels(facts, services) if received(facts) else facts


def checks(request: DeletePurchaseOrderRequest, facts: OldOrder) -> list[ToolWarning]:
    """Return what speaks against deleting an order."""
    del request
    warnings = gone(ENTITY, facts.number, facts.record, deleted=facts.deleted)
    called = f"purchase order {facts.number}"
    if facts.status in RECEIVED:
        told = f"{called} is {facts.status}: Katana may refuse to delete it; if not, what has come leaves the stock"
        warnings += [advisory(warning_codes.STOCK_WAS_MOVED, told), *shortages(taken_out(facts), facts.levels)]
    if facts.bills or text(facts.record, "billing_status") not in (None, "NOT_BILLED"):
        told = f"{called} has bills, so Katana may refuse to delete it; the bills stay in accounting"
        warnings.append(advisory(warning_codes.BILLED_ORDER, told))
    return warnings


def plan(request: DeletePurchaseOrderRequest, facts: OldOrder) -> Draft:
    """Return the plan of a deletion."""
    del request
    home = facts.record.get("location_id")
    lines = [line(each, facts.directory, home=home) for each in facts.rows]
    costs = [cost_line(each, facts.directory) for each in facts.costs]
    ingredients = [f"ingredients of its outsourced rows: {len(facts.ingredients)}"] if facts.ingredients else []
    return Draft(
        summary=f"delete purchase order {facts.number} ({facts.status}, rows: {len(facts.rows)})",
        actions=(on_record(f"delete purchase order {facts.number}", ENTITY, COLLECTION, facts.id),),
        touches={"record": facts.record, "costs": list(facts.costs), "bills": list(facts.bills)},
        lanes=(record_lane(ENTITY, facts.id),),
        id=facts.id,
        number=facts.number,
        status=facts.status,
        lines=(*lines, *costs),
        totals=totals_of(lines, costs),
        currency=text(facts.record, "currency"),
        stock=described(taken_out(facts), facts.levels),
        linked=(*(f"bill {each}" for each in facts.bills), *ingredients),
        prior_state={**facts.record, "additional_costs": list(facts.costs)},
        revert=made_again(facts),
    )


DELETE = Change(
    request=DeletePurchaseOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=_READS,
    what=" with its rows",
)
