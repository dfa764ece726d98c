"""`katana-mcp`: serve MCP, list the tools, run the demo, bring the cache up to date, look after it.

Bad input ends with one sentence and exit code 2.
"""

import asyncio
import errno
import gc
import json
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Literal

import cyclopts
from cyclopts import App, Parameter

from katana_mcp import __version__
from katana_mcp.commands.cache.app import app as cache
from katana_mcp.commands.cache.app import sync, usage
from katana_mcp.commands.catalog.app import app as catalog
from katana_mcp.commands.commandline import VARIABLES, flags_of, given, sentence, settings_of, words_of
from katana_mcp.commands.doctor.app import doctor
from katana_mcp.commands.hosts.app import USAGE, install
from katana_mcp.commands.journal.app import app as journal
from katana_mcp.configuration.settings import API, Choice, Settings, SettingsError, load, load_choice

app = App(
    name="katana-mcp",
    version=__version__,
    help="An MCP server through which an assistant works with a factory on Katana; it writes nothing "
    "without a preview.\n\nWithout a command it serves, as katana-mcp serve does.",
    help_epilogue=VARIABLES,
)
app.command(cache)
app.command(catalog)
app.command(journal)
app.command(sync, usage=usage("katana-mcp sync"))
app.command(install, usage=USAGE)
app.command(doctor)

type ChapterName = Literal["buying", "making", "selling", "correcting", "goods", "all"]

if TYPE_CHECKING:
    from pydantic import BaseModel

    Flags = BaseModel
    ChoiceFlags = BaseModel
else:
    Flags = flags_of(Settings.model_fields)
    ChoiceFlags = flags_of((*Choice.model_fields, "sandbox"))


@app.command
def serve(*, flags: Annotated[Flags | None, Parameter(name="*")] = None) -> None:
    """Serve MCP over stdio, or over HTTP with --http."""
    settings = settings_of(flags)
    # What is imported stays: to look through it for garbage takes 0.2 s of the start, and 0.1 s each time later.
    gc.disable()
    try:
        # FastMCP takes 1.5 s of CPU to import: only serving pays for it.
        from katana_mcp.configuration.logs import configure  # noqa: PLC0415
        from katana_mcp.server.application import application  # noqa: PLC0415
        from katana_mcp.server.mcp.transports import leave  # noqa: PLC0415
        from katana_mcp.server.mcp.transports import serve as serve_doors  # noqa: PLC0415

        configure(settings.log_level)
        server = application(settings)
        gc.freeze()
    finally:
        gc.enable()
    signal.signal(signal.SIGINT, leave)
    asyncio.run(serve_doors(server, settings))


@app.command
def completion(shell: Literal["bash", "zsh", "fish", "powershell"], /) -> None:
    """Print what has a shell complete commands and options."""
    sys.stdout.write(app.generate_completion(shell=shell))


@app.command
def tools(
    *,
    as_json: Annotated[
        bool, Parameter(name="--json", negative="", help="Print JSON: all that a host is told.")
    ] = False,
    markdown: Annotated[
        bool, Parameter(negative="", help="Print docs/reference/tools.md, of the chosen tools.")
    ] = False,
    flags: Annotated[ChoiceFlags | None, Parameter(name="*")] = None,
) -> None:
    """List the tools as a host would see them: names and purpose, with --json everything that it is told.

    With --markdown, the page docs/reference/tools.md, whatever is listed. No account is asked, so that --sandbox lists
    the same.
    """
    if as_json and markdown:
        raise SettingsError("--json and --markdown cannot be given together: choose one of them")
    choice = load_choice(**given(flags))
    from katana_mcp.server.catalogue import served, unlisted  # noqa: PLC0415 - imports every tool, 0.4 s of CPU
    from katana_mcp.server.mcp.catalogue import as_listed, as_reference, listing  # noqa: PLC0415 - imports FastMCP, 1.7 s of CPU

    specs = served(choice)
    if markdown:
        sys.stdout.write(as_reference(specs))
        return
    hidden = unlisted(specs, choice)
    listed = asyncio.run(listing(specs, hidden))
    sys.stdout.write(json.dumps(listed, indent=1, ensure_ascii=False) if as_json else as_listed(listed, hidden))
    sys.stdout.write("\n")


@app.command(usage="Usage: katana-mcp call [OPTIONS] TOOL [NAME=VALUE...]")
def call(
    tool: str,
    /,
    *arguments: str,
    arguments_json: Annotated[str | None, Parameter(name="--arguments", allow_leading_hyphen=True)] = None,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
) -> None:
    """Call one tool, and print its answer as JSON.

    What writes asks for the same preview first, and on a terminal you are asked before anything is written.

    Exit codes: 0 answered, 1 refused, with the refusal on stdout, not wholly applied, or answered while the first sync
    is running, so that rows may be missing, 2 bad input, 130 stopped with Ctrl-C, 143 by SIGTERM: what is known of it
    is on stderr. A plan that is being applied is ended first.

    Args:
        tool: its name, as katana-mcp tools lists it; every tool can be called unless toolsets or tools choose some.
        arguments: NAME=VALUE, as in query=fork or ids=[1,2]; katana-mcp tools --markdown --tools TOOL explains them.
        arguments_json: a JSON object of arguments, for what text cannot say, such as null; - reads it from stdin.
        flags: settings.
    """
    since, settings = datetime.now(UTC), settings_of(flags)
    usual = gc.get_threshold()
    # What is loaded stays: to look through it for garbage as often as usual takes 0.7 s of CPU.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    with _terminable() as terminated:
        try:
            from katana_mcp.commands.calling import arguments_of  # noqa: PLC0415 - imports FastMCP, 1.7 s of CPU
            from katana_mcp.commands.calling import call as called  # noqa: PLC0415 - as above
            from katana_mcp.server.mcp.finder import CALL, FIND  # noqa: PLC0415 - as above

            if not (settings.toolsets or settings.tools or tool in {FIND, CALL}):
                settings = load(**given(flags), toolsets=("all",))
            code = asyncio.run(called(settings, tool, arguments_of(arguments, arguments_json), words_of(flags)))
        except KeyboardInterrupt:
            from katana_mcp.commands.stopped import known  # noqa: PLC0415 - as above

            sys.stderr.write(f"katana-mcp: stopped; {known(settings, tool, since)}\n")
            code = 128 + (signal.SIGTERM if terminated else signal.SIGINT)
        finally:
            gc.set_threshold(*usual)
    raise SystemExit(code)


@contextmanager
def _terminable() -> Generator[list[int]]:
    """Have SIGTERM do what Ctrl-C does; yield the signals that did."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)
        signal.raise_signal(signal.SIGINT)

    usual = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, usual)


_OBJECTS_BETWEEN_LOOKS = 50_000


@app.command(usage="Usage: katana-mcp demo [OPTIONS] [CHAPTER]")
def demo(
    chapter: Annotated[ChapterName, Parameter(help="Whose work is shown; all of them take about a minute.")] = "buying",
    /,
    *,
    no_color: Annotated[bool, Parameter(negative="", help="Plain text, as with NO_COLOR set.")] = False,
) -> None:
    """Run the main job on the sandbox: a real server, a real MCP client, a working session."""
    from katana_mcp.commands.demo.chapters import CHAPTERS  # noqa: PLC0415 - imports the sandbox, which only the demo needs
    from katana_mcp.commands.demo.show import run  # noqa: PLC0415 - as above

    load(sandbox=True, base_url=API)
    shown = tuple(candidate for candidate in CHAPTERS if chapter in {candidate.name, "all"})
    raise SystemExit(asyncio.run(run(shown, color=not no_color)))


def main() -> None:
    """Run the command line.

    Exit code 2 and one sentence for bad input, 74 and one where the output has no room, 130 for Ctrl-C, 141 for a
    reader that left.
    """
    arguments = sys.argv[1:]
    top_level = {"serve", "tools", "call", "demo", "--help", "-h", "--version"}
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in top_level):
        arguments = ["serve", *arguments]
    try:
        _run(arguments)
    except SettingsError as error:
        _stop(str(error))
    except cyclopts.CycloptsError as error:
        _stop(sentence(error))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        _discard_output()
        raise SystemExit(141) from None
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _discard_output()
        _stop(f"the output could not be written whole: {error.strerror}", 74)


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def _discard_output() -> None:
    # What is left in the buffer would fail once more at the end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> None:
    try:
        app(arguments, print_error=False, exit_on_error=False)
    finally:
        # A command ends by SystemExit; what it wrote must fail here, not while the interpreter ends.
        sys.stdout.flush()


def _stop(sentence: str, code: int = 2) -> None:
    sys.stderr.write(f"katana-mcp: {sentence}\n")
    raise SystemExit(code)
