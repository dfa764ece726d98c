"""Arguments that items of several types have, and the types of their values: no wider than Katana takes."""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, StrictInt, StrictStr, WithJsonSchema
from pydantic import Field as Argument

from katana_mcp.documents.declaration import ONLY_LATER, Field, Selector
from katana_mcp.documents.usual_fields import Unit
from katana_mcp.entities.items.headers import ITEM_TYPES, ItemType
from katana_mcp.tools.requests import WHOLE, NewName, Notes, WriteQuantity

DEAREST = 10**11
"""What Katana takes at most as a price."""
LARGEST_MINIMUM = 999_999_999
"""What it takes at most as a minimum order quantity."""


def _payable(value: Decimal) -> Decimal:
    if value > DEAREST:
        raise ValueError(f"must be at most {DEAREST}")
    return value


def _orderable(value: Decimal) -> Decimal:
    if value > LARGEST_MINIMUM:
        raise ValueError(f"must be at most {LARGEST_MINIMUM}")
    return value


type Price = Annotated[WriteQuantity, AfterValidator(_payable), WithJsonSchema({"type": "number", "minimum": 0})]
type Minimum = Annotated[WriteQuantity, AfterValidator(_orderable), WithJsonSchema({"type": "number"})]
type Category = Annotated[StrictStr, Argument(max_length=35)]
type LeadTime = Annotated[StrictInt, Argument(ge=0, le=999), WHOLE, WithJsonSchema({"type": "integer"})]
"""Days: above 999 a create is refused and leaves half an item, and a fraction fails (October 3.3)."""
type Barcode = Annotated[
    StrictStr,
    Argument(min_length=3, max_length=40),
    AfterValidator(str.upper),
    WithJsonSchema({"type": "string", "maxLength": 40}),
]
"""In capitals, as Katana stores it (October 1)."""
type Codes = Annotated[
    list[Annotated[StrictStr, Argument(min_length=1, max_length=40)]],
    Argument(max_length=50),
    WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 50}),
]
type VariantPrice = Annotated[Price, WithJsonSchema({"type": "number"})]

NAME = Field("name", NewName, "The new name.", says_new="The name; need not be unique.", required=True, clears=False)
UOM = Field("uom", Unit, "Unit: pcs, kg, h.", clears=False, filled=True)
CATEGORY = Field("category_name", Category, "Category.")
SELLABLE = Field("is_sellable", bool, "Whether it is sold.", clears=False, filled=True)
INFO = Field("additional_info", Notes, "Notes to it.")
ARCHIVED = Field(
    "is_archived",
    bool,
    "True archives it, false restores it.",
    verbs=ONLY_LATER,
    clears=False,
    filled=True,
    since="archived_at",
)


def type_of(kind: ItemType) -> Selector:
    """Return the argument that says which type of item is meant."""
    return Selector(argument="type", value=kind, kinds=ITEM_TYPES, says="Ids are unique per type.", also="item_type")


WORDS = {
    "price": ("sales_price",),
    "cost": ("default_cost",),
    "category": ("category_name",),
    "unit": ("uom",),
    **dict.fromkeys(("archive", "archived", "unarchive", "archived_at"), ("is_archived",)),
}
NO_ARGUMENT = {
    "archived_at": ("is_archived", "it was archived: the revert creates one that is not archived"),
    "custom_field_collection_id": (
        "custom_fields",
        "no tool chooses their collection: the revert leaves it out",
    ),
}
"""What an item holds that no argument of a new one gives: what a warning names, and why."""
