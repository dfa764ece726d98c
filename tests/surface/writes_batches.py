"""Batches: the row of the tool that plans to make or change one."""

from katana_sandbox import Tenant

from .writes import Arguments, Record, Spoil, Write, live

BATCH = "batches"


def kept_in_batches(tenant: Tenant, sku: str) -> int:
    """Return the variant of a new material that is kept in batches."""
    unit = str(next(tenant.all("materials"))["uom"])
    body: Arguments = {"name": f"Lots {sku}", "uom": unit, "batch_tracked": True, "variants": [{"sku": sku}]}
    return int(tenant.create("materials", body)["variants"][0]["id"])


def lot_of(tenant: Tenant, variant: int, number: str) -> Record:
    """Return a new batch that has stock."""
    made = tenant.create(BATCH, {"batch_number": number, "variant_id": variant})
    entry = {"batch_id": made["id"], "quantity": 5}
    row = {"variant_id": variant, "quantity": 5, "cost_per_unit": 1, "batch_transactions": [entry]}
    place = live(tenant, "locations")[0]["id"]
    tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [row]})
    return tenant.get(BATCH, made["id"])


def traced_rows(tenant: Tenant, quantity: float = 1) -> dict[str, Arguments]:
    """Return a row of goods in a batch and one of a unit with a serial number, both at the first location.

    Returns:
        The row that has each argument below `traceability`, by the path of that.
    """
    lot = lot_of(tenant, kept_in_batches(tenant, f"LOT-{tenant.count(BATCH)}"), "LOT-ROW")
    named = [{"batch_id": lot["id"], "quantity": abs(quantity)}]
    held = next(row for row in tenant.all("purchase_order_rows") if row.get("traceability"))
    unit = {"serial_number_id": held["traceability"][0]["serial_number_id"]}
    in_batch: Arguments = {"sku_or_variant_id": lot["variant_id"], "quantity": quantity, "traceability": named}
    by_unit: Arguments = {"sku_or_variant_id": held["variant_id"], "quantity": quantity, "traceability": [unit]}
    below = {
        "": in_batch,
        "[]": in_batch,
        "[].batch_id": in_batch,
        "[].quantity": in_batch,
        "[].serial_number_id": by_unit,
    }
    return {f"traceability{name}": row for name, row in below.items()}


def _lot(tenant: Tenant, text: str) -> Record:
    return lot_of(tenant, kept_in_batches(tenant, text), text)


BATCHES = {
    "modify_traceability": Write(
        collection=BATCH,
        usual=lambda _, text, lot: {
            "sku_or_variant_id": lot["variant_id"],
            "batch": lot["id"],
            "batch_number": f"{text}-B",
            "expiration_date": "2027-01-31",
        },
        make=_lot,
        pools=lambda _, lot: {
            "sku_or_variant_id": [lot.get("variant_id", 1)],
            "batch": [lot.get("id", 1), lot.get("batch_number", "LOT")],
        },
        spoils={
            "somebody calls another batch so": Spoil(
                act=lambda tenant, lot, arguments: lot_of(tenant, lot["variant_id"], str(arguments["batch_number"])),
                code="duplicate_name",
            ),
        },
    ),
}
