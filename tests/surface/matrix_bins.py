"""The usual call of the tool that plans transfers between bins, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, live_records
from .writes_bins import bin_of


def _moved(tenant: Tenant) -> int:
    material = live_records(tenant, "materials")[0]["id"]
    return next(
        int(variant["id"]) for variant in live_records(tenant, "variants") if variant["material_id"] == material
    )


def bin_with_transfer(tenant: Tenant) -> None:
    """Put a bin into the account, and a transfer that is to bring goods there."""
    shelf = bin_of(tenant, "SHELF-1")
    bin_of(tenant, "EMPTY-1")
    row = {"variant_id": _moved(tenant), "quantity": "1", "target_bin_location_id": shelf["id"]}
    tenant.create("bin_transfers", {"location_id": shelf["location_id"], "bin_transfer_rows": [row]})


def between_bins(tenant: Tenant) -> Usual:
    """Return it."""
    variant, made = _moved(tenant), live_records(tenant, "bin_transfers")[0]
    first, second = live_records(tenant, "locations")[:2]
    rows: list[dict[str, object]] = [{"sku_or_variant_id": variant, "quantity": 2, "to_bin": "SHELF-1"}]
    usual: dict[str, object] = {"location_id": first["id"], "rows": rows, "status": "CREATED"}
    there: dict[str, object] = {"bin_transfer": made["id"]}
    return Usual(
        usual,
        {
            "location_id": {**usual, "location_id": second["id"]},
            "rows": {**usual, "rows": [{**rows[0], "quantity": 3}]},
            "bin_transfer": there,
            "status": {**usual, "status": "IN_TRANSIT"},
            "delete": {**there, "delete": True},
            "delete_bins": {**usual, "delete_bins": ["EMPTY-1"]},
        },
    )
