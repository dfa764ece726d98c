"""GET of one record by its id."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.query import Parameters, extend_names, path_key
from katana_sandbox.render import render, render_key
from katana_sandbox.wire.errors import not_found


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """The bare object, without an envelope."""
    given = Parameters(call, ctx.switches)
    extend = extend_names(given, collection)
    raw = render_key(ctx, collection.name, path_key(collection, call), "one", extend)
    if raw is None:
        raise not_found()
    return Reply(200, raw)


def run_with_deleted(ctx: Context, collection: Collection, call: Call) -> Reply:
    """As `run`, and include_deleted=true also shows deleted records."""
    if not Parameters(call, ctx.switches).flag("include_deleted"):
        return run(ctx, collection, call)
    slot = ctx.db.stores[collection.name].slot(path_key(collection, call))
    if slot is None:
        raise not_found()
    return Reply(200, render(ctx, collection, slot, "one"))
