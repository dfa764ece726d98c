"""What lacks at one location and is free at another: the arithmetic, and the calls that move it."""

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st
from server_wire import Wire, amount, live, records
from test_promise_date import bench_of, bought, promise

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, paced, staged
from katana_mcp.workflows.elsewhere import Move, moves, spread
from katana_sandbox import EditBody, Fault, ManualClock, Tenant

if TYPE_CHECKING:
    from cache_core.records import Record

FELT, CORK = 10, 11
places = st.tuples(st.sampled_from((FELT, CORK)), st.integers(1, 4))
amounts = st.dictionaries(places, st.integers(-3, 9).map(Decimal), max_size=8)


@given(amounts, amounts)
def test_each_piece_is_moved_once_and_no_more_than_lacks(
    missing: dict[tuple[int, int], Decimal], free: dict[tuple[int, int], Decimal]
) -> None:
    moves = spread(missing, free)
    given_away, come = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for move in moves:
        assert move.quantity > 0
        assert move.source != move.destination
        given_away[move.variant, move.source] += int(move.quantity)
        come[move.variant, move.destination] += int(move.quantity)
    assert all(moved <= free[place] for place, moved in given_away.items())
    assert all(moved <= missing[place] for place, moved in come.items())
    for (variant, here), lacks in missing.items():
        left = [free[place] - given_away[place] for place in free if place[0] == variant and place[1] != here]
        assert come[variant, here] >= lacks or not any(quantity > 0 for quantity in left)


def test_it_comes_from_where_most_is_free() -> None:
    free = {(FELT, place): Decimal(quantity) for place, quantity in ((1, 9), (2, 1), (3, 4), (4, 4))}
    assert spread({(FELT, 1): Decimal(5)}, free) == [Move(FELT, 3, 1, Decimal(4)), Move(FELT, 4, 1, Decimal(1))]


def test_a_draft_from_a_deleted_location_brings_nothing() -> None:
    missing, free = {(FELT, 1): Decimal(5)}, {(FELT, 2): Decimal(9), (FELT, 3): Decimal(9)}
    row = {"variant_id": FELT, "quantity": 4}
    draft = cast("Record", {"source_location_id": 3, "target_location_id": 1, "stock_transfer_rows": [row]})
    assert moves(missing, free, [draft], {1, 2, 3}) == [Move(FELT, 2, 1, Decimal(1))]
    assert moves(missing, free, [draft], {1, 2}) == [Move(FELT, 2, 1, Decimal(5))]


def stocked(tenant: Tenant, here: int, there: int) -> tuple[Wire, int, int]:
    """Return a variant with so much of it at two locations, and these."""
    variant = bought(tenant)
    places = [location["id"] for location in live(tenant, "locations")][:2]
    for place, quantity in zip(places, (here, there), strict=True):
        if quantity:
            tenant.set_stock(variant["id"], place, quantity, 1)
    return variant, places[0], places[1]


def lines(answer: Payload) -> list[tuple[object, ...]]:
    names = ("sku", "quantity", "source_location_id", "target_location_id")
    return [tuple(line[name] for name in names) for line in answer.get("elsewhere", [])]


def order_of(tenant: Tenant, variant: Wire, place: int, quantity: int) -> Wire:
    rows = [{"variant_id": variant["id"], "quantity": quantity, "price_per_unit": 1}]
    head = {"order_no": "SO-FELT", "customer_id": live(tenant, "customers")[0]["id"], "location_id": place}
    return tenant.create("sales_orders", {**head, "sales_order_rows": rows})


async def test_what_lacks_here_and_is_free_there_is_named_and_its_transfer_can_be_planned_as_it_stands(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 2, 5)
    answer = await promise(stage, clock, (variant["id"], 4), (variant["id"], 9), location_id=here)
    assert lines(answer) == [("FELT-1", 5, there, here)]
    call = (
        f"create_stock_transfer(source_location_id={there}, destination_location_id={here}, "
        f"rows=[{{'sku_or_variant_id': {variant['id']}, 'quantity': 5}}])"
    )
    assert answer["next_actions"] == [f"{call}: it is free there"]
    typed = eval(call, {"create_stock_transfer": dict})
    plan = await paced(clock, stage.call("create_stock_transfer", **typed))
    await paced(clock, stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))
    again = await promise(stage, clock, (variant["id"], 4), (variant["id"], 9), location_id=here)
    assert lines(again) == []
    assert again["next_actions"] == []
    kinds = [source["source"] for row in again["rows"] for source in row["sources"]]
    assert kinds == ["stock", "buy", "buy"], "a draft brings nothing"


async def test_what_was_sent_is_not_moved_a_second_time(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    async def done(tool: str, **arguments: object) -> int:
        planned = await paced(clock, stage.call(tool, **arguments))
        (outcome,) = (await paced(clock, stage.call("apply_plan", plan_tokens=[planned["plan_token"]])))["outcomes"]
        return int(outcome["id"])

    variant, here, there = stocked(tenant, 0, 8)
    order = order_of(tenant, variant, here, 4)
    ends = {"source_location_id": there, "destination_location_id": here}
    sent = await done("create_stock_transfer", **ends, rows=[{"sku_or_variant_id": "FELT-1", "quantity": 3}])
    for status in ("draft", "inTransit", "received"):
        if status != "draft":
            await done("modify_stock_transfer", stock_transfer_id=sent, status=status)
        clock.advance(3_600)
        ready = await paced(clock, stage.call("order_readiness", limit=250))
        left = [line for line in lines(ready) if line[0] == "FELT-1"]
        promised = lines(await promise(stage, clock, sales_order_id=order["id"]))
        assert (left, promised) == ([("FELT-1", 1, there, here)],) * 2, status


async def test_what_stock_covers_or_others_need_or_is_free_nowhere_is_not_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 4, 5)
    order_of(tenant, variant, there, 3)
    clock.advance(3_600)
    assert lines(await promise(stage, clock, (variant["id"], 4), location_id=here)) == []
    assert lines(await promise(stage, clock, (variant["id"], 9), location_id=here)) == [("FELT-1", 2, there, here)]


async def test_where_nothing_may_be_written_it_is_named_and_no_transfer_proposed(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 0, 5)
    async with staged(own, Setup(flags={"read_only": True})) as stage:
        answer = await promise(stage, clock, (variant["id"], 4), location_id=here)
    assert lines(answer) == [("FELT-1", 4, there, here)]
    assert answer["next_actions"] == []


async def test_a_row_of_an_order_that_waits_says_where_its_goods_are_free(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 2, 5)
    order = order_of(tenant, variant, here, 5)
    clock.advance(3_600)
    answer = await paced(clock, stage.call("order_readiness", limit=250))
    (row,) = [row for row in answer["rows"] if row["sales_order_id"] == order["id"]]
    assert amount(row["waiting"][0]["missing"]) == 3
    assert ("FELT-1", 3, there, here) in lines(answer)
    assert any(f"'sku_or_variant_id': {variant['id']}, 'quantity': 3" in action for action in answer["next_actions"])


async def test_of_what_has_to_be_made_ingredients_are_looked_for_elsewhere(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    felt, here, there = stocked(tenant, 0, 5)
    bench = await bench_of(clock, tenant, felt, lead_time=3)
    answer = await promise(stage, clock, (bench["id"], 2), location_id=here)
    assert lines(answer) == [("FELT-1", 2, there, here)]


def called_deleted(stage: Stage, place: int) -> None:
    """Have Katana list a location as deleted, and its stock all the same."""

    def edit(body: object) -> object:
        for record in records(body):
            if record["id"] == place:
                record["deleted_at"] = record["updated_at"]
        return body

    stage.own.sandbox.faults.add(Fault("GET /locations", action=EditBody(edit), times=None))


async def test_nothing_is_moved_from_a_deleted_location_or_to_one(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 0, 5)
    order_of(tenant, variant, here, 3)
    called_deleted(stage, there)
    assert lines(await promise(stage, clock, (variant["id"], 4), location_id=here)) == []
    assert lines(await paced(clock, stage.call("order_readiness", limit=250))) == []
    stage.own.sandbox.faults.clear()
    called_deleted(stage, here)
    clock.advance(3_600)
    ready = await paced(clock, stage.call("order_readiness", limit=250))
    assert here not in [place for line in lines(ready) for place in line[2:]]


async def test_nothing_is_promised_at_a_deleted_location_unless_an_order_ships_from_there(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, here, there = stocked(tenant, 1, 5)
    called_deleted(stage, there)
    (row,) = (await promise(stage, clock, (variant["id"], 4)))["rows"]
    assert (row["location_id"], [source["quantity"] for source in row["sources"]]) == (here, [1, 3])
    order = order_of(tenant, variant, there, 4)
    clock.advance(3_600)
    (row,) = (await promise(stage, clock, sales_order_id=order["id"]))["rows"]
    assert (row["location_id"], [source["source"] for source in row["sources"]]) == (there, ["booked"])
