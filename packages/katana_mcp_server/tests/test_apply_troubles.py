"""What an apply says where what it depends on is gone or silent: nothing is sent blindly, and what is done is told."""

import pytest
from journal_plans import hasty
from server_wire import live
from transfer_plans import NUMBER, applied, counted, made, planned, writes

from katana_mcp.testing import Stage
from katana_sandbox import Fault, ManualClock, Mutate, Status, Tenant

pytestmark = pytest.mark.threads


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def test_a_plan_for_what_somebody_deleted_since_is_stale_and_sends_nothing(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    created = await applied(stage, await planned(stage))
    token = await planned(stage, "modify_stock_transfer", stock_transfer_id=NUMBER, additional_info="with care")
    tenant.delete("stock_transfers", created["outcomes"][0]["id"])
    clock.advance(61)
    sent = len(writes(stage))
    refused = await applied(stage, token)
    assert (refused["error"], len(writes(stage))) == ("stale_plan", sent)
    assert f"stock transfer {NUMBER} was deleted in Katana" in refused["warnings"][0]["message"]
    assert (await applied(stage, token))["error"] == "stale_plan", "for good"


async def test_what_katana_no_longer_has_fails_and_says_so(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    created = await applied(stage, await planned(stage))
    token = await planned(stage, "modify_stock_transfer", stock_transfer_id=NUMBER, additional_info="with care")
    tenant.delete("stock_transfers", created["outcomes"][0]["id"], hard=True)
    clock.advance(61)
    outcome = (await applied(stage, token))["outcomes"][0]
    assert counted(outcome) == {"failed": 1}
    assert "404" in outcome["actions"][0]["error"]


async def test_stock_that_cannot_be_read_after_a_write_is_told_as_not_shown_yet(stage: Stage, tenant: Tenant) -> None:
    sku = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"])
    await stage.call("check_inventory", skus_or_variant_ids=[sku])
    await applied(stage, await planned(stage))
    token = await planned(stage, "modify_stock_transfer", stock_transfer_id=NUMBER, status="in transit")
    faults = stage.own.sandbox.faults

    def keep_silent(_: Tenant) -> None:
        faults.add(Fault("GET /inventory", action=Status(503), times=None))

    faults.add(Fault("PATCH *", action=Mutate(change=keep_silent, when="after")))
    outcome = (await applied(stage, token))["outcomes"][0]
    assert counted(outcome) == {"applied": 1}
    assert made(tenant)[0]["status"] == "inTransit"
    told = [warning["message"] for warning in outcome["warnings"]]
    assert [message for message in told if "the stock that this changed could not be read again yet" in message]


@pytest.mark.parametrize("deleted", ["nothing", "one's own", "the twin", "both"])
async def test_a_document_that_got_the_number_of_another_one_at_that_moment_says_so(
    stage: Stage, tenant: Tenant, deleted: str
) -> None:
    transfer = live(tenant, "stock_transfers")[0]
    body = {name: transfer[name] for name in ("source_location_id", "target_location_id")}
    rows = [{"variant_id": live(tenant, "variants")[0]["id"], "quantity": "1"}]
    body |= {"stock_transfer_number": NUMBER, "stock_transfer_rows": rows}

    def make_a_twin(_: Tenant) -> None:
        (own,) = made(tenant)
        twin = tenant.create("stock_transfers", body)
        gone = {"nothing": (), "one's own": (own,), "the twin": (twin,), "both": (own, twin)}[deleted]
        for one in gone:
            tenant.delete("stock_transfers", one["id"])

    stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=Mutate(change=make_a_twin, when="after")))
    answer = await applied(stage, await planned(stage))
    said = [warning["message"] for warning in answer["warnings"] if warning["code"] == "duplicate_number"]
    twins = [one["id"] for one in made(tenant) if one["id"] != answer["outcomes"][0]["id"]]
    assert len(said) == len(twins) == (1 if deleted in {"nothing", "one's own"} else 0)
    assert [message.partition(": ")[2] for message in said] == [
        f"the number is also that of {twin}: change one of the numbers" for twin in twins
    ]
    assert counted(answer["outcomes"][0]) == {"applied": 1}
