"""A listing is complete, or says that it is not; a faulty page costs one request."""

from collections.abc import Callable

import pytest

from katana_client import Call, Reply
from katana_client.errors import FilterIgnored, IncompleteListing, InvalidRequest, UnexpectedResponse
from katana_client.exchange import ExchangeFailed
from katana_client.testing import FakeClient, listing, reply


def variants(count: int) -> list[object]:
    return [{"id": number} for number in range(count, 0, -1)]


def on_request(number: int, fault: Callable[[Call], Reply], rows: list[object]) -> FakeClient:
    """Return a client whose `number`-th request (from 1) meets `fault`."""
    seen: list[Call] = []

    def handler(call: Call) -> Reply:
        seen.append(call)
        return fault(call) if len(seen) == number else listing(rows, call)

    return FakeClient(handler)


async def ids(client: FakeClient, limit: int | None = None) -> list[int | None]:
    return [variant.id async for variant in client.variants.list(limit=limit)]


@pytest.mark.parametrize("count", [0, 1, 249, 250, 251, 500, 1_001])
async def test_every_row_comes_once_with_as_few_requests_as_possible(count: int) -> None:
    client = FakeClient(lambda call: listing(variants(count), call))
    assert await ids(client) == list(range(count, 0, -1))
    assert len(client.wire.calls) == max(1, -(-count // 250))


@pytest.mark.parametrize("limit", [1, 50, 250, 251, 500, 5_000])
async def test_limit_caps_the_results_and_never_exceeds_katanas_page_size(limit: int) -> None:
    client = FakeClient(lambda call: listing(variants(700), call))
    assert len(await ids(client, limit)) == min(limit, 700)
    assert all(int(dict(call.query)["limit"]) <= 250 for call in client.wire.calls)


@pytest.mark.parametrize("limit", [0, -1, True])
async def test_a_limit_below_one_is_refused(limit: int) -> None:
    client = FakeClient(lambda call: listing([], call))
    with pytest.raises(InvalidRequest):
        await ids(client, limit)


async def test_page_k_is_asked_exactly_like_page_1() -> None:
    client = FakeClient(lambda call: listing(variants(600), call))
    async for _ in client.variants.list(sku=["a", "b"], include_deleted=True):
        pass
    without_page = {tuple(pair for pair in call.query if pair[0] != "page") for call in client.wire.calls}
    assert without_page == {(("sku", "a"), ("sku", "b"), ("include_deleted", "true"), ("limit", "250"))}
    assert [dict(call.query)["page"] for call in client.wire.calls] == ["1", "2", "3"]


def drop(call: Call) -> Reply:
    raise ExchangeFailed("ReadError", sent=True)


def no_header(rows: list[object]) -> Callable[[Call], Reply]:
    return lambda call: Reply(200, {}, listing(rows, call).body)


def short(rows: list[object]) -> Callable[[Call], Reply]:
    return lambda call: Reply(200, listing(rows, call).headers, reply({"data": [{"id": 1}]}).body)


ROWS = variants(2_000)
FAULTS: dict[str, Callable[[Call], Reply]] = {
    "429": lambda call: reply(b"", 429),
    "500": lambda call: reply(b"", 500),
    "503": lambda call: reply(b"", 503),
    "drop": drop,
    "truncated": lambda call: reply(listing(ROWS, call).body[:-20]),
    "empty page": lambda call: Reply(200, listing(ROWS, call).headers, b'{"data":[]}'),
    "short page": short(ROWS),
    "no header": no_header(ROWS),
    "bad header": lambda call: Reply(200, {"x-pagination": "{"}, listing(ROWS, call).body),
    "shrunk once": lambda call: listing(ROWS[:1_500], call),
}


@pytest.mark.parametrize(
    ("fault", "number"),
    [(fault, number) for fault in FAULTS for number in (1, 2, 5, 8) if (fault, number) != ("shrunk once", 1)],
)
async def test_a_fault_costs_one_request_and_no_row(fault: str, number: int) -> None:
    client = on_request(number, FAULTS[fault], ROWS)
    assert await ids(client) == list(range(2_000, 0, -1))
    assert len(client.wire.calls) == 9


async def drained(client: FakeClient) -> tuple[int, IncompleteListing]:
    rows = 0
    try:
        async for page in client.variants.pages():
            rows += page.count
    except IncompleteListing as error:
        return rows, error
    raise AssertionError


async def test_a_listing_that_loses_its_header_delivers_all_and_says_so() -> None:
    rows = variants(600)
    client = FakeClient(lambda call: no_header(rows)(call) if dict(call.query)["page"] == "2" else listing(rows, call))
    count, error = await drained(client)
    assert (count, error.seen, error.reported) == (600, 600, 600)
    assert "page 2 has no readable X-Pagination" in str(error)


async def test_a_listing_without_any_header_delivers_all_and_says_so() -> None:
    count, error = await drained(FakeClient(no_header(variants(600))))
    assert (count, error.reported) == (600, None)


async def test_a_listing_that_shrinks_says_so() -> None:
    client = FakeClient(lambda call: listing(variants(700 if dict(call.query)["page"] == "1" else 699), call))
    count, error = await drained(client)
    assert count == 699
    assert "shrank from 700 to 699" in str(error)


async def test_a_listing_that_stays_short_says_what_was_seen_and_reported() -> None:
    rows = variants(600)
    client = FakeClient(lambda call: short(rows)(call) if dict(call.query)["page"] == "2" else listing(rows, call))
    count, error = await drained(client)
    assert (count, error.seen, error.reported) == (351, 351, 600)
    assert "351 rows seen, 600 reported" in str(error)


async def test_a_listing_that_grows_is_complete() -> None:
    client = FakeClient(lambda call: listing(variants(700 if dict(call.query)["page"] == "1" else 701), call))
    assert len(await ids(client)) == 700


async def test_a_server_that_allows_fewer_rows_per_page_costs_no_extra_request() -> None:
    def handler(call: Call) -> Reply:
        return listing(variants(250), Call("GET", call.path, (("limit", "100"), ("page", dict(call.query)["page"]))))

    client = FakeClient(handler)
    assert len(await ids(client)) == 250
    assert len(client.wire.calls) == 3


async def test_a_listing_that_never_ends_ends() -> None:
    header = {"x-pagination": '{"total_records":"99999999999","total_pages":"999999999"}'}
    client = FakeClient(lambda call: reply({"data": []}, headers=header))
    _, error = await drained(client)
    assert error.seen == 0
    assert len(client.wire.calls) == 2


async def test_starting_later_counts_what_lies_before() -> None:
    client = FakeClient(lambda call: listing(variants(600), call))
    assert [page.number async for page in client.variants.pages(3)] == [3]


async def test_a_page_shows_its_parts() -> None:
    poison: list[object] = [
        {"id": 1, "sales_price": "x"},
        7,
        {"sku": "no id"},
        {"id": 2, "new": "kept", "type": "odd"},
    ]
    page = await FakeClient(lambda call: listing(poison, call)).variants.page(1)
    assert [item.id for item in page.items] == [1, 2]
    assert page.items[1].model_extra == {"new": "kept"}
    assert page.valid_records == ({"id": 1, "sales_price": "x"}, {"id": 2, "new": "kept", "type": "odd"})
    assert page.unread == (("sales_price",), ())
    assert [(bad.id, bad.reason.split(":")[0]) for bad in page.invalid] == [
        (None, "id"),
        (None, "not an object"),
    ]
    assert (page.count, len(page.records), page.total_records, page.total_pages) == (4, 3, 4, 1)
    assert page.is_last
    assert not page.header_missing


async def test_a_record_without_its_key_is_told_by_its_id_where_it_has_one() -> None:
    rows: list[object] = [{"id": 7}, {"id": "u-1"}, {"id": True}, {"notes": "none"}]
    page = await FakeClient(lambda call: listing(rows, call)).product_operation_rows.page(1)
    assert [bad.id for bad in page.invalid] == [7, "u-1", None, None]


@pytest.mark.parametrize("answer", [[{"id": 1}], {"data": [{"id": 1}]}])
async def test_the_envelope_is_detected(answer: object) -> None:
    client = FakeClient(lambda call: reply(answer))
    assert [item.id for item in (await client.variants.page(1)).items] == [1]


@pytest.mark.parametrize("value", [{}, {"data": {}}, None, 7, "x", {"error": {}}])
async def test_an_answer_that_is_no_list_is_unexpected(value: object) -> None:
    with pytest.raises(UnexpectedResponse, match="no list"):
        await FakeClient(lambda call: reply(value)).variants.page(1)


async def test_ids_of_any_count_are_cut_into_requests_and_deduplicated() -> None:
    def handler(call: Call) -> Reply:
        numbers = [int(value) for name, value in call.query if name == "ids"]
        return listing([{"id": number} for number in numbers], call)

    client = FakeClient(handler)
    found = [variant.id async for variant in client.variants.list(ids=[*range(1, 1_001), 5, 6])]
    assert found == list(range(1, 1_001))
    assert len(client.wire.calls) == 4
    assert max(len(call.target) for call in client.wire.calls) < 4_500


async def test_no_ids_means_no_request_and_no_rows() -> None:
    client = FakeClient(lambda call: listing(variants(5), call))
    assert [variant async for variant in client.variants.list(ids=[])] == []
    assert [level async for level in client.inventory.list(variant_id=[])] == []
    assert client.wire.calls == []


async def test_a_list_for_a_filter_of_one_value_is_asked_one_by_one() -> None:
    def handler(call: Call) -> Reply:
        location = int(dict(call.query)["location_id"])
        return listing([{"variant_id": variant, "location_id": location} for variant in (1, 2)], call)

    client = FakeClient(handler)
    rows = [
        (row.variant_id, row.location_id) async for row in client.inventory.list(variant_id=[1, 2], location_id=[7, 8])
    ]
    assert rows == [(1, 7), (2, 7), (1, 8), (2, 8)]
    with pytest.raises(InvalidRequest, match="need 2 listings"):
        await client.inventory.page(1, location_id=[7, 8])


async def test_a_filter_the_server_ignores_is_an_error() -> None:
    client = FakeClient(lambda call: listing([{"id": 1, "sales_order_id": 5}, {"id": 2, "sales_order_id": 6}], call))
    with pytest.raises(FilterIgnored, match="sales_order_ids was ignored"):
        await client.sales_order_rows.page(1, sales_order_ids=[5])


async def test_a_filter_katana_does_not_know_is_refused_with_those_it_knows() -> None:
    client = FakeClient(lambda call: listing([], call))
    with pytest.raises(
        InvalidRequest, match=r"operators has no filter 'updated_at_min'; it knows resource_id, working_area"
    ):
        await client.operators.page(1, updated_at_min="2026-01-01T00:00:00Z")
    assert client.wire.calls == []


@pytest.mark.parametrize("limit", [0, 251])
async def test_a_page_size_katana_does_not_have_is_refused(limit: int) -> None:
    client = FakeClient(lambda call: listing([], call))
    with pytest.raises(InvalidRequest):
        await client.variants.page(1, limit=limit)
    with pytest.raises(InvalidRequest):
        await client.variants.page(0)
