"""What the sandbox holds, read past the server: the truth that answers are compared with."""

from decimal import Decimal
from typing import Any

from katana_sandbox import Tenant

type Wire = dict[str, Any]


def live(tenant: Tenant, collection: str) -> list[Wire]:
    """Return the records that are neither deleted nor archived, nor belong to one that is, oldest first."""
    shown = [each for each in tenant.all(collection) if not each.get("deleted_at") and not each.get("archived_at")]
    if collection != "variants":
        return shown
    items = {("product_id", each["id"]) for each in live(tenant, "products")}
    items |= {("material_id", each["id"]) for each in live(tenant, "materials")}
    return [each for each in shown if {(name, each[name]) for name in ("product_id", "material_id")} & items]


def unique_sku(tenant: Tenant, variant: Wire) -> bool:
    """Return whether no other variant, of any state, has this one's SKU."""
    return sum(each["sku"] == variant["sku"] for each in tenant.all("variants")) == 1


def amount(value: object) -> Decimal:
    """Return an amount of the wire or of an answer, number or text."""
    return Decimal(str(value))
