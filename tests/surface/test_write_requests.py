"""What a plan and its apply ask of Katana, counted: each request is one of the account's sixty a minute."""

import pytest

from katana_mcp.testing import Stage, payload_of, within
from katana_sandbox import ManualClock, Tenant

from .all_writes import WRITES

pytestmark = pytest.mark.usefixtures("hasty_journal")

REQUESTS: dict[str, tuple[int, int]] = {
    "change_prices": (4, 2),
    "complete_manufacturing_order": (7, 8),
    "correct_manufacturing_order": (9, 27),
    "correct_purchase_order": (5, 19),
    "correct_sales_order": (5, 16),
    "count_stock": (2, 19),
    "create_customer": (1, 4),
    "create_item": (2, 4),
    "create_manufacturing_order": (1, 7),
    "create_manufacturing_orders": (2, 6),
    "create_purchase_order": (1, 11),
    "create_sales_order": (1, 10),
    "create_sales_return": (3, 8),
    "create_stock_adjustment": (1, 6),
    "create_stock_transfer": (2, 5),
    "create_supplier": (1, 4),
    "define_custom_field": (1, 2),
    "delete_customer": (2, 2),
    "delete_item": (3, 2),
    "delete_manufacturing_order": (6, 4),
    "delete_purchase_order": (4, 3),
    "delete_sales_order": (2, 2),
    "delete_sales_return": (4, 3),
    "delete_stock_adjustment": (3, 3),
    "delete_stock_transfer": (2, 2),
    "delete_supplier": (2, 2),
    "fulfill_order": (3, 4),
    "modify_bom": (8, 6),
    "modify_customer": (3, 8),
    "modify_item": (5, 9),
    "modify_manufacturing_order": (6, 15),
    "modify_purchase_order": (4, 13),
    "modify_sales_order": (2, 11),
    "modify_sales_return": (5, 8),
    "modify_stock_adjustment": (2, 2),
    "modify_stock_transfer": (3, 4),
    "modify_supplier": (3, 6),
    "modify_safety_stock": (4, 3),
    "modify_traceability": (4, 2),
    "plan_bin_transfer": (4, 5),
    "prioritize_orders": (2, 5),
    "receive_purchase_order": (5, 5),
    "replace_ingredient": (9, 3),
}
"""Of the usual call of each tool, on a warm cache: what its preview asks, and what its apply asks and sends."""


EVERY_OTHER = [pytest.param(tool, marks=[pytest.mark.soak] if nr % 2 else []) for nr, tool in enumerate(WRITES)]


@pytest.mark.in_turn
@pytest.mark.parametrize("tool", EVERY_OTHER)
async def test_a_warm_plan_and_its_apply_ask_no_more_than_they_did(
    stage: Stage, clock: ManualClock, tenant: Tenant, tool: str
) -> None:
    for text in ("WARM-1", "COUNT-1"):  # the first plan reads what the second finds in the cache
        _, arguments = WRITES[tool].called(tenant, text)
        before = stage.requests()
        preview = payload_of(await within(clock, 400, stage.result(tool, arguments)))
        planned = stage.requests()
        asked_for = {"plan_tokens": [preview["plan_token"]]}
        while "outcomes" not in payload_of(await within(clock, 400, stage.result("apply_plan", asked_for))):
            clock.advance(30)  # a saga does not fit into what is left of a minute
        asked = (planned - before, stage.requests() - planned)
    assert {tool: asked} == {tool: REQUESTS.get(tool)}


async def test_what_two_plans_of_one_apply_name_is_asked_for_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    asked: list[int] = []
    for number, at_once in enumerate((1, 2)):
        tokens: list[str] = []
        for each in range(at_once):
            _, arguments = WRITES["create_purchase_order"].called(tenant, f"PLAN-{number}-{each}")
            preview = await within(clock, 400, stage.result("create_purchase_order", arguments))
            tokens.append(payload_of(preview)["plan_token"])
        clock.advance(61)
        before = stage.requests()
        answer = payload_of(await within(clock, 400, stage.result("apply_plan", {"plan_tokens": tokens})))
        assert len(answer["outcomes"]) == at_once
        asked.append(stage.requests() - before)
    assert asked == [14, 24]
