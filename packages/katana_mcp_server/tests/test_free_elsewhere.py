"""Free stock elsewhere: only what nobody needs where it lies, and no piece of it is sent to two places."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest
from small_account import Account

from cache_core.records import Json, Record
from katana_mcp.workflows.elsewhere import Move, calls
from katana_mcp.workflows.free_elsewhere import (
    Bringing,
    FreeStock,
    drafted_transfers,
    free_stock,
    read_transfers,
)
from katana_mcp.workflows.requirements import Level, Place

BOLT, NUT = 7, 8
MAIN, NORTH, SOUTH = 1, 2, 3
NAMES: Mapping[int, str | None] = {MAIN: "Main", NORTH: "North", SOUTH: "South"}


def level(in_stock: int, committed: int = 0, target: int = 0, expected: int = 0) -> Level:
    return Level(Decimal(target), Decimal(in_stock), Decimal(committed), Decimal(expected))


def transfer(source: int, target: int, quantity: int, status: str = "draft", key: int = 1) -> dict[str, Json]:
    rows: list[Json] = [{"variant_id": BOLT, "quantity": quantity}, {"variant_id": None, "quantity": 9}]
    ends: dict[str, Json] = {"source_location_id": source, "target_location_id": target}
    return {"id": key, "status": status, "stock_transfer_number": f"ST-{key}", "stock_transfer_rows": rows, **ends}


def free(
    levels: Mapping[Place, Level],
    *transfers: Record,
    names: Mapping[int, str | None] = NAMES,
    used: Mapping[Place, Decimal] | None = None,
) -> FreeStock:
    return free_stock(levels, drafted_transfers(names, transfers), used or {})


def covered(short: Sequence[tuple[Place, Decimal]], stock: FreeStock) -> dict[Place, Sequence[Move]]:
    """Return what is brought where so much is short, the first served first."""
    bringing = Bringing(stock)
    assert [bringing.covers(place, quantity) for place, quantity in short] == [
        place in bringing.moves for place, _ in short
    ]
    return bringing.moves


def brought(short: Sequence[tuple[Place, Decimal]], stock: FreeStock) -> list[Move]:
    return [move for moves in covered(short, stock).values() for move in moves]


def quantities(stock: FreeStock, place: Place = (BOLT, MAIN)) -> list[tuple[int, Decimal]]:
    return [(found.location_id, found.quantity) for found in stock.elsewhere(place)]


def test_what_is_free_elsewhere_is_named_the_most_first_and_never_what_lies_at_the_place_itself() -> None:
    stock = free({(BOLT, MAIN): level(50), (BOLT, NORTH): level(3), (BOLT, SOUTH): level(8), (NUT, NORTH): level(99)})
    assert quantities(stock) == [(SOUTH, 8), (NORTH, 3)]
    assert [found.location for found in stock.elsewhere((BOLT, MAIN))] == ["South", "North"]
    assert quantities(stock, (9, MAIN)) == []


@pytest.mark.parametrize(
    ("there", "left"),
    [
        (level(9, committed=2, target=3), 4),
        (level(5, committed=2, target=3), 0),
        (level(5, committed=9), 0),
        (level(0, expected=9), 0),
        (level(9, expected=9), 9),
    ],
    ids=["over", "exactly kept", "more committed", "on its way", "no more than is there"],
)
def test_free_is_what_is_in_stock_and_neither_committed_nor_kept(there: Level, left: int) -> None:
    assert quantities(free({(BOLT, NORTH): there})) == ([(NORTH, left)] if left else [])


def test_what_drafts_and_others_take_is_not_free() -> None:
    levels = {(BOLT, NORTH): level(9), (BOLT, SOUTH): level(9)}
    drafts = transfer(NORTH, MAIN, 4), transfer(NORTH, MAIN, 1)
    stock = free(levels, *drafts, used={(BOLT, SOUTH): Decimal(7)})
    assert quantities(stock) == [(NORTH, 4), (SOUTH, 2)]
    assert drafted_transfers(NAMES, drafts).coming == {(BOLT, MAIN): 5}
    assert drafted_transfers({MAIN: "Main"}, drafts).coming == {}, "what leaves a deleted location never comes"


def test_what_is_brought_is_not_free_any_more() -> None:
    stock = free({(BOLT, NORTH): level(9), (BOLT, SOUTH): level(3), (NUT, NORTH): level(2)}, names={**NAMES, 4: "East"})
    bringing = Bringing(stock)
    assert [bringing.covers((BOLT, place), Decimal(quantity)) for place, quantity in ((MAIN, 10), (4, 1))] == [True] * 2
    assert bringing.moves[BOLT, MAIN] == [
        Move(BOLT, NORTH, MAIN, Decimal(9)),
        Move(BOLT, SOUTH, MAIN, Decimal(1)),
    ]
    assert quantities(bringing.rest()) == [(SOUTH, 1)]
    assert quantities(bringing.rest(), (NUT, MAIN)) == quantities(stock, (NUT, MAIN)) == [(NORTH, 2)]
    assert quantities(stock) == [(NORTH, 9), (SOUTH, 3)]


async def test_of_transfers_only_drafts_count_and_nothing_comes_from_a_deleted_location_or_to_one() -> None:
    account = Account()
    north: Record = {"id": NORTH, "name": "North", "manufacturing_allowed": False}
    await account.keep("location", north, {"id": MAIN, "name": "Main", "manufacturing_allowed": True})
    await account.keep("location", {"id": SOUTH, "name": "South", "deleted_at": "2026-01-01T00:00:00.000Z"})
    states = ("draft", "inTransit", "received")
    await account.keep("stock_transfer", *(transfer(NORTH, MAIN, 2, status, nr) for nr, status in enumerate(states, 1)))
    levels = {(BOLT, NORTH): level(9), (BOLT, SOUTH): level(9)}
    transfers = await read_transfers(account.services)
    stock = free_stock(levels, transfers, {(BOLT, NORTH): Decimal(1)})
    assert quantities(stock) == [(NORTH, 6)]
    assert (transfers.coming, transfers.idle) == ({(BOLT, MAIN): 2}, {NORTH})
    assert quantities(free_stock(levels, transfers, {})) == [(NORTH, 7)]
    assert quantities(stock, (BOLT, SOUTH)) == []


def test_each_two_locations_have_one_transfer_with_all_that_it_covers() -> None:
    stock = free({(BOLT, NORTH): level(9), (NUT, NORTH): level(2), (NUT, SOUTH): level(1)})
    short = [((BOLT, MAIN), Decimal("2.5")), ((NUT, MAIN), Decimal(3)), ((BOLT, SOUTH), Decimal(4))]
    bolts, nuts = ("{'sku_or_variant_id': 7, 'quantity': %s}", "{'sku_or_variant_id': 8, 'quantity': %s}")
    assert calls(brought(short, stock)) == [
        f"create_stock_transfer(source_location_id=2, destination_location_id=1, rows=[{bolts % 2.5}, {nuts % 2}])",
        f"create_stock_transfer(source_location_id=2, destination_location_id=3, rows=[{bolts % 4}])",
        f"create_stock_transfer(source_location_id=3, destination_location_id=1, rows=[{nuts % 1}])",
    ]


def test_a_location_that_covers_all_of_it_sends_it_alone() -> None:
    (call,) = calls(brought([((BOLT, MAIN), Decimal(5))], free({(BOLT, NORTH): level(3), (BOLT, SOUTH): level(9)})))
    assert "source_location_id=3, " in call
    assert "'quantity': 5}]" in call


def test_nothing_is_sent_to_two_places_and_what_covers_only_a_part_to_none() -> None:
    stock = free({(BOLT, NORTH): level(5)}, names={**NAMES, 4: "East"})
    most = [((BOLT, MAIN), Decimal(4)), ((BOLT, SOUTH), Decimal(2)), ((BOLT, 4), Decimal(1))]
    assert covered(most, stock).keys() == {(BOLT, MAIN), (BOLT, 4)}
    assert covered([((BOLT, MAIN), Decimal(6)), ((NUT, MAIN), Decimal(1))], stock) == {}
    assert covered([((BOLT, NORTH), Decimal(1)), ((BOLT, MAIN), Decimal(0))], stock) == {}
