"""Tools that write: the sandbox's state afterwards says whether they did."""

from .desk import Body, Desk
from .reading_cases import Case

_DAY = "2026-05-01T00:00:00Z"


def _row(order: Body, name: str) -> Body:
    return order[f"{name}_rows"][0]


def deletes(tool: str, name: str, key: str = "id", **more: object) -> tuple[str, Case]:
    """A case that passes when the record is gone."""
    make = {
        "materials": lambda desk: {"id": desk.material()["material_id"]},
        "stock_adjustments": Desk.adjusted,
        "custom_field_definitions": Desk.definition,
        "purchase_orders": Desk.bought,
        "sales_orders": Desk.sold,
        "sales_returns": Desk.returned,
        "manufacturing_orders": Desk.ordered,
        "stock_transfers": Desk.transferred,
        "bin_transfers": Desk.shelved,
    }[name]

    async def case(desk: Desk) -> bool:
        record = make(desk)
        await desk.do(tool, **{key: record["id"]}, **more)
        return desk.gone(name, record["id"])

    return tool, case


def creates(tool: str, kind: str, **more: object) -> tuple[str, Case]:
    """A case that passes when the item is there with its SKU."""

    async def case(desk: Desk) -> bool:
        name, sku = desk.word("Item"), desk.word("SKU")
        await desk.call(tool, name=name, sku=sku, **more)
        item = desk.find(kind, name=name)
        return item["variants"][0]["sku"] == sku

    return tool, case


async def _modify_item(desk: Desk) -> bool:
    key, name = desk.material()["material_id"], desk.word("Named")
    await desk.do("modify_item", id=key, type="material", update_header={"name": name})
    return desk.tenant.get("materials", key)["name"] == name


async def _adjust(desk: Desk) -> bool:
    variant = desk.older_variant("material")
    before, rows = desk.stock(variant["id"]), [{"sku": variant["sku"], "quantity": 4}]
    await desk.do("create_stock_adjustment", location_id=desk.location, rows=rows, reason="count")
    return desk.stock(variant["id"]) == before + 4


async def _update_adjustment(desk: Desk) -> bool:
    made = desk.adjusted()
    await desk.do("update_stock_adjustment", id=made["id"], reason="found")
    return desk.tenant.get("stock_adjustments", made["id"])["reason"] == "found"


async def _customer(desk: Desk) -> bool:
    name = desk.word("Velo")
    await desk.do("create_customer", name=name, email="a@b.example")
    return desk.find("customers", name=name)["email"] == "a@b.example"


async def _define(desk: Desk) -> bool:
    label = desk.word("Size")
    await desk.do("create_custom_field_definition", label=label, field_type="shortText", entity_type="Customer")
    return desk.find("custom_field_definitions", label=label)["entity_type"] == "Customer"


async def _redefine(desk: Desk) -> bool:
    made, label = desk.definition(), desk.word("Other")
    await desk.do("update_custom_field_definition", definition_id=made["id"], label=label)
    return desk.tenant.get("custom_field_definitions", made["id"])["label"] == label


async def _buy(desk: Desk) -> bool:
    number = desk.word("PO")
    items = [{"variant_id": desk.material()["id"], "quantity": 4, "price_per_unit": 2}]
    head = {"supplier_id": desk.first("suppliers")["id"], "location_id": desk.location, "order_number": number}
    await desk.do("create_purchase_order", **head, items=items)
    return _row(desk.find("purchase_orders", order_no=number), "purchase_order")["quantity"] == 4


async def _receive(desk: Desk) -> bool:
    order = desk.bought()
    row = _row(order, "purchase_order")
    items = [{"purchase_order_row_id": row["id"], "quantity": 5}]
    await desk.do("receive_purchase_order", order_id=order["id"], items=items)
    return desk.stock(row["variant_id"]) == 5


async def _modify_purchase(desk: Desk) -> bool:
    order = desk.bought()
    row = _row(order, "purchase_order")
    await desk.do("modify_purchase_order", id=order["id"], update_rows=[{"id": row["id"], "quantity": 8}])
    return desk.tenant.get("purchase_order_rows", row["id"])["quantity"] == 8


async def _sell(desk: Desk) -> bool:
    number = desk.word("SO")
    items = [{"variant_id": desk.material()["id"], "quantity": 3, "price_per_unit": 7}]
    head = {"customer_id": desk.first("customers")["id"], "order_number": number, "location_id": desk.location}
    await desk.do("create_sales_order", **head, items=items)
    return _row(desk.find("sales_orders", order_no=number), "sales_order")["quantity"] == 3


async def _modify_sale(desk: Desk) -> bool:
    order = desk.sold()
    row = _row(order, "sales_order")
    await desk.do("modify_sales_order", id=order["id"], update_rows=[{"id": row["id"], "quantity": 6}])
    return desk.tenant.get("sales_order_rows", row["id"])["quantity"] == 6


async def _make(desk: Desk) -> bool:
    number = desk.word("MO")
    head = {"variant_id": desk.product()["id"], "planned_quantity": 2, "location_id": desk.location}
    await desk.do("create_manufacturing_order", **head, order_no=number)
    return desk.find("manufacturing_orders", order_no=number)["planned_quantity"] == 2


async def _modify_making(desk: Desk) -> bool:
    order = desk.ordered()
    await desk.do("modify_manufacturing_order", id=order["id"], update_header={"planned_quantity": 7})
    return desk.tenant.get("manufacturing_orders", order["id"])["planned_quantity"] == 7


async def _fulfill(desk: Desk) -> bool:
    order = desk.sold()
    await desk.do("fulfill_order", order_id=order["id"], order_type="sales")
    return desk.tenant.get("sales_orders", order["id"])["status"] == "DELIVERED"


async def _transfer(desk: Desk) -> bool:
    variant, number = desk.material(), desk.word("ST")
    target = next(row["id"] for row in desk.tenant.all("locations") if row["id"] != desk.location)
    places = {"source_location_id": desk.location, "destination_location_id": target}
    rows = [{"variant_id": variant["id"], "quantity": 3}]
    await desk.do("create_stock_transfer", **places, expected_arrival_date=_DAY, rows=rows, order_no=number)
    return _row(desk.find("stock_transfers", stock_transfer_number=number), "stock_transfer")["quantity"] == 3


async def _move_transfer(desk: Desk) -> bool:
    made = desk.transferred()
    await desk.do("modify_stock_transfer", id=made["id"], update_status={"new_status": "RECEIVED"})
    return desk.stock(_row(made, "stock_transfer")["variant_id"]) == 17


async def _shelve(desk: Desk) -> bool:
    number, rows = desk.word("BT"), [{"variant_id": desk.material()["id"], "quantity": 2}]
    rows[0]["target_bin_location_id"] = desk.bin()["id"]
    await desk.do("create_bin_transfer", location_id=desk.location, rows=rows, bin_transfer_number=number)
    return desk.find("bin_transfers", bin_transfer_number=number)["status"] == "CREATED"


async def _move_shelved(desk: Desk) -> bool:
    made = desk.shelved()
    await desk.do("modify_bin_transfer", id=made["id"], update_status={"new_status": "DONE"})
    return desk.tenant.get("bin_transfers", made["id"])["status"] == "DONE"


async def _bin(desk: Desk) -> bool:
    name = desk.word("BIN")
    await desk.do("create_storage_bin", bin_name=name, location_id=desk.location)
    return desk.find("bin_locations", bin_name=name)["location_id"] == desk.location


async def _add_serial(desk: Desk) -> bool:
    row, name = desk.serial()
    place = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"]}
    await desk.do("add_serial_numbers", **place, serial_numbers=[name])
    return any(unit["serial_number"] == name for unit in desk.tenant.all("serial_numbers_stock"))


async def _delete_serial(desk: Desk) -> bool:
    row, name = desk.serial()
    place: Body = {"resource_type": "PurchaseOrderRow", "resource_id": row["id"]}
    desk.tenant.create("serial_numbers", {**place, "serial_numbers": [name]})
    unit = next(unit for unit in desk.tenant.all("serial_numbers_stock") if unit["serial_number"] == name)
    await desk.do("delete_serial_numbers", **place, ids=[unit["id"]])
    left = next(one for one in desk.tenant.all("serial_numbers_stock") if one["id"] == unit["id"])
    return left["transactions"] == []


async def _cache(desk: Desk) -> bool:
    """It has no state of the sandbox; that it reads the orders anew shows in an answer."""
    order = desk.sold()
    await desk.do("rebuild_cache", entity_types=["sales_order"])
    return order["order_no"] in await desk.call("list_sales_orders", ids=[order["id"]])


async def _correct_making(desk: Desk) -> bool:
    order = desk.ordered()
    body = {"manufacturing_order_id": order["id"], "completed_quantity": 3, "is_final": True}
    desk.tenant.create("manufacturing_order_productions", body)
    row = desk.find("manufacturing_order_recipe_rows", manufacturing_order_id=order["id"])
    change = {"old_variant_id": row["variant_id"], "planned_quantity_per_unit": 4}
    await desk.do("correct_manufacturing_order", id=order["id"], ingredient_changes=[change])
    after = desk.find("manufacturing_order_recipe_rows", manufacturing_order_id=order["id"])
    header = desk.tenant.get("manufacturing_orders", order["id"])
    return (float(after["planned_quantity_per_unit"]), header["status"]) == (4, "DONE")


async def _correct_sale(desk: Desk) -> bool:
    order = desk.sold()
    row = _row(order, "sales_order")
    line = {"sales_order_row_id": row["id"], "quantity": 2}
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "sales_order_fulfillment_rows": [line]}
    desk.tenant.create("sales_order_fulfillments", body)
    change = {"old_variant_id": row["variant_id"], "price_per_unit": 11}
    await desk.do("correct_sales_order", id=order["id"], line_changes=[change])
    after = desk.tenant.get("sales_orders", order["id"])
    return (after["status"], float(_row(after, "sales_order")["price_per_unit"])) == ("DELIVERED", 11)


async def _correct_purchase(desk: Desk) -> bool:
    order = desk.bought()
    row = _row(order, "purchase_order")
    desk.tenant.create("purchase_order_receive", {"purchase_order_row_id": row["id"], "quantity": 5})
    change = {"row_id": row["id"], "price_per_unit": 4}
    await desk.do("correct_purchase_order", id=order["id"], row_changes=[change])
    after = desk.tenant.get("purchase_orders", order["id"])
    return (after["status"], _row(after, "purchase_order")["price_per_unit"]) == ("RECEIVED", 4)


async def _bom(desk: Desk) -> bool:
    variant, part = desk.older_variant("product"), desk.material()
    rows = [{"ingredient_variant_id": part["id"], "quantity": 5}]
    await desk.do("manage_product_bom", id=variant["id"], add_bom_rows=rows)
    line = desk.find("bom_rows", product_variant_id=variant["id"], ingredient_variant_id=part["id"])
    return line["quantity"] == 5


WRITING: dict[str, Case] = dict(
    (
        creates("create_item", "materials", type="material"),
        ("modify_item", _modify_item),
        deletes("delete_item", "materials", type="material"),
        ("create_stock_adjustment", _adjust),
        ("update_stock_adjustment", _update_adjustment),
        deletes("delete_stock_adjustment", "stock_adjustments"),
        ("create_customer", _customer),
        ("create_custom_field_definition", _define),
        ("update_custom_field_definition", _redefine),
        deletes("delete_custom_field_definition", "custom_field_definitions", "definition_id"),
        ("create_purchase_order", _buy),
        ("receive_purchase_order", _receive),
        ("modify_purchase_order", _modify_purchase),
        deletes("delete_purchase_order", "purchase_orders"),
        ("create_sales_order", _sell),
        ("modify_sales_order", _modify_sale),
        deletes("delete_sales_order", "sales_orders"),
        deletes("delete_sales_return", "sales_returns"),
        creates("create_product", "products"),
        creates("create_material", "materials"),
        ("create_manufacturing_order", _make),
        ("modify_manufacturing_order", _modify_making),
        deletes("delete_manufacturing_order", "manufacturing_orders"),
        ("fulfill_order", _fulfill),
        ("create_stock_transfer", _transfer),
        ("modify_stock_transfer", _move_transfer),
        deletes("delete_stock_transfer", "stock_transfers"),
        ("create_bin_transfer", _shelve),
        ("modify_bin_transfer", _move_shelved),
        deletes("delete_bin_transfer", "bin_transfers"),
        ("create_storage_bin", _bin),
        ("add_serial_numbers", _add_serial),
        ("delete_serial_numbers", _delete_serial),
        ("rebuild_cache", _cache),
        ("correct_manufacturing_order", _correct_making),
        ("correct_sales_order", _correct_sale),
        ("correct_purchase_order", _correct_purchase),
        ("manage_product_bom", _bom),
    )
)
