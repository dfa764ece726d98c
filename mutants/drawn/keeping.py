"""Has the suite traced once, and again only where files have become others than those that were traced."""

import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path, PurePosixPath

from mutants.drawn import lines
from mutants.drawn.drawing import is_place
from mutants.forks import ran
from mutants.model import ROOT
from mutants.trying import AT_ONCE, PLAIN, tracked

KEPT = ROOT / ".cache/mutants/lines.db"
_SECONDS = 3_600
_NO_CODE = ("docs/", "mutants/", "changelog.d/", "bench/", ".github/")
_TESTS_FAILED = 1


def digests() -> dict[str, str]:
    """Return a digest for each file on which it depends what a test runs."""
    names = (name for name in tracked() if not name.startswith(_NO_CODE) and not name.endswith(".md"))
    return {name: sha256((ROOT / name).read_bytes()).hexdigest() for name in names}


def differing(earlier: dict[str, str], today: dict[str, str]) -> list[str] | None:
    """Return the files of tests and of drawn code that are others than before; None where other files are, too.

    What a test runs of the rest is taken to be the same unless it, or what it runs, is another.
    """
    others = sorted(name for name in earlier.keys() | today.keys() if earlier.get(name) != today.get(name))
    return others if earlier and all(_holds_tests(name) or is_place(name) for name in others) else None


def traced(tree: Path, path: Path = KEPT) -> Path:
    """Return the file with the lines that each test runs, up to date.

    Args:
        tree: a copy of the tree, in which tests are run.
        path: where it is kept.

    Raises:
        RuntimeError: the tests could not be run.
    """
    today = digests()
    others = differing(lines.sources(path), today)
    if others is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        _trace(tree, path, ())
    elif others:
        files = lines.concerned(path, others)
        # Until they are traced they are other files than those that were.
        lines.write_sources(path, {name: digest for name, digest in today.items() if name not in files})
        lines.forget(path, {*files, *others})
        if there := [file for file in files if file in today]:
            _trace(tree, path, there)
    lines.write_sources(path, today)
    return path


def _trace(tree: Path, path: Path, files: Iterable[str]) -> None:
    # In two words the file would be taken for tests, and what holds it for the root of all.
    into = ("-p", "mutants.drawn.tracing", f"--lines-into={path}", "--every")
    code, output = ran(tree, (*PLAIN, *into, "-n", str(AT_ONCE), "--dist", "worksteal", *files), _SECONDS)
    if code not in {0, _TESTS_FAILED}:
        raise RuntimeError(f"the tests could not be traced:\n{output[-3_000:]}")
    if code:
        sys.stderr.write(f"tests that fail without any bug choose nothing:\n{output[-1_000:]}\n")


def _holds_tests(name: str) -> bool:
    return PurePosixPath(name).name.startswith("test_")
