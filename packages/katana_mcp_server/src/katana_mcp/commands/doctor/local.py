"""What this machine keeps: the cache and the journal of the account, and which hosts start the server."""

import os
import shutil
from typing import cast

from cache_core.clock import SystemClock
from cache_core.errors import CacheError
from katana_mcp.caches.cache_files import NotDone, require_usable
from katana_mcp.commands.cache.job import Job, Report
from katana_mcp.commands.cache.screen import format_size, size
from katana_mcp.commands.cache.status import status
from katana_mcp.commands.doctor.finding import Finding
from katana_mcp.commands.hosts.hosts import HOSTS
from katana_mcp.commands.hosts.install import found
from katana_mcp.commands.journal.look import entries
from katana_mcp.configuration.settings import Settings
from katana_mcp.gateway.files import CatalogFiles, read_catalog, read_json, read_pins
from katana_mcp.gateway.model import CatalogError
from katana_mcp.journal.file import journal_path
from katana_mcp.server.wiring import Environment, cache_directory
from katana_mcp.tools.answers import so_many

_ROOM = 500 * 2**20
"""Bytes that should be free: a cache of 500,000 parts is built anew beside the old one."""
_ENTRIES = 200
_NO_WRITES = "nothing can be written to Katana without the journal of writes"
_ELSEWHERE = "let this user write there, or name a directory of your own with --cache-dir or KATANA_CACHE_DIR"
_SHOWN = 200
"""Characters of a program that are shown; what it is given may hold a key."""


async def cache_findings(settings: Settings, outside: Environment) -> list[Finding]:
    """Return how the cache and the journal stand; nothing is made or opened for writing."""
    directory = cache_directory(settings, outside)
    if directory is None:
        return [Finding("cache", "fine", "in memory: a sandbox keeps it in files where --cache-dir names a place")]
    try:
        require_usable(directory)
    except (NotDone, CacheError) as error:
        return [Finding("cache", "wrong", f"{error}: nothing is kept, and {_NO_WRITES}", _ELSEWHERE)]
    there = next(path for path in (directory, *directory.parents) if path.exists())
    free = shutil.disk_usage(there).free
    room = f"; {format_size(free)} free"
    if not directory.exists():
        return [Finding("cache", "fine", f"none yet in {directory}: the first question fills it{room}")]
    job = Job(
        settings=settings,
        outside=outside,
        flags=settings.flags(),
        directory=directory,
        clock=SystemClock(),
        tell=_silent,
    )
    try:
        return [await _cache(job, room, scarce=free < _ROOM), await _journal(job)]
    except (NotDone, CacheError) as error:
        return [Finding("cache", "wrong", str(error), "katana-mcp cache status says more")]


def _silent(what: str, done: int, total: int | None) -> None:
    """Tell of no progress: there is none."""


async def _cache(job: Job, room: str, *, scarce: bool) -> Finding:
    report = await status(job, (), quarantine=False)
    weight = sum(size(path) for path in job.directory.glob("*") if path.is_file())
    message = f"{job.directory}, {format_size(weight)}{room}"
    if not os.access(job.directory, os.W_OK):
        return Finding("cache", "wrong", f"{job.directory} cannot be written: nothing new is kept", _ELSEWHERE)
    if not report.fine:
        return Finding("cache", "wrong", f"{message}; a file is damaged", "start a server once: it sets the file aside")
    kept_out = sum(cast("int", entity.get("quarantined", 0)) for entity in _listed(report, "entities"))
    if kept_out:
        advice = "katana-mcp cache status --quarantine names them"
        return Finding("cache", "advice", f"{message}; {so_many(kept_out, 'record')} cannot be kept", advice)
    if scarce:
        return Finding("cache", "advice", message, "make room: a cache is rebuilt beside the old one")
    return Finding("cache", "fine", message)


async def _journal(job: Job) -> Finding:
    report = await entries(job, _ENTRIES, None)
    path = journal_path(job.directory)
    if not all(os.access(kept, os.W_OK) for kept in (path, path.parent) if kept.exists()):
        message = f"{path} cannot be written: {_NO_WRITES}"
        return Finding("journal", "wrong", message, "let this user write it and its directory")
    plans = _listed(report, "entries")
    unknown = sum(any(action["state"] == "unknown" for action in _actions(plan)) for plan in plans)
    if unknown:
        message = f"{unknown} of {so_many(len(plans), 'plan')} ended unknown, and may have been written"
        return Finding("journal", "advice", message, "katana-mcp journal reconcile looks them up in Katana")
    return Finding("journal", "fine", so_many(len(plans), "plan") if plans else "nothing was planned yet")


def _actions(plan: dict[str, object]) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", plan["actions"])


def _listed(report: Report, name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", report.data[name])


def catalog_findings(settings: Settings) -> list[Finding]:
    """Return how the tool catalogue stands, where there is one; no other server is asked."""
    if settings.catalog == "off" or settings.catalog_file is None:
        return []
    files = CatalogFiles(settings.catalog_file, settings.cache_root() / "catalog")
    try:
        count = len(read_catalog(files).upstreams)
        read_pins(files)
    except CatalogError as error:
        return [Finding("catalogue", "wrong", str(error), "katana-mcp catalog verify says more")]
    message = f"{settings.catalog}; other servers: {count}"
    live = read_json(files.live)
    if live is None:
        return [
            Finding("catalogue", "advice", f"{message}; no server has looked yet", "start one, or run catalog verify")
        ]
    down = [name for name, server in live.get("servers", {}).items() if server.get("state") == "down"]
    differing = len(live.get("drift", ())) + len(live.get("stuck", ()))
    if down or differing:
        gone = f"; {', '.join(down)} down" if down else ""
        message = f"{message}{gone}; differences when a server last looked: {differing}"
        return [Finding("catalogue", "advice", message, "katana-mcp catalog diff names them")]
    return [Finding("catalogue", "fine", message)]


def host_findings() -> list[Finding]:
    """Return a line for each host that lists this server, or whose file cannot be read; one where none does."""
    findings: list[Finding] = []
    for name, host in HOSTS.items():
        try:
            listed = found(name)
        except NotDone as error:
            findings.append(Finding(host.title, "wrong", str(error), "mend the file by hand"))
            continue
        for entry, line in listed.items():
            program = line[0]
            if shutil.which(program) is None:
                message = f"starts {entry} with {program[:_SHOWN]}, which is not there"
                findings.append(Finding(host.title, "wrong", message, f"katana-mcp install {name} writes it anew"))
            else:
                findings.append(Finding(host.title, "fine", f"starts {entry} with {program[:_SHOWN]}"))
    none = Finding("hosts", "advice", "no host starts the server yet", "katana-mcp install claude-code, for example")
    return findings or [none]
