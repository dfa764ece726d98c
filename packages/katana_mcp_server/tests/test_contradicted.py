"""Orders of which stock says otherwise than they did when they were read: read again once, and told as they are."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, paced
from katana_sandbox import ManualClock, Tenant

NAMED = {"customer_id": "Contradicted Ltd"}


class Shop:
    """A material at one place, and orders of one customer for it."""

    def __init__(self, stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
        self.stage, self._tenant, self._clock = stage, tenant, clock
        self.place = live(tenant, "locations")[0]
        self._customer = tenant.create("customers", {"name": "Contradicted Ltd"})["id"]
        body: Wire = {"name": "Lack", "uom": "kg", "variants": [{"sku": "LACK"}]}
        self.variant = tenant.create("materials", body)["variants"][0]["id"]
        self.taken: list[Wire] = []

    def stocked(self, quantity: int) -> None:
        """Let so much come, past the server."""
        row = {"variant_id": self.variant, "quantity": quantity, "cost_per_unit": 1}
        self._tenant.create("stock_adjustments", {"location_id": self.place["id"], "stock_adjustment_rows": [row]})

    def sold(self, quantity: int) -> Wire:
        """Return a new order for so much."""
        rows = [{"variant_id": self.variant, "quantity": quantity, "price_per_unit": 2}]
        number = f"CON-{len(self.taken)}"
        body = {"order_no": number, "customer_id": self._customer, "location_id": self.place["id"]}
        self.taken.append(self._tenant.create("sales_orders", {**body, "sales_order_rows": rows}))
        self._clock.advance(120)
        return self.taken[-1]

    def made(self, quantity: int) -> None:
        """Let an order be made that takes so much."""
        product = self._tenant.create("products", {"name": "Late", "variants": [{"sku": "LATE"}]})["variants"][0]["id"]
        body = {"variant_id": product, "planned_quantity": 1, "location_id": self.place["id"], "order_no": "MADE"}
        order = self._tenant.create("manufacturing_orders", body)
        line = {"manufacturing_order_id": order["id"], "variant_id": self.variant}
        self._tenant.create("manufacturing_order_recipe_rows", line | {"planned_quantity_per_unit": quantity})
        self._clock.advance(120)

    def claims(self, order: Wire, availability: str) -> None:
        """Let the row of an order say this of its goods, whatever there is."""
        (row,) = order["sales_order_rows"]
        self._tenant.edit("sales_order_rows", row["id"], product_availability=availability)
        self._clock.advance(120)

    async def adjusted(self, quantity: int) -> None:
        """Let so much come or go, by this server."""
        rows = [{"sku_or_variant_id": "LACK", "quantity": quantity}]
        plan = await self.stage.call("create_stock_adjustment", location_id=self.place["id"], rows=rows)
        await self.stage.call("apply_plan", plan_tokens=[plan["plan_token"]])

    async def states(self) -> tuple[list[str], int]:
        """Return what each sales order is, by its number, and how many requests asked for orders by their ids."""
        answer, asked = await self._asked("sales_orders", "order_readiness", **NAMED)
        return [row["state"] for row in sorted(answer["rows"], key=lambda row: str(row["order_no"]))], asked

    async def blocking(self) -> tuple[list[str], int]:
        """Return what the manufacturing order waits for, and how many requests asked for recipe rows by their ids."""
        answer, asked = await self._asked(
            "manufacturing_order_recipe_rows", "list_blocking_ingredients", manufacturing_order_id="MADE"
        )
        return [row["sku"] for row in answer["rows"]], asked

    async def _asked(self, collection: str, tool: str, **arguments: object) -> tuple[Payload, int]:
        journal = self.stage.own.sandbox.journal
        began = len(journal)
        answer = await paced(self._clock, self.stage.call(tool, **arguments))
        sent = [entry for entry in journal[began:] if entry.path.endswith(f"/{collection}")]
        return answer, len([entry for entry in sent if "ids" in dict(entry.query)])


@pytest.fixture
def shop(stage: Stage, tenant: Tenant, clock: ManualClock) -> Shop:
    """Return a shop of its own."""
    return Shop(stage, tenant, clock)


async def test_an_order_whose_goods_are_gone_is_ready_no_more(shop: Shop) -> None:
    shop.stocked(6)
    shop.sold(6)
    assert await shop.states() == (["ready"], 0)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    await shop.adjusted(-5)
    assert await shop.states() == (["waiting"], 1)
    assert await shop.states() == (["waiting"], 0)


async def test_an_order_whose_goods_came_is_ready(shop: Shop) -> None:
    shop.sold(6)
    assert await shop.states() == (["waiting"], 0)
    await shop.adjusted(6)
    assert await shop.states() == (["ready"], 1)
    assert await shop.states() == (["ready"], 0)


async def test_of_two_orders_that_hold_more_than_there_is_both_are_read(shop: Shop) -> None:
    shop.stocked(10)
    shop.sold(4)
    shop.sold(6)
    assert await shop.states() == (["ready", "ready"], 0)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    await shop.adjusted(-1)
    states, requests = await shop.states()
    assert (sorted(states), requests) == (["ready", "waiting"], 1)


async def test_goods_that_another_order_holds_contradict_nobody(shop: Shop) -> None:
    shop.stocked(10)
    shop.sold(6)
    shop.sold(6)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    assert await shop.states() == (["ready", "waiting"], 0)


async def test_what_katana_says_again_stands(shop: Shop) -> None:
    order = shop.sold(6)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    shop.claims(order, "IN_STOCK")
    first, second = await shop.states(), await shop.states()
    assert (first, second) == ((["ready"], 1), (["ready"], 0))


async def test_a_promise_holds_no_goods_that_are_gone(shop: Shop) -> None:
    shop.stocked(6)
    order = shop.sold(6)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    before = await shop.stage.call("promise_date", sales_order_id=order["id"])
    await shop.adjusted(-5)
    after = await shop.stage.call("promise_date", sales_order_id=order["id"])
    assert [row["rows"][0].get("free_now") for row in (before, after)] == [6, 1]
    assert (before["date"] is not None, after.get("date")) == (True, None)


async def test_an_ingredient_that_is_gone_is_waited_for_and_one_that_came_no_more(shop: Shop) -> None:
    shop.stocked(6)
    shop.made(4)
    assert await shop.blocking() == ([], 0)
    await shop.stage.call("check_inventory", skus_or_variant_ids=["LACK"])
    await shop.adjusted(-5)
    assert await shop.blocking() == (["LACK"], 1)
    await shop.adjusted(3)
    assert await shop.blocking() == ([], 1)
    assert await shop.blocking() == ([], 0)
