"""What may be asked: of which item, at which location, how much is kept, and where."""

from typing import Annotated, ClassVar

from pydantic import Field

from katana_mcp.documents.usual_fields import Amount, Reference
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import NewName, WriteRequest
from katana_mcp.writing.preview import Preview


class KeptGoods(WriteRequest):
    """What is kept of one item at one location."""

    words: ClassVar[Words] = {
        **dict.fromkeys(("reorder_point", "safety_stock_level", "minimum", "value", "quantity"), ("safety_stock",)),
        **dict.fromkeys(("bin", "bin_name", "default_storage_bin", "storage_bin"), ("default_bin",)),
        **dict.fromkeys(("sku", "variant_id", "variant", "item"), ("sku_or_variant_id",)),
        "location": ("location_id",),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({"safety_stock"})

    sku_or_variant_id: Reference
    location_id: Reference
    safety_stock: Amount | None = None
    default_bin: NewName | None = None


class ModifySafetyStockRequest(WriteRequest):
    """Arguments of `modify_safety_stock`."""

    words: ClassVar[Words] = dict.fromkeys(("items", "levels", "lines", "update_rows", "safety_stocks"), ("rows",))

    rows: Annotated[list[KeptGoods], Field(min_length=1, max_length=250)]
    """One for each item and location; `default_bin`: its name, null for none."""


class ModifySafetyStockResponse(Preview):
    """The answer of `modify_safety_stock`; `changes` has each level and bin before and after."""
