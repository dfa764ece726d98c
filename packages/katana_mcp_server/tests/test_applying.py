"""`apply_plan` through the server: a plan is written once, as it was shown, or not at all; and the answer is true."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from journal_plans import hasty
from server_wire import Wire
from transfer_plans import (
    NUMBER,
    applied,
    applied_in_time,
    counted,
    made,
    new_transfer,
    of_before,
    planned,
    without_before,
    writes,
)

from cache_core.errors import CacheUnavailable
from cache_core.sync import Syncer
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import Claimed, Plan, digest_of
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.testing import Setup, Stage, ends, payload_of, staged, within
from katana_mcp.writing.actions import Action
from katana_sandbox import Action as Trouble
from katana_sandbox import Delay, Drop, EditBody, Fault, Hang, ManualClock, Mutate, ReplicaLag, Status, Tenant, Truncate
from katana_sandbox.store.keys import FIRST_ID

pytestmark = pytest.mark.threads

POST = ("POST", "/v1/stock_transfers")


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def test_what_was_shown_is_what_is_sent_and_read_back(stage: Stage, tenant: Tenant) -> None:
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant, additional_info="with care"))
    assert writes(stage) == []
    answer = await applied(stage, preview["plan_token"])
    (transfer,) = made(tenant)
    (row,) = transfer["stock_transfer_rows"]
    assert counted(answer["outcomes"][0]) == {"applied": 1}
    assert answer["outcomes"][0]["id"] == transfer["id"]
    assert writes(stage) == [POST]
    (sent,) = [request.body for request in stage.own.sandbox.journal if request.method == "POST"]
    assert sent == preview["requests"][0]["body"].encode()
    assert (float(row["quantity"]), transfer["additional_info"]) == (2.5, "with care")
    shown = (await stage.call("get_stock_transfer", stock_transfer_id=NUMBER))["transfer"]
    assert shown["rows"][0]["quantity"] == 2.5
    assert (await stage.call("search_stock_transfers", query=NUMBER))["rows"][0]["stock_transfer_id"] == transfer["id"]
    assert (await stage.call("list_stock_transfers", ids=[transfer["id"]]))["total"] == 1


async def test_a_change_and_a_deletion_are_read_at_once_though_listings_lag(stage: Stage, tenant: Tenant) -> None:
    await stage.call("list_stock_transfers")
    stage.own.sandbox.faults.add(Fault("GET *", action=ReplicaLag(600), times=None))
    created = await applied(stage, await planned(stage))
    number = created["outcomes"][0]["id"]
    token = await planned(stage, "modify_stock_transfer", stock_transfer_id=number, status="in transit")
    answer = await applied(stage, token)
    assert writes(stage)[1:] == [("PATCH", f"/v1/stock_transfers/{number}/status")]
    assert made(tenant)[0]["status"] == "inTransit"
    assert (await stage.call("list_stock_transfers", ids=[number]))["rows"][0]["status"] == "inTransit"
    back = answer["outcomes"][0]["revert"]
    await applied(stage, await planned(stage, back["tool"], **back["arguments"]))
    assert made(tenant)[0]["status"] == "draft"
    undo = created["outcomes"][0]["revert"]
    token = await planned(stage, undo["tool"], **undo["arguments"])
    gone = await applied(stage, token)
    assert of_before(await applied(stage, token), gone)
    assert made(tenant) == []
    assert (await stage.call("search_stock_transfers", query=NUMBER))["rows"] == []
    again = gone["outcomes"][0]["revert"]
    await applied(stage, await planned(stage, again["tool"], **again["arguments"]))
    assert float(made(tenant)[0]["stock_transfer_rows"][0]["quantity"]) == 2.5


async def test_twenty_at_once_write_once_and_are_told_the_same(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    token = await planned(stage)
    calls = [stage.result("apply_plan", {"plan_tokens": [token]}) for _ in range(20)]
    answers = [payload_of(result) for result in await within(clock, 60, asyncio.gather(*calls))]
    assert [answer for answer in answers if answer != answers[0]] == []
    assert answers[0] is not None
    assert counted(answers[0]["outcomes"][0]) == {"applied": 1}
    assert (writes(stage), len(made(tenant))) == ([POST], 1)
    assert of_before(await applied(stage, token), answers[0])


async def test_two_servers_of_one_account_write_once_and_are_told_the_same(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    setup = Setup(cache_dir=tmp_path)
    async with staged(own, setup) as one, staged(own, setup) as other:
        token = await planned(one)
        calls = [server.result("apply_plan", {"plan_tokens": [token]}) for server in (one, other) * 3]
        results = await within(clock, 60, asyncio.gather(*calls))
    # The other server opens its account first: it may look at the plan when the one has ended it, and says so then.
    answers = [without_before(payload_of(result)) for result in results]
    assert answers == [answers[0]] * 6
    assert len(made(tenant)) == 1


async def test_a_plan_outlives_the_server_and_so_does_its_outcome(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    setup = Setup(cache_dir=tmp_path)
    async with staged(own, setup) as stage:
        token = await planned(stage)
    async with staged(own, setup) as stage:
        first = await applied(stage, token)
    clock.advance(3600)
    async with staged(own, setup) as stage:
        assert of_before(await applied(stage, token), first)
    assert len(made(tenant)) == 1


async def test_what_changed_since_the_preview_makes_the_plan_stale_and_writes_nothing(
    stage: Stage, tenant: Tenant
) -> None:
    transfer = tenant.create("stock_transfers", _body(tenant))
    token = await planned(stage, "modify_stock_transfer", stock_transfer_id=transfer["id"], status="received")
    new = await planned(stage)
    delete = await planned(stage, "delete_stock_transfer", stock_transfer_id=transfer["id"])
    tenant.edit("stock_transfers", transfer["id"], additional_info="somebody else was here")
    tenant.create("stock_transfers", _body(tenant, NUMBER))
    for plan_token in (token, new, delete):
        answer = await applied(stage, plan_token)
        assert (answer["error"], answer["warnings"][0]["code"]) == ("stale_plan", "stale_plan")
    tenant.delete("stock_transfers", transfer["id"])
    answer = await applied(stage, token)
    assert [warning["code"] for warning in answer["warnings"]] == ["stale_plan", "not_found"]
    assert writes(stage) == []


def _body(tenant: Tenant, number: str = "ST-901") -> dict[str, object]:
    locations = [location["id"] for location in tenant.all("locations")]
    rows = [{"variant_id": next(tenant.all("variants"))["id"], "quantity": "1"}]
    places = {"source_location_id": locations[0], "target_location_id": locations[1]}
    return {"stock_transfer_number": number, "stock_transfer_rows": rows, **places}


async def test_a_token_that_is_unknown_or_expired_writes_nothing(stage: Stage, clock: ManualClock) -> None:
    assert (await applied(stage, "never given out"))["error"] == "unknown_plan"
    token = await planned(stage)
    clock.advance(600)
    assert (await applied(stage, token))["error"] == "expired_plan"
    assert (await applied(stage, token))["error"] == "expired_plan"
    assert writes(stage) == []


async def test_a_plan_that_was_refused_as_expired_stays_so_once_the_clock_is_set_right(
    stage: Stage, clock: ManualClock
) -> None:
    token = await planned(stage)
    clock.shift(86_400)
    assert (await applied(stage, token))["error"] == "expired_plan"
    clock.shift(-86_400)
    assert (await applied(stage, token))["error"] == "expired_plan"
    assert writes(stage) == []


async def test_a_token_of_another_caller_or_account_is_unknown(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        mine = await planned(stage)
        file = _journal(tmp_path, clock)
        kept = file.find(mine)
        assert kept is not None
        file.add(replace(kept.plan, digest=digest_of("caller"), principal="mallory"))
        file.add(replace(kept.plan, digest=digest_of("account"), tenant="another"))
        file.close()
        for theirs in ("caller", "account"):
            assert (await applied(stage, theirs))["error"] == "unknown_plan"
        assert writes(stage) == []
        assert counted((await applied(stage, mine))["outcomes"][0]) == {"applied": 1}


def _journal(root: Path, clock: ManualClock) -> JournalFile:
    (path,) = root.glob("journal-*.sqlite")
    return JournalFile(path, clock)


FAULTS: list[tuple[Trouble, dict[str, int]]] = [
    (Drop("before"), {"unknown": 1}),
    (Drop("after"), {"applied": 1}),
    (Status(500), {"unknown": 1}),
    (Status(500, commit=True), {"applied": 1}),
    (Status(503), {"unknown": 1}),
    (Hang("before"), {"unknown": 1}),
    (Hang("after"), {"applied": 1}),
    (Truncate(), {"applied": 1}),
    (Status(200, "<html>", commit=True), {"applied": 1}),
    (Status(422), {"failed": 1}),
]


async def test_whatever_befalls_a_request_it_is_sent_once_and_the_end_is_true(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for place, (trouble, ended) in enumerate(FAULTS):
        number = f"ST-{900 + place}"
        new = new_transfer(tenant, stock_transfer_number=number)
        token = await planned(stage, "create_stock_transfer", **new)
        stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=trouble, times=None))
        answer = await applied_in_time(stage, clock, token)
        stage.own.sandbox.faults.clear()
        (outcome,) = answer["outcomes"]
        assert counted(outcome) == ended, (trouble, answer)
        assert (writes(stage), len(made(tenant, number))) == ([POST] * (place + 1), ended.get("applied", 0)), trouble
        if ended == {"unknown": 1}:
            asked = f"GET /stock_transfers stock_transfer_number={number}"
            assert outcome["actions"][0]["look_up"] == {"asked": asked, "rows": 0, "as_planned": 0}
            assert "the outcome is unknown" in outcome["actions"][0]["error"]
        if "applied" in ended:
            assert outcome["id"] == made(tenant, number)[0]["id"]
            shown = await stage.call("get_stock_transfer", stock_transfer_id=number)
            assert shown["transfer"]["row_count"] == 1
        assert of_before(await applied_in_time(stage, clock, token), answer)
        assert len(writes(stage)) == place + 1
        clock.advance(60)


async def test_a_deletion_is_proved_by_a_tombstone_and_by_nothing_less(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    faults = stage.own.sandbox.faults
    for trouble, lag, ended in (
        (Drop("before"), 600, {"unknown": 1}),
        (Drop("before"), 0, {"unknown": 1}),
        (Drop("after"), 0, {"applied": 1}),
    ):
        transfer = tenant.create("stock_transfers", _body(tenant, f"ST-{lag}-{trouble.when}"))
        token = await planned(stage, "delete_stock_transfer", stock_transfer_id=transfer["id"])
        blind = Mutate(change=lambda _, lag=lag: faults.add(Fault("GET *", action=ReplicaLag(lag), times=None)))
        faults.add(Fault("DELETE *", action=blind), Fault("DELETE *", action=trouble))
        (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
        faults.clear()
        clock.advance(60)
        assert counted(outcome) == ended, (trouble, lag)


async def test_an_outcome_that_cannot_be_looked_up_is_unknown(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    token = await planned(stage)
    await applied_in_time(stage, clock, "warm")
    stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=Drop("after")))
    stage.own.sandbox.faults.add(Fault("GET /stock_transfers", action=Status(401), nth=2, times=None))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert counted(outcome) == {"unknown": 1}
    assert outcome["actions"][0] == {
        "title": "create stock transfer ST-900",
        "method": "POST",
        "path": "/stock_transfers",
        "state": "unknown",
        "error": "POST /stock_transfers: the outcome is unknown: ReadError: the connection broke",
        "look_up": {
            "asked": "GET /stock_transfers stock_transfer_number=ST-900",
            "error": "GET /stock_transfers: 401 the Katana API key was refused: Unauthorized",
        },
    }
    assert len(made(tenant)) == 1


async def test_the_first_action_that_is_not_applied_stops_the_rest(stage: Stage, tenant: Tenant) -> None:
    transfer = tenant.create("stock_transfers", _body(tenant))
    change = {"stock_transfer_id": transfer["id"], "additional_info": "x", "status": "received"}
    first, second = await planned(stage, "modify_stock_transfer", **change), await planned(stage)
    stage.own.sandbox.faults.add(Fault(f"PATCH /stock_transfers/{transfer['id']}", action=Status(422), times=None))
    answer = await applied(stage, first, second)
    (outcome,) = answer["outcomes"]
    assert counted(outcome) == {"failed": 1, "not_tried": 1}
    assert [action["state"] for action in outcome["actions"]] == ["failed", "not_tried"]
    assert (answer["not_tried"], len(writes(stage)), made(tenant)) == (1, 1, [])
    assert "revert" not in outcome
    assert outcome["prior_state"]["status"] == "draft"


async def test_plans_are_applied_in_order_and_one_that_an_earlier_one_upset_is_stale(
    stage: Stage, tenant: Tenant
) -> None:
    transfer = tenant.create("stock_transfers", _body(tenant))
    first = await planned(stage, "modify_stock_transfer", stock_transfer_id=transfer["id"], additional_info="x")
    second = await planned(stage, "modify_stock_transfer", stock_transfer_id=transfer["id"], status="received")
    answer = await applied(stage, first, second)
    assert [counted(outcome) for outcome in answer["outcomes"]] == [{"applied": 1}]
    assert [warning["code"] for warning in answer["warnings"]] == ["stale_plan"]
    assert (answer["not_tried"], tenant.get("stock_transfers", transfer["id"])["status"]) == (1, "draft")


@pytest.mark.parametrize("was_sent", [True, False])
async def test_of_a_plan_whose_owner_died_while_sending_the_action_is_looked_up_and_never_resent(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, *, was_sent: bool
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
        file = _journal(tmp_path, clock)
        claim = file.claim(token, "dead")
        assert isinstance(claim, Claimed)
        file.sending(claim.run, 0)
        file.close()
        if was_sent:
            tenant.create("stock_transfers", {**_body(tenant, NUMBER), **_sent(claim.plan)})
        clock.advance(31)
        (outcome,) = (await applied(stage, token))["outcomes"]
        assert counted(outcome) == ({"applied": 1} if was_sent else {"unknown": 1})
        assert writes(stage) == []
        assert (await applied(stage, token))["outcomes"] == [outcome]


def _sent(plan: Plan) -> dict[str, object]:
    return dict(Action.read(plan.actions[0]).fields)


async def test_of_a_plan_whose_owner_died_before_sending_everything_is_sent_once(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
        file = _journal(tmp_path, clock)
        assert isinstance(file.claim(token, "dead"), Claimed)
        file.close()
        clock.advance(timedelta(seconds=31).total_seconds())
        answer = await applied(stage, token)
        assert counted(answer["outcomes"][0]) == {"applied": 1}
        assert (writes(stage), len(made(tenant))) == ([POST], 1)


async def test_a_server_that_only_reads_previews_without_a_token_and_has_no_tool_that_writes(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
    async with staged(own, Setup(cache_dir=tmp_path, flags={"read_only": True})) as stage:
        preview = await stage.call("create_stock_transfer", **new_transfer(tenant))
        assert ("plan_token" in preview, "read-only" in preview["message"]) == (False, True)
        assert "apply_plan" not in {tool.name for tool in await stage.client.list_tools()}
        assert (await applied(stage, token))["error"] == "unknown_tool"
        assert writes(stage) == []


async def test_a_caller_who_goes_away_leaves_a_write_that_ends_once(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    token = await planned(stage)
    stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=Delay(5)))
    call = asyncio.ensure_future(stage.result("apply_plan", {"plan_tokens": [token]}))
    assert not await ends(call)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    answer = await applied_in_time(stage, clock, token)
    assert counted(answer["outcomes"][0]) == {"applied": 1}
    assert (writes(stage), len(made(tenant))) == ([POST], 1)


async def test_a_plan_that_another_keeps_applying_is_told_to_be_running(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
        file = _journal(tmp_path, clock)
        claim = file.claim(token, "another")
        assert isinstance(claim, Claimed)
        call = asyncio.ensure_future(stage.result("apply_plan", {"plan_tokens": [token]}))
        while not await ends(call):
            clock.advance(5)
            file.heartbeat(claim.run)
        file.close()
        assert payload_of(call.result())["error"] == "plan_running"
        assert writes(stage) == []


def _elsewhere(body: object) -> Wire:
    return {**cast("Wire", body), "target_location_id": 1, "status": "brand new"}


async def test_an_answer_other_than_planned_is_applied_and_told(stage: Stage, tenant: Tenant) -> None:
    token = await planned(stage)
    stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=EditBody(_elsewhere)))
    answer = await applied(stage, token)
    assert counted(answer["outcomes"][0]) == {"applied": 1}
    assert [(warning["code"], warning["severity"]) for warning in answer["warnings"]] == [
        ("unexpected_result", "advisory")
    ]
    assert f"target_location_id is 1, not {FIRST_ID + 1}" in answer["warnings"][0]["message"]
    assert len(made(tenant)) == 1


async def test_without_a_journal_nothing_is_planned_and_nothing_written(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
        _spoil_journal(tmp_path)
        assert (await applied(stage, token))["error"] == "journal_unavailable"
        preview = await stage.call("create_stock_transfer", **new_transfer(tenant))
        assert ("plan_token" in preview, preview["warnings"][0]["code"]) == (False, "journal_unavailable")
        assert writes(stage) == []


def _spoil_journal(root: Path) -> None:
    """Put a directory where the journal was."""
    (path,) = root.glob("journal-*.sqlite")
    path.rename(root / "aside")
    path.mkdir()


async def test_without_katana_nothing_is_planned(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    token = await planned(stage)
    stage.own.sandbox.faults.add(Fault("GET *", action=Drop(), times=None))
    refusal = await within(clock, 60, stage.refusal("create_stock_transfer", **new_transfer(tenant)))
    assert refusal["error"] == "katana_unavailable"
    assert (await applied_in_time(stage, clock, token))["error"] == "katana_unavailable"
    stage.own.sandbox.faults.clear()
    clock.advance(60)
    assert counted((await applied_in_time(stage, clock, token))["outcomes"][0]) == {"applied": 1}


async def test_what_is_blocked_is_shown_without_a_token(stage: Stage, tenant: Tenant) -> None:
    for changed, code, path in (
        ({"destination_location_id": "Main workshop"}, "same_source_destination", "destination_location_id"),
        ({"source_location_id": "Main workshp"}, "not_found", "source_location_id"),
        ({"rows": [{"sku_or_variant_id": "no such sku", "quantity": 1}]}, "not_found", "rows[0].sku_or_variant_id"),
        ({"rows": [{"sku_or_variant_id": FIRST_ID + 3, "quantity": 0}]}, "invalid_quantity", "rows[0].quantity"),
    ):
        preview = await stage.call("create_stock_transfer", **new_transfer(tenant, **changed))
        assert ("plan_token" in preview, "expires_at" in preview, preview["next_actions"]) == (False, False, [])
        assert [(warning["code"], warning["field_path"]) for warning in preview["warnings"]] == [(code, path)]
    refusal = await stage.refusal("modify_stock_transfer", stock_transfer_id="ST-nowhere", status="draft")
    assert refusal["error"] == "not_found"


async def test_stock_that_does_not_suffice_is_said_in_the_preview_and_at_the_move(stage: Stage, tenant: Tenant) -> None:
    many = [{**row, "quantity": 1_000_000} for row in cast("list[dict[str, object]]", new_transfer(tenant)["rows"])]
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant, rows=many))
    (warning,) = [entry for entry in preview["warnings"] if entry["severity"] == "advisory"]
    assert (warning["code"], warning["field_path"]) == ("insufficient_stock", "rows[0].quantity")
    await applied(stage, preview["plan_token"])
    moved = await stage.call("modify_stock_transfer", stock_transfer_id=NUMBER, status="inTransit")
    assert [entry["code"] for entry in moved["warnings"]] == ["insufficient_stock"]
    assert moved["warnings"][0]["message"].startswith("1000000 ")
    assert moved["warnings"][0]["message"].split(", ")[0].endswith("would be taken from Main workshop")


async def test_a_cache_that_fails_after_the_write_is_told_and_changes_nothing_of_the_outcome(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> bool:
        raise CacheUnavailable("the disk is full")

    token = await planned(stage)
    monkeypatch.setattr(Syncer, "write_through", full)
    (outcome,) = (await applied(stage, token))["outcomes"]
    assert (counted(outcome), len(made(tenant))) == ({"applied": 1}, 1)
    assert [(warning["severity"], warning["code"]) for warning in outcome["warnings"]] == [
        ("info", "cache_write_failed")
    ]
    assert "the disk is full" in outcome["warnings"][0]["message"]
    assert (await applied(stage, token))["outcomes"] == [outcome]


async def test_a_caller_who_goes_away_is_let_go_at_once_and_closing_waits_for_the_write(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock
) -> None:
    journal: list[Journal] = []
    through = Journal.through

    def noted[T](self: Journal, work: Coroutine[object, object, T]) -> asyncio.Future[T]:
        journal.append(self)
        return through(self, work)

    async with staged(own) as stage:
        token = await planned(stage)
        own.sandbox.faults.add(Fault("POST /stock_transfers", action=Delay(5)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Journal, "through", noted)
            call = asyncio.ensure_future(stage.result("apply_plan", {"plan_tokens": [token]}))
            assert not await ends(call)
        began = clock.monotonic()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert (clock.monotonic(), made(tenant)) == (began, [])
        closing = asyncio.ensure_future(journal[0].settled())
        assert not await ends(closing)
        await within(clock, 60, closing)
        assert len(made(tenant)) == 1
