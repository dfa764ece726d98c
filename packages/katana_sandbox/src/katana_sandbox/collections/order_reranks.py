"""POST of an exact rank for open orders; no list shows it."""

from collections.abc import Callable
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.operations.create import checked
from katana_sandbox.rules.allocation import rank_of
from katana_sandbox.rules.sales import settle_stock
from katana_sandbox.rules.stock import pair_of
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import unprocessable

_CLOSED = {"sales_orders": ("PACKED", "DELIVERED"), "manufacturing_orders": ("DONE",)}


def _rerank(name: str) -> Callable[[Context, Collection, Call], Reply]:
    def run(ctx: Context, _collection: Collection, call: Call) -> Reply:
        body = checked("POST /sales_order_rerank", call.body())
        ids, place = cast("list[int]", body["order_ids"]), cast("Record", body["place"])
        ranked = ranked_orders(ctx, name)
        anchor = place.get("before_id", place.get("after_id"))
        if len(place) != 1 or len(set(ids)) != len(ids) or anchor in ids:
            raise unprocessable("order_ids must be unique, with exactly one place that is none of them")
        if not {*ids, *(() if anchor is None else (anchor,))} <= set(ranked):
            raise unprocessable("order not found or not open")
        moved = _together(ctx, name, ids)
        rest = [key for key in ranked if key not in moved]
        at = len(rest) if place.get("position") == "bottom" else 0
        if anchor is not None:
            group = [key for key in _together(ctx, name, [anchor]) if key in rest]
            if not group:
                raise unprocessable("before_id and after_id can not be made for the same sales order")
            at = rest.index(group[0]) if "before_id" in place else rest.index(group[-1]) + 1
        ctx.change("order_reranks", name, {"id": name, "ids": [*rest[:at], *moved, *rest[at:]]})
        if name == "sales_orders":
            _settle(ctx, ranked)
        return Reply(200, encode({"order_ids": moved}))

    return run


def ranked_orders(ctx: Context, name: str) -> list[int]:
    """The open orders, highest first; those that were never ranked follow, oldest first."""
    store = ctx.db.stores[name]
    orders = (store.record(slot) for slot in store.visible)
    still = [order["id"] for order in orders if order["status"] not in _CLOSED[name]]
    held = rank_of(ctx, name)
    return sorted(still, key=lambda key: held.get(key, len(held)))


def _together(ctx: Context, name: str, ids: list[int]) -> list[int]:
    """The ids with the other orders made for the same sales order."""
    if name == "sales_orders":
        return ids
    found: dict[int, None] = {}
    for key in ids:
        sold = (ctx.get(name, key) or {}).get("sales_order_id")
        group = [order["id"] for order in ctx.children(name, "sales_order_id", sold)] if sold is not None else [key]
        found |= dict.fromkeys(one for one in ranked_orders(ctx, name) if one in group)
    return list(found)


def _settle(ctx: Context, ids: list[int]) -> None:
    """Stock is promised anew to the rows of these sales orders."""
    rows = [row for key in ids for row in ctx.children("sales_order_rows", "sales_order_id", key)]
    settle_stock(ctx, [pair for row in rows if (pair := pair_of(ctx, row)) is not None])


ORDER_RERANKS = Collection(
    name="order_reranks",
    entity="rank",
    routes=(
        Route("POST", "/sales_order_rerank", _rerank("sales_orders")),
        Route("POST", "/manufacturing_order_rerank", _rerank("manufacturing_orders")),
    ),
)
