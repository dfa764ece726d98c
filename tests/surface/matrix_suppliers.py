"""The usual calls of the tools that plan to write suppliers, and what makes a difference."""

from katana_sandbox import Tenant

from .custom import defined_field
from .usual import Usual, changed_each, live_records


def supplier_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return them, by tool."""
    first, second, *_ = live_records(tenant, "suppliers")
    fields = {
        **dict.fromkeys(("name", "email", "phone"), "Nova"),
        "comment": "delivers on Fridays",
        "currency": "sek",
        "custom_fields": {defined_field(tenant, "Supplier"): "oak"},
    }
    hall: dict[str, object] = {"line_1": "Hall 3", "zip": "01001"}
    address = first["default_address_id"]
    return {
        "create_supplier": Usual({"name": "Velo Nova"}, changed_each(**fields, addresses=[hall])),
        "modify_supplier": Usual(
            {"supplier_id": first["id"], "phone": "usual"},
            changed_each(
                **fields,
                supplier_id=second["name"],
                add_addresses=[hall],
                update_addresses=[{"address_id": address, "city": "Valga"}],
                delete_address_ids=[address],
            ),
        ),
        "delete_supplier": Usual({"supplier_id": first["id"]}, changed_each(supplier_id=second["name"])),
    }
