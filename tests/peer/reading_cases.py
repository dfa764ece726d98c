"""Tools that read: what they were asked for stands in their answer."""

from collections.abc import Awaitable, Callable

from .desk import Body, Desk

type Case = Callable[[Desk], Awaitable[bool]]


def shows(tool: str, ask: Callable[[Desk], tuple[Body, object]]) -> tuple[str, Case]:
    """A case that passes when the answer contains the expected text."""

    async def case(desk: Desk) -> bool:
        args, expected = ask(desk)
        return str(expected) in await desk.call(tool, **args)

    return tool, case


def _bom(desk: Desk) -> tuple[Body, object]:
    variant = desk.product()
    line = desk.find("bom_rows", product_variant_id=variant["id"])
    return {"product_variant_id": variant["id"]}, line["id"]


def _recipe(desk: Desk) -> tuple[Body, object]:
    order = desk.ordered()
    row = desk.find("manufacturing_order_recipe_rows", manufacturing_order_id=order["id"])
    return {"manufacturing_order_id": order["id"]}, row["variant_id"]


def _document(desk: Desk) -> tuple[Body, object]:
    order = desk.bought()
    sku = desk.tenant.get("variants", order["purchase_order_rows"][0]["variant_id"])["sku"]
    return {"order_id": order["id"], "document_items": [{"sku": sku, "quantity": 5, "unit_price": 3}]}, sku


def _blocking(desk: Desk) -> tuple[Body, object]:
    order = desk.ordered(5000)
    row = desk.find("manufacturing_order_recipe_rows", manufacturing_order_id=order["id"])
    return {"mo_ids": [order["id"]]}, row["variant_id"]


def _serials(desk: Desk) -> tuple[Body, object]:
    row, name = desk.serial()
    desk.tenant.create(
        "serial_numbers", {"resource_type": "PurchaseOrderRow", "resource_id": row["id"], "serial_numbers": [name]}
    )
    return {"resource_type": "PurchaseOrderRow", "resource_id": row["id"]}, name


def _in_bin(desk: Desk) -> tuple[Body, object]:
    moved = desk.shelved()
    return {"location_id": desk.location}, moved["bin_transfer_rows"][0]["variant_id"]


def _moved(desk: Desk) -> tuple[Body, object]:
    variant = desk.older_variant("material")
    body = {"stock_adjustment_number": desk.word("SA"), "location_id": desk.location}
    rows = [{"variant_id": variant["id"], "quantity": 4, "cost_per_unit": 2}]
    made = desk.tenant.create("stock_adjustments", {**body, "stock_adjustment_rows": rows})
    return {"sku": variant["sku"]}, made["stock_adjustment_number"]


def _one(name: str, key: str, member: str) -> Callable[[Desk], tuple[Body, object]]:
    """A record by its id."""

    def ask(desk: Desk) -> tuple[Body, object]:
        record = desk.first(name)
        return {key: record["id"]}, record[member]

    return ask


def _all(name: str, member: str) -> Callable[[Desk], tuple[Body, object]]:
    """A list without a filter."""
    return lambda desk: ({}, desk.first(name)[member])


def _new(make: Callable[[Desk], Body], key: str, member: str) -> Callable[[Desk], tuple[Body, object]]:
    """A record that was just made, by its id or ids."""

    def ask(desk: Desk) -> tuple[Body, object]:
        record = make(desk)
        return {key: [record["id"]] if key == "ids" else record["id"]}, record[member]

    return ask


def _sku(tool_key: str, *, several: bool = False) -> Callable[[Desk], tuple[Body, object]]:
    def ask(desk: Desk) -> tuple[Body, object]:
        sku = desk.material()["sku"]
        return {tool_key: [sku] if several else sku}, sku

    return ask


READING: dict[str, Case] = dict(
    (
        shows("search_items", _sku("query")),
        shows("get_item", lambda desk: ({"id": (i := desk.first("products"))["id"], "type": "product"}, i["name"])),
        shows("get_variant_details", _sku("sku")),
        shows("check_inventory", _sku("skus_or_variant_ids", several=True)),
        shows("list_low_stock_items", lambda desk: ({"threshold": 5}, desk.material(1)["sku"])),
        shows("get_inventory_movements", _moved),
        shows(
            "inventory_at",
            lambda desk: ({"skus_or_variant_ids": [s := desk.material()["sku"]], "as_of": "2030-01-01T00:00:00Z"}, s),
        ),
        shows("list_stock_adjustments", _new(Desk.adjusted, "ids", "stock_adjustment_number")),
        shows("search_customers", lambda desk: ({"query": (n := desk.first("customers"))["name"]}, n["id"])),
        shows("get_customer", _one("customers", "customer_id", "name")),
        shows("list_custom_field_definitions", lambda desk: ({}, desk.definition()["label"])),
        shows("get_custom_field_definition", _new(Desk.definition, "definition_id", "label")),
        shows("verify_order_document", _document),
        shows("list_purchase_orders", _new(Desk.bought, "ids", "order_no")),
        shows("get_purchase_order", _new(Desk.bought, "order_id", "order_no")),
        shows("list_sales_orders", _new(Desk.sold, "ids", "order_no")),
        shows("get_sales_order", _new(Desk.sold, "order_id", "order_no")),
        shows("list_sales_returns", lambda desk: ({"order_no": (n := desk.returned()["order_no"])}, n)),
        shows("get_sales_return", _new(Desk.returned, "id", "order_no")),
        shows("search_sales_orders", lambda desk: ({"filter": {"order_no": (n := desk.sold()["order_no"])}}, n)),
        shows(
            "search_sales_order_rows",
            lambda desk: ({"filter": {"sales_order_id": (o := desk.sold())["id"]}}, o["sales_order_rows"][0]["id"]),
        ),
        shows("list_manufacturing_orders", _new(Desk.ordered, "ids", "order_no")),
        shows("get_manufacturing_order", _new(Desk.ordered, "order_id", "order_no")),
        shows("list_blocking_ingredients", _blocking),
        shows("get_manufacturing_order_recipe", _recipe),
        shows("list_stock_transfers", _new(Desk.transferred, "ids", "stock_transfer_number")),
        shows("list_bin_transfers", _new(Desk.shelved, "ids", "bin_transfer_number")),
        shows("list_bin_inventory", _in_bin),
        shows("list_storage_bins", lambda desk: ({}, desk.bin()["bin_name"])),
        shows("list_serial_numbers", _serials),
        shows("list_locations", _all("locations", "name")),
        shows("list_suppliers", _all("suppliers", "name")),
        shows("get_supplier", _one("suppliers", "supplier_id", "name")),
        shows("list_tax_rates", _all("tax_rates", "id")),
        shows("list_operators", _all("operators", "operator_name")),
        shows("list_additional_costs", _all("additional_costs", "name")),
        shows("get_product_bom", _bom),
    )
)
