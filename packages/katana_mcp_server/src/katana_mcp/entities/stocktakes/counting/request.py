"""What may be asked of a count: where, of what, what was counted, how it is to be noted, and whether it is over."""

from typing import Annotated, ClassVar

from pydantic import Field, StrictStr

from katana_mcp.documents.usual_fields import Amount, Reference
from katana_mcp.surface.operations.filters import ExactText
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, DocumentNumber, Notes, WriteRequest, own_id
from katana_mcp.writing.preview import PlanLine, Preview

MOST_COUNTS = 1_000


class Count(WriteRequest):
    """What was counted of a variant."""

    words: ClassVar[Words] = {
        **dict.fromkeys(("sku", "variant", "variant_id", "item"), ("sku_or_variant_id",)),
        **dict.fromkeys(("counted", "counted_quantity", "count", "qty"), ("quantity",)),
        **dict.fromkeys(("batch_number", "lot"), ("batch",)),
    }

    sku_or_variant_id: Reference
    quantity: Amount
    batch: ExactText | None = None
    """Its number."""


class CountStockRequest(WriteRequest):
    """Arguments of `count_stock`."""

    also: ClassVar[Offers] = own_id("stocktake_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("location", "warehouse"), ("location_id",)),
        **dict.fromkeys(("rows", "lines", "items", "counted"), ("counts", "table")),
        **dict.fromkeys(("csv", "text", "pasted"), ("table",)),
        **dict.fromkeys(("skus", "variants"), ("skus_or_variant_ids",)),
        **dict.fromkeys(("notes", "comment"), ("additional_info",)),
        **dict.fromkeys(("finish", "status", "close"), ("complete",)),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({"counts"})

    location_id: Reference | None = None
    """If new; id or name."""
    stocktake_id: Reference | None = None
    """Existing one; id or number."""
    table: Annotated[StrictStr, Field(max_length=60_000)] | None = None
    """Pasted lines: SKU, quantity, batch if any; tab, `;` or `,` between."""
    counts: Annotated[list[Count], Field(max_length=MOST_COUNTS), NOT_EMPTY] = Field(default_factory=list[Count])
    """Or as a list."""
    skus_or_variant_ids: Annotated[list[Reference], Field(min_length=1, max_length=250)] | None = None
    """To count. If this, category and counts are absent: all in stock."""
    category: ExactText | None = None
    """To count what is in stock of it."""
    stocktake_number: DocumentNumber | None = None
    """The next free one by default."""
    reason: Annotated[StrictStr, Field(max_length=540)] | None = None
    """Why it is counted."""
    additional_info: Notes | None = None
    """Its notes."""
    complete: bool = False
    """Corrects the stock; final."""
    delete: bool = False
    """Deletes it and its adjustment."""


class CountedLine(PlanLine):
    """What was counted of a variant, beside what is in stock; `quantity` is what was counted, absent: not yet."""

    batch: str | None = None
    in_stock: Number | None = None
    """When counting began, else now; absent: unknown."""
    difference: Number | None = None
    value: Number | None = None
    """Of the difference, at average cost."""
    moved: Number | None = None
    """Since counting began."""


class UncountedGoods(Answer):
    """What is in stock at the location, and in no row of the stocktake, or in one without a count."""

    variants: int
    value: Number | None = None
    """At average cost; absent: unknown."""
    named: list[str]
    """The most valuable ones, with what is in stock."""


class CountStockResponse(Preview):
    """The answer of `count_stock`: a line for each variant and batch; values are in `currency`."""

    lines: list[CountedLine] | None = None  # pyright: ignore[reportIncompatibleVariableOverride] # ty: ignore[incompatible-attribute-override] - lines that hold more
    value_difference: Number | None = None
    """Of all lines of this plan; absent: unknown."""
    uncounted: UncountedGoods | None = None
    misread: list[str] | None = None
    """Lines that were not understood, none of which is planned."""
    left: int | None = None
    """Counts that did not fit into this plan."""
