"""Sales orders: the rows of their tools that plan a write."""

from typing import Any

from katana_sandbox import Tenant

from .custom import defined_field, free_values
from .writes import Arguments, Pools, Record, Spoil, Write, done_already, edited, gone, live, part_gone
from .writes_batches import traced_rows

ORDER, ROW, FEE, ADDRESS = "sales_orders", "sales_order_rows", "sales_order_shipping_fee", "sales_order_addresses"
PARTS = {"rows": ROW, "addresses": ADDRESS, "shipping_fees": FEE}
DERIVED = frozenset(
    {
        *("total", "total_in_base_currency", "price_per_unit_in_base_currency", "tax_rate", "sku", "cogs_value"),
        *("conversion_rate", "conversion_date", "product_availability", "product_expected_date"),
        *("ingredient_availability", "ingredient_expected_date", "production_status", "linked_manufacturing_order_id"),
        *("billing_address_id", "shipping_address_id", "batch_transactions", "serial_numbers", "traceability"),
        *("serial_number_transactions", "picked_date", "invoicing_status", "sales_order_id"),
    }
)
"""What Katana works out: sums, rates, availability, which address is which, and the order of a part."""
FIRST = DERIVED | {"order_created_date", "location_id", "currency", "source", "status", "tax_rate_id", "total_discount"}
"""What Katana sets in a new order that says nothing of it."""
LINED = {ROW: "price_per_unit", FEE: "amount"}
WORDS = {"customer_id": "customers", "location_id": "locations", "tax_rate_id": "tax_rates", "variant_id": "variants"}
FOLLOWS = frozenset(
    {
        *("inventory", "inventory_movements", "negative_stock"),
        *("manufacturing_orders", "manufacturing_order_recipe_rows", "sales_order_fulfillments"),
    }
)


def _ids(tenant: Tenant, collection: str) -> list[int]:
    return [record["id"] for record in live(tenant, collection)]


def _selling(tenant: Tenant) -> list[Record]:
    return [location for location in live(tenant, "locations") if location["sales_allowed"]]


def _sold(tenant: Tenant) -> list[int]:
    """Return variants of products that are sold and have a price, oldest first."""
    sold = {
        product["id"] for product in live(tenant, "products") if product["is_sellable"] and not product["batch_tracked"]
    }
    return [
        variant["id"]
        for variant in live(tenant, "variants")
        if variant.get("product_id") in sold and variant["sales_price"]
    ]


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order[ROW]]


def _address(order: Record, kind: str) -> int:
    return next(address["id"] for address in order["addresses"] if address["entity_type"] == kind)


def make_order(tenant: Tenant, number: str) -> Record:
    """Return a new order of three rows, two addresses and a shipping fee."""
    tax = _ids(tenant, "tax_rates")[0]
    rows = [
        {"variant_id": variant_id, "quantity": 2.5, "price_per_unit": 4, "tax_rate_id": tax}
        for variant_id in _sold(tenant)[:3]
    ]
    addresses = [{"entity_type": "billing", "city": "Oslo"}, {"entity_type": "shipping", "city": "Bergen"}]
    head: Arguments = {
        "order_no": number,
        "additional_info": "handle with care",
        "customer_id": _ids(tenant, "customers")[0],
    }
    place: Arguments = {"location_id": _selling(tenant)[0]["id"], "currency": "EUR", "addresses": addresses}
    order = tenant.create(ORDER, {**head, **place, ROW: rows})
    tenant.create(FEE, {"sales_order_id": order["id"], "amount": "5", "tax_rate_id": tax})
    return tenant.get(ORDER, order["id"])


def _row(tenant: Tenant) -> Arguments:
    return {"sku_or_variant_id": _sold(tenant)[0], "quantity": 0.5, "price_per_unit": 1}


def _fee() -> Arguments:
    return {"amount": 5}


def _new(tenant: Tenant, number: str, _: Record) -> Arguments:
    second: Arguments = {"sku_or_variant_id": _sold(tenant)[1]}
    rows = [_row(tenant), {**_row(tenant), **second}]
    address: Arguments = {"entity_type": "shipping", "line_1": "Harbour 1", "city": "Oslo"}
    head: Arguments = {"customer_id": _ids(tenant, "customers")[0], "location_id": _selling(tenant)[0]["id"]}
    parts: Arguments = {"rows": rows, "shipping_fees": [_fee()], "addresses": [address]}
    return {**head, **parts, "order_no": number}


def _changed(tenant: Tenant, _: str, order: Record) -> Arguments:
    first, _second, third = _rows(order)
    return {
        "additional_info": "usual",
        "status": "PENDING",
        "add_rows": [_row(tenant)],
        "update_rows": [{"row_id": first, "quantity": 77}],
        "delete_row_ids": [third],
        "update_addresses": [{"address_id": _address(order, "billing"), "city": "Turku"}],
        "update_shipping_fees": [{"shipping_fee_id": order["shipping_fee"]["id"], "amount": 7}],
    }


def _row_fields(tenant: Tenant) -> Arguments:
    return {
        "sku_or_variant_id": _sold(tenant)[1],
        "quantity": 0.25,
        "price_per_unit": 3,
        "total_discount": 0.1,
        "tax_rate_id": _ids(tenant, "tax_rates")[1],
        "location_id": _selling(tenant)[-1]["id"],
        "attributes": {"engraving": "for Ann"},
        "custom_fields": {defined_field(tenant, "SalesOrderRow"): "red"},
    }


def _fee_fields(tenant: Tenant) -> Arguments:
    return {"amount": 9, "tax_rate_id": _ids(tenant, "tax_rates")[1], "description": "by air"}


LINES: Arguments = {
    name: f"another {name}"
    for name in (
        *("first_name", "last_name", "company", "phone"),
        *("line_1", "line_2", "city", "state", "zip", "country"),
    )
}


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    """Return this entry of an argument with each of these fields."""
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


def _below_new(tenant: Tenant, _: Record) -> dict[str, Arguments]:
    kind: Arguments = {"entity_type": "shipping", "line_1": "Harbour 1", "city": "Oslo"}
    return {
        **_each("rows", _row(tenant), _row_fields(tenant)),
        **_each("shipping_fees", _fee(), _fee_fields(tenant)),
        **_each("addresses", kind, {**LINES, "entity_type": "billing"}),
    }


def _below_changed(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, _ = _rows(order)
    billing, shipping, fee = _address(order, "billing"), _address(order, "shipping"), order["shipping_fee"]["id"]
    there: Arguments = {"address_id": billing}
    anew: Arguments = {"delete_shipping_fee_ids": [fee], "update_shipping_fees": []}
    moved: Arguments = {"delete_address_ids": [shipping], "update_addresses": []}
    kind: Arguments = {"entity_type": "shipping"}
    fees = {
        name: {**anew, **change} for name, change in _each("add_shipping_fees", _fee(), _fee_fields(tenant)).items()
    }
    places = {name: {**moved, **change} for name, change in _each("add_addresses", kind, LINES).items()}
    return {
        **_each("add_rows", _row(tenant), _row_fields(tenant)),
        **_each("update_rows", {"row_id": first}, _row_fields(tenant)),
        **_each("update_rows", {"quantity": 77}, {"row_id": second}),
        **{
            f"update_rows[].{name}": {"update_rows": [{"row_id": first, **row}]}
            for name, row in traced_rows(tenant).items()
        },
        **fees,
        **_each("update_shipping_fees", {"shipping_fee_id": fee}, _fee_fields(tenant)),
        "update_shipping_fees[].shipping_fee_id": {"update_shipping_fees": [{"shipping_fee_id": fee, "amount": 8}]},
        **places,
        "add_addresses[].entity_type": {
            "delete_address_ids": [billing],
            "update_addresses": [],
            "add_addresses": [{"entity_type": "billing", "city": "Turku"}],
        },
        **_each("update_addresses", there, LINES),
        **_each("update_addresses", {"city": "Turku"}, {"address_id": shipping}),
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for record in _selling(tenant) for value in (record["id"], record["name"])]
    goods, taxes = _sold(tenant)[:6], _ids(tenant, "tax_rates")
    pools: dict[str, list[object]] = {
        "customer_id": [*_ids(tenant, "customers")[:4]],
        "location_id": [*places],
        "custom_fields": free_values(tenant, "SalesOrder"),
    }
    for rows in ("rows", "add_rows", "update_rows"):
        pools |= {f"{rows}[].sku_or_variant_id": [*goods], f"{rows}[].tax_rate_id": [*taxes]}
        pools |= {f"{rows}[].location_id": [*places], f"{rows}[].custom_fields": free_values(tenant, "SalesOrderRow")}
        pools |= {f"{rows}[].attributes": [{"engraving": "Bo"}, {}, [{"key": "a", "value": "1"}]]}
    for fees in ("shipping_fees", "add_shipping_fees", "update_shipping_fees"):
        pools |= {f"{fees}[].tax_rate_id": [*taxes]}
    if order:
        rows, addresses = _rows(order), [address["id"] for address in order["addresses"]]
        fee: Any = order["shipping_fee"]["id"]
        pools |= {"update_rows[].row_id": [*rows], "delete_row_ids[]": [*rows], "update_rows[].traceability": [[]]}
        pools |= {"update_addresses[].address_id": [*addresses], "delete_address_ids[]": [*addresses]}
        pools |= {"update_shipping_fees[].shipping_fee_id": [fee], "delete_shipping_fee_ids[]": [fee]}
    return pools


def _row_gone(place: int) -> Spoil:
    return Spoil(act=lambda tenant, order, _: tenant.delete(ROW, _rows(order)[place]), code="unknown_row_id")


def _fee_gone(tenant: Tenant, order: Record, _: Arguments) -> None:
    tenant.delete(FEE, order["shipping_fee"]["id"])


def _numbered_alike(tenant: Tenant, order: Record, arguments: Arguments) -> None:
    other = next(record["id"] for record in live(tenant, ORDER) if record["id"] != order.get("id"))
    tenant.edit(ORDER, other, order_no=arguments["order_no"])


SALES = {
    "create_sales_order": Write(
        collection=ORDER,
        usual=_new,
        pools=_pools,
        below=_below_new,
        spoils={
            "what is sold is deleted": part_gone("rows", "sku_or_variant_id", "variants"),
            "another has its number": Spoil(act=_numbered_alike, code="duplicate_order_number", blocks=False),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=FIRST,
        lined=LINED,
        words=WORDS,
    ),
    "modify_sales_order": Write(
        collection=ORDER,
        usual=_changed,
        subject="sales_order_id",
        make=make_order,
        pools=_pools,
        below=_below_changed,
        spoils={
            "it is deleted": gone(ORDER),
            "it is delivered": edited(ORDER, "invalid_status_transition", status="DELIVERED"),
            "the row to change is deleted": _row_gone(0),
            "the row to delete is deleted": _row_gone(2),
            "the fee to change is deleted": Spoil(act=_fee_gone, code="unknown_row_id"),
            "somebody did the same": done_already(ORDER, additional_info="usual"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        lined=LINED,
        words=WORDS,
    ),
    "delete_sales_order": Write(
        collection=ORDER,
        usual=lambda *_: {},
        subject="sales_order_id",
        make=make_order,
        spoils={
            "it is deleted": gone(ORDER),
            "it is delivered": Spoil(
                act=edited(ORDER, "", status="DELIVERED").act, code="stock_was_moved", blocks=False
            ),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        lined=LINED,
        words=WORDS,
    ),
}
