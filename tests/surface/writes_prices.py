"""Prices of many variants: the row of the tool that plans to change them."""

from katana_sandbox import Tenant

from .writes import Arguments, Record, Spoil, Write
from .writes_boms import VARIANT, parts


def _priced(tenant: Tenant, text: str) -> Record:
    """Return the variant of a new material that has a price."""
    unit = str(next(tenant.all("materials"))["uom"])
    body: Arguments = {"name": f"Part {text}", "uom": unit, "variants": [{"sku": text, "purchase_price": 3}]}
    (variant,) = tenant.create("materials", body)["variants"]
    return tenant.get(VARIANT, variant["id"])


def _prices(_: Tenant, __: str, variant: Record) -> Arguments:
    return {"prices": [{"sku_or_variant_id": variant["id"], "price": 7.5}]}


PRICES = {
    "change_prices": Write(
        collection=VARIANT,
        usual=_prices,
        always={"which": "purchase"},
        make=_priced,
        pools=lambda tenant, variant: {
            "prices[].sku_or_variant_id": [*parts(tenant)[:6]],
            "skus_or_variant_ids[]": [*parts(tenant)[:6]],
            "supplier_id": [supplier["id"] for supplier in tenant.all("suppliers")][:4],
            "after_variant_id": [variant.get("id", 1)],
        },
        below=lambda tenant, variant: {
            "prices[].sku_or_variant_id": {"prices": [{"sku_or_variant_id": parts(tenant)[1], "price": 7.5}]},
            "prices[].price": {"prices": [{"sku_or_variant_id": variant["id"], "price": 8}]},
        },
        spoils={
            "somebody sets the price that is asked for": Spoil(
                act=lambda tenant, variant, _: tenant.edit(VARIANT, variant["id"], purchase_price=7.5),
                code="no_effective_change",
            ),
        },
    )
}
