"""Variants of products and materials (facts 3.2); those of services live in `services`. `lead_time` is in days.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.custom_fields import CustomFieldInputs
from katana_client.models.variants import Variant
from katana_client.resource import Resource
from katana_client.resources.searches import VariantSearch
from katana_client.search import Search
from katana_client.wire import Omittable, Ref, WriteModel


class VariantCreateConfigAttribute(WriteModel):
    """A part of the body below."""

    config_name: str
    config_value: str


class VariantCreate(WriteModel):
    """A new variant of exactly one product or material; the parent never changes afterwards."""

    sku: Omittable[str] = None
    sales_price: Annotated[Decimal, Field(ge=0, le=Decimal("1e+11"))] | None = None
    purchase_price: Annotated[Decimal, Field(ge=0, le=Decimal("1e+11"))] | None = None
    product_id: Omittable[Ref] = None
    material_id: Omittable[Ref] = None
    supplier_item_codes: Omittable[Annotated[list[str], Field(min_length=1)]] = None
    internal_barcode: Omittable[Annotated[str, StringConstraints(min_length=3, max_length=40)]] = None
    registered_barcode: Omittable[Annotated[str, StringConstraints(max_length=120)]] = None
    lead_time: Annotated[Decimal, Field(ge=0)] | None = None
    minimum_order_quantity: Annotated[Decimal, Field(ge=0)] | None = None
    config_attributes: Omittable[Annotated[list[VariantCreateConfigAttribute], Field(min_length=1)]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class VariantUpdateConfigAttribute(WriteModel):
    """A part of the body below."""

    config_name: Annotated[str, StringConstraints(min_length=1)]
    config_value: Annotated[str, StringConstraints(min_length=1)]


class VariantUpdate(WriteModel):
    """A change of a variant; lists replace the whole list."""

    sku: Annotated[str, StringConstraints(min_length=1)] | None = None
    sales_price: Annotated[Decimal, Field(ge=0, le=Decimal("1e+11"))] | None = None
    purchase_price: Annotated[Decimal, Field(ge=0, le=Decimal("1e+11"))] | None = None
    supplier_item_codes: Omittable[list[str]] = None
    internal_barcode: Annotated[str, StringConstraints(min_length=3, max_length=40)] | None = None
    registered_barcode: Annotated[str, StringConstraints(min_length=1, max_length=120)] | None = None
    lead_time: Annotated[Decimal, Field(ge=0)] | None = None
    minimum_order_quantity: Annotated[Decimal, Field(ge=0)] | None = None
    config_attributes: Omittable[list[VariantUpdateConfigAttribute]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class Variants(Resource[Variant, VariantCreate, VariantUpdate], Search[Variant, VariantSearch]):
    """`/variants`."""

    spec = spec_of("variants", Variant, create=VariantCreate, update=VariantUpdate)
