"""Corrections that are tried: an order of each size, and a plan applied until it is over, whatever stops it."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import correcting_making as making
import correcting_orders as purchases
import correcting_sales as sales
from correcting_orders import Edit
from server_wire import Wire

from cache_core.protocol import OWN_WRITE_STANDS
from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.faults.script import Match

TOOL = "correct_purchase_order"
type Stock = dict[tuple[int, int], Decimal]
"""What there is of a variant at a location."""
WRITES = Match("[!G]*")
"""Every request that is no read."""


@dataclass(frozen=True)
class Case:
    """An order to correct, and how."""

    make: Callable[[Tenant, str], Wire]
    edit: Callable[[Wire], Edit]
    kind: str = "purchase_order"
    shape: Callable[[Tenant, int], Wire] = purchases.shape
    stock: Callable[[Tenant, Wire], Stock] = purchases.stock


SALE = "sales_order", sales.shape, sales.stock
MAKE = "manufacturing_order", making.shape, making.stock
CASES = {
    "small": Case(purchases.small, purchases.small_edit),
    "large": Case(purchases.large, purchases.large_edit),
    "units": Case(purchases.units, purchases.units_edit, shape=purchases.shape_in_units),
    "small sale": Case(sales.small, sales.small_edit, *SALE),
    "large sale": Case(sales.large, sales.large_edit, *SALE),
    "small make": Case(making.small, making.small_edit, *MAKE),
    "large make": Case(making.large, making.large_edit, *MAKE),
}


async def planned(stage: Stage, tenant: Tenant, case: Case, number: str) -> tuple[Wire, Payload]:
    """Return a new order and the preview of its correction."""
    order = case.make(tenant, number)
    return order, await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order))


async def tried(stage: Stage, clock: ManualClock, token: str, **asked: object) -> Payload:
    """Return the outcome of a plan: what takes longer than a call is followed by the same token."""
    answer: Payload = {}
    for _ in range(10):
        clock.advance(61)
        answer = payload_of(await stage.result("apply_plan", {"plan_tokens": [token], **asked}))
        if answer.get("error") != "plan_running":
            break
    clock.advance(61)  # what comes next has a minute's requests of its own
    return answer["outcomes"][0] if "outcomes" in answer else answer


def is_over(outcome: Payload) -> bool:
    """Return whether nothing is left to do."""
    assert "message" in outcome, outcome
    all_done = len(outcome.get("actions", ())) == outcome.get("applied")
    return all_done or outcome["message"].startswith("done: ")


async def brought_to_its_end(stage: Stage, clock: ManualClock, token: str, **asked: object) -> Payload:
    """Return the outcome of a plan that is applied until it is over."""
    outcome: Payload = {}
    for _ in range(4):
        outcome = await tried(stage, clock, token, **asked)
        if is_over(outcome):
            return outcome
        if "until it shows, or in 15 minutes" in str(outcome["warnings"]):
            clock.advance(OWN_WRITE_STANDS)
    raise AssertionError(outcome)
