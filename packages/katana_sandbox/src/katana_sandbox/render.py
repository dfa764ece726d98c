"""Stored records as they appear on the wire: children embedded, linked objects on request, hidden fields gone."""

from collections.abc import Sequence

from katana_sandbox.custom_fields import has_two_forms, shaped
from katana_sandbox.descriptor import Collection, Context, View
from katana_sandbox.store.keys import Key
from katana_sandbox.store.records import DELETED, VERBATIM
from katana_sandbox.wire.encoding import array, decode_record, encode, splice


def render(ctx: Context, collection: Collection, slot: int, view: View, extend: Sequence[str] = ()) -> bytes:
    """The wire bytes of one record. What was put in raw comes out raw."""
    store = ctx.db.stores[collection.name]
    raw = store.raw(slot)
    if store.flags[slot] & VERBATIM:
        return raw
    if collection.hidden:
        raw = encode({name: value for name, value in decode_record(raw).items() if name not in collection.hidden})
    if collection.item_fields and has_two_forms(ctx):
        raw = encode(shaped(ctx, decode_record(raw)))
    members = {
        embed.member: embedded(ctx, embed.collection, embed.foreign_key, store.keys[slot])
        for embed in collection.embeds
    }
    if collection.parts is not None:
        members.update(collection.parts(ctx, store.keys[slot], view))
    if extend:
        record = store.record(slot)
        members.update((name, collection.extends[name](ctx, record)) for name in extend)
    return splice(raw, members)


def embedded(ctx: Context, name: str, foreign_key: str, value: Key) -> bytes:
    """The live children of a record as an encoded array."""
    store = ctx.db.stores[name]
    collection = ctx.collections[name]
    slots = [slot for slot in store.linked(foreign_key, value) if not store.flags[slot] & DELETED]
    if collection.embeds or collection.hidden or collection.parts or (collection.item_fields and has_two_forms(ctx)):
        return array([render(ctx, collection, slot, "list") for slot in slots])
    return array([store.raw(slot) for slot in slots])


def render_key(ctx: Context, name: str, key: object, view: View = "one", extend: Sequence[str] = ()) -> bytes | None:
    """The wire bytes of a live record, or None."""
    store = ctx.db.stores[name]
    slot = store.slot(key) if isinstance(key, int | str) else None
    if slot is None or store.flags[slot] & DELETED:
        return None
    return render(ctx, ctx.collections[name], slot, view, extend)
