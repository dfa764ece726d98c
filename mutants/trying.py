"""Tries bugs in copies of the tree: what mutants that somebody chose share with those that were drawn."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from mutants.forks import NO_END, ran
from mutants.model import ROOT

AT_ONCE = 2
PLAIN = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:schemathesis", "--hypothesis-seed=0")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_UNLOADED = "while loading conftest"
_TESTS_FAILED = 1
_NOT_COLLECTED = {2, 4}
"""What pytest ends with where a module of tests cannot be imported: 4 where single tests of it were asked for."""
# Python knows a compiled file by its source's size and whole seconds, so no two texts of a file share a second.
_seconds = count(int(time.time()) + 1)


type Kind = Literal["killed", "LIVES", "NO END", "NO START", "BROKEN"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What tests made of a bug.

    Attributes:
        kind: whether a test noticed it; `NO END` where one ran for too long, `NO START` where what tests share cannot
            be imported, `BROKEN` where they could not be run.
        detail: the test that noticed it, or the end of what pytest said of tests that could not be run.
        seconds: how long the tests took.
    """

    kind: Kind
    detail: str
    seconds: float


def tracked() -> list[str]:
    """Return the files of the tree that git knows and that are there, by their names from the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def copied(place: Path, trees: int = AT_ONCE) -> list[Path]:
    """Return copies of the tree."""
    names = tracked()
    for number in range(trees):
        for name in names:
            (place / str(number) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / str(number) / name)
    return [place / str(number) for number in range(trees)]


@contextmanager
def changed(path: Path, change: Callable[[str], str]) -> Generator[None]:
    """Keep a file changed for a while."""
    text = path.read_text("utf-8")
    _write(path, change(text))
    try:
        yield
    finally:
        _write(path, text)


def verdict(tree: Path, arguments: Sequence[str], seconds: float) -> Verdict:
    """Run tests in a changed copy until one fails."""
    began = time.monotonic()
    code, output = ran(tree, (*PLAIN, "-x", "-n0", *arguments), seconds)
    took = time.monotonic() - began
    failed = _FAILED.search(output)
    if code == _TESTS_FAILED and failed is not None:
        return Verdict("killed", failed[1], took)
    if not code:
        return Verdict("LIVES", "", took)
    is_unloaded = _UNLOADED in output or (code in _NOT_COLLECTED and failed is not None)  # no module of tests either
    kind: Kind = "NO END" if code == NO_END else "NO START" if is_unloaded else "BROKEN"
    return Verdict(kind, output.strip()[-300:], took)


def failing(tree: Path, tests: Sequence[str], seconds: float) -> str:
    """Return the end of what pytest says where any of the tests fails without a bug, else nothing."""
    code, output = ran(tree, (*PLAIN, "-n", str(AT_ONCE), *tests), seconds)
    return f"these fail without any bug, so they prove nothing:\n{output[-3_000:]}\n" if code else ""


def tried[Place, Outcome](places: Sequence[Place], trials: Sequence[Callable[[Place], Outcome]]) -> Iterator[Outcome]:
    """Yield what came of each trial, in order; as many are made at once as there are places for them."""
    free = SimpleQueue[Place]()
    for place in places:
        free.put(place)

    def outcome(trial: Callable[[Place], Outcome]) -> Outcome:
        place = free.get()
        try:
            return trial(place)
        finally:
            free.put(place)

    pool = ThreadPoolExecutor(len(places))
    try:
        yield from pool.map(outcome, trials)
    finally:
        pool.shutdown(cancel_futures=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    os.utime(path, (moment := next(_seconds), moment))
