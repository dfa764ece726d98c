"""DELETE of one record; a second one finds nothing."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.query import path_key
from katana_sandbox.wire.errors import Refused, not_found


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Delete with children and answer without a body."""
    key = path_key(ctx, collection, call)
    record = ctx.get(collection.name, key)
    if record is None:
        raise not_found()
    for guard in collection.guards:
        if ctx.children(guard.collection, guard.foreign_key, key):
            raise Refused(ctx.switches.count("guarded_delete_status"), guard.message)
    if collection.on_delete is not None:
        collection.on_delete(ctx, record)
    ctx.delete(collection.name, key)
    name = "fulfillment_delete_status" if collection.name == "sales_order_fulfillments" else "delete_status"
    return Reply(ctx.switches.count(name))
