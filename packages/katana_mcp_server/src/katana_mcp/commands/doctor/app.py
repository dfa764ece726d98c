"""The command line of `katana-mcp doctor`: what can be typed."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from katana_mcp.commands.cache.app import AsJson
from katana_mcp.commands.commandline import flags_of, settings_of
from katana_mcp.configuration.settings import Settings, SettingsError

if TYPE_CHECKING:
    from pydantic import BaseModel

    Flags = BaseModel
else:
    Flags = flags_of(Settings.model_fields)


def doctor(
    *,
    shapes: Annotated[bool, Parameter(negative="")] = False,
    as_json: AsJson = False,
    flags: Annotated[Flags | None, Parameter(name="*")] = None,
) -> None:
    """Look at all that the server needs: versions, key, network, clock, zone, cache, journal, catalogue, hosts' files.

    One line each, and what to do where something is wrong. Nothing is changed, and no value of a record is shown.

    It takes the flags of katana-mcp serve: put doctor in place of serve in the command of your host. Those that say
    how Katana is reached, who asks and where files are kept are used; of the others it only checks the values.

    Exit codes: 0 nothing is wrong, 1 something is, 2 bad input, 130 stopped with Ctrl-C.

    Args:
        shapes: also read one page of each collection, which takes about a minute, and tell of fields, forms and words
            that this version does not know, of lengths of ids and of sizes; never a value.
        as_json: print JSON for programs.
        flags: settings.
    """
    from katana_mcp.commands.doctor import examining as command  # noqa: PLC0415 - with Rich 0.2 s, which serving never needs

    try:
        code = asyncio.run(command.examine(settings_of(flags), shapes=shapes, as_json=as_json))
    except SettingsError as error:
        code = command.without_settings(error, as_json=as_json)
    except KeyboardInterrupt:
        sys.stderr.write("katana-mcp: stopped\n")
        code = 130
    raise SystemExit(code)
