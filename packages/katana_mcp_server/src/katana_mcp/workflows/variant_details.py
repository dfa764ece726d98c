"""`get_variant_details`: everything about variants, by SKU or id, many at once."""

from typing import Literal

from cache_core.protocol import Stored
from katana_mcp.references.display_names import CUSTOM_FIELDS, FACTORY, VARIANT_ENTITIES, Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import ToolSpec, View
from katana_mcp.surface.operations.embedded import CustomField, config
from katana_mcp.surface.operations.rows import to_answers
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import Request, SkusOrVariantIds
from katana_mcp.values import EMPTY, get_bool, get_int, get_strs
from katana_mcp.workflows.variants import NotFound, bounded, current_for, resolve

_SMALL = ("supplier", *FACTORY, *CUSTOM_FIELDS)
_READS = (*VARIANT_ENTITIES, *_SMALL)


class GetVariantDetailsRequest(Request):
    """Arguments of `get_variant_details`."""

    skus_or_variant_ids: SkusOrVariantIds
    """SKUs (texts) or variant ids (integers), mixed freely, at most 250; the order is kept."""


class VariantDetails(Answer):
    """A variant with what it takes from its product or material."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    config: str | None = None
    """Size: L, Colour: Red."""
    item_id: int | None = None
    item_type: Literal["product", "material", "service"] | None = None
    category: str | None = None
    uom: str | None = None
    sales_price: Number | None = None
    sales_currency: str | None = None
    """The factory's base currency."""
    purchase_price: Number | None = None
    purchase_currency: str | None = None
    """The supplier's currency."""
    supplier_id: int | None = None
    supplier: str | None = None
    supplier_item_codes: list[str] | None = None
    internal_barcode: str | None = None
    registered_barcode: str | None = None
    lead_time: int | None = None
    """Days."""
    minimum_order_quantity: Number | None = None
    batch_tracked: bool | None = None
    serial_tracked: bool | None = None
    is_sellable: bool | None = None
    is_producible: bool | None = None
    is_purchasable: bool | None = None
    additional_info: str | None = None
    custom_fields: list[CustomField] | None = None
    archived: bool | None = None
    deleted: bool | None = None
    updated_at: str | None = None
    url: str | None = None


class VariantDetailsAnswer(Envelope):
    """The answer of `get_variant_details`."""

    variants: list[VariantDetails]
    not_found: list[NotFound]


async def _run(request: GetVariantDetailsRequest, services: Services) -> Answer:
    now = await current_for(request.skus_or_variant_ids, _READS, _SMALL, services)
    resolved = await resolve(request.skus_or_variant_ids, services)
    rows = await to_answers(lambda _: _VIEW, [("variant", variant) for variant in resolved.variants], services)
    fit = bounded("get_variant_details", rows, resolved)
    return now.answer(
        VariantDetailsAnswer,
        *fit.warnings,
        variants=fit.rows,
        not_found=fit.not_found,
        next_actions=[*fit.next_actions, *([_SEARCH] if fit.not_found and not resolved.none else [])],
    )


_SEARCH = "search_items(query=…) finds variants by any part of a name or code"


def _details(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    record = stored.record
    parent = names.parent(record)
    item = names.item(record)
    shared = item or EMPTY
    supplier_id = get_int(shared, "default_supplier_id")
    flags: dict[str, object] = {name: get_bool(shared, name) for name in _FLAGS}
    return flags | {
        "variant_id": get_int(record, "id"),
        "name": names.display(record),
        "config": config(record),
        "sales_currency": names.base_currency(),
        "purchase_currency": text(names.record("supplier", supplier_id), "currency"),
        "item_id": parent[1] if parent else None,
        "item_type": parent[0] if parent else None,
        "category": text(item, "category_name"),
        "uom": text(item, "uom"),
        "supplier_id": supplier_id,
        "supplier": names.name("supplier", supplier_id),
        "supplier_item_codes": get_strs(record, "supplier_item_codes"),
        "additional_info": text(item, "additional_info"),
        "archived": stored.archived or None,
        "deleted": stored.deleted or None,
        "url": services.url(f"/{parent[0]}/{parent[1]}") if parent and parent[0] != "service" else None,
    }


_FLAGS = ("batch_tracked", "serial_tracked", "is_sellable", "is_producible", "is_purchasable")
_VIEW = View(
    model=VariantDetails,
    computed_fields=_details,
    names={"variant": ("id",), "supplier": (), "factory": (), "custom_field_definition": ()},
)

GET_VARIANT_DETAILS = ToolSpec(
    name="get_variant_details",
    toolset="items",
    description=(
        "Get everything about one or more variants: prices, codes, barcodes, supplier, lead time, item.\n\n"
        "Pass a list of SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely; "
        "batching N items in one call beats N separate calls. Output order matches input order; what does not exist "
        "comes back in `not_found`."
    ),
    request=GetVariantDetailsRequest,
    answer=VariantDetailsAnswer,
    run=_run,
    reads=_READS,
)
