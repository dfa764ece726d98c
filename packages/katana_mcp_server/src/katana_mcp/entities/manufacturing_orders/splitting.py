"""A row of a sales order made by several manufacturing orders: the first is linked, and made smaller; others follow."""

from collections.abc import Sequence
from decimal import Decimal

from cache_core.records import canonical
from katana_mcp.documents.transition import State
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, RECIPE_ROWS
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import number
from katana_mcp.writing.actions import Action, Recognise, Ref

_ORDER, _ORDERS = "manufacturing_order", "manufacturing_orders"
MOST_ORDERS = 100
"""Orders that a row is split into at most."""


def split(row: State, most: Decimal | None) -> list[Decimal]:
    """Return how much each order of a row makes, that of the order that is linked to it first.

    Of more orders than any may be made of, one more than that.
    """
    left = number(row, "quantity") or Decimal(0)
    if most is None or left <= most:
        return [left]
    whole, rest = divmod(left, most)
    return [most] * min(int(whole), MOST_ORDERS + 1) + ([rest] if rest else [])


def smaller(row: State, called: str, made: Ref, amount: Decimal) -> Action:
    """Return what makes the order that Katana links to a row smaller than the row."""
    body = canonical({"planned_quantity": amount})
    return Action(
        title=f"let the order of row {row.get('id')} of {called} make {plain_number(amount)}",
        method="PATCH",
        path=f"/{_ORDERS}",
        body=body,
        entity=_ORDER,
        expects=body,
        target=made,
        recognise=Recognise(collection=_ORDERS, filters={"ids": [made]}),
        refreshes=(RECIPE_ROWS, OPERATIONS),
    )


def further(row: State, called: str, place: object, nr: int, amounts: Sequence[Decimal]) -> Action:
    """Return what makes a further order of a row, whose notes say of what it is a part."""
    body = canonical(
        {
            "variant_id": row.get("variant_id"),
            "location_id": place,
            "planned_quantity": amounts[nr],
            "additional_info": f"{called}, row {row.get('id')}, {nr + 1} of {len(amounts)}",
        }
    )
    return Action(
        title=f"make {plain_number(amounts[nr])} more of row {row.get('id')} of {called}",
        method="POST",
        path=f"/{_ORDERS}",
        body=body,
        entity=_ORDER,
        expects=body,
        recognise=Recognise(collection=_ORDERS, filters={"is_linked_to_sales_order": False}),
        refreshes=(RECIPE_ROWS, OPERATIONS),
    )
