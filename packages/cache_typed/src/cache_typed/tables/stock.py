"""Stock: one document per variant, one level per location.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal

from cache_core.specs.stock import STOCK
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, flag, identity, part_of, whole
from cache_typed.mapping import PartMapping, TableMapping


class Stock(Document, table=True):
    """The stock of a variant; nothing of it is searched."""

    variant_id: int = identity()
    fetched_at: datetime | None = moment()
    dirty_at: datetime | None = moment()
    is_covered: bool | None = flag()
    cache_count_levels: int | None = whole()


class StockLevel(Part, table=True):
    """Stock of a variant at a location. `quantity_potential` is what its components allow to build."""

    __table_args__ = part_of("stock.variant_id")

    variant_id: int | None = whole()
    location_id: int | None = whole(index=True)
    safety_stock_level: Decimal | None = number()
    reorder_point: Decimal | None = number()
    average_cost: Decimal | None = number()
    value_in_stock: Decimal | None = number()
    quantity_in_stock: Decimal | None = number()
    quantity_in_stock_order: str | None = order_of("quantity_in_stock")
    quantity_committed: Decimal | None = number()
    quantity_expected: Decimal | None = number()
    quantity_missing_or_excess: Decimal | None = number()
    quantity_missing_or_excess_order: str | None = order_of("quantity_missing_or_excess")
    quantity_potential: Decimal | None = number()
    default_storage_bin: object | None = nested()
    archived_at: datetime | None = moment()


STOCK_TABLE = TableMapping(
    STOCK,
    Stock,
    (PartMapping("levels", StockLevel),),
)
