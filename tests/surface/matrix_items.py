"""Usual calls of the tools that write items: services, for now."""

from katana_sandbox import Tenant

from .usual import Usual
from .usual import changed_each as _each
from .usual import live_records as _live


def item_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return a usual call of each, and what makes a difference; `type` has one value, so nothing can."""
    first, other = _live(tenant, "services")[:2]
    head = _each(
        name="Repair",
        sku="REPAIR-1",
        sales_price=7.25,
        default_cost=3,
        uom="min",
        category_name="Work",
        is_sellable=False,
        additional_info="by appointment",
    )
    one: dict[str, object] = {"type": "service", "item_id": first["id"]}
    named = _each(item_id=other["variants"][0]["sku"])
    return {
        "create_item": Usual({"type": "service", "name": "Wash"}, head),
        "modify_item": Usual({**one, "category_name": "usual"}, head | named | _each(is_archived=True)),
        "delete_item": Usual(one, named),
    }
