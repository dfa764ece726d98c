"""The account's settings: one bare object without an id."""

from katana_sandbox.collections.descriptor import Collection
from katana_sandbox.context import Context
from katana_sandbox.render import render_key
from katana_sandbox.routing import Call, Reply, Route


def _get(ctx: Context, _collection: Collection, _call: Call) -> Reply:
    return Reply(200, render_key(ctx, "factory", 1) or b"{}")


FACTORY = Collection(
    name="factory",
    entity="factory",
    stamps=(),
    hidden=frozenset({"id"}),
    routes=(Route("GET", "/factory", _get),),
)
