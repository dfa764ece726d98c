"""Default tax rates: one for sales and one for purchases."""

from katana_sandbox.descriptor import Context
from katana_sandbox.wire.encoding import Record

_SIDES = ("sales", "purchases")


def default_tax_rate(ctx: Context) -> int | None:
    """The rate of purchase order rows that name none; sales order rows stay without."""
    return next((rate["id"] for rate in _rates(ctx) if rate.get("is_default_purchases")), None)


def settle_tax_rate(ctx: Context, _before: Record | None, after: Record | None) -> None:
    """A rate that becomes the default of a side takes the place of the one before."""
    for name in (f"is_default_{side}" for side in _SIDES):
        if after is None or not after.get(name):
            continue
        for other in _rates(ctx):
            if other.get(name) and other["id"] != after["id"]:
                ctx.change("tax_rates", other["id"], {name: False})


def _rates(ctx: Context) -> list[Record]:
    store = ctx.db.stores["tax_rates"]
    return [store.record(slot) for slot in store.visible]
