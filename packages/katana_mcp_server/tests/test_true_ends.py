"""What `apply_plan` says though nothing tells it plainly: a page for an answer, a journal that went away meanwhile."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied, applied_in_time, counted, made, planned, writes

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged
from katana_mcp.writing.actions import Ref, resolved
from katana_sandbox import EditBody, Fault, ManualClock, Mutate, Status, Tenant


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def test_a_page_in_place_of_an_answer_proves_nothing_and_is_looked_up(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    transfer = live(tenant, "stock_transfers")[0]["id"]
    faults = stage.own.sandbox.faults
    for method, tool, arguments in (
        ("POST", "create_stock_transfer", {}),
        ("PATCH", "modify_stock_transfer", {"stock_transfer_id": transfer, "additional_info": "never written"}),
        ("DELETE", "delete_stock_transfer", {"stock_transfer_id": transfer}),
    ):
        for text in ("<html>Sorry, maintenance</html>", "" if method != "DELETE" else "busy"):
            clock.advance(61)
            token = await planned(stage, tool, **arguments)
            faults.add(Fault(f"{method} *", action=Status(200, text), times=None))
            answer = await applied_in_time(stage, clock, token)
            faults.clear()
            (outcome,) = answer["outcomes"]
            assert counted(outcome) == {"unknown": 1}, (method, text, answer)
            assert "does not show what was written" in outcome["actions"][0]["error"]
            assert "revert" not in outcome
    assert (made(tenant), tenant.get("stock_transfers", transfer)["additional_info"]) == ([], None)


def test_nothing_refers_to_a_null() -> None:
    with pytest.raises(LookupError):
        resolved(Ref(0, "id"), {0: {"id": None}})
    with pytest.raises(LookupError):
        resolved({"$ref": [0, "id"]}, {0: {"id": None}})


async def test_a_create_that_is_answered_without_an_id_is_looked_up(stage: Stage, tenant: Tenant) -> None:
    token = await planned(stage)
    nameless = EditBody(lambda body: {**cast("Wire", body), "id": None})
    stage.own.sandbox.faults.add(Fault("POST *", action=nameless))
    (outcome,) = (await applied(stage, token))["outcomes"]
    (transfer,) = made(tenant)
    assert (counted(outcome), outcome["id"]) == ({"applied": 1}, transfer["id"])
    assert outcome["revert"]["arguments"]["stock_transfer_id"] == transfer["id"]


def _journal(root: Path) -> Path:
    (path,) = root.glob("journal-*.sqlite")
    return path


def _moved(path: Path) -> None:
    path.rename(path.with_name("old"))


def _deleted(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _emptied(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript("DELETE FROM action; DELETE FROM plan")


def _halved(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript("DELETE FROM action")


@pytest.mark.parametrize("harm", [_moved, _deleted, _emptied, _halved])
async def test_a_journal_that_goes_away_while_a_plan_is_applied_is_told_with_what_was_written(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        token = await planned(stage)
        gone = Mutate(change=lambda _: harm(_journal(tmp_path)), when="after")
        own.sandbox.faults.add(Fault("POST /stock_transfers", action=gone))
        answer = await applied(stage, token)
        assert "outcomes" in answer, answer
        assert (counted(answer["outcomes"][0]), len(made(tenant))) == ({"applied": 1}, 1)
        assert [warning["code"] for warning in answer["warnings"]] == ["journal_unavailable"]
        assert "no longer holds entry 1" in answer["warnings"][0]["message"]
        again = await applied(stage, token)
        assert again["error"] == ("journal_unavailable" if harm is _halved else "unknown_plan")
        assert len(writes(stage)) == 1


@pytest.mark.parametrize("answer", [Status(200, ""), Status(200, "null"), Status(202, "{}")])
@pytest.mark.parametrize("commit", [False, True])
async def test_a_deletion_is_believed_when_the_record_is_gone_whatever_the_answer(
    stage: Stage, tenant: Tenant, clock: ManualClock, answer: Status, *, commit: bool
) -> None:
    transfer = live(tenant, "stock_transfers")[0]["id"]
    token = await planned(stage, "delete_stock_transfer", stock_transfer_id=transfer)
    stage.own.sandbox.faults.add(Fault("DELETE *", action=replace(answer, commit=commit)))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    gone = transfer not in {stock_transfer["id"] for stock_transfer in live(tenant, "stock_transfers")}
    assert (counted(outcome), gone) == ({"applied" if commit else "unknown": 1}, commit)
    assert outcome["actions"][0]["look_up"]["rows"] == 1


@pytest.mark.parametrize(
    "refusal", [Status(403, "<html><title>Forbidden</title></html>"), Status(404, '{"message": "Not Found"}')]
)
@pytest.mark.parametrize("commit", [False, True])
async def test_a_refusal_that_katana_did_not_write_is_looked_up(
    stage: Stage, tenant: Tenant, clock: ManualClock, refusal: Status, *, commit: bool
) -> None:
    transfer = live(tenant, "stock_transfers")[0]["id"]
    for tool, arguments in (
        ("create_stock_transfer", {}),
        ("modify_stock_transfer", {"stock_transfer_id": transfer, "additional_info": "by hand"}),
        ("delete_stock_transfer", {"stock_transfer_id": transfer}),
    ):
        clock.advance(61)
        token = await planned(stage, tool, **arguments)
        for method in ("POST", "PATCH", "DELETE"):
            stage.own.sandbox.faults.add(Fault(f"{method} *", action=replace(refusal, commit=commit)))
        (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
        stage.own.sandbox.faults.clear()
        assert counted(outcome) == {"applied" if commit else "unknown": 1}, (tool, outcome)
        assert "not in Katana's form" in outcome["actions"][0].get("error", "") or commit
