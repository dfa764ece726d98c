"""However many and however long the values of a filter are, they are cut into as few requests as take them."""

from itertools import pairwise
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client import Call, Reply
from katana_client.testing import FakeClient, listing

CAP = 4_000
ids = st.integers(4, 10).flatmap(lambda digits: st.integers(10 ** (digits - 1), 10**digits - 1))
skus = st.text(min_size=1, max_size=60)


def length(name: str, values: tuple[object, ...]) -> int:
    return sum(len(f"{name}={quote_plus(str(value), errors='replace')}&") for value in values)


def client() -> FakeClient:
    def handler(call: Call) -> Reply:
        rows = [{"id": int(value)} for name, value in call.query if name == "ids"]
        return listing(rows, call)

    return FakeClient(handler)


@given(st.one_of(st.lists(ids, max_size=600).map(tuple), st.lists(skus, max_size=600).map(tuple)))
def test_every_value_is_asked_for_once_and_every_request_is_full(values: tuple[int | str, ...]) -> None:
    name = "ids" if all(isinstance(value, int) for value in values) else "sku"
    runs = client().variants.batches(name, values)
    assert [value for run in runs for value in run] == list(dict.fromkeys(values))
    for run in runs:
        assert 0 < len(run) <= 250
        assert length(name, run) <= CAP
    for run, after in pairwise(runs):
        assert len(run) == 250 or length(name, (*run, after[0])) > CAP


@pytest.mark.parametrize("digits", range(4, 11))
async def test_a_page_takes_each_run_of_ids_of_any_length(digits: int) -> None:
    api = client()
    asked = [10 ** (digits - 1) + place for place in range(600)]
    found: list[int | None] = []
    for run in api.variants.batches("ids", asked):
        found += [row.id for row in (await api.variants.page(1, ids=run)).items]
    assert sorted(number for number in found if number is not None) == asked
    runs = api.inventory.batches("variant_id", asked)
    assert [len(run) for run in runs[:-1]] == [min(250, CAP // (len("variant_id=&") + digits))] * (len(runs) - 1)


def test_five_hundred_skus_are_as_few_requests_as_name_them() -> None:
    short = [f"SKU-{place:03}" for place in range(500)]
    wordy = [f"Gabel Ø{place:03} für Räder" for place in range(500)]
    assert [len(run) for run in client().variants.batches("sku", short)] == [250, 250]
    assert [len(run) for run in client().variants.batches("sku", short, most=100)] == [100] * 5
    runs = client().variants.batches("sku", wordy)
    assert sum(len(run) for run in runs) == 500
    assert all(length("sku", run) <= CAP for run in runs)


def test_a_filter_that_takes_one_value_gets_runs_of_one() -> None:
    assert client().inventory.batches("location_id", [7, 8, 7]) == [(7,), (8,)]
    assert client().inventory.batches("variant_id", []) == []
