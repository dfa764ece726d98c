"""Purchasing, making and stock against the sandbox, which shares no code with this package."""

import random
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

import pytest

from katana_client import KatanaClient, ReadModel, Resource, WriteModel
from katana_client.errors import CallError, KatanaUnavailable, NotFound, OutcomeUnknown, RequestRejected
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.paths import checked_id
from katana_client.resources.customers import CustomerCreate
from katana_client.resources.manufacturing_order_operation_rows import ManufacturingOrderOperationRowUpdate
from katana_client.resources.manufacturing_order_productions import ManufacturingOrderProductionCreate
from katana_client.resources.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRowUpdate
from katana_client.resources.manufacturing_orders import (
    MakeToOrder,
    ManufacturingOrderCreate,
    ManufacturingOrderUpdate,
)
from katana_client.resources.price_list_customers import NewPriceListCustomer, PriceListCustomersCreate
from katana_client.resources.price_list_rows import NewPriceListRow, PriceListRowsCreate, PriceListRowUpdate
from katana_client.resources.price_lists import PriceListCreate, PriceListUpdate
from katana_client.resources.product_operation_rows import ProductOperationRowUpdate
from katana_client.resources.purchase_order_rows import PurchaseOrderRowCreate
from katana_client.resources.purchase_orders import (
    NewPurchaseOrderRow,
    PurchaseOrderCreate,
    PurchaseOrderUpdate,
    Receipt,
)
from katana_client.resources.sales_orders import NewSalesOrderRow, SalesOrderCreate
from katana_client.resources.stock_adjustments import (
    NewStockAdjustmentRow,
    StockAdjustmentCreate,
    StockAdjustmentUpdate,
)
from katana_client.resources.stock_transfers import NewStockTransferRow, StockTransferCreate, StockTransferUpdate
from katana_client.resources.suppliers import SupplierCreate
from katana_client.transport import in_process
from katana_sandbox import (
    Drop,
    DroppedConnection,
    Fault,
    Hang,
    HungConnection,
    ManualClock,
    Sandbox,
    SandboxConfig,
    Status,
    Truncate,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def connect(sandbox: Sandbox) -> KatanaClient:
    transport = in_process(sandbox.app, dropped=(DroppedConnection,), hung=(HungConnection,))
    return KatanaClient(sandbox.default_key, transport=transport, clock=sandbox.clock)


@pytest.fixture
def sandbox() -> Sandbox:
    switches = {"additional_info_wipe_untested": True}
    return Sandbox(SandboxConfig(orders=30, switches=switches), clock=ManualClock())


@pytest.fixture
def client(sandbox: Sandbox) -> KatanaClient:
    return connect(sandbox)


@dataclass(frozen=True)
class Site:
    """Ids to work with.

    Attributes:
        client: Whose ids.
        locations: All of them, the one for making first.
        supplier: A new supplier.
        material: A variant of a plain material.
        product: A variant of a plain product that can be made.
    """

    client: KatanaClient
    locations: tuple[int, ...]
    supplier: int
    material: int
    product: int

    async def stock(self, variant: int, location: int) -> Decimal:
        rows = self.client.inventory.list(variant_id=[variant], location_id=location)
        return sum([row.quantity_in_stock or Decimal(0) async for row in rows], Decimal(0))

    async def order(self, *quantities: int) -> PurchaseOrder:
        rows = [
            NewPurchaseOrderRow(variant_id=self.material, quantity=Decimal(quantity), price_per_unit=Decimal("2.50"))
            for quantity in quantities
        ]
        new = PurchaseOrderCreate(
            supplier_id=self.supplier,
            location_id=self.locations[0],
            purchase_order_rows=rows,
            additional_info="ring twice",
        )
        return await self.client.purchase_orders.create(new)


@pytest.fixture
async def site(client: KatanaClient) -> Site:
    places = sorted(
        [place async for place in client.locations.list()], key=lambda place: not place.manufacturing_allowed
    )
    materials = [
        variant.id
        async for material in client.materials.list()
        for variant in material.variants or []
        if not material.batch_tracked and not material.purchase_uom
    ]
    made = {row.product_variant_id async for row in client.bom_rows.list()}
    products = [
        variant.id
        async for product in client.products.list()
        for variant in product.variants or []
        if product.is_producible and not product.is_auto_assembly and variant.id in made
        if not product.batch_tracked and not product.serial_tracked
    ]
    supplier = await client.suppliers.create(SupplierCreate(name="Blechwerk"))
    locations = tuple(place.id or 0 for place in places)
    return Site(client, locations, supplier.id or 0, materials[0] or 0, products[0] or 0)


async def test_a_partial_receipt_splits_its_row_and_the_rest_follows(client: KatanaClient, site: Site) -> None:
    before = await site.stock(site.material, site.locations[0])
    order = await site.order(10, 5)
    assert (order.entity_type, order.status, order.tracking_location_id) == ("regular", "NOT_RECEIVED", None)
    big, small = sorted(order.purchase_order_rows or [], key=lambda row: row.quantity or 0, reverse=True)
    await client.purchase_orders.receive(
        Receipt(purchase_order_row_id=big.id or 0, quantity=Decimal(4), received_date=NOON)
    )
    rows = [row async for row in client.purchase_order_rows.list(purchase_order_id=order.id)]
    arrived = [row for row in rows if row.received_date]
    assert sorted((row.quantity, row.received_date) for row in arrived) == [(4, NOON)]
    assert [row.quantity for row in rows if row.id == big.id] == [6]
    assert len(rows) == 3
    assert (await client.purchase_orders.get(order.id or 0)).status == "PARTIALLY_RECEIVED"
    assert await site.stock(site.material, site.locations[0]) == before + 4
    rest = [(big.id, Decimal(6)), (small.id, Decimal(5))]
    await client.purchase_orders.receive(
        [Receipt(purchase_order_row_id=row or 0, quantity=quantity) for row, quantity in rest]
    )
    done = await client.purchase_orders.get(order.id or 0)
    assert (done.status, done.additional_info) == ("RECEIVED", "ring twice")
    assert await site.stock(site.material, site.locations[0]) == before + 15
    causes = [row async for row in client.inventory_movements.list(caused_by_resource_id=order.id)]
    moved = [row.quantity_change for row in causes if row.resource_type == "PurchaseOrderRow"]
    assert sorted(filter(None, moved)) == [4, 5, 6]
    with pytest.raises(RequestRejected):
        await client.purchase_orders.receive(Receipt(purchase_order_row_id=small.id or 0, quantity=Decimal(1)))


async def test_an_outsourced_order_keeps_its_own_fields(client: KatanaClient, site: Site) -> None:
    row = NewPurchaseOrderRow(variant_id=site.product, quantity=Decimal(2), price_per_unit=Decimal(9))
    made = await client.purchase_orders.create(
        PurchaseOrderCreate(
            supplier_id=site.supplier,
            location_id=site.locations[0],
            entity_type="outsourced",
            tracking_location_id=site.locations[1],
            purchase_order_rows=[row],
        )
    )
    listed = [order async for order in client.purchase_orders.list(ids=[made.id or 0])]
    read = await client.purchase_orders.get(made.id or 0)
    assert listed == [read]
    assert (read.entity_type, read.tracking_location_id) == ("outsourced", site.locations[1])
    assert read.ingredient_availability
    recipe = [
        recipe_row async for recipe_row in client.outsourced_purchase_order_recipe_rows.list(purchase_order_id=made.id)
    ]
    assert recipe
    assert all(recipe_row.planned_quantity_per_unit for recipe_row in recipe)
    copy = PurchaseOrderCreate.from_read(read, order_no="PO-COPY")
    assert (await client.purchase_orders.create(copy)).tracking_location_id == site.locations[1]


async def test_a_row_takes_its_tax_rate_as_text(client: KatanaClient, site: Site) -> None:
    order = await site.order(1)
    tax = await anext(client.tax_rates.list())
    made = await client.purchase_order_rows.create(
        PurchaseOrderRowCreate(
            purchase_order_id=order.id or 0,
            variant_id=site.material,
            quantity=Decimal("1.5"),
            price_per_unit=Decimal(2),
            tax_name=tax.name or "",
            tax_rate=tax.rate,
            location_id=site.locations[1],
        )
    )
    assert (made.quantity, made.location_id, made.tax_rate_id) == (Decimal("1.5"), site.locations[1], tax.id)


async def test_what_is_made_to_order_is_linked_made_and_let_go(client: KatanaClient, site: Site) -> None:
    customer = await client.customers.create(CustomerCreate(name="x"))
    row = NewSalesOrderRow(variant_id=site.product, quantity=Decimal(2))
    place = site.locations[0]
    new = SalesOrderCreate(customer_id=customer.id or 0, location_id=place, sales_order_rows=[row])
    order = await client.sales_orders.create(new)
    line = (order.sales_order_rows or [])[0].id or 0
    made = await client.manufacturing_orders.make_to_order(MakeToOrder(sales_order_row_id=line))
    assert (made.sales_order_row_id, made.planned_quantity, made.status) == (line, 2, "NOT_STARTED")
    assert (await client.sales_order_rows.get(line)).linked_manufacturing_order_id == made.id
    assert [
        recipe_row async for recipe_row in client.manufacturing_order_recipe_rows.list(manufacturing_order_id=made.id)
    ]
    await client.manufacturing_orders.unlink(line)
    assert (await client.sales_order_rows.get(line)).linked_manufacturing_order_id is None
    before = await site.stock(site.product, made.location_id or 0)
    produced = await client.manufacturing_order_productions.create(
        ManufacturingOrderProductionCreate(
            manufacturing_order_id=made.id or 0, completed_quantity=Decimal(2), is_final=True, completed_date=NOON
        )
    )
    assert (produced.quantity, produced.production_date) == (2, NOON)
    assert produced.ingredients
    done = await client.manufacturing_orders.get(made.id or 0)
    assert (done.status, done.actual_quantity) == ("DONE", 2)
    assert await site.stock(site.product, made.location_id or 0) == before + 2


async def test_a_transfer_moves_the_stock_step_by_step(client: KatanaClient, site: Site) -> None:
    source, target = site.locations[:2]
    before = (await site.stock(site.material, source), await site.stock(site.material, target))
    made = await client.stock_transfers.create(
        StockTransferCreate(
            stock_transfer_number="ST-7",
            source_location_id=source,
            target_location_id=target,
            stock_transfer_rows=[NewStockTransferRow(variant_id=site.material, quantity=Decimal("1.50"))],
            additional_info="fragile",
        )
    )
    assert made.status == "draft"
    assert made.stock_transfer_rows is not None
    assert made.stock_transfer_rows[0].quantity == Decimal("1.5")
    assert (await client.stock_transfers.set_status(made.id or 0, "inTransit")).status == "inTransit"
    assert (await client.stock_transfers.set_status(made.id or 0, "received")).status == "received"
    after = (await site.stock(site.material, source), await site.stock(site.material, target))
    assert after == (before[0] - Decimal("1.5"), before[1] + Decimal("1.5"))
    with pytest.raises(RequestRejected):
        await client.stock_transfers.set_status(made.id or 0, "inTransit")
    await client.stock_transfers.update(made.id or 0, StockTransferUpdate(stock_transfer_number="ST-8"))
    read = await client.stock_transfers.get(made.id or 0)
    assert (read.stock_transfer_number, read.additional_info, read.status) == ("ST-8", "fragile", "received")


async def test_an_adjustment_takes_effect_at_once(client: KatanaClient, site: Site) -> None:
    place = site.locations[0]
    before = await site.stock(site.material, place)
    rows = [
        NewStockAdjustmentRow(variant_id=site.material, quantity=Decimal(5), cost_per_unit=Decimal("1.25")),
        NewStockAdjustmentRow(variant_id=site.material, quantity=Decimal(-2)),
    ]
    made = await client.stock_adjustments.create(
        StockAdjustmentCreate(
            stock_adjustment_number="SA-7", location_id=place, stock_adjustment_rows=rows, additional_info="counted"
        )
    )
    assert await site.stock(site.material, place) == before + 3
    await client.stock_adjustments.update(made.id or 0, StockAdjustmentUpdate(reason="count"))
    read = await client.stock_adjustments.get(made.id or 0)
    assert (read.reason, read.additional_info) == ("count", "counted")
    copy = await client.stock_adjustments.create(StockAdjustmentCreate.from_read(read, stock_adjustment_number="SA-8"))
    assert await site.stock(site.material, place) == before + 6
    await client.stock_adjustments.delete(copy.id or 0)
    with pytest.raises(NotFound):
        await client.stock_adjustments.get(copy.id or 0)


async def test_a_price_list_has_rows_and_customers(client: KatanaClient, site: Site) -> None:
    prices = await client.price_lists.create(PriceListCreate(name="Dealers"))
    customer = await client.customers.create(CustomerCreate(name="x"))
    assert (await client.price_lists.update(prices.id or 0, PriceListUpdate(is_active=False))).is_active is False
    new = NewPriceListRow(variant_id=site.product, adjustment_method="percentage", amount=Decimal("12.5"))
    rows = await client.price_list_rows.create_many(
        PriceListRowsCreate(price_list_id=prices.id or 0, price_list_rows=[new])
    )
    assert [(row.variant_id, row.amount) for row in rows] == [(site.product, Decimal("12.5"))]
    changed = await client.price_list_rows.update(rows[0].id or 0, PriceListRowUpdate(amount=Decimal(5)))
    assert changed.amount == 5
    buyers = await client.price_list_customers.create_many(
        PriceListCustomersCreate(
            price_list_id=prices.id or 0, price_list_customers=[NewPriceListCustomer(customer_id=customer.id or 0)]
        )
    )
    assert [buyer.customer_id for buyer in buyers] == [customer.id]
    listed = [row async for row in client.price_list_customers.list(customer_ids=[customer.id or 0])]
    assert listed == list(buyers)


PATCHES: dict[str, type[WriteModel]] = {
    "purchase_orders": PurchaseOrderUpdate,
    "manufacturing_orders": ManufacturingOrderUpdate,
    "manufacturing_order_recipe_rows": ManufacturingOrderRecipeRowUpdate,
    "manufacturing_order_operation_rows": ManufacturingOrderOperationRowUpdate,
    "product_operation_rows": ProductOperationRowUpdate,
    "stock_transfers": StockTransferUpdate,
    "stock_adjustments": StockAdjustmentUpdate,
}


async def fill(site: Site) -> None:
    order = await site.order(3)
    await site.client.purchase_orders.update(order.id or 0, PurchaseOrderUpdate(expected_arrival_date=NOON))
    row = NewStockTransferRow(variant_id=site.material, quantity=Decimal(1))
    await site.client.stock_transfers.create(
        StockTransferCreate(
            stock_transfer_number="ST-1",
            source_location_id=site.locations[0],
            target_location_id=site.locations[1],
            stock_transfer_rows=[row],
            additional_info="x",
        )
    )
    adjusted = NewStockAdjustmentRow(variant_id=site.material, quantity=Decimal(-1))
    await site.client.stock_adjustments.create(
        StockAdjustmentCreate(
            stock_adjustment_number="SA-1",
            location_id=site.locations[0],
            stock_adjustment_rows=[adjusted],
            additional_info="x",
        )
    )


@pytest.mark.parametrize("name", PATCHES)
async def test_what_was_read_and_is_sent_back_is_accepted_and_changes_nothing(site: Site, name: str) -> None:
    await fill(site)
    resource: Resource[ReadModel, WriteModel, WriteModel] = getattr(site.client, name)
    key = resource.spec.key[0]
    seen = 0
    async for record in resource.list_records(limit=30):
        identity = checked_id(record[key])
        before = await resource.get_record(identity)
        change = PATCHES[name].from_read(resource.understood(before))
        refused = await refusal(resource.update(identity, change, keep=before))
        assert refused is None or not refused.field_errors, f"{refused} {change.wire()}"
        after = await resource.get_record(identity)
        assert settled(after) == settled(before)
        seen += refused is None
    assert seen


def settled(value: object) -> object:
    """Return a record without what any write moves; an empty `additional_info` is none."""
    if isinstance(value, list):
        return [settled(element) for element in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    record = cast("dict[str, object]", value)
    kept = {name: settled(field) for name, field in record.items() if name != "updated_at"}
    return {**kept, "additional_info": kept.get("additional_info") or None}


async def refusal(writing: Awaitable[object]) -> RequestRejected | None:
    try:
        await writing
    except RequestRejected as error:
        return error
    return None


async def test_a_copied_manufacturing_order_is_accepted(client: KatanaClient) -> None:
    async for order in client.manufacturing_orders.list(limit=5):
        copy = await client.manufacturing_orders.create(
            ManufacturingOrderCreate.from_read(order, order_no=f"COPY-{order.id}")
        )
        assert (copy.variant_id, copy.status, copy.actual_quantity) == (order.variant_id, "NOT_STARTED", None)


@pytest.mark.parametrize("runs", [50, pytest.param(500, marks=pytest.mark.soak)])
async def test_a_lost_answer_never_receives_twice(sandbox: Sandbox, site: Site, runs: int) -> None:
    chance = random.Random(runs)
    place = site.locations[0]
    faults: list[Drop | Hang | Truncate | Status] = [
        *(kind(when) for kind in (Drop, Hang) for when in ("before", "after")),
        Truncate(),
        *(Status(code, commit=commit) for code in (429, 500, 502, 503, 504) for commit in (False, code != 429)),
    ]
    for _ in range(runs):
        order = await site.order(5)
        rows = order.purchase_order_rows or []
        before = await site.stock(site.material, place)
        sandbox.faults.add(Fault("POST /purchase_order_receive", 1, chance.choice(faults)))
        error = await outcome(site, Receipt(purchase_order_row_id=rows[0].id or 0, quantity=Decimal(2)))
        moved = await site.stock(site.material, place) - before
        assert moved in (0, 2)
        assert error in (None, OutcomeUnknown)
        assert moved == 2 or error is OutcomeUnknown
    sent = sandbox.requests("POST", "/purchase_order_receive")
    assert len(sent) == runs + sum(entry.status == 429 for entry in sent)


async def outcome(site: Site, arrived: Receipt) -> type[CallError] | None:
    try:
        await site.client.purchase_orders.receive(arrived)
    except (OutcomeUnknown, KatanaUnavailable, RequestRejected) as error:
        return type(error)
    return None
