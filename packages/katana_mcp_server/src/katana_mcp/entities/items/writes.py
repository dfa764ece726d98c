"""How services are written: head, price, cost and SKU. Refuses products and materials, which are only read."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, StrictStr, WithJsonSchema
from pydantic import Field as Argument

from katana_mcp.documents.declaration import ONLY_LATER, Field, Key, Selector, Writable
from katana_mcp.documents.leaving import left_open, linked
from katana_mcp.documents.transition import Transition
from katana_mcp.documents.usual_fields import Unit
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.items.responses import ANSWERS
from katana_mcp.entities.items.skus import READ, binds, currency, described, find, gather, lanes, taken
from katana_mcp.tools.requests import NewName, Notes, WriteQuantity

DEAREST = 10**11
"""What Katana takes at most as a price."""


def _payable(value: Decimal) -> Decimal:
    if value > DEAREST:
        raise ValueError(f"must be at most {DEAREST}")
    return value


type Price = Annotated[WriteQuantity, AfterValidator(_payable), WithJsonSchema({"type": "number", "minimum": 0})]
type _Category = Annotated[StrictStr, Argument(max_length=35)]

_UNWRITTEN = "{} are only read so far, with `list_items` and `get_item`; they are written in Katana. Services are here"
_TYPE = Selector(
    argument="type",
    value="service",
    says="Only services are written so far.",
    others={each: _UNWRITTEN.format(f"{each}s") for each in ("product", "material")},
    also="item_type",
)
_NO_ARGUMENT = {
    "archived_at": ("is_archived", "it was archived: the revert creates one that is not archived"),
    "custom_field_collection_id": ("custom_fields", "this tool cannot set custom fields: the revert leaves them out"),
}


def _left(change: Transition) -> Mapping[str, str]:
    """Return what a deleted service had that no argument of a new one gives."""
    if change.after is not None:
        return {}
    return {name: why for held, (name, why) in _NO_ARGUMENT.items() if change.old.get(held) is not None}


SERVICE = Writable(
    entity="service",
    noun="item",
    selector=_TYPE,
    collection="services",
    says_id="Id (integer), exact name or SKU (text).",
    find=find,
    key=Key(name="name", words="name"),
    head=(
        Field("name", NewName, "The new name.", says_new="The name; need not be unique.", required=True, clears=False),
        Field("sku", NewName, "Its SKU; need not be unique.", inside="variants"),
        Field("sales_price", Price, "Without tax, in the base currency.", inside="variants"),
        Field("default_cost", Price, "What it costs you.", inside="variants"),
        Field("uom", Unit, "Unit, h.", clears=False, filled=True),
        Field("category_name", _Category, "Category."),
        Field("is_sellable", bool, "Whether it is sold.", clears=False, filled=True),
        Field("additional_info", Notes, "Notes to it."),
        Field(
            "is_archived",
            bool,
            "True archives it, false takes it back.",
            verbs=ONLY_LATER,
            clears=False,
            filled=True,
            since="archived_at",
        ),
    ),
    words={
        "price": ("sales_price",),
        "cost": ("default_cost",),
        "category": ("category_name",),
        "unit": ("uom",),
        **dict.fromkeys(("archive", "archived", "unarchive", "archived_at"), ("is_archived",)),
    },
    head_title="change {}",
    blank_clears=True,
    described=described,
    reads={"create": READ, "modify": READ, "delete": (*READ, "sales_order")},
    answers=ANSWERS,
    what={
        "create": ": a service with SKU and price",
        "modify": ": name, SKU, price or cost of a service, or whether it is archived",
        "delete": ": a service",
    },
    gather=gather,
    left=_left,
    currency=currency,
    linked=linked,
    rules=(taken, partial(left_open, "service")),
    binds=binds,
    lanes=lanes,
)
WRITES = writes(SERVICE)
