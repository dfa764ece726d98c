"""What may be asked of a shipment: a new one, in full or in part; a change of one; or that it is taken back.

Refuses to change what an existing shipment holds: Katana never does.
"""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StrictStr, model_validator

from katana_mcp.documents.quantities import RowQuantity
from katana_mcp.documents.usual_fields import PartId
from katana_mcp.surface.operations.filters import Moment, spelling
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, NameOrId, WriteRequest, own_id

type ShipmentStatus = Literal["PACKED", "DELIVERED"]
type _Said = Annotated[StrictStr, Field(min_length=1, max_length=255)]
type _Page = Annotated[StrictStr, Field(min_length=1, max_length=2_048)]


class ShippedRow(RowQuantity):
    """How much of a row is shipped."""

    also: ClassVar[Offers] = {"sales_order_row_id": ("row_id",)}


class FulfillOrderRequest(WriteRequest):
    """Arguments of `fulfill_order`."""

    also: ClassVar[Offers] = {**own_id("sales_order_id"), "sales_order_fulfillment_id": ("fulfillment_id",)}
    words: ClassVar[Words] = {
        **dict.fromkeys(("lines", "items", "shipped_rows"), ("rows",)),
        **dict.fromkeys(("carrier", "tracking"), ("tracking_carrier", "tracking_number")),
    }
    never_null: ClassVar[frozenset[str]] = frozenset(
        {"rows", "status", "picked_date", "fulfillment_id", "delete_fulfillment_id"}
    )

    sales_order_id: NameOrId
    """Id or number."""
    rows: Annotated[list[ShippedRow], Field(max_length=250), NOT_EMPTY] = Field(default_factory=list[ShippedRow])
    """Rows to ship; all open ones by default. Without `batches`, those that expire first."""
    status: Annotated[ShipmentStatus, spelling(ShipmentStatus)] | None = None
    """DELIVERED by default; PACKED reduces stock too."""
    picked_date: Moment | None = None
    """When stock leaves; now by default."""
    tracking_number: _Said | None = None
    """Of the parcel."""
    tracking_url: _Page | None = None
    """Its page."""
    tracking_carrier: _Said | None = None
    """Who carries it."""
    tracking_method: _Said | None = None
    """How: express, freight."""
    fulfillment_id: PartId | None = None
    """Changes this shipment instead: status, date, tracking."""
    delete_fulfillment_id: PartId | None = None
    """Deletes this shipment: its goods return to stock."""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if self.fulfillment_id is not None and self.rows:
            raise ValueError("rows of a shipment cannot be changed: use delete_fulfillment_id, then ship again")
        if self.delete_fulfillment_id is not None and self.model_fields_set - {
            "sales_order_id",
            "delete_fulfillment_id",
        }:
            raise ValueError("delete_fulfillment_id cannot be combined with other arguments except sales_order_id")
        return self
