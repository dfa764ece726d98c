"""The command line of `katana-mcp journal`: what can be typed. None writes to Katana."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from katana_mcp.commands.cache.app import AsJson, run_command
from katana_mcp.commands.commandline import VARIABLES, flags_of, words_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    Flags = BaseModel
else:
    Flags = flags_of(("env_file", "api_key_file", "base_url", "sandbox", "cache_dir", "log_level"))

type Given = Annotated[Flags | None, Parameter(name="*")]

app = App(
    name="journal",
    help="Look at the journal of your account: which writes were planned, applied, or ended unknown.",
    help_epilogue=f"{VARIABLES}\n\nExit codes: 0 fine, 1 failed, or with reconcile not all is known, 2 bad input.",
)


@app.command(name="list")
def list_entries(*, limit: int = 20, before: int | None = None, as_json: AsJson = False, flags: Given = None) -> None:
    """List the newest plans and what became of them.

    Args:
        limit: at most this many.
        before: only plans older than this entry.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.journal import look as command  # noqa: PLC0415 - with Rich 0.2 s, which serving never needs

    run_command(lambda job: command.entries(job, limit, before), flags, as_json=as_json)


@app.command(usage="Usage: katana-mcp journal show [OPTIONS] ENTRY")
def show(entry: int, /, *, as_json: AsJson = False, flags: Given = None) -> None:
    """Show one plan: what was to be sent, how each action ended, and the command that plans to undo it.

    Args:
        entry: its number in the list.
        as_json: print JSON for programs, with everything that was planned and answered.
        flags: settings.
    """
    from katana_mcp.commands.journal import look as command  # noqa: PLC0415 - as above

    run_command(lambda job: command.entry(job, entry, words_of(flags)), flags, as_json=as_json)


@app.command
def reconcile(*, as_json: AsJson = False, flags: Given = None) -> None:
    """Look up again in Katana what no answer told the end of, or was left by a server that ended; sends nothing again.

    That is what ended unknown, and what counts as applied by what Katana listed alone.
    What is found is noted: applied, or still unknown. Exit codes: 0 the end of every plan is known, 1 not yet.

    Args:
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.journal import reconcile as command  # noqa: PLC0415 - as above

    run_command(command.reconcile, flags, as_json=as_json)


@app.command
def export(*, flags: Given = None) -> None:
    """Write every entry as a line of JSON, the newest first.

    Args:
        flags: settings.
    """
    from katana_mcp.commands.journal import look as command  # noqa: PLC0415 - as above

    run_command(command.export, flags, as_json=True)
