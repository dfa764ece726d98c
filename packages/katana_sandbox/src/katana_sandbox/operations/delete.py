"""DELETE of one record; a second one finds nothing."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.query import path_key
from katana_sandbox.wire.errors import Refused, not_found


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Delete with children and answer without a body."""
    key = path_key(collection, call)
    record = ctx.get(collection.name, key)
    if record is None:
        raise not_found()
    for guard in collection.guards:
        if ctx.children(guard.collection, guard.foreign_key, key):
            raise Refused(412, guard.message)
    if collection.on_delete is not None:
        collection.on_delete(ctx, record)
    ctx.delete(collection.name, key)
    return Reply(204)
