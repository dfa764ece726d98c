"""Runs a command on the account of the settings; every failure ends in one sentence."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from cache_core.clock import SystemClock
from cache_core.errors import CacheError
from katana_mcp import logs
from katana_mcp.account import account
from katana_mcp.cache_commands.job import Job, Report
from katana_mcp.cache_commands.screen import bars, shown
from katana_mcp.kept import BadInput, NotDone
from katana_mcp.settings import Settings
from katana_mcp.wiring import cache_directory

type Command = Callable[[Job], Awaitable[Report]]


async def run(command: Command, settings: Settings, *, as_json: bool) -> int:
    """Return the exit code: 0 fine, 1 not.

    Raises:
        SettingsError: bad input.
    """
    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "ERROR")
    known, outside = account(settings)
    directory = cache_directory(known, outside)
    if directory is None:
        raise BadInput("the sandbox keeps its cache only where told: name a directory with --cache-dir")
    try:
        _refuse_links(directory)
        with bars() as tell:
            job = Job(
                settings=known,
                outside=outside,
                flags=known.flags(),
                directory=directory,
                clock=SystemClock(),
                tell=tell,
            )
            report = await command(job)
    except (NotDone, CacheError) as error:
        sys.stderr.write(f"katana-mcp: {error}\n")
        return 1
    shown(report, as_json=as_json)
    return 0 if report.fine else 1


def _refuse_links(directory: Path) -> None:
    for each in (directory.parent, directory):
        if each.is_symlink():
            raise NotDone(f"the cache directory {each} is a symbolic link; name a real directory")
