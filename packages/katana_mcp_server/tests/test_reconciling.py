"""What nobody saw the end of is looked up again: what Katana shows is noted and told, nothing is sent again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from cache_jobs import job_on
from command_line import Run
from journal_plans import hasty
from transfer_plans import (
    NUMBER,
    applied,
    applied_in_time,
    counted,
    made,
    new_transfer,
    planned,
    without_before,
    writes,
)

from katana_mcp.commands.cache.job import Report
from katana_mcp.commands.journal.look import export
from katana_mcp.commands.journal.reconcile import reconcile
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.journal.entries import ActionState, Claimed, digest_of
from katana_mcp.journal.entries import Run as Claim
from katana_mcp.journal.errors import WrongOrder
from katana_mcp.journal.file import JournalFile
from katana_mcp.testing import Setup, Stage, staged, within
from katana_sandbox import Drop, Fault, ManualClock, ReplicaLag, Status, Tenant

POSTS = "POST /stock_transfers"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def reconciled(own: OwnSandbox, root: Path, clock: ManualClock) -> Report:
    """Run the command on the sandbox's account."""
    return await within(clock, 60, reconcile(job_on(own, root)))


def entries(report: Report) -> list[Any]:
    """Return what the command says to programs."""
    found = report.data["entries"]
    return cast("list[Any]", found)


def summaries(report: Report) -> list[tuple[str, bool, str | None]]:
    """Return of each entry what it was, whether its end is known now, and the state of its first action."""
    found = entries(report)
    states = [(row["outcome"] or {"actions": [{"state": None}]})["actions"][0]["state"] for row in found]
    return [(entry["was"], entry["is_sure"], state) for entry, state in zip(found, states, strict=True)]


def _journal(root: Path, clock: ManualClock) -> JournalFile:
    (path,) = root.glob("journal-*.sqlite")
    return JournalFile(path, clock)


def _claimed(file: JournalFile, token: str) -> Claim:
    claim = file.claim(token, "dead")
    assert isinstance(claim, Claimed)
    return claim.run


async def _lost(stage: Stage, clock: ManualClock, trouble: Drop) -> str:
    """Return the token of a plan that ended unknown."""
    token = await planned(stage)
    stage.own.sandbox.faults.add(Fault(POSTS, action=trouble))
    stage.own.sandbox.faults.add(Fault("GET /stock_transfers", action=ReplicaLag(600), times=None))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    stage.own.sandbox.faults.clear()
    assert counted(outcome) == {"unknown": 1}
    return token


async def test_what_shows_up_later_is_noted_as_applied_and_told_from_then_on(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await _lost(stage, clock, Drop("after"))
        before = await applied(stage, token)
        own.sandbox.faults.add(Fault("GET /stock_transfers", action=Status(401), times=None))
        report = await reconciled(own, tmp_path, clock)
        assert (report.fine, summaries(report)) == (False, [("unknown", False, "unknown")])
        assert "401" in entries(report)[0]["outcome"]["actions"][0]["look_up"]["error"]
        own.sandbox.faults.clear()
        clock.advance(300)
        report = await reconciled(own, tmp_path, clock)
        assert (report.fine, summaries(report)) == (True, [("unknown", True, "applied")])
        after = await applied(stage, token)
        assert without_before(after)["message"].startswith("applied: ")
        assert (counted(after["outcomes"][0]), after["outcomes"][0]["id"]) == ({"applied": 1}, made(tenant)[0]["id"])
        assert after["outcomes"][0]["revert"]["tool"] == "delete_stock_transfer"
        assert len(writes(stage)) == 1
    report = await reconciled(own, tmp_path, clock)
    assert (report.fine, report.data, report.notes) == (True, {"entries": []}, ("the end of every plan is known",))
    await export(job_on(own, tmp_path))
    (kept,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert kept["outcome"]["message"] == without_before(before)["message"]
    assert kept["amended"]["message"] == without_before(after)["message"]
    assert kept["actions"][0]["state"] == "applied"
    assert kept["actions"][0]["at"] == kept["finished_at"] < kept["amended_at"]


async def test_what_another_plan_made_under_the_same_number_proves_nothing(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        lost = await _lost(stage, clock, Drop("before"))
        clock.advance(60)
        assert counted((await applied(stage, await planned(stage)))["outcomes"][0]) == {"applied": 1}
        report = await reconciled(own, tmp_path, clock)
        assert (report.fine, summaries(report)) == (False, [("unknown", False, "unknown")])
        assert report.notes[0].startswith("not known yet: entry 1; ")
        assert counted((await applied(stage, lost))["outcomes"][0]) == {"unknown": 1}
        assert (len(made(tenant)), len(writes(stage))) == (1, 2)


async def test_what_a_server_that_ended_had_begun_is_ended_and_what_it_had_not_is_left(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        numbers = (NUMBER, "ST-901", "ST-902", "ST-903")
        new = [new_transfer(tenant, stock_transfer_number=number) for number in numbers]
        sent, lost, idle, alive = [await planned(stage, "create_stock_transfer", **record) for record in new]
        file = _journal(tmp_path, clock)
        for token in (sent, lost):
            file.sending(_claimed(file, token), 0)
        plan = file.find(sent)
        assert plan is not None
        tenant.create("stock_transfers", cast("dict[str, object]", plan.plan.actions[0]["body"]))
        _claimed(file, idle)
        clock.advance(31)
        run = _claimed(file, alive)
        report = await reconciled(own, tmp_path, clock)
        assert summaries(report) == [
            ("owner gone", True, "applied"),
            ("owner gone", False, "unknown"),
            ("not sent", True, None),
            ("being applied", False, None),
        ]
        file.heartbeat(run)
        file.close()
        assert writes(stage) == []
        assert [counted((await applied(stage, plan_token))["outcomes"][0]) for plan_token in (sent, lost)] == [
            {"applied": 1},
            {"unknown": 1},
        ]
        assert counted((await applied(stage, idle))["outcomes"][0]) == {"applied": 1}
        assert len(writes(stage)) == 1


async def _moving(stage: Stage) -> str:
    """Return the token of a plan that adds an address to a customer and makes that the default."""
    tenant, hall = stage.own.sandbox.tenant(), {"entity_type": "shipping", "line_1": "Hall 3"}
    customer = tenant.create("customers", {"name": "Velo Nova", "addresses": [{"entity_type": "shipping"}]})
    added = {"customer_id": customer["id"], "add_addresses": [{**hall, "default": True}]}
    return await planned(stage, "modify_customer", **added)


async def test_what_refers_to_an_earlier_answer_is_looked_up_again_by_what_that_said(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await _moving(stage)
        own.sandbox.faults.add(Fault("PATCH /customers/*", action=Drop("after")))
        own.sandbox.faults.add(Fault("GET /customers", 2, ReplicaLag(600), times=None))
        (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
        assert counted(outcome) == {"applied": 1, "unknown": 1}
        own.sandbox.faults.clear()
        clock.advance(61)
        assert (await reconciled(own, tmp_path, clock)).fine
        assert counted((await applied(stage, token))["outcomes"][0]) == {"applied": 2}
        assert len(writes(stage)) == 2


async def test_what_refers_to_an_answer_that_its_owner_never_got_was_not_sent(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await _moving(stage)
        file = _journal(tmp_path, clock)
        run = _claimed(file, token)
        file.sending(run, 0)
        file.done(run, 0, ActionState("applied", None))
        file.sending(run, 1)
        file.close()
        clock.advance(31)
        (outcome,) = (await applied(stage, token))["outcomes"]
        assert (counted(outcome), writes(stage)) == ({"applied": 1, "failed": 1}, [])


async def test_only_what_ended_unknown_can_be_amended(own: OwnSandbox, clock: ManualClock, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        await applied(stage, await planned(stage))
        new = new_transfer(own.sandbox.tenant(), stock_transfer_number="ST-901")
        waiting = await planned(stage, "create_stock_transfer", **new)
        file = _journal(tmp_path, clock)
        for number in (1, 2, 3):
            with pytest.raises(WrongOrder):
                file.amend(number, {0: ActionState("applied")}, {"message": "never"})
        assert [file.take_over(entry, "me") for entry in (1, 2, 3)] == [None] * 3
        entry = file.find(waiting)
        assert entry is not None
        assert entry.state == "planned"
        file.close()


async def test_the_newest_plans_and_one_of_them_can_be_read_without_what_others_planned(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        assert json.loads(await stage.read("katana://journal"))["rows"] == []
        token = await planned(stage)
        (number,) = [outcome["id"] for outcome in (await applied(stage, token))["outcomes"]]
        file = _journal(tmp_path, clock)
        mine = file.find(token)
        assert mine is not None
        other = file.add(replace(mine.plan, digest=digest_of("account"), tenant="another", summary="secret"))
        later = file.add(replace(mine.plan, digest=digest_of("caller"), principal="http:01234567"))
        page = json.loads(await stage.read("katana://journal"))
        assert page["source"] == "sandbox"
        assert [(row["entry"], row["principal"], row["state"], row["actions"]) for row in page["rows"]] == [
            (later, "http:01234567", "planned", {"planned": 1}),
            (mine.id, "local", "finished", {"applied": 1}),
        ]
        assert page["rows"][1]["summary"] == f"new stock transfer {NUMBER} from Main workshop to North warehouse"
        text = await stage.read(f"katana://journal/{mine.id}")
        entry = json.loads(text)["entry"]
        assert (entry["outcome"]["id"], entry["actions"][0]["result"]["id"]) == (number, made(tenant)[0]["id"])
        assert entry["request"]["rows"][0]["quantity"] == "2.5"
        assert [
            secret for secret in (token, mine.plan.digest, mine.plan.digest[:12]) if secret in text + str(page)
        ] == []
        for wrong in (other, 999, "x", 10**9):
            with pytest.raises(Exception, match=f"the journal has no entry '{wrong}'; katana://journal names"):
                await stage.read(f"katana://journal/{wrong}")
        for nr in range(60):
            file.add(replace(mine.plan, digest=digest_of(str(nr))))
        file.close()
        assert len(json.loads(await stage.read("katana://journal"))["rows"]) == 50


def test_without_a_journal_there_is_nothing_to_look_up(command_line: Run, tmp_path: Path) -> None:
    ran = command_line("journal", "reconcile")
    assert (ran.code, list(tmp_path.iterdir())) == (0, [])
    assert ran.out.startswith("nothing was planned yet with this key: there is no journal ")
    assert command_line("journal", "reconcile", "--json").data == {"entries": []}
