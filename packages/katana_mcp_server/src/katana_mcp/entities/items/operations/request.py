"""What may be asked of the operations of a product: to add, change and delete some, or to copy those of another."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictStr, WithJsonSchema

from katana_mcp.documents.usual_fields import Amount, PartId, Reference
from katana_mcp.surface.operations.filters import spelling
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.number_texts import CERTAIN
from katana_mcp.tools.requests import WHOLE, WriteRequest

ADDS, UPDATES, DELETES = "add_operation_rows", "update_operation_rows", "delete_operation_row_ids"
COPY = "copy_operations_of"
FIELDS = frozenset({ADDS, UPDATES, DELETES, COPY})
"""The arguments that are about operations."""

type OperationType = Literal["process", "setup", "perUnit", "fixed"]
type _TypeAgain = Annotated[
    OperationType, spelling(OperationType), WithJsonSchema({"type": "string", "maxLength": 255})
]
"""The same where the values are told beside it."""
type _Named = Annotated[StrictStr, Field(min_length=1, max_length=255)]
type _Seconds = Annotated[int, Field(ge=0, le=10**9), WHOLE, CERTAIN, WithJsonSchema({"type": "integer"})]

_WORDS: Words = {
    **dict.fromkeys(("operation", "name", "step"), ("operation_name",)),
    **dict.fromkeys(("resource", "work_station", "workstation", "machine"), ("resource_name",)),
    **dict.fromkeys(("seconds", "duration", "time", "planned_time_per_unit"), ("planned_time_parameter",)),
    **dict.fromkeys(("cost", "rate", "cost_per_hour"), ("cost_parameter",)),
}


class NewOperation(WriteRequest):
    """An operation to add."""

    words: ClassVar[Words] = _WORDS
    never_null: ClassVar[frozenset[str]] = frozenset(
        {"resource_name", "type", "planned_time_parameter", "cost_parameter"}
    )

    operation_name: _Named
    resource_name: _Named | None = None
    type: Annotated[OperationType, spelling(OperationType)] | None = None
    planned_time_parameter: _Seconds | None = None
    cost_parameter: Amount | None = None


class ChangedOperation(WriteRequest):
    """What becomes of an operation that is there."""

    also: ClassVar[Offers] = dict.fromkeys(("row_id", "product_operation_row_id"), ("operation_row_id",))
    words: ClassVar[Words] = _WORDS
    never_null: ClassVar[frozenset[str]] = frozenset({"operation_name", *NewOperation.never_null})

    operation_row_id: PartId
    operation_name: _Named | None = None
    resource_name: _Named | None = None
    type: (
        Annotated[OperationType, spelling(OperationType), WithJsonSchema({"type": "string", "maxLength": 255})] | None
    ) = None
    planned_time_parameter: _Seconds | None = None
    cost_parameter: Amount | None = None


class OperationsRequest(WriteRequest):
    """What of the arguments of `modify_bom` is about operations."""

    words: ClassVar[Words] = {
        "operations": ("add_operation_rows", "update_operation_rows"),
        **dict.fromkeys(("delete_operations", "remove_operations", "delete_operation_rows"), (DELETES,)),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({ADDS, UPDATES, DELETES})

    sku_or_variant_id: Reference
    """The product: SKU or variant id."""
    add_operation_rows: Annotated[list[NewOperation], Field(max_length=100)] = Field(default_factory=list[NewOperation])
    """New ones; an unknown name is made. Time in seconds."""
    update_operation_rows: Annotated[list[ChangedOperation], Field(max_length=100)] = Field(
        default_factory=list[ChangedOperation]
    )
    delete_operation_row_ids: Annotated[list[PartId], Field(max_length=100)] = Field(default_factory=list[int])
    copy_operations_of: Reference | None = None
