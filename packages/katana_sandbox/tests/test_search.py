"""POST …/search."""

from collections.abc import Callable
from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

type Test = Callable[[dict[str, Any]], bool]


async def found(api: Caller, where: object, path: str = "/sales_orders/search", **extra: object) -> list[object]:
    answer = await api.post(path, {"filter": where, "limit": 200, **extra})
    assert answer.status == 200, answer.raw
    return answer.ids


async def test_each_comparison_finds_what_it_says(api: Caller, tenant: Tenant) -> None:
    orders = [row for row in tenant.all("sales_orders") if not row["deleted_at"]]
    middle = sorted(row["created_at"] for row in orders)[60]

    cases: list[tuple[dict[str, Any], Test]] = [
        ({"status": "PACKED"}, lambda row: row["status"] == "PACKED"),
        ({"status": {"neq": "PACKED"}}, lambda row: row["status"] != "PACKED"),
        ({"status": {"inq": ["PACKED", "PENDING"]}}, lambda row: row["status"] in {"PACKED", "PENDING"}),
        ({"status": {"nin": ["PACKED"]}}, lambda row: row["status"] != "PACKED"),
        ({"created_at": {"gte": middle}}, lambda row: row["created_at"] >= middle),
        ({"created_at": {"lt": middle}}, lambda row: row["created_at"] < middle),
        ({"id": {"between": [10000110, 10000120]}}, lambda row: 10000110 <= row["id"] <= 10000120),
        ({"order_no": {"like": "SO-1_"}}, lambda row: len(row["order_no"]) == 5 and row["order_no"][3] == "1"),
        ({"source": {"ilike": "SHOP%"}}, lambda row: row["source"] == "shopify"),
        ({"customer_ref": None}, lambda row: row["customer_ref"] is None),
        (
            {"and": [{"id": {"gt": 10000110}}, {"or": [{"id": 10000111}, {"id": 10000102}]}]},
            lambda row: row["id"] == 10000111,
        ),
    ]
    for where, test in cases:
        assert set(await found(api, where)) == {row["id"] for row in orders if test(row)}, where


async def test_order_page_and_rows(api: Caller, tenant: Tenant) -> None:
    ids = await found(api, {}, order=["currency DESC", "id"])
    orders = [tenant.get("sales_orders", int(str(key))) for key in ids]
    assert ids == [
        row["id"] for row in sorted(sorted(orders, key=lambda r: r["id"]), key=lambda r: r["currency"], reverse=True)
    ]
    page = await api.post("/sales_orders/search", {"order": "id", "limit": 3, "page": 2})
    assert page.ids == sorted(int(str(key)) for key in ids)[3:6]
    assert page.page["offset"] == "3"
    rows = await found(api, {"price_per_unit": {"gt": 1000}}, "/sales_order_rows/search")
    assert rows
    assert all(float(tenant.get("sales_order_rows", int(str(key)))["price_per_unit"]) > 1000 for key in rows)
    assert len((await api.post("/sales_orders/search", {})).rows) == 50


@pytest.mark.parametrize(
    "body",
    [
        {"filter": {"where": {"id": 1}}},
        {"filter": {"colour": 1}},
        {"filter": {"customFields.0c8f1d6e-3c2a-4f5b-9d77-12ab34cd56ef": 1}},
        {"filter": {"id": {"near": 5}}},
        {"filter": {"id": {"inq": [1] * 101}}},
        {"filter": {"id": {"between": [1]}}},
        {"filter": {"order_no": "x", "and": {}}},
        {"filter": {"and": [{"or": [{"and": [{"id": 1}]}]}]}},
        {"filter": {"order_no": {"like": "x" * 257}}},
        {"order": "colour ASC"},
        {"order": "id SIDEWAYS"},
        {"limit": 201},
        {"page": 0},
        {"skip": 1},
    ],
)
async def test_what_a_search_can_not_ask_is_a_422(api: Caller, body: object) -> None:
    answer = await api.post("/sales_orders/search", body)
    assert (answer.status, answer.error["code"]) == (422, "VALIDATION_FAILED")


async def test_other_collections_are_searched_like_orders(api: Caller, tenant: Tenant) -> None:
    for name in ("customers", "purchase_orders", "manufacturing_orders"):
        rows = [row for row in tenant.all(name) if not row["deleted_at"]]
        some = sorted(row["id"] for row in rows)[2:6]
        body = {"filter": {"id": {"inq": some}}, "order": "id DESC", "limit": 3}
        answer = await api.post(f"/{name}/search", body)
        assert (answer.ids, answer.page["total_records"]) == (some[::-1][:3], "4")
        listed = {row["id"]: row for row in (await api.get(f"/{name}", {"ids": some})).rows}
        assert answer.rows == [listed[key] for key in answer.ids], "the reply is as the list"
    refused = {"filter": {"where": {"id": 1}}}
    assert (await api.post("/customers/search", refused)).status == 422
    assert (await api.post("/purchase_orders/search", refused)).status == 422
    assert (await api.post("/manufacturing_orders/search", refused)).status == 422


async def test_variants_are_searched_by_item_and_shown_with_it(api: Caller, tenant: Tenant) -> None:
    service = tenant.create("services", {"name": "Oiling", "variants": [{"sku": "OIL"}]})
    found = (await api.post("/variants/search", {"filter": {"item_id": service["id"], "item_type": "service"}})).rows
    shown = {name: found[0][name] for name in ("sku", "item_id", "item_type", "abc_classification")}
    assert shown == {"sku": "OIL", "item_id": service["id"], "item_type": "service", "abc_classification": None}
    assert not {"product_id", "material_id", "service_id", "type"} & set(found[0])
    body = {"filter": {"sku": "OIL"}, "include": ["item"]}
    assert (await api.post("/variants/search", body)).rows[0]["item"]["name"] == "Oiling"
    assert (await api.post("/variants/search", {"filter": {"product_id": 1}})).status == 422


@pytest.mark.parametrize("state", ["archived", "deleted"])
@pytest.mark.parametrize("kind", ["materials", "services"])
async def test_variants_that_are_archived_or_deleted_are_found_when_included(
    api: Caller, tenant: Tenant, state: str, kind: str
) -> None:
    item = tenant.create(kind, {"name": "Old", "variants": [{"sku": "OLD-1"}]})
    path = f"/{kind}/{item['id']}"
    await (api.patch(path, {"is_archived": True}) if state == "archived" else api.delete(path))
    body = {"filter": {"sku": "OLD-1"}}
    assert (await api.post("/variants/search", body)).ids == []
    assert (await api.post("/variants/search", {**body, "include": [state]})).ids == [item["variants"][0]["id"]]
