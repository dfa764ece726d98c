"""A correction whose last answer is lost while Katana's listings are minutes old: no step of it is sent twice."""

import pytest
from correcting_steps import CASES, WRITES, tried
from journal_plans import hasty
from tests.nights import rest_in_turn

from katana_mcp.testing import Stage
from katana_sandbox import Drop, EditBody, Fault, ManualClock, Tenant

CLOSED = {"purchase_order": "RECEIVED", "sales_order": "DELIVERED", "manufacturing_order": "DONE"}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.mark.parametrize("roll_back", [False, True])
@pytest.mark.parametrize("name", rest_in_turn("small", "small sale", "small make"))
async def test_what_an_old_listing_does_not_show_is_not_sent_again(
    stage: Stage, tenant: Tenant, clock: ManualClock, name: str, *, roll_back: bool
) -> None:
    case, sandbox = CASES[name], stage.own.sandbox
    order = case.make(tenant, "NR-900")
    clock.advance(1_000)  # what lags is how the order is now, not that it is there
    preview = await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order))
    last = len(preview["requests"])

    def lag(body: object) -> object:
        sandbox.switches.set("replica_lag", 400)
        return body

    for action in (EditBody(edit=lag), Drop("after")):
        sandbox.faults.add(Fault(WRITES, nth=last, action=action))
    outcome = await tried(stage, clock, preview["plan_token"])
    assert (outcome["applied"], outcome["unknown"]) == (last - 1, 1)
    done = case.shape(tenant, order["id"])
    for _ in range(1 if roll_back else 2):
        again = await tried(stage, clock, preview["plan_token"], **({"roll_back": True} if roll_back else {}))
        if not again["message"].startswith("stopped"):
            break
        assert "does not show yet" in again["warnings"][0]["message"]
    assert len([entry for entry in sandbox.journal if entry.method != "GET"]) == last
    assert case.shape(tenant, order["id"]) == done
    assert tenant.get(f"{case.kind}s", order["id"])["status"] == CLOSED[case.kind]
    sandbox.switches.set("replica_lag", 0)
    end = await tried(stage, clock, preview["plan_token"])
    assert (end["message"].partition(":")[0], end["unknown"]) == ("applied", 0)
    assert case.shape(tenant, order["id"]) == done
