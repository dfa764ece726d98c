"""Stock by variant and location: computed, never stored, oldest location first; zeros too."""

from collections.abc import Sequence

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.operations.list import page_reply
from katana_sandbox.operations.query import list_query
from katana_sandbox.render import render_key
from katana_sandbox.rules.default_bins import default_bin
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.kits import potential
from katana_sandbox.rules.safety_stock import safety_stock
from katana_sandbox.store.records import DELETED
from katana_sandbox.store.select import Condition, Selection
from katana_sandbox.wire.encoding import Record, encode, splice
from katana_sandbox.wire.numbers import fixed


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    query = list_query(call, collection, ctx.switches)
    conditions = {condition.field: condition for condition in query.selection.conditions}
    variants = _variants(ctx, conditions.get("variant_id"), archived=query.selection.archived)
    locations = _locations(ctx, conditions.get("location_id"))
    places: Sequence[int] = range(len(variants) * len(locations))
    keys = ctx.db.stores["variants"].keys

    def pair(place: int) -> tuple[int, int]:
        return int(keys[variants[place % len(variants)]]), locations[place // len(variants)]

    total = len(places)
    shown = places[query.page.offset : query.page.offset + query.page.limit]
    parts = [_encoded(ctx, *pair(place), query.extend) for place in shown]
    return page_reply(parts, total, query.page)


def inventory_row(ctx: Context, variant_id: int, location_id: int) -> Record:
    """The wire form of one pair."""
    level = ctx.db.levels.get(variant_id, location_id)
    safety = safety_stock(ctx, variant_id, location_id)
    kits = potential(ctx, variant_id, location_id)
    return {
        "variant_id": variant_id,
        "location_id": location_id,
        "safety_stock_level": fixed(safety, 5),
        "reorder_point": fixed(safety, 5),
        "average_cost": fixed(level.average_cost, 10),
        "value_in_stock": fixed(level.value, 10),
        "quantity_in_stock": fixed(level.in_stock, 5),
        "quantity_committed": fixed(level.committed, 5),
        "quantity_expected": fixed(level.expected, 5),
        "quantity_missing_or_excess": fixed(level.excess - safety, 5),
        "quantity_potential": None if kits is None else fixed(kits, 5),
        "default_storage_bin": default_bin(ctx, variant_id, location_id),
        "archived_at": _archived_at(ctx, variant_id),
    }


def _archived_at(ctx: Context, variant_id: int) -> object:
    store = ctx.db.stores["variants"]
    slot = store.slot(variant_id)
    if slot is None or not store.flags[slot]:
        return None
    variant = store.record(slot)
    item = ctx.get("products", variant.get("product_id")) or ctx.get("materials", variant.get("material_id"))
    return (item or {}).get("archived_at")


def _variants(ctx: Context, condition: Condition | None, *, archived: bool) -> Sequence[int]:
    """Slots of the variants that have rows."""
    ids = None if condition is None else tuple(dict.fromkeys(int(str(value)) for value in condition.values))
    return ctx.db.selectors["variants"].slots(Selection(ids=ids, archived=archived))


def _locations(ctx: Context, condition: Condition | None) -> list[int]:
    store = ctx.db.stores["locations"]
    live = [store.keys[slot] for slot in store.by_created if not store.flags[slot] & DELETED]
    ids = [key for key in live if isinstance(key, int)]
    return ids if condition is None else [key for key in ids if key in condition.values]


def _encoded(ctx: Context, variant_id: int, location_id: int, extend: Sequence[str]) -> bytes:
    raw = encode(inventory_row(ctx, variant_id, location_id))
    linked = {"variant": ("variants", variant_id), "location": ("locations", location_id)}
    members = {name: render_key(ctx, *linked[name]) or b"null" for name in extend}
    if "variant" in members:
        members["variant"] = splice(members["variant"], {"product_or_material_name": _item_name(ctx, variant_id)})
    return splice(raw, members)


def _item_name(ctx: Context, variant_id: int) -> bytes:
    variant = ctx.get("variants", variant_id)
    item = owner(ctx, variant) if variant is not None else None
    return encode(None if item is None else item[1].get("name"))


def _never(_ctx: Context, _record: Record) -> bytes:
    return b"null"


INVENTORY = Collection(
    name="inventory",
    extends={"variant": _never, "location": _never},
    routes=(Route("GET", "/inventory", _list),),
)
