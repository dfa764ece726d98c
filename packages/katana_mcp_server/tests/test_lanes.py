"""Lanes: of all who ask at once one has them, all or none, until it lets go or was not heard of."""

import sqlite3
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from journal_plans import claimed, hasty, plan_of
from sql_count import counted

from katana_mcp.journal.entries import GONE_AFTER, ActionState, Progress
from katana_mcp.journal.errors import LaneLost
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.lanes import Lanes
from katana_mcp.journal.schema import STEPS
from katana_mcp.writing.differences import differences
from katana_sandbox import ManualClock

GONE = GONE_AFTER.total_seconds()
FIVE = "a: 0 → 1, b: 0 → 1, c: 0 → 1, d: 0 → 1, e: 0 → 1"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock) -> Generator[JournalFile]:
    with closing(JournalFile(tmp_path / "journal.sqlite", moving)) as file:
        yield file


def test_lanes_are_taken_all_or_none_by_one_holder_at_a_time(file: JournalFile) -> None:
    lanes, other = Lanes(file), Lanes(JournalFile(file.path, file.clock))
    assert lanes.take(["order 1", "numbers"], "one") is None
    assert lanes.take(["order 1"], "one") is None
    assert other.take(["order 2", "order 1"], "two") == "order 1"
    assert lanes.take(["order 2"], "three") is None, "who got not all of them got none"
    lanes.leave("one")
    assert other.take(["order 1", "numbers"], "two") is None
    assert other.take(["order 2"], "two") == "order 2"


def test_who_is_not_heard_of_loses_its_lanes_and_learns_of_it(file: JournalFile, moving: ManualClock) -> None:
    lanes, names = Lanes(file), ["order 1", "numbers"]
    assert lanes.take(names, "one") is None
    moving.advance(GONE - 1)
    assert lanes.take(names, "two") == "numbers"
    lanes.renew(names, "one")
    moving.advance(GONE - 1)
    assert lanes.take(names, "two") == "numbers"
    moving.advance(1)
    assert lanes.take(["numbers"], "two") is None
    with pytest.raises(LaneLost):
        lanes.renew(names, "one")
    lanes.leave("two")
    with pytest.raises(LaneLost):
        lanes.renew(names, "one")
    lanes.leave("one")
    lanes.leave("never heard of")


def test_a_clock_set_back_holds_no_lane_for_ever(file: JournalFile, moving: ManualClock) -> None:
    lanes = Lanes(file)
    assert lanes.take(["order 1"], "one") is None
    moving.shift(-3600)
    assert lanes.take(["order 1"], "two") is None


def test_a_number_whose_request_nobody_saw_the_end_of_is_in_doubt(file: JournalFile, moving: ManualClock) -> None:
    entity = {"entity": "purchase_order"}
    plan = plan_of("token", moving)
    object.__setattr__(plan, "actions", tuple({**action, **entity} for action in plan.actions))
    file.add(plan)
    run, lanes = claimed(file, "token"), Lanes(file)
    assert lanes.numbers_in_doubt("purchase_order", "order_no") == frozenset()
    file.sending(run, 0)
    assert lanes.numbers_in_doubt("purchase_order", "order_no") == {"PO-1"}
    file.done(run, 0, ActionState("applied", {"id": 7}))
    file.sending(run, 1)
    file.done(run, 1, ActionState("unknown"))
    assert lanes.numbers_in_doubt("purchase_order", "order_no") == {"PO-2"}
    assert lanes.numbers_in_doubt("stock_transfer", "stock_transfer_number") == frozenset()


def test_a_document_is_in_doubt_whose_own_request_of_the_last_days_nobody_saw_the_end_of(
    file: JournalFile, moving: ManualClock
) -> None:
    begun, lanes = moving.now(), Lanes(file)

    def sent(token: str, first: Progress, then: Progress = "planned", **changed: object) -> None:
        plan = plan_of(token, moving)
        kept = [{**action, "entity": "purchase_order", "title": token, **changed} for action in plan.actions]
        file.add(replace(plan, actions=tuple(kept)))
        run = None if first == "planned" else claimed(file, token)
        for place, state in enumerate((first, then)):
            if run is not None and state != "planned":
                file.sending(run, place)
                if state != "sending":
                    file.done(run, place, ActionState(state))

    def titles(entity: str = "purchase_order", tenant: str = "factory", since: float = 0) -> list[object]:
        found = lanes.documents_in_doubt(entity, tenant, begun + timedelta(seconds=since))
        return [action["title"] for action in found]

    sent("planned", "planned")
    sent("applied", "applied")
    sent("failed", "failed")
    sent("unknown", "unknown")
    sent("row", "applied", "unknown")
    sent("other", "unknown", entity="sales_order")
    sent("change", "unknown", method="PATCH")
    moving.advance(60)
    sent("sending", "sending")
    assert titles() == ["sending", "unknown"]
    assert titles(since=60) == ["sending"]
    assert titles(since=60.001) == titles(tenant="other") == []
    assert titles("sales_order") == ["other"]


def test_what_is_in_doubt_is_one_look_however_many_plans_there_are(
    tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = counted(monkeypatch)
    with closing(JournalFile(tmp_path / "many.sqlite", moving)) as file:
        entity = {"entity": "purchase_order"}
        for number in range(150):
            plan = plan_of(f"token {number}", moving, 1)
            file.add(replace(plan, actions=({**plan.actions[0], **entity},)))
            if not number:
                file.sending(claimed(file, "token 0"), 0)
        statements.clear()
        (found,) = Lanes(file).documents_in_doubt("purchase_order", "factory", moving.now())
        (look,) = statements
        with file.reading() as db:
            steps = [step for *_, step in db.execute(f"EXPLAIN QUERY PLAN {look}").fetchall()]
    assert found["entity"] == "purchase_order"
    assert not [step for step in steps if step.startswith("SCAN")], steps


def test_a_file_without_lanes_gets_them_and_keeps_its_plans(tmp_path: Path, moving: ManualClock) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(JournalFile(path, moving, STEPS[:4])) as old, pytest.raises(Exception, match="basis"):
        old.add(plan_of("new", moving))
    columns = "digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request"
    moment = "2026-01-01T00:00:00.000Z"
    with closing(sqlite3.connect(path)) as db, db:
        values = ("digest", "create_customer", "factory", "ann", moment, "2026-01-01T00:10:00.000Z", "1", "hash")
        db.execute(f"INSERT INTO plan ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '{{}}', '{{}}')", values)
        db.execute("INSERT INTO action (plan, place, sent) VALUES (1, 0, '{}')")
    with closing(JournalFile(path, moving)) as file:
        (entry,) = file.entries(10)
        assert (entry.plan.touches, entry.plan.lanes, entry.plan.summary) == ({}, (), "1")
        assert Lanes(file).take(["order 1"], "one") is None


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"record": {"status": "OPEN"}}, {"record": {"status": "DONE"}}, "status: OPEN → DONE"),
        ({"record": {"notes": None}}, {"record": {"notes": "x" * 70}}, f"notes: nothing → {'x' * 59}…"),
        ({"a": 1, "updated_at": "x"}, {"a": 2, "updated_at": "y"}, "a: 1 → 2"),
        ({"updated_at": "x"}, {"updated_at": "y"}, "updated_at: x → y"),
        ({"rows": [{"id": 1, "q": 2}]}, {"rows": [{"id": 1, "q": 3}]}, "rows[id 1].q: 2 → 3"),
        ({"rows": [{"id": 1}, {"id": 2}]}, {"rows": [{"id": 2}, {"id": 3}]}, "rows[id 1] is gone, rows[id 3] is new"),
        ({"others": []}, {"others": [12]}, "others[12] is new"),
        ({"rows": [{"q": 1}]}, {"rows": [{"q": 2}, [1]]}, "rows[#1].q: 1 → 2, rows[#2] is new"),
        (
            {"record": {"total": 7, "rows": [{"id": 1, "total_tax": 1, "q": 2}]}},
            {"record": {"total": 9, "rows": [{"id": 1, "total_tax": 2, "q": 3}]}},
            "rows[id 1].q: 2 → 3, total: 7 → 9, rows[id 1].total_tax: 1 → 2",
        ),
        (dict.fromkeys("abcdefg", 0), dict.fromkeys("abcdefg", 1), f"{FIVE} and 2 more"),
    ],
)  # fmt: skip
def test_what_changed_is_named_with_old_and_new(old: dict[str, object], new: dict[str, object], text: str) -> None:
    assert differences(old, new) == text
