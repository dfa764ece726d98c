"""Productions: what was made of manufacturing orders, and of what (facts 3.6, 4.7)."""

from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.manufacturing_order_productions import ManufacturingOrderProduction
from katana_client.resource import Resource
from katana_client.tracking import BatchInput
from katana_client.wire import Omittable, Ref, WriteModel

type Positive = Annotated[Decimal, Field(gt=0)]
"""Write: more than zero."""


class UsedIngredientInput(WriteModel):
    """How much of a recipe row was used."""

    manufacturing_order_recipe_row_id: Ref
    quantity: Positive
    batch_transactions: Omittable[list[BatchInput]] = None


class UsedOperationInput(WriteModel):
    """How many seconds of an operation row were taken."""

    manufacturing_order_operation_id: Ref
    time: Positive
    batch_transactions: Omittable[list[BatchInput]] = None


class ProducedBatchInput(WriteModel):
    """The batch that was produced into."""

    batch_id: Annotated[int, Field(ge=0)]


class ManufacturingOrderProductionCreate(WriteModel):
    """A new production; `is_final` makes the order done.

    `ingredients` and `operations`: left out, Katana takes them from the plan; an empty list means none. Serial numbers
    are ids, and Katana drops unknown ones without a word: compare with those of the answer. Of a production that was
    read only the order is copied.
    """

    not_copied = frozenset({"ingredients", "operations", "serial_numbers"})

    manufacturing_order_id: Ref
    completed_quantity: Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 15)]
    completed_date: Omittable[AwareDatetime] = None
    is_final: Omittable[bool] = None
    ingredients: Omittable[list[UsedIngredientInput]] = None
    operations: Omittable[list[UsedOperationInput]] = None
    serial_numbers: Omittable[list[Ref]] = None
    batch_transaction: Omittable[ProducedBatchInput] = None


class ManufacturingOrderProductionUpdate(WriteModel):
    """A change of a production: its date, and nothing else."""

    production_date: Omittable[AwareDatetime] = None


class ManufacturingOrderProductions(
    Resource[ManufacturingOrderProduction, ManufacturingOrderProductionCreate, ManufacturingOrderProductionUpdate]
):
    """`/manufacturing_order_productions`."""

    spec = Spec(
        name="manufacturing_order_productions",
        model=ManufacturingOrderProduction,
        create=ManufacturingOrderProductionCreate,
        update=ManufacturingOrderProductionUpdate,
        deletes=True,
        gets="path",
        filters=Filters(single=(*DATES, *DELETED), repeated=("ids", "manufacturing_order_ids")),
    )
