"""Writes, reads and syncs each have a share of the 60 requests: none of them starves, and none starves another."""

import json
import re
from pathlib import Path

import pytest
from crowded_key import CrowdedKey
from test_shared_budget import busiest

from katana_client import ManualClock, Priority, Quota
from katana_client.ledger import Ledger
from katana_mcp.caches.accounts.shared_budget import SharedBudget


def _account(tmp_path: Path, thinks: float = 2.0) -> CrowdedKey:
    clock = ManualClock()
    return CrowdedKey([SharedBudget(tmp_path / "budget.sqlite", clock) for _ in range(2)], clock, thinks)


def _held(account: CrowdedKey) -> None:
    assert busiest(account.arrivals) <= 60
    assert account.late <= max(1, len(account.previews) // 100), [round(preview) for preview in account.previews]
    assert account.oldest <= 0


async def test_two_servers_with_busy_readers_plan_in_time_and_keep_rows_fresh(tmp_path: Path) -> None:
    account = _account(tmp_path)
    await account.live(180)
    assert len(account.previews) > 12
    _held(account)


@pytest.mark.soak
@pytest.mark.alone  # on a busy machine virtual time passes while a thread waits for its turn
@pytest.mark.parametrize("thinks", [0.1, 2.0, 15.0])
async def test_ten_minutes_of_a_busy_account(tmp_path: Path, thinks: float) -> None:
    account = _account(tmp_path, thinks)
    await account.live(600)
    _held(account)


async def test_a_client_that_loops_previews_leaves_its_share_to_the_sync(tmp_path: Path) -> None:
    account = _account(tmp_path, thinks=0.1)
    await account.live(300, readers=0, writers=4)
    assert account.oldest <= 0
    assert busiest(account.arrivals) <= 60


async def test_a_preview_finds_a_place_at_once_where_readers_and_a_first_sync_have_taken_theirs() -> None:
    clock = ManualClock()
    ledger = Ledger()
    for priority in (Priority.BULK, Priority.INTERACTIVE):
        for nr in range(60):
            if ledger.delay("reader", priority, clock.monotonic()) == 0:
                ledger.take(f"{priority} {nr}", "reader", priority, clock.monotonic())
    assert len(ledger.flying) == 45
    assert ledger.delay("writer", Priority.WRITE, clock.monotonic()) == 0


def test_a_version_that_knows_two_priorities_reads_the_ledger_and_loses_no_count() -> None:
    ledger = Ledger()
    for nr, priority in enumerate(Priority):
        ledger.line_up("one", (priority,), 10.0)
        ledger.take(f"one.{nr}", "one", priority, 10.0)
    ledger.close("one.0", None, 11.0)
    ledger.line_up("other", tuple(Priority), 12.0)
    data = ledger.as_data()
    old = json.dumps(data)
    assert set(re.findall(r"\[1[012]\.0, (-?\d+), ", old)) | set(re.findall(r'": \[(-?\d+), ', old)) == {"0", "1"}
    again = Ledger.from_data(Quota(), data)
    assert (again.flying, again.done, again.queue) == (ledger.flying, ledger.done, ledger.queue)
    again.heartbeat("one", 20.0)
    assert {entry.at for entry in again.flying.values()} == {20.0}
