"""Why something is short, in a line: how many pieces are needed, for which orders, and what is there and expected."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from cache_core.testing import START
from katana_mcp.references.display_names import Names
from katana_mcp.tools.days import IN_UTC
from katana_mcp.workflows.free_elsewhere import FreeStock
from katana_mcp.workflows.needs import Need
from katana_mcp.workflows.replenish_orders import Situation, proposal
from katana_mcp.workflows.requirements import Level, Requirement, Requirements

PLACE = (7, 1)
NAMES = Names(
    {
        ("variant", 7): {"id": 7, "sku": "BOLT"},
        ("variant", 8): {"id": 8, "sku": "BIKE"},
        ("location", 1): {"id": 1, "name": "Main"},
    }
)
LEVEL = Level(target=Decimal(5), in_stock=Decimal(3), committed=Decimal(0), expected=Decimal("1.5"))
THERE = "reorder point 5; 3 in stock, 1.5 expected"


def need(order: int, quantity: int, day: str | None = "2026-03-04") -> Need:
    date = None if day is None else f"{day}T08:00:00.000Z"
    return Need(("sales_order", order), f"SO-{order}", date, Decimal(quantity))


def reason(
    needs: Sequence[Need] = (),
    level: Level | None = LEVEL,
    makes: Mapping[int, Decimal] | None = None,
    drafted: int = 0,
) -> str:
    """Return the reason of what is short of a bolt that is made."""
    situation = Situation(
        names=NAMES,
        needs={PLACE: needs},
        drafted={PLACE: Decimal(drafted)},
        free=FreeStock({}, {}),
        made=frozenset((7,)),
        suppliers=frozenset(),
        days=IN_UTC,
        now=START,
    )
    (phrase,) = proposal(Requirements([Requirement(PLACE, Decimal(9), level, makes or {})]), situation).to_make
    assert phrase.startswith("9 BOLT (BOLT) at Main; ")
    return phrase.removeprefix("9 BOLT (BOLT) at Main; ")


@pytest.mark.parametrize(
    ("needs", "committed", "words"),
    [
        ([], 0, ""),
        ([need(1, 2)], 2, "2 needed: SO-1 2 by 2026-03-04; "),
        ([need(1, 2), need(2, 1, None)], 3, "3 needed: SO-1 2 by 2026-03-04, SO-2 1; "),
        (
            [need(1, 2), need(2, 1), need(3, 4), need(4, 5)],
            12,
            "12 needed: SO-1 2 by 2026-03-04, SO-2 1 by 2026-03-04, 2 more orders 9; ",
        ),
        (
            [need(1, 2), need(2, 1), need(3, 4)],
            7,
            "7 needed: SO-1 2 by 2026-03-04, SO-2 1 by 2026-03-04, 1 more order 4; ",
        ),
        ([need(1, 2), need(1, 3, "2026-03-09")], 5, "5 needed: SO-1 5 by 2026-03-04; "),
        ([need(1, 2)], 6, "6 needed: SO-1 2 by 2026-03-04, others 4; "),
        ([], 6, "6 needed: others 6; "),
        ([need(1, 2)], 0, "2 needed: SO-1 2 by 2026-03-04; "),
    ],
    ids=["none", "one", "two", "more", "one more", "two rows of one", "unknown too", "unknown", "not committed yet"],
)
def test_pieces_are_counted_and_the_orders_that_need_them_named(
    needs: Sequence[Need], committed: int, words: str
) -> None:
    assert reason(needs, LEVEL._replace(committed=Decimal(committed))) == f"{words}{THERE}"


def test_pieces_that_go_into_products_to_be_made_are_counted_too() -> None:
    makes = {8: Decimal(6), 9: Decimal(2), 10: Decimal(3), 11: Decimal(4)}
    assert reason(makes=makes) == f"6 to make BIKE, 2 to make 9, 7 to make 2 more products; {THERE}"
    assert reason(makes={8: Decimal(6)}, level=None) == "6 to make BIKE"


def test_nothing_expected_and_no_reorder_point_are_not_told() -> None:
    assert reason(level=Level(Decimal(0), Decimal(0), Decimal(0), Decimal(0))) == "0 in stock"


def test_what_drafts_bring_is_told_last() -> None:
    assert reason(drafted=4) == f"{THERE}; 4 drafted already"
