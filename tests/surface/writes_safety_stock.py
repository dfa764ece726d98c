"""Safety stock and default bins: the row of the tool that plans to set them."""

from collections.abc import Callable
from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Record, Rows, Spoil, Write, live
from .writes_boms import VARIANT, parts

_LEVELS = "inventory_safety_stock_levels"


def _stocked(tenant: Tenant, text: str) -> Record:
    """Return the variant of a new material."""
    unit = str(next(tenant.all("materials"))["uom"])
    (variant,) = tenant.create("materials", {"name": f"Part {text}", "uom": unit, "variants": [{"sku": text}]})[
        "variants"
    ]
    return tenant.get(VARIANT, variant["id"])


def _row(tenant: Tenant, variant: Record) -> Arguments:
    return {"sku_or_variant_id": variant["id"], "location_id": live(tenant, "locations")[0]["id"], "safety_stock": 7.5}


def _rows(tenant: Tenant, _: str, variant: Record) -> Arguments:
    return {"rows": [_row(tenant, variant)]}


def _other(name: str, value: Callable[[Tenant], object]) -> Callable[[Tenant, Record], Arguments]:
    """Return arguments in which one field of the row is another."""
    return lambda tenant, variant: {"rows": [{**_row(tenant, variant), name: value(tenant)}]}


def _set(tenant: Tenant, _: Record, arguments: Arguments) -> None:
    """Let somebody set the level that is asked for."""
    (row,) = cast("Rows", arguments["rows"])
    body = {"variant_id": row["sku_or_variant_id"], "location_id": row["location_id"], "value": row["safety_stock"]}
    tenant.create(_LEVELS, body)


_BELOW: dict[str, Callable[[Tenant, Record], Arguments]] = {
    "sku_or_variant_id": _other("sku_or_variant_id", lambda tenant: parts(tenant)[1]),
    "location_id": _other("location_id", lambda tenant: live(tenant, "locations")[1]["id"]),
    "safety_stock": _other("safety_stock", lambda _: 8),
    "default_bin": _other("default_bin", lambda _: "A-77"),
}
SAFETY_STOCK = {
    "modify_safety_stock": Write(
        collection=VARIANT,
        usual=_rows,
        make=_stocked,
        pools=lambda tenant, _: {
            "rows[].sku_or_variant_id": [*parts(tenant)[:6]],
            "rows[].location_id": [location["id"] for location in live(tenant, "locations")],
        },
        below=lambda tenant, variant: {f"rows[].{name}": asks(tenant, variant) for name, asks in _BELOW.items()},
        spoils={"somebody sets the level that is asked for": Spoil(act=_set, code="no_effective_change")},
    ),
}
