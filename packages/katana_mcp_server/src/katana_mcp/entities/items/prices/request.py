"""What may be asked of prices: by how much, or which ones, of which variants."""

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from katana_mcp.documents.usual_fields import PartId, Reference
from katana_mcp.entities.items.fields import Price
from katana_mcp.surface.operations.filters import ExactText
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.number_texts import CERTAIN
from katana_mcp.tools.requests import SkuOrVariantId, WriteRequest
from katana_mcp.writing.preview import Preview

_PERCENT = WithJsonSchema({"type": "number", "minimum": -99, "maximum": 1_000})


def _some(value: Decimal) -> Decimal:
    if not value:
        raise ValueError("must not be 0")
    return value


class NewPrice(WriteRequest):
    """The price of one variant."""

    sku_or_variant_id: Reference
    price: Price


class ChangePricesRequest(WriteRequest):
    """Arguments of `change_prices`."""

    also: ClassVar[Offers] = {"price_list_id": ("price_list",)}
    words: ClassVar[Words] = {
        **dict.fromkeys(("price", "kind", "price_type", "type"), ("which",)),
        **dict.fromkeys(("percentage", "increase", "by", "factor"), ("percent",)),
        **dict.fromkeys(("new_prices", "rows", "lines"), ("prices",)),
        **dict.fromkeys(("skus", "variants", "items"), ("skus_or_variant_ids",)),
        "supplier": ("supplier_id",),
        "pricelist": ("price_list",),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({"prices"})

    which: Literal["sales", "purchase"]
    """Sales prices are in the base currency, purchase prices in the supplier's, per purchase unit."""
    price_list: Reference | None = None
    """Id or name: prices of this price list instead."""
    percent: Annotated[Decimal, Field(ge=-99, le=1_000), AfterValidator(_some), CERTAIN, _PERCENT] | None = None
    """Change: 5 raises by 5 %, -5 lowers; only existing prices."""
    prices: Annotated[list[NewPrice], Field(max_length=250)] = Field(default_factory=list[NewPrice])
    """New prices one by one, instead of `percent`."""
    skus_or_variant_ids: Annotated[list[SkuOrVariantId], Field(min_length=1, max_length=250)] | None = None
    """Only these; with `percent`."""
    category: ExactText | None = None
    """Only items of this category; with `percent`."""
    supplier_id: Reference | None = None
    """Only items of this default supplier; with `percent`."""
    decimals: Annotated[int, Field(ge=0, le=4)] | None = None
    """Decimals of new prices; by default 2, or as many as a price has now."""
    after_variant_id: PartId | None = None
    """Continues after this variant if one plan could not hold all."""


class ChangePricesResponse(Preview):
    """The answer of `change_prices`; each line is a variant with its new price, `changes` has the old one."""

    left: int | None = None
    """Variants that did not fit into this plan."""
