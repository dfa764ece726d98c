"""The file: private, never rebuilt, refused with a sentence where it cannot serve; no fault leaves it unlawful."""

import functools
import os
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from journal_plans import OUTCOME, claimed, hasty, plan_of
from tests.contract.fuses import fuses, wired

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import GONE_AFTER, ActionState, Broken, Claimed, Expired, Finished, Running, Unknown
from katana_mcp.journal.errors import JournalBusy, JournalError, JournalUnusable, WrongOrder
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.schema import STEPS

APPLIED = ActionState("applied", {"id": 7})
NEVER = 10**6
GONE = GONE_AFTER.total_seconds()
VERSION_1 = """
CREATE TABLE plan (id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE, tool TEXT NOT NULL,
    tenant TEXT NOT NULL, principal TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
    summary TEXT NOT NULL, content TEXT NOT NULL, shown TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'planned',
    epoch INTEGER NOT NULL DEFAULT 0, broken INTEGER NOT NULL DEFAULT 0, owner TEXT, claimed_at TEXT, beat_at TEXT,
    finished_at TEXT, outcome TEXT);
CREATE TABLE action (plan INTEGER NOT NULL, place INTEGER NOT NULL, sent TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'planned', result TEXT, error TEXT, look_up TEXT, at TEXT,
    PRIMARY KEY (plan, place)) WITHOUT ROWID;
CREATE INDEX applied ON action (at) WHERE state = 'applied';
INSERT INTO plan VALUES (1, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'create_purchase_order',
    'factory', 'ann', '2026-01-01T00:00:00.000Z', '2026-01-01T00:10:00.000Z', '1 order', 'hash', '{"orders":1}',
    'finished', 1, 0, 'one', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:02.000Z',
    '{"message":"done"}');
INSERT INTO action VALUES (1, 0, '{"method":"POST","path":"/purchase_orders","body":{"total":1.50}}', 'applied',
    '{"id":7}', NULL, NULL, '2026-01-01T00:00:02.000Z');
PRAGMA user_version = 1;
"""
"""A file as version 1 wrote it: the plan of the token `test`, applied."""


@pytest.fixture
def moving() -> ManualClock:
    return ManualClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "journal-x.sqlite"


@pytest.fixture
def file(path: Path, moving: ManualClock) -> Generator[JournalFile]:
    with closing(JournalFile(path, moving)) as file:
        yield file


def made(path: Path, script: str) -> None:
    """Make a database beside the journal's code."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)


def test_the_file_is_its_owner_s_alone_and_waits_for_the_disk(
    file: JournalFile, path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=_recording(said)))
    assert not path.parent.exists()
    old = os.umask(0)
    try:
        file.add(plan_of("token", moving))
    finally:
        os.umask(old)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {entry.name: entry.stat().st_mode & 0o777 for entry in path.parent.iterdir()} == dict.fromkeys(
        (path.name, f"{path.name}-wal", f"{path.name}-shm"), 0o600
    )
    assert {"PRAGMA synchronous = FULL", "PRAGMA journal_mode = WAL"} <= set(said)
    path.chmod(0o644)
    file.close()
    claimed(file, "token")
    assert path.stat().st_mode & 0o777 == 0o600


def _recording(said: list[str]) -> type[sqlite3.Connection]:
    class Recording(sqlite3.Connection):
        def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
            said.append(sql)
            return super().execute(sql, parameters)

    return Recording


def test_a_symbolic_link_or_a_directory_is_no_journal(file: JournalFile, path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalUnusable, match="not a file of this user"):
        file.claim("token", "one")
    assert not (tmp_path / "elsewhere").exists()
    path.unlink()
    path.mkdir()
    with pytest.raises(JournalUnusable, match="not a file of this user"):
        file.claim("token", "one")
    shutil.rmtree(path.parent)
    path.parent.symlink_to(tmp_path)
    with pytest.raises(JournalUnusable, match="nothing is written to Katana"):
        file.claim("token", "one")


def test_a_file_of_version_1_is_read_and_goes_on(file: JournalFile, path: Path, moving: ManualClock) -> None:
    made(path, VERSION_1)
    assert file.claim("test", "two") == Finished({"message": "done"})
    entry = file.entry(1)
    assert entry is not None
    assert (entry.actions[0].state, entry.actions[0].result) == ("applied", {"id": 7})
    assert file.add(plan_of("token", moving)) == 2
    claimed(file, "token")


def test_steps_are_taken_one_after_the_other_all_or_none(file: JournalFile, path: Path, moving: ManualClock) -> None:
    made(path, VERSION_1)
    second, broken = ("ALTER TABLE plan ADD COLUMN note TEXT",), ("CREATE TABLE more (id)", "no SQL")
    with closing(JournalFile(path, moving, steps=(*STEPS, second, broken))) as failing:
        for _ in range(2):
            with pytest.raises(JournalUnusable, match="syntax error"):
                failing.entries(1)
    assert len(file.entries(9)) == 1
    with closing(JournalFile(path, moving, steps=(*STEPS, second))) as newer:
        assert newer.claim("test", "two") == Finished({"message": "done"})
        with pytest.raises(
            JournalUnusable, match=f"has version {len(STEPS) + 1} and this katana-mcp knows {len(STEPS)}"
        ):
            file.entries(9)
    before = path.read_bytes()
    with closing(JournalFile(path, moving)) as older, pytest.raises(JournalUnusable, match="start a newer katana-mcp"):
        older.add(plan_of("token", moving))
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["head", "middle", "cell"])
def test_a_damaged_journal_is_refused_and_left_as_it_is(
    file: JournalFile, path: Path, moving: ManualClock, damage: str
) -> None:
    for nr in range(30):
        file.add(plan_of(f"token {nr}", moving))
    file.close()
    if damage == "cell":
        made(path, "UPDATE plan SET shown = '{half'")
    else:
        data = bytearray(path.read_bytes())
        start = 0 if damage == "head" else 4096
        data[start:] = b"\xff" * (len(data) - start)
        path.write_bytes(data)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(JournalUnusable, match="is damaged: nothing is written to Katana without it; move it away"):
            file.claim("token 3", "one")
    file.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("log", ["gone", "halved", "flipped"])
def test_what_was_being_sent_at_a_crash_is_known_though_the_log_is_lost_or_damaged(
    file: JournalFile, path: Path, moving: ManualClock, tmp_path: Path, log: str
) -> None:
    file.add(plan_of("token", moving))
    file.sending(claimed(file, "token"), 0)
    crashed = tmp_path / "crashed" / path.name
    crashed.parent.mkdir(mode=0o700)
    shutil.copy(path, crashed)
    frames = bytearray(path.with_name(f"{path.name}-wal").read_bytes())
    assert frames
    if log != "gone":
        frames[60] ^= 255 if log == "flipped" else 0
        kept = frames[: len(frames) // 2] if log == "halved" else frames
        crashed.with_name(f"{path.name}-wal").write_bytes(kept)
    moving.advance(GONE + 1)
    with closing(JournalFile(crashed, moving)) as later:
        claim = later.claim("token", "two")
    assert isinstance(claim, Broken)
    assert claim.sending == 0


def test_a_journal_that_is_held_is_waited_for_within_bounds(
    file: JournalFile, path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.add(plan_of("token", moving))
    file.close()
    monkeypatch.setattr("katana_mcp.journal.schema.BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusy, match="try again"):
            file.claim("token", "one")
    claimed(file, "token")


def test_a_full_disk_refuses_a_plan_and_keeps_what_is_there(
    file: JournalFile, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=_Small))
    file.add(plan_of("token", moving))
    with pytest.raises(JournalUnusable, match=r"full.*make room"):
        file.add(plan_of("large", moving, actions=2_000))
    assert file.claim("large", "one") == Unknown()
    claimed(file, "token")


class _Small(sqlite3.Connection):
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        if sql.startswith("BEGIN"):
            super().execute("PRAGMA max_page_count = 20")
        return super().execute(sql, parameters)


def test_a_transaction_that_cannot_even_be_taken_back_is_left_with_its_connection(
    file: JournalFile, moving: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=_Stuck))
        with pytest.raises(JournalUnusable, match="disk I/O error"):
            file.add(plan_of("token", moving))
    assert file.claim("token", "one") == Unknown()


class _Stuck(sqlite3.Connection):
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        if sql.startswith("INSERT") or sql == "ROLLBACK":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, parameters)


def test_a_journal_that_was_taken_away_is_begun_anew_and_what_was_claimed_in_it_touches_nothing(
    file: JournalFile, path: Path, moving: ManualClock
) -> None:
    file.add(plan_of("token", moving))
    run = claimed(file, "token")
    shutil.rmtree(path.parent)
    with pytest.raises(JournalUnusable, match="no longer holds entry 1"):
        file.sending(run, 0)
    assert (file.claim("token", "one"), path.exists()) == (Unknown(), True)
    file.add(plan_of("another", moving))
    other = claimed(file, "another")
    with pytest.raises(JournalUnusable, match="no longer holds entry 1"):
        file.sending(run, 0)
    file.sending(other, 0)


@pytest.mark.parametrize("gone", ["", "WHERE place = 0"])
def test_an_entry_whose_actions_were_deleted_makes_the_journal_unusable(
    file: JournalFile, path: Path, moving: ManualClock, gone: str
) -> None:
    file.add(plan_of("token", moving))
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"DELETE FROM action {gone}")
    for call in (lambda: file.find("token"), lambda: file.claim("token", "one"), lambda: file.entries(9)):
        with pytest.raises(JournalUnusable, match="is damaged"):
            call()


def history(file: JournalFile, moving: ManualClock, sent: list[int]) -> None:
    """Plan and apply two actions, noting each that would be sent."""
    file.add(plan_of("token", moving))
    run = claimed(file, "token")
    for place in (0, 1):
        file.heartbeat(run)
        file.sending(run, place)
        sent.append(place)
        file.done(run, place, APPLIED)
    file.finish(run, OUTCOME)


def goes_on(file: JournalFile, moving: ManualClock, sent: list[int]) -> None:
    """Apply what is left as the next process does: claim, send or look up, finish."""
    moving.advance(GONE)
    answer = file.claim("token", "two")
    assert not isinstance(answer, Running | Expired)
    if isinstance(answer, Claimed):
        assert sent == []
        for place in (0, 1):
            file.sending(answer.run, place)
            sent.append(place)
            file.done(answer.run, place, APPLIED)
    elif isinstance(answer, Broken):
        if answer.sending is not None:
            assert sent[answer.sending :] in ([], [answer.sending])
            file.done(answer.run, answer.sending, ActionState("unknown"))
        with pytest.raises(WrongOrder):
            file.sending(answer.run, 1)
    if isinstance(answer, Claimed | Broken):
        file.finish(answer.run, OUTCOME)
    assert isinstance(file.claim("token", "three"), Unknown if isinstance(answer, Unknown) else Finished)


@pytest.mark.parametrize("reopened", [False, True])
def test_a_fault_at_any_statement_leaves_a_lawful_state(
    path: Path, moving: ManualClock, monkeypatch: pytest.MonkeyPatch, *, reopened: bool
) -> None:
    hasty(monkeypatch)
    step = 0
    for fuse in fuses():
        step = fuse.step
        shutil.rmtree(path.parent, ignore_errors=True)
        sent: list[int] = []
        with pytest.MonkeyPatch.context() as patch, closing(JournalFile(path, moving)) as file:
            wired(patch, fuse)
            with suppress(JournalError):
                history(file, moving, sent)
            fuse.left += NEVER if fuse.left > 0 else 0
            if reopened:
                file.close()
            goes_on(file, moving, sent)
        assert sent == sorted(set(sent))
        assert fuse.connections == set()
    assert step > 50
