"""Services, each with exactly one variant (facts 3.2).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.custom_fields import CustomFieldInputs
from katana_client.models.services import Service
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class NewServiceVariant(WriteModel):
    """`CreateServiceVariantRequest` of the facts."""

    sku: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    sales_price: Annotated[Decimal, Field(ge=0, le=100000000000)] | None = None
    default_cost: Annotated[Decimal, Field(ge=0, le=100000000000)] | None = None
    custom_fields: Omittable[CustomFieldInputs] = None


class ServiceCreate(WriteModel):
    """`CreateServiceRequest` of the facts."""

    name: Annotated[str, StringConstraints(min_length=1)]
    variants: Annotated[list[NewServiceVariant], Field(min_length=1, max_length=1)]
    uom: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=7)]] = None
    category_name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    additional_info: Omittable[str] = None
    is_sellable: Omittable[bool] = None
    custom_field_collection_id: Ref | None = None


class ServiceUpdate(WriteModel):
    """A change of a service; `sku`, `sales_price`, `default_cost`, `custom_fields` write its variant."""

    name: Omittable[str] = None
    uom: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=7)]] = None
    category_name: Annotated[str, StringConstraints(min_length=1, max_length=35)] | None = None
    additional_info: Annotated[str, StringConstraints(min_length=1)] | None = None
    is_sellable: Omittable[bool] = None
    is_archived: Omittable[bool] = None
    sales_price: Decimal | None = None
    default_cost: Decimal | None = None
    sku: Annotated[str, StringConstraints(min_length=1)] | None = None
    custom_field_collection_id: Ref | None = None
    custom_fields: Omittable[CustomFieldInputs] = None


class Services(Resource[Service, ServiceCreate, ServiceUpdate]):
    """`/services`."""

    spec = spec_of("services", Service, create=ServiceCreate, update=ServiceUpdate)
