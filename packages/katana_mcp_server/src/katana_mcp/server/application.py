"""From settings to a running server: what the command line starts."""

from dataclasses import replace
from functools import partial
from typing import Any

from fastmcp import FastMCP

from katana_mcp.configuration.settings import Settings
from katana_mcp.server.account import account
from katana_mcp.server.catalogue import promised, served, unlisted
from katana_mcp.server.mcp.own_tools import OwnTools
from katana_mcp.server.mcp.server import build_server
from katana_mcp.server.mcp.telemetry import Measuring, both, measured
from katana_mcp.server.mcp.transports import check_door
from katana_mcp.server.wiring import Environment, connected, log_request, question_key_of


def application(settings: Settings, outside: Environment | None = None) -> FastMCP[Any]:
    """Return the server for these settings; nothing is opened or asked before the first read.

    Raises:
        SettingsError: a setting that cannot work.
    """
    tools = promised(served(settings), settings.flags())
    check_door(settings)
    hidden, others = unlisted(tools, settings), None
    if settings.catalog != "off":
        # Another server's client and its schemas: 0.25 s of CPU, which only those pay who have a catalogue.
        from katana_mcp.server.gateway import catalogued  # noqa: PLC0415

        tools, hidden, others = catalogued(settings, tools, None if outside is None else outside.clock)
    chosen = (settings, outside) if outside is not None else account(settings)
    key = partial(question_key_of, *chosen)
    instruments = measured(settings)
    if instruments is not None:
        on_request = chosen[1].on_request or log_request
        chosen = (chosen[0], replace(chosen[1], on_request=both(on_request, instruments.requested)))
    names = [tool.name for tool in tools]
    server = build_server(tools, connected(*chosen), unlisted=hidden, question_key=key, beside=others)
    # What is measured stands in the span that FastMCP makes on its own way to a tool.
    server.add_middleware(OwnTools(server, names) if instruments is None else Measuring(instruments))
    return server
