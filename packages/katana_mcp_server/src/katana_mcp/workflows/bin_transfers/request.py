"""What may be asked of a bin transfer: what moves from which bin to which, and how far it is."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from katana_mcp.documents.usual_fields import Made, Reference
from katana_mcp.surface.operations.filters import spelling
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, RecordNumber, WriteRequest, own_id
from katana_mcp.writing.preview import Preview

type BinTransferStatus = Literal["CREATED", "IN_TRANSIT", "DONE"]


class BinMove(WriteRequest):
    """How much of one item moves from bin to bin."""

    words: ClassVar[Words] = {
        **dict.fromkeys(("sku", "variant_id", "variant", "item"), ("sku_or_variant_id",)),
        **dict.fromkeys(("amount", "qty"), ("quantity",)),
        **dict.fromkeys(("source_bin", "source", "source_bin_location_id", "bin"), ("from_bin",)),
        **dict.fromkeys(("target_bin", "target", "destination", "target_bin_location_id", "new_bin"), ("to_bin",)),
        **dict.fromkeys(("lot", "batch_id", "batch_number"), ("batch",)),
        **dict.fromkeys(("serial_numbers", "serials", "serial_number_id"), ("serial_number_ids",)),
    }

    sku_or_variant_id: Reference
    quantity: Made
    from_bin: Reference | None = None
    to_bin: Reference | None = None
    batch: Reference | None = None
    serial_number_ids: Annotated[list[RecordNumber], Field(max_length=250)] = Field(default_factory=list[int])


class PlanBinTransferRequest(WriteRequest):
    """Arguments of `plan_bin_transfer`."""

    also: ClassVar[Offers] = own_id("bin_transfer", "bin_transfer_id", "bin_transfer_number")
    words: ClassVar[Words] = {
        **dict.fromkeys(("location", "warehouse"), ("location_id",)),
        **dict.fromkeys(("delete_bin", "remove_bins", "delete_bin_location_ids"), ("delete_bins",)),
        **dict.fromkeys(("moves", "lines", "items", "add_rows", "bin_transfer_rows"), ("rows",)),
    }

    location_id: Reference | None = None
    """Of a new one: where its bins are."""
    rows: Annotated[list[BinMove], Field(max_length=250), NOT_EMPTY] = Field(default_factory=list[BinMove])
    """What moves; bins by name or id."""
    bin_transfer: Reference | None = None
    """Id or number; left out: a new one."""
    status: Annotated[BinTransferStatus, spelling(BinTransferStatus)] = "DONE"
    """Its new status."""
    delete: bool = False
    """Deletes it."""
    delete_bins: Annotated[list[Reference], Field(max_length=50)] = Field(default_factory=list[int | str])
    """Empty bins to delete."""


class PlanBinTransferResponse(Preview):
    """The answer of `plan_bin_transfer`; `stock` has what lies in each bin before and after."""
