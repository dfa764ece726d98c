"""A search finds what stands in each place that its description names."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.entities import ENTITIES
from katana_mcp.testing import Stage, staged
from katana_sandbox import Tenant

type Place = tuple[str, int, str]
"""A collection, the id of a record, and one of its fields."""
type Places = dict[str, list[Place]]

NESTED: dict[str, Callable[[str], object]] = {
    "config_attributes": lambda word: [{"config_name": "Size", "config_value": word}],
    "supplier_item_codes": lambda word: ["first", word],
}
SERIALS = "serial_numbers"
ADDRESS = ("first_name", "last_name", "company", "line_1", "line_2", "city")


def _fields(collection: str, id: int, *fields: str) -> list[Place]:
    return [(collection, id, field) for field in fields]


def _live(tenant: Tenant, collection: str) -> list[dict[str, Any]]:
    return [record for record in tenant.all(collection) if not record["deleted_at"] and not record.get("archived_at")]


def _items(tenant: Tenant) -> tuple[int, Places]:
    material = _live(tenant, "materials")[0]
    variant = material["variants"][0]["id"]
    return variant, {
        "SKU": _fields("variants", variant, "sku"),
        "item name": _fields("materials", material["id"], "name"),
        "config values": _fields("variants", variant, "config_attributes"),
        "supplier item codes": _fields("variants", variant, "supplier_item_codes"),
        "barcodes": _fields("variants", variant, "internal_barcode", "registered_barcode"),
        "category": _fields("materials", material["id"], "category_name"),
        "notes": _fields("materials", material["id"], "additional_info"),
    }


def _products(tenant: Tenant) -> tuple[int, Places]:
    return _headers(tenant, "products")


def _services(tenant: Tenant) -> tuple[int, Places]:
    return _headers(tenant, "services")


def _headers(tenant: Tenant, collection: str) -> tuple[int, Places]:
    item = _live(tenant, collection)[0]
    texts = {"item name": "name", "category": "category_name", "notes": "additional_info"}
    return item["variants"][0]["id"], {place: _fields(collection, item["id"], field) for place, field in texts.items()}


def _sales_orders(tenant: Tenant) -> tuple[int, Places]:
    order = _live(tenant, "sales_orders")[0]
    address = next(
        sales_order_address["id"]
        for sales_order_address in tenant.all("sales_order_addresses")
        if sales_order_address["sales_order_id"] == order["id"]
    )
    return order["id"], {
        "order number": _fields("sales_orders", order["id"], "order_no"),
        "customer name and e-mail": _fields("customers", order["customer_id"], "name", "company", "email"),
        "customer reference": _fields("sales_orders", order["id"], "customer_ref"),
        "notes": _fields("sales_orders", order["id"], "additional_info"),
        "tracking number": _fields("sales_orders", order["id"], "tracking_number"),
        "addresses": _fields("sales_order_addresses", address, *ADDRESS),
        "SKUs of rows": _fields("variants", order["sales_order_rows"][0]["variant_id"], "sku"),
        "e-commerce order id": _fields("sales_orders", order["id"], "ecommerce_order_id"),
    }


def _sales_returns(tenant: Tenant) -> tuple[int, Places]:
    back = _live(tenant, "sales_returns")[0]
    return back["id"], {
        "return number": _fields("sales_returns", back["id"], "order_no"),
        "sales order number": _fields("sales_orders", back["sales_order_id"], "order_no"),
        "customer name": _fields("customers", back["customer_id"], "name", "company"),
        "notes": _fields("sales_returns", back["id"], "additional_info"),
        "tracking number": _fields("sales_returns", back["id"], "tracking_number"),
    }


def _purchase_orders(tenant: Tenant) -> tuple[int, Places]:
    order = _live(tenant, "purchase_orders")[0]
    variant = order["purchase_order_rows"][0]["variant_id"]
    return order["id"], {
        "order number": _fields("purchase_orders", order["id"], "order_no"),
        "supplier name and e-mail": _fields("suppliers", order["supplier_id"], "name", "email"),
        "notes": _fields("purchase_orders", order["id"], "additional_info"),
        "SKUs and supplier item codes of rows": _fields("variants", variant, "sku", "supplier_item_codes"),
    }


def _manufacturing_orders(tenant: Tenant) -> tuple[int, Places]:
    order = _live(tenant, "manufacturing_orders")[0]
    return order["id"], {
        "order number": _fields("manufacturing_orders", order["id"], "order_no"),
        "SKU of the product made": _fields("variants", order["variant_id"], "sku"),
        "serial numbers": [(SERIALS, order["id"], "ManufacturingOrder")],
        "notes": _fields("manufacturing_orders", order["id"], "additional_info"),
    }


def _stock_transfers(tenant: Tenant) -> tuple[int, Places]:
    moved = _live(tenant, "stock_transfers")[0]
    return moved["id"], {
        "transfer number": _fields("stock_transfers", moved["id"], "stock_transfer_number"),
        "names of both locations": [
            ("locations", moved[field], "name") for field in ("source_location_id", "target_location_id")
        ],
        "notes": _fields("stock_transfers", moved["id"], "additional_info"),
        "SKUs of rows": _fields("variants", moved["stock_transfer_rows"][0]["variant_id"], "sku"),
    }


def _stock_adjustments(tenant: Tenant) -> tuple[int, Places]:
    counted = _live(tenant, "stock_adjustments")[0]
    return counted["id"], {
        "adjustment number": _fields("stock_adjustments", counted["id"], "stock_adjustment_number"),
        "location name": _fields("locations", counted["location_id"], "name"),
        "reason": _fields("stock_adjustments", counted["id"], "reason"),
        "notes": _fields("stock_adjustments", counted["id"], "additional_info"),
        "SKUs of rows": _fields("variants", counted["stock_adjustment_rows"][0]["variant_id"], "sku"),
    }


def _customers(tenant: Tenant) -> tuple[int, Places]:
    buyer = _live(tenant, "customers")[-1]["id"]
    fields: dict[str, tuple[str, ...]] = {name: (name,) for name in ("name", "company", "phone", "comment", "category")}
    fields |= {"e-mail": ("email",), "reference": ("reference_id",), "first and last name": ("first_name", "last_name")}
    address = next(
        customer_address["id"]
        for customer_address in tenant.all("customer_addresses")
        if customer_address["customer_id"] == buyer
    )
    lived = {"addresses": _fields("customer_addresses", address, "company", "line_1", "city")}
    return buyer, lived | {place: _fields("customers", buyer, *names) for place, names in fields.items()}


SEARCHES = {
    "items": ("variant_id", (_items, _products, _services)),
    "sales_orders": ("sales_order_id", (_sales_orders,)),
    "sales_returns": ("sales_return_id", (_sales_returns,)),
    "purchase_orders": ("purchase_order_id", (_purchase_orders,)),
    "manufacturing_orders": ("manufacturing_order_id", (_manufacturing_orders,)),
    "stock_transfers": ("stock_transfer_id", (_stock_transfers,)),
    "stock_adjustments": ("stock_adjustment_id", (_stock_adjustments,)),
    "customers": ("customer_id", (_customers,)),
}


def _word(place: Place) -> str:
    """Return a word that nothing else has, nor anything like it."""
    return f"w{hashlib.sha256(repr(place).encode()).hexdigest()[:12]}"


def _planted(tenant: Tenant) -> Iterator[tuple[str, int, str, Place]]:
    """Write a word of its own into every place; yield what is to be found by it, with the place in words."""
    for plural, (_, finders) in SEARCHES.items():
        for finder in finders:
            record_id, places = finder(tenant)
            for called, target in ((called, place) for called, group in places.items() for place in group):
                _plant(tenant, *target)
                yield plural, record_id, called, target


def _plant(tenant: Tenant, collection: str, id: int, field: str) -> None:
    word = _word((collection, id, field))
    if collection == SERIALS:
        order = tenant.get("manufacturing_orders", id)
        tenant.edit("products", tenant.get("variants", order["variant_id"])["product_id"], serial_tracked=True)
        tenant.create(SERIALS, {"resource_type": field, "resource_id": id, "serial_numbers": [word]})
    else:
        changed: dict[str, Any] = {field: NESTED.get(field, str)(word)}
        tenant.edit(collection, id, **changed)


async def test_every_place_that_a_search_names_is_searched(own: OwnSandbox) -> None:
    own.sandbox.switches.set("serial_attach_mo", "mint")  # an order whose serial numbers are older than September
    planted = list(_planted(own.sandbox.tenant()))
    named = {(plural, called) for plural, _, called, _ in planted}
    assert named == {(entity.plural, place) for entity in ENTITIES for place in entity.searched}
    async with staged(own) as stage:
        missed = [case for case in planted if not await _finds(stage, *case)]
    assert missed == []


async def _finds(stage: Stage, plural: str, record_id: int, called: str, place: Place) -> bool:
    del called
    rows = (await stage.call(f"search_{plural}", query=_word(place), limit=50))["rows"]
    return record_id in [row[SEARCHES[plural][0]] for row in rows]
