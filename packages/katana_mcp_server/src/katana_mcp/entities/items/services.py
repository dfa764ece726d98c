"""How services are written: head, price, cost and SKU, which Katana holds in the one variant of each."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import Field, Key, Writable
from katana_mcp.documents.leaving import left_open, linked
from katana_mcp.documents.transition import Transition
from katana_mcp.entities.items.fields import (
    ARCHIVED,
    CATEGORY,
    INFO,
    NAME,
    NO_ARGUMENT,
    SELLABLE,
    UOM,
    WORDS,
    Price,
    type_of,
)
from katana_mcp.entities.items.responses import ANSWERS, NO_WORDS
from katana_mcp.entities.items.skus import READ, binds, currency, described, find, gather, lanes, taken
from katana_mcp.entities.items.unusual_prices import unusual_prices
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS
from katana_mcp.tools.requests import NewName


def _left(change: Transition) -> Mapping[str, str]:
    """Return what a deleted service had that no argument of a new one gives."""
    if change.after is not None:
        return {}
    return {name: why for held, (name, why) in NO_ARGUMENT.items() if change.old.get(held) is not None}


SERVICE = Writable(
    entity="service",
    noun="item",
    selector=type_of("service"),
    collection="services",
    says_id="Id (integer), exact name or SKU (text).",
    find=find,
    key=Key(name="name", words="name"),
    head=(
        NAME,
        Field("sku", NewName, "Its SKU; need not be unique.", inside="variants"),
        Field("sales_price", Price, "Without tax, in the base currency.", inside="variants"),
        Field("default_cost", Price, "What it costs you.", inside="variants"),
        UOM,
        CATEGORY,
        SELLABLE,
        INFO,
        ARCHIVED,
        replace(custom_values(*reversed(VARIANT_KINDS), filled=True), inside="variants"),
    ),
    words=WORDS,
    head_title="change {}",
    blank_clears=True,
    described=described,
    reads={"create": READ, "modify": READ, "delete": (*READ, "sales_order")},
    answers=ANSWERS,
    what=NO_WORDS,
    gather=gather,
    left=_left,
    currency=currency,
    linked=linked,
    rules=(taken, unusual_prices, partial(left_open, "service")),
    binds=binds,
    lanes=lanes,
)
