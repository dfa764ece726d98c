"""Runs the mutants in a copy of the tree and prints which test noticed which.

Exit code 1 when one lives, 2 when tests fail without any.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mutants.model import ROOT, Mutant, known

_FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)
_TESTS_FAILED = 1
_SECONDS = 900


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen mutants."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only mutants whose bug or file mentions one of these")
    chosen = parser.parse_args(arguments).words
    mutants = [each for each in known() if not chosen or any(word in f"{each.bug} {each.file}" for word in chosen)]
    with tempfile.TemporaryDirectory() as place:
        tree = _copied(Path(place) / "tree")
        sound = {tests: _ran(tree, tests) for tests in dict.fromkeys(each.tests for each in mutants)}
        broken = [f"{' '.join(tests)}: {told}" for tests, (code, told) in sound.items() if code]
        if broken:
            sys.stderr.write("these fail without any bug, so they prove nothing:\n" + "\n".join(broken) + "\n")
            return 2
        outcomes = [_outcome(tree, each) for each in mutants]
    killed = sum(told is not None for told in outcomes)
    sys.stdout.write(f"{killed} of {len(mutants)} killed\n")
    return 0 if killed == len(mutants) else 1


def _outcome(tree: Path, mutant: Mutant) -> str | None:
    """Return the test that noticed, or None."""
    path = tree / mutant.file
    text = path.read_text("utf-8")
    path.write_text(mutant.applied(text), "utf-8")
    try:
        code, told = _ran(tree, mutant.tests)
    finally:
        path.write_text(text, "utf-8")
    failed = _FAILED.search(told)
    if code == _TESTS_FAILED and failed is not None:
        sys.stdout.write(f"killed  {mutant.bug}\n        by {failed[1].split(' - ')[0]}\n")
        sys.stdout.flush()
        return failed[1]
    sys.stdout.write(f"LIVES   {mutant.bug}\n" if code == 0 else f"BROKEN  {mutant.bug}: {told.strip()[-300:]}\n")
    sys.stdout.flush()
    return None


def _copied(tree: Path) -> Path:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    return tree


def _ran(tree: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Run tests on the copy, whose packages go before the installed ones; return exit code and output."""
    sources = os.pathsep.join(str(each) for each in sorted((tree / "packages").glob("*/src")))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": sources, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return -1, "no end"
    return done.returncode, done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
