"""Bins of locations, what lies in each, and which bin a variant belongs in; the quantities follow from documents."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Filter, Route, plain_fields
from katana_sandbox.operations.create import check_references, checked
from katana_sandbox.operations.list import computed_page, page_slots
from katana_sandbox.operations.query import Parameters, list_query
from katana_sandbox.render import render
from katana_sandbox.rules.default_bins import default_bin
from katana_sandbox.rules.traced import moved_between_bins, traced_parts
from katana_sandbox.store.records import DELETED
from katana_sandbox.wire.encoding import Record, array, encode
from katana_sandbox.wire.errors import Refused, bad_parameter, unprocessable
from katana_sandbox.wire.numbers import fixed

type Place = tuple[int, int, int | None, int | None]
_AXES = {"VARIANT": "", "BATCH": "batch_id", "SERIAL_NUMBER": "serial_number_id"}
_OR_NULL = ("bin_location_id", "batch_id", "serial_number_id")


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Bins are listed bare, without an envelope."""
    query = list_query(call, collection, ctx.switches)
    slots = ctx.db.selectors[collection.name].slots(query.selection)
    parts = [render(ctx, collection, slot, "list") for slot in page_slots(slots, query.page)]
    return Reply(200, array(parts), {"X-Pagination": query.page.header(len(slots))})


def _with_name(ctx: Context, key: object, _view: object) -> dict[str, bytes]:
    return {"name": encode((ctx.get("bin_locations", key, deleted=True) or {}).get("bin_name"))}


def _held(ctx: Context, axis: str) -> dict[Place, Decimal]:
    """What lies in a bin, or is traced along the axis."""
    held: dict[Place, Decimal] = defaultdict(Decimal)
    for part in (*traced_parts(ctx), *moved_between_bins(ctx)):
        detail = cast("int | None", part._asdict()[axis]) if axis else None
        if part.bin_location_id is not None or detail is not None:
            held[part.location_id, part.variant_id, part.bin_location_id, detail] += part.quantity
    return held


def _quantities(ctx: Context, axis: str) -> Iterator[Record]:
    """In stock by bin; what is in none, with what is committed and expected, has a row of its own."""
    held = _held(ctx, axis)
    named: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for (location, variant, _, _), quantity in held.items():
        named[location, variant] += quantity
    for location, variant in product(_live(ctx, "locations"), _live(ctx, "variants")):
        level = ctx.db.levels.get(variant, location)
        rest = level.in_stock - named.get((location, variant), Decimal(0))
        if any((rest, level.committed, level.expected)):
            yield _row((location, variant, None, None), axis, (rest, level.committed, level.expected))
    for key, quantity in held.items():
        if quantity:
            yield _row(key, axis, (quantity, Decimal(0), Decimal(0)))


def _live(ctx: Context, name: str) -> list[int]:
    store = ctx.db.stores[name]
    return [int(store.keys[slot]) for slot in store.by_created if not store.flags[slot] & DELETED]


def _row(key: Place, axis: str, quantities: Sequence[Decimal]) -> Record:
    location, variant, place, detail = key
    names = ("quantity_in_stock", "quantity_committed", "quantity_expected")
    where: Record = {"location_id": location, "variant_id": variant, "bin_location_id": place}
    amounts = {name: fixed(quantity, 5) for name, quantity in zip(names, quantities, strict=True)}
    return where | ({axis: detail} if axis else {}) | amounts


def _inventory(ctx: Context, collection: Collection, call: Call) -> Reply:
    given = Parameters(call, ctx.switches)
    word = given.last("granularity") or "VARIANT"
    if word not in _AXES:
        raise bad_parameter("granularity", word, allowed=tuple(_AXES))
    axis = _AXES[word]
    found = list(_quantities(ctx, axis))
    for name in _OR_NULL:
        value = given.last(name)
        if value is None:
            continue
        if name not in {"bin_location_id", axis}:
            raise Refused(422, f"{name} needs another granularity than {word}")
        if value != "null" and not value.isdecimal():
            raise bad_parameter(name, value)
        record_id = None if value == "null" else int(value)
        found = [row for row in found if row[name] == record_id]
    return computed_page(list_query(call, INVENTORY_OF_BINS, ctx.switches), found)


def _link(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """Say which bin variants belong in; bins that are not there are made."""
    given = cast("list[Record]", checked("POST /variant_bin_locations", call.body()))
    return Reply(200, array([encode(_linked(ctx, entry)) for entry in given]))


def _linked(ctx: Context, entry: Record) -> Record:
    location = entry.get("location_id") or ctx.factory().get("default_manufacturing_location_id")
    check_references(ctx, BIN_LOCATIONS, {**entry, "location_id": location})
    if ctx.get("variants", entry["variant_id"]) is None:
        raise unprocessable("variant not found")
    bins = ctx.children("bin_locations", "location_id", location)
    found = next((one for one in bins if one["bin_name"] == entry["bin_name"]), None)
    if found is None:
        found = ctx.insert("bin_locations", {"bin_name": entry["bin_name"], "location_id": location})
    fields = {"bin_name": entry["bin_name"], "variant_id": entry["variant_id"], "storage_bin_id": found["id"]}
    held = default_bin(ctx, entry["variant_id"], location)
    if held is not None:
        return ctx.change("variant_bin_locations", held["id"], fields)
    return ctx.insert("variant_bin_locations", fields)


def _unlink(ctx: Context, _collection: Collection, call: Call) -> Reply:
    for entry in cast("list[Record]", checked("POST /unlink_variant_bin_locations", call.body())):
        held = default_bin(ctx, entry["variant_id"], entry["location_id"])
        if held is not None:
            ctx.delete("variant_bin_locations", held["id"])
    return Reply(204)


BIN_LOCATIONS = Collection(
    name="bin_locations",
    fields=plain_fields("bin_name location_id"),
    foreign_keys=("location_id",),
    references={"location_id": "locations"},
    parts=_with_name,
    routes=(
        Route("GET", "/bin_locations", _list),
        Route("GET", "/bin_inventory", _inventory),
        Route("POST", "/variant_bin_locations", _link),
        Route("POST", "/unlink_variant_bin_locations", _unlink),
    ),
)
INVENTORY_OF_BINS = Collection(
    name="bin_inventory",
    filters=tuple(Filter(name, "ignored") for name in ("granularity", *_OR_NULL)),
)
VARIANT_BIN_LOCATIONS = Collection(
    name="variant_bin_locations",
    fields=plain_fields("bin_name variant_id storage_bin_id"),
    foreign_keys=("variant_id",),
)
