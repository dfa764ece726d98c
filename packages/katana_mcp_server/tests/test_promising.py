"""By when something is there: the arithmetic, against plain search over days."""

from datetime import date
from decimal import Decimal
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.workflows.available import Ledger, Share
from katana_mcp.workflows.incoming import Arrival
from katana_mcp.workflows.needs import Need
from katana_mcp.workflows.promising import NEVER, Source, Supply, World, ledgers
from katana_mcp.workflows.requirements import Level, Recipes

TODAY = date(2026, 3, 2)
DAYS = ("", "2026-03-03", "2026-03-04", "2026-03-05", NEVER)
HERE, NORTH = 1, 2
BIKE, WHEEL, SPOKE, PAINT = 10, 11, 12, 13
type Event = tuple[str, int]


def filled(events: list[Event]) -> Ledger:
    ledger = Ledger()
    for day, quantity in events:
        ledger.add(day, Decimal(quantity), f"{day} {quantity}")
    return ledger


def least_from(events: list[Event], day: str) -> int:
    """Return the least that is left at the end of this day and of each after it."""
    ends = [sum(quantity for when, quantity in events if when <= end) for end in DAYS if end >= day]
    return min(ends)


events = st.lists(st.tuples(st.sampled_from(DAYS), st.integers(-9, 9)), max_size=8)


@given(events, st.integers(1, 12))
def test_a_quantity_is_promised_for_the_first_day_from_which_on_nothing_else_runs_short(
    given_events: list[Event], quantity: int
) -> None:
    promised = filled(given_events).promise(Decimal(quantity))
    free = [max(0, min(quantity, least_from(given_events, day))) for day in DAYS]
    by_day = {day: sum(share.quantity for share in promised.shares if share.date == day) for day in DAYS}
    assert list(accumulate(by_day.values())) == free
    assert promised.lacking == quantity - free[-1]
    assert promised.backlog == max(0, -sum(change for _, change in given_events))


@given(events, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_what_was_promised_is_gone_for_whoever_asks_next(given_events: list[Event], quantities: list[int]) -> None:
    ledger = filled(given_events)
    together = [ledger.promise(Decimal(quantity)) for quantity in quantities]
    whole = filled(given_events).promise(Decimal(sum(quantities)))
    assert sum(promise.lacking for promise in together) == whole.lacking
    assert max((share.date for promise in together for share in promise.shares), default="") == max(
        (share.date for share in whole.shares), default=""
    )


def test_each_share_names_what_brings_it() -> None:
    promised = filled([("", 2), ("2026-03-04", 5), ("2026-03-03", -1)]).promise(Decimal(4))
    assert [(share.date, share.quantity, share.source) for share in promised.shares] == [
        ("", Decimal(1), " 2"),
        ("2026-03-04", Decimal(3), "2026-03-04 5"),
    ]


def world(
    stock: dict[int, int], *, recipes: Recipes | None = None, unknown: tuple[int, ...] = (), north: int | None = None
) -> World:
    """Return a workshop where a bike takes two wheels and paint, and a wheel 30 spokes."""
    places = {(variant, HERE): filled([("", quantity)]) for variant, quantity in stock.items()}
    if north is not None:
        places[SPOKE, NORTH] = filled([("", north)])
    return World(
        today=TODAY,
        recipes=recipes or {BIKE: [(WHEEL, Decimal(2)), (PAINT, Decimal(1))], WHEEL: [(SPOKE, Decimal(30))]},
        supplies={
            BIKE: Supply("make", 2),
            WHEEL: Supply("make", 1),
            SPOKE: Supply("buy", 5),
            PAINT: Supply("buy", None),
        },
        unknown=unknown,
        ledgers=places,
    )


def test_what_is_not_there_is_made_once_the_last_of_its_ingredients_is_there() -> None:
    promise = world({BIKE: 1, WHEEL: 2, PAINT: 9, SPOKE: 0}).promise((BIKE, HERE), Decimal(3))
    bought = Source("buy", Decimal(60), "2026-03-07", lead_time=5)
    wheels = Source("make", Decimal(2), "2026-03-08", lead_time=1, waits_for=SPOKE, last=bought)
    assert promise.sources == [
        Source("stock", Decimal(1), ""),
        Source("make", Decimal(2), "2026-03-10", lead_time=2, waits_for=WHEEL, last=wheels),
    ]
    assert promise.day == "2026-03-10"


def test_ingredients_that_are_there_hold_nothing_up() -> None:
    promise = world({WHEEL: 9, PAINT: 9}).promise((BIKE, HERE), Decimal(2))
    assert promise.sources == [Source("make", Decimal(2), "2026-03-04", lead_time=2)]


def test_nobody_knows_the_day_without_a_lead_time_somewhere_below() -> None:
    promise = world({WHEEL: 9}).promise((BIKE, HERE), Decimal(1))
    last = Source("buy", Decimal(1), NEVER)
    assert promise.sources == [Source("make", Decimal(1), NEVER, lead_time=2, waits_for=PAINT, last=last)]


def test_two_lines_share_the_ingredients_that_there_are() -> None:
    here = world({WHEEL: 4, PAINT: 9, SPOKE: 0})
    assert [here.promise((BIKE, HERE), Decimal(2)).day for _ in range(2)] == ["2026-03-04", "2026-03-10"]


def test_a_bill_of_materials_that_leads_back_to_itself_ends() -> None:
    circular = world({}, recipes={BIKE: [(WHEEL, Decimal(1))], WHEEL: [(BIKE, Decimal(1))]})
    assert circular.promise((BIKE, HERE), Decimal(1)).day == NEVER


def test_unread_stock_is_unknown_not_nothing() -> None:
    promise = world({SPOKE: 99}, unknown=(SPOKE,)).promise((SPOKE, HERE), Decimal(1))
    assert promise.sources == [Source("stock", Decimal(1), NEVER)]


def test_the_location_that_has_it_first_is_chosen_and_only_there_it_is_held() -> None:
    here = world({SPOKE: 3}, north=8)
    assert here.soonest(SPOKE, [HERE, NORTH], Decimal(5))[0] == NORTH
    assert here.soonest(SPOKE, [HERE, NORTH], Decimal(3))[0] == HERE
    assert here.soonest(SPOKE, [HERE, NORTH], Decimal(3))[0] == NORTH


def test_what_others_need_is_taken_off_and_an_orders_own_need_is_not() -> None:
    place, own, other = (SPOKE, HERE), ("sales_order", 1), ("sales_order", 2)
    late = Arrival("purchase_order_id", {}, "PO-1", Decimal(5), "2026-02-01T00:00:00.000Z")
    undated = Arrival("purchase_order_id", {}, "PO-2", Decimal(7), None)
    found = ledgers(
        {place: Level(Decimal(0), Decimal(10), Decimal(8), Decimal(0))},
        {place: [late, undated]},
        {place: [Need(own, "SO-1", None, Decimal(3)), Need(other, "SO-2", "2026-03-05T00:00:00.000Z", Decimal(4))]},
        lambda moment: "" if moment < "2026-03-02" else moment[:10],
        own,
    )
    changes = [(day, quantity) for day, _, quantity, _ in found[place].events if quantity]
    # 8 are committed, 7 of them by orders that are known.
    assert changes == [("", 10), ("", 5), ("", -1), ("2026-03-05", -4), (NEVER, 7)]


def test_what_others_need_is_promised_only_with_what_they_then_count_on() -> None:
    stock, first, second = ("", 33), ("2026-03-03", 20), ("2026-03-05", 100)
    promised = filled([stock, first, second, (NEVER, -40), (NEVER, 1)]).promise(Decimal(60))
    names = ["2026-03-03 20", "2026-03-05 100"]
    assert promised.shares == [
        Share("", Decimal(33), " 33", names),
        Share("2026-03-03", Decimal(20), names[0], names[1:]),
        Share("2026-03-05", Decimal(7), names[1]),
    ]


def test_what_nobody_needs_comes_first_and_apart() -> None:
    promised = filled([("", 33), ("2026-03-05", -20), ("2026-03-04", 9), ("2026-03-04", 9)]).promise(Decimal(30))
    lent = Share("", Decimal(17), " 33", ["2026-03-04 9", "2026-03-04 9"])
    assert promised.shares == [Share("", Decimal(13), " 33"), lent]


@given(events, st.integers(1, 12))
def test_nothing_is_called_unneeded_that_would_be_short_without_an_arrival(
    given_events: list[Event], quantity: int
) -> None:
    shares = filled(given_events).promise(Decimal(quantity)).shares
    today = sum(share.quantity for share in shares if share.source == shares[0].source and not share.counts_on)
    needed = -sum(change for _, change in given_events if change < 0)
    come = sum(change for day, change in given_events if change > 0 and shares and day <= shares[0].date)
    assert today <= max(0, come - needed)


def test_what_is_made_counts_on_what_arrives_for_those_who_need_its_ingredients() -> None:
    here = world({BIKE: 0, WHEEL: 4, PAINT: 9, SPOKE: 0})
    coming = Arrival("purchase_order_id", {}, "PO-1", Decimal(9), "2026-03-03T00:00:00.000Z")
    here.ledgers[WHEEL, HERE].add("2026-03-03", Decimal(9), coming)
    here.ledgers[WHEEL, HERE].add("2026-03-04", Decimal(-4))
    promise = here.promise((BIKE, HERE), Decimal(2))
    assert promise.sources == [Source("make", Decimal(2), "2026-03-04", lead_time=2, counts_on=(coming,))]
