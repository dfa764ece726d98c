"""Lets each process of a whole run import other modules of tests first, and then, as all do, every one.

Where nothing is compiled yet, each would compile all 500 at the same time. What one has compiled the others only read.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from _pytest.pathlib import ImportMode, import_path
from tests.at_night import is_whole


def share(paths: Sequence[Path], worker: str, workers: int) -> Sequence[Path]:
    """Return which of these modules a process, `gw0` or another, imports first."""
    return paths[int(worker.removeprefix("gw")) % workers :: workers]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the share of this process; what cannot be imported is told where it is collected."""
    config = session.config
    told: dict[str, object] | None = getattr(config, "workerinput", None)
    if told is None or not is_whole(config):
        return
    modules = sorted(
        path for place in config.getini("testpaths") for path in (config.rootpath / place).rglob("test_*.py")
    )
    for path in share(modules, str(told["workerid"]), int(str(told["workercount"]))):
        with suppress(Exception, pytest.skip.Exception):
            import_path(path, mode=ImportMode.importlib, root=config.rootpath, consider_namespace_packages=False)
