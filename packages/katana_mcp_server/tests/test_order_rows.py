"""`rows_only` gives rows of orders as results: those that the filters mean, each with the head of its order."""

from collections.abc import Callable
from typing import Any

import pytest
from server_wire import live, unique_sku

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

type Row = dict[str, Any]
OPEN: dict[str, tuple[str, Callable[[Row], bool]]] = {
    "sales": ("DELIVERED", lambda row: row["product_availability"] != "PICKED"),
    "purchase": ("RECEIVED", lambda row: row["received_date"] is None),
}
"""The status in which nothing of an order is open, and which of its rows are."""


def expected(tenant: Tenant, kind: str, variant_id: int, *, only_open: bool) -> list[tuple[int, int]]:
    """Return the ids of orders and of their rows with this variant, newest order first."""
    closed, is_open = OPEN[kind]
    orders = sorted(live(tenant, f"{kind}_orders"), key=lambda order: -order["id"])
    return [
        (order["id"], row["id"])
        for order in orders
        if not (only_open and order["status"] == closed)
        for row in order[f"{kind}_order_rows"]
        if row["variant_id"] == variant_id and (is_open(row) or not only_open)
    ]


def shown(answer: Payload, kind: str) -> list[tuple[int, int]]:
    return [(row[f"{kind}_order_id"], row["row"][f"{kind}_order_row_id"]) for row in answer["rows"]]


@pytest.mark.parametrize("kind", OPEN)
async def test_rows_of_a_sku_are_listed_open_or_all_in_pages_with_the_head_of_their_order(
    stage: Stage, tenant: Tenant, kind: str
) -> None:
    tool, row_of = f"list_{kind}_orders", f"{kind}_order_rows"
    closed, is_open = OPEN[kind]
    half_done = [order for order in live(tenant, f"{kind}_orders") if order["status"] != closed]
    done = {row["variant_id"] for order in half_done for row in order[row_of] if not is_open(row)}
    variants = {
        variant["id"]: variant for variant in live(tenant, "variants") if variant["sku"] and unique_sku(tenant, variant)
    }
    left = (key for key in done if key in variants and expected(tenant, kind, key, only_open=True))
    variant_id = next(left)
    of_sku: dict[str, Any] = {"rows_only": True, "skus_or_variant_ids": [variants[variant_id]["sku"]]}
    whole = await stage.call(tool, limit=250, **of_sku)
    still_open = await stage.call(tool, limit=250, open=True, **of_sku)
    every, some = (expected(tenant, kind, variant_id, only_open=only_open) for only_open in (False, True))
    assert (shown(whole, kind), whole["total"]) == (every, len(every))
    assert (shown(still_open, kind), still_open["total"]) == (some, len(some))
    assert 0 < len(some) < len([row for order in half_done for row in order[row_of] if row["variant_id"] == variant_id])
    asked = stage.requests()
    pages = [await stage.call(tool, limit=2, page=page, **of_sku) for page in (1, 2)]
    assert [row for page in pages for row in shown(page, kind)] == every[:4]
    assert stage.requests() == asked
    first = whole["rows"][0]
    order = next(record for record in live(tenant, f"{kind}_orders") if record["id"] == every[0][0])
    assert (first["order_no"], first["row_count"]) == (order["order_no"], len(order[row_of]))
    assert (first["row"]["sku"], first["row"]["variant_id"]) == (variants[variant_id]["sku"], variant_id)
    by_id = await stage.call(tool, ids=[order["id"], 1], rows_only=True)
    assert shown(by_id, kind) == [(order["id"], row["id"]) for row in order[row_of]]
    assert by_id["not_found"] == [1]
