"""How a product, a material or a service looks in lists, and its variants in it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from cache_core.protocol import Stored
from cache_core.records import Record, is_set, moment_in
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import ComputedFields
from katana_mcp.surface.operations.embedded import CustomField, config
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int, get_strs, rows

type ItemType = Literal["product", "material", "service"]
ITEM_TYPES: tuple[ItemType, ...] = ("product", "material", "service")
NAMED: dict[ItemType, Mapping[str, tuple[str, ...]]] = {
    "product": {"supplier": ("default_supplier_id",)},
    "material": {"supplier": ("default_supplier_id",)},
    "service": {},
}
PARTS: dict[ItemType, Mapping[str, str]] = {
    "product": {"variant": "product_id"},
    "material": {"variant": "material_id"},
    "service": {},
}
"""An item stays as it is when its variants change, so what it embeds of them may be old."""


class ItemVariant(Answer):
    """A variant of an item."""

    variant_id: int | None = None
    sku: str | None = None
    config: str | None = None
    """Size: L, Colour: Red."""
    sales_price: Number | None = None
    sales_currency: str | None = None
    purchase_price: Number | None = None
    purchase_currency: str | None = None
    """The supplier's."""
    default_cost: Number | None = None
    """Of a service, in `sales_currency`."""
    lead_time: int | None = None
    """Days."""
    minimum_order_quantity: Number | None = None
    internal_barcode: str | None = None
    registered_barcode: str | None = None
    supplier_item_codes: list[str] | None = None
    custom_fields: list[CustomField] | None = None


class ItemSummary(Answer):
    """A product, a material or a service; with its variants where they were asked for."""

    item_id: int | None = None
    item_type: ItemType
    name: str | None = None
    category: str | None = None
    uom: str | None = None
    is_sellable: bool | None = None
    is_producible: bool | None = None
    is_purchasable: bool | None = None
    batch_tracked: bool | None = None
    serial_tracked: bool | None = None
    supplier_id: int | None = None
    supplier: str | None = None
    variant_count: int = 0
    rows: list[ItemVariant] | None = None
    archived_at: str | None = None
    deleted_at: str | None = None
    url: str | None = None


HEADER_READS = frozenset({"default_supplier_id", "category_name", "variants[].deleted_at"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(kind: ItemType) -> ComputedFields:
    """Return what an item's record of this type does not say of itself, as a function of it."""

    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        record = stored.record
        supplier_id = get_int(record, "default_supplier_id")
        return {
            "item_id": stored.id,
            "item_type": kind,
            "category": text(record, "category_name"),
            "supplier_id": supplier_id,
            "supplier": names.name("supplier", supplier_id),
            "variant_count": len(_live(rows(record, "variants"))),
            "url": services.url(f"/{kind}/{stored.id}") if kind != "service" else None,
        }

    return computed


def with_variants(kind: ItemType) -> ComputedFields:
    """Return the same, and the item's variants."""
    header_fields: Callable[[Stored, Names, Services], Mapping[str, object]] = header(kind)

    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        shown = variants(stored.record, names.parts.get((kind, stored.id), []), names)
        return {**header_fields(stored, names, services), "variant_count": len(shown), "rows": shown}

    return computed


def variants(record: Record, parts: Iterable[Record], names: Names) -> list[ItemVariant]:
    """Return the variants of an item that are not deleted, with the currency of each price.

    Each is shown in its newest version: as the item embeds it, or as it is cached by itself.
    """
    newest: dict[int, Record] = {}
    for place, row in enumerate((*rows(record, "variants"), *parts), 1):
        variant_id = get_int(row, "id")
        key = -place if variant_id is None else variant_id  # those whose id cannot be read are not one
        other = newest.get(key)
        if other is None or (moment_in(row.get("updated_at")) or "") >= (moment_in(other.get("updated_at")) or ""):
            newest[key] = row
    supplier = names.record("supplier", record.get("default_supplier_id"))
    money = {"sales_currency": names.base_currency(), "purchase_currency": text(supplier, "currency")}
    return [
        filled(
            ItemVariant,
            variant,
            names,
            variant_id=get_int(variant, "id"),
            config=config(variant),
            supplier_item_codes=get_strs(variant, "supplier_item_codes"),
            **money,
        )
        for variant in _live(newest.values())
    ]


def _live(sent: Iterable[Record]) -> list[Record]:
    return [record for record in sent if not is_set(record, "deleted_at")]
