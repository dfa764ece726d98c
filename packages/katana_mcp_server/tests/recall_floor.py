"""A supplier's batch that goes into a paste, the paste into kits, kits to customers: what `trace` is to find."""

from dataclasses import dataclass, field
from typing import Any

from katana_sandbox import Tenant
from katana_sandbox.rules.manufacturing_links import make_to_order

type Wire = dict[str, Any]


@dataclass
class Floor:
    """Ways to buy, make, ship, return, move and adjust goods in batches, with the dates of a made-up March."""

    tenant: Tenant
    batches: dict[str, int] = field(default_factory=dict[str, int])

    def place(self, nr: int = 0) -> int:
        return [location["id"] for location in self.tenant.all("locations")][nr]

    def material(self, sku: str, **item: object) -> int:
        body = {"name": sku.title(), "uom": "kg", "batch_tracked": True, "variants": [{"sku": sku}], **item}
        return self.tenant.create("materials", body)["variants"][0]["id"]

    def product(self, sku: str, parts: dict[int, float], **item: object) -> int:
        body = {"name": sku.title(), "uom": "pcs", "is_producible": True, "variants": [{"sku": sku}], **item}
        made = self.tenant.create("products", body)
        variant = made["variants"][0]["id"]
        for part, quantity in parts.items():
            line = {"product_variant_id": variant, "product_item_id": made["id"], "ingredient_variant_id": part}
            self.tenant.create("bom_rows", {**line, "quantity": quantity})
        return variant

    def batch(self, number: str, variant: int) -> int:
        named = {"batch_number": number, "variant_id": variant, "expiration_date": "2027-01-31T00:00:00.000Z"}
        self.batches[number] = self.tenant.create("batches", named)["id"]
        return self.batches[number]

    def bought(self, variant: int, rate: int = 1, **batches: float) -> Wire:
        """A purchase order received in these batches, on the first of March; `UNBATCHED` is in none.

        Amounts are in purchase units, of which each is so many stock units.
        """
        total = sum(batches.values())
        supplier = next(self.tenant.all("suppliers"))["id"]
        row = {"variant_id": variant, "quantity": total, "price_per_unit": 2, "purchase_uom_conversion_rate": rate}
        body = {"supplier_id": supplier, "location_id": self.place(), "purchase_order_rows": [row]}
        order = self.tenant.create("purchase_orders", body)
        trace = self.trace(variant, batches)
        received = {"purchase_order_row_id": order["purchase_order_rows"][0]["id"], "quantity": total}
        self.tenant.create(
            "purchase_order_receive", {**received, "received_date": "2026-03-01T08:00:00.000Z", "traceability": trace}
        )
        return self.tenant.get("purchase_orders", order["id"])

    def trace(self, variant: int, batches: dict[str, float]) -> list[Wire]:
        return [
            {"batch_id": self.batches.get(name) or self.batch(name, variant), "quantity": quantity}
            for name, quantity in batches.items()
            if name != "UNBATCHED"
        ]

    def ordered(self, variant: int, quantity: float, **more: object) -> Wire:
        body = {"variant_id": variant, "planned_quantity": quantity, "location_id": self.place(), **more}
        return self.tenant.create("manufacturing_orders", body)

    def made_to_order(self, sold: Wire) -> Wire:
        with self.tenant.changing():
            order = make_to_order(self.tenant.context(), sold["sales_order_rows"][0]["id"], subassemblies=False)
        return self.tenant.get("manufacturing_orders", order["id"])

    def recipe(self, order: Wire) -> dict[int, Wire]:
        """The recipe rows of an order by their variant."""
        lines = self.tenant.all("manufacturing_order_recipe_rows")
        return {row["variant_id"]: row for row in lines if row["manufacturing_order_id"] == order["id"]}

    def produced(
        self, order: Wire, quantity: float, used: dict[int, dict[str, float]], output: str | None = None, **more: object
    ) -> Wire:
        """A production on the second of March that used these batches of each ingredient, into a batch."""
        lines = self.recipe(order)
        ingredients = [
            {
                "manufacturing_order_recipe_row_id": lines[variant]["id"],
                "quantity": sum(batches.values()),
                "traceability": self.trace(variant, batches),
            }
            for variant, batches in used.items()
        ]
        made: Wire = {"manufacturing_order_id": order["id"], "completed_quantity": quantity, "ingredients": ingredients}
        if output is not None:
            made["traceability"] = self.trace(order["variant_id"], {output: quantity})
        return self.tenant.create(
            "manufacturing_order_productions", {"completed_date": "2026-03-02T08:00:00.000Z", **made, **more}
        )

    def sold(self, variant: int, quantity: float, customer: int = 0) -> Wire:
        buyer = [record["id"] for record in self.tenant.all("customers")][customer]
        row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 90}
        return self.tenant.create(
            "sales_orders", {"customer_id": buyer, "location_id": self.place(), "sales_order_rows": [row]}
        )

    def shipped(self, order: Wire, quantity: float, trace: list[Wire] | None = None) -> Wire:
        line: Wire = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": quantity}
        if trace is not None:
            line["traceability"] = trace
        body = {"sales_order_id": order["id"], "status": "DELIVERED", "picked_date": "2026-03-03T08:00:00.000Z"}
        return self.tenant.create("sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": [line]})

    def adjusted(self, variant: int, quantity: float, batch: str) -> Wire:
        row = {
            "variant_id": variant,
            "quantity": quantity,
            "traceability": [{"batch_id": self.batches[batch], "quantity": quantity}],
        }
        day = {"stock_adjustment_date": "2026-03-04T08:00:00.000Z"}
        return self.tenant.create(
            "stock_adjustments", {"location_id": self.place(), "stock_adjustment_rows": [row], **day}
        )

    def moved(self, variant: int, quantity: float, batch: str, status: str) -> Wire:
        row = {
            "variant_id": variant,
            "quantity": str(quantity),
            "traceability": [{"batch_id": self.batches[batch], "quantity": str(quantity)}],
        }
        places = {"source_location_id": self.place(), "target_location_id": self.place(1)}
        made = self.tenant.create("stock_transfers", {**places, "stock_transfer_rows": [row]})
        self.tenant.edit("stock_transfers", made["id"], status=status)
        return made


@dataclass(frozen=True)
class Recall:
    """The documents of the usual story, by what they are."""

    floor: Floor
    resin: int
    paste: int
    kit: int
    bought: Wire
    paste_order: Wire
    kit_order: Wire
    sold: Wire


def recall(tenant: Tenant) -> Recall:
    """Ten kilograms of LOT-77 come, four go into P-1, two of that into K-1, of which one is shipped.

    Beside it LOT-78 goes another way: into P-2, which nothing is made of.
    """
    floor = Floor(tenant)
    resin = floor.material("RESIN")
    paste = floor.product("PASTE", {resin: 1}, batch_tracked=True)
    kit = floor.product("KIT", {paste: 1}, batch_tracked=True)
    bought = floor.bought(resin, **{"LOT-77": 10, "LOT-78": 5})
    paste_order = floor.ordered(paste, 8)
    floor.produced(paste_order, 4, {resin: {"LOT-77": 4}}, "P-1")
    floor.produced(paste_order, 3, {resin: {"LOT-78": 3}}, "P-2")
    kit_order = floor.ordered(kit, 2)
    floor.produced(kit_order, 2, {paste: {"P-1": 2}}, "K-1", is_final=True)
    sold = floor.sold(kit, 1)
    floor.shipped(sold, 1, floor.trace(kit, {"K-1": 1}))
    return Recall(floor, resin, paste, kit, bought, paste_order, kit_order, sold)
