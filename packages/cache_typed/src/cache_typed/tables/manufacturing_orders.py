"""Manufacturing orders, made to stock or to order."""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.manufacturing_orders import MANUFACTURING_ORDER
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import flag, identity, text, together, whole
from cache_typed.mapping import TableMapping
from cache_typed.tables.dated import Dated


class ManufacturingOrder(Dated, table=True):
    """An order; costs are the plan while it is open, and the fact when it is done."""

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


MANUFACTURING_ORDER_TABLE = TableMapping(MANUFACTURING_ORDER, ManufacturingOrder)
