"""Products (facts 3.2, 4.1).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.custom_fields import CustomFieldInputs
from katana_client.models.products import Product
from katana_client.resource import Resource
from katana_client.wire import Configs, Omittable, Ref, WriteModel


class NewConfig(WriteModel):
    """`NewConfig` of the facts."""

    values: list[str]
    name: str


class NewVariantConfigAttribute(WriteModel):
    """A part of the body below."""

    config_name: str
    config_value: str


class NewVariant(WriteModel):
    """A part of the body below."""

    sku: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    sales_price: Omittable[Annotated[Decimal, Field(ge=0, le=100000000000)]] = None
    purchase_price: Omittable[Annotated[Decimal, Field(ge=0, le=100000000000)]] = None
    supplier_item_codes: Omittable[list[Annotated[str, StringConstraints(min_length=1, max_length=40)]]] = None
    internal_barcode: Omittable[Annotated[str, StringConstraints(min_length=3, max_length=40)]] = None
    registered_barcode: Omittable[Annotated[str, StringConstraints(min_length=3, max_length=40)]] = None
    lead_time: Annotated[Decimal, Field(ge=0)] | None = None
    minimum_order_quantity: Omittable[Annotated[Decimal, Field(ge=0, le=999999999)]] = None
    config_attributes: Omittable[Annotated[list[NewVariantConfigAttribute], Field(min_length=1)]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class ProductCreate(WriteModel):
    """A new product with at least one variant; it must be producible or purchasable."""

    name: Annotated[str, StringConstraints(min_length=1)]
    variants: Annotated[list[NewVariant], Field(min_length=1)]
    uom: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=7)]] = None
    category_name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    is_sellable: Omittable[bool] = None
    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    default_supplier_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None
    batch_tracked: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None
    purchase_uom: Annotated[str, StringConstraints(min_length=1, max_length=7)] | None = None
    purchase_uom_conversion_rate: Annotated[Decimal, Field(le=Decimal("1e+12"))] | None = None
    configs: Omittable[Configs[NewConfig]] = None
    custom_field_collection_id: Ref | None = None


class ConfigChange(WriteModel):
    """An option of an item; matched by id, else by name, else new."""

    values: list[str]
    id: Omittable[Ref] = None
    name: Omittable[str] = None


class ProductUpdate(WriteModel):
    """A change; `configs` is the whole new list, variants are changed through `/variants`."""

    name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    uom: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=7)]] = None
    category_name: Annotated[str, StringConstraints(min_length=1, max_length=35)] | None = None
    is_sellable: Omittable[bool] = None
    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    is_archived: Omittable[bool] = None
    default_supplier_id: Ref | None = None
    additional_info: Annotated[str, StringConstraints(min_length=1)] | None = None
    batch_tracked: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None
    purchase_uom: Annotated[str, StringConstraints(min_length=1, max_length=7)] | None = None
    purchase_uom_conversion_rate: Annotated[Decimal, Field(ge=0)] | None = None
    configs: Omittable[Configs[ConfigChange]] = None
    custom_field_collection_id: Ref | None = None


class Products(Resource[Product, ProductCreate, ProductUpdate]):
    """`/products`."""

    spec = spec_of("products", Product, create=ProductCreate, update=ProductUpdate)
