"""From settings to a running server: what the command line starts."""

from typing import Any

from fastmcp import FastMCP

from katana_mcp.accounts import account
from katana_mcp.adapter.doors import verifier
from katana_mcp.adapter.server import build_server
from katana_mcp.settings import Settings, SettingsError
from katana_mcp.surface import chosen
from katana_mcp.wiring import Outside, connected


def application(settings: Settings, outside: Outside | None = None) -> FastMCP[Any]:
    """Return the server for these settings; nothing is opened or asked before the first read.

    Raises:
        SettingsError: a setting that cannot work, in one sentence.
    """
    try:
        tools = chosen(settings.tools, settings.toolsets, settings.exclude_tools)
    except ValueError as error:
        raise SettingsError(f"KATANA_MCP_TOOLS, KATANA_MCP_TOOLSETS, KATANA_MCP_EXCLUDE_TOOLS: {error}") from None
    guard = verifier(settings)
    tenant = connected(*((settings, outside) if outside is not None else account(settings)))
    return build_server(tools, tenant, auth=guard)
