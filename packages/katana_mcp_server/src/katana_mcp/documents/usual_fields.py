"""Fields that several documents have, and types of arguments whose schemas are short, because a tool holds many."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    StrictStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic import Field as Argument

from katana_mcp.documents.declaration import Field
from katana_mcp.tools.requests import DocumentNumber, NameOrId, RecordNumber, SkuOrVariantId, WriteQuantity


def _more_than_nothing(value: object, read: ValidatorFunctionWrapHandler) -> Decimal:
    """Return the quantity; of less than 0 it is not said that 0 is allowed."""
    try:
        return cast("Decimal", read(value))
    except ValidationError as error:
        if error.errors()[0]["type"] == "greater_than_equal":
            raise ValueError("must be more than 0") from None
        raise


def _some(value: Decimal) -> Decimal:
    if not value:
        raise ValueError("must be more than 0")
    return value


type Reference = Annotated[NameOrId, WithJsonSchema({"type": ["integer", "string"]})]
"""An id or an exact name; a code where there is one."""
type PartId = Annotated[RecordNumber, WithJsonSchema({"type": "integer"})]
type Amount = Annotated[WriteQuantity, WithJsonSchema({"type": "number"})]
type Ordered = Annotated[Amount, WrapValidator(_more_than_nothing)]
"""A quantity of a row; what to do instead of 0 differs between rows that are there and new ones."""
type Some = Annotated[WriteQuantity, WrapValidator(_more_than_nothing), AfterValidator(_some)]
"""A quantity that is more than 0, which it says of 0 too."""
type Made = Annotated[
    WriteQuantity, Argument(ge=Decimal("0.00001")), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]
"""A quantity of which there is some."""
type Unit = Annotated[StrictStr, Argument(min_length=1, max_length=7)]

GOODS = Field(
    "variant_id",
    SkuOrVariantId,
    "SKU, variant id, other code or name.",
    argument="sku_or_variant_id",
    required=True,
    names="variant",
)
"""What a row is of: also by a barcode, a custom field or an exact name, where one live variant alone has it."""
BRIEF_GOODS = replace(GOODS, kind=Reference, says="SKU, variant id, other code or name.")
TAX_RATE = Field("tax_rate_id", Reference, "Id or name.", names="tax_rate")
ROW_PLACE = Field("location_id", Reference, "If not the order's.", names="location")


def number_field(name: str, example: str) -> Field:
    """Return the number of a document, which is the next free one where a new one names none."""
    says_new = f"{example}; the next free number by default."
    return Field(name, DocumentNumber, "The new number.", says_new=says_new, clears=False)


def filled(*fields: Field) -> tuple[Field, ...]:
    """Return fields of parts: Katana fills in what is left out, and none is cleared."""
    return tuple(replace(field, clears=False, filled=True) for field in fields)
