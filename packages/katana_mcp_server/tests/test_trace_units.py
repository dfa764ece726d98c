"""`trace` of serial numbers, of outsourced goods, and of histories that nobody wrote by hand."""

from decimal import Decimal
from random import Random

import pytest
from recall_floor import Floor, Wire

from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant


def made_units(floor: Floor, resin: int, machine: int, quantity: int) -> tuple[Wire, list[Wire]]:
    """An order that made units of LOT-77, and the units."""
    order = floor.ordered(machine, quantity)
    made = floor.produced(order, quantity, {resin: {"LOT-77": quantity}}, is_final=True)
    return order, made["serial_numbers"]


def a_minute_later(stage: Stage) -> None:
    """Give what is asked next the requests of a minute of its own."""
    clock = stage.own.sandbox.clock
    assert isinstance(clock, ManualClock)
    clock.advance(61)


@pytest.fixture
def floor(tenant: Tenant) -> Floor:
    return Floor(tenant)


async def test_a_unit_is_followed_to_its_customer_and_to_the_batches_in_it(stage: Stage, floor: Floor) -> None:
    resin = floor.material("RESIN")
    machine = floor.product("MACHINE", {resin: 1}, serial_tracked=True)
    bought = floor.bought(resin, **{"LOT-77": 10})
    order, units = made_units(floor, resin, machine, 2)
    sold = floor.sold(machine, 1)
    floor.shipped(sold, 1, [{"serial_number_id": units[0]["id"], "quantity": "1"}])
    answer = await stage.call("trace", number=units[0]["serial_number"])
    assert answer["kind"] == "serial_number"
    assert [(row["event"], row["sku"], row["order_no"]) for row in answer["rows"]] == [
        ("made", "MACHINE", order["order_no"]),
        ("shipped", "MACHINE", sold["order_no"]),
        ("used", "RESIN", order["order_no"]),
        ("received", "RESIN", bought["order_no"]),
    ]
    gone = answer["lots"][0]
    assert (gone["serial_number"], gone["made"], gone["shipped"]) == (units[0]["serial_number"], 1, 1)
    assert (gone["in_stock"], gone["unaccounted"]) == (0, 0)
    down = await stage.call("trace", number="LOT-77", direction="down")
    assert [(lot.get("serial_number"), lot["in_stock"], lot["unaccounted"]) for lot in down["lots"]] == [
        (None, 8, 0),
        (units[0]["serial_number"], 0, 0),
        (units[1]["serial_number"], 1, 0),
    ]
    assert down["lots"][2]["stock"][0]["location"] == "Main workshop"


async def test_a_unit_that_a_received_row_only_has_in_the_ledger_is_found(stage: Stage, floor: Floor) -> None:
    machine = floor.product("MACHINE", {}, serial_tracked=True, is_purchasable=True)
    supplier = next(floor.tenant.all("suppliers"))["id"]
    row = {"variant_id": machine, "quantity": 1, "price_per_unit": 9}
    body = {"supplier_id": supplier, "location_id": floor.place(), "purchase_order_rows": [row]}
    order = floor.tenant.create("purchase_orders", body)
    key = order["purchase_order_rows"][0]["id"]
    floor.tenant.create("purchase_order_receive", {"purchase_order_row_id": key, "quantity": 1})
    named = {"resource_type": "PurchaseOrderRow", "resource_id": key, "serial_numbers": ["12345"]}
    floor.tenant.create("serial_numbers", named)
    answer = await stage.call("trace", number=12345)
    assert [(row["event"], row["serial_number"], row["order_no"]) for row in answer["rows"]] == [
        ("received", "12345", order["order_no"])
    ]
    assert (answer["lots"][0]["in_stock"], answer["lots"][0]["unaccounted"]) == (1, 0)


async def test_outsourced_goods_are_followed_over_what_they_used(stage: Stage, floor: Floor) -> None:
    resin = floor.material("RESIN")
    paste = floor.product("PASTE", {resin: 2}, batch_tracked=True, is_purchasable=True)
    floor.bought(resin, **{"LOT-77": 10})
    supplier = next(floor.tenant.all("suppliers"))["id"]
    row = {"variant_id": paste, "quantity": 3, "price_per_unit": 9}
    places = {"location_id": floor.place(), "tracking_location_id": floor.place()}
    body = {"entity_type": "outsourced", "supplier_id": supplier, "purchase_order_rows": [row], **places}
    order = floor.tenant.create("purchase_orders", body)
    key = order["purchase_order_rows"][0]["id"]
    lines = floor.tenant.all("outsourced_purchase_order_recipe_rows")
    (used,) = [line for line in lines if line["purchase_order_row_id"] == key]
    batches = [{"batch_id": floor.batches["LOT-77"], "quantity": 6}]
    floor.tenant.edit("outsourced_purchase_order_recipe_rows", used["id"], batch_transactions=batches)
    held = await stage.call("trace", number="LOT-77", direction="down")
    assert [(entry["event"], entry["quantity"]) for entry in held["rows"]] == [("received", 10), ("reserved", 6)]
    trace = floor.trace(paste, {"P-1": 3})
    floor.tenant.create("purchase_order_receive", {"purchase_order_row_id": key, "quantity": 3, "traceability": trace})
    a_minute_later(stage)
    down = await stage.call("trace", number="LOT-77", direction="down")
    assert [(entry["event"], entry["sku"], entry["quantity"]) for entry in down["rows"]] == [
        ("received", "RESIN", 10),
        ("used", "RESIN", 6),
        ("received", "PASTE", 3),
    ]
    assert [(lot["in_stock"], lot["unaccounted"]) for lot in down["lots"]] == [(4, 0), (3, 0)]
    up = await stage.call("trace", number="P-1", direction="up")
    assert [(entry["event"], entry["sku"]) for entry in up["rows"]] == [
        ("received", "PASTE"),
        ("used", "RESIN"),
        ("received", "RESIN"),
    ]


class History:
    """A random history of a material, what is made of it, and what is made of that, always with a batch named."""

    def __init__(self, floor: Floor, seed: int) -> None:
        self.floor, self.random = floor, Random(seed)
        self.resin = floor.material("RESIN")
        self.paste = floor.product("PASTE", {self.resin: 1}, batch_tracked=True)
        self.kit = floor.product("KIT", {self.paste: 1}, batch_tracked=True)
        self.left: dict[tuple[int, str], int] = {}
        self.used_in: dict[str, set[str]] = {}
        self.customers: dict[str, set[int]] = {}

    def take(self, variant: int) -> tuple[str, int] | None:
        names = [name for (of, name), amount in self.left.items() if of == variant and amount]
        if not names:
            return None
        name = self.random.choice(names)
        amount = self.random.randint(1, self.left[variant, name])
        self.left[variant, name] -= amount
        return name, amount

    def come(self, variant: int, name: str, amount: int) -> None:
        self.left[variant, name] = self.left.get((variant, name), 0) + amount

    def step(self, nr: int) -> None:
        kind = self.random.choice(("buy", "make", "make", "assemble", "assemble", "ship", "ship", "adjust", "move"))
        if kind == "buy":
            name = f"LOT-{self.random.randint(1, 3)}"
            self.floor.bought(self.resin, **{name: 5})
            self.come(self.resin, name, 5)
        elif kind in {"make", "assemble"}:
            source, target, letter = (self.resin, self.paste, "P") if kind == "make" else (self.paste, self.kit, "K")
            self.make(source, target, f"{letter}-{self.random.randint(1, 3)}")
        elif (found := self.take(self.random.choice((self.resin, self.paste, self.kit)))) is not None:
            self.lose(kind, found, nr)

    def make(self, source: int, target: int, name: str) -> None:
        found = self.take(source)
        if found is not None:
            order = self.floor.ordered(target, found[1])
            self.floor.produced(order, found[1], {source: {found[0]: found[1]}}, name, is_final=True)
            self.come(target, name, found[1])
            self.used_in.setdefault(found[0], set()).add(name)

    def lose(self, kind: str, found: tuple[str, int], nr: int) -> None:
        name, amount = found
        variant = next(of for of, batch in self.left if batch == name)
        if kind == "ship":
            order = self.floor.sold(variant, amount, nr % 3)
            self.floor.shipped(order, amount, self.floor.trace(variant, {name: amount}))
            self.customers.setdefault(name, set()).add(order["customer_id"])
        elif kind == "adjust":
            self.floor.adjusted(variant, -amount, name)
        else:
            self.floor.moved(variant, amount, name, self.random.choice(("received", "inTransit")))

    def reached(self, name: str) -> set[str]:
        """All batches that something of this batch is in, itself too."""
        found, new = {name}, {name}
        while new:
            new = {into for one in new for into in self.used_in.get(one, ())} - found
            found |= new
        return found


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(number, marks=pytest.mark.soak) for number in range(3, 8))])
async def test_of_any_history_everything_is_reached_and_every_lot_adds_up(
    stage: Stage, floor: Floor, seed: int
) -> None:
    history = History(floor, seed)
    for nr in range(40):
        history.step(nr)
    for name in floor.batches:
        a_minute_later(stage)
        answer = await stage.call("trace", number=name, kind="batch", direction="down", limit=250)
        assert {lot["batch_number"] for lot in answer["lots"]} == history.reached(name)
        assert {lot["batch_number"]: lot["unaccounted"] for lot in answer["lots"]} == dict.fromkeys(
            history.reached(name), 0
        )
        of_lots = {number for one in history.reached(name) for number in history.customers.get(one, ())}
        assert {customer["customer_id"] for customer in answer["customers"]} == of_lots
        shipped = sum(
            (Decimal(str(row["quantity"])) for row in answer["rows"] if row["event"] == "shipped"), Decimal(0)
        )
        assert shipped == sum((Decimal(str(customer["shipped"])) for customer in answer["customers"]), Decimal(0))
        assert answer["total"] == len(answer["rows"])
        origins = await stage.call("trace", number=name, kind="batch", direction="up", limit=250)
        assert {lot["batch_number"] for lot in origins["lots"]} == {
            other for other in floor.batches if name in history.reached(other)
        }
