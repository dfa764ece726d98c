"""The tree of a manufacturing order: ingredients that are made, and what makes them."""

from server_wire import Wire

from katana_mcp.testing import Stage
from katana_sandbox import Tenant

TOOL = "get_manufacturing_order_recipe"


def product(tenant: Tenant, sku: str, *ingredients: str) -> str:
    """Make a product of one of each of these SKUs; return its SKU."""
    made = tenant.create("products", {"name": sku, "is_producible": True, "variants": [{"sku": sku}]})
    variants = {variant["sku"]: variant["id"] for variant in tenant.all("variants")}
    for ingredient in ingredients:
        row = {"product_variant_id": variants[sku], "ingredient_variant_id": variants[ingredient], "quantity": 2}
        tenant.create("bom_rows", {**row, "product_item_id": made["id"]})
    return sku


def order(tenant: Tenant, sku: str, **fields: object) -> Wire:
    """Begin an order that makes three of a product."""
    variant = next(record for record in tenant.all("variants") if record["sku"] == sku)
    place = next(location for location in tenant.all("locations") if location["manufacturing_allowed"])
    body = {"variant_id": variant["id"], "location_id": place["id"], "planned_quantity": 3, **fields}
    return tenant.create("manufacturing_orders", body)


def bike(tenant: Tenant) -> str:
    """Return a product of three levels: a bike of wheels and a frame, a wheel of a hub and a part that is bought."""
    tenant.create("materials", {"name": "Spoke", "variants": [{"sku": "SPOKE"}]})
    product(tenant, "HUB", "SPOKE")
    product(tenant, "WHEEL", "HUB", "SPOKE")
    product(tenant, "FRAME")
    return product(tenant, "BIKE-3", "WHEEL", "FRAME")


def summaries(answer: Wire) -> list[tuple[object, ...]]:
    """Return the level, the order that takes it, the SKU, and the numbers of the orders that make it."""
    return [
        (
            subassembly["level"],
            subassembly["of_order"],
            subassembly["sku"],
            [one["order_no"] for one in subassembly["orders"]],
        )
        for subassembly in answer["order"]["subassemblies"]
    ]


async def test_what_is_made_for_an_order_is_told_level_by_level(stage: Stage, tenant: Tenant) -> None:
    whole = order(tenant, bike(tenant), order_no="MO-BIKE")
    order(tenant, "WHEEL", order_no="MO-WHEEL", production_deadline_date="2026-04-01T00:00:00.000Z")
    done = order(tenant, "FRAME", order_no="MO-FRAME")
    tenant.edit("manufacturing_orders", done["id"], status="DONE")
    answer = await stage.call(TOOL, manufacturing_order_id=whole["id"], subassemblies=True)
    assert summaries(answer) == [
        (1, "MO-BIKE", "WHEEL", ["MO-WHEEL"]),
        (1, "MO-BIKE", "FRAME", []),
        (2, "MO-WHEEL", "HUB", []),
    ]
    wheel, frame, _ = answer["order"]["subassemblies"]
    assert (wheel["total_remaining_quantity"], frame["orders"]) == (6, [])
    assert wheel["orders"][0]["remaining_quantity"] == 3
    assert wheel["orders"][0]["production_deadline_date"].startswith("2026-04-01")


async def test_orders_of_the_same_sales_order_go_before_all_others(stage: Stage, tenant: Tenant) -> None:
    bike(tenant)
    order(tenant, "WHEEL", order_no="MO-STOCK")
    variant = next(record for record in tenant.all("variants") if record["sku"] == "BIKE-3")
    sold = tenant.create(
        "sales_orders",
        {
            "customer_id": next(tenant.all("customers"))["id"],
            "order_no": "SO-BIKE",
            "sales_order_rows": [{"variant_id": variant["id"], "quantity": 1, "price_per_unit": 9}],
        },
    )
    whole, own = order(tenant, "BIKE-3", order_no="SO-BIKE / 1"), order(tenant, "WHEEL", order_no="SO-BIKE / 2")
    for record in (whole, own):
        tenant.edit("manufacturing_orders", record["id"], sales_order_id=sold["id"])
    answer = await stage.call(TOOL, manufacturing_order_id=whole["id"], subassemblies=True)
    wheel = next(subassembly for subassembly in answer["order"]["subassemblies"] if subassembly["sku"] == "WHEEL")
    assert [(entry["order_no"], entry["same_sales_order"]) for entry in wheel["orders"]] == [("SO-BIKE / 2", True)]


async def test_without_being_asked_for_they_are_neither_read_nor_told(stage: Stage, tenant: Tenant) -> None:
    whole = order(tenant, bike(tenant), order_no="MO-BIKE")
    answer = await stage.call(TOOL, manufacturing_order_id=whole["id"])
    assert "subassemblies" not in answer["order"]
    assert [row["sku"] for row in answer["order"]["recipe_rows"]] == ["WHEEL", "FRAME"]
