"""How often an everyday call goes to the cache once all is read: each time is a look at least, or a transaction."""

from collections.abc import Callable, Hashable, Sequence

import pytest

from cache_typed.dialect import Connection
from cache_typed.storage import Storage
from cache_typed.unchanged import Question
from katana_mcp.testing import Setup, staged
from katana_sandbox import ManualClock

from .matrix import PLANS, let_ask, matrix
from .prepared import prepared

MOST = {
    "buildable": 8,
    "cache_status": 31,
    "check_inventory": 4,
    "get_bom": 7,
    "get_customer": 7,
    "get_demand_forecast": 4,
    "get_inventory_movements": 8,
    "get_item": 4,
    "get_manufacturing_order": 6,
    "get_manufacturing_order_recipe": 6,
    "get_purchase_order": 6,
    "get_sales_order": 6,
    "get_sales_return": 6,
    "get_stock_adjustment": 5,
    "get_stock_transfer": 5,
    "get_variant_details": 17,
    "inventory_at": 6,
    "list_blocking_ingredients": 11,
    "list_customers": 3,
    "list_inventory_signals": 4,
    "list_items": 6,
    "list_low_stock_items": 7,
    "list_manufacturing_orders": 6,
    "list_purchase_orders": 5,
    "list_reference": 4,
    "list_sales_orders": 5,
    "list_sales_returns": 5,
    "list_stock_adjustments": 5,
    "list_stock_transfers": 5,
    "list_stocktakes": 5,
    "list_traceability": 5,
    "order_readiness": 9,
    "promise_date": 12,
    "search_customers": 2,
    "search_items": 5,
    "search_manufacturing_orders": 5,
    "search_purchase_orders": 4,
    "search_sales_orders": 4,
    "search_sales_returns": 4,
    "search_stock_adjustments": 4,
    "search_stock_transfers": 4,
    "stock_value": 7,
    "trace": 14,
    "verify_order_document": 8,
}


async def test_a_warm_call_takes_no_more_turns_of_the_cache_than_it_is_known_to_need(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[object] = []
    read, known = Storage.read, Storage.known

    def looked(self: Storage, asked: Sequence[Question | None]) -> list[object] | None:
        found = known(self, asked)
        if found is not None:
            turns.append(asked)
        return found

    async def counted(
        self: Storage,
        work: Callable[[Connection], object],
        *,
        short: bool = True,
        longest: float | None = None,
        kind: Hashable | None = None,
    ) -> object:
        turns.append(work)
        return await read(self, work, short=short, longest=longest, kind=kind)

    monkeypatch.setattr(Storage, "read", counted)
    monkeypatch.setattr(Storage, "known", looked)
    own = prepared(clock)
    usual = matrix(own.sandbox.tenant())
    taken: dict[str, int] = {}
    async with staged(own, Setup(flags={"cache_backend": "typed"})) as stage:
        for tool in sorted(set(usual) - PLANS - {"rebuild_cache"}):
            let_ask(tool, clock)
            for _ in range(2):
                turns.clear()
                await stage.call(tool, **usual[tool].arguments)
            taken[tool] = len(turns)
    assert taken == MOST
