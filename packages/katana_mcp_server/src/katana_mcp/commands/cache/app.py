"""The command line of `katana-mcp cache`: what can be typed, and how every command ends."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from pydantic import BaseModel

from katana_mcp.commands.commandline import VARIABLES, flags_of, settings_of
from katana_mcp.configuration.settings import Choice, Settings

if TYPE_CHECKING:
    from katana_mcp.commands.cache.job import Job, Report

    Flags = BaseModel
    SyncFlags = BaseModel
else:
    _ASKED = ("env_file", "api_key_file", "base_url", "sandbox", "cache_dir", "log_level")
    Flags = flags_of([field for field in Settings.model_fields if field in _ASKED or field.startswith("cache_backend")])

    SyncFlags = flags_of([*Choice.model_fields, "fresh_for", *Flags.model_fields])

type AsJson = Annotated[bool, Parameter(name="--json", negative="", help="Print JSON for programs.")]
type Given = Annotated[Flags | None, Parameter(name="*")]
type Command = Callable[[Job], Awaitable[Report]]

app = App(
    name="cache",
    help="Look at, check, compare, move, rebuild or clear the cache of your account.",
    help_epilogue=f"{VARIABLES}\n\nExit codes: 0 fine, 1 differences, no-go or failed, 2 bad input, "
    "130 stopped with Ctrl-C.",
)


def usage(command: str) -> str:
    """Return the usage line of a command that takes entities, as its help names them."""
    return f"Usage: {command} [OPTIONS] [ENTITIES...]"


@app.command(usage=usage("katana-mcp cache status"))
def status(
    *entities: str,
    quarantine: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Given = None,
) -> None:
    """Show what is cached, how old it is and what could not be kept; asks Katana nothing, changes nothing.

    Args:
        entities: only these, such as variant or product.
        quarantine: list the records that could not be kept, with the reason.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import status as command  # noqa: PLC0415 - with Rich 0.2 s, which serving never needs

    run_command(lambda job: command.status(job, entities, quarantine=quarantine), flags, as_json=as_json)


@app.command(usage=usage("katana-mcp cache verify"))
def verify(*entities: str, as_json: AsJson = False, flags: Given = None) -> None:
    """Check the cache files, and compare two backends record by record where both hold an entity.

    Args:
        entities: only these, such as variant or product.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import verify as command  # noqa: PLC0415 - as above

    run_command(lambda job: command.verify(job, entities), flags, as_json=as_json)


@app.command(usage=usage("katana-mcp cache compare"))
def compare(
    *entities: str,
    run: int = 0,
    seed: int = 1,
    reset: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Given = None,
) -> None:
    """Show what the parallel run of a compare: flag has found, and whether the entity may be flipped.

    Args:
        entities: only these, such as variant or product.
        run: first compare this many generated reads of each entity.
        seed: of the generated reads; the same seed asks the same.
        reset: forget what was found so far.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import compare as command  # noqa: PLC0415 - as above

    more = command.More(run, seed, reset=reset)
    run_command(lambda job: command.compare(job, entities, more), flags, as_json=as_json)


@app.command(usage=usage("katana-mcp cache migrate"))
def migrate(*entities: str, to: str | None = None, as_json: AsJson = False, flags: Given = None) -> None:
    """Fill one backend from the other, and prove that both hold the same; asks Katana nothing.

    Args:
        entities: only these, such as variant or product.
        to: the backend to fill; by default the one that the entity's flag names.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import migrate as command  # noqa: PLC0415 - as above

    run_command(lambda job: command.migrate(job, entities, to), flags, as_json=as_json)


@app.command(usage=usage("katana-mcp cache rebuild"))
def rebuild(*entities: str, as_json: AsJson = False, flags: Given = None) -> None:
    """Fetch everything from Katana anew beside the cache, then swap; until then the old data stays.

    Args:
        entities: only these, such as variant or product.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import rebuild as command  # noqa: PLC0415 - as above

    run_command(lambda job: command.rebuild(job, entities), flags, as_json=as_json)


@app.command
def clear(
    *, yes: Annotated[bool, Parameter(negative="")] = False, as_json: AsJson = False, flags: Given = None
) -> None:
    """Delete all of this account's cache files, and nothing else.

    Args:
        yes: do not ask.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.cache import clear as command  # noqa: PLC0415 - as above

    run_command(lambda job: command.clear(job, yes=yes), flags, as_json=as_json)


def sync(
    *entities: str,
    watch: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Annotated[SyncFlags | None, Parameter(name="*")] = None,
) -> None:
    """Bring the cache up to date with Katana; stopped anywhere, the next run goes on there.

    Exit codes: 0 complete, 1 something is not, with what and why, 2 bad input, 130 stopped with Ctrl-C.

    Args:
        entities: only these, such as variant or product, and what they borrow from; by default all that the tools read.
        watch: keep it up to date until Ctrl-C or SIGTERM; one line for each time that something changed.
        as_json: print JSON for programs; with --watch one object per line.
        flags: settings.
    """
    from katana_mcp.commands.cache import sync as command  # noqa: PLC0415 - as above

    if watch:
        run_command(lambda job: command.watch(job, entities, as_json=as_json), flags, as_json=as_json)
    else:
        run_command(lambda job: command.sync(job, entities), flags, as_json=as_json)


def run_command(command: "Command", flags: BaseModel | None, *, as_json: bool) -> None:
    """Run a command on the account of the settings, and exit with its code; 130 when it was stopped."""
    from katana_mcp.commands.cache.running import run  # noqa: PLC0415 - as above

    try:
        code = asyncio.run(run(command, settings_of(flags), as_json=as_json))
    except KeyboardInterrupt:
        sys.stderr.write("katana-mcp: stopped\n")
        code = 130
    raise SystemExit(code)
