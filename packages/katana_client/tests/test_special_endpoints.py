"""Purchasing, making and stock: the endpoints beyond list, create, update and delete, and what a PATCH wipes."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, cast
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from katana_client import Call, ReadModel, Reply, Resource, WriteModel
from katana_client.collection import Bound, Collection, Spec
from katana_client.errors import InvalidRequest, NotFound, OutcomeUnknown
from katana_client.resources import Collections
from katana_client.resources.manufacturing_order_production_ingredients import (
    ManufacturingOrderProductionIngredientUpdate,
    UsedBatchInput,
)
from katana_client.resources.manufacturing_orders import MakeToOrder, ManufacturingOrderUpdate
from katana_client.resources.price_list_customers import NewPriceListCustomer, PriceListCustomersCreate
from katana_client.resources.price_list_rows import NewPriceListRow, PriceListRowsCreate
from katana_client.resources.product_operation_rows import NewProductOperationRow, ProductOperationRowsCreate, Rerank
from katana_client.resources.purchase_orders import PurchaseOrderUpdate, Receipt
from katana_client.resources.recipe_rows import RecipeRowUpdate
from katana_client.resources.recipes import NewRecipeRow, RecipesCreate
from katana_client.testing import FakeClient, listing, reply

if TYPE_CHECKING:
    from katana_client.bulk import Bulk
    from katana_client.resources.stock_transfers import TransferStatus

ROW = UUID(int=5)
SPECS: dict[str, Spec] = {
    name: cast("Bound[Collection]", bound).kind.spec
    for name, bound in vars(Collections).items()
    if isinstance(bound, Bound)
}
KEPT = {
    "products",
    "materials",
    "services",
    "sales_orders",
    "purchase_orders",
    "manufacturing_orders",
    "stock_adjustments",
    "stock_transfers",
    "bin_transfers",
    "sales_returns",
    "stocktakes",
}


def answering(value: object, status: int = 200) -> FakeClient:
    return FakeClient(lambda call: reply(value, status))


def resource(client: FakeClient, name: str) -> Resource[ReadModel, WriteModel, WriteModel]:
    return getattr(client, name)


TWO = Decimal("2.0")
RECEIPT = Receipt(purchase_order_row_id=5, quantity=TWO)
PRICES = PriceListRowsCreate(
    price_list_id=1, price_list_rows=[NewPriceListRow(variant_id=2, adjustment_method="markup", amount=TWO)]
)
BUYERS = PriceListCustomersCreate(price_list_id=1, price_list_customers=[NewPriceListCustomer(customer_id=2)])
RECIPE = RecipesCreate(
    rows=[NewRecipeRow(product_variant_id=1, ingredient_variant_id=2, quantity=TWO)], keep_current_rows=False
)
STEPS = ProductOperationRowsCreate(rows=[NewProductOperationRow(product_variant_id=1, operation_name="Weld")])
BATCHES = ManufacturingOrderProductionIngredientUpdate(batch_transactions=[UsedBatchInput(batch_id=3, quantity=TWO)])

type Doing = Callable[[FakeClient], Awaitable[object]]
type Planning = Callable[[FakeClient], Call]
WRITES: dict[str, tuple[Doing, Planning, Call]] = {
    "one receipt is an object": (
        lambda client: client.purchase_orders.receive(RECEIPT),
        lambda client: client.purchase_orders.reception(RECEIPT),
        Call("POST", "/purchase_order_receive", (), {"purchase_order_row_id": 5, "quantity": TWO}),
    ),
    "receipts are an array": (
        lambda client: client.purchase_orders.receive([RECEIPT]),
        lambda client: client.purchase_orders.reception([RECEIPT]),
        Call("POST", "/purchase_order_receive", (), [{"purchase_order_row_id": 5, "quantity": TWO}]),
    ),
    "make to order": (
        lambda client: client.manufacturing_orders.make_to_order(
            MakeToOrder(sales_order_row_id=5, create_subassemblies=True)
        ),
        lambda client: client.manufacturing_orders.making_to_order(
            MakeToOrder(sales_order_row_id=5, create_subassemblies=True)
        ),
        Call(
            "POST",
            "/manufacturing_order_make_to_order",
            (),
            {"sales_order_row_id": 5, "create_subassemblies": True},
        ),
    ),
    "unlink": (
        lambda client: client.manufacturing_orders.unlink(5),
        lambda client: client.manufacturing_orders.unlinking(5),
        Call("POST", "/manufacturing_order_unlink", (), {"sales_order_row_id": 5}),
    ),
    "batches of an ingredient": (
        lambda client: client.manufacturing_order_production_ingredients.update(5, BATCHES),
        lambda client: client.manufacturing_order_production_ingredients.change(5, BATCHES),
        Call(
            "PATCH",
            "/manufacturing_order_production_ingredients/5",
            (),
            {"batch_transactions": [{"batch_id": 3, "quantity": TWO}]},
        ),
    ),
    "transfer status": (
        lambda client: client.stock_transfers.set_status(5, "inTransit"),
        lambda client: client.stock_transfers.status_change(5, "inTransit"),
        Call("PATCH", "/stock_transfers/5/status", (), {"status": "inTransit"}),
    ),
    "rerank": (
        lambda client: client.product_operation_rows.rerank(Rerank(rank_product_operation_id=5)),
        lambda client: client.product_operation_rows.reranking(Rerank(rank_product_operation_id=5)),
        Call("POST", "/product_operation_rerank", (), {"rank_product_operation_id": 5}),
    ),
    "price list rows": (
        lambda client: client.price_list_rows.create_many(PRICES),
        lambda client: client.price_list_rows.creation_of_many(PRICES),
        Call(
            "POST",
            "/price_list_rows",
            (),
            {
                "price_list_id": 1,
                "price_list_rows": [{"variant_id": 2, "adjustment_method": "markup", "amount": TWO}],
            },
        ),
    ),
    "price list customers": (
        lambda client: client.price_list_customers.create_many(BUYERS),
        lambda client: client.price_list_customers.creation_of_many(BUYERS),
        Call("POST", "/price_list_customers", (), {"price_list_id": 1, "price_list_customers": [{"customer_id": 2}]}),
    ),
    "recipes": (
        lambda client: client.recipes.create_many(RECIPE),
        lambda client: client.recipes.creation_of_many(RECIPE),
        Call(
            "POST",
            "/recipes",
            (),
            {
                "rows": [{"product_variant_id": 1, "ingredient_variant_id": 2, "quantity": TWO}],
                "keep_current_rows": False,
            },
        ),
    ),
    "all recipe rows of a product": (
        lambda client: client.recipes.delete_all(5),
        lambda client: client.recipes.deletion_of_all(5),
        Call("DELETE", "/recipes/5"),
    ),
    "recipe row": (
        lambda client: client.recipe_rows.update(ROW, RecipeRowUpdate(quantity=TWO)),
        lambda client: client.recipe_rows.change(ROW, RecipeRowUpdate(quantity=TWO)),
        Call("PATCH", f"/recipe_rows/{ROW}", (), {"quantity": TWO}),
    ),
    "product operations": (
        lambda client: client.product_operation_rows.create_many(STEPS),
        lambda client: client.product_operation_rows.creation_of_many(STEPS),
        Call(
            "POST",
            "/product_operation_rows",
            (),
            {"rows": [{"operation_name": "Weld", "product_variant_id": 1}]},
        ),
    ),
}


@pytest.mark.parametrize("name", WRITES)
async def test_the_planned_call_is_what_is_sent(name: str) -> None:
    doing, planning, expected = WRITES[name]
    client = answering(b"", 204)
    await doing(client)
    assert client.wire.calls == [expected] == [planning(client)]


BODIES = [b"", b"{}", b"[]", b"null", b"<html>", b'[{"id":"odd"},7]', b'{"status":"NEW"}', b'{"data":7}']


@pytest.mark.parametrize("name", WRITES)
async def test_any_success_is_a_success_whatever_its_body(name: str) -> None:
    for status, body in product((200, 201, 202, 204), BODIES):
        client = answering(body, status)
        await WRITES[name][0](client)
        assert len(client.wire.calls) == 1


@pytest.mark.parametrize("name", WRITES)
async def test_a_write_with_an_unknown_outcome_is_never_sent_again(name: str) -> None:
    for status in (408, 500, 502, 503, 504):
        client = answering(b"", status)
        with pytest.raises(OutcomeUnknown):
            await WRITES[name][0](client)
        assert len(client.wire.calls) == 1


async def test_a_purchase_order_is_received_with_at_least_one_receipt() -> None:
    client = answering(b"", 204)
    with pytest.raises(InvalidRequest, match="at least one receipt"):
        await client.purchase_orders.receive([])
    assert client.wire.calls == []


async def test_what_make_to_order_and_a_status_answer_is_read() -> None:
    client = answering({"id": 9, "order_no": "SO-2 / 1", "planned_quantity": 3, "sales_order_row_id": 5})
    made = await client.manufacturing_orders.make_to_order(MakeToOrder(sales_order_row_id=5))
    assert (made.id, made.order_no, made.planned_quantity) == (9, "SO-2 / 1", Decimal(3))
    moved = await answering({"id": 5, "status": "inTransit"}).stock_transfers.set_status(5, "inTransit")
    assert (moved.id, moved.status) == (5, "inTransit")


@pytest.mark.parametrize("status", ["IN_TRANSIT", "in_transit", "", None])
async def test_a_status_that_katana_does_not_have_is_refused(status: str | None) -> None:
    client = answering({})
    with pytest.raises(ValidationError):
        await client.stock_transfers.set_status(5, cast("TransferStatus", status))
    with pytest.raises(InvalidRequest):
        await client.stock_transfers.set_status("5/../../x", "draft")
    assert client.wire.calls == []


async def test_bulk_creations_answer_their_rows_as_a_bare_array() -> None:
    rows = [{"id": 1, "amount": "2.50", "variant_id": "odd"}, 7, {"id": 2}]
    for wire in (rows, {"data": rows}):
        made = await answering(wire).price_list_rows.create_many(PRICES)
        assert [(row.id, row.amount, row.variant_id) for row in made] == [(1, Decimal("2.50"), None), (2, None, None)]
    customers = await answering([{"id": 4, "customer_id": 2}]).price_list_customers.create_many(BUYERS)
    assert [(row.id, row.customer_id) for row in customers] == [(4, 2)]
    assert await answering(b"<html>").price_list_customers.create_many(BUYERS) == ()


async def test_one_row_of_a_bulk_collection_is_refused_with_the_way_to_go() -> None:
    client = answering({})
    bulks = [name for name, spec in SPECS.items() if spec.bulk]
    assert bulks == ["price_list_customers", "price_list_rows", "product_operation_rows", "recipes", "stocktake_rows"]
    for name in bulks:
        bulk = cast("Bulk[ReadModel, WriteModel, WriteModel]", getattr(client, name))
        with pytest.raises(InvalidRequest, match="create_many"):
            await resource(client, name).create(BATCHES)
        with pytest.raises(InvalidRequest, match="takes another body"):
            bulk.creation_of_many(BATCHES)
        assert SPECS[name].create is None
    assert client.wire.calls == []


async def test_a_row_of_several_variants_comes_once_for_each() -> None:
    steps = [{"product_operation_row_id": 1, "product_variant_id": variant} for variant in (1, 2, 2)]
    client = FakeClient(lambda call: listing(steps, call))
    assert [row.product_variant_id async for row in client.product_operation_rows.list()] == [1, 2]
    assert (await client.product_operation_rows.get(1)).product_variant_id == 1
    assert client.wire.calls[-1].query[0] == ("product_operation_row_id", "1")
    parts = [
        {"id": str(ROW), "recipe_row_id": str(ROW), "product_variant_id": variant, "quantity": 1} for variant in (1, 2)
    ]
    client = FakeClient(lambda call: listing(parts, call))
    assert [row.product_variant_id async for row in client.recipes.list()] == [1, 2]
    assert (await client.recipes.get(ROW)).id == str(ROW)
    assert client.wire.calls[-1].query[0] == ("recipe_row_id", str(ROW))
    with pytest.raises(NotFound):
        await FakeClient(lambda call: listing([], call)).recipes.get(ROW)


async def test_stock_below_zero_and_the_ledger_are_read_exactly() -> None:
    client = FakeClient(lambda call: listing([{"variant_id": 1, "location_id": 2, "quantity_on_hand": -3}], call))
    assert [row.quantity_on_hand async for row in client.negative_stock.list()] == [Decimal(-3)]
    movement = {
        "id": 1,
        "variant_id": 5,
        "resource_type": "NEW_KIND",
        "quantity_change": Decimal("-0.3000000000"),
        "rank": 1,
    }
    client = FakeClient(lambda call: listing([movement], call))
    found = [row async for row in client.inventory_movements.list(variant_ids=[5])]
    assert [(row.resource_type, str(row.quantity_change)) for row in found] == [("NEW_KIND", "-0.3000000000")]


def test_every_collection_that_katana_wipes_is_protected() -> None:
    assert {name for name, spec in SPECS.items() if spec.keeps} == KEPT
    for spec in SPECS.values():
        both = spec.update is not None and "additional_info" in spec.update.model_fields
        assert spec.keeps == (("additional_info",) if both else ())
        assert not spec.keeps or spec.gets


class Wiping:
    """A record of a server that wipes `additional_info` when a PATCH leaves it out."""

    def __init__(self, record: dict[str, object]) -> None:
        self.record = {**record, "additional_info": "fragile"}

    def answer(self, call: Call) -> dict[str, object]:
        if call.method == "PATCH":
            assert isinstance(call.body, dict)
            self.record = {**self.record, "additional_info": "", **call.body}
        return self.record


VALUES: dict[str, object] = {
    "order_no": "X-1",
    "supplier_id": 3,
    "customer_id": 3,
    "location_id": 4,
    "currency": "EUR",
    "variant_id": 5,
    "planned_quantity": Decimal("2.5"),
    "name": "Knife",
    "is_sellable": True,
    "reason": "counted",
    "stock_adjustment_number": "SA-2",
    "stock_transfer_number": "ST-2",
    "customer_ref": "ref",
}


@settings(max_examples=150)
@given(st.sampled_from(sorted(KEPT)), st.data())
async def test_an_update_changes_what_was_asked_and_nothing_else(name: str, data: st.DataObject) -> None:
    update = SPECS[name].update
    assert update is not None
    usual = sorted(update.model_fields.keys() & VALUES.keys())
    asked = {field: VALUES[field] for field in data.draw(st.sets(st.sampled_from(usual), min_size=1))}
    asked |= data.draw(st.sampled_from([{}, {"additional_info": "new"}]))
    server = Wiping({"id": 7, "note": "kept", **dict.fromkeys(usual)})
    before = dict(server.record)
    by_path = SPECS[name].gets == "path"

    def handler(call: Call) -> Reply:
        answer = server.answer(call)
        return listing([answer], call) if call.method == "GET" and not by_path else reply(answer)

    client = FakeClient(handler)
    await resource(client, name).update(7, update.model_validate(asked))
    assert server.record == before | asked


async def test_clearing_the_information_on_purpose_is_sent_as_asked() -> None:
    client = answering({"id": 7})
    await client.purchase_orders.update(7, PurchaseOrderUpdate(additional_info=""))
    await client.manufacturing_orders.update(7, ManufacturingOrderUpdate(additional_info=None))
    assert client.wire.bodies == [{"additional_info": ""}, {"additional_info": None}]
    assert [call.method for call in client.wire.calls] == ["PATCH", "PATCH"]
