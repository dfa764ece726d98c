"""Bills of materials: the rows of their tools that plan a write."""

from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Spoil, Write, live

BOM, VARIANT, OPERATIONS = "bom_rows", "variants", "product_operation_rows"
PARTS = {"rows": BOM, "add_rows": BOM}
DERIVED = frozenset({"product_variant_id", "product_item_id", "rank", "custom_fields"})
OF_OPERATIONS = frozenset(
    {"operation_id", "resource_id", "cost_per_hour", "planned_cost_per_unit", "planned_time_per_unit"}
)


def parts(tenant: Tenant) -> list[int]:
    """Return variants of materials of one unit, oldest first."""
    units = {material["id"]: material["uom"] for material in live(tenant, "materials")}
    found = [record for record in live(tenant, VARIANT) if record.get("material_id") in units]
    return [record["id"] for record in found if units[record["material_id"]] == units[found[0]["material_id"]]]


def make_product(tenant: Tenant, text: str, used: list[int] | None = None) -> Record:
    """Return the variant of a new product that is made of three materials."""
    body: Arguments = {"name": f"Product {text}", "uom": "pcs", "is_producible": True, "variants": [{"sku": text}]}
    product = tenant.create("products", body)
    (variant,) = product["variants"]
    for ingredient in used or parts(tenant)[:3]:
        named: Arguments = {"product_variant_id": variant["id"], "product_item_id": product["id"]}
        tenant.create(BOM, {**named, "ingredient_variant_id": ingredient, "quantity": 2, "notes": text})
    work = [{"product_variant_id": variant["id"], "operation_name": operation} for operation in ("Cutting", "Gluing")]
    tenant.create(OPERATIONS, cast("Arguments", {"rows": work}))
    return tenant.get(VARIANT, variant["id"])


def rows_of(tenant: Tenant, variant: object) -> list[str]:
    """Return the ids of the rows of a product, in their order."""
    return [row["id"] for row in tenant.all(BOM) if row["product_variant_id"] == variant]


def operations_of(tenant: Tenant, variant: object) -> list[int]:
    """Return the ids of the operations of a product, oldest first."""
    return [row["product_operation_row_id"] for row in tenant.all(OPERATIONS) if row["product_variant_id"] == variant]


def _changed(tenant: Tenant, _: str, variant: Record) -> Arguments:
    first, second, _third = rows_of(tenant, variant["id"])
    return {
        "add_rows": [{"sku_or_variant_id": parts(tenant)[3], "quantity": 0.5}],
        "update_rows": [{"row_id": first, "quantity": 7}],
        "delete_row_ids": [second],
    }


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


_WORK: Arguments = {
    "operation_name": "Painting",
    "resource_name": "Booth",
    "type": "setup",
    "planned_time_parameter": 90,
    "cost_parameter": 2.5,
}


def _below(tenant: Tenant, variant: Record) -> dict[str, Arguments]:
    first, _second, third = rows_of(tenant, variant["id"])
    work = operations_of(tenant, variant["id"])
    fields: Arguments = {"sku_or_variant_id": parts(tenant)[4], "quantity": 0.25, "notes": "by hand"}
    return {
        **_each("add_rows", {"sku_or_variant_id": parts(tenant)[3], "quantity": 0.5}, fields),
        **_each("update_rows", {"row_id": first}, fields),
        **_each("update_rows", {"quantity": 7}, {"row_id": third}),
        **_each("add_operation_rows", {"operation_name": "Cutting"}, _WORK),
        **_each("update_operation_rows", {"operation_row_id": work[0]}, _WORK),
        **_each("update_operation_rows", {"operation_name": "Sanding"}, {"operation_row_id": work[1]}),
    }


def _pools(tenant: Tenant, variant: Record) -> Pools:
    goods: list[object] = [*parts(tenant)[:6]]
    pools: dict[str, list[object]] = {f"{rows}[].sku_or_variant_id": goods for rows in ("add_rows", "update_rows")}
    if not variant:
        return pools
    held: list[object] = [*rows_of(tenant, variant["id"])]
    work: list[object] = [*operations_of(tenant, variant["id"])]
    pools |= {"update_operation_rows[].operation_row_id": work, "delete_operation_row_ids[]": work}
    copied = {"copy_of": [variant["id"]], "copy_operations_of": [variant["id"]]}
    return pools | copied | {"update_rows[].row_id": held, "delete_row_ids[]": held}


def _make_used(tenant: Tenant, text: str) -> Record:
    """Return the variant of a new material that two new products are made of."""
    body: Arguments = {"name": f"Part {text}", "uom": _unit(tenant), "variants": [{"sku": text}]}
    (variant,) = tenant.create("materials", body)["variants"]
    for nr in (1, 2):
        make_product(tenant, f"{text}-{nr}", [variant["id"], parts(tenant)[0]])
    return tenant.get(VARIANT, variant["id"])


def _unit(tenant: Tenant) -> str:
    material = tenant.get(VARIANT, parts(tenant)[0])["material_id"]
    return str(tenant.get("materials", material)["uom"])


def _using(tenant: Tenant, variant: Record) -> list[str]:
    return [row["id"] for row in tenant.all(BOM) if row["ingredient_variant_id"] == variant.get("id")]


def _use_up(tenant: Tenant, variant: Record, _: Arguments) -> None:
    for row in _using(tenant, variant):
        tenant.delete(BOM, row)


BOMS = {
    "modify_bom": Write(
        collection=VARIANT,
        usual=_changed,
        subject="sku_or_variant_id",
        make=make_product,
        pools=_pools,
        below=_below,
        spoils={
            "a row to change is deleted": Spoil(
                act=lambda tenant, variant, _: tenant.delete(BOM, rows_of(tenant, variant["id"])[0]),
                code="unknown_row_id",
            ),
            "a row to delete is deleted": Spoil(
                act=lambda tenant, variant, _: tenant.delete(BOM, rows_of(tenant, variant["id"])[1]),
                code="unknown_row_id",
            ),
            "somebody adds the ingredient": Spoil(
                act=lambda tenant, variant, _: tenant.create(
                    BOM,
                    {
                        "product_variant_id": variant["id"],
                        "product_item_id": variant["product_id"],
                        "ingredient_variant_id": parts(tenant)[3],
                        "quantity": 1,
                    },
                ),
                code="duplicate_row",
                blocks=False,
            ),
        },
        parts=PARTS,
        derived=DERIVED | OF_OPERATIONS,
        lined={BOM: ""},
        listed={OPERATIONS: "operation_name"},
        follows=frozenset({"operations", "resources"}),
        words={"ingredient_variant_id": "variants"},
    ),
    "replace_ingredient": Write(
        collection=VARIANT,
        usual=lambda tenant, _, variant: {"new": parts(tenant)[1]},
        subject="old",
        make=_make_used,
        pools=lambda tenant, variant: {"new": [*parts(tenant)[:4]], "row_ids[]": _using(tenant, variant) or ["x"]},
        spoils={
            "no product uses it any more": Spoil(act=_use_up, code="no_effective_change"),
        },
        parts=PARTS,
        derived=DERIVED,
    ),
}
