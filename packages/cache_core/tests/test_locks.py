"""A lock of a file has one holder, and a killed process holds none."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cache_core.files import private_file
from cache_core.locks import lock, try_lock

HOLD = """
import sys
from pathlib import Path
from cache_core.locks import lock
file = Path(sys.argv[1]).open("rb")
lock(file)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is there."""
    return private_file(tmp_path / "cache.lock")


def test_the_lock_of_a_killed_process_is_free_at_once(path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with path.open("rb") as mine:
            assert not try_lock(mine)
            holder.kill()
            holder.wait()
            assert try_lock(mine)
    assert path.read_bytes() == b""
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_who_opens_the_file_twice_holds_it_once(path: Path) -> None:
    with path.open("rb") as first, path.open("rb") as second:
        lock(first)
        assert not try_lock(second)
        first.close()
        assert try_lock(second)


def test_who_waits_goes_on_when_the_file_is_closed(path: Path) -> None:
    has_begun, has_it = threading.Event(), threading.Event()

    def wait() -> None:
        with path.open("rb") as file:
            has_begun.set()
            lock(file)
            has_it.set()

    with path.open("r+b") as file:
        lock(file)
        other = threading.Thread(target=wait)
        other.start()
        has_begun.wait()
        assert not has_it.wait(0.2)
    other.join()
    assert has_it.is_set()


def test_one_of_many_threads_holds_it_at_a_time(path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        for _ in range(20):
            with path.open("rb") as file:
                lock(file)
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80
