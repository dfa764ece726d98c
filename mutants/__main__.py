"""Runs the mutants in copies of the tree and prints which test noticed which.

Exit code 1 when one survives, 2 when tests fail without any.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from mutants.forks import ran
from mutants.model import ROOT, Mutant, all_mutants

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_TESTS_FAILED = 1
_SECONDS = 900
_AT_ONCE = 2
_PLAIN = ("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:schemathesis", "--hypothesis-seed=0")
# Python knows a compiled file by its source's size and whole seconds, so no two texts of a file share a second.
_seconds = count(int(time.time()) + 1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant.

    Attributes:
        mutant: the bug.
        verdict: whether a test noticed it; `broken` where the tests could not be run.
        told: the test that noticed it, or the end of what pytest said of tests that could not be run.
        seconds: how long its tests took.
    """

    mutant: Mutant
    verdict: Literal["killed", "LIVES", "BROKEN"]
    told: str
    seconds: float

    def as_row(self) -> str:
        """Return two lines for people."""
        by = f"by {self.told}" if self.verdict == "killed" else self.told
        head = f"{self.verdict:<6}  {self.mutant.entry or '-':<4}  {self.mutant.bug} ({self.seconds:.0f} s)"
        return f"{head}\n{'':14}{by}\n" if by else f"{head}\n"

    def as_dict(self) -> dict[str, object]:
        """Return the same for programs."""
        mutant = {"bug": self.mutant.bug, "entry": self.mutant.entry, "file": self.mutant.file}
        return {**mutant, "verdict": self.verdict, "told": self.told, "seconds": round(self.seconds, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen mutants."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only those whose entry this is, or whose bug or file mentions it")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of the table")
    asked = parser.parse_args(arguments)
    mutants = [
        mutant for mutant in all_mutants() if not asked.words or any(_is_meant(mutant, word) for word in asked.words)
    ]
    if not mutants:
        parser.error(f"no mutant is meant by {' '.join(asked.words)}")
    with tempfile.TemporaryDirectory() as place:
        trees = [_copied(Path(place) / str(nr)) for nr in range(_AT_ONCE)]
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        code, told = ran(trees[0], ("-q", *_PLAIN, "-n", str(_AT_ONCE), *tests), _SECONDS)
        if code:
            sys.stderr.write(f"these fail without any bug, so they prove nothing:\n{told[-3_000:]}\n")
            return 2
        outcomes: list[Outcome] = []
        for outcome in _tried(trees, mutants):
            outcomes.append(outcome)
            if not asked.json:
                sys.stdout.write(outcome.as_row())
                sys.stdout.flush()
    sys.stdout.write(_in_json(outcomes) if asked.json else _counted(outcomes))
    return int(any(each.verdict != "killed" for each in outcomes))


def _is_meant(mutant: Mutant, word: str) -> bool:
    return word == mutant.entry or word in f"{mutant.bug} {mutant.file}"


def _in_json(outcomes: Sequence[Outcome]) -> str:
    return json.dumps([outcome.as_dict() for outcome in outcomes], indent=1) + "\n"


def _counted(outcomes: Sequence[Outcome]) -> str:
    entries = {outcome.mutant.entry for outcome in outcomes} - {""}
    survivors = sum(outcome.verdict != "killed" for outcome in outcomes)
    return f"{len(outcomes)} mutants, {len(entries)} entries, {survivors} survivors\n"


def _tried(trees: Sequence[Path], mutants: Sequence[Mutant]) -> Iterator[Outcome]:
    """Yield what became of each mutant, in order; as many are tried at once as there are trees."""
    free = SimpleQueue[Path]()
    for tree in trees:
        free.put(tree)

    def outcome(mutant: Mutant) -> Outcome:
        tree = free.get()
        try:
            return _outcome(tree, mutant)
        finally:
            free.put(tree)

    pool = ThreadPoolExecutor(len(trees))
    try:
        yield from pool.map(outcome, mutants)
    finally:
        pool.shutdown(cancel_futures=True)


def _outcome(tree: Path, mutant: Mutant) -> Outcome:
    path = tree / mutant.file
    text = path.read_text("utf-8")
    _write(path, mutant.applied(text))
    began = time.monotonic()
    try:
        code, told = ran(tree, ("-q", *_PLAIN, "-x", "-n0", *mutant.tests), _SECONDS)
    finally:
        _write(path, text)
    seconds = time.monotonic() - began
    failed = _FAILED.search(told)
    if code == _TESTS_FAILED and failed is not None:
        return Outcome(mutant, "killed", failed[1], seconds)
    return (
        Outcome(mutant, "LIVES", "", seconds) if not code else Outcome(mutant, "BROKEN", told.strip()[-300:], seconds)
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    os.utime(path, (moment := next(_seconds), moment))


def _copied(tree: Path) -> Path:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    return tree


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        sys.stderr.write("stopped: the rest was not tried\n")
        raise SystemExit(130) from None
