"""Cache files that may only be read: what they hold is shown, marked, and the next start after mending goes on."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest
from following import following

from katana_mcp.configuration.backend_flags import DEFAULTS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_sandbox import ManualClock

NOBODY = 65_534


@pytest.fixture
def cache_dir() -> Generator[Path]:
    """Return a directory that any user can reach."""
    directory = Path(tempfile.mkdtemp())
    with chdir("/"):  # the tree may stand where that user may not look for `.env`
        yield directory
    shutil.rmtree(directory)


@contextmanager
def acting_as_owner(directory: Path) -> Generator[None]:
    """Give the directory to a user whom file modes bind, and be that user: root writes whatever the modes say."""
    if os.geteuid() != 0:
        yield
        return
    for path in (directory, *directory.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def allow(directory: Path, mode: int) -> None:
    """Set the mode of every file."""
    for path in directory.rglob("*"):
        if path.is_file():
            path.chmod(mode)


async def test_files_that_may_only_be_read_are_shown_and_followed_again_once_mended(
    own: OwnSandbox, clock: ManualClock, cache_dir: Path
) -> None:
    names = list(DEFAULTS)
    async with following(own, cache_dir) as services:
        await services.fresh.ensure(names, wait=60)
        counts = [await services.cache.count(name) for name in names]
        assert all(counts)
    clock.advance(3_600)
    with acting_as_owner(cache_dir):
        allow(cache_dir, 0o400)
        async with following(own, cache_dir) as services:
            (notice,) = services.notices
            assert "can only be read" in notice
            fresh = await services.fresh.ensure(names)
            assert [await services.cache.count(name) for name in names] == counts
            assert all(fresh[name].stale and fresh[name].reason for name in names)
        allow(cache_dir, 0o600)
        async with following(own, cache_dir) as services:
            assert services.notices == ()
            fresh = await services.fresh.ensure(names, wait=60)
            assert not any(fresh[name].stale for name in names)
