"""Definitions of custom fields; their ids are UUIDs.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.custom_field_definitions import CustomFieldDefinition
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class CustomFieldChoiceCreate(WriteModel):
    """`CustomFieldChoiceCreate` of the facts."""

    label: str


class CustomFieldOptionsCreate(WriteModel):
    """`CustomFieldOptionsCreate` of the facts."""

    choices: Omittable[list[CustomFieldChoiceCreate]] = None
    appears_on: Omittable[
        list[Literal["SalesOrderRow", "PurchaseOrderRow", "OutsourcedPurchaseOrderRow", "ManufacturingOrder"]]
    ] = Field(default=None, serialization_alias="appearsOn")


class CustomFieldDefinitionCreate(WriteModel):
    """`CreateCustomFieldDefinitionRequest` of the facts."""

    label: Annotated[str, StringConstraints(max_length=255)]
    field_type: Literal["shortText", "number", "singleSelect", "date", "boolean", "url"]
    entity_type: Literal[
        "SalesOrder",
        "SalesOrderRow",
        "ProductVariant",
        "MaterialVariant",
        "ServiceVariant",
        "PurchaseOrder",
        "PurchaseOrderRow",
        "OutsourcedPurchaseOrder",
        "OutsourcedPurchaseOrderRow",
        "ProductionOperation",
        "RecipeBom",
        "Supplier",
        "Customer",
    ]
    source: Annotated[str, StringConstraints(max_length=255)]
    description: str | None = None
    options: CustomFieldOptionsCreate | None = None


class CustomFieldChoice(WriteModel):
    """`CustomFieldChoice` of the facts."""

    label: str
    id: Omittable[Ref] = None
    deleted: Omittable[bool] = None


class CustomFieldOptions(WriteModel):
    """`CustomFieldOptions` of the facts."""

    choices: Omittable[list[CustomFieldChoice]] = None
    appears_on: Omittable[
        list[Literal["SalesOrderRow", "PurchaseOrderRow", "OutsourcedPurchaseOrderRow", "ManufacturingOrder"]]
    ] = Field(default=None, serialization_alias="appearsOn")


class CustomFieldDefinitionUpdate(WriteModel):
    """`UpdateCustomFieldDefinitionRequest` of the facts."""

    label: Omittable[Annotated[str, StringConstraints(max_length=255)]] = None
    description: str | None = None
    options: CustomFieldOptions | None = None


class CustomFieldDefinitions(Resource[CustomFieldDefinition, CustomFieldDefinitionCreate, CustomFieldDefinitionUpdate]):
    """`/custom_field_definitions`."""

    spec = spec_of(
        "custom_field_definitions",
        CustomFieldDefinition,
        create=CustomFieldDefinitionCreate,
        update=CustomFieldDefinitionUpdate,
    )
