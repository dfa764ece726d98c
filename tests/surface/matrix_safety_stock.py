"""The usual call of the tool that plans to set levels and bins, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, live_records


def kept(tenant: Tenant) -> Usual:
    """Return it."""
    material = live_records(tenant, "materials")[0]["id"]
    variant = next(record["id"] for record in live_records(tenant, "variants") if record["material_id"] == material)
    row: dict[str, object] = {"sku_or_variant_id": variant, "location_id": live_records(tenant, "locations")[0]["id"]}
    rows = [{**row, "safety_stock": 71}]
    return Usual({"rows": rows}, {"rows": {"rows": [{**row, "safety_stock": 71, "default_bin": "A-1"}]}})
