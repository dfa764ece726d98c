"""A key's ledger in its file: what is kept of a change, who is to wait, and what becomes of one that is of no use."""

import json
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from katana_client import Priority, Quota
from katana_client.ledger import Ledger, ServerQuota
from katana_mcp.caches.accounts.ledger_file import Busy, LedgerFile, Unusable

QUOTA = Quota(limit=7)
READS = Priority.INTERACTIVE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "budget.sqlite"


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """What was opened by SQLite, in order."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*args: Any, **kwargs: Any) -> sqlite3.Connection:  # noqa: ANN401 - as SQLite has it
        opened.append(connect(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return opened


@pytest.fixture
def file(path: Path) -> Generator[LedgerFile]:
    file = LedgerFile(path, QUOTA)
    yield file
    file.close()


def taken(number: int) -> Ledger:
    """Return a ledger with so many requests in flight."""
    ledger = Ledger(QUOTA)
    for ticket in range(number):
        take(ledger, ticket)
    return ledger


def take(ledger: Ledger, ticket: int = 0) -> str:
    ledger.take(str(ticket), "me", READS, 5.0)
    ledger.reported = ServerQuota()
    return "taken"


def count(ledger: Ledger) -> int:
    return len(ledger.flying)


def is_closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return True
    return False


def run(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run statements as another process would, and return the rows of the last."""
    other = sqlite3.connect(path, isolation_level=None)
    rows: list[tuple[object, ...]] = []
    for statement in statements:
        rows = other.execute(statement).fetchall()
    other.close()
    return rows


def test_a_change_is_kept_for_whoever_opens_the_file_next(path: Path, file: LedgerFile) -> None:
    assert not path.parent.exists()
    assert file.change(take) == (taken(1), "taken")
    assert file.change(lambda ledger: take(ledger, 1)) == (taken(2), "taken")
    other = LedgerFile(path, QUOTA)
    assert other.change(count) == (taken(2), 2)
    other.close()
    assert run(path, "SELECT id, value FROM ledger") == [(1, json.dumps(taken(2).as_data()))]
    assert [place.stat().st_mode & 0o777 for place in (path.parent, path)] == [0o700, 0o600]


def test_a_file_waits_for_nobody_and_flushes_nothing(file: LedgerFile, connections: list[sqlite3.Connection]) -> None:
    file.change(take)
    (connection,) = connections
    names = ("busy_timeout", "synchronous", "journal_mode", "wal_autocheckpoint")
    assert [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names] == [0, 0, "wal", 64]
    assert connection.isolation_level is None


def test_a_change_that_fails_keeps_nothing(file: LedgerFile) -> None:
    def fails(ledger: Ledger) -> None:
        take(ledger)
        raise LookupError

    file.change(take)
    with pytest.raises(LookupError):
        file.change(fails)
    assert file.change(lambda ledger: take(ledger, 1)) == (taken(2), "taken")


def test_a_file_is_opened_once_and_again_after_it_was_closed(
    file: LedgerFile, connections: list[sqlite3.Connection]
) -> None:
    file.close()
    for number in range(3):
        file.change(lambda ledger, number=number: take(ledger, number))
    assert [is_closed(connection) for connection in connections] == [False]
    file.close()
    file.close()
    assert [is_closed(connection) for connection in connections] == [True]
    assert file.change(count) == (taken(3), 3)
    assert [is_closed(connection) for connection in connections] == [True, False]


def test_a_file_that_another_holds_is_busy_and_serves_afterwards(
    path: Path, file: LedgerFile, connections: list[sqlite3.Connection]
) -> None:
    file.change(take)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy):
        file.change(count)
    other.execute("COMMIT")
    other.close()
    assert file.change(count) == (taken(1), 1)
    assert len(connections) == 2, "the file's own stayed open"


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_damaged_file_is_removed_with_what_belongs_to_it(path: Path, suffix: str) -> None:
    path.parent.mkdir(mode=0o700)
    garbage = b"no database at all, and longer than a header " * 100
    path.write_bytes(garbage)
    for beside in ("-wal", "-shm") if suffix else ():
        Path(f"{path}{beside}").write_bytes(garbage)
    (path.parent / "other").write_bytes(b"")
    file = LedgerFile(path, QUOTA)
    with pytest.raises(Unusable, match=r"^budget\.sqlite: file is not a database$"):
        file.change(take)
    assert [left.name for left in path.parent.iterdir()] == ["other"]
    assert file.change(take) == (taken(1), "taken")
    file.close()


def test_a_file_of_another_make_stays_and_is_opened_anew_each_time(
    path: Path, file: LedgerFile, connections: list[sqlite3.Connection]
) -> None:
    file.change(take)
    run(path, "DROP TABLE ledger", "CREATE TABLE ledger (other TEXT)")
    for _ in range(2):
        with pytest.raises(Unusable, match=r"^budget\.sqlite: no such column: value$"):
            file.change(count)
    run(path, "DROP TABLE ledger")
    assert file.change(count) == (taken(0), 0)
    assert [is_closed(connection) for connection in connections] == [True] * (len(connections) - 1) + [False]


def test_a_file_that_cannot_be_set_up_is_closed(path: Path, connections: list[sqlite3.Connection]) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"no database at all, and longer than a header " * 100)
    with pytest.raises(Unusable):
        LedgerFile(path, QUOTA).change(take)
    assert [is_closed(connection) for connection in connections] == [True]


def test_a_file_that_was_closed_under_a_change_is_told_as_unusable(file: LedgerFile) -> None:
    with pytest.raises(Unusable, match=r"^budget\.sqlite: Cannot operate on a closed database\.$"):
        file.change(lambda _: file.close())
    assert file.change(count) == (taken(0), 0)


def test_a_directory_that_is_a_link_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    told = f"the cache directory {tmp_path / 'link'} is a symbolic link; name a real directory"
    with pytest.raises(Unusable) as raised:
        LedgerFile(tmp_path / "link" / "budget.sqlite", QUOTA).change(take)
    assert str(raised.value) == told
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.parametrize("value", ["{", "5", "null", "[" * 100_000], ids=["cut off", "a number", "null", "too deep"])
def test_what_no_ledger_was_counts_for_nothing(path: Path, file: LedgerFile, value: str) -> None:
    file.change(take)
    run(path, f"UPDATE ledger SET value = '{value}'")
    assert file.change(count) == (taken(0), 0)


def test_a_value_that_is_no_text_counts_for_nothing(path: Path, file: LedgerFile) -> None:
    file.change(take)
    run(path, "UPDATE ledger SET value = CAST(value AS BLOB)")
    assert file.change(count) == (taken(0), 0)
