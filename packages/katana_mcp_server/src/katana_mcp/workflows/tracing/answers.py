"""What `trace` takes and answers: what happened, what became of each lot, and what each customer got."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from katana_mcp.surface.operations.filters import spelling
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import ListLimit, PageNumber, Request, SkuOrVariantId
from katana_mcp.workflows.tracing.events import Kind
from katana_mcp.workflows.tracing.starts import StartKind

type Way = Literal["up", "down", "both"]

MOST_LEVELS = 10
_NUMBERS = ("batch", "batch_number", "lot", "lot_number", "serial", "serial_no", "order", "order_no", "query", "sn")
"""What people call the number."""


class TraceRequest(Request):
    """Arguments of `trace`."""

    words: ClassVar[Words] = {**Request.words, **dict.fromkeys(_NUMBERS, ("number",))}

    number: Annotated[str, Field(min_length=1, max_length=256, coerce_numbers_to_str=True)]
    """Of a batch, a serial number or an order (PO-1, SO-2, MO-3), exactly."""
    kind: Annotated[StartKind, spelling(StartKind)] | None = None
    """Where several things have the number."""
    sku_or_variant_id: SkuOrVariantId | None = None
    """Of this item alone, where several have the number."""
    direction: Way = "both"
    """Down: products made of it, customers; up: its ingredients, suppliers."""
    levels: Annotated[int, Field(ge=0, le=MOST_LEVELS)] = 5
    """Over how many levels of bills of materials."""
    limit: ListLimit = 50
    """Per page."""
    page: PageNumber = 1


class TraceRow(Answer):
    """What a document did to a batch, a unit, or goods that are neither."""

    row: int
    """From 1, over all pages."""
    through: int | None = None
    """The row that led here; absent: a starting point."""
    level: int
    """How many times goods were made into others on the way."""
    direction: Literal["up", "down"] | None = None
    event: Kind
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    batch_id: int | None = None
    batch_number: str | None = None
    serial_number_id: int | None = None
    serial_number: str | None = None
    untraced: bool | None = None
    """No batch or serial number: tracing stops here."""
    quantity: Number
    """Below 0: an adjustment took it away."""
    unit: str | None = None
    date: str | None = None
    order_no: str | None = None
    """Of the document, also of a transfer, an adjustment, a return."""
    status: str | None = None
    purchase_order_id: int | None = None
    manufacturing_order_id: int | None = None
    sales_order_id: int | None = None
    sales_return_id: int | None = None
    stock_adjustment_id: int | None = None
    stock_transfer_id: int | None = None
    supplier_id: int | None = None
    supplier: str | None = None
    customer_id: int | None = None
    customer: str | None = None
    location: str | None = None
    to_location: str | None = None


class InStock(Answer):
    """How much is at a location."""

    location_id: int | None = None
    location: str | None = None
    quantity: Number


class TracedLot(Answer):
    """A batch or a unit that was reached, and what became of it, in its stock unit.

    received + made + returned + adjusted = used + shipped + in_transit + in_stock + unaccounted.
    """

    level: int
    direction: Literal["up", "down"] | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    batch_id: int | None = None
    batch_number: str | None = None
    serial_number_id: int | None = None
    serial_number: str | None = None
    expiration_date: str | None = None
    unit: str | None = None
    received: Number | None = None
    """This and the sums below are absent where only the origins were looked at."""
    made: Number | None = None
    returned: Number | None = None
    adjusted: Number | None = None
    used: Number | None = None
    shipped: Number | None = None
    reserved: Number | None = None
    """Of what is in stock: held by open orders."""
    in_transit: Number | None = None
    in_stock: Number | None = None
    """Absent: not known."""
    stock: list[InStock] | None = None
    unaccounted: Number | None = None
    """Quantity no document explains; below 0: more went than came."""


class CustomerGoods(Answer):
    """What went to a customer of an item."""

    customer_id: int | None = None
    customer: str | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    shipped: Number
    returned: Number | None = None
    unit: str | None = None
    orders: list[str]
    """The first ten."""
    orders_total: int


class TraceAnswer(Envelope):
    """The answer of `trace`."""

    kind: StartKind
    rows: list[TraceRow]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    lots: list[TracedLot]
    """The first 20, nearest first."""
    lots_total: int
    customers: list[CustomerGoods]
    """The first 20."""
    customers_total: int
