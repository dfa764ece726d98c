"""Runs tests on a copy of the tree in a process that has what they import from others loaded already.

A run of one short test is mostly its imports; those of other people's packages are the same for every bug.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

import pytest

_OF_OTHERS = (
    "pytest",
    "pytest_asyncio",
    "hypothesis.stateful",
    "fastmcp.client",
    "fastmcp.server",
    "sqlmodel",
    "httpx",
)
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(list(_OF_OTHERS))
NO_END = -1


def ran(tree: Path, arguments: tuple[str, ...], seconds: float) -> tuple[int, str]:
    """Run tests on a copy, whose packages go before the installed ones; return exit code and output.

    The code is `NO_END` when they took longer than they may.
    """
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as output:
        process = FORKS.Process(target=_run, args=(str(tree), arguments, output.name))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            process.join()
            return NO_END, "no end"
        return process.exitcode, output.read()


def be_pytest(tree: str, arguments: Sequence[str], plugins: Sequence[object] = ()) -> int:
    """Run pytest in this process as one of a copy, whose packages go before the installed ones."""
    for name in [module for module in sys.modules if module.partition(".")[0] == "mutants"]:
        del sys.modules[name]  # in the copy it may be another
    sources = [str(path) for path in sorted(Path(tree, "packages").glob("*/src"))]
    os.chdir(tree)
    os.environ["PYTHONPATH"] = os.pathsep.join(sources)
    sys.path[:0] = [tree, *sources]
    return pytest.main([*arguments, "-W", "ignore::pytest.PytestAssertRewriteWarning"], plugins=plugins)


def _run(tree: str, arguments: tuple[str, ...], output_path: str) -> None:
    """Be pytest in a copy."""
    with Path(output_path).open("w", encoding="utf-8") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
    sys.exit(be_pytest(tree, arguments))
