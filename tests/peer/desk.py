"""What a case has at hand: the sandbox's data, records of its own, and the foreign server's tools."""

import asyncio
import json
from typing import Any

from katana_sandbox import Tenant

type Body = dict[str, Any]


class Failed(Exception):
    """A tool said that it failed; the message is its own."""


class Desk:
    """Calls tools and makes records that only one case uses."""

    def __init__(self, tenant: Tenant, process: asyncio.subprocess.Process) -> None:
        self.tenant = tenant
        self._process = process
        self._count = 0

    async def names(self) -> list[str]:
        """The tools that there are; the first line that the driver says."""
        return (await self._line())["tools"]

    async def call(self, tool: str, **args: object) -> str:
        """The text of a tool's answer; Failed when it says that it failed."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(json.dumps({"tool": tool, "args": args}).encode() + b"\n")
        await stdin.drain()
        answer = await self._line()
        if answer["error"]:
            raise Failed(answer["text"])
        return str(answer["text"])

    async def do(self, tool: str, **args: object) -> str:
        """As `call`, for real and not as a preview."""
        return await self.call(tool, preview=False, **args)

    async def _line(self) -> Body:
        stdout = self._process.stdout
        assert stdout is not None
        line = await stdout.readline()
        if not line:
            raise RuntimeError("the foreign server has ended")
        return json.loads(line)

    def word(self, prefix: str) -> str:
        """A word that nothing else has."""
        self._count += 1
        return f"{prefix}-PEER-{self._count}"

    def first(self, name: str) -> Body:
        """The first live record of a collection."""
        return next(row for row in self.tenant.all(name) if not row.get("deleted_at") and not row.get("archived_at"))

    def find(self, name: str, /, **values: object) -> Body:
        """The live record with these values."""
        live = [row for row in self.tenant.all(name) if not row.get("deleted_at")]
        return next(row for row in reversed(live) if values.items() <= row.items())

    def older_variant(self, kind: str) -> Body:
        """A variant that is older than the foreign server's cache, which it does not look past at once."""
        return next(row for row in self.tenant.all("variants") if row["type"] == kind and row["sku"])

    def gone(self, name: str, key: int | str) -> bool:
        """Whether a record is deleted."""
        return not any(row["id"] == key and not row.get("deleted_at") for row in self.tenant.all(name))

    @property
    def location(self) -> int:
        """A location that makes, sells and buys."""
        return self.first("locations")["id"]

    def stock(self, variant: int) -> float:
        """How much of a variant is at the location."""
        return float(self.tenant.get("inventory", (variant, self.location))["quantity_in_stock"])

    def material(self, quantity: float = 20) -> Body:
        """A variant with stock."""
        body = {"name": self.word("Resin"), "variants": [{"sku": self.word("RS")}]}
        variant = self.tenant.create("materials", body)["variants"][0]
        self.tenant.set_stock(variant["id"], self.location, quantity, 2)
        return variant

    def product(self, **item: object) -> Body:
        """A variant with a recipe of two."""
        variants = [{"sku": self.word("GD"), "sales_price": 30}]
        made = self.tenant.create("products", {"name": self.word("Gadget"), "variants": variants, **item})
        variant, part = made["variants"][0], self.material(100)
        line = {"product_variant_id": variant["id"], "product_item_id": made["id"], "quantity": 2}
        self.tenant.create("bom_rows", {**line, "ingredient_variant_id": part["id"]})
        return variant

    def sold(self, quantity: float = 2) -> Body:
        """An order for a material."""
        row = {"variant_id": self.material()["id"], "quantity": quantity, "price_per_unit": 9}
        head = {"customer_id": self.first("customers")["id"], "location_id": self.location}
        return self.tenant.create("sales_orders", {**head, "order_no": self.word("SO"), "sales_order_rows": [row]})

    def bought(self, quantity: float = 5) -> Body:
        """An order of a material."""
        row = {"variant_id": self.material(0)["id"], "quantity": quantity, "price_per_unit": 3}
        head = {"supplier_id": self.first("suppliers")["id"], "location_id": self.location}
        body = {**head, "order_no": self.word("PO"), "purchase_order_rows": [row]}
        return self.tenant.create("purchase_orders", body)

    def ordered(self, quantity: float = 3, **item: object) -> Body:
        """A manufacturing order."""
        body = {"variant_id": self.product(**item)["id"], "planned_quantity": quantity, "location_id": self.location}
        return self.tenant.create("manufacturing_orders", {**body, "order_no": self.word("MO")})

    def adjusted(self) -> Body:
        """A stock adjustment of one material by 4."""
        rows = [{"variant_id": self.material()["id"], "quantity": 4, "cost_per_unit": 2}]
        body = {"stock_adjustment_number": self.word("SA"), "location_id": self.location}
        return self.tenant.create("stock_adjustments", {**body, "stock_adjustment_rows": rows})

    def transferred(self) -> Body:
        """A stock transfer of 3 to another location."""
        target = next(row["id"] for row in self.tenant.all("locations") if row["id"] != self.location)
        rows = [{"variant_id": self.material()["id"], "quantity": "3"}]
        body = {"source_location_id": self.location, "target_location_id": target, "stock_transfer_rows": rows}
        return self.tenant.create("stock_transfers", {**body, "stock_transfer_number": self.word("ST")})

    def bin(self) -> Body:
        """A bin of the location."""
        return self.tenant.create("bin_locations", {"bin_name": self.word("BIN"), "location_id": self.location})

    def shelved(self) -> Body:
        """A bin transfer of 2."""
        rows = [{"variant_id": self.material()["id"], "quantity": 2, "target_bin_location_id": self.bin()["id"]}]
        body = {"location_id": self.location, "bin_transfer_number": self.word("BT"), "bin_transfer_rows": rows}
        return self.tenant.create("bin_transfers", body)

    def returned(self) -> Body:
        """A return of one of an order that was delivered."""
        order = self.sold()
        line = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": 2}
        body = {"sales_order_id": order["id"], "status": "DELIVERED", "sales_order_fulfillment_rows": [line]}
        shipped = self.tenant.create("sales_order_fulfillments", body)["sales_order_fulfillment_rows"][0]
        head = {"sales_order_id": order["id"], "return_location_id": self.location, "order_no": self.word("RO")}
        made = self.tenant.create("sales_returns", head)
        row = {"sales_return_id": made["id"], "variant_id": order["sales_order_rows"][0]["variant_id"], "quantity": 1}
        self.tenant.create("sales_return_rows", {**row, "fulfillment_row_id": shipped["id"]})
        return made

    def serial(self) -> tuple[Body, str]:
        """An open purchase order row of a tracked product, with one serial number that it brings."""
        variant, name = self.product(serial_tracked=True, is_purchasable=True), self.word("SN")
        row = {"variant_id": variant["id"], "quantity": 1, "price_per_unit": 3}
        head = {"supplier_id": self.first("suppliers")["id"], "location_id": self.location}
        made = self.tenant.create("purchase_orders", {**head, "purchase_order_rows": [row]})
        return made["purchase_order_rows"][0], name

    def definition(self) -> Body:
        """A definition of a custom field."""
        body = {"field_type": "shortText", "entity_type": "Customer", "source": "api"}
        return self.tenant.create("custom_field_definitions", {**body, "label": self.word("Colour")})
