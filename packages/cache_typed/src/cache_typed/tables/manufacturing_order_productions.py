"""Productions of manufacturing orders, with what each used of ingredients and operations.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.manufacturing_order_productions import MANUFACTURING_ORDER_PRODUCTION
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, Part, identity, part_of, whole
from cache_typed.mapping import PartMapping, TableMapping


class ManufacturingOrderProduction(Document, table=True):
    """A production; its `quantity` and `production_date` are written as `completed_quantity` and `completed_date`."""

    _fts_columns: ClassVar[Searchable] = MANUFACTURING_ORDER_PRODUCTION.searchable

    id: int = identity()
    manufacturing_order_id: int | None = whole(index=True)
    factory_id: int | None = whole()
    quantity: Decimal | None = number()
    production_date: datetime | None = moment(index=True)
    serial_numbers: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_ingredients: int | None = whole()
    cache_count_operations: int | None = whole()


class ProductionIngredient(Part, table=True):
    """How much of an ingredient a production used."""

    __table_args__ = part_of("manufacturing_order_production.id")

    id: int | None = whole(index=True)
    location_id: int | None = whole()
    variant_id: int | None = whole(index=True)
    manufacturing_order_id: int | None = whole()
    manufacturing_order_recipe_row_id: int | None = whole(index=True)
    production_id: int | None = whole()
    quantity: Decimal | None = number()
    production_date: datetime | None = moment()
    cost: Decimal | None = number()
    batch_transactions: object | None = nested()
    traceability: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class ProductionOperation(Part, table=True):
    """How many seconds of an operation a production took."""

    __table_args__ = part_of("manufacturing_order_production.id")

    id: int | None = whole()
    location_id: int | None = whole()
    manufacturing_order_id: int | None = whole()
    manufacturing_order_operation_id: int | None = whole(index=True)
    production_id: int | None = whole()
    time: Decimal | None = number()
    production_date: datetime | None = moment()
    cost: Decimal | None = number()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


MANUFACTURING_ORDER_PRODUCTION_TABLE = TableMapping(
    MANUFACTURING_ORDER_PRODUCTION,
    ManufacturingOrderProduction,
    (
        PartMapping("ingredients", ProductionIngredient),
        PartMapping("operations", ProductionOperation),
    ),
)
