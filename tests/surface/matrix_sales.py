"""Usual calls of the tools that write sales orders and stock adjustments."""

from katana_sandbox import Tenant

from .custom import defined_field
from .usual import Usual
from .usual import changed_each as _each
from .usual import live_records as _live

PARCEL = "sales_order_fulfillments"


def adjustment_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return a usual call of each, and what makes a difference."""
    counted = _live(tenant, "stock_adjustments")
    first, other = [location["id"] for location in _live(tenant, "locations")][:2]
    found, lost = [variant["id"] for variant in _live(tenant, "variants")][:2]
    head = _each(
        stock_adjustment_date="2026-03-04",
        reason="Broken in shipping",
        additional_info="second count",
        stock_adjustment_number="SA-900",
    )
    rows = [{"sku_or_variant_id": found, "quantity": 2, "cost_per_unit": 3.5}]
    more = [*rows, {"sku_or_variant_id": lost, "quantity": -0.5}]
    old = counted[0]
    elsewhere = next(location_id for location_id in (first, other) if location_id != old["location_id"])
    return {
        "create_stock_adjustment": Usual(
            {"location_id": first, "rows": rows}, head | _each(location_id=other, rows=more)
        ),
        "modify_stock_adjustment": Usual(
            {"stock_adjustment_id": old["id"], "reason": "usual"},
            head | _each(stock_adjustment_id=counted[1]["stock_adjustment_number"], location_id=elsewhere),
        ),
        "delete_stock_adjustment": Usual(
            {"stock_adjustment_id": old["id"]}, _each(stock_adjustment_id=counted[1]["stock_adjustment_number"])
        ),
    }


def packed_order(tenant: Tenant) -> None:
    """Pack a part of the newest order that nothing is shipped of, and define a custom field of orders."""
    *_, order = (sales_order for sales_order in _live(tenant, "sales_orders") if sales_order["status"] == "NOT_SHIPPED")
    row = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": 0.5, "batch_transactions": []}
    tenant.create(PARCEL, {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": [row]})
    defined_field(tenant, "SalesOrder")


def sales_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return a usual call of each, and what makes a difference."""
    orders = [sales_order for sales_order in _live(tenant, "sales_orders") if sales_order["status"] == "NOT_SHIPPED"]
    fees = {record["sales_order_id"]: record["id"] for record in tenant.all("sales_order_shipping_fee")}
    order = next(record for record in orders if record["addresses"] and record["id"] in fees)
    other = next(record for record in orders if record is not order)
    places = [location["id"] for location in _live(tenant, "locations") if location["sales_allowed"]]
    here = next(location_id for location_id in places if location_id != order["location_id"])
    first, second = [customer["id"] for customer in _live(tenant, "customers")][:2]
    row = {"sku_or_variant_id": _live(tenant, "variants")[0]["id"], "quantity": 2, "price_per_unit": 3}
    place = {"entity_type": "shipping", "city": "Oslo"}
    head = _each(
        order_no="SO-900",
        customer_id=second,
        location_id=here,
        order_created_date="2026-03-04",
        delivery_date="2026-04-05",
        currency="USD",
        customer_ref="PO 7",
        additional_info="by rail",
        tracking_number="T 1",
        tracking_number_url="https://carrier.example/T1",
        custom_fields={defined_field(tenant, "SalesOrder"): "oak"},
        status="PENDING",
    )
    shop = _each(ecommerce_order_type="shopify", ecommerce_store_name="Shop", ecommerce_order_id="7")
    kept, address = order["sales_order_rows"][0]["id"], order["addresses"][0]["id"]
    none: dict[str, object] = {"id": 0, "sales_order_id": 0}
    parcel = next((record for record in tenant.all(PARCEL) if record["status"] == "PACKED"), none)
    packed: dict[str, object] = {"sales_order_id": parcel["sales_order_id"]}
    shipment = packed | {"fulfillment_id": parcel["id"], "tracking_number": "1Z 2"}
    taken_back = packed | {"delete_fulfillment_id": parcel["id"]}
    return {
        "fulfill_order": Usual(
            {"sales_order_id": order["id"]},
            _each(
                sales_order_id=other["order_no"],
                rows=[{"row_id": kept, "quantity": 0.5}],
                picked_date="2026-02-20T08:00:00Z",
                status="PACKED",
                tracking_number="1Z 1",
                tracking_url="https://carrier.example/1Z1",
                tracking_carrier="Parcels",
                tracking_method="Express",
            )
            | dict.fromkeys(("fulfillment_id",), shipment)
            | dict.fromkeys(("delete_fulfillment_id",), taken_back),
        ),
        "create_sales_order": Usual(
            {"customer_id": first, "rows": [row]},
            head | shop | _each(rows=[row, row], addresses=[place], shipping_fees=[{"amount": 5}]),
        ),
        "modify_sales_order": Usual(
            {"sales_order_id": order["id"], "additional_info": "usual"},
            head
            | _each(
                sales_order_id=other["order_no"],
                add_rows=[row],
                update_rows=[{"row_id": kept, "quantity": 77}],
                delete_row_ids=[kept],
                add_addresses=[place],
                update_addresses=[{"address_id": address, "city": "Oslo"}],
                delete_address_ids=[address],
                add_shipping_fees=[{"amount": 5}],
                update_shipping_fees=[{"shipping_fee_id": fees[order["id"]], "amount": 50}],
                delete_shipping_fee_ids=[fees[order["id"]]],
            ),
        ),
        "delete_sales_order": Usual({"sales_order_id": order["id"]}, _each(sales_order_id=other["order_no"])),
    }
