"""Products, materials, variants, services and BOM rows: rules of their own (facts 4.1)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

CONFIGS = [{"name": "Size", "values": ["S", "M"]}, {"name": "Colour", "values": ["Red"]}]


def variant(size: str, colour: str = "Red") -> dict[str, Any]:
    pairs = (("Size", size), ("Colour", colour))
    return {
        "sku": f"T-{size}",
        "config_attributes": [{"config_name": name, "config_value": value} for name, value in pairs],
    }


async def made(api: Caller, **extra: object) -> dict[str, Any]:
    body = {"name": "Trike", "configs": CONFIGS, "variants": [variant("S"), variant("M")], **extra}
    answer = await api.post("/products", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def test_a_created_product_has_ids_for_configs_and_variants_and_defaults(api: Caller) -> None:
    product = await made(api)
    shown = (await api.get(f"/products/{product['id']}")).body
    assert shown == product
    assert [config["name"] for config in shown["configs"]] == ["Size", "Colour"]
    assert {config["product_id"] for config in shown["configs"]} == {product["id"]}
    assert [row["sku"] for row in shown["variants"]] == ["T-S", "T-M"]
    assert (shown["uom"], shown["is_sellable"], shown["additional_info"]) == ("pcs", True, "")
    assert (shown["archived_at"], shown["deleted_at"], shown["type"]) == (None, None, "product")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"is_producible": False, "is_purchasable": False}, "product must be purchasable, producible or both"),
        ({"batch_tracked": True, "serial_tracked": True}, "an item can not be batch tracked and serial tracked"),
        ({"is_auto_assembly": True, "batch_tracked": True}, "auto assembly needs a producible product"),
        ({"is_auto_assembly": True, "is_producible": False, "is_purchasable": True}, "auto assembly needs"),
        ({"purchase_uom": "box"}, "purchase_uom and purchase_uom_conversion_rate must be provided together"),
        ({"purchase_uom_conversion_rate": 2}, "purchase_uom and purchase_uom_conversion_rate must be"),
        ({"default_supplier_id": 10000101}, "default supplier needs a purchasable product"),
        ({"configs": [CONFIGS[0], CONFIGS[0]]}, "config names must be unique"),
        ({"configs": [CONFIGS[0]]}, "config attribute Colour not found"),
        ({"variants": [variant("S"), {"sku": "T"}]}, "each variant needs a value for every config of its item"),
    ],
)
async def test_impossible_products_are_refused(api: Caller, extra: dict[str, object], message: str) -> None:
    body = {"name": "Trike", "configs": CONFIGS, "variants": [variant("S"), variant("M")], **extra}
    answer = await api.post("/products", body)
    assert (answer.status, answer.error["message"][: len(message)]) == (422, message)
    assert (await api.get("/products", {"name": "Trike"})).rows == []


async def test_a_patch_that_makes_a_product_impossible_is_refused(api: Caller) -> None:
    product = await made(api)
    answer = await api.patch(f"/products/{product['id']}", {"is_producible": False})
    assert answer.error["message"] == "product must be purchasable, producible or both"
    kept = await api.patch(f"/products/{product['id']}", {"is_producible": False, "is_purchasable": True})
    assert kept.status == 200


async def test_a_configs_patch_replaces_the_list_matching_by_id_then_by_name(api: Caller) -> None:
    product = await made(api)
    size, colour = product["configs"]
    changes = [{"id": size["id"], "name": "Ignored", "values": ["S", "M", "L"]}, {"name": "Gears", "values": ["9"]}]
    configs = (await api.patch(f"/products/{product['id']}", {"configs": changes})).body["configs"]
    assert [(config["name"], config["values"]) for config in configs] == [("Size", ["S", "M", "L"]), ("Gears", ["9"])]
    assert configs[0]["id"] == size["id"]
    assert configs[1]["id"] not in {size["id"], colour["id"]}
    variants = (await api.get(f"/products/{product['id']}")).body["variants"]
    assert [[pair["config_name"] for pair in row["config_attributes"]] for row in variants] == [["Size"], ["Size"]]
    by_name = [{"name": "Size", "values": ["S"]}]
    again = (await api.patch(f"/products/{product['id']}", {"configs": by_name})).body["configs"]
    assert [config["id"] for config in again] == [size["id"]]
    unknown = await api.patch(f"/products/{product['id']}", {"configs": [{"id": 1, "values": ["S"]}]})
    assert unknown.error["message"] == "config not found"


async def test_a_new_option_value_is_appended_and_an_unknown_option_refused(api: Caller) -> None:
    product = await made(api)
    created = await api.post("/variants", {"product_id": product["id"], **variant("XL")})
    assert (created.status, created.body["type"], created.body["product_id"]) == (200, "product", product["id"])
    configs = (await api.get(f"/products/{product['id']}")).body["configs"]
    assert configs[0]["values"] == ["S", "M", "XL"]
    bad = {"config_attributes": [{"config_name": "Smell", "config_value": "Rose"}]}
    answer = await api.patch(f"/variants/{created.body['id']}", bad)
    assert answer.error["message"] == "config attribute Smell not found"


@pytest.mark.parametrize("links", [{}, {"product_id": 10000101, "material_id": 10000101}])
async def test_a_variant_needs_exactly_one_item(api: Caller, links: dict[str, int]) -> None:
    answer = await api.post("/variants", {"sku": "X", **links})
    assert answer.error["message"] == "exactly one of product_id or material_id is required"


async def test_the_item_of_a_variant_can_not_be_changed(api: Caller) -> None:
    answer = await api.patch("/variants/10000106", {"material_id": 10000102})
    assert answer.error["details"][0]["info"] == {"additionalProperty": "material_id"}


async def test_codes_and_barcodes_are_replaced_whole_and_found_by_value(api: Caller) -> None:
    codes = ["00.4021.018.003", "ALT-7"]
    body = {"supplier_item_codes": codes, "registered_barcode": "4711", "internal_barcode": "B-1", "lead_time": 0}
    changed = (await api.patch("/variants/10000106", body)).body
    assert (changed["supplier_item_codes"], changed["lead_time"]) == (codes, 0)
    for name, value in (("supplier_item_codes", "ALT-7"), ("registered_barcode", "4711"), ("internal_barcode", "B-1")):
        assert (await api.get("/variants", {name: value})).ids == [10000106]
    assert (await api.patch("/variants/10000106", {"supplier_item_codes": []})).body["supplier_item_codes"] == []
    assert (await api.get("/variants", {"supplier_item_codes": "ALT-7"})).rows == []


async def test_archiving_hides_an_item_its_variants_and_stock_and_unarchiving_brings_them_back(api: Caller) -> None:
    product = await made(api)
    path = f"/products/{product['id']}"
    ids = [row["id"] for row in product["variants"]]
    archived = (await api.patch(path, {"is_archived": True})).body
    assert archived["archived_at"] == archived["updated_at"]
    assert "is_archived" not in archived
    assert (await api.get("/products", {"ids": [product["id"]]})).rows == []
    assert (await api.get("/products", {"ids": [product["id"]], "include_archived": True})).rows[0]["variants"] != []
    assert (await api.get("/inventory", {"variant_id": ids})).rows == []
    hidden = (await api.get("/inventory", {"variant_id": ids, "include_archived": True})).rows
    assert {row["archived_at"] for row in hidden} == {archived["archived_at"]}
    assert (await api.get(path)).status == 200
    assert (await api.patch(path, {"is_archived": False})).body["archived_at"] is None
    assert (await api.get("/variants", {"ids": ids})).ids == ids[::-1]


async def test_deleting_an_item_deletes_its_variants_and_recipe(api: Caller, tenant: Tenant) -> None:
    row = next(tenant.all("bom_rows"))
    assert (await api.delete(f"/products/{row['product_item_id']}")).status == 204
    assert (await api.get(f"/variants/{row['product_variant_id']}")).status == 404
    gone = await api.get("/variants", {"ids": [row["product_variant_id"]], "include_deleted": True})
    assert gone.rows[0]["deleted_at"] is not None
    assert (await api.get("/bom_rows", {"product_item_id": row["product_item_id"]})).rows == []
    parent = (await api.get("/products", {"ids": [row["product_item_id"]], "include_deleted": True})).rows[0]
    assert parent["variants"] == []


async def test_a_service_has_one_variant_which_header_fields_write(api: Caller) -> None:
    none: list[dict[str, Any]] = [{}, {}]
    two = await api.post("/services", {"name": "Wash", "variants": none})
    assert two.error["details"][0]["code"] == "maxItems"
    service = (await api.post("/services", {"name": "Wash", "variants": [{"sku": "W", "sales_price": 5}]})).body
    changed = (await api.patch(f"/services/{service['id']}", {"sku": "W2", "default_cost": 2})).body
    shown = changed["variants"][0]
    assert (shown["sku"], shown["default_cost"], shown["sales_price"]) == ("W2", 2, 5)
    assert "sku" not in changed
    assert shown["id"] == service["variants"][0]["id"]
    assert (await api.get("/variants", {"ids": [shown["id"]]})).rows == []
    assert (await api.patch(f"/variants/{shown['id']}", {"sku": "no"})).status == 404


async def test_bom_rows_have_uuids_ranks_and_checks(api: Caller, tenant: Tenant) -> None:
    product = await made(api)
    ids = [row["id"] for row in product["variants"]]
    body = {"product_variant_id": ids[0], "product_item_id": product["id"], "ingredient_variant_id": 10000106}
    first, second = [(await api.post("/bom_rows", body)).body for _ in range(2)]
    assert (len(first["id"]), first["rank"], second["rank"]) == (36, 0, 10000)
    wrong = await api.post("/bom_rows", {**body, "product_item_id": 10000101})
    assert wrong.error["message"] == "product variant does not belong to the product"
    itself = await api.post("/bom_rows", {**body, "ingredient_variant_id": ids[0]})
    assert itself.error["message"] == "product variant can not be its own ingredient"
    assert (await api.patch(f"/bom_rows/{first['id']}", {"quantity": None, "notes": "n"})).body["quantity"] is None
    before = tenant.count("bom_rows")
    batch = {"data": [body, {**body, "ingredient_variant_id": 9}]}
    assert (await api.post("/bom_rows/batch/create", batch)).status == 422
    assert tenant.count("bom_rows") == before
    too_many = await api.post("/bom_rows/batch/create", {"data": [body] * 251})
    assert too_many.error["details"][0]["info"] == {"limit": 250}
