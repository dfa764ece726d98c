"""Price lists, their rows and customers (facts 3.2, 4.2): hard deletes, bulk creates, bare arrays."""

from katana_sandbox import Caller, Tenant

PRICE = {"variant_id": 10000106, "adjustment_method": "fixed", "amount": 19.5}


async def test_a_price_list_begins_active_and_is_switched_by_patch_only(api: Caller) -> None:
    made = (await api.post("/price_lists", {"name": "Spring"})).body
    assert (made["name"], made["is_active"]) == ("Spring", True)
    assert (await api.patch(f"/price_lists/{made['id']}", {"is_active": False})).body["is_active"] is False
    listed = await api.get("/price_lists", {"is_active": False})
    assert listed.ids == [made["id"]]
    assert (await api.post("/price_lists", {"name": "S", "is_active": False})).status == 422
    assert (await api.post("/price_lists", {"name": "S" * 101})).error["details"][0]["code"] == "maxLength"


async def test_rows_and_customers_come_in_bulk_and_are_answered_as_a_bare_array(api: Caller) -> None:
    made = (await api.post("/price_lists", {"name": "Spring"})).body["id"]
    rows = [PRICE, {**PRICE, "variant_id": 10000107, "adjustment_method": "markup"}]
    answer = await api.post("/price_list_rows", {"price_list_id": made, "price_list_rows": rows})
    assert isinstance(answer.value, list)
    assert [row["adjustment_method"] for row in answer.rows] == ["fixed", "markup"]
    assert {row["price_list_id"] for row in answer.rows} == {made}
    customers = [{"customer_id": 10000103}, {"customer_id": 10000104}]
    given = await api.post("/price_list_customers", {"price_list_id": made, "price_list_customers": customers})
    assert [row["customer_id"] for row in given.rows] == [10000103, 10000104]
    assert (await api.get("/price_list_rows", {"variant_ids": [10000107], "price_list_ids": [made]})).ids == [
        answer.rows[1]["id"]
    ]
    assert (
        await api.get("/price_list_customers", {"customer_ids": [10000103, 10000104], "price_list_ids": made})
    ).rows == (given.rows[::-1])


async def test_bad_rows_are_refused_and_none_is_kept(tenant: Tenant, api: Caller) -> None:
    made = (await api.post("/price_lists", {"name": "Spring"})).body["id"]
    before = tenant.count("price_list_rows")
    bad = await api.post(
        "/price_list_rows", {"price_list_id": made, "price_list_rows": [{**PRICE, "adjustment_method": "off"}]}
    )
    assert bad.error["details"][0]["code"] == "enum"
    unknown = {"price_list_id": made, "price_list_rows": [PRICE, {**PRICE, "variant_id": 999999}]}
    assert (await api.post("/price_list_rows", unknown)).error["message"] == "variant not found"
    assert (await api.post("/price_list_rows", {**unknown, "price_list_id": 999999})).status == 422
    assert tenant.count("price_list_rows") == before
    row = (await api.get("/price_list_rows", {"limit": 1})).ids[0]
    assert (await api.patch(f"/price_list_rows/{row}", {"amount": 0})).error["details"][0]["code"] == "exclusiveMinimum"


async def test_a_deleted_price_list_leaves_nothing_behind(tenant: Tenant, api: Caller) -> None:
    assert tenant.count("price_list_rows") == 10
    assert (await api.delete("/price_lists/10000101")).status == 204
    assert (await api.get("/price_lists", {"include_deleted": True, "ids": 10000101})).rows == []
    assert (tenant.count("price_list_rows"), tenant.count("price_list_customers")) == (5, 3)
    assert (await api.get("/price_list_rows/10000101")).status == 404
