"""Productions: what was made of manufacturing orders, and of what (facts 3.6, 4.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field

from katana_client.collection import spec_of
from katana_client.models.manufacturing_order_productions import ManufacturingOrderProduction
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class ProducedBatchInput(WriteModel):
    """`ManufacturingOrderProductionBatchTransaction` of the facts."""

    batch_id: Annotated[int, Field(ge=0)]


class BatchTransaction(WriteModel):
    """`BatchTransactionRequest` of the facts."""

    batch_id: Ref
    quantity: Decimal


class ManufacturingOrderIngredientTraceability(WriteModel):
    """`ManufacturingOrderIngredientTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class UsedIngredientInput(WriteModel):
    """`ConsumedIngredient` of the facts."""

    quantity: Annotated[Decimal, Field(gt=0)]
    manufacturing_order_recipe_row_id: Ref
    batch_transactions: Omittable[list[BatchTransaction]] = None
    traceability: Omittable[list[ManufacturingOrderIngredientTraceability]] = None


class UsedOperationInput(WriteModel):
    """How many seconds of an operation row were taken."""

    time: Annotated[Decimal, Field(gt=0)]
    manufacturing_order_operation_id: Ref


class ManufacturingOrderTraceability(WriteModel):
    """`ManufacturingOrderTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class ManufacturingOrderProductionCreate(WriteModel):
    """A new production; `is_final` makes the order done.

    `ingredients` and `operations`: left out, Katana takes them from the plan; an empty list means none. Serial numbers
    are ids, and Katana drops unknown ones without a word: compare with those of the answer. Of a production that was
    read only the order is copied.
    """

    not_copied = frozenset({"ingredients", "operations", "serial_numbers"})

    manufacturing_order_id: Ref
    completed_quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+15"))]
    completed_date: Omittable[AwareDatetime] = None
    is_final: Omittable[bool] = None
    batch_transaction: Omittable[ProducedBatchInput] = None
    ingredients: Omittable[list[UsedIngredientInput]] = None
    operations: Omittable[list[UsedOperationInput]] = None
    serial_numbers: Omittable[list[Ref]] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class ManufacturingOrderProductionUpdate(WriteModel):
    """A change of a production: its date, and nothing else."""

    production_date: Omittable[AwareDatetime] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class ManufacturingOrderProductions(
    Resource[ManufacturingOrderProduction, ManufacturingOrderProductionCreate, ManufacturingOrderProductionUpdate]
):
    """`/manufacturing_order_productions`."""

    spec = spec_of(
        "manufacturing_order_productions",
        ManufacturingOrderProduction,
        create=ManufacturingOrderProductionCreate,
        update=ManufacturingOrderProductionUpdate,
    )
