"""The stock ledger: the only way stock moves. Interface for every rule that moves stock.

    post(ctx, Movement(...)) -> Posted     a document row moves stock; one call for each pair it touches
    unpost(ctx, resource_type, resource_id, part=None) -> set of pairs
                                           take a row's movements back; balances are as if it had never been
    redate(ctx, resource_type, resource_id, movement_date, part=None) -> set of pairs
                                           move a row's movements to another business date
    keep(ctx, resource_type, resource_id, Movement or None, part=None) -> set of pairs
                                           let a row have exactly this one movement: posts, amends or takes back
    balance(ctx, variant_id, location_id) -> Balance(in_stock, value, average_cost)
    moved(ctx, resource_type, resource_id) -> [(Movement, cost per unit)]     what a row has moved, at what cost
    check_open_period(ctx, moment)         refuse a date in closed books (422)

A `Movement` has variant_id, location_id, quantity (Decimal, signed), unit_cost (Decimal, or None for the average cost
of that moment), movement_date (wire text), resource_type (a value of InventoryMovementResourceType), resource_id,
caused_by_order_no, caused_by_resource_id, and `part` to tell several events of one row apart. Balances follow by replay
in the order of movement_date, then id; value += quantity x cost.

After posting, call `rules.sales.settle_stock(ctx, pairs)` once with every pair that moved or whose open documents
changed. What open documents commit or expect is asked from the providers listed in `rules.open_documents`: a provider
is a function (ctx, variant_id) -> iterator of `Open(location_id, quantity, date)`, one line each.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.descriptor import Context
from katana_sandbox.store.keys import Key
from katana_sandbox.store.movements import Balance, Movement, Posted, replay
from katana_sandbox.wire.errors import unprocessable

type Pair = tuple[int, int]
_CLOSED = "stock can not change before the inventory closing date"
_STEP = Decimal("0.00001")

__all__ = ["Balance", "Movement", "Open", "Pair", "Posted", "balance", "post", "redate", "unpost"]


class Open(NamedTuple):
    """A quantity that an open document still takes from a location, or brings to it; `date` is when it is due."""

    location_id: int
    quantity: Decimal
    date: str | None = None


def post(ctx: Context, movement: Movement) -> Posted:
    """Write a movement; quantities keep five places. The pair's balance is up to date when this returns."""
    exact = movement._replace(quantity=rounded(movement.quantity))
    posted = Posted(ctx.db.next_id("inventory_movements"), exact, ctx.now, ctx.now)
    ctx.db.movements.add(posted)
    rebalance(ctx, exact.pair)
    return posted


def unpost(ctx: Context, resource_type: str, resource_id: Key, part: Key | None = None) -> set[Pair]:
    """Take away the movements of a document row (or of one part of it); the pairs they were of."""
    pairs = {entry.movement.pair for entry in ctx.db.movements.remove((resource_type, resource_id), part)}
    for pair in sorted(pairs):
        rebalance(ctx, pair)
    return pairs


def redate(
    ctx: Context, resource_type: str, resource_id: Key, movement_date: str, part: Key | None = None
) -> set[Pair]:
    """Give a row's movements another business date; they keep their ids."""
    pairs: set[Pair] = set()
    for entry in ctx.db.movements.of_source((resource_type, resource_id), part):
        pairs |= amend(ctx, entry, entry.movement._replace(movement_date=movement_date))
    return pairs


def amend(ctx: Context, posted: Posted, movement: Movement) -> set[Pair]:
    """Let a written movement be another, under the same id; the pairs whose balance changed."""
    exact = movement._replace(quantity=rounded(movement.quantity))
    if exact == posted.movement:
        return set()
    ctx.db.movements.remove(posted.movement.source, posted.movement.part)
    ctx.db.movements.add(posted._replace(movement=exact, updated_at=ctx.now))
    pairs = {posted.movement.pair, exact.pair}
    for pair in sorted(pairs):
        rebalance(ctx, pair)
    return pairs


def keep(
    ctx: Context, resource_type: str, resource_id: Key, movement: Movement | None, part: Key | None = None
) -> set[Pair]:
    """Let a row (or one part of it) have exactly this movement, or none, touching the ledger only where it differs."""
    held = ctx.db.movements.of_source((resource_type, resource_id), part)
    if movement is None:
        return unpost(ctx, resource_type, resource_id, part)
    if held:
        return amend(ctx, held[0], movement)
    post(ctx, movement)
    return {movement.pair}


def balance(ctx: Context, variant_id: int, location_id: int) -> Balance:
    """What a pair holds after its last movement."""
    after = replay(ctx.db.movements.of_pair(variant_id, location_id))
    return after[-1] if after else Balance()


def moved(ctx: Context, resource_type: str, resource_id: Key) -> list[tuple[Movement, Decimal]]:
    """The movements of a document row with the cost per unit that the ledger gives them."""
    found: list[tuple[Movement, Decimal]] = []
    for entry in ctx.db.movements.of_source((resource_type, resource_id)):
        entries = ctx.db.movements.of_pair(*entry.movement.pair)
        found.append((entry.movement, costs(entries)[entries.index(entry)]))
    return found


def costs(entries: list[Posted]) -> list[Decimal]:
    """The cost per unit of each of a pair's movements: its own, or the average before it."""
    before = [Balance(), *replay(entries)]
    return [
        held.average_cost if entry.movement.unit_cost is None else entry.movement.unit_cost
        for entry, held in zip(entries, before, strict=False)
    ]


def rebalance(ctx: Context, pair: Pair) -> None:
    """Let the kept level of a pair be what its movements add up to."""
    ctx.db.levels.set_balance(*pair, balance(ctx, *pair))


def total(found: Iterable[Open], location_id: int) -> Decimal:
    """The quantity of one location."""
    return sum((entry.quantity for entry in found if entry.location_id == location_id), Decimal(0))


def rounded(quantity: Decimal) -> Decimal:
    """A quantity with the five places that stock is counted in."""
    return (quantity / _STEP).to_integral_value() * _STEP


def check_open_period(ctx: Context, moment: object) -> None:
    """Refuse a stock date that lies in closed books."""
    closing = ctx.factory().get("inventory_closing_date")
    if isinstance(closing, str) and isinstance(moment, str) and moment < closing:
        raise unprocessable(_CLOSED)
