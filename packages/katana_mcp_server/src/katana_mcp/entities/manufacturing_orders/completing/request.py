"""What can be asked of a production: a new one, of all that remains or of a part; another date; or that it goes."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.usual_fields import Made, PartId, Reference
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, NameOrId, Request, WriteQuantity, WriteRequest, own_id


class UsedIngredient(Request):
    """How much of an ingredient was used."""

    recipe_row_id: PartId
    quantity: WriteQuantity
    """Total, not per unit; 0: none."""
    batches: Annotated[list[BatchQuantity], Field(max_length=50)] = Field(default_factory=list[BatchQuantity])


class WorkedOperation(Request):
    """How long an operation took."""

    operation_row_id: PartId
    seconds: WriteQuantity


class CompleteManufacturingOrderRequest(WriteRequest):
    """Arguments of `complete_manufacturing_order`."""

    also: ClassVar[Offers] = own_id("manufacturing_order_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("completed_quantity", "actual_quantity", "planned_quantity"), ("quantity",)),
        **dict.fromkeys(("production_date", "done_date", "date"), ("completed_date",)),
        **dict.fromkeys(("recipe_rows", "rows"), ("ingredients",)),
        "scrap": "give `quantity` as the good ones that were made, with `is_final` where no more come",
    }
    never_null: ClassVar[frozenset[str]] = frozenset(
        {"quantity", "is_final", "completed_date", "ingredients", "operations", "serial_number_ids", "batch_id"}
        | {"production_id", "delete_production_id"}
    )

    manufacturing_order_id: NameOrId
    """Id or number."""
    quantity: Made | None = None
    """Good units made now; by default all that remain."""
    is_final: bool | None = None
    """Whether the order is then done; by default if none remain."""
    completed_date: Moment | None = None
    """When; now by default."""
    ingredients: Annotated[list[UsedIngredient], Field(max_length=100), NOT_EMPTY] = Field(
        default_factory=list[UsedIngredient]
    )
    """Actual use; others as in the recipe."""
    operations: Annotated[list[WorkedOperation], Field(max_length=50), NOT_EMPTY] = Field(
        default_factory=list[WorkedOperation]
    )
    """Actual times; as planned where not named."""
    batch_id: Reference | None = None
    """Batch that all go into."""
    serial_number_ids: Annotated[list[PartId], Field(max_length=500)] = Field(default_factory=list[int])
    """One per unit; by default Katana makes them."""
    production_id: PartId | None = None
    """Instead moves this production to `completed_date`."""
    delete_production_id: PartId | None = None
    """Instead deletes this production."""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        given = self.model_fields_set - {"manufacturing_order_id"}
        if self.delete_production_id is not None and given != {"delete_production_id"}:
            raise ValueError("delete_production_id cannot be combined with other arguments except the order")
        if self.production_id is not None and not given <= {"production_id", "completed_date"}:
            raise ValueError("production_id goes with completed_date alone: nothing else of a production changes")
        if self.batch_id is not None and self.serial_number_ids:
            raise ValueError("a product has batches or serial numbers, not both: give batch_id or serial_number_ids")
        return self
