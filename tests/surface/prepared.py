"""The account that calls of every tool find what they need in."""

from collections.abc import Mapping
from datetime import datetime

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_sandbox import ManualClock, Sandbox, Tenant

from .custom import defined_field
from .matrix_batches import goods_in_batches
from .matrix_bins import bin_with_transfer
from .matrix_live import planned_goods
from .matrix_sales import packed_order
from .matrix_traced import traced_goods


def prepared(clock: ManualClock) -> OwnSandbox:
    """Return a sandbox on this clock: deleted documents, batches in bins, forecasts, a packed order, a BOM."""
    sandbox = Sandbox(clock=clock)
    tenant, opened = sandbox.tenant(), sandbox.now()
    if opened in _PREPARED:
        tenant.db.restore(_PREPARED[opened])
    else:
        prepare(tenant)
        _PREPARED.clear()
        _PREPARED[opened] = tenant.db.saved()
    return OwnSandbox(sandbox)


_PREPARED: dict[datetime, Mapping[str, bytes]] = {}
"""The prepared account of the moment that was asked for last: to take it back takes half of the work."""


def prepare(tenant: Tenant) -> Tenant:
    """Put into an account what calls of every tool need, and return it."""
    for collection in ("manufacturing_orders", "stock_transfers", "stock_adjustments", "stocktakes"):
        tenant.delete(collection, max(record["id"] for record in tenant.all(collection)))
    first, *others = tenant.all("bom_rows")
    top = {name: first[name] for name in ("product_variant_id", "product_item_id")}
    below = next(other for other in others if other["product_item_id"] != first["product_item_id"])
    tenant.create("bom_rows", {**top, "ingredient_variant_id": below["product_variant_id"], "quantity": 2})
    region = {"label": "Region", "field_type": "shortText", "entity_type": "Customer", "source": "katana"}
    tenant.create("custom_field_definitions", region)
    for kind in ("PurchaseOrder", "Customer", "ServiceVariant", "SalesOrder", "Supplier"):
        defined_field(tenant, kind)
    traced_goods(tenant)
    planned_goods(tenant)
    packed_order(tenant)
    goods_in_batches(tenant)
    bin_with_transfer(tenant)
    return tenant
