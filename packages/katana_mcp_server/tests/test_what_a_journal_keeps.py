"""What a journal keeps of its plans and lanes, word for word, and how its file is opened."""

import functools
import sqlite3
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal import schema
from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Claimed, Entry, Plan, Running
from katana_mcp.journal.errors import ClaimLost, JournalBusy, JournalUnusable, LaneLost
from katana_mcp.journal.file import MOST, JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.journal.lanes import KEPT_FOR, Lanes
from katana_mcp.journal.schema import STEPS, connected, refuse_newer
from katana_mcp.journal.telling import counts, entry_payload

GONE = GONE_AFTER.total_seconds()
APPLIED, FAILED = ActionState("applied", {"id": 7}), ActionState("failed", error="422")


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "journal.sqlite"


@pytest.fixture
def file(path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(path, moving)) as file:
        yield file


def full_plan(moving: ManualClock) -> Plan:
    """Return a plan of which every field has a value of its own."""
    return replace(
        plan_of("token", moving, principal="bob"),
        tool="modify_customer",
        tenant="shop",
        expires_at=moving.now() + timedelta(minutes=5),
        content="hash of it",
        request={"id": 3},
        touches={"customer": {"id": 3}},
        lanes=("customer 3", "numbers"),
    )


def entry(file: JournalFile, number: int = 1) -> Entry:
    """Return an entry of the journal."""
    found = file.entry(number)
    assert found is not None
    return found


def lanes_in(file: JournalFile) -> list[str]:
    """Return the names of the lanes that the file holds."""
    with file.reading() as db:
        return [name for (name,) in db.execute("SELECT name FROM lane ORDER BY name")]


def test_a_plan_comes_back_with_each_of_its_fields(file: JournalFile, moving: ManualClock) -> None:
    plan = full_plan(moving)
    assert file.add(plan) == 1
    assert entry(file) == Entry(id=1, plan=plan, state="planned", actions=(ActionState(), ActionState()))


def test_an_entry_comes_back_with_all_that_became_of_it(file: JournalFile, moving: ManualClock) -> None:
    plan, begins = full_plan(moving), moving.now()
    file.add(plan)
    file.answered([1], "accepted")
    moving.advance(1)
    file.refused(1, "it changed")
    moving.advance(1)
    run = claimed(file, "token")
    for place, end in enumerate((replace(APPLIED, look_up={"found": 1}), FAILED)):
        file.sending(run, place)
        file.done(run, place, end)
    moving.advance(1)
    file.finish(run, OUTCOME)
    moving.advance(1)
    file.amend(1, {0: replace(APPLIED, look_up={"confirmed": True})}, {"message": "amended"})
    second = timedelta(seconds=1)
    assert entry(file) == Entry(
        id=1,
        plan=plan,
        state="finished",
        actions=(
            replace(APPLIED, look_up={"confirmed": True}, at=begins + 2 * second),
            replace(FAILED, at=begins + 2 * second),
        ),
        owner="one",
        claimed_at=begins + 2 * second,
        beat_at=begins + 3 * second,
        finished_at=begins + 3 * second,
        outcome=OUTCOME,
        amended={"message": "amended"},
        amended_at=begins + 4 * second,
        answer="accepted",
        answered_at=begins,
        refused="it changed",
        refused_at=begins + second,
    )


def test_what_is_assigned_at_the_claim_is_what_each_action_sends(file: JournalFile, moving: ManualClock) -> None:
    file.add(full_plan(moving))
    plan = full_plan(moving)
    assigned = replace(plan, summary="renumbered", actions=tuple({**sent, "body": {"no": 1}} for sent in plan.actions))
    claim = file.claim("token", "one", None, assigned)
    assert isinstance(claim, Claimed)
    assert (claim.plan, entry(file).plan) == (assigned, assigned)


def test_an_answer_is_not_noted_while_somebody_is_at_the_plan(file: JournalFile, moving: ManualClock) -> None:
    file.add(full_plan(moving))
    claimed(file, "token")
    moving.advance(GONE - 1)
    file.answered([1], "declined")
    assert (entry(file).answer, file.claim("token", "two")) == (
        None,
        Running(moving.now() - GONE_AFTER + _SECOND, "one"),
    )
    moving.advance(1)
    file.answered([1], "declined")
    assert (entry(file).answer, entry(file).state) == ("declined", "declined")


_SECOND = timedelta(seconds=1)


def test_a_plan_whose_clock_was_set_back_after_it_expired_is_nobody_s(file: JournalFile, moving: ManualClock) -> None:
    file.add(full_plan(moving))
    moving.advance(LIFE.total_seconds())
    assert file.take_over(1, "two") is None
    moving.jump(-LIFE.total_seconds())
    assert entry(file).state == "expired"


def test_only_a_plan_of_which_nothing_was_sent_expires_by_a_refusal(file: JournalFile, moving: ManualClock) -> None:
    for token in ("waits", "claimed", "begun", "over"):
        file.add(plan_of(token, moving, actions=1))
    runs = [claimed(file, token) for token in ("claimed", "begun", "over")]
    for run in runs[1:]:
        file.sending(run, 0)
    file.done(runs[2], 0, APPLIED)
    file.finish(runs[2], OUTCOME)
    for number in (1, 2, 3, 4):
        file.expire(number)
    found = [stored.state for number in (1, 2, 3, 4) if (stored := file.entry(number)) is not None]
    assert found == ["expired", "expired", "claimed", "finished"]
    with pytest.raises(ClaimLost):
        file.sending(runs[0], 0)


def test_all_that_is_of_use_is_told_of_an_entry(file: JournalFile, moving: ManualClock) -> None:
    plan = full_plan(moving)
    file.add(plan)
    run = claimed(file, "token")
    file.sending(run, 0)
    file.done(run, 0, APPLIED)
    found, began = entry(file), moving.now()
    assert counts(found) == Counter({"applied": 1, "planned": 1})
    nothing = {"result": None, "error": None, "look_up": None, "at": None}
    later = ("finished_at", "outcome", "amended", "amended_at", "answer", "answered_at", "refused", "refused_at")
    assert entry_payload(found, began) == {
        **dict.fromkeys(later),
        "id": 1,
        "state": "claimed",
        "owner": "one",
        "claimed_at": began,
        "beat_at": began,
        "tool": "modify_customer",
        "tenant": "shop",
        "principal": "bob",
        "created_at": began,
        "expires_at": began + timedelta(minutes=5),
        "summary": "2 orders",
        "content": "hash of it",
        "shown": {"orders": 2},
        "request": {"id": 3},
        "actions": [
            {**plan.actions[0], **nothing, "state": "applied", "result": {"id": 7}, "at": began},
            {**plan.actions[1], **nothing, "state": "planned"},
        ],
    }


def test_a_plan_that_ran_out_is_told_as_expired(file: JournalFile, moving: ManualClock) -> None:
    file.add(full_plan(moving))
    assert entry_payload(entry(file), moving.now() + LIFE)["state"] == "expired"


def test_lanes_of_a_holder_that_is_gone_are_lost_though_nobody_wanted_them(
    file: JournalFile, moving: ManualClock
) -> None:
    lanes = Lanes(file)
    assert lanes.take(["order 1"], "one") is None
    moving.advance(GONE)
    assert lanes.take(["order 2"], "two") is None
    assert lanes_in(file) == ["order 2"]
    with pytest.raises(LaneLost, match=r"was applied meanwhile, as this one was not heard of$"):
        lanes.renew(["order 1"], "one")


def test_lanes_that_are_let_go_of_leave_nothing(file: JournalFile) -> None:
    lanes = Lanes(file)
    assert lanes.take(["order 1", "order 2"], "one") is None
    assert lanes.take(["order 3"], "two") is None
    lanes.leave("one")
    assert lanes_in(file) == ["order 3"]


def halfway(file: JournalFile, lanes: Lanes) -> None:
    """Let the plan of entry 1 stop halfway, keeping the lane `order 1`."""
    file.add(plan_of("token", file.clock))
    run = claimed(file, "token")
    assert lanes.take(["order 1"], "one", 1) is None
    for place, end in enumerate((APPLIED, FAILED)):
        file.sending(run, place, "order 1")
        file.done(run, place, end)
    file.finish(run, OUTCOME)
    lanes.leave("one")


def test_a_lane_that_was_kept_for_a_day_is_another_plan_s_from_then_on(file: JournalFile, moving: ManualClock) -> None:
    lanes = Lanes(file)
    halfway(file, lanes)
    moving.advance(KEPT_FOR.total_seconds() - 1)
    assert (lanes.take(["order 1"], "two", 2), lanes.kept_by(["order 1"], 2)) == ("order 1", 1)
    moving.advance(1)
    assert lanes.take(["order 1"], "two", 2) is None
    lanes.leave("two")
    assert (lanes.kept_by(["order 1"], 3), lanes.take(["order 1"], "three", 3)) == (None, None)


async def test_a_kept_lane_is_refused_to_who_names_no_plan(file: JournalFile) -> None:
    lanes = Lanes(file)
    halfway(file, lanes)
    assert lanes.take(["order 1"], "two") == "order 1"
    assert await Journal(file).take_lanes(["order 1"], "two") == "order 1"


def test_numbers_of_documents_that_gave_none_are_not_in_doubt(file: JournalFile, moving: ManualClock) -> None:
    bodies: list[dict[str, object]] = [{"order_no": "PO-1"}, {}, {"order_no": 7}]
    for number, body in enumerate(bodies):
        sent = {
            "method": "POST",
            "path": "/purchase_orders",
            "entity": "purchase_order",
            "body": body,
            "title": "order",
        }
        file.add(replace(plan_of(f"token {number}", moving), actions=(sent,)))
        file.sending(claimed(file, f"token {number}"), 0)
    assert Lanes(file).numbers_in_doubt("purchase_order", "order_no") == {"PO-1"}


def test_a_connection_waits_for_others_commits_by_itself_and_serves_any_thread(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.25)
    found: list[object] = []
    with closing(connected(path)) as db:
        assert db.isolation_level is None
        assert [db.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS] == [250, "wal", 2, len(STEPS)]
        asking = threading.Thread(target=lambda: found.append(db.execute("SELECT count(*) FROM plan").fetchone()))
        asking.start()
        asking.join()
    assert found == [(0,)]


_PRAGMAS = ("busy_timeout", "journal_mode", "synchronous", "user_version")


def test_a_file_of_the_newest_version_is_read_while_another_writes(
    path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
    with closing(JournalFile(path, moving)) as first:
        first.add(full_plan(moving))
        with first.changing(), closing(JournalFile(path, moving)) as second:
            assert [found.id for found in second.entries(9)] == [1]
            with pytest.raises(JournalBusy) as caught:
                second.add(plan_of("other", moving))
    assert str(caught.value) == f"the journal of writes {path} is held by another process: try again"


def test_a_file_that_stays_in_its_place_is_opened_once(
    file: JournalFile, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    class Counting(sqlite3.Connection):
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as sqlite3 declares it
            super().__init__(*args, **kwargs)
            opened.append(self)

    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Counting))
    file.add(full_plan(moving))
    assert ([found.id for found in file.entries(9)], len(opened)) == ([1], 1)
    file.close()
    assert (entry(file).plan.summary, len(opened)) == ("2 orders", 2)


def test_a_step_that_sqlite_took_back_itself_is_told_by_its_own_trouble(
    path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(sqlite3.Connection):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
            if sql.startswith("CREATE INDEX"):
                super().execute("ROLLBACK")
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(sql, parameters)

    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Full))
    with closing(JournalFile(path, moving)) as file, pytest.raises(JournalUnusable) as caught:
        file.entries(1)
    assert str(caught.value) == (
        f"the journal of writes {path} cannot be used (database or disk is full): nothing is written to Katana without "
        "it; make room or mend its modes"
    )


@pytest.mark.parametrize(("version", "is_newer"), [(len(STEPS), False), (len(STEPS) + 1, True), (0, False)])
def test_the_version_of_a_file_is_told_unless_it_is_newer(path: Path, version: int, is_newer: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"PRAGMA user_version = {version}")
        if not is_newer:
            assert refuse_newer(db, path, STEPS) == version
            return
        with pytest.raises(JournalUnusable) as caught:
            refuse_newer(db, path, STEPS)
    assert str(caught.value) == (
        f"the journal of writes {path} has version {version} and this katana-mcp knows {len(STEPS)}: "
        "nothing is written to Katana; start a newer katana-mcp"
    )


def test_an_entry_of_the_largest_number_is_found_but_by_no_page(file: JournalFile, moving: ManualClock) -> None:
    file.add(full_plan(moving))
    with file.changing() as db:
        db.execute("UPDATE action SET plan = ?", (MOST - 1,))
        db.execute("UPDATE plan SET id = ?", (MOST - 1,))
    assert [found.id for found in file.entries(9)] == [9_223_372_036_854_775_806]
