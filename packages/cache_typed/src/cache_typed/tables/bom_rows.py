"""BOM rows: what one unit of a product variant is made of. Their ids are texts.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.bom_rows import BOM_ROW
from cache_typed.columns import moment, number
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class BomRow(Document, table=True):
    """An ingredient; `quantity` is per one unit of the product."""

    _fts_columns: ClassVar[Searchable] = BOM_ROW.searchable

    cache_nr: int = identity()
    id: str | None = text(index=True)
    product_variant_id: int | None = whole(index=True)
    product_item_id: int | None = whole(index=True)
    ingredient_variant_id: int | None = whole(index=True)
    quantity: Decimal | None = number()
    notes: str | None = text()
    rank: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()


BOM_ROW_TABLE = TableMapping(
    BOM_ROW,
    BomRow,
)
