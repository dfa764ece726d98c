"""Everything that the server needs, in the order in which it is needed: the first that is wrong is the cause."""

import platform
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from cache_core.clock import SystemClock
from katana_client import KatanaClient
from katana_client.budget import Budget, SlidingWindowBudget
from katana_client.sending import Patience
from katana_mcp import __version__
from katana_mcp.commands.cache.job import Line, Report, Sheet
from katana_mcp.commands.cache.screen import bars, print_report
from katana_mcp.commands.doctor.account import account_findings
from katana_mcp.commands.doctor.finding import Finding
from katana_mcp.commands.doctor.local import cache_findings, catalog_findings, host_findings
from katana_mcp.commands.doctor.shapes import CollectionShape, shapes_of
from katana_mcp.configuration import logs
from katana_mcp.configuration.settings import Settings, SettingsError
from katana_mcp.server.account import account
from katana_mcp.server.wiring import Environment, check_account, route, shared_budget
from katana_mcp.tools.answers import so_many

_PATIENCE = Patience(tries=2, seconds=20.0)
_SHOWN = 8
"""Findings of a collection that people are shown."""
_SAID = {"fine": ("ok", True), "wrong": ("wrong", False), "advice": ("look", None)}
"""The word of each state for people, and whether it is good news."""
_OF_KATANA = ("network", "clock", "time zone")
_OF_SETTINGS = ("key", *_OF_KATANA, "cache", "journal", "catalogue")
"""What cannot be checked without Katana's answer, and without settings."""


async def examine(settings: Settings, *, shapes: bool, as_json: bool) -> int:
    """Look, print, and return the exit code: 0 nothing is wrong, 1 something is."""
    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "ERROR")
    account_settings, outside = account(settings)
    findings, collections = [_versions()], list[CollectionShape]()
    try:
        check_account(account_settings)
    except SettingsError as error:
        findings.append(Finding("key", "wrong", str(error), "create a key in Katana, Settings > API, and set it"))
    else:
        findings.append(Finding("key", "fine", _key(account_settings)))
        async with _client(account_settings, outside) as client:
            findings += await account_findings(client, SystemClock(), _called(account_settings))
            if shapes and findings[-1].state != "wrong":
                with bars() as tell:
                    collections = await shapes_of(client, tell)
    findings += [
        *await cache_findings(account_settings, outside),
        *catalog_findings(account_settings),
        *host_findings(),
    ]
    return _ended(findings, collections, _OF_KATANA, as_json=as_json)


def without_settings(error: SettingsError, *, as_json: bool) -> int:
    """Tell what is wrong with the settings, and look at what needs none."""
    wrong = Finding("settings", "wrong", str(error), "set it right, in the environment, in .env or as a flag")
    return _ended([_versions(), wrong, *host_findings()], [], _OF_SETTINGS, as_json=as_json)


def _ended(
    findings: Sequence[Finding], collections: Sequence[CollectionShape], expected: Sequence[str], *, as_json: bool
) -> int:
    made = {finding.what for finding in findings}
    report = _report(findings, collections, [name for name in expected if name not in made])
    print_report(report, as_json=as_json)
    return int(not report.fine)


@asynccontextmanager
async def _client(settings: Settings, outside: Environment) -> AsyncGenerator[KatanaClient]:
    """Yield a client that shares the minute's requests with servers of the account, and gives up soon."""
    budget: Budget = shared_budget(settings, outside) or SlidingWindowBudget(SystemClock())
    client = KatanaClient(
        settings.api_key.get_secret_value(),
        settings.base_url,
        transport=outside.transport,
        route=route(settings),
        clock=outside.clock,
        budget=budget,
        patience=_PATIENCE,
    )
    async with client:
        yield client


def _versions() -> Finding:
    message = (
        f"katana-mcp {__version__}, Python {platform.python_version()}, FastMCP {version('fastmcp')}, {sys.platform}"
    )
    return Finding("versions", "fine", message)


def _key(settings: Settings) -> str:
    if settings.runs_own_sandbox:
        return "none is needed: invented data, --sandbox"
    length = so_many(len(settings.api_key.get_secret_value().strip()), "character")
    return f"set, {length}, for {settings.base_url}"


def _called(settings: Settings) -> str:
    return "the sandbox" if settings.runs_own_sandbox else settings.base_url


def _report(findings: Sequence[Finding], collections: Sequence[CollectionShape], not_checked: Sequence[str]) -> Report:
    every = [*findings, *(finding for collection in collections for finding in collection.findings)]
    shown = [*findings, *(finding for collection in collections for finding in few(collection))]
    sheets = [Sheet((), [_line(finding) for finding in shown], is_prose=True)]
    if collections:
        head = ("collection", "records", "read", "ids", "largest record")
        sheets.append(Sheet(head, [Line(collection.cells()) for collection in collections]))
    wrong, advised = (sum(finding.state == state for finding in every) for state in ("wrong", "advice"))
    notes = [f"{wrong} of {len(every)} {'is' if wrong == 1 else 'are'} wrong" if wrong else "nothing is wrong"]
    if advised:
        notes.append(f"{advised} to look at" + ("" if wrong else "; the server works all the same"))
    if not_checked:
        notes.append(f"not checked, because of what is wrong above: {', '.join(not_checked)}")
    return Report(
        {
            "checks": [finding.data() for finding in every],
            "not_checked": [*not_checked],
            "collections": [collection.data() for collection in collections],
        },
        sheets=tuple(sheets),
        notes=tuple(notes),
        fine=not wrong,
    )


def _line(finding: Finding) -> Line:
    word, good = _SAID[finding.state]
    return Line((word, finding.what, finding.message, finding.advice and f"do: {finding.advice}"), good)


def few(shape: CollectionShape) -> list[Finding]:
    """Return the first findings of a collection, and how many more there are."""
    more = len(shape.findings) - _SHOWN
    rest = [Finding(shape.name, "advice", f"{more} more", "--json names them all")] if more > 0 else []
    return [*shape.findings[:_SHOWN], *rest]
