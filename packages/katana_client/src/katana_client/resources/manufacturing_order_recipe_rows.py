"""Ingredients of manufacturing orders, newest first and without a position (facts 3.6, 4.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRow
from katana_client.resource import Resource
from katana_client.wire import FreeFields, Omittable, Ref, TextAmount, WriteModel


class ManufacturingOrderRecipeRowCreateBatchTransaction(WriteModel):
    """A part of the body below."""

    batch_id: Ref
    quantity: Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+17"))]


class ManufacturingOrderIngredientTraceability(WriteModel):
    """`ManufacturingOrderIngredientTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class ManufacturingOrderRecipeRowCreate(WriteModel):
    """A new ingredient of an order that is not done; a copy carries nothing that was used."""

    not_copied = frozenset({"total_actual_quantity", "batch_transactions"})

    manufacturing_order_id: Ref
    variant_id: Ref
    planned_quantity_per_unit: Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+15"))]
    custom_fields: FreeFields | None = None
    notes: Omittable[Annotated[str, StringConstraints(max_length=255)]] = None
    total_actual_quantity: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+15"))]] = None
    batch_transactions: Omittable[list[ManufacturingOrderRecipeRowCreateBatchTransaction]] = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None


class ManufacturingOrderRecipeRowUpdateBatchTransaction(WriteModel):
    """A part of the body below."""

    batch_id: Ref
    quantity: Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+17"))]


class ManufacturingOrderRecipeRowUpdate(WriteModel):
    """A change; `batch_transactions` replaces the list. What was used is not copied."""

    not_copied = frozenset({"total_actual_quantity", "batch_transactions"})

    custom_fields: FreeFields | None = None
    variant_id: Omittable[Ref] = None
    notes: Annotated[str, StringConstraints(max_length=255)] | None = None
    planned_quantity_per_unit: Omittable[Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+16"))]] = None
    total_actual_quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    batch_transactions: Omittable[list[ManufacturingOrderRecipeRowUpdateBatchTransaction]] = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None


class ManufacturingOrderRecipeRows(
    Resource[ManufacturingOrderRecipeRow, ManufacturingOrderRecipeRowCreate, ManufacturingOrderRecipeRowUpdate]
):
    """`/manufacturing_order_recipe_rows`."""

    spec = spec_of(
        "manufacturing_order_recipe_rows",
        ManufacturingOrderRecipeRow,
        create=ManufacturingOrderRecipeRowCreate,
        update=ManufacturingOrderRecipeRowUpdate,
    )
