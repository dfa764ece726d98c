"""From settings to a running server: what the command line starts."""

from typing import Any

from fastmcp import FastMCP
from pydantic import SecretStr

from katana_mcp.adapter.doors import check_door
from katana_mcp.adapter.server import build_server
from katana_mcp.settings import Settings
from katana_mcp.surface import served
from katana_mcp.wiring import Outside, Tenant, connected


def application(settings: Settings, outside: Outside | None = None) -> FastMCP[Any]:
    """Return the server for these settings; nothing is opened or asked before the first read.

    Raises:
        SettingsError: a setting that cannot work, in one sentence.
    """
    tools = served(settings)
    check_door(settings)
    return build_server(tools, _tenant(settings, outside))


def _tenant(settings: Settings, outside: Outside | None) -> Tenant:
    if not settings.runs_own_sandbox or outside is not None:
        return connected(settings, outside)
    # The sandbox is loaded only when it was asked for.
    from katana_mcp.sandbox import OwnSandbox  # noqa: PLC0415

    own = OwnSandbox()
    known = settings.model_copy(update={"api_key": SecretStr(own.api_key), "sync_api_key": None})
    return connected(known, Outside(transport=own.transport(), in_memory=True))
