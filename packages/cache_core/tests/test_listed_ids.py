"""Which ids a listing has seen: numbers and texts in whatever order they come, each once."""

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.records import RecordId
from cache_core.sync.listed_ids import ListedIds

NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-3, 3)
IDS = NUMBERS | st.sampled_from(["a", "b", "7"])


@given(st.lists(st.lists(IDS, max_size=6), max_size=8), st.lists(IDS, max_size=6))
def test_they_are_a_set_whatever_comes(pages: Sequence[Sequence[RecordId]], others: Sequence[RecordId]) -> None:
    seen, plain = ListedIds(), set[RecordId]()
    for page in pages:
        seen.add(page)
        plain.update(page)
        assert [record_id in seen for record_id in others] == [record_id in plain for record_id in others]
        assert all(record_id in seen for record_id in plain)
    numbers = sorted(record_id for record_id in plain if isinstance(record_id, int))
    texts = sorted(record_id for record_id in plain if isinstance(record_id, str))
    assert (list(seen), len(seen)) == ([*numbers, *texts], len(plain))


@pytest.mark.parametrize("ids", [range(1_000, 0, -1), range(1, 1_001), [*range(1, 1_001, 2), *range(1_000, 0, -2)]])
def test_pages_may_come_in_any_order(ids: Sequence[int]) -> None:
    seen = ListedIds(ids[:10])
    for start in range(10, 1_000, 250):
        seen.add(ids[start : start + 250])
    assert list(seen) == list(range(1, 1_001))
    assert (0 in seen, 1_001 in seen, "1" in seen, None in seen) == (False, False, False, False)


def test_a_number_takes_eight_bytes() -> None:
    seen = ListedIds(range(100_000, 0, -1))
    assert sys.getsizeof(seen._numbers) < 8 * 100_000 * 1.2  # pyright: ignore[reportPrivateUsage] - what is measured  # noqa: SLF001
