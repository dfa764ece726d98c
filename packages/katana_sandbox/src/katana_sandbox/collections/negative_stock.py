"""Pairs of variant and location whose stock is below zero, latest first."""

from collections.abc import Iterator

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.operations.list import page_reply
from katana_sandbox.operations.query import list_query
from katana_sandbox.rules.items import owner
from katana_sandbox.store.movements import replay
from katana_sandbox.wire.encoding import Record, encode


def _record(ctx: Context, variant_id: int, location_id: int) -> Record | None:
    variant = ctx.get("variants", variant_id)
    found = owner(ctx, variant) if variant is not None else None
    if variant is None or found is None:
        return None
    entries = ctx.db.movements.of_pair(variant_id, location_id)
    below = [
        entry.movement.movement_date
        for entry, after in zip(entries, replay(entries), strict=True)
        if after.in_stock < 0
    ]
    return {
        "variant_id": variant_id,
        "location_id": location_id,
        "latest_negative_stock_date": max(below, default=None),
        "name": found[1]["name"],
        "sku": variant.get("sku"),
        "category": found[1].get("category_name"),
    }


def _every(ctx: Context) -> Iterator[Record]:
    records = [record for pair in ctx.db.levels.negative() if (record := _record(ctx, *pair)) is not None]
    yield from sorted(records, key=lambda record: str(record["latest_negative_stock_date"]))


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    query = list_query(call, collection, ctx.switches)
    conditions = query.selection.conditions
    found = [record for record in _every(ctx) if all(condition.matches(record) for condition in conditions)]
    shown = found[::-1][query.page.offset : query.page.offset + query.page.limit]
    return page_reply([encode(record) for record in shown], len(found), query.page)


NEGATIVE_STOCK = Collection(
    name="negative_stock",
    computed=_every,
    routes=(Route("GET", "/negative_stock", _list),),
)
