"""A plan that stopped halfway keeps the lane of its record: for a day, and against all others but itself."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import GONE_AFTER, ActionState
from katana_mcp.journal.errors import LaneLost
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.lanes import KEPT_FOR, Lanes

GONE = GONE_AFTER.total_seconds()
APPLIED, FAILED, UNKNOWN = ActionState("applied", {"id": 7}), ActionState("failed"), ActionState("unknown")


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def file(tmp_path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Generator[JournalFile]:
    hasty(monkeypatch)
    with closing(JournalFile(tmp_path / "journal.sqlite", moving)) as file:
        yield file


@pytest.mark.parametrize(
    ("ends", "keeps"),
    [((APPLIED, APPLIED), False), ((APPLIED, FAILED), True), ((UNKNOWN,), True), ((FAILED,), False), ((), False)],
)
def test_a_plan_that_stopped_halfway_keeps_its_lane(
    file: JournalFile, moving: ManualClock, ends: tuple[ActionState, ...], keeps: bool
) -> None:
    file.add(plan_of("token", moving))
    run, lanes = claimed(file, "token"), Lanes(file)
    assert lanes.take(["order 1", "numbers"], "one", 1) is None
    for place, end in enumerate(ends):
        file.sending(run, place, "order 1")
        file.done(run, place, end)
    assert lanes.kept_by(["order 1"], 2) is None, "its owner is at it"
    file.finish(run, OUTCOME)
    lanes.leave("one")
    assert lanes.kept_by(["numbers", "order 1"], 2) == (1 if keeps else None)
    assert (lanes.kept_by(["order 1"], 1), lanes.kept_by(["numbers"], 2)) == (None, None)
    assert lanes.take(["numbers"], "two", 2) is None
    assert lanes.take(["order 1"], "two", 2) == ("order 1" if keeps else None)
    moving.advance(KEPT_FOR.total_seconds())
    assert (lanes.kept_by(["order 1"], 2), lanes.take(["order 1"], "three", 3)) == (None, None)


def test_the_lanes_that_are_kept_are_told_with_their_plans_while_they_are(
    file: JournalFile, moving: ManualClock
) -> None:
    lanes = Lanes(file)
    assert lanes.kept() == {}
    assert not file.path.exists(), "to look makes no journal"
    file.add(plan_of("token", moving))
    run = claimed(file, "token")
    lanes.take(["order 1", "numbers"], "one", 1)
    assert lanes.kept() == {}, "nothing of it was sent"
    file.sending(run, 0, "order 1")
    assert lanes.kept() == {"order 1": 1}, "its owner is at it"
    file.done(run, 0, APPLIED)
    file.finish(run, OUTCOME)
    lanes.leave("one")
    assert lanes.kept() == {"order 1": 1}, "it stopped halfway"
    moving.advance(KEPT_FOR.total_seconds())
    assert lanes.kept() == {}


def test_a_plan_takes_the_lane_again_that_it_kept_itself(file: JournalFile, moving: ManualClock) -> None:
    file.add(plan_of("token", moving))
    run, lanes = claimed(file, "token"), Lanes(file)
    lanes.take(["order 1"], "one", 1)
    file.sending(run, 0, "order 1")
    lanes.leave("one")
    assert lanes.take(["order 1"], "two", 1) is None
    lanes.renew(["order 1"], "two")
    with pytest.raises(LaneLost, match=r"^another plan of the same records was applied meanwhile"):
        lanes.renew(["order 1", "numbers"], "two")
    moving.advance(GONE)
    assert lanes.kept_by(["order 1"], 2) == 1, "its owner is gone"
