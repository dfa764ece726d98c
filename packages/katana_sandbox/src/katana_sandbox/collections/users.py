"""The people of the account, read only; the key belongs to the first."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route, plain_fields
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.errors import not_found

_SHOWN = ("id", "firstName", "lastName", "email")


def _own(ctx: Context, _collection: Collection, _call: Call) -> Reply:
    store = ctx.db.stores["users"]
    for slot in store.visible:
        user = store.record(slot)
        return Reply(200, encode({name: user[name] for name in _SHOWN}))
    raise not_found()


USERS = Collection(
    name="users",
    fields=plain_fields("firstName lastName email role status last_login_at"),
    stamps=("created_at", "updated_at"),
    routes=(Route("GET", "/user_info", _own),),
)
