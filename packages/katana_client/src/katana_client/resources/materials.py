"""Materials (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.filters import ARCHIVED, DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.resources.products import ConfigChange, ItemConfig, NewConfig
from katana_client.resources.variants import (
    ConfigAttributeInput,
    CustomFieldInput,
    InternalBarcode,
    LeadTime,
    Variant,
)
from katana_client.wire import (
    Amount,
    Category,
    Configs,
    Linked,
    Moment,
    NonEmpty,
    Omittable,
    Price,
    Quantity,
    Rate,
    ReadModel,
    Ref,
    Unit,
    WriteModel,
)


class Material(ReadModel):
    """A material. Archived when `archived_at` is set; `supplier` comes with `extend=["supplier"]` only."""

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
    serial_tracked: bool | None = None
    operations_in_sequence: bool | None = None
    created_at: Moment = None
    updated_at: Moment = None
    archived_at: Moment = None
    deleted_at: Moment = None


class NewMaterialVariant(WriteModel):
    """A variant inside a new material; it takes no sales price."""

    sku: Omittable[str] = None
    purchase_price: Price | None = None
    internal_barcode: Omittable[InternalBarcode] = None
    registered_barcode: Omittable[InternalBarcode] = None
    supplier_item_codes: Omittable[list[str]] = None
    lead_time: LeadTime | None = None
    minimum_order_quantity: Quantity | None = None
    config_attributes: Omittable[Annotated[list[ConfigAttributeInput], Field(min_length=1)]] = None
    custom_fields: Omittable[Annotated[list[CustomFieldInput], Field(max_length=3)]] = None


class MaterialCreate(WriteModel):
    """A new material with at least one variant."""

    name: NonEmpty
    variants: Annotated[list[NewMaterialVariant], Field(min_length=1)]
    uom: Omittable[Unit] = None
    category_name: Omittable[str] = None
    is_sellable: Omittable[bool] = None
    default_supplier_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None
    batch_tracked: Omittable[bool] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Omittable[Rate] = None
    custom_field_collection_id: Ref | None = None
    configs: Configs[NewConfig] = None


class MaterialUpdate(WriteModel):
    """A change of a material. `configs` is the whole new list; variants are changed through `/variants`."""

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
    is_archived: Omittable[bool] = None


class Materials(Resource[Material, MaterialCreate, MaterialUpdate]):
    """`/materials`."""

    spec = Spec(
        name="materials",
        model=Material,
        create=MaterialCreate,
        update=MaterialUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                *ARCHIVED,
                "name",
                "category_name",
                "is_sellable",
                "uom",
                "default_supplier_id",
                "batch_tracked",
                "purchase_uom",
                "purchase_uom_conversion_rate",
            ),
            repeated=("ids", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )
