"""A moment as the value of a filter: to the millisecond, never rounded up."""

from datetime import UTC, datetime

import pytest

from katana_client.filters import Filters, parameters


@pytest.mark.parametrize(
    ("microsecond", "text"),
    [(0, "000"), (999, "000"), (1_000, "001"), (1_001, "001"), (6_000, "006"), (500_000, "500"), (999_999, "999")],
)
def test_a_moment_in_a_filter_is_cut_to_its_millisecond(microsecond: int, text: str) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, microsecond, UTC)
    values = (f"2026-01-02T03:04:05.{text}Z",)
    assert parameters(Filters.of("since"), {"since": moment}, "GET /x") == {"since": values}
