"""Variants as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.custom_fields import CustomFields
from katana_client.wire import Amount, Linked, Moment, ReadModel


class ConfigAttribute(ReadModel):
    """A variant's value for one of its parent's configs."""

    config_name: str | None = None
    config_value: str | None = None


class Variant(ReadModel):
    """A variant. `sku` may be null and is not unique; prices are in the factory's base currency.

    `product_or_material` comes with `extend=["product_or_material"]` only.
    """

    id: int | None = None
    sku: str | None = None
    sales_price: Amount = None
    product_id: int | None = None
    material_id: int | None = None
    purchase_price: Amount = None
    type: str | None = None
    internal_barcode: str | None = None
    registered_barcode: str | None = None
    supplier_item_codes: list[str] | None = None
    lead_time: Amount = None
    minimum_order_quantity: Amount = None
    custom_fields: CustomFields = None
    config_attributes: list[ConfigAttribute] | None = None
    abc_classification: str | None = None
    product_or_material: Linked = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
