"""The usual calls of the tools that plan to write bills of materials, and what makes a difference."""

from typing import Any

from katana_sandbox import Tenant

from .usual import Changes, Usual, changed_each, live_records
from .writes_boms import BOM, operations_of, parts, rows_of


def bom_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return them, by tool."""
    made = list(dict.fromkeys(row["product_variant_id"] for row in tenant.all(BOM)))
    used = list(dict.fromkeys(row["ingredient_variant_id"] for row in tenant.all(BOM)))
    mine = rows_of(tenant, made[0])
    has = {row["ingredient_variant_id"] for row in tenant.all(BOM) if row["product_variant_id"] == made[0]}
    other = next(variant_id for variant_id in made if variant_id not in has and variant_id != made[0])
    goods = parts(tenant)
    others = set(goods[2:])
    fresh = [number for number in goods if number not in has]
    using = [row["id"] for row in tenant.all(BOM) if row["ingredient_variant_id"] == goods[0]]
    worked = operations_of(tenant, made[0])
    with_operations = {row["product_variant_id"] for row in tenant.all("product_operation_rows")} - {made[0]}
    material, priced = _priced(tenant)
    by_itself = [{"sku_or_variant_id": priced[0], "price": 77}]
    one_by_one: Changes = {"prices": {"percent": None, "skus_or_variant_ids": None, "prices": by_itself}}
    return {
        "modify_bom": Usual(
            {"sku_or_variant_id": made[0], "add_rows": [{"sku_or_variant_id": fresh[0], "quantity": 2}]},
            changed_each(
                sku_or_variant_id=other,
                copy_of=other,
                add_rows=[{"sku_or_variant_id": fresh[1], "quantity": 3}],
                update_rows=[{"row_id": mine[0], "quantity": 77}],
                delete_row_ids=[mine[0]],
                add_operation_rows=[{"operation_name": "Gluing"}],
                update_operation_rows=[{"operation_row_id": worked[0], "operation_name": "Gluing"}],
                delete_operation_row_ids=worked[:1],
                copy_operations_of=next(variant_id for variant_id in made if variant_id in with_operations),
            ),
        ),
        "change_prices": Usual(
            {"which": "purchase", "percent": 10.7, "skus_or_variant_ids": priced},
            changed_each(
                which="sales",
                percent=-10,
                skus_or_variant_ids=priced[1:],
                category=material["category_name"],
                supplier_id=material["default_supplier_id"],
                decimals=0,
                after_variant_id=priced[0],
                price_list="Dealers",
            )
            | one_by_one,
        ),
        "replace_ingredient": Usual(
            {"old": goods[0], "new": goods[1]},
            changed_each(
                old=next(variant_id for variant_id in used if variant_id in others),
                new=goods[2],
                quantity_factor=2,
                row_ids=using[:1],
            ),
        ),
    }


def _priced(tenant: Tenant) -> tuple[dict[str, Any], list[int]]:
    """Return a material, and with both prices a variant of it and one of another category and supplier."""
    materials = {
        material["id"]: material for material in live_records(tenant, "materials") if material["default_supplier_id"]
    }
    bought = [variant for variant in live_records(tenant, "variants") if variant["material_id"] in materials]
    both = [row for row in bought if row["purchase_price"] and row["sales_price"]] or bought
    first, own = both[0], materials[both[0]["material_id"]]
    names = ("category_name", "default_supplier_id")
    other = next(row for row in both if all(materials[row["material_id"]][name] != own[name] for name in names))
    return own, sorted([first["id"], other["id"]])
