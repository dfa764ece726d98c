"""Cache files are made private, refused where they are something else, and never opened beside SQLite."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cache_core.errors import CacheUnavailable
from cache_core.files import checked_directory, private_directory, private_file

WRITE = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None).execute('BEGIN IMMEDIATE')"


def written_by_another_process(path: Path) -> str:
    """Try to write from another process; return what it was told last."""
    run = subprocess.run([sys.executable, "-c", WRITE, path], capture_output=True, text=True, check=False)
    return run.stderr.strip().rpartition("\n")[2]


def test_a_lock_that_is_held_through_sqlite_outlasts_the_look_at_its_file(tmp_path: Path) -> None:
    path = private_file(tmp_path / "cache.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert private_file(path) == path
        assert written_by_another_process(path) == "sqlite3.OperationalError: database is locked"
    assert written_by_another_process(path) == ""


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777], ids=oct)
def test_a_file_belongs_to_its_owner_alone(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        path = private_file(tmp_path / "cache.db")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert private_file(path).stat().st_mode & 0o777 == 0o600


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "directory").mkdir()
    for name in ("link", "nowhere", "directory"):
        with pytest.raises(CacheUnavailable, match="no regular file"):
            private_file(tmp_path / name)
    assert not (tmp_path / "missing").exists()
    with pytest.raises(CacheUnavailable, match="No such file or directory"):
        private_file(tmp_path / "no" / "cache.db")


def test_a_file_is_no_directory_and_keeps_its_modes(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o644)
    for path in (file, file / "below"):
        for take in (checked_directory, private_directory):
            with pytest.raises(CacheUnavailable, match=r"cannot be used: Not a directory$"):
                take(path)
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_directory_is_looked_at_and_nothing_is_made_or_changed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert checked_directory(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert checked_directory(tmp_path) == tmp_path
    assert (tmp_path.stat().st_mode & 0o777, list(tmp_path.iterdir())) == (0o755, [])
