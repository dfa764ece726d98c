"""The command line of `katana-mcp install`: what can be typed."""

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from katana_mcp.commands.cache.app import AsJson
from katana_mcp.commands.commandline import flags_of, given
from katana_mcp.configuration.settings import Settings

if TYPE_CHECKING:
    from pydantic import BaseModel

    Flags = BaseModel
else:
    Flags = flags_of(Settings.model_fields)

type Chosen = Literal["claude-desktop", "claude-code", "cursor", "vscode", "goose", "print"]
USAGE = "Usage: katana-mcp install [OPTIONS] HOST"


def install(  # noqa: PLR0913 - each is an option of the command line
    host: Chosen,
    /,
    *,
    name: str = "katana",
    project: Annotated[bool, Parameter(negative="")] = False,
    uninstall: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
) -> None:
    """Tell a host how to start the server, with these settings and those of this shell; twice is the same as once.

    Only the server's own entry is written: what others put into the host's file stays. A key from the environment is
    written into it, and the file can then be read by you alone; one from a file of settings stays there.

    Exit codes: 0 done, 1 the file cannot be changed, 2 bad input.

    Args:
        host: whose file; print shows what most hosts read, and changes nothing.
        name: what the host calls the server.
        project: write the file of the project in this directory instead of the user's; it holds no key.
        uninstall: take the entry out again.
        as_json: print JSON for programs.
        flags: settings that the server is to be started with.
    """
    from katana_mcp.caches.cache_files import NotDone  # noqa: PLC0415 - imports both caches
    from katana_mcp.commands.cache.screen import print_report  # noqa: PLC0415 - with Rich 0.2 s, which serving never needs
    from katana_mcp.commands.hosts import install as command  # noqa: PLC0415 - with YAML 0.1 s

    wish = command.Wish(host=None if host == "print" else host, name=name, project=project, flags=given(flags))
    try:
        report = command.uninstall(wish) if uninstall else command.install(wish)
    except NotDone as error:
        sys.stderr.write(f"katana-mcp: {error}\n")
        raise SystemExit(1) from None
    print_report(report, as_json=as_json or host == "print")
