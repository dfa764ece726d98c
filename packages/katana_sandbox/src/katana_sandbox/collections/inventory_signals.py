"""Replenishment signals: one for each variant with demand in the window, over all locations together."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Filter, Route
from katana_sandbox.operations.list import computed_page
from katana_sandbox.operations.query import Parameters, list_query
from katana_sandbox.rules.open_documents import expected
from katana_sandbox.rules.safety_stock import safety_stock
from katana_sandbox.store.records import DELETED
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import bad_parameter
from katana_sandbox.wire.numbers import fixed
from katana_sandbox.wire.times import parse_moment, wire_moment

_WINDOWS, _RISKS = ("7", "30", "60", "90"), ("0", "1", "2", "3")
_DEMAND = ("SalesOrderRow", "ProductionIngredient", "PurchaseOrderRecipeRow")
_LEAD_TIMES = (("default_po_lead_time", "system_po"), ("default_mo_lead_time", "system_mo"))
_FALLBACK = 14
_MARGIN = 7
_NIGHTLY = 7


class _Outlook(NamedTuple):
    """How long the stock lasts: risk, the day of the breach of safety stock, and the supply that was counted."""

    risk: int
    breach: Decimal | None = None
    counted: Decimal | None = None


def _signals(ctx: Context, window: int) -> Iterator[Record]:
    now = _moment(ctx.now)
    at = now.replace(hour=_NIGHTLY, minute=0, second=0, microsecond=0)
    at -= timedelta(days=at > now)
    store, places = ctx.db.stores["variants"], _locations(ctx)
    for slot in store.by_created:
        if not store.flags[slot] & DELETED:
            variant = store.record(slot)
            daily = _daily_demand(ctx, [(variant["id"], place) for place in places], at, window)
            if daily > 0:
                stamped = {"demand_calculated_at": wire_moment(at), "demand_window": window}
                yield _signal(ctx, variant, daily, now) | stamped


def _signal(ctx: Context, variant: Record, daily: Decimal, now: datetime) -> Record:
    key, places = variant["id"], _locations(ctx)
    levels = [ctx.db.levels.get(key, place) for place in places]
    in_stock = sum((level.in_stock for level in levels), Decimal(0))
    committed = sum((level.committed for level in levels), Decimal(0))
    safety = sum((safety_stock(ctx, key, place) for place in places), Decimal(0))
    days, source = _lead_time(ctx, variant)
    supply = sorted((_days_until(one.date, now), one.quantity) for one in expected(ctx, key))
    spare = in_stock - committed - safety
    outlook = _Outlook(3) if in_stock <= 0 else _outlook(spare, daily, supply, days)
    breach = None if outlook.breach is None else now + timedelta(days=float(outlook.breach))
    return {
        "variant_id": key,
        "reorder_point": fixed(daily * days + safety, 20),
        "days_of_stock_left": int((in_stock / daily).to_integral_value(ROUND_FLOOR)),
        "stock_risk": outlook.risk,
        "in_stock": fixed(in_stock, 20),
        "committed": fixed(committed, 20),
        "safety_stock": fixed(safety, 20),
        "safety_stock_breach_at": None if breach is None else wire_moment(breach),
        "expected_before_safety_stock_breach": None if outlook.counted is None else fixed(outlook.counted, 20),
        "lead_time_used": days,
        "lead_time_source": source,
        "avg_daily_demand": fixed(daily, 20),
    }


def _outlook(spare: Decimal, daily: Decimal, supply: list[tuple[int, Decimal]], days: int) -> _Outlook:
    """Supply by date counts while it lands on or before the breach, and puts that off."""
    horizon = days + _MARGIN
    breach, counted = max(spare / daily, Decimal(0)), Decimal(0)
    if breach > horizon:
        return _Outlook(0)
    for due, quantity in supply:
        if due > breach:
            break
        counted += quantity
        breach = max((spare + counted) / daily, Decimal(0))
    if breach > horizon:
        return _Outlook(0, None, counted)
    return _Outlook(2 if breach <= days else 1, breach, counted)


def _daily_demand(ctx: Context, pairs: list[tuple[int, int]], at: datetime, window: int) -> Decimal:
    moved = [entry.movement for pair in pairs for entry in ctx.db.movements.of_pair(*pair)]
    since, until = wire_moment(at - timedelta(days=window)), wire_moment(at)
    used = [-m.quantity for m in moved if m.resource_type in _DEMAND and since < m.movement_date <= until]
    if not used:
        return Decimal(0)
    age = (at - _moment(min(m.movement_date for m in moved))).days
    return sum(used, Decimal(0)) / max(1, min(window, age))


def _lead_time(ctx: Context, variant: Record) -> tuple[int, str]:
    if variant.get("lead_time") is not None:
        return int(variant["lead_time"]), "sku"
    factory = ctx.factory()
    for name, source in _LEAD_TIMES:
        if factory.get(name) is not None:
            return int(factory[name]), source
    return _FALLBACK, "fallback"


def _days_until(date: str | None, now: datetime) -> int:
    """Overdue and undated supply is expected today."""
    return 0 if date is None else max(0, (_moment(date) - now).days)


def _moment(text: str) -> datetime:
    moment = parse_moment(text)
    if moment is None:
        raise ValueError(f"{text} is no moment")
    return moment


def _locations(ctx: Context) -> list[int]:
    store = ctx.db.stores["locations"]
    return [int(store.keys[slot]) for slot in store.by_created if not store.flags[slot] & DELETED]


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    given = Parameters(call, ctx.switches)
    window = given.last("demand_window") or "30"
    for name, value, allowed in (
        ("demand_window", window, _WINDOWS),
        ("stock_risk", given.last("stock_risk") or "0", _RISKS),
    ):
        if value not in allowed:
            raise bad_parameter(name, value, allowed=allowed)
    return computed_page(list_query(call, collection, ctx.switches), _signals(ctx, int(window)))


INVENTORY_SIGNALS = Collection(
    name="inventory_signals",
    filters=(Filter("demand_window", "ignored"),),
    routes=(Route("GET", "/inventory_signals", _list),),
)
