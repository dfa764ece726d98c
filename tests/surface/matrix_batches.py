"""The usual call of the tool that plans to make or change a batch, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each
from .writes_batches import kept_in_batches, lot_of

_SKUS = ("LOTS-1", "LOTS-2")


def goods_in_batches(tenant: Tenant) -> None:
    """Put two materials that are kept in batches into the account, the first with a batch in stock."""
    first, _ = (kept_in_batches(tenant, sku) for sku in _SKUS)
    lot_of(tenant, first, "LOT-1")


def batches(tenant: Tenant) -> Usual:
    """Return it."""
    variant, other = (next(record["id"] for record in tenant.all("variants") if record["sku"] == sku) for sku in _SKUS)
    lot = next(batch for batch in tenant.all("batches") if batch["variant_id"] == variant)
    usual: dict[str, object] = {"sku_or_variant_id": variant, "batch_number": "LOT-9"}
    changes = changed_each(
        sku_or_variant_id=other,
        batch=lot["id"],
        batch_number="LOT-10",
        batch_barcode="lot-10",
        batch_created_date="2026-02-01",
        expiration_date="2027-02-01",
    )
    return Usual(usual, changes)
