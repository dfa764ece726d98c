"""`stock_value`: what stock was worth, by location and category, and what changed it."""

import threading
from decimal import Decimal
from typing import Any

import pytest

from katana_mcp.testing import Stage
from katana_mcp.workflows import computing, ledger, stock_value
from katana_sandbox import Tenant
from katana_sandbox.collections import inventory_movements
from katana_sandbox.store.keys import FIRST_ID
from katana_sandbox.store.movements import Balance, Posted

SINCE, BEFORE = "2026-02-01T00:00:00+02:00", "2026-01-31T23:59:59.999+02:00"


def amount(value: object) -> Decimal:
    return Decimal(str(value or 0))


async def test_the_value_now_is_that_of_katana_itself_at_each_location(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call("stock_value", limit=250)
    mine: dict[object, Decimal] = {}
    for level in tenant.all("inventory"):
        mine[level["location_id"]] = mine.get(level["location_id"], Decimal(0)) + amount(level["value_in_stock"])
    shown: dict[object, Decimal] = {}
    for row in answer["rows"]:
        shown[row["location_id"]] = shown.get(row["location_id"], Decimal(0)) + amount(row["value"])
    assert {place: round(value, 4) for place, value in shown.items()} == {
        place: round(value, 4) for place, value in mine.items() if place in shown
    }
    assert not any(value for place, value in mine.items() if place not in shown)
    assert round(amount(answer["value"]), 4) == round(sum(shown.values(), Decimal(0)), 4)
    assert answer["base_currency"] == "EUR"
    assert "changes" not in answer


async def test_changes_by_kind_add_up_from_one_moment_to_the_other(stage: Stage) -> None:
    answer = await stage.call("stock_value", since=SINCE)
    earlier = await stage.call("stock_value", as_of=BEFORE)
    assert answer["value_before"] == earlier["value"] != answer["value"]
    changed = sum((amount(change["change"]) for change in answer["changes"]), Decimal(0))
    assert round(changed, 4) == round(amount(answer["value"]) - amount(answer["value_before"]), 4)
    assert {"SalesOrderRow", "PurchaseOrderRow"} <= {change["resource_type"] for change in answer["changes"]}
    by_row = [(amount(row["value"]), amount(row["value_before"])) for row in answer["rows"]]
    assert len({now == before for now, before in by_row}) == 2


async def test_a_location_stands_alone_and_pages_hold_all_rows(stage: Stage) -> None:
    whole = await stage.call("stock_value", location_id="Main workshop")
    assert {row["location"] for row in whole["rows"]} == {"Main workshop"}
    first = await stage.call("stock_value", location_id="Main workshop", limit=3)
    second = await stage.call("stock_value", location_id="Main workshop", limit=3, page=2)
    assert [*first["rows"], *second["rows"]] == whole["rows"][:6]
    assert first["value"] == whole["value"]


async def test_what_came_or_left_without_a_bill_is_counted(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call("stock_value")
    bought = [order for order in tenant.all("purchase_orders") if order["status"].startswith(("REC", "PART"))]
    sold = [order for order in tenant.all("sales_orders") if order["status"].endswith("DELIVERED")]
    came = [record for record in bought if record["billing_status"] != "BILLED" and not record["deleted_at"]]
    left = [record for record in sold if record["invoicing_status"] != "invoiced" and not record["deleted_at"]]
    assert answer["received_not_billed"] == len(came) > 0
    assert answer["shipped_not_invoiced"] == len(left) > 0
    calls = [action.partition("(")[0] for action in answer["next_actions"]]
    assert calls == ["list_purchase_orders", "list_sales_orders"]


@pytest.mark.cold
async def test_a_movement_without_its_value_leaves_sums_unknown_and_says_so(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = max(tenant.all("inventory_movements"), key=lambda movement: (movement["movement_date"], movement["id"]))

    as_it_is = inventory_movements.movement_record

    def without_value(posted: Posted, balance: Balance, cost: object, rank: int) -> dict[str, Any]:
        shown = as_it_is(posted, balance, cost, rank)
        return shown | {"value_in_stock_after": None} if posted.id == last["id"] else shown

    monkeypatch.setattr(inventory_movements, "movement_record", without_value)
    answer = await stage.call("stock_value", since=SINCE)
    assert [warning["code"] for warning in answer["warnings"]] == ["stock_unknown"]
    assert not {"value", "value_before", "changes"} & set(answer)
    assert [row["location_id"] for row in answer["rows"] if "value" not in row] == [last["location_id"]]


@pytest.mark.cold
@pytest.mark.parametrize("is_mixed", [False, True], ids=["of one kind", "of two kinds"])
async def test_changes_add_up_over_a_movement_without_its_value_and_what_is_not_known_apart_is_told(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, is_mixed: bool
) -> None:
    variant = tenant.create("materials", {"name": "Bolt", "variants": [{"sku": "BOLT"}]})["variants"][0]["id"]
    for number, quantity in enumerate((10, 500, 7), 1):
        body: dict[str, Any] = {
            "stock_adjustment_number": f"SA-bolt-{number}",
            "location_id": FIRST_ID,
            "stock_adjustment_date": f"2026-02-0{number}T08:00:00.000Z",
            "stock_adjustment_rows": [{"variant_id": variant, "quantity": quantity, "cost_per_unit": 2}],
        }
        tenant.create("stock_adjustments", body)
    as_it_is = inventory_movements.movement_record

    def without_value(posted: Posted, balance: Balance, cost: object, rank: int) -> dict[str, Any]:
        shown = as_it_is(posted, balance, cost, rank)
        if posted.movement.variant_id != variant or posted.movement.quantity != 500:
            return shown
        return shown | {"value_in_stock_after": None} | ({"resource_type": "Production"} if is_mixed else {})

    monkeypatch.setattr(inventory_movements, "movement_record", without_value)
    answer = await stage.call("stock_value", since=SINCE)
    changes = {change["resource_type"]: change for change in answer["changes"]}
    changed = sum((amount(change["change"]) for change in changes.values()), Decimal(0))
    assert round(changed, 4) == round(amount(answer["value"]) - amount(answer["value_before"]), 4)
    assert ("unknown" in changes) is is_mixed
    if is_mixed:
        assert (changes["unknown"]["movements"], amount(changes["unknown"]["change"])) == (2, 1_014)
    warnings = [warning["message"] for warning in answer["warnings"]]
    assert [message.startswith("of 2 movements Katana gives no kind, or no value") for message in warnings] == (
        [True] if is_mixed else []
    )


@pytest.mark.parametrize(
    ("arguments", "place"),
    [({"as_of": "2030-01-01"}, "as_of"), ({"since": "2026-03-02", "as_of": "2026-02-01"}, "since")],
)
async def test_moments_that_lie_wrong_are_refused(stage: Stage, arguments: dict[str, str], place: str) -> None:
    refusal = await stage.refusal("stock_value", **arguments)
    assert [warning["field_path"] for warning in refusal["warnings"]] == [place]


@pytest.mark.threads
@pytest.mark.parametrize(("here", "is_here"), [(0, False), (computing.HERE, True)])
async def test_movements_are_added_up_where_they_keep_nobody_waiting(
    stage: Stage, here: int, *, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "HERE", here)
    done: dict[str, set[bool]] = {}

    def note(owner: object, name: str) -> None:
        work = getattr(owner, name)

        def noted(*arguments: object) -> object:
            done.setdefault(name, set()).add(threading.current_thread() is threading.main_thread())
            return work(*arguments)

        monkeypatch.setattr(owner, name, noted)

    note(ledger, "standing")
    note(stock_value, "_value")
    note(stock_value, "_grouped")
    note(ledger.Ledger, "until")
    answer = await stage.call("stock_value", since=SINCE)
    assert answer["rows"]
    await stage.call("inventory_at", as_of=BEFORE, skus_or_variant_ids=["PAD"])
    assert done == {work: {is_here} for work in ("standing", "_value", "_grouped", "until")}
