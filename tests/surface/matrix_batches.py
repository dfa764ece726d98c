"""The usual call of the tool that plans to make or change a batch, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each
from .writes_batches import kept_in_batches, lot_of


def batches(tenant: Tenant) -> Usual:
    """Return it."""
    variant, other = kept_in_batches(tenant, "LOTS-1"), kept_in_batches(tenant, "LOTS-2")
    lot = lot_of(tenant, variant, "LOT-1")
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
