"""The main flows against the sandbox, which shares no code with this package."""

import random
import re
from collections.abc import Awaitable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest

from katana_client import KatanaClient, ReadModel, RequestRecord, Resource, WriteModel
from katana_client.collection import Bound, Collection
from katana_client.errors import CallError, NotFound, OutcomeUnknown, RequestRejected
from katana_client.paths import checked_id
from katana_client.resources import Collections
from katana_client.resources.customers import CustomerCreate, CustomerUpdate
from katana_client.resources.inventory_safety_stock_levels import InventorySafetyStockLevelCreate
from katana_client.resources.materials import MaterialCreate, MaterialUpdate
from katana_client.resources.products import ProductCreate, ProductUpdate
from katana_client.resources.sales_order_fulfillments import FulfillmentRowInput, SalesOrderFulfillmentCreate
from katana_client.resources.sales_order_rows import SalesOrderRowUpdate
from katana_client.resources.sales_order_shipping_fee import SalesOrderShippingFeeCreate, SalesOrderShippingFeeUpdate
from katana_client.resources.sales_orders import NewSalesOrderRow, SalesOrderCreate, SalesOrderUpdate
from katana_client.resources.services import ServiceCreate, ServiceUpdate
from katana_client.resources.suppliers import SupplierCreate, SupplierUpdate
from katana_client.resources.variants import VariantUpdate
from katana_client.transport import in_process
from katana_sandbox import (
    Drop,
    DroppedConnection,
    EmptyPage,
    Fault,
    Hang,
    HungConnection,
    ManualClock,
    MissingHeader,
    Sandbox,
    SandboxConfig,
    Status,
    Truncate,
)

README = Path(__file__).parent.parent / "README.md"


def connect(sandbox: Sandbox, told: list[RequestRecord] | None = None) -> KatanaClient:
    transport = in_process(sandbox.app, dropped=(DroppedConnection,), hung=(HungConnection,))
    observer = None if told is None else told.append
    return KatanaClient(sandbox.default_key, transport=transport, clock=sandbox.clock, on_request=observer)


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox(clock=ManualClock())


@pytest.fixture
def client(sandbox: Sandbox) -> KatanaClient:
    return connect(sandbox)


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    block = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)[0]
    exec(compile(block, str(README), "exec"), {"__name__": "readme"})
    assert re.fullmatch(r"\d+ Kitchen Supplies Ltd \[.+, .+, .+\]\n", capsys.readouterr().out)


COLLECTIONS = {
    name: cast("Bound[Collection]", attribute).kind
    for name, attribute in vars(Collections).items()
    if isinstance(attribute, Bound)
}
NOT_SERVED = {"inventory_signals", "webhooks"}
"""Collections whose listing the sandbox does not have."""


async def test_every_collection_is_listed_whole_and_every_record_is_readable(
    client: KatanaClient, sandbox: Sandbox
) -> None:
    async def counted(name: str) -> tuple[int, int, int | None]:
        items, invalid, total = 0, 0, None
        async for page in getattr(client, name).pages():
            items, invalid, total = items + len(page.items), invalid + len(page.invalid), page.total_records
        return items, invalid, total

    listed = [name for name, kind in COLLECTIONS.items() if kind.spec.lists and name not in NOT_SERVED]
    assert len(listed) == 51
    for name in listed:
        items, invalid, total = await counted(name)
        assert (items, invalid) == (total, 0), name
    assert (await client.factory.read()).base_currency_code
    assert sandbox.max_requests_in_window() <= 60


async def test_many_variants_come_in_as_few_requests_as_possible() -> None:
    sandbox = Sandbox(SandboxConfig(variants=1_300, orders=0), clock=ManualClock())
    found = [
        variant.id async for variant in connect(sandbox).variants.list(include_archived=True, include_deleted=True)
    ]
    assert sorted(map(str, found)) == sorted(str(row["id"]) for row in sandbox.tenant().all("variants"))
    assert len(sandbox.requests("GET", "/variants")) == -(-len(found) // 250)


async def first_variant(client: KatanaClient) -> int:
    async for product in client.products.list():
        for variant in product.variants or []:
            if variant.id is not None and not product.batch_tracked and not product.serial_tracked:
                return variant.id
    raise AssertionError


async def test_a_sales_order_lives_and_dies(client: KatanaClient) -> None:
    customer = await client.customers.create(CustomerCreate(name="Räuber & Co", discount_rate=Decimal("2.5")))
    assert customer.id is not None
    row = NewSalesOrderRow(
        variant_id=await first_variant(client), quantity=Decimal(2), price_per_unit=Decimal("12.345")
    )
    order = await client.sales_orders.create(
        SalesOrderCreate(
            customer_id=customer.id,
            sales_order_rows=[row],
            additional_info="fragile",
            delivery_date=datetime(2026, 5, 1, tzinfo=UTC),
        )
    )
    assert order.id is not None
    assert order.sales_order_rows is not None
    assert order.sales_order_rows[0].price_per_unit == Decimal("12.345")
    assert order.shipping_fee is None
    await client.sales_orders.update(order.id, SalesOrderUpdate(customer_ref="PO 7"))
    read = await client.sales_orders.get(order.id)
    assert (read.customer_ref, read.additional_info, read.delivery_date) == (
        "PO 7",
        "fragile",
        datetime(2026, 5, 1, tzinfo=UTC),
    )
    row_id = order.sales_order_rows[0].id
    assert row_id is not None
    await client.sales_order_rows.update(row_id, SalesOrderRowUpdate(quantity=Decimal("3.5")))
    assert (await client.sales_order_rows.get(row_id)).quantity == Decimal("3.5")
    fee = await client.sales_order_shipping_fee.create(
        SalesOrderShippingFeeCreate(sales_order_id=order.id, amount=Decimal("6.75"))
    )
    assert fee.id is not None
    changed = await client.sales_order_shipping_fee.update(fee.id, SalesOrderShippingFeeUpdate(amount=Decimal("7.10")))
    assert changed.amount == Decimal("7.10")
    await client.sales_orders.delete(order.id)
    with pytest.raises(NotFound):
        await client.sales_orders.delete(order.id)


async def test_a_customer_lives_and_dies(client: KatanaClient) -> None:
    made = await client.customers.create(CustomerCreate(name="Räuber", email="r@example.com", comment="keep"))
    assert made.id is not None
    await client.customers.update(made.id, CustomerUpdate(email=None, phone="1"))
    read = await client.customers.get(made.id)
    assert (read.name, read.email, read.phone, read.comment) == ("Räuber", None, "1", "keep")
    await client.customers.delete(made.id)
    with pytest.raises(NotFound):
        await client.customers.get(made.id)


async def test_a_refused_body_names_its_fields(client: KatanaClient) -> None:
    with pytest.raises(RequestRejected) as caught:
        await client.sales_orders.create(
            SalesOrderCreate(
                customer_id=999_999, sales_order_rows=[NewSalesOrderRow(variant_id=999_999, quantity=Decimal(1))]
            )
        )
    assert caught.value.status in (404, 422)
    call = client.customers.creation(CustomerCreate(name="x"))
    with pytest.raises(RequestRejected) as refused:
        await client.send(type(call)(call.method, call.path, (), {"name": "x", "typo": 1}))
    assert refused.value.status == 422
    assert refused.value.code == "VALIDATION_FAILED"
    assert [(error.code, dict(error.info)) for error in refused.value.field_errors] == [
        ("additionalProperties", {"additionalProperty": "typo"})
    ]
    assert "typo" in str(refused.value)


async def test_a_wrong_key_is_named(sandbox: Sandbox) -> None:
    client = KatanaClient("wrong-key-canary", transport=in_process(sandbox.app), clock=sandbox.clock)
    with pytest.raises(RequestRejected, match="API key was refused") as caught:
        await client.factory.read()
    assert "canary" not in str(caught.value)


PATCHES: dict[str, type[WriteModel]] = {
    "products": ProductUpdate,
    "materials": MaterialUpdate,
    "services": ServiceUpdate,
    "variants": VariantUpdate,
    "customers": CustomerUpdate,
    "suppliers": SupplierUpdate,
    "sales_orders": SalesOrderUpdate,
    "sales_order_rows": SalesOrderRowUpdate,
}


@pytest.mark.parametrize("name", PATCHES)
async def test_what_was_read_and_is_sent_back_is_accepted_and_changes_nothing(client: KatanaClient, name: str) -> None:
    resource: Resource[ReadModel, WriteModel, WriteModel] = getattr(client, name)
    seen = 0
    async for record in resource.list_records(limit=40):
        if record.get("status", "PENDING") not in ("NOT_SHIPPED", "PENDING"):
            continue
        identity = checked_id(record["id"])
        before = await resource.get_record(identity)
        change = PATCHES[name].from_read(resource.understood(before))
        refused = await refusal(resource.update(identity, change, keep=before))
        assert refused is None or not refused.field_errors, f"{refused} {change.wire()}"
        after = await resource.get_record(identity)
        assert {**after, "updated_at": None} == {**before, "updated_at": None}
        seen += refused is None
    assert seen


async def refusal(writing: Awaitable[object]) -> RequestRejected | None:
    try:
        await writing
    except RequestRejected as error:
        return error
    return None


COPIES: dict[str, type[WriteModel]] = {
    "products": ProductCreate,
    "materials": MaterialCreate,
    "services": ServiceCreate,
    "customers": CustomerCreate,
    "suppliers": SupplierCreate,
    "sales_orders": SalesOrderCreate,
}


@pytest.mark.parametrize("name", COPIES)
async def test_a_copy_of_what_was_read_is_accepted(client: KatanaClient, name: str) -> None:
    resource: Resource[ReadModel, WriteModel, WriteModel] = getattr(client, name)
    async for record in resource.list_records(limit=3):
        fresh = {"order_no": f"COPY-{record['id']}"} if name == "sales_orders" else {}
        copy = await resource.create_record(COPIES[name].from_read(resource.understood(record), **fresh))
        assert copy["id"] != record["id"]


async def test_a_fulfillment_is_made_and_taken_back(client: KatanaClient) -> None:
    customer = await client.customers.create(CustomerCreate(name="x"))
    row = NewSalesOrderRow(variant_id=await first_variant(client), quantity=Decimal(1))
    order = await client.sales_orders.create(SalesOrderCreate(customer_id=customer.id or 0, sales_order_rows=[row]))
    rows = [
        FulfillmentRowInput(sales_order_row_id=sales_order_row.id or 0, quantity=Decimal(1))
        for sales_order_row in order.sales_order_rows or []
    ]
    made = await client.sales_order_fulfillments.create(
        SalesOrderFulfillmentCreate(sales_order_id=order.id or 0, status="DELIVERED", sales_order_fulfillment_rows=rows)
    )
    assert (await client.sales_orders.get(order.id or 0)).status == "DELIVERED"
    await client.sales_order_fulfillments.delete(made.id or 0)
    assert (await client.sales_orders.get(order.id or 0)).status == "NOT_SHIPPED"


async def test_safety_stock_is_set_and_read_in_the_inventory(client: KatanaClient) -> None:
    variant = await first_variant(client)
    location = await anext(row.id async for row in client.locations.list()) or 0
    level = InventorySafetyStockLevelCreate(location_id=location, variant_id=variant, value=Decimal("12.5"))
    assert (await client.inventory_safety_stock_levels.create(level)).value == Decimal("12.5")
    rows = [row async for row in client.inventory.list(variant_id=[variant], location_id=[location])]
    assert [row.safety_stock_level for row in rows] == [Decimal("12.5")]


async def test_the_rate_limit_is_never_met() -> None:
    sandbox = Sandbox(SandboxConfig(empty=True), clock=ManualClock())
    records: list[RequestRecord] = []
    client = connect(sandbox, records)
    for _ in range(150):
        await client.operators.page(1)
    assert sandbox.max_requests_in_window() <= 60
    assert {record.status for record in records} == {200}


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "action",
    [Status(429), Status(500), Status(503), Drop(), Drop("after"), Truncate(), EmptyPage(), MissingHeader()],
    ids=str,
)
@pytest.mark.parametrize("nth", [pytest.param(1, marks=pytest.mark.soak), 3, pytest.param(6, marks=pytest.mark.soak)])
async def test_a_page_fault_costs_one_request(
    action: Status | Drop | Truncate | EmptyPage | MissingHeader, nth: int
) -> None:
    sandbox = Sandbox(SandboxConfig(variants=1_400, orders=0), clock=ManualClock())
    sandbox.faults.add(Fault("GET /variants", nth, action))
    found = [variant async for variant in connect(sandbox).variants.list(include_archived=True, include_deleted=True)]
    pages = -(-len(found) // 250)
    assert len(found) == len(list(sandbox.tenant().all("variants")))
    assert len(sandbox.requests("GET", "/variants")) == pages + 1


@pytest.mark.parametrize("runs", [50, pytest.param(500, marks=pytest.mark.soak)])
async def test_a_lost_answer_never_makes_a_second_object(runs: int) -> None:
    sandbox = Sandbox(SandboxConfig(empty=True), clock=ManualClock())
    client = connect(sandbox)
    chance = random.Random(runs)
    for run in range(runs):
        faults: list[Drop | Hang | Truncate | Status] = [
            Drop("before"),
            Drop("after"),
            Hang("before"),
            Hang("after"),
            Truncate(),
        ]
        faults += [Status(code, commit=commit) for code in (429, 500, 502, 503, 504) for commit in (False, code != 429)]
        sandbox.faults.add(Fault("POST /customers", 1, chance.choice(faults)))
        name = f"run {run}"
        error = await outcome(client, CustomerCreate(name=name))
        made = sum(row["name"] == name for row in sandbox.tenant().all("customers"))
        assert made <= 1
        assert error in (None, OutcomeUnknown)
        assert made == 1 or error is OutcomeUnknown
    posts = len(sandbox.requests("POST", "/customers"))
    busy = sum(entry.status == 429 for entry in sandbox.requests("POST", "/customers"))
    assert posts == runs + busy


async def outcome(client: KatanaClient, new: CustomerCreate) -> type[CallError] | None:
    try:
        await client.customers.create(new)
    except CallError as error:
        return type(error)
    return None


async def test_over_a_real_socket(sandbox: Sandbox) -> None:
    served = Sandbox()
    async with served.serve(port=0) as url:
        base = url if url.rstrip("/").endswith("/v1") else f"{url.rstrip('/')}/v1"
        async with KatanaClient(served.default_key, base) as client:
            made = await client.suppliers.create(SupplierCreate(name="Blechwerk"))
            assert (await client.suppliers.get(made.id or 0)).name == "Blechwerk"
            assert len([variant async for variant in client.variants.list(limit=20)]) == 20
