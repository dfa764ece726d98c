"""Batches, and how much of each is where; the quantities follow from documents."""

from collections.abc import Iterator
from decimal import Decimal

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Filter, Route, plain_fields
from katana_sandbox.operations import update
from katana_sandbox.operations.create import build
from katana_sandbox.operations.list import computed_page
from katana_sandbox.operations.query import Parameters, list_query
from katana_sandbox.rules.traced import traced_parts
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import fixed

_DATES = ("batch_created_date", "expiration_date")


def _create(ctx: Context, body: Record) -> Record:
    return ctx.insert("batches", build(BATCHES, {"batch_created_date": ctx.now, **body}))


def _stocks(ctx: Context) -> Iterator[Record]:
    """By location and variant, newest batch first; empty ones too."""
    held: dict[tuple[int, int, int], Decimal] = {}
    for part in traced_parts(ctx):
        if part.batch_id is not None:
            key = part.location_id, part.variant_id, -part.batch_id
            held[key] = held.get(key, Decimal(0)) + part.quantity
    for (location, _, batch_id), quantity in sorted(held.items()):
        batch = ctx.get("batches", -batch_id)
        if batch is not None:
            shown = {name: batch[name] for name in ("batch_number", "variant_id", "batch_barcode", *_DATES)}
            place = {"batch_id": batch["id"], "location_id": location}
            yield {**place, **shown, "quantity_in_stock": fixed(quantity, 5)}


def _list_stocks(ctx: Context, collection: Collection, call: Call) -> Reply:
    empty = Parameters(call, ctx.switches).flag("include_empty")
    found = [row for row in _stocks(ctx) if empty or Decimal(row["quantity_in_stock"])]
    return computed_page(list_query(call, collection, ctx.switches), found)


BATCHES = Collection(
    name="batches",
    entity="batch",
    fields=plain_fields("batch_number variant_id batch_barcode batch_created_date expiration_date"),
    listing="GET /batch_stocks",
    filters=(
        Filter("batch_created_at_min", "moment_min", "batch_created_date"),
        Filter("batch_created_at_max", "moment_max", "batch_created_date"),
        Filter("include_empty", "ignored"),
    ),
    stamps=("created_at", "updated_at"),
    foreign_keys=("variant_id",),
    references={"variant_id": "variants"},
    update="PATCH /batch_stocks/{id}",
    on_create=_create,
    routes=(
        Route("GET", "/batch_stocks", _list_stocks),
        Route("PATCH", "/batch_stocks/{id}", update.run),
    ),
)
