"""Services, each with exactly one variant (facts 3.2)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import Spec
from katana_client.custom_fields import CustomFieldInputs
from katana_client.filters import ARCHIVED, DATES, DELETED, Filters
from katana_client.models.services import Service
from katana_client.resource import Resource
from katana_client.wire import (
    Category,
    NonEmpty,
    Omittable,
    Price,
    Ref,
    Unit,
    WriteModel,
)


class NewServiceVariant(WriteModel):
    """The variant of a new service."""

    sku: Omittable[NonEmpty] = None
    sales_price: Price | None = None
    default_cost: Price | None = None
    custom_fields: Omittable[CustomFieldInputs] = None


class ServiceCreate(WriteModel):
    """A new service with its one variant."""

    name: NonEmpty
    variants: Annotated[list[NewServiceVariant], Field(min_length=1, max_length=1)]
    uom: Omittable[Unit] = None
    category_name: Omittable[NonEmpty] = None
    is_sellable: Omittable[bool] = None
    additional_info: Omittable[str] = None
    custom_field_collection_id: Ref | None = None


class ServiceUpdate(WriteModel):
    """A change of a service; `sku`, `sales_price`, `default_cost`, `custom_fields` write its variant."""

    name: Omittable[str] = None
    uom: Omittable[str] = None
    category_name: Category | None = None
    is_sellable: Omittable[bool] = None
    additional_info: NonEmpty | None = None
    custom_field_collection_id: Ref | None = None
    custom_fields: Omittable[CustomFieldInputs] = None
    default_cost: Decimal | None = None
    sales_price: Decimal | None = None
    sku: Omittable[NonEmpty] = None
    is_archived: Omittable[bool] = None


class Services(Resource[Service, ServiceCreate, ServiceUpdate]):
    """`/services`. Whether a PATCH wipes `additional_info` is not known, so it is kept as for products."""

    spec = Spec(
        name="services",
        model=Service,
        create=ServiceCreate,
        update=ServiceUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(*DATES, *DELETED, *ARCHIVED, "name", "uom", "category_name", "is_sellable"),
            repeated=("ids",),
        ),
    )
