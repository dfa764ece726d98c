"""What a collection sends and refuses, to the letter: pages, lists, single records, and writes as they are planned."""

from collections.abc import Awaitable, Callable
from typing import Never, cast

import pytest

from katana_client import Call, Reply
from katana_client.errors import InvalidRequest, NotFound, UnexpectedResponse
from katana_client.models.variants import Variant
from katana_client.resources.customers import CustomerCreate, CustomerUpdate
from katana_client.resources.products import ProductUpdate
from katana_client.resources.suppliers import SupplierCreate
from katana_client.resources.variants import VariantUpdate
from katana_client.testing import FakeClient, listing, reply

U1 = "00000000-0000-0000-0000-00000000000a"


def over(rows: list[dict[str, object]]) -> FakeClient:
    """Return a client whose listings hold these rows, those of the ids asked for where some are."""

    def handler(call: Call) -> Reply:
        ids = {value for name, value in call.query if name in {"id", "ids"}}
        named = [row for row in rows if not ids or str(row.get("id")) in ids]
        return listing(named, call)

    return FakeClient(handler)


def answering(value: object, status: int = 200) -> FakeClient:
    """Return a client that gets one answer to everything."""
    return FakeClient(lambda _: reply(value, status))


def queries(client: FakeClient) -> list[dict[str, str]]:
    """Return the queries sent."""
    return [dict(call.query) for call in client.wire.calls]


NUMBERS: list[dict[str, object]] = [{"id": nr, "sku": f"S{nr}"} for nr in range(1, 8)]
WHOLE = "must be a whole number from 1"


REFUSED: list[tuple[Callable[[FakeClient], Awaitable[object]], str]] = [
    (lambda client: client.variants.page(0), f"number {WHOLE}"),
    (lambda client: client.variants.page(True), f"number {WHOLE}"),
    (lambda client: client.variants.page(cast("Never", "1")), f"number {WHOLE}"),
    (lambda client: client.variants.page(1, limit=0), f"limit {WHOLE} to 250"),
    (lambda client: client.variants.page(1, limit=251), f"limit {WHOLE} to 250"),
    (lambda client: drained(client, start=0), f"start {WHOLE}"),
    (lambda client: drained(client, limit=0), f"limit {WHOLE} to 250"),
    (lambda client: drained(client, limit=251), f"limit {WHOLE} to 250"),
    (lambda client: listed(client, limit=0), f"limit {WHOLE}"),
    (lambda client: listed(client, limit=True), f"limit {WHOLE}"),
    (lambda client: listed(client, ids=[0]), "an id is a whole number from 1 to 2147483647"),
    (lambda client: client.factory.page(1), "Katana has no GET /factory"),
    (lambda client: client.operators.get(1), "Katana has no GET /operators/{id}"),
    (lambda client: client.locations.delete(1), "Katana has no DELETE /locations/{id}"),
    (
        lambda client: client.locations.create(cast("Never", CustomerCreate(name="x"))),
        "Katana has no POST /locations",
    ),
    (
        lambda client: client.tax_rates.update(1, cast("Never", CustomerUpdate(name="x"))),
        "Katana has no PATCH /tax_rates/{id}",
    ),
    (
        lambda client: client.customers.create(cast("Never", SupplierCreate(name="x"))),
        "POST /customers takes a CustomerCreate, not a SupplierCreate",
    ),
    (
        lambda client: client.customers.update(1, cast("Never", VariantUpdate(sku="x"))),
        "PATCH /customers/{id} takes a CustomerUpdate, not a VariantUpdate",
    ),
    (
        lambda client: client.customers.update(1, CustomerUpdate()),
        "nothing to change in customers: set at least one field",
    ),
    (
        lambda client: client.variants.get(1, extend=["a"], nobody=1),
        "GET /variants/{id} has no filter 'nobody'; it knows extend",
    ),
    (lambda client: client.variants.page(1, ids=[]), "these filters of variants need 0 listings: use list()"),
]


@pytest.mark.parametrize(("attempt", "text"), REFUSED)
async def test_what_has_no_place_is_refused_with_the_reason_and_nothing_is_sent(
    attempt: Callable[[FakeClient], Awaitable[object]], text: str
) -> None:
    client = over(NUMBERS)
    with pytest.raises(InvalidRequest) as raised:
        await attempt(client)
    assert (str(raised.value), client.wire.calls) == (text, [])


async def drained(client: FakeClient, start: int = 1, limit: int = 250) -> list[list[int | None]]:
    """Return the ids on each page of the variants."""
    return [[item.id for item in page.items] async for page in client.variants.pages(start, limit=limit)]


async def listed(client: FakeClient, ids: list[int] | None = None, limit: int | None = None) -> list[int | None]:
    """Return the ids of the variants listed."""
    return [variant.id async for variant in client.variants.list(ids, limit)]


async def test_a_page_has_its_number_and_size() -> None:
    client = over(NUMBERS)
    page = await client.variants.page(2, limit=3, sku=["a", "b"])
    assert [item.id for item in page.items] == [4, 5, 6]
    await client.variants.page(1)
    await client.variants.page(1, limit=250)
    await client.variants.page(1, limit=1)
    assert client.wire.calls[0].query == (("sku", "a"), ("sku", "b"), ("limit", "3"), ("page", "2"))
    assert [query["limit"] for query in queries(client)] == ["3", "250", "250", "1"]


async def test_pages_are_read_on_from_a_start() -> None:
    client = over(NUMBERS)
    assert await drained(client, 2, 3) == [[4, 5, 6], [7]]
    assert queries(client) == [{"limit": "3", "page": "2"}, {"limit": "3", "page": "3"}]
    assert await drained(over(NUMBERS)) == [[1, 2, 3, 4, 5, 6, 7]]


@pytest.mark.parametrize(
    ("limit", "size", "found"), [(None, "250", 7), (1, "1", 1), (3, "3", 3), (7, "7", 7), (8, "8", 7), (251, "250", 7)]
)
async def test_a_list_asks_for_no_more_than_its_limit(limit: int | None, size: str, found: int) -> None:
    client = over(NUMBERS)
    assert await listed(client, limit=limit) == list(range(1, found + 1))
    assert queries(client) == [{"limit": size, "page": "1"}]


async def test_a_list_goes_on_where_rows_repeat_or_cannot_be_used() -> None:
    rows: list[dict[str, object]] = [{"id": 1}, {"id": 1}, {"sku": "x"}, {"id": 2}, {"id": 3}, {"id": 4}]
    client = over(rows)
    assert await listed(client, limit=3) == [1, 2, 3]
    assert [query["page"] for query in queries(client)] == ["1", "2"]
    records = [record async for record in client.variants.list_records([2, 4], 9)]
    assert records == [{"id": 2}, {"id": 4}]
    assert client.wire.calls[-1].query == (("ids", "2"), ("ids", "4"), ("limit", "9"), ("page", "1"))


async def test_filters_of_a_list_go_with_its_ids() -> None:
    client = over(NUMBERS)
    found = [variant.id async for variant in client.variants.list([5], include_deleted=True, sku=None)]
    assert found == [5]
    assert client.wire.calls[0].query == (("include_deleted", "true"), ("ids", "5"), ("limit", "250"), ("page", "1"))


async def test_one_record_is_read_by_its_path_or_through_the_listing() -> None:
    by_path = answering({"id": 7, "sales_price": "1.50", "product_or_material": {}})
    record = await by_path.variants.get_record(7, extend=["product_or_material"])
    assert (str(record["sales_price"]), record["product_or_material"]) == ("1.50", None)
    assert by_path.wire.calls == [Call("GET", "/variants/7", (("extend", "product_or_material"),))]
    listed_ = over([{"id": 7, "name": "n"}])
    assert await listed_.customers.get_record(7, include_deleted=True) == {"id": 7, "name": "n"}
    sent = (("include_deleted", "true"), ("ids", "7"), ("limit", "250"), ("page", "1"))
    assert listed_.wire.calls == [Call("GET", "/customers", sent)]
    assert (await over([{"id": U1}]).bom_rows.get(U1.upper())).id == U1
    twice = FakeClient(lambda _: reply([{"id": 7, "name": "first"}, {"id": 7, "name": "second"}]))
    assert (await twice.customers.get(7)).name == "first"
    assert await answering([]).customers.create_record(NEW) == {}
    uuid = answering({"id": U1})
    await uuid.custom_field_definitions.get_record(U1)
    assert uuid.wire.calls[0].path == f"/custom_field_definitions/{U1}"


async def test_a_record_that_is_not_there_or_cannot_be_read_says_so() -> None:
    with pytest.raises(NotFound) as missing:
        await over([]).customers.get(7)
    refused = (missing.value.message, missing.value.status, str(missing.value))
    assert refused == ("no record with id 7", 404, "GET /customers: 404 no record with id 7")
    with pytest.raises(UnexpectedResponse, match=r"^GET /variants: the record 7 is unreadable: id: missing$"):
        await answering({"sku": "x"}).variants.get(7)
    with pytest.raises(UnexpectedResponse, match=r"^GET /variants/7: 201 the answer is no object$"):
        await answering([], 201).variants.get(7)
    with pytest.raises(InvalidRequest, match="UUIDs"):
        await over([]).bom_rows.get(7)
    with pytest.raises(InvalidRequest, match="whole number"):
        await over([]).customers.get(U1)


async def test_the_rows_and_the_object_at_a_path_are_read() -> None:
    client = answering([{"id": "x"}, {"sku": "A", "sales_price": "1.50"}])
    rows = await client.variants.read_rows("/variants/all", Variant)
    assert [(row.id, row.sku, str(row.sales_price)) for row in rows] == [(None, None, "None"), (None, "A", "1.50")]
    assert client.wire.calls == [Call("GET", "/variants/all")]
    with pytest.raises(UnexpectedResponse, match=r"^GET /variants/all: a row is unreadable: not an object$"):
        await answering([{"id": 1}, 7]).variants.read_rows("/variants/all", Variant)
    factory = answering({"legal_address": {}, "name": "Works"})
    assert await factory.factory.read_object("/factory") == {"legal_address": None, "name": "Works"}
    with pytest.raises(UnexpectedResponse, match=r"^GET /factory: 200 the answer is no object$"):
        await answering("x").factory.read_object("/factory")


NEW, CHANGE = CustomerCreate(name="x"), CustomerUpdate(name="y")


async def test_a_write_is_planned_as_it_is_sent() -> None:
    client = answering({"id": 5, "name": "x", "discount_rate": "1.50", "addresses": {}, "currency": 7})
    customers = client.customers
    assert customers.creation(NEW) == Call("POST", "/customers", (), {"name": "x"})
    assert customers.change(5, CHANGE) == Call("PATCH", "/customers/5", (), {"name": "y"})
    assert customers.deletion(5) == Call("DELETE", "/customers/5")
    assert client.bom_rows.deletion(U1) == Call("DELETE", f"/bom_rows/{U1}")
    made = await customers.create(NEW)
    assert (made.id, str(made.discount_rate), made.addresses) == (5, "1.50", None)
    record = await customers.create_record(NEW)
    assert (record["addresses"], record["currency"]) == (None, 7)
    assert (await customers.carry_out(customers.change(5, CHANGE))).name == "x"
    assert (await customers.update(5, CHANGE)).id == 5
    assert (await customers.update_record(5, CHANGE))["id"] == 5
    await customers.delete(5)
    post, patch = customers.creation(NEW), customers.change(5, CHANGE)
    assert client.wire.calls == [post, post, patch, patch, patch, customers.deletion(5)]
    assert customers.unread_fields({"id": 5, "discount_rate": "x"}) == ("discount_rate",)
    assert customers.understood({"discount_rate": "x", "name": "n"}).model_fields_set == {"name"}


@pytest.mark.parametrize(
    ("change", "keep", "bodies"),
    [
        ({"name": "a"}, None, [{"name": "a"}, {"additional_info": "read", "name": "a"}]),
        ({"name": "a"}, {}, [{"name": "a"}, {"additional_info": "read", "name": "a"}]),
        ({"name": "a"}, {"additional_info": "kept"}, [{"additional_info": "kept", "name": "a"}]),
        ({"name": "a"}, {"additional_info": None}, [{"name": "a"}]),
        ({"additional_info": None}, None, [{"additional_info": None}]),
        ({"additional_info": "new"}, {"additional_info": "kept"}, [{"additional_info": "new"}]),
    ],
)
async def test_a_change_sends_along_what_katana_would_wipe(
    change: dict[str, object], keep: dict[str, object] | None, bodies: list[dict[str, object]]
) -> None:
    client = answering({"id": 7, "additional_info": "read"})
    update = ProductUpdate.model_validate(change)
    assert client.products.change(7, update, keep=keep) == Call("PATCH", "/products/7", (), bodies[0])
    await client.products.update(7, update, keep=keep)
    assert [call.method for call in client.wire.calls] == ["GET", "PATCH"][2 - len(bodies) :]
    assert client.wire.bodies[-1] == bodies[-1]


def test_values_of_a_filter_are_cut_into_runs() -> None:
    client = over([])
    assert client.variants.batches("ids", [1, 2, 3, 1], 2) == [(1, 2), (3,)]
    assert client.variants.batches("sku", ["a", "b"]) == [("a", "b")]
