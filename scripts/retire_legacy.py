"""Prove that the legacy cache can go: take it away in a copy of the tree, then run what must hold there.

`python scripts/retire_legacy.py` ends with 1 and the reason when a check or a test fails in the copy;
`--edit DIRECTORY` only makes the copy. The tree itself is never touched.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = "# goes with cache_legacy"
GONE = (
    "packages/cache_legacy",
    "scripts/retire_legacy.py",
    "tests/contract/test_retirement.py",
    "mutants/retirement.toml",
    "packages/katana_mcp_server/tests/legacy_at_once.py",
)
NAMES = re.compile(r"cache[_-]legacy|LegacyBackend")
_LOCKED = r' *("cache-legacy"|\{{ name = "({})".*\}}),$'
_OWN_NEED = re.compile(rf'(?m)^ *"([A-Za-z0-9_.-]+)[<>=~!][^"]*", *{MARK}$')
_PACKAGE = re.compile(r'(?m)^name = "(.+)"$')
_NEEDS = re.compile(r'\{ name = "([^"]+)"')
_IMPORTS = re.compile(r"^ *(\S+ -> )?cache_legacy(\.\S+)?$")


class Unretired(Exception):
    """The legacy cache cannot go yet; the message says why."""


def copy(to: Path) -> None:
    """Copy every file that git knows or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def retire(tree: Path) -> None:
    """Delete the package and every line that names it, in code, manifests and import contracts.

    Raises:
        Unretired: something still names it.
    """
    needs = _OWN_NEED.findall((tree / "pyproject.toml").read_text("utf-8"))
    for name in GONE:
        path = tree / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    lock = tree / "uv.lock"
    lock.write_text(unlocked(lock.read_text("utf-8"), needs), "utf-8")
    for path in _texts(tree):
        text = path.read_text("utf-8")
        kept = "".join(line for line in map(_without, text.splitlines(keepends=True)) if line is not None)
        if path.name == "README.md":
            kept = "".join(line for line in text.splitlines(keepends=True) if not NAMES.search(line))
        if kept != text:
            path.write_text(kept, "utf-8")
    left = [f"{path.relative_to(tree)}:{number}" for path, number in _mentions(tree) if path.suffix != ".md"]
    if left:
        raise Unretired(f"still named in {', '.join(left)}: mark the line with `{MARK}`, or read the registry")


def _without(line: str) -> str | None:
    """Return the line as it is without the package, None where nothing is left of it."""
    if line.rstrip().endswith(MARK) or _IMPORTS.match(line) or line.strip().strip(",") == '"cache-legacy"':
        return None
    if line.startswith("cache-legacy = "):
        return None
    return line.replace('"cache-legacy", ', "").replace("cache_legacy | ", "")


def unlocked(lock: str, needs: Iterable[str]) -> str:
    """Return a lock file without the package, and without what only it depends on.

    Those needs are named, for the root lists them as its own. What is left is a part of what was resolved, so that no
    index has to be asked; `uv lock --check` judges it.
    """
    locked = re.compile(_LOCKED.format("|".join(map(re.escape, ("cache-legacy", *needs)))))
    lines = [line for line in lock.splitlines(keepends=True) if not locked.match(line)]
    head, *packages = re.split(r"(?m)^(?=\[\[package\]\]$)", "".join(lines))
    named = [(_PACKAGE.findall(package)[0], package) for package in packages]
    needed = {name for name, package in named if re.search(r"(?m)^source = \{ (editable|virtual) = ", package)}
    needed.discard("cache-legacy")
    while found := {need for name, package in named if name in needed for need in _NEEDS.findall(package)} - needed:
        needed |= found
    return head + "".join(package for name, package in named if name in needed)


def _texts(tree: Path) -> Iterator[Path]:
    """Yield the files that are edited line by line; documents are for people to rewrite."""
    for path in sorted(tree.rglob("*")):
        edited = path.suffix in {".py", ".toml", ".yml", ".importlinter"} or path.name in {".importlinter", "Makefile"}
        if (edited or path == tree / "README.md") and ".venv" not in path.parts:
            yield path


def _mentions(tree: Path) -> Iterator[tuple[Path, int]]:
    for path in (tree / "uv.lock", *_texts(tree), *sorted(tree.glob("docs/**/*.md"))):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if NAMES.search(line):
                yield path, number


def run(tree: Path, *command: str) -> None:
    """Run a command in the tree, with its output shown.

    Raises:
        Unretired: it failed.
    """
    sys.stdout.write(f"\n== {' '.join(command)}\n")
    sys.stdout.flush()
    # The tree has an environment of its own.
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    done = subprocess.run(command, cwd=tree, env=environment, check=False)
    if done.returncode:
        raise Unretired(f"`{' '.join(command)}` failed without the legacy cache")


def prove(tree: Path) -> None:
    """Prove the lock, then format, check and test the tree without the legacy cache.

    Packages come from uv's own store, or from where `make setup` would fetch them.
    """
    uv = os.environ.get("UV") or shutil.which("uv") or str(ROOT / ".uv/bin/uv")
    run(tree, uv, "lock", "--check", "--quiet")
    for target in ("format", "check", "test"):
        run(tree, "make", target, f"UV={uv}")


def main() -> int:
    """Return 0 when everything holds without the legacy cache."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit", type=Path, metavar="DIRECTORY", help="only make the edited copy here")
    edit: Path | None = parser.parse_args().edit
    try:
        with tempfile.TemporaryDirectory() as temporary:
            tree = edit or Path(temporary)
            copy(tree)
            retire(tree)
            if edit is None:
                prove(tree)
    except Unretired as reason:
        sys.stderr.write(f"not yet: {reason}\n")
        return 1
    documents = sorted({str(path.relative_to(ROOT)) for path, _ in _mentions(ROOT) if path.suffix == ".md"})
    sys.stdout.write(f"the legacy cache can go; rewrite by hand: {', '.join(documents)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
