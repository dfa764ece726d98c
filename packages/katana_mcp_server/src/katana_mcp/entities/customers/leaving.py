"""What a customer leaves behind that goes: its open orders."""

from dataclasses import replace

from cache_core.conditions import OneOf
from katana_mcp.documents.leaving import count, open_orders
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, rows


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the open sales orders of a customer that goes."""
    if change.after is not None:
        return change.facts
    orders = await open_orders((OneOf("customer_id", (get_int(change.old, "id") or 0,)),), services)
    return replace(change.facts, linked=(orders,))


def described(change: Transition) -> str:
    """Return how many addresses it has, and how many open orders it leaves."""
    addresses = f"addresses: {len(rows(change.subject, 'addresses'))}"
    return f" ({addresses})" if change.after else f" ({addresses}, open sales orders: {count(change)})"
