"""The stock machine with kits, manufacturing orders, outsourced purchases, serial numbers, bins, counts, returns."""

import json
from collections import defaultdict
from decimal import Decimal
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from katana_sandbox.wire.numbers import as_decimal

from .stock_machine import ANY, DAYS, PLACES, QUANTITIES, TAKEN, WHERE, StockMachine, day

SHARES = st.sampled_from([1, 0.5])
SHIPPED = st.sampled_from(["PACKED", "DELIVERED"])
ENDS = st.sampled_from([(0, 1), (1, 0), (0, None), (None, 1)])
MOVED = st.sampled_from(["CREATED", "IN_TRANSIT", "DONE"])
LINES = "outsourced_purchase_order_recipe_rows"
type Amounts = dict[tuple[int, int], Decimal]


class LedgerMachine(StockMachine):
    """Besides parts: a kit of two parts, goods made of a part and a kit, and units that have serial numbers.

    `steps` counts the rules that ran, of all machines of this process.
    """

    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        parts = list(self.account.goods)
        for place in PLACES:
            self.account.tenant.edit("locations", place, manufacturing_allowed=True, sales_allowed=True)
        self.kit = self._product({"is_auto_assembly": True}, {parts[0]: 2, parts[1]: 1})
        self.made = self._product({}, {parts[2]: 3, self.kit: 1})
        self.unit = self._product({"serial_tracked": True}, {parts[0]: 1})
        self.account.goods += [self.kit, self.made]
        self._make_units(PLACES[0], day(1), final=True)
        bins = [{"bin_name": name, "location_id": PLACES[0]} for name in "AB"]
        self.bins = [self.account.tenant.create("bin_locations", fields)["id"] for fields in bins]
        LedgerMachine.steps -= 1  # the invariants are also checked before the first rule

    def _product(self, fields: dict[str, Any], recipe: dict[int, int]) -> int:
        body = {"name": "Made", "is_purchasable": True, **fields, "variants": [{"sku": "M"}]}
        product = self.account.tenant.create("products", body)
        variant = product["variants"][0]["id"]
        for part, quantity in recipe.items():
            line = {"product_variant_id": variant, "product_item_id": product["id"], "ingredient_variant_id": part}
            self.account.tenant.create("bom_rows", {**line, "quantity": quantity})
        work = {"product_variant_id": variant, "operation_name": "Fit", "type": "fixed", "cost_parameter": 7}
        self.account.call("POST", "/product_operation_rows", {"rows": [work]})
        return variant

    def order(self, which: int) -> dict[str, Any] | None:
        """A manufacturing order that no shipment of kits has made."""
        return self.pick("manufacturing_orders", which, variant_id=self.made)

    def post(self, path: str, body: dict[str, Any]) -> None:
        with self.unless_refused():
            self.account.call("POST", path, body)

    @rule(quantity=QUANTITIES, place=WHERE)
    def plan_making(self, quantity: str, place: int) -> None:
        body = {"variant_id": self.made, "planned_quantity": float(quantity), "location_id": place}
        self.account.call("POST", "/manufacturing_orders", body)

    @rule(which=ANY, share=SHARES, final=st.booleans(), on=DAYS)
    def produce(self, which: int, share: float, final: bool, on: int) -> None:
        order = self.order(which)
        if order:
            body = {"manufacturing_order_id": order["id"], "is_final": final, "completed_date": day(on)}
            self.post(
                "/manufacturing_order_productions", {**body, "completed_quantity": order["planned_quantity"] * share}
            )

    @rule(which=ANY, status=st.sampled_from(["IN_PROGRESS", "BLOCKED", "DONE"]))
    def set_making_status(self, which: int, status: str) -> None:
        order = self.order(which)
        if order:
            self.edit(f"/manufacturing_orders/{order['id']}", {"status": status})

    @rule(which=ANY, on=DAYS)
    def redate_production(self, which: int, on: int) -> None:
        found = self.pick("manufacturing_order_productions", which)
        if found:
            self.edit(f"/manufacturing_order_productions/{found['id']}", {"production_date": day(on)})

    @rule(name=st.sampled_from(["manufacturing_orders", "manufacturing_order_productions", LINES]), which=ANY)
    def delete_making(self, name: str, which: int) -> None:
        self.delete_one(name, which)

    @rule(quantity=QUANTITIES, place=WHERE, uom=st.booleans())
    def outsource(self, quantity: str, place: int, uom: bool) -> None:
        row: dict[str, Any] = {"variant_id": self.made, "quantity": float(quantity), "price_per_unit": 2}
        row |= {"purchase_uom": "box", "purchase_uom_conversion_rate": 4} if uom else {}
        header = {"supplier_id": self.account.supplier, "location_id": PLACES[0], "entity_type": "outsourced"}
        body = {**header, "tracking_location_id": place, "purchase_order_rows": [row]}
        self.account.call("POST", "/purchase_orders", body)

    @rule(which=ANY, quantity=st.integers(1, 3))
    def change_ingredient(self, which: int, quantity: int) -> None:
        found = self.pick(LINES, which)
        if found:
            self.edit(f"/{LINES}/{found['id']}", {"planned_quantity_per_unit": quantity})

    @rule(which=ANY, place=WHERE)
    def move_tracking(self, which: int, place: int) -> None:
        order = self.pick("purchase_orders", which, entity_type="outsourced")
        if order:
            self.edit(f"/purchase_orders/{order['id']}", {"tracking_location_id": place})

    @rule(which=ANY, status=SHIPPED)
    def change_shipment(self, which: int, status: str) -> None:
        found = self.pick("sales_order_fulfillments", which)
        if found:
            self.edit(f"/sales_order_fulfillments/{found['id']}", {"status": status})

    @rule(place=WHERE, quantity=QUANTITIES, share=SHARES, on=DAYS)
    def a_kit_shipped_and_undone_was_never_built(self, place: int, quantity: str, share: float, on: int) -> None:
        order = self._sold(self.kit, place, float(quantity))
        before = self.account.state()
        line = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": float(quantity) * share}
        made = self._ship(order, line, on)
        assert self.account.state() != before
        self.account.call("DELETE", f"/sales_order_fulfillments/{made['id']}")
        assert self.account.state() == before

    @rule(which=ANY, on=DAYS)
    def a_production_deleted_at_once_was_never_there(self, which: int, on: int) -> None:
        order = self.order(which)
        if order and order["status"] != "DONE":
            before = self.account.state()
            body = {"manufacturing_order_id": order["id"], "completed_quantity": 2, "completed_date": day(on)}
            made = self.account.tenant.create("manufacturing_order_productions", body)
            self.account.call("DELETE", f"/manufacturing_order_productions/{made['id']}")
            assert self.account.state() == before

    @rule(place=WHERE, on=DAYS, final=st.booleans())
    def make_units(self, place: int, on: int, final: bool) -> None:
        self._make_units(place, day(on), final=final)

    def _make_units(self, place: int, date: str, *, final: bool) -> None:
        body = {"variant_id": self.unit, "planned_quantity": 2, "location_id": place}
        order = self.account.tenant.create("manufacturing_orders", body)
        run = {"manufacturing_order_id": order["id"], "completed_quantity": 2, "completed_date": date}
        self.post("/manufacturing_order_productions", {**run, "is_final": final})

    @rule(place=WHERE, which=ANY, reserve=st.booleans(), on=DAYS)
    def sell_unit(self, place: int, which: int, reserve: bool, on: int) -> None:
        units = list(self.account.units())
        if not units:
            return
        unit = units[which % len(units)]
        order = self._sold(self.unit, place, 1)
        row = order["sales_order_rows"][0]["id"]
        if reserve:
            move = {"serial_number_id": unit, "quantity": 1}
            self.edit(f"/sales_order_rows/{row}", {"serial_number_transactions": [move]})
        line = {"sales_order_row_id": row, "quantity": 1, "serial_numbers": [unit]}
        with self.unless_refused():
            self._ship(order, line, on)

    @rule(place=WHERE, on=DAYS, which=ANY)
    def a_unit_shipped_and_undone_was_never_sold(self, place: int, on: int, which: int) -> None:
        here = [unit for unit, (in_stock, _) in self.account.units().items() if in_stock]
        if here:
            order = self._sold(self.unit, place, 1)
            before = self.account.state()
            line = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": 1}
            line["serial_numbers"] = [here[which % len(here)]]
            with self.unless_refused():  # it may be reserved for another row
                made = self._ship(order, line, on)
                assert self.account.units() != before
                self.account.call("DELETE", f"/sales_order_fulfillments/{made['id']}")
            assert self.account.state() == before

    @rule(which=ANY)
    def a_shipment_of_units_undone_and_sent_again_is_the_same(self, which: int) -> None:
        shipped = [
            found
            for found in self.account.live("sales_order_fulfillments")
            if found["sales_order_fulfillment_rows"][0]["serial_numbers"]
        ]
        if shipped:
            found = shipped[which % len(shipped)]
            before = self.account.units()
            self.account.call("DELETE", f"/sales_order_fulfillments/{found['id']}")
            assert self.account.units() != before
            part = found["sales_order_fulfillment_rows"][0]
            line = {name: part[name] for name in ("sales_order_row_id", "quantity", "serial_numbers")}
            body = {name: found[name] for name in ("sales_order_id", "status", "picked_date")}
            body["sales_order_fulfillment_rows"] = [line]
            self.account.tenant.create("sales_order_fulfillments", body)
            assert self.account.units() == before

    @invariant()
    def counted(self) -> None:
        LedgerMachine.steps += 1

    @rule(place=WHERE, counted=st.integers(0, 9))
    def count(self, place: int, counted: int) -> None:
        line = {"variant_id": self.made, "counted_quantity": counted}
        body = {"stocktake_number": "T", "location_id": place, "stocktake_rows": [line]}
        path = f"/stocktakes/{self.account.tenant.create('stocktakes', body)['id']}"
        for status in ("IN_PROGRESS", "COMPLETED"):
            self.account.call("PATCH", path, {"status": status})
            self.account.call("GET", "/stocktakes")
        assert float(self.account.tenant.get("inventory", (self.made, place))["quantity_in_stock"]) == counted

    @rule(which=ANY, place=WHERE, counted=st.integers(0, 9), begun=st.booleans())
    def a_stocktake_deleted_before_its_end_counted_nothing(
        self, which: int, place: int, counted: int, begun: bool
    ) -> None:
        before = self.account.state()
        line = {"variant_id": self.account.goods[which % len(self.account.goods)], "counted_quantity": counted}
        body = {"stocktake_number": "T", "location_id": place, "stocktake_rows": [line]}
        path = f"/stocktakes/{self.account.tenant.create('stocktakes', body)['id']}"
        if begun:
            self.account.call("PATCH", path, {"status": "COUNTED"})
        self.account.call("DELETE", path)
        assert self.account.state() == before

    @rule(which=ANY, quantity=st.one_of(QUANTITIES, TAKEN), on=DAYS)
    def adjust_a_bin(self, which: int, quantity: str, on: int) -> None:
        good, place = self.account.goods[which % len(self.account.goods)], self.bins[which % 2]
        part = {"bin_location_id": place, "quantity": abs(float(quantity))}
        row = {"variant_id": good, "quantity": float(quantity), "traceability": [part]}
        header = {"stock_adjustment_number": "A", "location_id": PLACES[0], "stock_adjustment_date": day(on)}
        self.post("/stock_adjustments", {**header, "stock_adjustment_rows": [row]})

    @rule(which=ANY, quantity=QUANTITIES, ends=ENDS, status=MOVED)
    def transfer_between_bins(
        self, which: int, quantity: str, ends: tuple[int | None, int | None], status: str
    ) -> None:
        before, held = self.account.state(), self.in_bins()
        source, target = (None if end is None else self.bins[end] for end in ends)
        places = {"source_bin_location_id": source, "target_bin_location_id": target}
        row = {"variant_id": self.account.goods[which % len(self.account.goods)], "quantity": quantity, **places}
        body = {"location_id": PLACES[0], "bin_transfer_rows": [row]}
        made = self.account.tenant.create("bin_transfers", body)
        assert self.in_bins() == held
        self.account.call("PATCH", f"/bin_transfers/{made['id']}/status", {"status": status})
        assert self.account.state() == before

    @rule(which=ANY, status=st.none() | MOVED)
    def move_between_bins(self, which: int, status: str | None) -> None:
        found = self.pick("bin_transfers", which)
        if found:
            before = self.account.state()
            if status is None:
                self.account.call("DELETE", f"/bin_transfers/{found['id']}")
            else:
                self.account.call("PATCH", f"/bin_transfers/{found['id']}/status", {"status": status})
            assert self.account.state() == before

    @invariant()
    def bins_hold_what_documents_brought(self) -> None:
        expected: dict[tuple[int, int, int | None], Decimal] = defaultdict(Decimal)
        for header in self.account.live("stock_adjustments"):
            for row in header["stock_adjustment_rows"]:
                for part in row["traceability"]:
                    amount = as_decimal(part["quantity"]).copy_sign(as_decimal(row["quantity"]))
                    expected[row["variant_id"], header["location_id"], part["bin_location_id"]] += amount
        for transfer in self.account.live("bin_transfers"):
            left, came = transfer["status"] != "CREATED", transfer["status"] == "DONE"
            for row in transfer["bin_transfer_rows"]:
                amount, key = as_decimal(row["quantity"]), (row["variant_id"], transfer["location_id"])
                expected[*key, row["source_bin_location_id"]] -= amount * left
                expected[*key, row["target_bin_location_id"]] += amount * came
        named = {key: amount for key, amount in expected.items() if amount and key[2] is not None}
        assert {key: amount for key, amount in self.in_bins().items() if key[2] is not None} == named

    @invariant()
    def what_lies_in_bins_and_in_none_is_the_stock(self) -> None:
        whole: Amounts = defaultdict(Decimal)
        for (variant, location, _), amount in self.in_bins().items():
            whole[variant, location] += amount
        for row in self.account.tenant.all("inventory"):
            assert whole[row["variant_id"], row["location_id"]] == as_decimal(row["quantity_in_stock"])

    def in_bins(self) -> dict[tuple[int, int, int | None], Decimal]:
        rows = json.loads(self.account.call("GET", "/bin_inventory").body)["data"]
        names = ("variant_id", "location_id", "bin_location_id")
        return {tuple(row[name] for name in names): as_decimal(row["quantity_in_stock"]) for row in rows}

    @rule(which=ANY)
    def return_and_take_back(self, which: int) -> None:
        found = self.pick("sales_order_fulfillments", which)
        if found is None:
            return
        before, line = self.account.state(), found["sales_order_fulfillment_rows"][0]
        row = self.account.tenant.get("sales_order_rows", line["sales_order_row_id"])
        header = {"sales_order_id": found["sales_order_id"], "return_location_id": PLACES[0]}
        path = f"/sales_returns/{self.account.tenant.create('sales_returns', header)['id']}"
        body = {"sales_return_id": int(path.rpartition("/")[2]), "variant_id": row["variant_id"]}
        body["quantity"] = line["quantity"]
        self.account.tenant.create("sales_return_rows", {**body, "fulfillment_row_id": line["id"]})
        self.account.call("PATCH", path, {"status": "RESTOCKED_ALL"})
        assert self.account.state() != before
        self.account.call("PATCH", path, {"status": "NOT_RETURNED"})
        self.account.call("DELETE", path)
        assert self.account.state() == before

    @invariant()
    def every_kit_that_left_was_built(self) -> None:
        left: dict[int, Decimal] = defaultdict(Decimal)
        kits = {row["id"] for row in self.account.live("sales_order_rows", variant_id=self.kit)}
        for found in self.account.live("sales_order_fulfillments"):
            for row in found["sales_order_fulfillment_rows"]:
                left[found["id"]] += as_decimal(row["quantity"]) * (row["sales_order_row_id"] in kits)
        built = self.account.live("manufacturing_orders", variant_id=self.kit)
        assert {order["status"] for order in built} <= {"DONE"}
        assert sum(as_decimal(order["actual_quantity"]) for order in built) == sum(left.values())

    @invariant()
    def a_unit_is_in_stock_when_it_was_made_and_not_shipped(self) -> None:
        net: dict[int, int] = defaultdict(int)
        for found in self.account.live("manufacturing_order_productions"):
            for entry in found["serial_numbers"]:
                net[entry["id"]] += 1
        for found in self.account.live("sales_order_fulfillments"):
            for row in found["sales_order_fulfillment_rows"]:
                for unit in row["serial_numbers"]:
                    net[unit] -= 1
        for unit, (in_stock, entries) in self.account.units().items():
            assert in_stock == (net[unit] > 0)
            assert sum(change for _, _, date, change in entries if date is not None) == net[unit]

    def open_sales(self) -> Amounts:
        found = super().open_sales()
        used: dict[int, Decimal] = defaultdict(Decimal)
        for production in self.account.live("manufacturing_order_productions"):
            for entry in production["ingredients"]:
                used[entry["manufacturing_order_recipe_row_id"]] += as_decimal(entry["quantity"])
        orders = {order["id"]: order for order in self.account.live("manufacturing_orders")}
        for row in self.account.live("manufacturing_order_recipe_rows"):
            order = orders[row["manufacturing_order_id"]]
            if order["status"] != "DONE":
                need = as_decimal(row["planned_quantity_per_unit"]) * as_decimal(order["planned_quantity"])
                found[row["variant_id"], order["location_id"]] += max(need - used[row["id"]], Decimal(0))
        return self._with_outsourced(found)

    def open_supply(self) -> Amounts:
        found = super().open_supply()
        done: dict[int, Decimal] = defaultdict(Decimal)
        for production in self.account.live("manufacturing_order_productions"):
            done[production["manufacturing_order_id"]] += as_decimal(production["quantity"])
        for order in self.account.live("manufacturing_orders"):
            if order["status"] != "DONE":
                left = as_decimal(order["planned_quantity"]) - done[order["id"]]
                found[order["variant_id"], order["location_id"]] += max(left, Decimal(0))
        return found

    def _with_outsourced(self, found: Amounts) -> Amounts:
        orders = {order["id"]: order for order in self.account.live("purchase_orders")}
        rows = {row["id"]: row for row in self.account.live("purchase_order_rows", received_date=None)}
        for line in self.account.live(LINES):
            row, order = rows.get(line["purchase_order_row_id"]), orders[line["purchase_order_id"]]
            if row is not None and order["status"] != "DRAFT":
                units = as_decimal(row["quantity"]) * as_decimal(row["purchase_uom_conversion_rate"])
                need = as_decimal(line["planned_quantity_per_unit"]) * units
                found[line["ingredient_variant_id"], order["tracking_location_id"]] += need
        return found

    def _sold(self, variant: int, place: int, quantity: float) -> dict[str, Any]:
        row = {"variant_id": variant, "quantity": quantity}
        header = {"customer_id": self.account.customer, "location_id": place}
        return self.account.tenant.create("sales_orders", {**header, "sales_order_rows": [row]})

    def _ship(self, order: dict[str, Any], line: dict[str, Any], on: int) -> dict[str, Any]:
        body = {"sales_order_id": order["id"], "status": "DELIVERED", "picked_date": day(on)}
        return self.account.tenant.create("sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": [line]})
