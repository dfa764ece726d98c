"""How an item looks in a search."""

from typing import Literal

from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import EMPTY, get_int, get_strs, number, rows


class ItemRow(Answer):
    """A variant of a product or material, or a service."""

    variant_id: int | None = None
    item_id: int | None = None
    item_type: Literal["product", "material", "service"]
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    sales_price: Number | None = None
    currency: str | None = None
    """Of `sales_price`."""
    supplier: str | None = None
    purchase_price: Number | None = None
    purchase_currency: str | None = None
    """The supplier's."""
    supplier_item_codes: list[str] | None = None
    archived: bool | None = None
    url: str | None = None


def variant_row(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what a variant's record does not say of itself."""
    record = stored.record
    kind, item_id = names.parent(record) or (None, None)
    item = names.record(kind, item_id) if kind else None
    supplier_id = get_int(item or EMPTY, "default_supplier_id")
    return {
        "variant_id": get_int(record, "id"),
        "item_id": item_id,
        "item_type": "material" if kind == "material" else "product",
        "name": names.display(record),
        "uom": text(item, "uom"),
        "currency": names.base_currency(),
        "supplier": names.name("supplier", supplier_id),
        "purchase_currency": text(names.record("supplier", supplier_id), "currency"),
        "supplier_item_codes": get_strs(record, "supplier_item_codes"),
        "archived": stored.archived or None,
        "url": services.url(f"/{kind}/{item_id}") if kind else None,
    }


def service_row(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what a service says through its one variant; it has no page of its own in Katana."""
    del services
    variants = rows(stored.record, "variants")
    variant = variants[0] if variants else EMPTY
    return {
        "variant_id": get_int(variant, "id"),
        "item_id": get_int(stored.record, "id"),
        "item_type": "service",
        "sku": text(variant, "sku"),
        "sales_price": number(variant, "sales_price"),
        "currency": names.base_currency(),
        "archived": stored.archived or None,
    }
