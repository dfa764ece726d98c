"""Safety stock and reorder points: two names for one level per variant and location."""

from decimal import Decimal

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.create import check_references, checked
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.numbers import as_decimal, shortest

STORE = "inventory_safety_stock_levels"


def level_key(variant_id: object, location_id: object) -> str:
    """The key of a pair."""
    return f"{variant_id}-{location_id}"


def safety_stock(ctx: Context, variant_id: int, location_id: int) -> Decimal:
    """The level of a pair, 0 when none was set."""
    held = ctx.db.stores[STORE].get(level_key(variant_id, location_id))
    return as_decimal((held or {}).get("value"))


def upsert(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Set the level of a pair; the reply has no id."""
    body = checked(f"POST {collection.path}", call.body())
    check_references(ctx, collection, body)
    key = level_key(body["variant_id"], body["location_id"])
    store = ctx.db.stores[STORE]
    held = store.get(key) or {}
    level = {
        "location_id": body["location_id"],
        "variant_id": body["variant_id"],
        "value": shortest(body["value"]),
        "created_at": held.get("created_at", ctx.now),
        "updated_at": ctx.now,
    }
    raw = encode(level)
    store.write(key, store.entry(level, raw))
    return Reply(200, raw)
