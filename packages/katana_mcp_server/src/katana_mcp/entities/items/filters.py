"""What items can be listed by, and which types of them a filter leaves."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from cache_core.conditions import Missing, NoneOf, OneOf, Where
from katana_mcp.entities.items.headers import (
    HEADER_READS,
    ITEM_TYPES,
    NAMED,
    PARTS,
    ItemSummary,
    ItemType,
    header,
    with_variants,
)
from katana_mcp.references.display_names import VARIANT_PARENTS
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.custom_filters import OF_VARIANTS, CustomValues
from katana_mcp.surface.operations.filters import (
    ByChange,
    ByCreation,
    DatedListRequest,
    ExactText,
    Means,
    Refers,
    equals,
    exactly,
    spelling,
)
from katana_mcp.tools.requests import NameOrId, SearchRequest, own_ids


def _unless_denied(path: str) -> Means:
    """A flag that only products have; materials are always bought, so for them its absence means yes."""
    return Means(lambda value, _: _only(path, value=value, absent=True))


def _where_granted(path: str) -> Means:
    """A flag that only products have; for others its absence means no."""
    return Means(lambda value, _: _only(path, value=value, absent=False))


def _only(path: str, *, value: bool, absent: bool) -> Where:
    return (NoneOf(path, (not value,)) if value is absent else OneOf(path, (value,)),)


class ListItemsRequest(DatedListRequest):
    """Filters of `list_items`."""

    also = own_ids("item_id", "item_ids")

    type: Annotated[list[ItemType] | None, Field(min_length=1, max_length=3), spelling(ItemType)] = None
    """Only these types."""
    name: Annotated[ExactText | None, exactly("name")] = None
    """The exact name; `search_items` finds parts of it, SKUs and codes."""
    category: Annotated[ExactText | None, exactly("category_name")] = None
    """The exact category."""
    supplier_id: Annotated[NameOrId | None, Refers("supplier", "default_supplier_id", "supplier")] = None
    """Default supplier: id, name or a part of it."""
    sellable: Annotated[bool | None, equals("is_sellable")] = None
    """Whether it is sold."""
    producible: Annotated[bool | None, _where_granted("is_producible")] = None
    """Whether it is made; only products can be."""
    purchasable: Annotated[bool | None, _unless_denied("is_purchasable")] = None
    """Whether it is bought; materials and services always are."""
    batch_tracked: Annotated[bool | None, equals("batch_tracked")] = None
    """Whether its stock is kept in batches."""
    custom_fields: Annotated[CustomValues | None, OF_VARIANTS] = None
    """By label or id."""
    include_archived: bool = False
    """Also items that are archived in Katana."""
    include_rows: bool = False
    """Also each item's variants."""
    order_by: Literal[ByCreation, "-name", "name", ByChange] | None = None
    """Descending with `-`."""


class SearchItemsRequest(SearchRequest):
    """What a search of items can be narrowed to."""

    type: Annotated[list[ItemType] | None, Field(min_length=1, max_length=3), spelling(ItemType)] = None
    """Only these types."""
    include_archived: bool = False
    """Also items that are archived in Katana."""


def searching(request: SearchItemsRequest) -> Mapping[str, Where]:
    """Return where items of the types asked for are: those of products and materials are variants."""
    asked = request.type or ITEM_TYPES
    parents = [path for path, kind in VARIANT_PARENTS if kind in asked and kind != "service"]
    variants: Where = (Missing(parents[0], missing=False),) if len(parents) == 1 else ()
    return {**({"variant": variants} if parents else {}), **({"service": ()} if "service" in asked else {})}


def listing(request: ListItemsRequest) -> Mapping[str, View]:
    """Return the types that the request leaves, with how their rows look."""
    own, parts = (with_variants, PARTS) if request.include_rows else (header, dict[ItemType, dict[str, str]]())
    return {
        kind: View(
            model=ItemSummary,
            computed_fields=own(kind),
            names={**NAMED[kind], "factory": ()},
            parts=parts.get(kind, {}),
            reads=None if request.include_rows else HEADER_READS,
        )
        for kind in _possible(request)
    }


def _possible(request: ListItemsRequest) -> Sequence[ItemType]:
    """Return the types that can have what is asked for; of the others no row need be looked at."""
    asked: Sequence[ItemType] = request.type or ITEM_TYPES
    if request.producible or request.purchasable is False:
        asked = [kind for kind in asked if kind == "product"]
    if request.supplier_id is not None or request.batch_tracked is not None:
        asked = [kind for kind in asked if kind != "service"]
    return asked or request.type or ITEM_TYPES
