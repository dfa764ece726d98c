"""Numbers that no two live records of a collection may share, where switched."""

from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.store.keys import Key
from katana_sandbox.store.select import Condition, Selection
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable


def check_unique(ctx: Context, collection: Collection, body: Record, own: Key | None = None) -> None:
    """Refuse a value that another record has; `own` is the key of the record that is written."""
    for name in collection.unique if ctx.switches.on("unique_numbers") else ():
        if name not in body:
            continue
        same = Selection(conditions=(Condition(name, "str", (body[name],)),), archived=True)
        store = ctx.db.stores[collection.name]
        slots = ctx.db.selectors[collection.name].slots(same)
        if any(store.keys[slot] != own for slot in slots):
            raise unprocessable(f"{name} must be unique")
