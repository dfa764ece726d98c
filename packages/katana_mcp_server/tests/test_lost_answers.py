"""An answer that was lost: what Katana shows is taken for ours only where each text is the one that was sent."""

import json
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cache_jobs import job_on
from journal_plans import hasty
from server_wire import live
from transfer_plans import applied, applied_in_time, counted, planned, writes

from katana_mcp.commands.cache.job import Report
from katana_mcp.commands.journal.reconcile import reconcile
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged, within
from katana_sandbox import Drop, Fault, ManualClock, Status, Tenant

SPELLINGS = [
    ("10.1", "10.10"),
    ("5", "5.0"),
    ("2026-03-09T10:00Z", "2026-03-09T11:00:00+01:00"),
    ("2026-03-09T10:00:00Z", "2026-03-09T10:00:00.000Z"),
    ("-1", "-1.00"),
]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
async def kept(own: OwnSandbox, tmp_path: Path) -> AsyncGenerator[Stage]:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        yield stage


async def _noted(stage: Stage, clock: ManualClock, before: str, after: str, trouble: Drop) -> tuple[str, int]:
    """Return the token of a plan whose answer was lost that changes a transfer's notes, and the transfer's id."""
    tenant = stage.own.sandbox.tenant()
    transfer = live(tenant, "stock_transfers")[0]["id"]
    tenant.edit("stock_transfers", transfer, bump=True, additional_info=before)
    clock.advance(61)
    change: dict[str, object] = {"stock_transfer_id": transfer, "additional_info": after}
    token = await planned(stage, "modify_stock_transfer", **change)
    stage.own.sandbox.faults.add(Fault("PATCH *", action=trouble))
    return token, transfer


@pytest.mark.parametrize(("before", "after"), SPELLINGS)
async def test_a_lost_change_of_a_text_is_not_taken_for_applied_because_the_old_one_looks_like_it(
    stage: Stage, clock: ManualClock, tenant: Tenant, before: str, after: str
) -> None:
    token, transfer = await _noted(stage, clock, before, after, Drop("before"))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert (counted(outcome), tenant.get("stock_transfers", transfer)["additional_info"]) == ({"unknown": 1}, before)
    token, transfer = await _noted(stage, clock, before, after, Drop("after"))
    (outcome,) = (await applied_in_time(stage, clock, token))["outcomes"]
    assert (counted(outcome), tenant.get("stock_transfers", transfer)["additional_info"]) == ({"applied": 1}, after)


async def _reconciled(own: OwnSandbox, root: Path, clock: ManualClock) -> Report:
    return await within(clock, 60, reconcile(job_on(own, root)))


def _outcomes(report: Report) -> list[tuple[str, str]]:
    entries: Any = report.data["entries"]
    return [(entry["was"], entry["outcome"]["actions"][0]["state"]) for entry in entries]


def _forge(root: Path, result: Mapping[str, object]) -> None:
    """Let the journal hold that the one action was recognised in this record."""
    (path,) = root.glob("journal-*.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE action SET state = 'applied', result = ?, error = NULL", (json.dumps(result),))


async def test_what_was_only_recognised_is_looked_at_once_more_and_then_never_again(
    kept: Stage, own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    token, _ = await _noted(kept, clock, "10.1", "10.10", Drop("after"))
    assert counted((await applied_in_time(kept, clock, token))["outcomes"][0]) == {"applied": 1}
    own.sandbox.faults.add(Fault("GET /stock_transfers", action=Status(401), times=None))
    report = await _reconciled(own, tmp_path, clock)
    assert (report.fine, _outcomes(report)) == (True, [("recognised", "applied")])
    own.sandbox.faults.clear()
    assert _outcomes(await _reconciled(own, tmp_path, clock)) == [("recognised", "applied")]
    assert (await _reconciled(own, tmp_path, clock)).data == {"entries": []}
    assert counted((await applied(kept, token))["outcomes"][0]) == {"applied": 1}
    assert len(writes(kept)) == 1


async def test_what_was_recognised_in_another_text_is_unknown_once_it_is_looked_at_again(
    kept: Stage, own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    token, transfer = await _noted(kept, clock, "10.1", "10.10", Drop("before"))
    await applied_in_time(kept, clock, token)
    _forge(tmp_path, tenant.get("stock_transfers", transfer))
    report = await _reconciled(own, tmp_path, clock)
    assert (report.fine, _outcomes(report)) == (False, [("recognised", "unknown")])
    (outcome,) = (await applied(kept, token))["outcomes"]
    assert counted(outcome) == {"unknown": 1}
    assert "counted as applied" in outcome["actions"][0]["error"]


async def test_what_was_changed_after_it_was_recognised_stays_applied(
    kept: Stage, own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    token, transfer = await _noted(kept, clock, "10.1", "10.10", Drop("after"))
    await applied_in_time(kept, clock, token)
    tenant.edit("stock_transfers", transfer, bump=True, additional_info="something else")
    assert _outcomes(await _reconciled(own, tmp_path, clock)) == [("recognised", "applied")]
    assert (await _reconciled(own, tmp_path, clock)).data == {"entries": []}
    assert counted((await applied(kept, token))["outcomes"][0]) == {"applied": 1}
