"""The account's settings: one bare object without an id."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.render import render_key


def _get(ctx: Context, _collection: Collection, _call: Call) -> Reply:
    return Reply(200, render_key(ctx, "factory", 1) or b"{}")


FACTORY = Collection(
    name="factory",
    stamps=(),
    hidden=frozenset({"id"}),
    routes=(Route("GET", "/factory", _get),),
)
