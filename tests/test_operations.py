"""Each operation of the API can be called: the client is asked for all of them, and what it sends is compared."""

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from decimal import Decimal
from typing import Any, cast, get_type_hints

import pytest
from pydantic import ValidationError
from scripts.render_resources import known_resources
from tests.at_once import at_once

from katana_client import Resource, WriteModel
from katana_client.collection import Bound, Collection
from katana_client.errors import OutcomeUnknown, UnexpectedResponse
from katana_client.exchange import Call
from katana_client.resources import Collections
from katana_client.resources.bin_transfers import (
    BinTransferCreate,
    BinTransferRowCreateNested,
    BinTransferStatusUpdate,
)
from katana_client.resources.custom_field_definitions import CustomFieldDefinitionCreate, CustomFieldOptionsCreate
from katana_client.resources.manufacturing_orders import MakeToOrder
from katana_client.resources.product_operation_rows import Rerank
from katana_client.resources.purchase_orders import Receipt
from katana_client.resources.reranks import RerankPlace, RerankSalesOrder
from katana_client.resources.sales_returns import SalesReturnUpdate
from katana_client.resources.searches import SalesOrderSearch, SalesOrderSearchFilter, SearchComparator
from katana_client.resources.serial_numbers import DeleteSerialNumbers
from katana_client.testing import FakeClient, listing, reply
from katana_client.wire import parts_of
from katana_schema.reading import read_facts

UUID = "0b0f5c1e-9b1f-4c8e-8d35-0f6a7f1c2d3e"
KINDS = {
    name: cast("Bound[Collection]", bound).kind for name, bound in vars(Collections).items() if isinstance(bound, Bound)
}
BY_HAND: dict[str, Callable[[FakeClient], Awaitable[object]]] = {
    "GET /factory": lambda client: client.factory.read(),
    "GET /sales_orders/{id}/returnable_items": lambda client: client.sales_orders.returnable_items(7),
    "PATCH /stock_transfers/{id}/status": lambda client: client.stock_transfers.set_status(7, "received"),
    "POST /bom_rows/batch/create": lambda client: client.bom_rows.create_many([blank(KINDS["bom_rows"].spec.create)]),
    "POST /manufacturing_order_make_to_order": lambda client: client.manufacturing_orders.make_to_order(
        blank(MakeToOrder)
    ),
    "POST /manufacturing_order_unlink": lambda client: client.manufacturing_orders.unlink(7),
    "POST /product_operation_rerank": lambda client: client.product_operation_rows.rerank(blank(Rerank)),
    "POST /purchase_order_receive": lambda client: client.purchase_orders.receive(blank(Receipt)),
    "DELETE /recipes/{id}": lambda client: client.recipes.delete_all(7),
}


def blank(kind: Any) -> Any:  # noqa: ANN401 - any write model: what its body holds is of no interest here
    """Return a body of a kind that holds none of its fields."""
    return type(f"Blank{kind.__name__}", (kind,), {"wire": lambda _: {"sent": True}}).model_construct()


def operation_of(call: Call) -> str:
    """Return the operation of a call, as the facts name it."""
    path = re.sub(rf"/(\d+|{UUID})(?=/|$)", "/{id}", call.path)
    return f"{call.method} {path}"


def answering(call: Call) -> Any:  # noqa: ANN401 - a reply
    return listing([{"id": 1}], call) if call.method == "GET" else reply({"id": 1})


async def every_plain_call(client: FakeClient, name: str) -> None:
    """Do all that the spec of a collection says that it can."""
    spec, resource = KINDS[name].spec, cast("Resource[Any, Any, Any]", getattr(client, name))
    key = UUID if spec.uuid else 7
    if spec.lists:
        await resource.page(1)
    if spec.gets == "path":
        await resource.get_record(key)
    if spec.create:
        await resource.create(blank(spec.create))
    if spec.bulk:
        await cast("Any", resource).create_many(blank(spec.bulk))
    if spec.update:
        await resource.update(key, blank(spec.update), keep=dict.fromkeys(spec.keeps))
    if spec.deletes:
        await resource.delete(key)


def value_for(hint: object) -> object:
    """Return a value for an argument of a method."""
    for kind in getattr(hint, "__args__", ()):
        if isinstance(kind, type) and issubclass(kind, WriteModel):
            return [blank(kind)]
    return blank(hint) if isinstance(hint, type) and issubclass(hint, WriteModel) else 7


async def every_method(client: FakeClient, name: str, methods: list[str]) -> None:
    for method in methods:
        call = getattr(getattr(client, name), method)
        hints = {key: kind for key, kind in get_type_hints(call).items() if key != "return"}
        answer = call(*map(value_for, hints.values()))
        if isinstance(answer, AsyncIterator):
            assert [page async for page in cast("AsyncIterator[object]", answer)]
        else:
            assert inspect.isawaitable(answer)
            await answer


async def test_every_operation_of_the_api_is_called_by_a_method_of_the_client() -> None:
    client = FakeClient(answering)
    for name in KINDS:
        await every_plain_call(client, name)
    for name, line in known_resources().items():
        await every_method(client, name, list(cast("dict[str, object]", line.get("methods", {}))))
    for name, kind in KINDS.items():
        named = [verb for verb in ("search", "rerank") if verb in dir(kind) and name != "product_operation_rows"]
        for method in named:
            call = getattr(getattr(client, name), method)
            await call(blank(WriteModel))
    for operation, do in BY_HAND.items():
        before = len(client.wire.calls)
        await do(client)
        assert operation_of(client.wire.calls[before]) == operation
    assert len(read_facts().operations) == 231
    assert read_facts().operations.keys() - set(map(operation_of, client.wire.calls)) == set()


def test_a_listing_takes_the_filters_that_katana_has_and_in_their_form() -> None:
    documented, declared = {}, {}
    for name, kind in KINDS.items():
        if kind.spec.lists:
            query = read_facts().operations[f"GET /{name}"].parameters.get("query", {})
            filters = {key.removesuffix("*"): str(fact) for key, fact in query.items() if key not in {"limit", "page"}}
            documented[name] = {key: fact.startswith("[") for key, fact in filters.items()}
            declared[name] = {key: key in kind.spec.filters.repeated for key in kind.spec.filters.names()}
    assert declared == documented


FORMS: list[tuple[WriteModel, dict[str, object]]] = [
    (
        BinTransferCreate(
            location_id=1, bin_transfer_rows=[BinTransferRowCreateNested(variant_id=2, quantity=Decimal("1.50"))]
        ),
        {"location_id": 1, "bin_transfer_rows": [{"variant_id": 2, "quantity": "1.50"}]},
    ),
    (
        SalesOrderSearch(
            filter=SalesOrderSearchFilter(or_=[{"status": "PACKED"}], customer_id=SearchComparator(gte=Decimal(5)))
        ),
        {"filter": {"or": [{"status": "PACKED"}], "customer_id": {"gte": 5}}},
    ),
    (
        CustomFieldDefinitionCreate(
            label="Hallmark",
            field_type="shortText",
            entity_type="SalesOrder",
            source="api",
            options=CustomFieldOptionsCreate(appears_on=["SalesOrderRow"]),
        ),
        {
            "label": "Hallmark",
            "field_type": "shortText",
            "entity_type": "SalesOrder",
            "source": "api",
            "options": {"appearsOn": ["SalesOrderRow"]},
        },
    ),
    (SalesReturnUpdate(tracking_number=None), {"tracking_number": None}),
]


@pytest.mark.parametrize(("body", "sent"), FORMS, ids=lambda body: type(body).__name__)
def test_a_rendered_body_is_sent_as_katana_names_it(body: WriteModel, sent: dict[str, object]) -> None:
    assert body.wire() == sent


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (RerankSalesOrder, {"order_ids": [], "place": {"position": "top"}}),
        (RerankSalesOrder, {"order_ids": [0], "place": {"position": "top"}}),
        (RerankSalesOrder, {"order_ids": [1], "place": {"position": "middle"}}),
        (DeleteSerialNumbers, {"resource_type": "Production", "resource_id": 1, "ids": []}),
        (DeleteSerialNumbers, {"resource_type": "Production", "ids": [1]}),
        (SalesReturnUpdate, {"order_no": None}),
        (BinTransferStatusUpdate, {"status": "LOST"}),
    ],
)
def test_a_rendered_body_refuses_what_katana_refuses(kind: type[WriteModel], body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate(body)


async def test_what_a_search_and_a_rerank_answer_is_read() -> None:
    client = FakeClient(lambda _: reply({"data": [{"id": 7, "total": "1.50"}], "order_ids": [7]}))
    (order,) = await client.sales_orders.search(SalesOrderSearch(page=2))
    assert (order.id, order.total) == (7, Decimal("1.50"))
    assert client.wire.bodies == [{"page": 2}]
    reranked = FakeClient(lambda _: reply({"order_ids": [7, 8]}))
    place = RerankPlace(before_id=8)
    assert await reranked.sales_orders.rerank(RerankSalesOrder(order_ids=[7], place=place)) == (7, 8)
    silent = FakeClient(lambda _: reply(b"", 204))
    assert await silent.sales_orders.rerank(RerankSalesOrder(order_ids=[7], place=place)) == ()


async def test_a_write_of_a_rendered_method_is_sent_once_and_a_read_without_an_answer_is_an_error() -> None:
    client = FakeClient(lambda _: reply({}, 503))
    ids = DeleteSerialNumbers(resource_type="Production", resource_id=1, ids=[1])
    with pytest.raises(OutcomeUnknown):
        await client.serial_numbers.unassign(ids)
    assert [(call.method, call.body) for call in client.wire.calls] == [("DELETE", ids.wire())]
    with pytest.raises(UnexpectedResponse):
        await FakeClient(lambda _: reply([])).user_info.read()
    assert (await FakeClient(lambda _: reply({"id": 3, "firstName": "Ada"})).user_info.read()).firstName == "Ada"


async def test_notes_of_new_collections_are_kept_too() -> None:
    client = FakeClient(lambda call: reply({"id": 7, "additional_info": "fragile"}))
    await client.sales_returns.update(7, SalesReturnUpdate(tracking_number="T"))
    assert client.wire.bodies == [None, {"additional_info": "fragile", "tracking_number": "T"}]


BODIES = {
    f"{verb} {name}": (facts, kind)
    for name, resource in KINDS.items()
    for verb, path, kind in (
        ("POST", f"POST /{name}", resource.spec.create or resource.spec.bulk),
        ("PATCH", f"PATCH /{name}/{{id}}", resource.spec.update),
    )
    if kind is not None and (facts := read_facts().operations[path].body) is not None
}


@at_once("name", BODIES)
def test_a_body_has_every_field_and_takes_every_value_that_katana_does(name: str) -> None:
    fact, kind = BODIES[name]
    body = read_facts().held(fact)
    fields = {info.serialization_alias or own: info.annotation for own, info in kind.model_fields.items()}
    assert fields.keys() == read_facts().fields(body).keys()
    for field, values in read_facts().values(body).items():
        assert set(literals(fields[field])) == set(values), field


def literals(annotation: object) -> list[object]:
    """Return the values that an annotation names, through unions, lists and aliases."""
    if isinstance(annotation, str | int):
        return [annotation]
    return [found for part in parts_of(annotation) for found in literals(part)]
