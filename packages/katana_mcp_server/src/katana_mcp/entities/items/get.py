"""`get_item`: one product, material or service with its variants, by id, exact name or SKU."""

from collections.abc import Mapping
from typing import Annotated

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.entities.items.finding import one_item
from katana_mcp.entities.items.headers import ITEM_TYPES, NAMED, PARTS, ItemSummary, ItemType, with_variants
from katana_mcp.references.display_names import CUSTOM_FIELDS, FACTORY, Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.filters import spelling
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    document_tool,
    of_ids,
)
from katana_mcp.surface.operations.rows import Sourced, filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import get_int, get_strs, rows


class GetItemRequest(DocumentRequest):
    """Arguments of `get_item`."""

    also = own_id("item_id")

    item_id: NameOrId
    """Item id (integer), or the exact item name or a SKU of it (text)."""
    item_type: Annotated[ItemType | None, spelling(ItemType)] = None
    """Needed with an id that a product, a material or a service share: ids are unique per type."""


class Config(Answer):
    """An option and the values that its variants can have."""

    name: str | None = None
    values: list[str] | None = None


class ItemDocument(ItemSummary):
    """An item with everything that Katana says of it."""

    is_auto_assembly: bool | None = None
    operations_in_sequence: bool | None = None
    purchase_uom: str | None = None
    purchase_uom_conversion_rate: Number | None = None
    configs: list[Config] | None = None
    bom_row_count: int | None = None
    """Ingredients over all variants; 0 for a product without a bill of materials."""
    additional_info: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class ItemAnswer(DocumentAnswer):
    """The answer of `get_item`."""

    item: ItemDocument


async def _find(request: GetItemRequest, services: Services) -> Sourced:
    return await one_item(request.item_id, request.item_type, services)


async def _bom(record: Record, _: object, services: Services) -> RelatedRows:
    made = of_ids("product_item_id", get_int(record, "id"))
    return {"bom_row_count": await services.cache.count("bom_row", made)} if record.get("type") == "product" else {}


def _view(kind: ItemType) -> View:
    item_fields = with_variants(kind)

    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        options = rows(stored.record, "configs")
        configs = [filled(Config, option, values=get_strs(option, "values")) for option in options]
        return {**item_fields(stored, names, services), "configs": configs or None}

    return View(
        model=ItemDocument,
        computed_fields=computed,
        names={**NAMED[kind], "factory": (), "custom_field_definition": ()},
        parts=PARTS[kind],
    )


_VIEWS: Mapping[ItemType, View] = {kind: _view(kind) for kind in ITEM_TYPES}


def _views(request: GetItemRequest) -> Mapping[str, View]:
    return {kind: _VIEWS[kind] for kind in ((request.item_type,) if request.item_type else ITEM_TYPES)}


GET_ITEM = document_tool(
    Document(
        source="item",
        toolset="items",
        key="name",
        what="(product, material or service) with its variants, prices and options, by id, exact name or SKU",
        reads=("variant", "supplier", "bom_row", *FACTORY, *CUSTOM_FIELDS),
        request=GetItemRequest,
        answer=ItemAnswer,
        holds="item",
        view=_VIEWS["product"],
        views=_views,
        find=_find,
        beside=_bom,
    )
)
