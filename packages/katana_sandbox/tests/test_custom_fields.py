"""Custom fields: who may have which, what a PATCH leaves, and the two forms of items (October 4)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant
from katana_sandbox.wire.encoding import encode

from .manufacturing_floor import gadget, ordered, rows_of
from .stock_room import location, material, sold


def defined(tenant: Tenant, entity: str, label: str = "Colour", **options: object) -> str:
    body = {"label": label, "field_type": "shortText", "entity_type": entity, "source": "api"}
    return tenant.create("custom_field_definitions", {**body, **({"options": options} if options else {})})["id"]


async def path_of(api: Caller, tenant: Tenant, name: str) -> str:
    """A record of a collection, new where there may be none."""
    if name.startswith("manufacturing_order"):
        order = await ordered(api, await gadget(api, tenant))
        rows = name.removeprefix("manufacturing_order_")
        return f"/{name}/{order['id'] if rows == name else (await rows_of(api, rows, order))[0]['id']}"
    if name == "outsourced_purchase_order_recipe_rows":
        supplier, variant = next(tenant.all("suppliers"))["id"], await gadget(api, tenant, is_purchasable=True)
        place = location(tenant)
        head = {"supplier_id": supplier, "location_id": place, "tracking_location_id": place}
        row = {"variant_id": variant, "quantity": 1, "price_per_unit": 1}
        tenant.create("purchase_orders", {**head, "entity_type": "outsourced", "purchase_order_rows": [row]})
        return f"/{name}/{[line['id'] for line in tenant.all(name)][-1]}"
    if name == "product_operation_rows":
        await gadget(api, tenant)
        return f"/{name}/{(await api.get(f'/{name}')).rows[0]['product_operation_row_id']}"
    live = [row for row in tenant.all(name) if not row.get("deleted_at")]
    return f"/{name}/{live[-1]['id']}"


MERGED = {
    "customers": "Customer",
    "suppliers": "Supplier",
    "sales_orders": "SalesOrder",
    "sales_order_rows": "SalesOrderRow",
    "purchase_orders": "OutsourcedPurchaseOrder",
    "purchase_order_rows": "PurchaseOrderRow",
    "manufacturing_order_recipe_rows": "RecipeBom",
    "outsourced_purchase_order_recipe_rows": "RecipeBom",
    "bom_rows": "RecipeBom",
}
REPLACED = {
    "manufacturing_order_operation_rows": "ProductionOperation",
    "product_operation_rows": "ProductionOperation",
}


@pytest.mark.parametrize(("name", "entity"), [*MERGED.items(), *REPLACED.items()])
async def test_a_patch_merges_the_values_or_replaces_them(api: Caller, tenant: Tenant, name: str, entity: str) -> None:
    path = await path_of(api, tenant, name)
    one, two = defined(tenant, entity), defined(tenant, entity, "Size")
    key = path.rpartition("/")[2]

    async def left(value: object) -> object:
        answer = await api.patch(path, {"custom_fields": value})
        assert answer.status == 200, answer.raw
        return (tenant.context().get(name, int(key) if key.isdigit() else key) or {})["custom_fields"]

    assert await left({one: "red"}) == {one: "red"}
    assert await left({two: "XL"}) == ({two: "XL"} if name in REPLACED else {one: "red", two: "XL"})
    assert await left({one: "blue", two: None}) == {one: "blue"}
    stranger = defined(tenant, "Customer" if entity != "Customer" else "Supplier")
    assert (await api.patch(path, {"custom_fields": {stranger: "x"}})).status == 422
    assert (await api.patch(path, {"custom_fields": []})).status == 422
    assert await left(None) is None


async def test_rows_and_orders_take_over_what_appears_on_them(sandbox: Sandbox, api: Caller, tenant: Tenant) -> None:
    sandbox.switches.set("item_custom_fields", "object")
    there = defined(tenant, "ProductVariant", appearsOn=["SalesOrderRow", "ManufacturingOrder"])
    hidden = defined(tenant, "MaterialVariant", "Weight")
    variant = await gadget(api, tenant)
    patched = await api.patch(f"/variants/{variant}", {"custom_fields": {there: "red", hidden: "2"}})
    assert patched.body["custom_fields"] == {there: "red", hidden: "2"}
    row = sold(tenant, variant, 1)["sales_order_rows"][0]
    assert row["custom_fields"] == {there: "red"}
    order = await ordered(api, variant)
    held = tenant.context().get("manufacturing_orders", order["id"]) or {}
    assert held["custom_fields"] == {there: "red"}
    await api.patch(f"/variants/{variant}", {"custom_fields": {there: None}})
    assert tenant.get("sales_order_rows", row["id"])["custom_fields"] == {there: "red"}, "a snapshot"


async def asked(api: Caller, method: str, path: str, form: str, body: object = None) -> Answer:
    headers = {"X-Custom-Fields-Format": form} if form else {}
    return await api.call(method, path, b"" if body is None else encode(body), headers=headers)


LEGACY: list[dict[str, Any]] = [{"field_name": "Colour", "field_value": "red"}]


@pytest.mark.parametrize(
    ("account", "form", "shown"),
    [
        ("legacy", "", "legacy"),
        ("legacy", "legacy", "legacy"),
        ("legacy", "default", None),
        ("both", "", "legacy"),
        ("both", "default", "object"),
        ("object", "", "object"),
        ("object", "legacy", None),
    ],
)
@pytest.mark.parametrize("name", ["products", "materials", "services", "variants"])
async def test_the_account_and_a_header_say_which_form_items_have(
    sandbox: Sandbox, name: str, account: str, form: str, shown: str | None
) -> None:
    sandbox.switches.set("item_custom_fields", account)
    api, tenant = sandbox.caller(), sandbox.tenant()
    definition = defined(tenant, "ProductVariant")
    values = {"legacy": LEGACY, "object": {definition: "red"}}
    given = {"name": "Painted", "variants": [{"custom_fields": values[shown or "legacy"]}]}
    item = "materials" if name == "variants" else name
    made = await asked(api, "POST", f"/{item}", form, given)
    if shown is None:
        assert made.status == 422
        assert (await asked(api, "GET", f"/{name}", form)).status == 422
        return
    assert made.status == 200, made.raw
    assert ("custom_field_collection_id" in made.body) is (shown == "legacy")
    first = made.body["variants"][0]
    path = f"/variants/{first['id']}" if name == "variants" else f"/{name}/{made.body['id']}"
    read = (await asked(api, "GET", path, form)).body
    found = read if name == "variants" else read["variants"][0]
    assert (first["custom_fields"], found["custom_fields"]) == (values[shown], values[shown])
    other = values["object" if shown == "legacy" else "legacy"]
    refused = await asked(api, "POST", f"/{item}", form, {"name": "P", "variants": [{"custom_fields": other}]})
    assert refused.status == 422


async def test_an_account_with_both_forms_shows_each_in_the_other(
    sandbox: Sandbox, api: Caller, tenant: Tenant
) -> None:
    sandbox.switches.set("item_custom_fields", "both")
    definition, variant = defined(tenant, "MaterialVariant"), material(tenant)
    path = f"/variants/{variant}"
    assert (await asked(api, "PATCH", path, "", {"custom_fields": LEGACY})).body["custom_fields"] == LEGACY
    assert (await asked(api, "GET", path, "default")).body["custom_fields"] == {definition: "red"}
    changed = await asked(api, "PATCH", path, "default", {"custom_fields": {definition: "blue"}})
    assert changed.body["custom_fields"] == {definition: "blue"}
    search = await asked(api, "POST", "/variants/search", "", {"filter": {"id": variant}})
    assert search.rows[0]["custom_fields"] == [{"field_name": "Colour", "field_value": "blue"}]


async def test_an_object_without_such_fields_is_refused_in_words(api: Caller, tenant: Tenant) -> None:
    answer = await api.patch(f"/variants/{material(tenant)}", {"custom_fields": {}})
    text = "The object custom fields format is not available for this account"
    assert (answer.status, answer.error["message"]) == (422, text)


@pytest.mark.parametrize("options", ["red", {"choices": ["red"]}, {"choices": "red"}])
async def test_options_that_are_no_objects_are_refused(api: Caller, options: object) -> None:
    body = {"label": "Colour", "field_type": "singleSelect", "entity_type": "Customer", "source": "api"}
    assert (await api.post("/custom_field_definitions", {**body, "options": options})).status == 422
