"""Products (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.filters import ARCHIVED, DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.resources.variants import NewVariant, Variant
from katana_client.wire import (
    Amount,
    Category,
    Configs,
    Linked,
    Moment,
    NonEmpty,
    Omittable,
    Rate,
    ReadModel,
    Ref,
    Unit,
    WriteModel,
)


class ItemConfig(ReadModel):
    """An option of an item, such as its size, and the values it can have."""

    id: int | None = None
    name: str | None = None
    values: list[str] | None = None
    product_id: int | None = None
    material_id: int | None = None


class Product(ReadModel):
    """A product. Archived when `archived_at` is set; `supplier` comes with `extend=["supplier"]` only."""

    id: int | None = None
    name: str | None = None
    uom: str | None = None
    category_name: str | None = None
    is_sellable: bool | None = None
    default_supplier_id: int | None = None
    additional_info: str | None = None
    batch_tracked: bool | None = None
    purchase_uom: str | None = None
    purchase_uom_conversion_rate: Amount = None
    custom_field_collection_id: int | None = None
    variants: list[Variant] | None = None
    configs: list[ItemConfig] | None = None
    supplier: Linked = None
    type: str | None = None
    is_producible: bool | None = None
    is_purchasable: bool | None = None
    is_auto_assembly: bool | None = None
    serial_tracked: bool | None = None
    operations_in_sequence: bool | None = None
    lead_time: Amount = None
    minimum_order_quantity: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
    archived_at: Moment = None
    deleted_at: Moment = None


class NewConfig(WriteModel):
    """An option of a new item."""

    name: str
    values: list[str]


class ConfigChange(WriteModel):
    """An option of an item; matched by id, else by name, else new."""

    id: Omittable[Ref] = None
    name: Omittable[str] = None
    values: list[str]


class ProductCreate(WriteModel):
    """A new product with at least one variant; it must be producible or purchasable."""

    name: NonEmpty
    variants: Annotated[list[NewVariant], Field(min_length=1)]
    uom: Omittable[Unit] = None
    category_name: Omittable[NonEmpty] = None
    is_sellable: Omittable[bool] = None
    default_supplier_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None
    batch_tracked: Omittable[bool] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Rate | None = None
    custom_field_collection_id: Ref | None = None
    configs: Configs[NewConfig] = None
    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None


class ProductUpdate(WriteModel):
    """A change of a product. `configs` is the whole new list; variants are changed through `/variants`."""

    name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    uom: Omittable[Unit] = None
    category_name: Category | None = None
    is_sellable: Omittable[bool] = None
    default_supplier_id: Ref | None = None
    additional_info: NonEmpty | None = None
    batch_tracked: Omittable[bool] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Rate | None = None
    custom_field_collection_id: Ref | None = None
    configs: Configs[ConfigChange] = None
    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None
    is_archived: Omittable[bool] = None


class Products(Resource[Product, ProductCreate, ProductUpdate]):
    """`/products`."""

    spec = Spec(
        name="products",
        model=Product,
        create=ProductCreate,
        update=ProductUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                *ARCHIVED,
                "name",
                "uom",
                "category_name",
                "is_sellable",
                "is_producible",
                "is_purchasable",
                "is_auto_assembly",
                "default_supplier_id",
                "batch_tracked",
                "serial_tracked",
                "operations_in_sequence",
                "purchase_uom",
                "purchase_uom_conversion_rate",
            ),
            repeated=("ids", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )
