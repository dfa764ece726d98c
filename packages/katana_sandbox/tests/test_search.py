"""POST …/search."""

from collections.abc import Callable
from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

type Test = Callable[[dict[str, Any]], bool]


async def found(api: Caller, where: object, path: str = "/sales_orders/search", **extra: object) -> list[object]:
    answer = await api.post(path, {"filter": {"where": where, "limit": 200, **extra}})
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
    page = await api.post("/sales_orders/search", {"filter": {"order": "id", "limit": 3, "page": 2}})
    assert page.ids == sorted(int(str(key)) for key in ids)[3:6]
    assert page.page["offset"] == "3"
    rows = await found(api, {"price_per_unit": {"gt": 1000}}, "/sales_order_rows/search")
    assert rows
    assert all(float(tenant.get("sales_order_rows", int(str(key)))["price_per_unit"]) > 1000 for key in rows)
    assert len((await api.post("/sales_orders/search", {})).rows) == 50


@pytest.mark.parametrize(
    "filters",
    [
        {"where": {"colour": 1}},
        {"where": {"customFields.0c8f1d6e-3c2a-4f5b-9d77-12ab34cd56ef": 1}},
        {"where": {"id": {"near": 5}}},
        {"where": {"id": {"inq": [1] * 101}}},
        {"where": {"id": {"between": [1]}}},
        {"where": {"order_no": "x", "and": {}}},
        {"where": {"and": [{"or": [{"and": [{"id": 1}]}]}]}},
        {"where": {"order_no": {"like": "x" * 257}}},
        {"order": "colour ASC"},
        {"order": "id SIDEWAYS"},
        {"limit": 201},
        {"page": 0},
        {"skip": 1},
    ],
)
async def test_what_a_search_can_not_ask_is_a_422(api: Caller, filters: object) -> None:
    answer = await api.post("/sales_orders/search", {"filter": filters})
    assert (answer.status, answer.error["code"]) == (422, "VALIDATION_FAILED")
