"""The usual call of the tool that plans to move orders within their ranking, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Changes, Usual, changed_each, live_records


def ranks(tenant: Tenant) -> Usual:
    """Return it."""
    closed = {"PACKED", "DELIVERED", "DONE"}
    sold, made = (
        [order["id"] for order in live_records(tenant, name) if order["status"] not in closed]
        for name in ("sales_orders", "manufacturing_orders")
    )
    beside: Changes = {name: {"position": None, name: sold[3]} for name in ("before", "after")}
    of_made: Changes = {"type": {"type": "manufacturing_order", "orders": made[:2]}}
    changes = changed_each(orders=sold[1:3], position="bottom") | beside | of_made
    return Usual({"type": "sales_order", "orders": sold[:2], "position": "top"}, changes)
