"""Manufacturing orders, made to stock or to order.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.manufacturing_orders import MANUFACTURING_ORDER
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, flag, identity, text, together, whole
from cache_typed.mapping import TableMapping


class ManufacturingOrder(Document, table=True):
    """A manufacturing order. Times are seconds by the docs; `total_cost` is the plan while open, the fact when done."""

    __table_args__ = (together("manufacturing_order", "status", "production_deadline_date"),)
    _fts_columns: ClassVar[Searchable] = MANUFACTURING_ORDER.searchable

    id: int = identity()
    status: str | None = text(index=True)
    order_no: str | None = text()
    variant_id: int | None = whole(index=True)
    planned_quantity: Decimal | None = number()
    planned_quantity_order: str | None = order_of("planned_quantity")
    actual_quantity: Decimal | None = number()
    completed_quantity: Decimal | None = number()
    remaining_quantity: Decimal | None = number()
    remaining_quantity_order: str | None = order_of("remaining_quantity")
    includes_partial_completions: bool | None = flag()
    batch_transactions: object | None = nested()
    location_id: int | None = whole(index=True)
    order_created_date: datetime | None = moment(index=True)
    production_deadline_date: datetime | None = moment(index=True)
    done_date: datetime | None = moment(index=True)
    additional_info: str | None = text()
    is_linked_to_sales_order: bool | None = flag(index=True)
    ingredient_availability: str | None = text(index=True)
    total_cost: Decimal | None = number()
    total_cost_order: str | None = order_of("total_cost", index=True)
    total_actual_time: Decimal | None = number()
    total_planned_time: Decimal | None = number()
    sales_order_id: int | None = whole(index=True)
    sales_order_row_id: int | None = whole(index=True)
    sales_order_delivery_deadline: datetime | None = moment(index=True)
    material_cost: Decimal | None = number()
    subassemblies_cost: Decimal | None = number()
    operations_cost: Decimal | None = number()
    serial_numbers: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


MANUFACTURING_ORDER_TABLE = TableMapping(
    MANUFACTURING_ORDER,
    ManufacturingOrder,
)
