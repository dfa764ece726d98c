"""What each collection can do, and that nothing else changes when something is changed."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Never, cast
from uuid import UUID

import httpx
import pytest

from katana_client import Call, KatanaClient, Priority
from katana_client.errors import InvalidRequest, KatanaUnavailable, NotFound, UnexpectedResponse
from katana_client.models.products import Product
from katana_client.resources.bom_rows import BomRowCreate
from katana_client.resources.customers import CustomerCreate, CustomerUpdate
from katana_client.resources.inventory_reorder_points import InventoryReorderPointCreate
from katana_client.resources.inventory_safety_stock_levels import InventorySafetyStockLevelCreate
from katana_client.resources.products import ProductUpdate
from katana_client.resources.sales_orders import SalesOrderUpdate
from katana_client.resources.suppliers import SupplierCreate
from katana_client.resources.variants import VariantUpdate
from katana_client.testing import FakeClient, listing, reply

ROW = UUID(int=5)


def answering(value: object, status: int = 200) -> FakeClient:
    return FakeClient(lambda call: reply(value, status))


async def test_one_record_is_read_by_its_path_where_katana_has_one() -> None:
    client = answering({"id": 7, "sku": None, "product_or_material": {}, "sales_price": "1.10"})
    variant = await client.variants.get(7, extend=["product_or_material"])
    assert (variant.id, variant.sku, variant.sales_price) == (7, None, Decimal("1.10"))
    assert client.wire.calls == [Call("GET", "/variants/7", (("extend", "product_or_material"),))]


async def test_one_record_is_read_through_the_listing_elsewhere() -> None:
    client = FakeClient(lambda call: listing([{"id": 7, "name": "x"}], call))
    assert (await client.customers.get(7)).name == "x"
    assert client.wire.calls[0].query[0] == ("ids", "7")
    rows = FakeClient(lambda call: listing([{"id": str(ROW)}], call))
    assert (await rows.bom_rows.get(ROW)).id == str(ROW)
    assert rows.wire.calls[0].query[0] == ("id", str(ROW))


async def test_a_missing_record_is_not_found_either_way() -> None:
    with pytest.raises(NotFound, match="GET /customers: 404 no record with id 7"):
        await FakeClient(lambda call: listing([], call)).customers.get(7)
    with pytest.raises(NotFound, match="GET /variants/7: 404"):
        await answering({"error": {"message": "Not found"}}, 404).variants.get(7)


async def test_an_unreadable_record_names_the_field_but_not_the_value() -> None:
    with pytest.raises(UnexpectedResponse, match="id: Input should be a valid integer") as caught:
        await answering({"id": "canary"}).products.get(7)
    assert "canary" not in str(caught.value)
    with pytest.raises(UnexpectedResponse, match="no object"):
        await answering([]).products.get(7)


REFUSED: list[Callable[[FakeClient], Awaitable[object]]] = [
    lambda client: client.operators.get(1),
    lambda client: client.inventory.get(1),
    lambda client: client.locations.create(cast("Never", CustomerCreate(name="x"))),
    lambda client: client.locations.delete(1),
    lambda client: client.tax_rates.update(1, cast("Never", CustomerUpdate(name="x"))),
    lambda client: client.factory.page(1),
    lambda client: client.inventory_reorder_points.page(1),
    lambda client: client.customers.create(cast("Never", SupplierCreate(name="x"))),
    lambda client: client.customers.update(1, CustomerUpdate()),
    lambda client: client.bom_rows.create_many([]),
]


@pytest.mark.parametrize("attempt", REFUSED)
async def test_what_katana_has_no_place_for_is_refused_without_a_request(
    attempt: Callable[[FakeClient], Awaitable[object]],
) -> None:
    client = answering({})
    with pytest.raises(InvalidRequest):
        await attempt(client)
    assert client.wire.calls == []


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b'"x"', b"7"])
async def test_an_answer_that_says_nothing_is_an_empty_record_of_a_write_that_succeeded(body: bytes) -> None:
    client = answering(body)
    made = await client.customers.create(CustomerCreate(name="x"))
    assert (made.id, made.model_fields_set) == (None, set())
    assert await client.customers.create_record(CustomerCreate(name="x")) == {}
    await client.customers.delete(1)


async def test_what_is_readable_of_an_answer_is_kept() -> None:
    client = answering({"id": 5, "name": "x", "discount_rate": "odd", "addresses": 7, "status": "NEW"})
    made = await client.customers.create(CustomerCreate(name="x"))
    assert (made.id, made.name, made.discount_rate) == (5, "x", None)
    assert made.model_fields_set == {"id", "name", "status"}


def keeping(current: dict[str, object]) -> FakeClient:
    return FakeClient(lambda call: reply(current if call.method == "GET" else {"id": 7}))


async def test_an_update_reads_and_sends_along_what_katana_would_wipe() -> None:
    client = keeping({"id": 7, "additional_info": "fragile"})
    await client.products.update(7, ProductUpdate(name="Knife"))
    assert [call.method for call in client.wire.calls] == ["GET", "PATCH"]
    assert client.wire.bodies[1] == {"name": "Knife", "additional_info": "fragile"}


@pytest.mark.parametrize("current", [{"id": 7, "additional_info": ""}, {"id": 7, "additional_info": None}, {"id": 7}])
async def test_what_is_empty_is_not_sent_along(current: dict[str, object]) -> None:
    client = keeping(current)
    await client.sales_orders.update(7, SalesOrderUpdate(order_no="SO-1"))
    assert client.wire.bodies[1] == {"order_no": "SO-1"}


@pytest.mark.parametrize("value", ["new", None])
async def test_an_update_that_sets_the_field_itself_needs_no_read(value: str | None) -> None:
    client = keeping({"id": 7, "additional_info": "old"})
    await client.products.update(7, ProductUpdate(additional_info=value))
    await client.products.update(7, ProductUpdate(additional_info=value), keep={"additional_info": "old"})
    assert client.wire.bodies == [{"additional_info": value}] * 2


async def test_an_update_that_is_given_the_record_needs_no_read() -> None:
    client = keeping({"id": 7, "additional_info": "stale"})
    await client.products.update(7, ProductUpdate(name="a"), keep=Product(id=7, additional_info="fresh"))
    await client.products.update(7, ProductUpdate(name="a"), keep={"additional_info": "fresh"})
    assert client.wire.bodies == [{"name": "a", "additional_info": "fresh"}] * 2
    await client.products.update(7, ProductUpdate(name="a"), keep=Product(id=7))
    assert [call.method for call in client.wire.calls] == ["PATCH", "PATCH", "GET", "PATCH"]


async def test_when_the_protecting_read_fails_nothing_is_sent() -> None:
    client = FakeClient(lambda call: reply(b"", 502))
    with pytest.raises(KatanaUnavailable):
        await client.products.update(7, ProductUpdate(name="a"))
    assert {call.method for call in client.wire.calls} == {"GET"}


async def test_collections_without_the_quirk_send_only_the_change() -> None:
    client = answering({"id": 7})
    await client.variants.update(7, VariantUpdate(sku=None))
    assert client.wire.bodies == [{"sku": None}]


async def test_a_planned_call_is_exactly_what_is_sent() -> None:
    client = answering({"id": 7})
    planned = client.variants.change(7, VariantUpdate(sku="x"))
    assert planned == Call("PATCH", "/variants/7", (), {"sku": "x"})
    await client.sender.send(planned)
    assert client.wire.calls == [planned]
    assert client.customers.deletion(3) == Call("DELETE", "/customers/3")


async def test_the_factory_is_one_object_without_id_and_never_lost_to_one_bad_field() -> None:
    client = answering({"name": "Works", "legal_address": {}, "default_sales_location_id": "odd", "new": 1})
    factory = await client.factory.read()
    assert (factory.name, factory.legal_address, factory.default_sales_location_id) == ("Works", None, None)
    assert client.wire.calls == [Call("GET", "/factory")]


async def test_stock_levels_are_set_by_variant_and_location() -> None:
    client = answering({"location_id": 1, "variant_id": 2, "value": "2", "created_at": "2026-01-01T00:00:00.000Z"})
    point = await client.inventory_reorder_points.create(
        InventoryReorderPointCreate(location_id=1, variant_id=2, value=Decimal("2.50"))
    )
    level = await client.inventory_safety_stock_levels.create(
        InventorySafetyStockLevelCreate(location_id=1, variant_id=2, value=Decimal(2))
    )
    assert (point.value, level.value) == (Decimal(2), Decimal(2))
    assert [call.path for call in client.wire.calls] == ["/inventory_reorder_points", "/inventory_safety_stock_levels"]
    assert client.wire.bodies[0] == {"location_id": 1, "variant_id": 2, "value": 2.5}


async def test_bom_rows_are_created_many_at_once() -> None:
    client = answering(b"", 204)
    row = BomRowCreate(product_variant_id=1, product_item_id=2, ingredient_variant_id=3, quantity=Decimal(4))
    await client.bom_rows.create_many([row, row])
    assert client.wire.calls[0].path == "/bom_rows/batch/create"
    one = {"product_variant_id": 1, "product_item_id": 2, "ingredient_variant_id": 3, "quantity": 4}
    assert client.wire.bodies == [{"data": [one, one]}]


async def test_returnable_items_are_a_bare_array() -> None:
    client = answering([{"variant_id": 1, "quantity_sold": "2.00"}])
    items = await client.sales_orders.returnable_items(7)
    assert [(item.variant_id, item.quantity_sold) for item in items] == [(1, Decimal("2.00"))]
    assert client.wire.calls == [Call("GET", "/sales_orders/7/returnable_items")]
    with pytest.raises(UnexpectedResponse, match="a row is unreadable"):
        await answering([7]).sales_orders.returnable_items(7)


async def test_bulk_work_is_marked_for_the_requests_made_inside() -> None:
    from_budget: list[Priority] = []

    class Noting:
        async def acquire(self, priority: Priority) -> int:
            from_budget.append(priority)
            return 1

        def observe(self, ticket: int, facts: object) -> None: ...

        def expected(self, priority: Priority) -> float:
            return float(priority is Priority.BULK)

        def room_in(self, places: int, priority: Priority) -> float:
            return 0.0

    transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"data": []}))
    client = KatanaClient("key", transport=transport, budget=Noting())
    await client.variants.page(1)
    with client.priority(Priority.BULK):
        await client.variants.page(1)
    await client.variants.page(1)
    assert from_budget == [Priority.INTERACTIVE, Priority.BULK, Priority.INTERACTIVE]
