"""Bin transfers: the row of the tool that plans to make, move on or delete one."""

from collections.abc import Callable

from katana_sandbox import Tenant

from .writes import Arguments, Record, Write, gone, live
from .writes_boms import parts

_BIN = "bin_locations"


def bin_of(tenant: Tenant, name: str, place: int = 0) -> Record:
    """Return a new bin."""
    return tenant.create(_BIN, {"bin_name": name, "location_id": live(tenant, "locations")[place]["id"]})


def _shelf(tenant: Tenant, text: str) -> Record:
    return bin_of(tenant, text)


def _row(tenant: Tenant, shelf: Record) -> Arguments:
    return {"sku_or_variant_id": parts(tenant)[0], "quantity": 2, "to_bin": shelf.get("id", 1)}


def _usual(tenant: Tenant, _: str, shelf: Record) -> Arguments:
    place = live(tenant, "locations")[0]["id"]
    return {"location_id": place, "rows": [_row(tenant, shelf)], "status": "CREATED"}


def _other(name: str, value: Callable[[Tenant], object]) -> Callable[[Tenant, Record], Arguments]:
    """Return arguments in which one field of the row is another."""
    return lambda tenant, shelf: {"rows": [{**_row(tenant, shelf), name: value(tenant)}]}


def _lot(tenant: Tenant) -> object:
    made = tenant.create("batches", {"batch_number": "LOT-BIN", "variant_id": parts(tenant)[0]})
    return made["id"]


def _with_unit(tenant: Tenant, shelf: Record) -> Arguments:
    """Return arguments that move a unit by its serial number."""
    held = next(row for row in tenant.all("purchase_order_rows") if row.get("traceability"))
    unit = held["traceability"][0]["serial_number_id"]
    return {
        "rows": [
            {"sku_or_variant_id": held["variant_id"], "quantity": 1, "to_bin": shelf["id"], "serial_number_ids": [unit]}
        ]
    }


_BELOW: dict[str, Callable[[Tenant, Record], Arguments]] = {
    "sku_or_variant_id": _other("sku_or_variant_id", lambda tenant: parts(tenant)[1]),
    "quantity": _other("quantity", lambda _: 3),
    "from_bin": _other("from_bin", lambda tenant: bin_of(tenant, "OTHER-1")["id"]),
    "to_bin": _other("to_bin", lambda tenant: bin_of(tenant, "OTHER-2")["id"]),
    "batch": _other("batch", _lot),
    "serial_number_ids": _with_unit,
    "serial_number_ids[]": _with_unit,
}
BINS = {
    "plan_bin_transfer": Write(
        collection=_BIN,
        usual=_usual,
        make=_shelf,
        pools=lambda tenant, shelf: {
            "location_id": [location["id"] for location in live(tenant, "locations")],
            "rows[].sku_or_variant_id": [*parts(tenant)[:6]],
            "rows[].from_bin": [shelf.get("id", 1)],
            "rows[].to_bin": [shelf.get("id", 1)],
            "rows[].serial_number_ids": [[]],
        },
        below=lambda tenant, shelf: {f"rows[].{name}": asks(tenant, shelf) for name, asks in _BELOW.items()},
        spoils={"the bin is deleted": gone(_BIN)},
    ),
}
