"""A made product with a recipe of two parts and two operations, and short ways to make it, for the tests."""

from typing import Any

from katana_sandbox import Answer, Caller, Tenant

STEEL, BOLT, WORKSHOP = 10000106, 10000107, 10000101
DONE_TEXT = "You can not modify manufacturing order with status done"


async def gadget(api: Caller, tenant: Tenant, **item: object) -> int:
    """The variant: 2 of STEEL at 8 and 0.5 of BOLT at 4 for each; 600 s at 36 an hour, and 12 once."""
    product = await api.post("/products", {"name": "Gadget", "variants": [{"sku": "GDG"}], **item})
    assert product.status == 200, product.raw
    variant = product.body["variants"][0]["id"]
    for part, quantity in ((STEEL, 2), (BOLT, 0.5)):
        line = {"product_variant_id": variant, "product_item_id": product.body["id"], "ingredient_variant_id": part}
        assert (await api.post("/bom_rows", {**line, "quantity": quantity})).status == 200
    work = [
        {"operation_name": "Cut", "resource_name": "Saw", "planned_time_parameter": 600, "cost_parameter": 36},
        {"operation_name": "Pack", "type": "fixed", "cost_parameter": 12},
    ]
    rows = [{"product_variant_id": variant, **line} for line in work]
    assert (await api.post("/product_operation_rows", {"rows": rows})).status == 204
    for part, cost in ((STEEL, 8), (BOLT, 4)):
        clear(tenant, part)
        tenant.set_stock(part, WORKSHOP, 100, cost)
    return variant


def clear(tenant: Tenant, variant_id: int) -> None:
    """Let no seeded document want or bring a variant."""
    for name in ("sales_order_rows", "manufacturing_order_recipe_rows", "purchase_order_rows"):
        for row in list(tenant.all(name)):
            if row["variant_id"] == variant_id and not row["deleted_at"]:
                tenant.delete(name, row["id"])


async def ordered(api: Caller, variant: int, quantity: float = 4, **extra: object) -> dict[str, Any]:
    body = {"variant_id": variant, "planned_quantity": quantity, "location_id": WORKSHOP, **extra}
    answer = await api.post("/manufacturing_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def produced(api: Caller, order: dict[str, Any], quantity: float, **extra: object) -> Answer:
    body = {"manufacturing_order_id": order["id"], "completed_quantity": quantity, **extra}
    return await api.post("/manufacturing_order_productions", body)


async def rows_of(api: Caller, name: str, order: dict[str, Any]) -> list[dict[str, Any]]:
    """The order's rows, oldest first."""
    return (await api.get(f"/manufacturing_order_{name}", {"manufacturing_order_id": order["id"]})).rows[::-1]


async def header(api: Caller, order: dict[str, Any]) -> dict[str, Any]:
    return (await api.get(f"/manufacturing_orders/{order['id']}")).body


def stock(tenant: Tenant, variant_id: int, location_id: int = WORKSHOP) -> tuple[float, float, float]:
    """In stock, committed, expected."""
    level = tenant.get("inventory", (variant_id, location_id))
    in_stock, committed, expected = [float(level[f"quantity_{n}"]) for n in ("in_stock", "committed", "expected")]
    return in_stock, committed, expected
