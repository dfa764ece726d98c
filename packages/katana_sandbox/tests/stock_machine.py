"""The stock ledger under random documents: figures add up, and what is taken back leaves no trace."""

from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from katana_sandbox import ManualClock, Refused, Sandbox, SandboxConfig, Tenant
from katana_sandbox.calls import Call, Reply
from katana_sandbox.registry import build_router
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.numbers import as_decimal

PLACES = (10000101, 10000102)
QUANTITIES = st.sampled_from(["1", "2", "3.5", "0.0001", "12.25", "40"])
TAKEN = st.sampled_from(["-1", "-3.5", "-40"])
COSTS = st.sampled_from([None, 0, 1, 2.5, 7.77, 0.0000333])
DAYS = st.integers(1, 27)
GOODS = st.integers(0, 4)
WHERE = st.sampled_from(PLACES)
ANY = st.integers(0, 1000)
RARELY = st.sampled_from([False, False, False, True])
DELETED = ["stock_adjustments", "stock_transfers", "purchase_orders", "sales_order_fulfillments", "sales_orders"]
HALF_STEP = Decimal("0.00000000005")


class Account:
    """An empty account with three parts, two suppliers' worth of settings, and plain verbs over the API's own rules."""

    def __init__(self) -> None:
        config = SandboxConfig(empty=True, switches={"rate_limit": 0, "received_order_delete": "allow"})
        self.tenant: Tenant = Sandbox(config, clock=ManualClock()).tenant()
        self.router = build_router()
        self.goods = [
            self.tenant.create("materials", {"name": f"Part {n}", "variants": [{"sku": f"P{n}"}]})["id"]
            for n in range(3)
        ]
        self.goods = [row["id"] for row in self.tenant.all("variants")]
        self.supplier = self.tenant.create("suppliers", {"name": "Nord", "currency": "USD"})["id"]
        self.customer = self.tenant.create("customers", {"name": "Velo"})["id"]

    def call(self, method: str, path: str, body: object = None) -> Reply:
        found = self.router.find(method, path)
        assert found is not None
        call = Call(method, path, raw_body=encode(body) if body is not None else b"", path_id=found.path_id)
        with self.tenant.db.undo.transaction():
            return found.route.run(self.tenant.context(), found.collection, call)

    def live(self, name: str, **wanted: object) -> list[dict[str, Any]]:
        rows = (row for row in self.tenant.all(name) if not row.get("deleted_at"))
        return [row for row in rows if wanted.items() <= row.items()]

    def ledger(self) -> dict[tuple[int, int], list[dict[str, Any]]]:
        pairs: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
        for row in self.tenant.all("inventory_movements"):
            pairs[row["variant_id"], row["location_id"]].append(row)
        return {
            pair: sorted(rows, key=lambda row: (row["movement_date"], row["rank"], row["id"]))
            for pair, rows in pairs.items()
        }

    def state(self) -> object:
        stock = [row for row in self.tenant.all("inventory") if row["location_id"] in PLACES]
        costs = {row["id"]: row["cogs_value"] for row in self.live("sales_order_rows")}
        shown = {row["id"]: row["product_availability"] for row in self.live("sales_order_rows")}
        moves = {pair: [(m["id"], m["balance_after"]) for m in rows] for pair, rows in self.ledger().items()}
        return stock, costs, shown, moves, self.units()

    def units(self) -> dict[int, tuple[bool, list[tuple[str, int, object, int]]]]:
        """Every serial number: whether in stock, and its entries without their ids."""
        names = ("resource_type", "resource_id", "transaction_date", "quantity_change")
        return {
            row["id"]: (row["in_stock"], sorted(tuple(entry[name] for name in names) for entry in row["transactions"]))
            for row in self.tenant.all("serial_numbers_stock")
        }


def day(number: int) -> str:
    return f"2026-02-{number:02d}T08:00:00.000Z"


class StockMachine(RuleBasedStateMachine):
    """Documents of every kind come, change and go."""

    def __init__(self) -> None:
        super().__init__()
        self.account = Account()

    @contextmanager
    def unless_refused(self) -> Generator[None]:
        before = self.account.state()
        try:
            yield
        except Refused:
            assert self.account.state() == before

    def pick(self, name: str, which: int, **wanted: object) -> dict[str, Any] | None:
        found = self.account.live(name, **wanted)
        return found[which % len(found)] if found else None

    def edit(self, path: str, body: dict[str, Any]) -> None:
        with self.unless_refused():
            self.account.call("PATCH", path, body)

    @rule(good=GOODS, place=WHERE, quantity=st.one_of(QUANTITIES, TAKEN), cost=COSTS, on=DAYS)
    def adjust(self, good: int, place: int, quantity: str, cost: float | None, on: int) -> None:
        row: dict[str, Any] = {
            "variant_id": self.account.goods[good % len(self.account.goods)],
            "quantity": float(quantity),
        }
        if cost is not None and row["quantity"] > 0:
            row["cost_per_unit"] = cost
        header = {"stock_adjustment_number": "A", "location_id": place, "stock_adjustment_date": day(on)}
        self.account.call("POST", "/stock_adjustments", {**header, "stock_adjustment_rows": [row, row]})

    @rule(which=ANY, place=WHERE, on=DAYS)
    def move_adjustment(self, which: int, place: int, on: int) -> None:
        found = self.pick("stock_adjustments", which)
        if found:
            body = {"location_id": place, "stock_adjustment_date": day(on)}
            self.edit(f"/stock_adjustments/{found['id']}", body)

    @rule(good=GOODS, quantity=QUANTITIES, price=st.sampled_from([0, 3, 9.99]), draft=RARELY, uom=st.booleans())
    def buy(self, good: int, quantity: str, price: float, draft: bool, uom: bool) -> None:
        row: dict[str, Any] = {"quantity": float(quantity), "price_per_unit": price}
        row |= {"purchase_uom": "box", "purchase_uom_conversion_rate": 12} if uom else {}
        rows = [{**row, "variant_id": self.account.goods[(good + n) % len(self.account.goods)]} for n in range(2)]
        header = {"supplier_id": self.account.supplier, "location_id": PLACES[good % 2]}
        header |= {"status": "DRAFT"} if draft else {}
        self.account.call("POST", "/purchase_orders", {**header, "purchase_order_rows": rows})

    @rule(which=ANY, quantity=QUANTITIES, whole=st.booleans(), on=DAYS)
    def receive(self, which: int, quantity: str, whole: bool, on: int) -> None:
        row = self.pick("purchase_order_rows", which, received_date=None)
        if row:
            amount = row["quantity"] if whole else float(quantity)
            body = {"purchase_order_row_id": row["id"], "quantity": amount, "received_date": day(on)}
            with self.unless_refused():
                self.account.call("POST", "/purchase_order_receive", [body])

    @rule(which=ANY, status=st.sampled_from(["DRAFT", "NOT_RECEIVED", "RECEIVED"]))
    def set_purchase_status(self, which: int, status: str) -> None:
        order = self.pick("purchase_orders", which)
        if order:
            self.edit(f"/purchase_orders/{order['id']}", {"status": status})

    @rule(which=ANY, price=st.sampled_from([5, 12.5]), method=st.sampled_from(["BY_VALUE", "NON_DISTRIBUTED"]))
    def add_freight(self, which: int, price: float, method: str) -> None:
        order = self.pick("purchase_orders", which)
        if order:
            body = {"additional_cost_id": 10000101, "group_id": order["default_group_id"], "tax_rate_id": 10000101}
            self.account.call(
                "POST", "/po_additional_cost_rows", {**body, "price": price, "distribution_method": method}
            )

    @rule(good=GOODS, place=WHERE, quantity=QUANTITIES, on=DAYS)
    def plan_transfer(self, good: int, place: int, quantity: str, on: int) -> None:
        target = PLACES[0] if place == PLACES[1] else PLACES[1]
        header = {"stock_transfer_number": "T", "source_location_id": place, "target_location_id": target}
        row = {"variant_id": self.account.goods[good % len(self.account.goods)], "quantity": quantity}
        self.account.call(
            "POST", "/stock_transfers", {**header, "transfer_date": day(on), "stock_transfer_rows": [row]}
        )

    @rule(which=ANY, status=st.sampled_from(["draft", "inTransit", "received"]))
    def set_transfer_status(self, which: int, status: str) -> None:
        found = self.pick("stock_transfers", which)
        if found:
            self.edit(f"/stock_transfers/{found['id']}/status", {"status": status})

    @rule(which=ANY, on=DAYS)
    def redate_transfer(self, which: int, on: int) -> None:
        found = self.pick("stock_transfers", which)
        if found:
            self.edit(f"/stock_transfers/{found['id']}", {"transfer_date": day(on)})

    @rule(good=GOODS, place=WHERE, quantity=QUANTITIES, quote=RARELY)
    def sell(self, good: int, place: int, quantity: str, quote: bool) -> None:
        rows = [
            {"variant_id": self.account.goods[(good + n) % len(self.account.goods)], "quantity": float(quantity)}
            for n in range(2)
        ]
        header = {"customer_id": self.account.customer, "location_id": 10000101 if quote else place}
        header |= {"status": "PENDING"} if quote else {}
        with self.unless_refused():
            self.account.call("POST", "/sales_orders", {**header, "sales_order_rows": rows})

    @rule(which=ANY, share=st.sampled_from([1, 0.5]), status=st.sampled_from(["PACKED", "DELIVERED"]), on=DAYS)
    def ship(self, which: int, share: float, status: str, on: int) -> None:
        order = self.pick("sales_orders", which)
        if order:
            row = order["sales_order_rows"][0]
            lines = [{"sales_order_row_id": row["id"], "quantity": row["quantity"] * share}]
            body = {"sales_order_id": order["id"], "status": status, "picked_date": day(on)}
            with self.unless_refused():
                self.account.call("POST", "/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": lines})

    @rule(which=ANY, on=DAYS)
    def redate_shipment(self, which: int, on: int) -> None:
        found = self.pick("sales_order_fulfillments", which)
        if found:
            self.edit(f"/sales_order_fulfillments/{found['id']}", {"picked_date": day(on)})

    @rule(
        name=st.sampled_from(DELETED),
        which=ANY,
    )
    def delete(self, name: str, which: int) -> None:
        self.delete_one(name, which)

    def delete_one(self, name: str, which: int) -> None:
        found = self.pick(name, which)
        if found:
            with self.unless_refused():
                self.account.call("DELETE", f"/{name}/{found['id']}")

    @rule(good=GOODS, place=WHERE, quantity=QUANTITIES, on=DAYS)
    def an_adjustment_deleted_at_once_was_never_there(self, good: int, place: int, quantity: str, on: int) -> None:
        before = self.account.state()
        row = {
            "variant_id": self.account.goods[good % len(self.account.goods)],
            "quantity": float(quantity),
            "cost_per_unit": 4.2,
        }
        body = {"stock_adjustment_number": "A", "location_id": place, "stock_adjustment_date": day(on)}
        header = {**body, "stock_adjustment_rows": [row]}
        made = self.account.tenant.create("stock_adjustments", header)
        assert self.account.state() != before
        self.account.call("DELETE", f"/stock_adjustments/{made['id']}")
        assert self.account.state() == before

    @rule(which=ANY)
    def a_transfer_sent_and_called_back_leaves_stock_as_it_was(self, which: int) -> None:
        found = self.pick("stock_transfers", which, status="draft")
        if found:
            before = self.account.state()
            self.edit(f"/stock_transfers/{found['id']}/status", {"status": "received"})
            self.edit(f"/stock_transfers/{found['id']}/status", {"status": "draft"})
            assert self.account.state() == before

    @rule(which=ANY)
    def a_receipt_reverted_leaves_stock_as_it_was(self, which: int) -> None:
        order = self.pick("purchase_orders", which, status="NOT_RECEIVED")
        if order:
            before = self.account.state()
            self.edit(f"/purchase_orders/{order['id']}", {"status": "RECEIVED"})
            self.edit(f"/purchase_orders/{order['id']}", {"status": "NOT_RECEIVED"})
            assert self.account.state() == before

    @invariant()
    def movements_add_up_to_balances_and_costs_to_value(self) -> None:
        for pair, rows in self.account.ledger().items():
            balance = value = Decimal(0)
            for row in rows:
                balance += as_decimal(row["quantity_change"])
                assert as_decimal(row["balance_after"]) == balance
                if row["balance_after"]:
                    value = as_decimal(row["value_in_stock_after"])
                    assert (
                        abs(as_decimal(row["average_cost_after"]) * balance - value)
                        < Decimal("0.001") + abs(value) / 10**9
                    )
                else:
                    value = Decimal(0)
                    assert row["value_in_stock_after"] == 0
            level = self.account.tenant.get("inventory", pair)
            assert as_decimal(level["quantity_in_stock"]) == balance
            assert abs(as_decimal(level["value_in_stock"]) - value) < Decimal("0.001")
            exact = self.account.tenant.db.levels.get(*pair)
            assert exact.average_cost == (exact.value / exact.in_stock if exact.in_stock else 0)
            assert abs(as_decimal(level["average_cost"]) - exact.average_cost) <= HALF_STEP

    @invariant()
    def what_is_open_is_committed_or_expected(self) -> None:
        committed, expected = self.open_sales(), self.open_supply()
        for row in self.account.tenant.all("inventory"):
            pair = row["variant_id"], row["location_id"]
            assert as_decimal(row["quantity_committed"]) == committed[pair]
            assert as_decimal(row["quantity_expected"]) == expected[pair]

    @invariant()
    def goods_sold_cost_what_the_ledger_says(self) -> None:
        spent: dict[int, Decimal] = defaultdict(Decimal)
        for rows in self.account.ledger().values():
            for row in rows:
                if row["resource_type"] == "SalesOrderRow":
                    spent[row["resource_id"]] -= as_decimal(row["quantity_change"]) * as_decimal(row["value_per_unit"])
        for row in self.account.live("sales_order_rows"):
            difference = abs(as_decimal(row["cogs_value"]) - spent[row["id"]])
            assert difference < Decimal("0.001") + abs(spent[row["id"]]) / 10**9

    @invariant()
    def a_shortage_is_listed(self) -> None:
        short = {
            (row["variant_id"], row["location_id"])
            for row in self.account.tenant.all("inventory")
            if as_decimal(row["quantity_in_stock"]) < 0
        }
        listed = {(row["variant_id"], row["location_id"]) for row in self.account.tenant.all("negative_stock")}
        assert listed == short

    def open_sales(self) -> dict[tuple[int, int], Decimal]:
        taken: dict[int, Decimal] = defaultdict(Decimal)
        for shipment in self.account.live("sales_order_fulfillments"):
            for line in shipment["sales_order_fulfillment_rows"]:
                taken[line["sales_order_row_id"]] += as_decimal(line["quantity"])
        found: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
        for order in self.account.live("sales_orders"):
            for row in order["sales_order_rows"] if order["status"] != "PENDING" else ():
                left = as_decimal(row["quantity"]) - taken[row["id"]]
                found[row["variant_id"], row["location_id"] or order["location_id"]] += max(left, Decimal(0))
        return found

    def open_supply(self) -> dict[tuple[int, int], Decimal]:
        found: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
        for order in self.account.live("purchase_orders"):
            for row in order["purchase_order_rows"] if order["status"] != "DRAFT" else ():
                if row["received_date"] is None:
                    units = as_decimal(row["quantity"]) * as_decimal(row["purchase_uom_conversion_rate"])
                    found[row["variant_id"], row["location_id"]] += units
        for transfer in self.account.live("stock_transfers", status="inTransit"):
            for row in transfer["stock_transfer_rows"]:
                found[row["variant_id"], transfer["target_location_id"]] += as_decimal(row["quantity"])
        return found
