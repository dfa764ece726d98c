"""Many rows of a price list at once: the reply is a bare array."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.create import check_references, checked, created
from katana_sandbox.render import render_key
from katana_sandbox.wire.encoding import Record, array


def create_many(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Store every entry of the body's one array under the price list it names."""
    body = checked(f"POST {collection.path}", call.body())
    made: list[bytes] = []
    for entry in cast("list[Record]", body[collection.name]):
        fields = {"price_list_id": body["price_list_id"], **entry}
        check_references(ctx, collection, fields)
        record = ctx.insert(collection.name, fields)
        made.append(render_key(ctx, collection.name, record["id"], "reply") or b"{}")
    return created(array(made))
