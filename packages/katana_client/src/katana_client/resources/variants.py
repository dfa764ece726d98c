"""Variants of products and materials (facts 3.2); those of services live in `services`."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.custom_fields import CustomFieldInputs
from katana_client.filters import ARCHIVED, DATES, DELETED, Filters
from katana_client.models.variants import Variant
from katana_client.resource import Resource
from katana_client.resources.searches import VariantSearch
from katana_client.search import Search
from katana_client.wire import (
    NonEmpty,
    Omittable,
    Price,
    Quantity,
    Ref,
    WriteModel,
)

type InternalBarcode = Annotated[str, StringConstraints(min_length=3, max_length=40)]
"""Write: 3 to 40 characters."""
type LeadTime = Annotated[Decimal, Field(ge=0)]
"""Write: days."""


class ConfigAttributeInput(WriteModel):
    """A value for one of the parent's configs; `config_name` must exist there."""

    config_name: NonEmpty
    config_value: NonEmpty


class NewVariant(WriteModel):
    """A variant inside a new product."""

    sku: Omittable[NonEmpty] = None
    sales_price: Price | None = None
    purchase_price: Price | None = None
    internal_barcode: Omittable[InternalBarcode] = None
    registered_barcode: Omittable[InternalBarcode] = None
    supplier_item_codes: Omittable[list[Annotated[str, StringConstraints(min_length=1, max_length=40)]]] = None
    lead_time: LeadTime | None = None
    minimum_order_quantity: Quantity | None = None
    config_attributes: Omittable[Annotated[list[ConfigAttributeInput], Field(min_length=1)]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class VariantCreate(WriteModel):
    """A new variant of exactly one product or material; the parent never changes afterwards."""

    sku: Omittable[str] = None
    sales_price: Price | None = None
    purchase_price: Price | None = None
    product_id: Omittable[Ref] = None
    material_id: Omittable[Ref] = None
    internal_barcode: Omittable[InternalBarcode] = None
    registered_barcode: Omittable[Annotated[str, StringConstraints(max_length=120)]] = None
    supplier_item_codes: Omittable[Annotated[list[NonEmpty], Field(min_length=1)]] = None
    lead_time: LeadTime | None = None
    minimum_order_quantity: Quantity | None = None
    config_attributes: Omittable[Annotated[list[ConfigAttributeInput], Field(min_length=1)]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class VariantUpdate(WriteModel):
    """A change of a variant; lists replace the whole list."""

    sku: NonEmpty | None = None
    sales_price: Price | None = None
    purchase_price: Price | None = None
    internal_barcode: InternalBarcode | None = None
    registered_barcode: Annotated[str, StringConstraints(min_length=1, max_length=120)] | None = None
    supplier_item_codes: Omittable[list[NonEmpty]] = None
    lead_time: LeadTime | None = None
    minimum_order_quantity: Quantity | None = None
    config_attributes: Omittable[list[ConfigAttributeInput]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class Variants(Resource[Variant, VariantCreate, VariantUpdate], Search[Variant, VariantSearch]):
    """`/variants`."""

    spec = Spec(
        name="variants",
        model=Variant,
        create=VariantCreate,
        update=VariantUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                *ARCHIVED,
                "product_id",
                "material_id",
                "sales_price",
                "purchase_price",
                "type",
                "internal_barcode",
                "registered_barcode",
                "abc_classification",
            ),
            repeated=("ids", "sku", "supplier_item_codes", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )
