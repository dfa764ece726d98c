"""What an order waits for that is made itself: its ingredients that are products, and the orders that make them.

Katana links no order to the one that it is made for. Orders of the same sales order belong together; where it has none
that makes an ingredient, every open order that makes it is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cache_core.records import Record
from katana_mcp.entities.manufacturing_orders.parts import RECIPE_ROWS
from katana_mcp.references.display_names import Names, look_up, text
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_bool, get_int, rows

SUBASSEMBLIES = "subassemblies"
_ORDER = "manufacturing_order"


class MakingOrder(Answer):
    """An order that makes a subassembly."""

    manufacturing_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    planned_quantity: Number | None = None
    remaining_quantity: Number | None = None
    production_deadline_date: str | None = None
    same_sales_order: bool | None = None
    """Absent: it makes for stock, or for others."""


class Subassembly(Answer):
    """An ingredient that is made itself."""

    level: int
    """1: of the order that was asked for."""
    of_order: str | None = None
    """Number of the order that takes it."""
    recipe_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    total_remaining_quantity: Number | None = None
    """What that order still takes."""
    ingredient_availability: str | None = None
    orders: list[MakingOrder]
    """None: nothing makes it yet."""


@dataclass(frozen=True, slots=True)
class _Tree:
    """What was found, and the orders that were looked into."""

    services: Services
    found: list[Record]
    seen: set[int]

    async def below(self, level: int, above: Sequence[Record]) -> list[Record]:
        """Add what orders of one level take, and return the orders that make it."""
        by_id = {get_int(order, "id") or 0: order for order in above}
        taken = await rows_beside(self.services, RECIPE_ROWS, of_ids("manufacturing_order_id", *by_id))
        made = await self._made(taken)
        making = await self._making(
            [*dict.fromkeys(key for row in taken if (key := get_int(row, "variant_id")) in made)]
        )
        following: dict[int, Record] = {}
        for row in taken:
            variant, parent = get_int(row, "variant_id"), by_id[get_int(row, "manufacturing_order_id") or 0]
            if variant not in made:
                continue
            orders = [*_meant(parent, making.get(variant or 0, ()))]
            self.found.append({**row, "level": level, "of_order": text(parent, "order_no"), "orders": [*orders]})
            following |= {key: order for order in orders if (key := get_int(order, "id") or 0) not in self.seen}
        self.seen.update(following)
        return [*following.values()]

    async def _made(self, taken: Sequence[Record]) -> set[int | None]:
        """Return the variants among ingredients that are made."""
        names = await look_up(self.services.cache, {"variant": [row.get("variant_id") for row in taken]})
        items = {
            get_int(row, "variant_id"): names.item(names.record("variant", row.get("variant_id"))) for row in taken
        }
        return {variant for variant, item in items.items() if item and get_bool(item, "is_producible")}

    async def _making(self, variants: Sequence[int | None]) -> Mapping[int, list[Record]]:
        """Return the orders that make these variants."""
        if not variants:
            return {}
        found: dict[int, list[Record]] = {}
        for order in await rows_beside(self.services, _ORDER, of_ids("variant_id", *variants), "-id"):
            found.setdefault(get_int(order, "variant_id") or 0, []).append(order)
        return found


def _meant(parent: Record, making: Sequence[Record]) -> Iterator[Record]:
    """Yield the orders that make an ingredient for this one: those of its sales order, or else all that are open."""
    sold = get_int(parent, "sales_order_id")
    own = [order for order in making if sold is not None and get_int(order, "sales_order_id") == sold]
    for order in own or [order for order in making if order.get("status") != "DONE"]:
        yield {**order, "same_sales_order": bool(own) or None}


async def subassemblies(order: Record, services: Services) -> list[Record]:
    """Return the ingredients of an order that are made, those of the orders that make them, and so on."""
    tree, orders, level = _Tree(services, [], {get_int(order, "id") or 0}), [order], 0
    while orders:  # each order is looked into once, so circles end
        level += 1
        orders = await tree.below(level, orders)
    return tree.found


def shown(order: Record, names: Names) -> list[Subassembly] | None:
    """Return them as they are told; None where they were not asked for."""
    if SUBASSEMBLIES not in order:
        return None
    return [
        filled(
            Subassembly,
            row,
            names,
            level=row.get("level"),
            recipe_row_id=get_int(row, "id"),
            sku=names.sku(row.get("variant_id")),
            name=names.variant(row.get("variant_id")),
            orders=[_making_order(linked, names) for linked in cast("list[Record]", row.get("orders"))],
        )
        for row in rows(order, SUBASSEMBLIES)
    ]


def _making_order(order: Record, names: Names) -> MakingOrder:
    key, same = get_int(order, "id"), order.get("same_sales_order")
    return filled(MakingOrder, order, names, manufacturing_order_id=key, same_sales_order=same)
