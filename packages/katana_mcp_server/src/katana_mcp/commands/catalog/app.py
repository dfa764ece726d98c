"""The command line of `katana-mcp catalog`: what can be typed. No key of an account is needed."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from katana_mcp.commands.cache.app import AsJson
from katana_mcp.commands.commandline import VARIABLES, flags_of, given
from katana_mcp.configuration.settings import CatalogChoice, load_catalog_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pydantic import BaseModel

    from katana_mcp.commands.cache.job import Report

    Flags = BaseModel
    type Command = Callable[[CatalogChoice], Coroutine[object, object, Report]]
else:
    Flags = flags_of(name for name in CatalogChoice.model_fields if name != "catalog")

type Given = Annotated[Flags | None, Parameter(name="*")]

app = App(
    name="catalog",
    help="Look at the catalogue of tools, ours and those of other servers: what is meant to be served, and what is.",
    help_epilogue=f"{VARIABLES}\n\nExit codes: 0 equal, 1 drift or pending, 2 bad input.",
)


@app.command
def render(*, as_json: AsJson = False, flags: Given = None) -> None:
    """Render the intended catalogue from what was written and adopted; no other server is asked.

    Args:
        as_json: print it whole.
        flags: settings.
    """
    from katana_mcp.commands.catalog import looking as command  # noqa: PLC0415 - imports FastMCP, 1.7 s of CPU

    _run(command.render, flags, as_json=as_json)


@app.command(name="list")
def list_tools(
    *, live: Annotated[bool, Parameter(negative="")] = False, as_json: AsJson = False, flags: Given = None
) -> None:
    """List the tools that are meant to be served, and what each and each server costs the model.

    Args:
        live: list those that were served when a server last looked, and why others were not.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.catalog import looking as command  # noqa: PLC0415 - as above

    _run(lambda choice: command.list_tools(choice, live=live), flags, as_json=as_json)


@app.command
def diff(*, live: Path | None = None, url: str | None = None, as_json: AsJson = False, flags: Given = None) -> None:
    """Tell how what was served when a server last looked differs from what is meant, part by part.

    Args:
        live: another live catalogue than the one of this machine.
        url: ask the server at this address what it lists now, as a host would; its token is read from
            KATANA_MCP_HTTP_TOKEN in the environment.
        as_json: print JSON for programs, with old and new.
        flags: settings.
    """
    if url is not None:
        from katana_mcp.commands.catalog import asking  # noqa: PLC0415 - as above

        _run(lambda choice: asking.diff(choice, url), flags, as_json=as_json)
    from katana_mcp.commands.catalog import looking as command  # noqa: PLC0415 - as above

    _run(lambda choice: command.diff(choice, live), flags, as_json=as_json)


@app.command
def verify(*, as_json: AsJson = False, flags: Given = None) -> None:
    """Render, start the other servers, list, and compare: for CI. Nothing is written.

    Args:
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.catalog import asking as command  # noqa: PLC0415 - as above

    _run(command.verify, flags, as_json=as_json)


@app.command(usage="Usage: katana-mcp catalog adopt [OPTIONS] [SERVER[.TOOL]...]")
def adopt(
    *targets: str,
    additive: Annotated[bool, Parameter(negative="")] = False,
    yes: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Given = None,
) -> None:
    """Ask the servers, show what changed, and adopt it: write it into the lock beside the catalogue.

    Args:
        targets: servers, or single tools of them; every server without any.
        additive: only tools that break nobody and say the same.
        yes: do not ask.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.catalog import asking as command  # noqa: PLC0415 - as above

    _run(lambda choice: command.adopt(choice, targets, additive=additive, yes=yes), flags, as_json=as_json)


@app.command
def history(*, as_json: AsJson = False, flags: Given = None) -> None:
    """List what was served before, the newest last.

    Args:
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.catalog import looking as command  # noqa: PLC0415 - as above

    _run(command.history, flags, as_json=as_json)


def _run(command: "Command", flags: Flags | None, *, as_json: bool) -> None:
    from katana_mcp.commands.cache.screen import print_report  # noqa: PLC0415 - Rich, 0.2 s
    from katana_mcp.configuration import logs  # noqa: PLC0415 - as above

    choice = load_catalog_choice(**given(flags))
    logs.configure("ERROR")
    report = asyncio.run(command(choice))
    print_report(report, as_json=as_json)
    raise SystemExit(0 if report.fine else 1)
