"""What every account has: settings, locations, tax rates, operators, cost presets, suppliers, services."""

from katana_sandbox.collections.tax_rates import display_name
from katana_sandbox.factory.loader import DAY, Loader
from katana_sandbox.factory.names import CITIES, LOCATIONS, OPERATORS, STREETS, SUPPLIERS, WORK

_AGE = 1200 * DAY
_CUSTOM_FIELDS = (
    ("Engraving", "SalesOrderRow", ()),
    ("Gift note", "SalesOrder", ()),
    ("Carrier", "SalesOrder", ("Parcel Nord", "Own van")),
    ("Quality grade", "PurchaseOrder", ("A", "B")),
)


def load_settings(loader: Loader, delay: int) -> tuple[list[int], list[int]]:
    """The settings; the ids of locations, which opened `delay` milliseconds late, and of tax rates."""
    start = loader.now - _AGE
    address = {
        "line_1": "Harbour Road 1",
        "line_2": "",
        "city": "Tallinn",
        "state": "",
        "zip": "10111",
        "country": "EE",
    }
    locations: list[int] = []
    for rank, (name, sells, makes) in enumerate(LOCATIONS):
        fields = {
            "name": name,
            "legal_name": "Fjell & Fjord Cycles OÜ",
            "address_id": 501 + rank,
            "address": {"id": 501 + rank, **address},
            "is_primary": rank == 0,
            "sales_allowed": sells,
            "purchase_allowed": True,
            "manufacturing_allowed": makes,
            "rank": rank,
        }
        locations.append(loader.number("locations", fields, loader.life(start + delay + rank * DAY)))
    rates: list[int] = []
    for rate, name in ((22, "VAT"), (9, "Reduced VAT"), (0, "Export")):
        flags = {"is_default_sales": rate == 22, "is_default_purchases": rate == 22}
        fields = {"name": name, "rate": rate, **flags, "display_name": display_name(rate, name)}
        rates.append(loader.number("tax_rates", fields, loader.life(start)))
    for position, (name, area) in enumerate(OPERATORS):
        fields = {"operator_name": name, "working_area": area, "resource_id": 601 + position % 2}
        loader.put("operators", fields, loader.life(start + position * DAY))
    for name in ("Shipping", "Customs", "Other"):
        loader.put("additional_costs", {"name": name}, loader.life(start))
    _load_account(loader, locations[0], address)
    for label, entity, choices in _CUSTOM_FIELDS:
        options = {"choices": [{"id": key, "label": one} for key, one in enumerate(choices, 1)]} if choices else None
        kind = {"field_type": "singleSelect" if choices else "shortText", "entity_type": entity, "source": "katana"}
        fields = {"label": label, **kind, "description": None, "options": options}
        loader.put("custom_field_definitions", fields, loader.plain_life(start))
    for name, role in (("Aino", "owner"), ("Mart", "member")):
        shown = {"firstName": name, "lastName": "Fjell", "email": f"{name.lower()}@example.com", "role": role}
        loader.put("users", {**shown, "status": "active", "last_login_at": None}, loader.plain_life(start))
    return locations, rates


def _load_account(loader: Loader, location: int, address: dict[str, str]) -> None:
    fields = {
        "name": "Fjell & Fjord Cycles",
        "address": None,
        "currency": "EUR",
        "timezone": "Europe/Tallinn",
        "legal_address": address,
        "legal_name": "Fjell & Fjord Cycles OÜ",
        "display_name": "Fjell & Fjord Cycles",
        "base_currency_code": "EUR",
        "default_so_delivery_time": "14",
        "default_po_lead_time": None,
        "default_mo_lead_time": None,
        "default_manufacturing_location_id": location,
        "default_purchases_location_id": location,
        "default_sales_location_id": location,
        "inventory_closing_date": None,
    }
    loader.put("factory", fields, loader.life(loader.now - _AGE), key=1)


def load_suppliers(loader: Loader) -> list[int]:
    """Suppliers with one address each."""
    ids: list[int] = []
    for position, (name, currency) in enumerate(SUPPLIERS):
        life = loader.life(loader.now - _AGE + (position + 5) * DAY)
        supplier_id = loader.ctx.db.next_id("suppliers")
        city, code, country = CITIES[position % len(CITIES)]
        address = {
            "supplier_id": supplier_id,
            "line_1": f"{STREETS[position % len(STREETS)]} {position + 3}",
            "line_2": None,
            "city": city,
            "state": None,
            "zip": code,
            "country": country,
        }
        fields = {
            "name": name,
            "email": f"orders{position + 1}@example.com",
            "phone": f"+372 555 01{position:02d}",
            "comment": "Closed in July" if position == 3 else "",
            "currency": currency,
            "default_address_id": loader.number("supplier_addresses", address, life),
        }
        loader.put("suppliers", fields, life, key=supplier_id)
        ids.append(supplier_id)
    return ids


def load_services(loader: Loader) -> list[tuple[int, float, str]]:
    """Services; id, price and SKU of their variants."""
    variants: list[tuple[int, float, str]] = []
    for name, sku, price in WORK:
        life = loader.life(loader.now - 900 * DAY)
        fields = {
            "name": name,
            "uom": "pcs",
            "category_name": "Workshop",
            "is_sellable": True,
            "type": "service",
            "additional_info": "",
            "custom_field_collection_id": None,
        }
        service_id = loader.number("services", fields, life)
        own = {"sku": sku, "sales_price": price, "default_cost": price // 2, "service_id": service_id}
        shown = {**own, "type": "service", "custom_fields": None}
        variants.append((loader.number("service_variants", shown, life), price, sku))
    return variants
