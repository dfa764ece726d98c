"""Demand forecasts: a calculation over the periods that were planned for a pair of variant and location, not a list."""

from decimal import Decimal
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route, plain_fields
from katana_sandbox.operations.create import checked
from katana_sandbox.operations.query import Parameters
from katana_sandbox.rules.open_documents import expected
from katana_sandbox.rules.safety_stock import level_key
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import Refused, bad_parameter, unprocessable
from katana_sandbox.wire.numbers import as_decimal, is_decimal_text, shortest

_NAME = "demand_forecasts"
_SPAN = ("period_start", "period_end")
_PAIR = ("variant_id", "location_id")


def _checked_pair(ctx: Context, variant_id: object, location_id: object) -> str:
    if ctx.get("variants", variant_id) is None or ctx.get("locations", location_id) is None:
        raise Refused(404, "variant or location not found")
    return level_key(variant_id, location_id)


def _planned(ctx: Context, pair: str) -> list[Record]:
    return sorted(ctx.children(_NAME, "pair", pair), key=lambda row: (row["period_start"], row["period_end"]))


def _get(ctx: Context, _collection: Collection, call: Call) -> Reply:
    given = Parameters(call, ctx.switches)
    ids: Record = {}
    for name in _PAIR:
        value = given.last(name) or ""
        if not value.isdecimal():
            raise bad_parameter(name, value)
        ids[name] = int(value)
    pair = _checked_pair(ctx, **ids)
    held = ctx.db.levels.get(**ids).in_stock
    supply = [entry for entry in expected(ctx, ids["variant_id"]) if entry.location_id == ids["location_id"]]
    periods: list[Record] = []
    stock, since = held, ""
    for row in _planned(ctx, pair):
        until = row["period_end"]
        coming = sum((one.quantity for one in supply if since < (one.date or ctx.now) <= until), Decimal(0))
        stock, since = stock + coming - as_decimal(row["committed"]), max(since, until)
        figures = {"in_stock": shortest(stock), "expected": shortest(coming), "committed": row["committed"]}
        periods.append({"period_start": row["period_start"], "period_end": until, **figures})
    return Reply(200, encode({**ids, "in_stock": shortest(held), "periods": periods}))


def _spans(body: Record) -> list[Record]:
    spans = cast("list[Record]", body["periods"])
    for span in spans:
        if span["period_end"] < span["period_start"]:
            raise unprocessable("period_end must not be before period_start")
    return spans


def _add(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """Plan demand; a period that was planned before has the new total."""
    body = checked("POST /demand_forecasts", call.body())
    pair = _checked_pair(ctx, body["variant_id"], body["location_id"])
    for span in _spans(body):
        if not is_decimal_text(span["committed"]):
            raise unprocessable("committed must be a number")
        for held in _planned(ctx, pair):
            if all(held[name] == span[name] for name in _SPAN):
                ctx.delete(_NAME, held["id"])
        ctx.insert(_NAME, {**span, "committed": shortest(span["committed"]), "pair": pair})
    return Reply(204)


def _clear(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """Forget what was planned inside the periods that are named."""
    body = checked("DELETE /demand_forecasts", call.body())
    pair = _checked_pair(ctx, body["variant_id"], body["location_id"])
    for span in _spans(body):
        for held in _planned(ctx, pair):
            if span["period_start"] <= held["period_start"] and held["period_end"] <= span["period_end"]:
                ctx.delete(_NAME, held["id"])
    return Reply(204)


DEMAND_FORECASTS = Collection(
    name=_NAME,
    fields=plain_fields("period_start period_end committed pair"),
    stamps=("created_at",),
    soft_delete=False,
    foreign_keys=("pair",),
    routes=(
        Route("GET", "/demand_forecasts", _get),
        Route("POST", "/demand_forecasts", _add),
        Route("DELETE", "/demand_forecasts", _clear),
    ),
)
