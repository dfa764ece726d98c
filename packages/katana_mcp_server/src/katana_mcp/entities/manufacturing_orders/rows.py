"""How a manufacturing order looks in searches and lists."""

from datetime import datetime
from functools import lru_cache

from cache_core.conditions import Below, NoneOf, Where, hold
from cache_core.protocol import Stored
from cache_core.records import is_set, iso
from katana_mcp.entities.manufacturing_orders.parts import RECIPE_ROWS, RecipeLine
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int

NAMED: dict[str, tuple[str, ...]] = {"variant": ("variant_id",), "location": ("location_id",)}
WITH_ROWS = NAMED | {"variant": ("variant_id", f"{RECIPE_ROWS}[].variant_id")}


class ManufacturingOrderSummary(Answer):
    """A manufacturing order without its recipe rows, operations and productions."""

    manufacturing_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    """Of the product made."""
    planned_quantity: Number | None = None
    completed_quantity: Number | None = None
    remaining_quantity: Number | None = None
    location_id: int | None = None
    location: str | None = None
    order_created_date: str | None = None
    production_deadline_date: str | None = None
    done_date: str | None = None
    overdue: bool | None = None
    ingredient_availability: str | None = None
    sales_order_id: int | None = None
    """Made to order for it."""
    sales_order_row_id: int | None = None
    deleted_at: str | None = None
    url: str | None = None


class ManufacturingOrderWithRows(ManufacturingOrderSummary):
    """A manufacturing order, with its recipe rows where they were asked for."""

    recipe_rows: list[RecipeLine] | None = None


HEADER_READS = frozenset({"id"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what an order's record does not say of itself."""
    record = stored.record
    return {
        "manufacturing_order_id": get_int(record, "id"),
        "sku": names.sku(record.get("variant_id")),
        "name": names.variant(record.get("variant_id")),
        "location": names.name("location", record.get("location_id")),
        "overdue": hold(overdue(services.today()), record) or None,
        "url": services.url(f"/manufacturingorder/{stored.id}"),
    }


def with_rows(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the same, and the order's ingredients with SKU and name."""
    parts = names.parts.get(("manufacturing_order", stored.id), [])
    lines = [
        line(RecipeLine, part, names, recipe_row_id=get_int(part, "id"))
        for part in parts
        if not is_set(part, "deleted_at")
    ]
    return header(stored, names, services) | {"recipe_rows": lines}


@lru_cache(maxsize=8)
def overdue(today: datetime) -> Where:
    """Not done, and its deadline has passed."""
    return (NoneOf("status", ("DONE",)), Below("production_deadline_date", iso(today)))
