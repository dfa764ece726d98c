"""Products: items made or bought to be sold, with their variants and options.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.products import PRODUCT
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Product(Document, table=True):
    """A product."""

    _fts_columns: ClassVar[Searchable] = PRODUCT.searchable

    id: int = identity()
    name: str | None = text()
    uom: str | None = text()
    category_name: str | None = text(index=True)
    is_sellable: bool | None = flag(index=True)
    default_supplier_id: int | None = whole(index=True)
    additional_info: str | None = text()
    batch_tracked: bool | None = flag(index=True)
    purchase_uom: str | None = text()
    purchase_uom_conversion_rate: Decimal | None = number()
    custom_field_collection_id: int | None = whole()
    supplier: object | None = nested()
    type: str | None = text()
    is_producible: bool | None = flag(index=True)
    is_purchasable: bool | None = flag(index=True)
    is_auto_assembly: bool | None = flag(index=True)
    serial_tracked: bool | None = flag()
    operations_in_sequence: bool | None = flag()
    lead_time: int | None = whole()
    minimum_order_quantity: Decimal | None = number()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    archived_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_variants: int | None = whole()
    cache_count_configs: int | None = whole()


class ProductVariant(Part, table=True):
    """A variant. `sku` may be null and is not unique; prices are in the factory's base currency."""

    __table_args__ = part_of("product.id")

    id: int | None = whole(index=True)
    sku: str | None = text(index=True)
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
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class ProductConfig(Part, table=True):
    """An option of an item, such as its size, and the values it can have."""

    __table_args__ = part_of("product.id")

    id: int | None = whole()
    name: str | None = text()
    values: object | None = nested()
    product_id: int | None = whole()
    material_id: int | None = whole()


PRODUCT_TABLE = TableMapping(
    PRODUCT,
    Product,
    (
        PartMapping("variants", ProductVariant),
        PartMapping("configs", ProductConfig),
    ),
    guesses=frozenset(Capability),
)
