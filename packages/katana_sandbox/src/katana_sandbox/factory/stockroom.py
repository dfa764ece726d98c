"""Transfers in each status, corrections of stock, and price lists."""

from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.factory.purchasing import Good
from katana_sandbox.rules.ledger import Pair, moved
from katana_sandbox.rules.stock_rows import ADJUSTMENT, settle_transfer
from katana_sandbox.store.movements import Movement
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import number

_SPAN = 60 * DAY
_COUNTS = ("NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED")
_STATES = ("received", "draft", "inTransit", "received")
_REASONS = ("Counted", "Damaged in storage", "Found behind the rack", "Sample for a dealer")


class Moves(NamedTuple):
    """What was loaded: the transfers, the adjustment rows, and the pairs that wait for goods."""

    transfers: list[int]
    adjusted: list[int]
    waiting: set[Pair]


def load_moves(loader: Loader, goods: list[Good], locations: list[int], total: int) -> Moves:
    """So many transfers from the first location to the second, and as many adjustments at the first."""
    moves = Moves([], [], set())
    for position in range(total if goods else 0):
        moment = loader.now - _SPAN + int((position + loader.rng.random()) / total * (_SPAN - DAY))
        _load_transfer(loader, moves, loader.rng.sample(goods, min(2, len(goods))), locations, moment)
        _load_adjustment(loader, moves, loader.rng.choice(goods), locations[0], moment)
    if goods:
        _load_shortage(loader, moves, goods[len(goods) // 3], locations[1])
        _load_stocktakes(loader, goods, locations[0])
    return moves


def settle_moves(loader: Loader, moves: Moves) -> None:
    """Let transfers and adjustments bear the cost that the ledger gives them, once every movement stands."""
    for transfer_id in moves.transfers:
        transfer = loader.ctx.get("stock_transfers", transfer_id) or {}
        settle_transfer(loader.ctx.at(transfer["transfer_date"]), transfer, transfer)
    for row_id in moves.adjusted:
        for _, cost in moved(loader.ctx, ADJUSTMENT, row_id):
            loader.ctx.set("stock_adjustment_rows", row_id, {"cost_per_unit": number(cost)})


def load_price_lists(loader: Loader, goods: list[Good], buyers: list[int]) -> None:
    """Two price lists with rows and customers."""
    for place, (name, method, amount) in enumerate((("Dealers", "percentage", 12), ("Fleet", "markup", 35))):
        life = loader.life(loader.now - 300 * DAY)
        list_id = loader.number("price_lists", {"name": name, "is_active": True}, life)
        for good in goods[place * 5 : place * 5 + 5]:
            row = {"price_list_id": list_id, "variant_id": good.variant_id}
            loader.put("price_list_rows", {**row, "adjustment_method": method, "amount": amount}, life)
        for buyer in buyers[place * 3 : place * 3 + 3]:
            loader.put("price_list_customers", {"price_list_id": list_id, "customer_id": buyer}, life)


def _load_transfer(loader: Loader, moves: Moves, goods: list[Good], locations: list[int], moment: int) -> None:
    db = loader.ctx.db
    status = _STATES[len(moves.transfers) % len(_STATES)]
    transfer_id = db.next_id("stock_transfers")
    life = Life(moment, moment if status == "draft" else min(moment + DAY // 3, loader.now))
    fields: Record = {
        "stock_transfer_number": db.next_number("ST"),
        "source_location_id": locations[0],
        "target_location_id": locations[1],
        "status": status,
        "transfer_date": loader.text(moment),
        "order_created_date": loader.text(moment),
        "expected_arrival_date": loader.text(moment + 3 * DAY),
        "additional_info": None,
    }
    loader.put("stock_transfers", fields, life, key=transfer_id)
    moves.transfers.append(transfer_id)
    for good in goods:
        quantity = Decimal(loader.rng.randint(1, 4))
        row = {"stock_transfer_id": transfer_id, **_row(good, quantity)}
        row_id = loader.number("stock_transfer_rows", row, life)
        document = "StockTransferRow", row_id, fields["stock_transfer_number"], transfer_id, "out"
        base = Movement(good.variant_id, locations[0], -quantity, None, fields["transfer_date"], *document)
        if status != "draft":
            loader.ship(base, good.cost, moment)
        if status == "received":
            arrived = base._replace(location_id=locations[1], quantity=quantity, unit_cost=good.cost, part="in")
            loader.move(arrived, moment)
        if status == "inTransit":
            moves.waiting.add((good.variant_id, locations[1]))


def _load_adjustment(loader: Loader, moves: Moves, good: Good, location: int, moment: int) -> None:
    quantity = Decimal(loader.rng.choice((-2, -1, 3, 6)))
    reason = _REASONS[len(moves.adjusted) % len(_REASONS)]
    movement = _adjust(loader, moves, (good, location), quantity, (reason, moment))
    if quantity < 0:
        loader.ship(movement, good.cost, moment)
    else:
        loader.move(movement, moment)


def _load_shortage(loader: Loader, moves: Moves, good: Good, location: int) -> None:
    """One pair that stands below zero: more was taken than had been booked in."""
    moment = loader.now - 2 * DAY
    held = loader.held((good.variant_id, location))
    loader.move(_adjust(loader, moves, (good, location), -held - 5, ("Used before booked in", moment)), moment)


def _load_stocktakes(loader: Loader, goods: list[Good], location: int) -> None:
    """Two in each status, of goods that are all there."""
    for place, status in enumerate(_COUNTS * 2):
        life = loader.plain_life(loader.now - (40 - 4 * place) * DAY)
        dates = ("stocktake_created_date", "started_date", "completed_date")[: (1, 2, 2, 3)[place % 4]]
        fields = loader.blank("stocktakes") | dict.fromkeys(dates, loader.text(life.created))
        fields |= {"stocktake_number": f"STK-{place + 1}", "location_id": location, "status": status}
        fields |= dict.fromkeys(("status_update_in_progress", "set_remaining_items_as_counted"), False)
        stocktake_id = loader.number("stocktakes", fields, life)
        for good in goods[place : place + 2]:
            row = loader.blank("stocktake_rows") | {"stocktake_id": stocktake_id, "variant_id": good.variant_id}
            if status != "NOT_STARTED":
                held = number(loader.held((good.variant_id, location)))
                row |= {"in_stock_quantity": held, "counted_quantity": held, "discrepancy_quantity": 0}
            loader.put("stocktake_rows", row, life)


def _adjust(loader: Loader, moves: Moves, place: tuple[Good, int], quantity: Decimal, why: tuple[str, int]) -> Movement:
    db = loader.ctx.db
    (good, location), (reason, moment) = place, why
    adjustment_id = db.next_id("stock_adjustments")
    fields: Record = {
        "stock_adjustment_number": db.next_number("SA"),
        "stock_adjustment_date": loader.text(moment),
        "location_id": location,
        "reason": reason,
        "additional_info": None,
    }
    life = Life(moment, moment)
    loader.put("stock_adjustments", fields, life, key=adjustment_id)
    row = {"stock_adjustment_id": adjustment_id, **_row(good, quantity)}
    row_id = loader.number("stock_adjustment_rows", row, life)
    moves.adjusted.append(row_id)
    document = ADJUSTMENT, row_id, fields["stock_adjustment_number"], adjustment_id
    return Movement(good.variant_id, location, quantity, None, fields["stock_adjustment_date"], *document)


def _row(good: Good, quantity: Decimal) -> Record:
    return {
        "variant_id": good.variant_id,
        "quantity": number(quantity),
        "batch_transactions": [],
        "traceability": [],
        "cost_per_unit": number(good.cost),
    }
