"""What `verify_order_document` answers: each good with both sides, what differs, and the calls that settle it."""

from typing import Literal

from pydantic import Field

from katana_mcp.tools.answers import Answer, Envelope, Number

type Kind = Literal[
    "quantity",
    "already_received",
    "price",
    "tax_rate",
    "unit",
    "currency",
    "not_on_order",
    "not_on_document",
    "unmatched",
    "unreadable",
    "net_total",
    "tax_total",
    "total",
]


class Call(Answer):
    """A call that plans it; nothing is written before `apply_plan`."""

    tool: Literal["receive_purchase_order", "modify_purchase_order", "correct_purchase_order"]
    arguments: dict[str, object]


class Difference(Answer):
    """What differs between the document and the order."""

    kind: Kind
    message: str
    sku: str | None = None
    lines: list[int] | None = None
    """Lines of the document, from 1."""
    document: Number | None = None
    order: Number | None = None
    settle: Call | None = None
    """The call that makes the order match the document."""
    no_call: str | None = None
    """Why there is no such call."""


class VerifiedRow(Answer):
    """A row of the order."""

    purchase_order_row_id: int | None = None
    quantity: Number | None = None
    price_per_unit: Number | None = None
    received_date: str | None = None


class PastPrice(Answer):
    """What a good cost before, in the order's currency and purchase unit."""

    order_no: str | None = None
    date: str | None = None
    price_per_unit: Number


class VerifiedGood(Answer):
    """A good on both sides, in the order's purchase unit."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    purchase_uom: str | None = None
    lines: list[int]
    """Lines of the document, from 1: added up."""
    matched_by: str | None = None
    document_quantity: Number | None = None
    ordered: Number
    received: Number
    open: Number
    rows: list[VerifiedRow]
    last_prices: list[PastPrice] | None = None
    """Of up to five orders before, newest first; only where the document has a price."""


class ComparedTotals(Answer):
    """Totals as written, as the sum of the lines, and of the whole order in its currency."""

    of: Literal["net_total", "tax_total", "total", "additional_costs"]
    """Additional costs are without tax and not part of an order total."""
    document: Number | None = None
    lines: Number | None = None
    order: Number | None = None


class VerifyOrderDocumentAnswer(Envelope):
    """The answer of `verify_order_document`."""

    purchase_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    supplier: str | None = None
    currency: str | None = None
    url: str | None = None
    differences: list[Difference] = Field(default_factory=list[Difference])
    """Empty where both sides agree."""
    goods: list[VerifiedGood] = Field(default_factory=list[VerifiedGood])
    totals: list[ComparedTotals] = Field(default_factory=list[ComparedTotals])
    receive: dict[str, object] | None = None
    """Arguments of `receive_purchase_order` for the goods that came, up to the open quantity."""
