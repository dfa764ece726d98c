"""Totals say what they are: with tax what Katana will show, the net beside it, and nothing where a rate is unknown."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from order_plans import (
    COST,
    CREATE,
    DELETE,
    FORKS,
    MODIFY,
    ROW,
    change,
    knowing,
    new_facts,
    new_order,
    old,
    planned,
    summaries,
)
from server_wire import Wire, amount, live
from transfer_plans import applied

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.wording import Named
from katana_mcp.testing import Stage, staged
from katana_mcp.writing.totals import Totals, totals_in_words
from katana_sandbox import Fault, ManualClock, Sandbox, Status, Tenant


def _bought(tenant: Tenant) -> list[int]:
    items = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    return [variant["id"] for variant in live(tenant, "variants") if variant["material_id"] in items]


def test_a_total_is_with_tax_and_the_net_and_the_costs_stand_beside_it() -> None:
    draft = planned(additional_info="new")
    assert draft.totals == Totals(total=Decimal("18.3"), net_total=Decimal(15), additional_costs=Decimal(10))
    assert [line.tax_rate for line in draft.lines] == [22, 22, 22]
    assert DELETE.plan(DELETE.request.model_validate({"purchase_order_id": 40}), old()).totals == draft.totals
    assert planned(delete_row_ids=[18], delete_additional_cost_row_ids=[COST["id"]]).totals == Totals(
        total=Decimal("6.1"), net_total=Decimal(5)
    )


def test_where_a_tax_rate_is_not_known_the_total_with_tax_is_left_out_and_that_is_said() -> None:
    totals = MODIFY.plan(change(additional_info="new"), knowing(rates={})).totals
    assert (totals.total, totals.net_total) == (None, 15)
    (warning,) = MODIFY.checks(change(additional_info="new"), knowing(rates={}))
    assert (warning.severity, warning.code) == ("info", "tax_unknown")
    assert warning.message == "the total with tax is not known: no tax rate is known for FORK, WHEEL"
    request = new_order(rows=[{name: value for name, value in FORKS.items() if name != "tax_rate_id"}])
    assert summaries(CREATE.checks(request, new_facts(rates={}, default_tax=None))) == [("info", "tax_unknown", None)]
    unnamed = new_facts(names={("tax_rate", "None"): Named("None")})
    refused = CREATE.checks(new_order(rows=[FORKS | {"tax_rate_id": "None"}]), unnamed)
    assert summaries(refused) == [("blocking", "not_found", "rows[0].tax_rate_id"), ("info", "tax_unknown", None)]


def test_a_row_without_a_tax_rate_is_sent_with_the_default_one_and_that_is_said() -> None:
    request = new_order(rows=[{name: value for name, value in FORKS.items() if name != "tax_rate_id"}])
    (action,) = CREATE.plan(request, new_facts()).actions
    assert action.body is not None
    assert [row["tax_rate_id"] for row in _rows(action.fields["purchase_order_rows"])] == [5]
    (warning,) = CREATE.checks(request, new_facts())
    assert warning.message == "rows: the default tax rate for purchases was used where none was given (22 %)"
    # What is there already keeps the rate that it has.
    untaxed = old(purchase_order_rows=[ROW | {"tax_rate_id": None}])
    changed = MODIFY.plan(change(update_rows=[{"row_id": ROW["id"], "quantity": 3}]), untaxed)
    assert [step.body for step in changed.actions] == [{"quantity": 3}]


def _rows(value: Any) -> list[dict[str, object]]:  # noqa: ANN401 - a list of a body
    return value


def test_totals_in_words_leave_out_what_is_not_known() -> None:
    shown: dict[str, object] = {"total": 102.48, "net_total": 84, "currency": "NOK"}
    assert totals_in_words(shown) == "102.48 NOK with tax, 84 without"
    assert totals_in_words({"net_total": 84, "currency": "NOK"}) == "84 NOK without tax"
    assert totals_in_words({**shown, "additional_costs": 3}).endswith("; plus additional costs of 3")
    assert totals_in_words({}) == ""


AMOUNTS = st.decimals(min_value=Decimal("0.0001"), max_value=9_999, places=4)
PRICES = st.decimals(min_value=0, max_value=9_999, places=4)
LINES = st.tuples(st.integers(0, 5), AMOUNTS, PRICES, st.sampled_from([None, 0, 1, 2]))
NEW = st.lists(LINES, min_size=1, max_size=5)


@settings(max_examples=5, deadline=None)
@given(rows=NEW, more=st.lists(LINES, max_size=2), cost=st.none() | PRICES)
async def test_the_total_of_a_preview_is_that_of_the_order_once_it_is_applied(
    rows: list[tuple[int, Decimal, Decimal, int | None]],
    more: list[tuple[int, Decimal, Decimal, int | None]],
    cost: Decimal | None,
) -> None:
    async with staged(OwnSandbox(Sandbox(clock=ManualClock(auto=False)))) as stage:
        tenant = stage.own.sandbox.tenant()
        goods, rates = _bought(tenant), [tax_rate["id"] for tax_rate in live(tenant, "tax_rates")]

        def asked(lines: list[tuple[int, Decimal, Decimal, int | None]]) -> list[dict[str, object]]:
            rows: list[dict[str, object]] = []
            for which, quantity, price, rate in lines:
                taxed = {} if rate is None else {"tax_rate_id": rates[rate]}
                amounts = {"quantity": float(quantity), "price_per_unit": float(price)}
                rows.append({"sku_or_variant_id": goods[which], **amounts, **taxed})
            return rows

        kind = live(tenant, "additional_costs")[0]["id"]
        costs = [] if cost is None else [{"additional_cost_id": kind, "price": float(cost)}]
        parties = {
            "supplier_id": live(tenant, "suppliers")[0]["id"],
            "location_id": live(tenant, "locations")[0]["id"],
        }
        made = await _applied(stage, "create_purchase_order", **parties, rows=asked(rows), additional_costs=costs)
        order = tenant.get("purchase_orders", made["id"])
        first = order["purchase_order_rows"][0]["id"]
        await _applied(
            stage,
            "modify_purchase_order",
            purchase_order_id=made["id"],
            add_rows=asked(more),
            update_rows=[{"row_id": first, "quantity": 7.5, "tax_rate_id": rates[1]}],
        )


async def _applied(stage: Stage, tool: str, **arguments: object) -> Wire:
    """Apply a plan and assert that the order has the total that the preview and the outcome name."""
    preview = await stage.call(tool, **arguments)
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    order = stage.own.sandbox.tenant().get("purchase_orders", outcome["id"])
    # What the API sends are binary fractions: beyond the 15th digit they are its own.
    assert float(preview["total"]) == pytest.approx(float(order["total"]), rel=1e-13)
    net = sum(amount(row["total"]) for row in order["purchase_order_rows"])
    assert float(preview["net_total"]) == pytest.approx(float(net), rel=1e-13)
    assert (
        f"; total {preview['total']} {preview['currency']} with tax, {preview['net_total']} without"
        in (outcome["message"])
    )
    assert {name: outcome.get(name) for name in DOCUMENT} == {name: preview.get(name) for name in DOCUMENT}
    assert outcome["status"] == order["status"]
    return outcome


DOCUMENT = ("status", "total", "net_total", "additional_costs", "currency")
"""What an outcome says of the document."""


async def test_an_outcome_says_nothing_of_a_document_that_is_gone_or_not_fully_written(
    stage: Stage, tenant: Tenant
) -> None:
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    )
    named = {"purchase_order_id": order["id"]}
    changed = await stage.call("modify_purchase_order", **named, additional_info="once")
    stage.own.sandbox.faults.add(Fault(f"PATCH /purchase_orders/{order['id']}", action=Status(422)))
    (failed,) = (await applied(stage, changed["plan_token"]))["outcomes"]
    gone = await stage.call("delete_purchase_order", **named)
    (deleted,) = (await applied(stage, gone["plan_token"]))["outcomes"]
    assert (failed["failed"], deleted["applied"]) == (1, 1)
    assert [{*outcome} & {*DOCUMENT} for outcome in (failed, deleted)] == [set(), set()]


@pytest.mark.parametrize("entity", ["purchase_order", "sales_order"])
async def test_an_order_that_is_read_says_its_net_beside_its_total(stage: Stage, tenant: Tenant, entity: str) -> None:
    order = next(record for record in live(tenant, f"{entity}s") if record[f"{entity}_rows"])
    net = sum(amount(row["total"]) for row in order[f"{entity}_rows"])
    if entity == "sales_order":
        tenant.create("sales_order_shipping_fee", {"sales_order_id": order["id"], "amount": "18.5"})
        order, net = tenant.get("sales_orders", order["id"]), net + Decimal("18.5")
    shown = (await stage.call(f"get_{entity}", **{f"{entity}_id": order["id"]}))["order"]
    listed = (await stage.call(f"list_{entity}s", ids=[order["id"]], include_rows=True))["rows"][0]
    for found in (shown, listed):
        assert (amount(found["total"]), amount(found["net_total"])) == (amount(order["total"]), net)
