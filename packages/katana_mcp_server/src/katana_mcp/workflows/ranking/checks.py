"""What speaks against moving orders: what is not open has no rank, and nothing moves next to itself."""

from collections.abc import Iterator

from cache_core.records import Record
from katana_mcp.references import wording
from katana_mcp.references.display_names import titled
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import get_int
from katana_mcp.workflows.ranking.orders import CLOSED, PLACES, PrioritizeOrdersRequest, RankedOrders, number_of


def checks(request: PrioritizeOrdersRequest, facts: RankedOrders) -> list[ToolWarning]:
    """Return what speaks against the plan."""
    return [*_against_place(request), *_against_orders(request, facts), *_against_anchors(request, facts)]


def _against_place(request: PrioritizeOrdersRequest) -> Iterator[ToolWarning]:
    given = [name for name in PLACES if getattr(request, name) is not None]
    if len(given) != 1:
        message = f"give exactly one of position (top or bottom), before and after, not {' and '.join(given) or 'none'}"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, given[1] if given else PLACES[0])


def _against_orders(request: PrioritizeOrdersRequest, facts: RankedOrders) -> Iterator[ToolWarning]:
    seen: dict[object, str] = {}
    for place, asked in enumerate(request.orders):
        path = f"orders[{place}]"
        yield from _against_order(request, facts, asked, path)
        order = facts.order(asked)
        if order is not None and (first := seen.setdefault(order["id"], path)) != path:
            message = f"{path}: {_called(request, order)} is {first} already; name each order once"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)


def _against_order(
    request: PrioritizeOrdersRequest, facts: RankedOrders, asked: int | str, path: str
) -> Iterator[ToolWarning]:
    yield from wording.unnamed(request.type, facts.named[asked], path)
    order = facts.order(asked)
    if order is not None and order.get("status") in CLOSED[request.type]:
        closed = " and ".join(CLOSED[request.type])
        message = (
            f"{path}: {_called(request, order)} is {order['status']}; only open orders have a rank, not {closed} ones"
        )
        yield blocking(warning_codes.ALREADY_COMPLETED, message, path)


def _against_anchors(request: PrioritizeOrdersRequest, facts: RankedOrders) -> Iterator[ToolWarning]:
    moved = facts.moved(request)
    sold = {get_int(order, "sales_order_id") for order in moved} - {None}
    for path, asked in request.anchors.items():
        yield from _against_order(request, facts, asked, path)
        anchor = facts.order(asked) or {}
        if anchor.get("id") in {order["id"] for order in moved}:
            message = (
                f"{path}: {_called(request, anchor)} is among the orders that move; name another one, or a position"
            )
            yield blocking(warning_codes.INVALID_ARGUMENT, message, path)
        elif anchor.get("sales_order_id") in sold:
            sales = number_of(facts.sales.get(anchor["sales_order_id"]) or {"id": anchor["sales_order_id"]})
            message = f"{path}: {_called(request, anchor)} is made for sales order {sales} too and moves along"
            yield blocking(warning_codes.INVALID_ARGUMENT, f"{message}; name another order, or a position", path)


def _called(request: PrioritizeOrdersRequest, order: Record) -> str:
    return f"{titled(request.type)} {number_of(order)}"
