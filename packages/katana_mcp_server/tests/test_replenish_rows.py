"""What a purchaser reads of each short item: what a purchase unit holds, who needs how much, and what is free."""

from collections.abc import Awaitable, Callable

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, NORTH = FIRST_ID, FIRST_ID + 1
type Look = Callable[..., Awaitable[dict[str, Payload]]]
UNIT = ("purchase_uom", "purchase_uom_conversion_rate")


def part_of(tenant: Tenant, sku: str = "PAD") -> Wire:
    """Return a variant of a material that a supplier delivers."""
    return next(variant for variant in live(tenant, "variants") if variant["sku"] == sku)


async def ordered(stage: Stage, **arguments: object) -> dict[str, Payload]:
    """Return the lines that `replenish` orders for the north, by SKU."""
    answer = await stage.call("replenish", location_id=NORTH, **arguments)
    return {line["sku"]: line for order in answer["orders"] for line in order["lines"]}


async def short(stage: Stage, **arguments: object) -> dict[str, Payload]:
    """Return the rows of `list_low_stock_items` of the north, by SKU."""
    assert not arguments.keys() - {"skus_or_variant_ids"}
    answer = await stage.call("list_low_stock_items", location_id=NORTH, limit=250)
    return {row["sku"]: row for row in answer["rows"]}


@pytest.mark.parametrize(("look", "quantity"), [(ordered, "quantity"), (short, "order_quantity")])
async def test_what_is_bought_by_the_box_says_what_a_box_holds_and_nothing_else_does(
    stage: Stage, tenant: Tenant, look: Look, quantity: str
) -> None:
    pad, seal = part_of(tenant), part_of(tenant, "FSKT-35M")
    for variant in (pad, seal):
        body = {"variant_id": variant["id"], "location_id": NORTH, "value": 100}
        tenant.create("inventory_safety_stock_levels", body)
    tenant.edit("materials", pad["material_id"], purchase_uom="box", purchase_uom_conversion_rate=12)
    tenant.edit("materials", seal["material_id"], purchase_uom=None, purchase_uom_conversion_rate=None)
    rows = await look(stage, skus_or_variant_ids=["PAD", "FSKT-35M"])
    box, piece = rows["PAD"], rows["FSKT-35M"]
    assert [box[name] for name in UNIT] == ["box", 12]
    assert (amount(box[quantity]) - 1) * 12 < max(amount(box["short"]), amount(pad["minimum_order_quantity"] or 0))
    assert not piece.keys() & {*UNIT, "unit"}
    units = [tenant.get("materials", variant["material_id"])["uom"] for variant in (pad, seal)]
    assert [box["uom"], piece["uom"]] == units
    assert sum(value == "box" for value in box.values()) == 1
