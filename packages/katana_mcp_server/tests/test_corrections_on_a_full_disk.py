"""A disk that is full in the middle of a correction: it stops and says so, and no step is sent twice or forgotten."""

import functools
import sqlite3
from pathlib import Path
from typing import Any, override

import pytest
from correcting_steps import CASES, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty
from tests.nights import rest_in_turn

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, staged
from katana_sandbox import Fault, ManualClock, Mutate
from katana_sandbox.faults.actions import When

STEPS = 3
"""Of the correction that is tried."""


class Disk:
    """Whether there is no room for another byte of the journal."""

    is_full = False


class Kept(sqlite3.Connection):
    """A connection to a file that takes nothing while its disk is full."""

    @override
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if Disk.is_full and sql.startswith(("INSERT", "UPDATE", "DELETE")) and _is_of_the_journal(self):
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(sql, parameters)


def _is_of_the_journal(db: sqlite3.Connection) -> bool:
    (_, _, path), *_ = sqlite3.Connection.execute(db, "PRAGMA database_list").fetchall()
    return Path(path).name.startswith("journal-")


@pytest.fixture(autouse=True)
def _on_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)
    monkeypatch.setattr(Disk, "is_full", False)
    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Kept))


def fill(*_: object) -> None:
    """Let the disk be full from now on."""
    Disk.is_full = True


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", rest_in_turn(*range(1, STEPS + 1)))
async def test_a_correction_stops_where_the_disk_is_full_and_goes_on_once_there_is_room(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, step: int, when: When
) -> None:
    case, tenant = CASES["small"], own.sandbox.tenant()
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        order, preview = await planned(stage, tenant, case, "X-1")
        await brought_to_its_end(stage, clock, preview["plan_token"])
        end = case.shape(tenant, order["id"])
        order, preview = await planned(stage, tenant, case, "X-2")
        start, token = len(own.sandbox.journal), preview["plan_token"]
        own.sandbox.faults.add(Fault(WRITES, nth=step, action=Mutate(change=fill, when=when)))
        stopped = await tried(stage, clock, token)
        assert "journal_unavailable" in [warning["code"] for warning in stopped["warnings"]]
        assert "database or disk is full" in str(stopped["warnings"])
        assert "Traceback" not in str(stopped)
        await tried(stage, clock, token)
        Disk.is_full = False
        await brought_to_its_end(stage, clock, token)
    sent = [(entry.method, entry.path, entry.body) for entry in own.sandbox.journal[start:] if entry.method != "GET"]
    assert (case.shape(tenant, order["id"]), len(sent), len(set(sent))) == (end, STEPS, STEPS)
