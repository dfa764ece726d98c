"""A row has no number: what a look-up of a lost request compares, and what it cannot tell apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import pytest
from journal_plans import hasty
from server_wire import live
from transfer_plans import applied_in_time, planned

from katana_client.testing import FakeClient, reply
from katana_mcp.journal.entries import ActionState
from katana_mcp.testing import Stage
from katana_mcp.writing.actions import SAFE_AGAIN, Action
from katana_mcp.writing.lost_answers import look_up_in_katana
from katana_sandbox import Drop, Fault, ManualClock, Tenant
from katana_sandbox.faults.actions import Exchange

if TYPE_CHECKING:
    from katana_client import KatanaClient

type Other = Mapping[str, object]
"""What of another row is not as in ours."""


@dataclass(frozen=True)
class _Crossed(Drop):
    """The answer is lost, and somebody else adds a row meanwhile."""

    adds: Callable[[], object] = bool

    async def act(self, exchange: Exchange) -> None:
        self.adds()
        await super().act(exchange)


SAME: Other = {}
CASES: list[tuple[Literal["before", "after"], Other | None, Other | None, str]] = [
    ("after", SAME, None, "applied"),  # what was there before does not count
    ("before", SAME, None, "unknown"),
    ("after", None, {"quantity": 8}, "applied"),
    ("before", None, {"quantity": 8}, "unknown"),
    ("after", None, SAME, "unknown"),  # two that are alike: nothing tells which is ours
    ("before", None, SAME, "applied"),  # ours never arrived, and another's is taken for it
]
"""Whether ours was dropped before or after it was written, a row that was there, one that comes meanwhile, the end."""


async def test_a_row_is_known_by_all_its_fields_among_those_that_were_not_there_before(
    stage: Stage, clock: ManualClock, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty(monkeypatch)
    orders = [
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    ]
    items = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    good = next(variant for variant in live(tenant, "variants") if variant["material_id"] in items)
    tax = live(tenant, "tax_rates")[0]["id"]
    for order, (when, there, meanwhile, state) in zip(orders[: len(CASES)], CASES, strict=True):
        asked = {"quantity": 7, "price_per_unit": 3, "tax_rate_id": tax}
        row = {**asked, "variant_id": good["id"], "purchase_order_id": order["id"]}
        if there is not None:
            tenant.create("purchase_order_rows", {**row, **there})
        clock.advance(61)
        added = [{**asked, "sku_or_variant_id": good["id"]}]
        token = await planned(stage, "modify_purchase_order", purchase_order_id=order["id"], add_rows=added)

        def adds(row: Other = row, other: Other | None = meanwhile) -> None:
            if other is not None:
                tenant.create("purchase_order_rows", {**row, **other})

        stage.own.sandbox.faults.add(Fault("POST /purchase_order_rows", action=_Crossed(when, adds=adds)))
        (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
        states = [action["state"] for action in outcome["actions"]]
        assert states == [state], (when, there, meanwhile, outcome["actions"])


@pytest.mark.parametrize(("repeatable", "then"), [(False, ""), (True, f"; {SAFE_AGAIN}")])
async def test_what_nothing_can_look_up_is_unknown_with_the_reason_and_whether_to_try_again(
    repeatable: bool, then: str
) -> None:
    action = Action(title="x", method="POST", path="/x", entity="x", is_repeatable=repeatable)
    state = await look_up_in_katana(action, cast("KatanaClient", FakeClient(lambda _: reply())), "the connection broke")
    found = f"this action cannot be looked up in Katana{then}"
    assert state == ActionState("unknown", error="the connection broke", look_up={"found": found})
