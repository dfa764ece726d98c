"""Runs a command on the account of the settings; every failure ends in one sentence."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import urlsplit

from cache_core.clock import SystemClock
from cache_core.errors import CacheError
from katana_client.sending import RequestRecord
from katana_mcp.caches.cache_files import BadInput, NotDone, require_usable
from katana_mcp.commands.cache.job import Job, Report
from katana_mcp.commands.cache.screen import bars, print_report
from katana_mcp.configuration import logs
from katana_mcp.configuration.settings import Settings
from katana_mcp.server.account import account
from katana_mcp.server.wiring import Environment, cache_directory, check_account, log_request, silence_of

type Command = Callable[[Job], Awaitable[Report]]


async def run(command: Command, settings: Settings, *, as_json: bool) -> int:
    """Return the exit code: 0 fine, 1 not.

    Raises:
        SettingsError: bad input.
    """
    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "ERROR")
    account_settings, found = account(settings)
    if account_settings.api_key.get_secret_value():  # a sandbox that runs elsewhere needs none to look at its cache
        check_account(account_settings)
    outside = telling(found, account_settings.base_url)
    directory = cache_directory(account_settings, outside)
    if directory is None:
        raise BadInput("the sandbox keeps its cache only where told: name a directory with --cache-dir")
    try:
        require_usable(directory)
        with bars() as tell:
            job = Job(
                settings=account_settings,
                outside=outside,
                flags=account_settings.flags(),
                directory=directory,
                clock=SystemClock(),
                tell=tell,
            )
            report = await command(job)
    except (NotDone, CacheError) as error:
        sys.stderr.write(f"katana-mcp: {error}\n")
        return 1
    print_report(report, as_json=as_json)
    return 0 if report.fine else 1


def telling(outside: Environment, base_url: str) -> Environment:
    """Return the same outside, which tells on stderr when Katana has to be asked again, once until it answers."""
    host, silent = urlsplit(base_url).netloc, False

    def tell(request: RequestRecord) -> None:
        nonlocal silent
        log_request(request)
        how = silence_of(request)
        working = asyncio.current_task()
        if working is not None and working.cancelling():
            return
        if how is not None and not silent:
            sys.stderr.write(f"katana-mcp: {host} {how}: it is asked again\n")
        silent = how is not None

    return replace(outside, on_request=tell)
