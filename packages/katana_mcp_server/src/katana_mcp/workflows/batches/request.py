"""What may be asked of a batch: whose it is, what it is called, when it was made and when it expires."""

from typing import Annotated, ClassVar

from pydantic import Field, StrictStr

from katana_mcp.documents.usual_fields import Reference
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NewName, WriteRequest, own_id
from katana_mcp.writing.preview import Preview

type BatchBarcode = Annotated[StrictStr, Field(min_length=3, max_length=40)]


class ModifyTraceabilityRequest(WriteRequest):
    """Arguments of `modify_traceability`."""

    also: ClassVar[Offers] = own_id("batch", "batch_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("sku", "variant_id", "item", "variant"), ("sku_or_variant_id",)),
        **dict.fromkeys(("lot", "current_batch_number", "old_number"), ("batch",)),
        **dict.fromkeys(("new_number", "number", "lot_number", "new_batch_number"), ("batch_number",)),
        **dict.fromkeys(("barcode",), ("batch_barcode",)),
        **dict.fromkeys(("made_on", "production_date", "manufactured_on"), ("batch_created_date",)),
        **dict.fromkeys(("expires", "expiry", "expiry_date", "best_before"), ("expiration_date",)),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({"batch", "batch_number"})

    sku_or_variant_id: Reference
    """SKU or variant id."""
    batch: Reference | None = None
    """Id or number; left out: a new one."""
    batch_number: NewName | None = None
    """Its new number."""
    batch_barcode: BatchBarcode | None = None
    """Its barcode."""
    batch_created_date: Moment | None = None
    """Made on."""
    expiration_date: Moment | None = None
    """Expires on."""


class ModifyTraceabilityResponse(Preview):
    """The answer of `modify_traceability`; `changes` has each field of the batch before and after."""
