"""Recipes, the old name of BOM rows (facts 3.2, 1.2, 1.12, 2)."""

from typing import Any

from katana_sandbox import Caller, Sandbox, Tenant

from .manufacturing_floor import BOLT, STEEL, gadget


async def rows_of(api: Caller, product: int, path: str = "/recipes", name: str = "product_id") -> list[dict[str, Any]]:
    return (await api.get(path, {name: product})).rows[::-1]


async def product_of(api: Caller, variant: int) -> int:
    return (await api.get(f"/variants/{variant}")).body["product_id"]


async def test_a_recipe_row_is_a_bom_row_under_two_more_names(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant)
    product = await product_of(api, variant)
    recipes = await rows_of(api, product)
    boms = await rows_of(api, product, "/bom_rows", "product_item_id")
    assert recipes == [{**row, "recipe_row_id": row["id"], "product_id": product} for row in boms]
    assert [row["ingredient_variant_id"] for row in recipes] == [STEEL, BOLT]


async def test_recipes_are_found_by_row_variants_and_ingredient(api: Caller, tenant: Tenant) -> None:
    one, two = await gadget(api, tenant), await gadget(api, tenant)
    row = (await rows_of(api, await product_of(api, one)))[0]
    assert (await api.get("/recipes", {"recipe_row_id": row["id"]})).rows == [row]
    both = await api.get("/recipes", {"product_variant_ids": [one, two], "ingredient_variant_id": STEEL})
    assert {found["product_variant_id"] for found in both.rows} == {one, two}
    page = await api.get("/recipes", {"product_variant_ids": [one, two], "limit": 3, "page": 2})
    assert [found["id"] for found in page.rows] == [row["id"]], "1.7: newest first"
    assert (await api.get("/recipes", {"created_at_min": "2027-01-01T00:00:00Z"})).rows == []


async def test_rows_are_appended_unless_current_ones_are_not_kept(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant)
    product = await product_of(api, variant)
    line = {"product_variant_id": variant, "ingredient_variant_id": 10000112, "quantity": 3, "notes": "glue"}
    answer = await api.post("/recipes", {"rows": [line]})
    assert (answer.status, answer.raw) == (204, b""), "1.2: no body"
    assert [row["quantity"] for row in await rows_of(api, product)] == [2, 0.5, 3]
    await api.post("/recipes", {"rows": [line, {**line, "ingredient_variant_id": STEEL}], "keep_current_rows": False})
    rows = await rows_of(api, product)
    assert [(row["ingredient_variant_id"], row["notes"]) for row in rows] == [(10000112, "glue"), (STEEL, "glue")]


async def test_a_refused_bulk_changes_nothing(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant)
    product = await product_of(api, variant)
    before = await rows_of(api, product)
    line = {"product_variant_id": variant, "ingredient_variant_id": STEEL, "quantity": 1}
    for wrong in (
        {"ingredient_variant_id": 999999},
        {"product_variant_id": 999999},
        {"product_variant_id": STEEL},
        {"ingredient_variant_id": variant},
        {"quantity": -1},
        {"notes": "x" * 256},
    ):
        answer = await api.post("/recipes", {"keep_current_rows": False, "rows": [line, {**line, **wrong}]})
        assert answer.status == 422, wrong
    assert (await api.post("/recipes", {"rows": []})).status == 422
    assert (await api.post("/recipes", {"rows": [line] * 151})).status == 422, "1.12: 150 rows per call"
    assert await rows_of(api, product) == before


async def test_deleting_a_recipe_takes_every_row_of_its_product_once(api: Caller, tenant: Tenant) -> None:
    variant, other = await gadget(api, tenant), await gadget(api, tenant)
    product = await product_of(api, variant)
    assert (await api.delete(f"/recipes/{product}")).status == 204
    assert await rows_of(api, product, "/bom_rows", "product_item_id") == []
    assert len(await rows_of(api, await product_of(api, other))) == 2
    assert (await api.delete(f"/recipes/{product}")).status == 404, "5.12"
    assert (await api.delete("/recipes/999999")).status == 404


async def test_a_recipe_row_is_edited_and_deleted_by_itself(api: Caller, tenant: Tenant) -> None:
    product = await product_of(api, await gadget(api, tenant))
    row = (await rows_of(api, product))[0]
    changed = await api.patch(f"/recipe_rows/{row['id']}", {"quantity": 7, "notes": "x"})
    assert changed.body == {**row, "quantity": 7, "notes": "x", "updated_at": changed.body["updated_at"]}
    assert (await api.patch(f"/recipe_rows/{row['id']}", {})).error["message"] == "At least 1 field is required"
    assert (await api.delete(f"/recipe_rows/{row['id']}")).status == 204
    assert (await api.delete(f"/recipe_rows/{row['id']}")).status == 404
    assert len(await rows_of(api, product)) == 1


async def test_the_tenant_shows_recipes_too(tenant: Tenant) -> None:
    assert tenant.count("recipes") == tenant.count("bom_rows")
    first = next(tenant.all("recipes"))
    assert tenant.get("recipes", first["id"])["recipe_row_id"] == first["id"]


async def test_a_change_of_a_row_that_is_not_there_was_not_foreseen(sandbox: Sandbox, api: Caller) -> None:
    gone = "/bom_rows/00000000-0000-4000-8000-000000000000"
    assert (await api.patch(gone, {"quantity": 1})).status == 404
    nothing: tuple[dict[str, object] | None, ...] = ({}, None)
    for cleared in nothing:
        answer = await api.patch(gone, {"custom_fields": cleared})
        error = {"statusCode": 500, "message": "Internal Server Error", "code": "ERR_NON_2XX_3XX_RESPONSE"}
        assert (answer.status, answer.body) == (500, {"error": error}), "October 1"
    assert (await api.patch(gone, {"custom_fields": 7})).status == 422, "October 1: bad types still come first"
    sandbox.switches.set("bom_row_missing", 500)
    assert (await api.patch(gone, {"quantity": 1})).status == 500
