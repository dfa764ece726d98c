"""The stock ledger as a list, newest first: balances are worked out when a movement is shown."""

from collections.abc import Iterator

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.operations.list import page_reply
from katana_sandbox.operations.query import list_query
from katana_sandbox.rules.ledger import costs
from katana_sandbox.rules.movement_lists import found_ids
from katana_sandbox.store.movements import Balance, Movement, Posted, replay
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.numbers import number

type Shown = dict[int, Record]


def movement_record(posted: Posted, balance: Balance, cost: object, rank: int) -> Record:
    """The wire form of one movement."""
    movement: Movement = posted.movement
    document = movement.caused_by_resource_id
    return {
        "id": posted.id,
        "variant_id": movement.variant_id,
        "location_id": movement.location_id,
        "resource_type": movement.resource_type,
        "resource_id": movement.resource_id,
        "caused_by_order_no": movement.caused_by_order_no or "",
        "caused_by_resource_id": movement.resource_id if document is None else document,
        "movement_date": movement.movement_date,
        "quantity_change": number(movement.quantity),
        "balance_after": number(balance.in_stock),
        "value_per_unit": cost,
        "value_in_stock_after": number(balance.value),
        "average_cost_after": number(balance.average_cost if balance.in_stock else balance.in_stock),
        "rank": rank,
        "created_at": posted.created_at,
        "updated_at": posted.updated_at,
    }


def pair_records(ctx: Context, pair: tuple[int, int]) -> Shown:
    """A pair's movements in ledger order, by id."""
    entries = ctx.db.movements.of_pair(*pair)
    shown: Shown = {}
    rank, date = 0, ""
    for entry, balance, cost in zip(entries, replay(entries), costs(entries), strict=True):
        rank = rank + 1 if entry.movement.movement_date == date else 1
        date = entry.movement.movement_date
        shown[entry.id] = movement_record(entry, balance, number(cost), rank)
    return shown


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    query = list_query(call, collection, ctx.switches)
    ids = found_ids(ctx, query.selection)
    stop = max(0, len(ids) - query.page.offset)
    pairs: dict[tuple[int, int], Shown] = {}
    parts: list[bytes] = []
    for movement_id in ids[max(0, stop - query.page.limit) : stop][::-1]:
        posted = ctx.db.movements.get(movement_id)
        if posted is None:
            continue
        pair = posted.movement.pair
        if pair not in pairs:
            pairs[pair] = pair_records(ctx, pair)
        parts.append(encode(pairs[pair][movement_id]))
    return page_reply(parts, len(ids), query.page)


def _every(ctx: Context) -> Iterator[Record]:
    pairs: dict[tuple[int, int], Shown] = {}
    for movement_id in list(ctx.db.movements.ids):
        posted = ctx.db.movements.get(movement_id)
        if posted is not None:
            pair = posted.movement.pair
            if pair not in pairs:
                pairs[pair] = pair_records(ctx, pair)
            yield pairs[pair][movement_id]


INVENTORY_MOVEMENTS = Collection(
    name="inventory_movements",
    computed=_every,
    routes=(Route("GET", "/inventory_movements", _list),),
)
