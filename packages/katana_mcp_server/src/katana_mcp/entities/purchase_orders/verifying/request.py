"""What may be asked of a comparison: an order, the lines of a supplier's document, its totals and what is tolerated."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictStr, WithJsonSchema

from katana_mcp.documents.usual_fields import PartId, Some
from katana_mcp.surface.operations.filters import Currency, spelling
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NameOrId, Percent, Request, ShortText, SignedQuantity, own_id

type _Kind = Literal["delivery_note", "invoice"]
type Written = Annotated[
    SignedQuantity | Annotated[StrictStr, Field(min_length=1, max_length=100)],
    WithJsonSchema({"type": ["number", "string"]}),
]
"""An amount as a number, or as the document writes it."""
_ANY = ("sku", "supplier_item_code", "barcode")


class DocumentLine(Request):
    """A line of a supplier's document, as it is written there."""

    also: ClassVar[Offers] = {
        "parent_variant_id": ("variant_id",),
        "supplier_code": ("supplier_item_code",),
        "ean": ("barcode",),
        "qty": ("quantity",),
        "uom": ("unit",),
        "price_per_unit": ("price",),
        "unit_price": ("price",),
        "name": ("description",),
    }
    words: ClassVar[Words] = {
        **dict.fromkeys(("code", "item_code", "part_number", "article", "item", "product"), _ANY),
        **dict.fromkeys(("amount", "count", "pieces", "pcs"), ("quantity",)),
        **dict.fromkeys(("vat", "tax", "vat_rate"), ("tax_rate",)),
        **dict.fromkeys(("pack_size", "units_per_pack", "conversion_rate"), ("unit_holds",)),
    }

    sku: ShortText | None = None
    variant_id: PartId | None = None
    supplier_item_code: ShortText | None = None
    barcode: ShortText | None = None
    description: Annotated[StrictStr, Field(max_length=1_000)] | None = None
    quantity: Written | None = None
    unit: ShortText | None = None
    """`pcs`, `box of 500`."""
    unit_holds: Some | None = None
    """Stock units in one `unit`, if its text does not say."""
    price: Written | None = None
    """Of one unit, without tax."""
    price_per: Some | None = None
    """If the price is for several units: 100."""
    tax_rate: Percent | None = None
    """Percent."""


class VerifyOrderDocumentRequest(Request):
    """Arguments of `verify_order_document`."""

    also: ClassVar[Offers] = own_id("purchase_order_id", "order")
    words: ClassVar[Words] = {
        **dict.fromkeys(("rows", "items", "line_items", "document", "document_lines"), ("lines",)),
        **dict.fromkeys(("tolerance", "tolerances"), ("price_tolerance", "quantity_tolerance")),
        **dict.fromkeys(("type", "document_type"), ("kind",)),
        **dict.fromkeys(("vat", "tax_amount", "vat_total", "tax"), ("tax_total",)),
        **dict.fromkeys(("gross_total", "grand_total", "amount"), ("total",)),
        **dict.fromkeys(("subtotal", "net", "net_amount"), ("net_total",)),
    }

    purchase_order_id: NameOrId
    """Id or number."""
    lines: Annotated[list[DocumentLine], Field(min_length=1, max_length=250)]
    """As on the document; amounts may be texts."""
    kind: Annotated[_Kind, spelling(_Kind)] = "delivery_note"
    """A delivery note is compared with open quantities, an invoice or confirmation with ordered ones."""
    currency: Currency | None = None
    """Of the document."""
    exchange_rate: Some | None = None
    """Value of 1 in the document's currency, in the order's currency."""
    net_total: Written | None = None
    """Without tax."""
    tax_total: Written | None = None
    """Amount of tax."""
    total: Written | None = None
    """With tax."""
    price_tolerance: Percent | None = None
    """Percent, also for totals; 0 by default."""
    quantity_tolerance: Percent | None = None
    """In percent."""
