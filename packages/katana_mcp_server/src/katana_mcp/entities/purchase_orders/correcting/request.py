"""What may be asked of a correction: rows of a received order changed, added or deleted, and fields of its head."""

from typing import Annotated, ClassVar

from pydantic import Field

from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.usual_fields import Amount, PartId, Reference
from katana_mcp.surface.operations.filters import Currency, Moment
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import DocumentNumber, Request, WriteRequest, own_id

type _Batches = Annotated[list[BatchQuantity], Field(max_length=50)]
type _Units = Annotated[list[PartId], Field(max_length=500)]
_KEPT = "costs are kept as they are; `modify_purchase_order` changes those of a received order"


class CorrectedRow(WriteRequest):
    """What a received row should have been."""

    also: ClassVar[Offers] = {"purchase_order_row_id": ("row_id",)}
    never_null: ClassVar[frozenset[str]] = frozenset(
        (
            *("quantity", "price_per_unit", "tax_rate_id", "arrival_date", "received_date", "location_id"),
            *("batches", "serial_number_ids"),
        )
    )

    row_id: PartId
    quantity: Amount | None = None
    """In purchase units."""
    price_per_unit: Amount | None = None
    tax_rate_id: Reference | None = None
    arrival_date: Moment | None = None
    received_date: Moment | None = None
    location_id: Reference | None = None
    batches: _Batches | None = None
    """In purchase units; the rest gets no batch."""
    serial_number_ids: _Units | None = None
    """Those that really came."""


class ForgottenRow(WriteRequest):
    """A row that came with the others."""

    never_null: ClassVar[frozenset[str]] = frozenset(
        ("price_per_unit", "tax_rate_id", "received_date", "received_with_row_id", "location_id", "batches")
    )

    sku_or_variant_id: Reference
    quantity: Amount
    price_per_unit: Amount | None = None
    """The item's own by default."""
    tax_rate_id: Reference | None = None
    received_date: Moment | None = None
    """That of its receipt by default."""
    received_with_row_id: PartId | None = None
    """A row of the same receipt; the last receipt by default."""
    location_id: Reference | None = None
    batches: _Batches | None = None


class CorrectPurchaseOrderRequest(WriteRequest):
    """Arguments of `correct_purchase_order`."""

    also: ClassVar[Offers] = own_id("purchase_order_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("rows", "lines", "items", "corrections", "modify_rows"), ("update_rows",)),
        **dict.fromkeys(("new_rows", "append_rows"), ("add_rows",)),
        **dict.fromkeys(("delete_rows", "remove_rows"), ("delete_row_ids",)),
        **dict.fromkeys(("costs", "additional_costs", "freight", "shipping", "fees", "landed_costs"), _KEPT),
        **dict.fromkeys(("add_additional_costs", "update_additional_costs", "delete_additional_cost_row_ids"), _KEPT),
    }
    never_null: ClassVar[frozenset[str]] = frozenset(
        (
            *("order_no", "supplier_id", "location_id", "currency", "expected_arrival_date"),
            *("update_rows", "add_rows", "delete_row_ids", "reopen_billed"),
        )
    )

    purchase_order_id: Reference
    """Id or number."""
    update_rows: Annotated[list[CorrectedRow], Field(max_length=250)] = Field(default_factory=list[CorrectedRow])
    """Corrected rows."""
    add_rows: Annotated[list[ForgottenRow], Field(max_length=250)] = Field(default_factory=list[ForgottenRow])
    """Rows that came too."""
    delete_row_ids: Annotated[list[PartId], Field(max_length=250)] = Field(default_factory=list[int])
    """Rows that never came."""
    order_no: DocumentNumber | None = None
    """Its number."""
    supplier_id: Reference | None = None
    """Id or exact name."""
    location_id: Reference | None = None
    """Rows at the old place move too."""
    currency: Currency | None = None
    """Such as EUR."""
    expected_arrival_date: Moment | None = None
    """Of every row."""
    reopen_billed: bool = False
    """Reopen it though it has bills: it may post to accounting again."""


OWN: frozenset[str] = frozenset(("batches", "serial_number_ids", "received_with_row_id"))
"""What of rows only a correction knows."""


def given(request: Request) -> dict[str, object]:
    """Return the arguments that a request names, as they are given to another one."""
    return request.model_dump(mode="json", exclude_unset=True)
