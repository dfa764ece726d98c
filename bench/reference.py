"""Reference data as Katana sends it, made up, one maker for each entity."""

from cache_core.records import Record

NOON = "2025-01-01T12:00:00.000Z"
DATES: Record = {"created_at": NOON, "updated_at": NOON, "deleted_at": None}


def custom_field_definition(nr: int) -> Record:
    """Return a definition of a field with two choices; its id is a text."""
    return {
        "id": f"f-{nr}",
        "label": f"Field {nr}",
        "field_type": ("singleSelect", "shortText")[nr % 2],
        "entity_type": ("SalesOrder", "Customer")[nr % 2],
        "source": "katana",
        "description": f"note {nr % 97}",
        "options": {"choices": [{"id": choice_id, "label": f"Choice {choice_id}"} for choice_id in (1, 2)]},
        **DATES,
    }


def additional_cost(nr: int) -> Record:
    """Return a kind of additional cost."""
    return {"id": nr, "name": "Shipping", **DATES}


def factory(nr: int) -> Record:
    """Return the account's settings under an id."""
    address = {"line_1": "Weg 1", "line_2": None, "city": "Köln", "state": None, "zip": "50667", "country": "Germany"}
    defaults = dict.fromkeys(("default_so_delivery_time", "default_po_lead_time"), "14")
    locations = {f"default_{purpose}_location_id": 1 for purpose in ("manufacturing", "purchases", "sales")}
    names = dict.fromkeys(("name", "legal_name", "display_name"), "Werk Süd")
    currency = {"currency": "EUR", "base_currency_code": "EUR", "timezone": "Europe/Berlin"}
    more = {"address": None, "legal_address": address, "inventory_closing_date": None}
    return {"id": nr, **names, **currency, **defaults, **locations, **more}
