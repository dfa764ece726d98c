"""Keeps a copy of the tree with its tests collected, in a process that forks for each bug.

What imports and collects, most of a short test's time, is done once. A bug stands inside a function: in the fork the
functions that were imported get the changed code, and what imports its file only later, or in a process of its own,
reads it from the copy.
"""

import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from mutants.drawn.tracing import Tracer
from mutants.forks import FORKS, NO_END, be_pytest
from mutants.trying import PLAIN

_QUIET = "--capture=sys"
"""So that what a fork prints goes to where its own output goes."""


@dataclass(frozen=True, slots=True)
class Bug:
    """A change of one file, to be tried.

    Attributes:
        file: from the root; in the copy it is changed already.
        before: its text without the change.
        after: its text with it.
        spans: first and last lines of what is changed, and of the statement in which it stands.
    """

    file: str
    before: str
    after: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Tests to be run with a bug, until one fails.

    Attributes:
        bug: the bug; None to run them without any.
        tests: files of tests or single ones, in the order in which they are to be run.
        each: seconds after which one of them fails.
        seconds: how long all may take.
    """

    bug: Bug | None
    tests: tuple[str, ...]
    each: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a job.

    Attributes:
        code: of pytest; `NO_END` where it took too long, None where the bug cannot be put in here.
        detail: the test that failed, or why it could not be run.
        seconds: how long it took.
    """

    code: int | None
    detail: str
    seconds: float


class Collected:
    """A copy of the tree, and the process in which its tests are collected.

    Args:
        tree: the copy.
        tests: files of tests to collect.
    """

    def __init__(self, tree: Path, tests: Sequence[str]) -> None:
        self.tree = tree
        self._jobs, theirs = FORKS.Pipe()
        self._process = FORKS.Process(target=_serve, args=(str(tree), tuple(tests), theirs))
        self._process.start()
        theirs.close()

    def wait(self) -> None:
        """Wait until all is collected: before that nothing may be changed in the copy.

        Raises:
            RuntimeError: the tests could not be collected.
        """
        trouble = self._received()
        if trouble:
            raise RuntimeError(f"the tests could not be collected:\n{trouble}")

    def run(self, job: Job) -> Found:
        """Run tests in a fork.

        Raises:
            RuntimeError: the process is gone.
        """
        # In the copy the classes of this module are others, so only what Python has is sent.
        self._jobs.send((job.bug and astuple(job.bug), job.tests, job.each, job.seconds))
        return Found(*self._received())

    def close(self) -> None:
        """End the process."""
        self._jobs.close()
        self._process.join()

    def _received(self) -> Any:  # noqa: ANN401 - as a connection has it
        try:
            return self._jobs.recv()
        except EOFError:
            raise RuntimeError("the process that had collected the tests is gone") from None


@contextmanager
def collected(trees: Sequence[Path], tests: Sequence[str]) -> Generator[list[Collected]]:
    """Keep copies with these files of tests collected."""
    places = [Collected(tree, tests) for tree in trees]
    try:
        for place in places:
            place.wait()
        yield places
    finally:
        for place in places:
            place.close()


def _serve(tree: str, tests: tuple[str, ...], jobs: Connection) -> None:
    """Collect tests, then fork for each job until nobody asks any more."""
    with tempfile.TemporaryDirectory() as place:
        output = Path(place, "output")
        _print_into(output)
        imports = Tracer(Path(tree))
        imports.start()
        server = _Server(jobs, Path(place), imports)
        be_pytest(tree, [*PLAIN, _QUIET, "-x", "-n0", *tests], [server])
        if server.is_fork:
            os._exit(0)
        if not server.is_ready:
            jobs.send(output.read_text("utf-8", errors="replace")[-3_000:] or "pytest said nothing")


class _Server:
    """A plugin of pytest: takes jobs in place of the loop over all tests, and in a fork leaves that loop the job's."""

    def __init__(self, jobs: Connection, place: Path, imports: Tracer) -> None:
        self.is_ready = self.is_fork = False
        self._jobs, self._place, self._imports = jobs, place, imports
        self._imported: dict[str, int] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._failed = ""
        self._told = -1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> object:
        """Serve; return nothing in a fork, where the tests are run as ever."""
        if session.testsfailed:
            return None
        self._imported = self._imports.lines(self._imports.end())
        self._functions = _functions(str(session.config.rootpath))
        gc.freeze()
        self.is_ready = True
        self._jobs.send("")
        while not self.is_fork:
            try:
                bug, *rest = self._jobs.recv()
            except EOFError:
                return True
            self._fork(Job(bug and Bug(*bug), *rest), session)
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which test fails."""
        if report.failed and not self._failed:
            self._failed = report.nodeid

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell what became of the tests, once all that they shared has been put away."""
        if self.is_fork:
            self._tell(int(session.testsfailed > 0), self._failed)

    def _fork(self, job: Job, session: pytest.Session) -> None:
        began, temporary = time.monotonic(), self._place / "fork"
        temporary.mkdir()
        told, self._told = os.pipe()
        process = os.fork()
        if not process:
            self.is_fork = True
            os.setpgid(0, 0)
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(temporary)
            _print_into(temporary / "output")
            self._begin(job, session)
            return
        os.close(self._told)
        code, detail = _told(told, job.seconds)
        with suppress(ProcessLookupError):  # what died before it had a group of its own
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(told)
        shutil.rmtree(temporary, ignore_errors=True)
        self._jobs.send((code, detail, time.monotonic() - began))

    def _begin(self, job: Job, session: pytest.Session) -> None:
        """Become what runs a job's tests, or tell why that cannot be."""
        if job.bug is not None:
            lines = self._imported.get(job.bug.file, 0)
            is_imported = any(lines >> first & ~(-1 << last - first + 1) for first, last in job.bug.spans)
            why = "importing runs it" if is_imported else ""
            why = why or put_in(session.config.rootpath / job.bug.file, job.bug, self._functions)
            if why:
                self._tell(None, why)
        chosen = _chosen(session.items, job.tests)
        if not chosen:
            self._tell(pytest.ExitCode.USAGE_ERROR, f"no such test: {', '.join(job.tests[:3])}")
        for item in chosen:
            item.add_marker(pytest.mark.timeout(job.each))
        session.items[:] = chosen
        session.testscollected = len(chosen)

    def _tell(self, code: int | None, detail: str) -> None:
        os.write(self._told, json.dumps([code, detail]).encode())
        os._exit(0)


def put_in(path: Path, bug: Bug, functions: Mapping[str, Sequence[FunctionType]]) -> str:
    """Give the functions that were imported from a file the code of its changed text.

    Args:
        path: the file in the copy.
        bug: the change.
        functions: those that were imported, by file.

    Returns:
        Why that cannot be done, or nothing.
    """
    imported = functions.get(str(path), ())
    if not imported and any(str(getattr(module, "__file__", "")).endswith(bug.file) for module in sys.modules.values()):
        return "what was imported of it is not found"
    before, after = (dict(_codes(str(path), text)) for text in (bug.before, bug.after))
    keys = {(code.co_qualname, code.co_firstlineno): key for key, code in before.items()}
    for function in imported:
        key = keys.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if key not in after:
            return f"{function.__qualname__} is no longer there"
        try:
            function.__code__ = after[key]
        except ValueError as error:
            return str(error)
    return ""


def _codes(name: str, text: str) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """Yield the code of each function, by its qualified name and its number among those that have the same."""
    same, left = Counter[str](), [compile(text, name, "exec", dont_inherit=True)]
    while left:
        code = left.pop(0)
        yield (code.co_qualname, same[code.co_qualname]), code
        same[code.co_qualname] += 1
        left += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _functions(root: str) -> dict[str, list[FunctionType]]:
    """Return the functions that were made of files below a folder, by file."""
    found = defaultdict[str, list[FunctionType]](list)
    gc.unfreeze()  # what is frozen is not listed
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(root):
            found[thing.__code__.co_filename].append(thing)
    return found


def _chosen(items: Sequence[pytest.Item], names: Sequence[str]) -> list[pytest.Item]:
    """Return the tests that are meant, in the order of the names."""
    order = {name: number for number, name in enumerate(names)}

    def meant(item: pytest.Item) -> int | None:
        ways = (item.nodeid, item.nodeid.partition("[")[0], item.nodeid.partition("::")[0])
        return next((order[way] for way in ways if way in order), None)

    found = [(number, item) for item in items if (number := meant(item)) is not None]
    return [item for _, item in sorted(found, key=lambda pair: pair[0])]


def _told(pipe: int, seconds: float) -> tuple[int | None, str]:
    """Return what a fork tells, or that it came to no end."""
    ready, _, _ = select.select([pipe], [], [], seconds)
    if not ready:
        return NO_END, "no end"
    data = os.read(pipe, 1 << 16)
    code, detail = json.loads(data) if data else (pytest.ExitCode.INTERNAL_ERROR, "the fork died")
    return code, detail


def _print_into(path: Path) -> None:
    """Let what this process prints go to a file."""
    with path.open("w", encoding="utf-8") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
