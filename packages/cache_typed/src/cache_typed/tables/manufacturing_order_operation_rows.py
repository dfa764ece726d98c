"""Operations of manufacturing orders.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.manufacturing_order_operation_rows import MANUFACTURING_ORDER_OPERATION_ROW
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class ManufacturingOrderOperationRow(Document, table=True):
    """An operation; the higher `rank` comes first. Times are seconds, by the docs."""

    _fts_columns: ClassVar[Searchable] = MANUFACTURING_ORDER_OPERATION_ROW.searchable

    id: int = identity()
    status: str | None = text(index=True)
    type: str | None = text()
    rank: Decimal | None = number()
    rank_order: str | None = order_of("rank")
    manufacturing_order_id: int | None = whole(index=True)
    operation_id: int | None = whole(index=True)
    operation_name: str | None = text()
    resource_id: int | None = whole(index=True)
    resource_name: str | None = text()
    completed_by_operators: object | None = nested()
    active_operator_id: int | None = whole(index=True)
    planned_time_per_unit: Decimal | None = number()
    planned_time_parameter: Decimal | None = number()
    total_actual_time: Decimal | None = number()
    planned_cost_per_unit: Decimal | None = number()
    total_actual_cost: Decimal | None = number()
    total_consumed_time: Decimal | None = number()
    total_remaining_time: Decimal | None = number()
    cost_per_hour: Decimal | None = number()
    cost_parameter: Decimal | None = number()
    group_boundary: Decimal | None = number()
    is_status_actionable: bool | None = flag()
    completed_at: datetime | None = moment(index=True)
    custom_fields: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_assigned_operators: int | None = whole()


class AssignedOperator(Part, table=True):
    """Who works on an operation."""

    __table_args__ = part_of("manufacturing_order_operation_row.id")

    operator_id: int | None = whole(index=True)
    name: str | None = text()
    deleted_at: datetime | None = moment()


MANUFACTURING_ORDER_OPERATION_ROW_TABLE = TableMapping(
    MANUFACTURING_ORDER_OPERATION_ROW,
    ManufacturingOrderOperationRow,
    (PartMapping("assigned_operators", AssignedOperator),),
)
