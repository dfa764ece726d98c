"""`katana-mcp`: serve MCP, list the tools, run the demo, look after the cache.

Bad input ends with one sentence and exit code 2.
"""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated

import cyclopts
from cyclopts import App, Parameter

from katana_mcp import __version__
from katana_mcp.cache_commands.app import app as cache
from katana_mcp.commandline import flags_of, settings_of
from katana_mcp.settings import Settings, SettingsError

app = App(
    name="katana-mcp",
    version=__version__,
    help="An MCP server through which an assistant runs a factory on Katana.",
    help_epilogue="Every flag is also an environment variable and can stand in .env; flags win.",
)
app.command(cache)


if TYPE_CHECKING:
    from pydantic import BaseModel

    Flags = BaseModel
else:
    Flags = flags_of(Settings.model_fields)


@app.command
def serve(*, flags: Annotated[Flags | None, Parameter(name="*")] = None) -> None:
    """Serve MCP over stdio, or over HTTP with --http."""
    settings = settings_of(flags)
    # FastMCP takes 1.7 s of CPU to import: only serving pays for it.
    from katana_mcp.adapter.doors import serve as serve_doors  # noqa: PLC0415
    from katana_mcp.application import application  # noqa: PLC0415
    from katana_mcp.logs import configure  # noqa: PLC0415

    configure(settings.log_level)
    asyncio.run(serve_doors(application(settings), settings))


@app.command
def tools(*, as_json: Annotated[bool, Parameter(name="--json", negative="")] = False) -> None:
    """List the tools: names and purpose, or with --json everything that a host is told."""
    from katana_mcp.adapter.catalogue import as_listed, catalogue  # noqa: PLC0415 - imports FastMCP, 1.7 s of CPU

    sys.stdout.write(json.dumps(catalogue(), indent=1, ensure_ascii=False) if as_json else as_listed())
    sys.stdout.write("\n")


@app.command
def demo(*, no_color: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Run the main job on the sandbox: a real server, a real MCP client, a working session."""
    from katana_mcp.demo.show import run  # noqa: PLC0415 - imports the sandbox, which only the demo needs

    raise SystemExit(asyncio.run(run(color=not no_color and sys.stdout.isatty())))


def main() -> None:
    """Run the command line; exit code 2 and one sentence for bad input."""
    arguments = sys.argv[1:]
    known = {"serve", "tools", "demo", "--help", "-h", "--version"}
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in known):
        arguments = ["serve", *arguments]
    try:
        app(arguments, print_error=False, exit_on_error=False)
    except SettingsError as error:
        _stop(str(error))
    except cyclopts.CycloptsError as error:
        _stop(" ".join(str(error).split()))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _stop(sentence: str) -> None:
    sys.stderr.write(f"katana-mcp: {sentence}\n")
    raise SystemExit(2)
