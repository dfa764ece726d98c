"""The usual calls of the tools that plan to write bills of materials, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Changes, Usual, changed_each
from .writes_boms import BOM, parts, rows_of


def bom_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return them, by tool."""
    made = list(dict.fromkeys(row["product_variant_id"] for row in tenant.all(BOM)))
    used = list(dict.fromkeys(row["ingredient_variant_id"] for row in tenant.all(BOM)))
    mine = rows_of(tenant, made[0])
    has = {row["ingredient_variant_id"] for row in tenant.all(BOM) if row["product_variant_id"] == made[0]}
    other = next(each for each in made if each not in has and each != made[0])
    fresh = [each for each in parts(tenant) if each not in has]
    using = [row["id"] for row in tenant.all(BOM) if row["ingredient_variant_id"] == parts(tenant)[0]]
    priced = {"sku_or_variant_id": parts(tenant)[0], "price": 77}
    one_by_one: Changes = {"prices": {"percent": None, "skus_or_variant_ids": None, "prices": [priced]}}
    return {
        "modify_bom": Usual(
            {"sku_or_variant_id": made[0], "add_rows": [{"sku_or_variant_id": fresh[0], "quantity": 2}]},
            changed_each(
                sku_or_variant_id=other,
                copy_of=other,
                add_rows=[{"sku_or_variant_id": fresh[1], "quantity": 3}],
                update_rows=[{"row_id": mine[0], "quantity": 77}],
                delete_row_ids=[mine[0]],
            ),
        ),
        "change_prices": Usual(
            {"which": "purchase", "percent": 10, "skus_or_variant_ids": parts(tenant)[:2]},
            changed_each(
                which="sales",
                percent=-10,
                skus_or_variant_ids=parts(tenant)[1:3],
                category="Nothing",
                supplier_id=next(tenant.all("suppliers"))["id"],
                decimals=0,
                after_variant_id=parts(tenant)[0],
            )
            | one_by_one,
        ),
        "replace_ingredient": Usual(
            {"old": parts(tenant)[0], "new": parts(tenant)[1]},
            changed_each(
                old=next(each for each in used if each in parts(tenant)[2:]),
                new=parts(tenant)[2],
                quantity_factor=2,
                row_ids=using[:1],
            ),
        ),
    }
