"""Variants: what a SKU names. Codes are found through search, so they and the attributes stay nested.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.variants import VARIANT
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.dialect import index_of_given
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class Variant(Document, table=True):
    """A variant. `sku` may be null and is not unique; prices are in the factory's base currency."""

    __table_args__ = (
        index_of_given("variant", "material_id"),
        index_of_given("variant", "product_id"),
        index_of_given("variant", "internal_barcode"),
        index_of_given("variant", "registered_barcode"),
    )
    _fts_columns: ClassVar[Searchable] = VARIANT.searchable

    id: int = identity()
    sku: str | None = text()
    sales_price: Decimal | None = number()
    sales_price_order: str | None = order_of("sales_price")
    product_id: int | None = whole()
    material_id: int | None = whole()
    purchase_price: Decimal | None = number()
    purchase_price_order: str | None = order_of("purchase_price")
    type: str | None = text()
    internal_barcode: str | None = text()
    registered_barcode: str | None = text()
    supplier_item_codes: object | None = nested()
    lead_time: int | None = whole()
    minimum_order_quantity: Decimal | None = number()
    custom_fields: object | None = nested()
    config_attributes: object | None = nested()
    abc_classification: str | None = text()
    product_or_material: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


VARIANT_TABLE = TableMapping(
    VARIANT,
    Variant,
    guesses=frozenset(Capability),
)
