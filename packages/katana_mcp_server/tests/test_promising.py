"""By when something is there: the arithmetic, against plain search over days."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.workflows.available import Ledger, Promised, Share
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


def left_by(events: list[Event], day: str) -> int:
    """Return what has come by the end of a day beyond all that is needed, whenever that is."""
    come = sum(quantity for when, quantity in events if quantity > 0 and when <= day)
    return come + sum(quantity for _, quantity in events if quantity < 0)


events = st.lists(st.tuples(st.sampled_from(DAYS), st.integers(-9, 9)), max_size=8)


@given(events, st.integers(1, 12))
def test_a_quantity_is_promised_for_the_first_day_on_which_there_is_enough_for_all_others_too(
    given_events: list[Event], quantity: int
) -> None:
    promised = filled(given_events).promise(Decimal(quantity))
    free = [max(0, min(quantity, left_by(given_events, day))) for day in DAYS]
    by_day = {day: sum(share.quantity for share in promised.shares if share.date == day) for day in DAYS}
    assert list(accumulate(by_day.values())) == free
    assert promised.lacking == quantity - free[-1]
    assert promised.backlog == max(0, -sum(change for _, change in given_events))


@given(events, st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_what_was_promised_is_gone_for_whoever_asks_next(given_events: list[Event], quantities: list[int]) -> None:
    ledger, taken, together = filled(given_events), Decimal(0), list[Promised]()
    for quantity in quantities:
        together.append(ledger.promise(Decimal(quantity), taken))
        taken += quantity - together[-1].lacking
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


def test_of_two_that_are_there_on_one_day_the_one_is_chosen_that_needs_less_bought() -> None:
    here = world({SPOKE: 3}, north=4)
    assert here.soonest(SPOKE, [HERE, NORTH], Decimal(9))[0] == NORTH


def test_what_stock_does_not_cover_is_noted_apart_from_its_ingredients() -> None:
    here = world({BIKE: 1, WHEEL: 2, PAINT: 9, SPOKE: 0})
    here.soonest(BIKE, [HERE, NORTH], Decimal(3))
    assert here.missing == {(BIKE, HERE): 2}
    assert here.ingredients == {(WHEEL, HERE): 2, (SPOKE, HERE): 60}


def test_what_is_only_on_its_way_is_missing_until_it_comes() -> None:
    ledger = filled([("", 1)])
    ledger.add("2026-03-05", Decimal(4), Arrival("purchase_order_id", {}, None, Decimal(4), "2026-03-05"))
    here = replace(world({}), ledgers={(SPOKE, HERE): ledger})
    assert here.promise((SPOKE, HERE), Decimal(3)).day == "2026-03-05"
    assert here.missing == {(SPOKE, HERE): 2}


def test_what_is_free_is_stock_that_nobody_needs_and_that_was_not_promised() -> None:
    there = Ledger()
    for day, quantity, source in (("", 9, None), ("", 4, "an overdue order"), (TODAY.isoformat(), 5, "an order")):
        there.add(day, Decimal(quantity), source)
    there.add("", Decimal(-2))
    here = replace(world({SPOKE: 0, PAINT: 9}), ledgers={(SPOKE, NORTH): there, (PAINT, HERE): there})
    here.promise((SPOKE, HERE), Decimal(1))
    here.book((SPOKE, NORTH), Decimal(3))
    assert here.free() == {(SPOKE, NORTH): 4}


def test_of_what_is_kept_nowhere_nothing_is_held_and_nothing_lacks() -> None:
    here = world({})
    here.book((SPOKE, HERE), Decimal(7))
    promise = here.promise((SPOKE, HERE), Decimal(2))
    assert (promise.backlog, promise.sources) == (0, [Source("buy", Decimal(2), "2026-03-07", lead_time=5)])


def test_what_is_held_for_somebody_is_taken_off_what_is_there() -> None:
    here = world({SPOKE: 5})
    here.book((SPOKE, HERE), Decimal(4))
    assert [source.quantity for source in here.promise((SPOKE, HERE), Decimal(2)).sources] == [1, 1]


def day_of(moment: str) -> str:
    return "" if moment < TODAY.isoformat() else moment[:10]


def test_what_others_need_is_taken_off_and_an_orders_own_need_is_not() -> None:
    place, own, other = (SPOKE, HERE), ("sales_order", 1), ("sales_order", 2)
    late = Arrival("purchase_order_id", {}, "PO-1", Decimal(5), "2026-02-01T00:00:00.000Z")
    undated = Arrival("purchase_order_id", {}, "PO-2", Decimal(7), None)
    found = ledgers(
        {place: Level(Decimal(0), Decimal(10), Decimal(8), Decimal(0))},
        {place: [late, undated]},
        {place: [Need(own, "SO-1", None, Decimal(3)), Need(other, "SO-2", "2026-03-05T00:00:00.000Z", Decimal(4))]},
        day_of,
        own,
    )
    assert [(share.date, share.quantity) for share in found[place].supply] == [("", 10), ("", 5), (NEVER, 7)]
    assert found[place].needed == 4 + 1  # 8 are committed, 7 of them by orders that are known


def test_what_others_need_later_is_replaced_by_what_arrives() -> None:
    stock, first, second = ("", 33), ("2026-03-03", 20), ("2026-03-05", 100)
    promised = filled([stock, first, second, (NEVER, -40), (NEVER, 1)]).promise(Decimal(60))
    assert promised.shares == [
        Share("2026-03-03", Decimal(13), "2026-03-03 20"),
        Share("2026-03-05", Decimal(47), "2026-03-05 100"),
    ]


def test_what_arrives_without_a_day_replaces_stock_on_no_day_that_is_known() -> None:
    here = world({SPOKE: 9})
    undated = Arrival("purchase_order_id", {}, "PO-2", Decimal(9), None)
    here.ledgers[SPOKE, HERE].add("2026-03-04", Decimal(-9))
    here.ledgers[SPOKE, HERE].add(NEVER, Decimal(9), undated)
    promise = here.promise((SPOKE, HERE), Decimal(5))
    assert promise.sources == [Source("incoming", Decimal(5), NEVER, undated)]


def test_what_is_made_begins_when_what_replaces_its_ingredients_has_arrived() -> None:
    here = world({BIKE: 0, WHEEL: 4, PAINT: 9, SPOKE: 0})
    coming = Arrival("purchase_order_id", {}, "PO-1", Decimal(9), "2026-03-03T00:00:00.000Z")
    here.ledgers[WHEEL, HERE].add("2026-03-03", Decimal(9), coming)
    here.ledgers[WHEEL, HERE].add("2026-03-04", Decimal(-4))
    promise = here.promise((BIKE, HERE), Decimal(2))
    last = Source("incoming", Decimal(4), "2026-03-03", coming)
    bike = Source("make", Decimal(2), "2026-03-05", lead_time=2, waits_for=WHEEL, last=last, counts_on=(coming,))
    assert promise.sources == [bike]


MOMENTS = (None, "2026-02-20", *DAYS[1:4])
"""Dates of documents: none, one that has passed, days to come."""
quantities = st.lists(st.tuples(st.sampled_from(MOMENTS), st.integers(1, 9)), max_size=5)
type Dated = list[tuple[str | None, int]]


def simulated(stock: int, coming: Dated, needed: Dated, quantity: int) -> str:
    """Return the first day on which there is so much beyond all needs; `NEVER` where none is known."""
    for day in DAYS[:-1]:
        come = sum(size for date, size in coming if date is not None and date <= (day or TODAY.isoformat()))
        if stock + come - sum(size for _, size in needed) >= quantity:
            return day
    return NEVER


def known(variant: int, stock: int, coming: Dated, needed: Dated) -> dict[tuple[int, int], Ledger]:
    """Return what is known of a variant whose orders Katana has committed."""
    place, committed = (variant, HERE), Decimal(sum(size for _, size in needed))
    arriving = [Arrival("purchase_order_id", {}, "PO-1", Decimal(size), date) for date, size in coming]
    needs = [Need(("sales_order", nr), "SO-1", date, Decimal(size)) for nr, (date, size) in enumerate(needed)]
    level = Level(Decimal(0), Decimal(stock), committed, Decimal(0))
    return ledgers({place: level}, {place: arriving}, {place: needs}, day_of, ("", None))


@given(st.integers(0, 20), quantities, quantities, st.integers(1, 12))
def test_no_day_is_promised_before_stock_and_arrivals_cover_what_others_need_too(
    stock: int, coming: Dated, needed: Dated, quantity: int
) -> None:
    here = replace(world({}), supplies={}, ledgers=known(SPOKE, stock, coming, needed))
    promise = here.promise((SPOKE, HERE), Decimal(quantity))
    assert promise.day == simulated(stock, coming, needed, quantity)
    from_stock = sum(source.quantity for source in promise.sources if source.kind == "stock")
    assert from_stock == max(0, min(quantity, stock - sum(size for _, size in needed)))


@given(st.integers(0, 20), quantities, quantities, st.integers(1, 12))
def test_what_is_made_is_promised_its_lead_time_after_the_day_of_its_ingredient(
    stock: int, coming: Dated, needed: Dated, quantity: int
) -> None:
    here = replace(
        world({}, recipes={BIKE: [(SPOKE, Decimal(1))]}),
        supplies={BIKE: Supply("make", 2)},
        ledgers=known(SPOKE, stock, coming, needed),
    )
    begins = simulated(stock, coming, needed, quantity)
    ready = NEVER if begins == NEVER else (date.fromisoformat(begins or TODAY.isoformat()) + timedelta(2)).isoformat()
    assert here.promise((BIKE, HERE), Decimal(quantity)).day == ready
