"""What the record of a variant's stock says of its levels: covered only where none can be short, and all is known."""

from collections.abc import Mapping
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache_core.records import Json, Record
from cache_core.sync.stock_records import is_covered, stock_record

NUMBERS = ("reorder_point", "safety_stock_level", "quantity_in_stock", "quantity_committed", "quantity_expected")
AMOUNTS = st.integers(-3, 6).map(lambda half: Decimal(half) / 2) | st.integers(-1, 3)
LEVELS = st.fixed_dictionaries({}, optional=dict.fromkeys(NUMBERS, AMOUNTS | st.sampled_from([None, "2.5", True])))


def _short(level: Mapping[str, Json], *, expected: bool) -> Decimal | int | None:
    """Return by how much a level is short, in as few words as there are; None where that is not known."""
    known = {name: value for name, value in level.items() if isinstance(value, Decimal | int) and value is not True}
    targets = [known[name] for name in NUMBERS[:2] if name in known]
    if not targets or not {*NUMBERS[2:]} <= known.keys():
        return None
    there = known["quantity_in_stock"] + (known["quantity_expected"] if expected else 0)
    return max(targets) + known["quantity_committed"] - there


@given(level=LEVELS)
@example(level=dict.fromkeys(NUMBERS, Decimal(0)))
@example(level=dict(zip(NUMBERS, (1, 2, 5, 3, 0), strict=True)))
@example(level=dict(zip(NUMBERS, (1, 2, 5, 3, -1), strict=True)))
@example(level=dict(zip(NUMBERS, (1, 2, 4, 3, 1), strict=True)))
def test_a_level_is_covered_if_and_only_if_it_is_known_not_to_be_short(level: dict[str, Json]) -> None:
    shorts = [_short(level, expected=expected) for expected in (False, True)]
    assert is_covered(level) == all(short is not None and short <= 0 for short in shorts)


@pytest.mark.parametrize("places", [(), (5,), (5, 5), (5, 4), (4, 5)])
def test_stock_is_covered_where_every_level_is(places: tuple[int, ...]) -> None:
    levels: list[Record] = [dict(zip(NUMBERS, (1, 2, held, 3, 0), strict=True)) for held in places]
    assert stock_record(7, "at", None, levels) == {
        "variant_id": 7,
        "fetched_at": "at",
        "dirty_at": None,
        "is_covered": 4 not in places,
        "levels": levels,
    }
