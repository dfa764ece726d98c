"""What products and materials share: the header, the variants and the options nested in it."""

from datetime import datetime
from decimal import Decimal

from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, flag, text, whole


class Item(Document):
    """The header of a product or a material."""

    name: str | None = text()
    uom: str | None = text()
    category_name: str | None = text(index=True)
    is_sellable: bool | None = flag(index=True)
    default_supplier_id: int | None = whole(index=True)
    additional_info: str | None = text()
    batch_tracked: bool | None = flag(index=True)
    serial_tracked: bool | None = flag()
    operations_in_sequence: bool | None = flag()
    purchase_uom: str | None = text()
    purchase_uom_conversion_rate: Decimal | None = number()
    custom_field_collection_id: int | None = whole()
    supplier: object | None = nested()
    type: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    archived_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_variants: int | None = whole()
    cache_count_configs: int | None = whole()


class ItemVariant(Part):
    """A variant as its product or material embeds it."""

    id: int | None = whole(index=True)
    sku: str | None = text(index=True)
    sales_price: Decimal | None = number()
    sales_price_order: str | None = order_of("sales_price")
    purchase_price: Decimal | None = number()
    purchase_price_order: str | None = order_of("purchase_price")
    product_id: int | None = whole()
    material_id: int | None = whole()
    type: str | None = text()
    internal_barcode: str | None = text()
    registered_barcode: str | None = text()
    supplier_item_codes: object | None = nested()
    lead_time: int | None = whole()
    minimum_order_quantity: Decimal | None = number()
    config_attributes: object | None = nested()
    custom_fields: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class ItemConfig(Part):
    """An option of a product or a material, such as the colour, and its values."""

    id: int | None = whole()
    name: str | None = text()
    values: object | None = nested()
    product_id: int | None = whole()
    material_id: int | None = whole()
