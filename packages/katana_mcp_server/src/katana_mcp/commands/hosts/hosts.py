"""The hosts that start the server themselves: the file in which each lists its servers, and how it lists one.

Sources: the pages on MCP of Claude Desktop, Claude Code, Cursor, Visual Studio Code and goose.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs

type HostName = Literal["claude-desktop", "claude-code", "cursor", "vscode", "goose"]
type Listed = dict[str, object]
"""How a host lists one server."""


@dataclass(frozen=True, slots=True)
class Start:
    """How the server is started.

    Attributes:
        name: what the host calls it.
        command: the program, with its whole path.
        args: what it is given; holds no secret.
        env: what its environment has besides the host's own; may hold keys.
    """

    name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A program that starts MCP servers.

    Attributes:
        title: what people call it.
        key: where its file lists servers.
        file: returns where that file is, for this user.
        project_file: the same below a project's directory; None where it has none.
        listed: returns how it lists a server.
        then: what a person does next.
    """

    title: str
    key: str
    file: Callable[[], Path]
    listed: Callable[[Start], Listed]
    then: str
    project_file: Path | None = None


def plain(start: Start) -> Listed:
    """Return the form that most hosts read."""
    env: Listed = {"env": dict(start.env)} if start.env else {}
    return {"command": start.command, "args": list(start.args), **env}


def _typed(start: Start) -> Listed:
    return {"type": "stdio", **plain(start)}


def _as_extension(start: Start) -> Listed:
    env: Listed = {"envs": dict(start.env)} if start.env else {}
    return {
        "enabled": True,
        "type": "stdio",
        "name": start.name,
        "cmd": start.command,
        "args": list(start.args),
        **env,
        "timeout": _GOOSE_SECONDS,
    }


_GOOSE_SECONDS = 300
"""How long goose waits for an answer: its own default, which it wants to be told."""


def _settings_of(program: str) -> Path:
    """Return where a program of this system keeps the settings of this user."""
    return platformdirs.PlatformDirs(program, appauthor=False, roaming=True).user_config_path


def _goose_file() -> Path:
    if sys.platform == "win32":
        return _settings_of("Block") / "goose" / "config" / "config.yaml"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "goose" / "config.yaml"


HOSTS: Mapping[HostName, Host] = {
    "claude-desktop": Host(
        title="Claude Desktop",
        key="mcpServers",
        file=lambda: _settings_of("Claude") / "claude_desktop_config.json",
        listed=plain,
        then="quit Claude Desktop and start it again",
    ),
    "claude-code": Host(
        title="Claude Code",
        key="mcpServers",
        file=lambda: Path.home() / ".claude.json",
        listed=_typed,
        then="start a new session of Claude Code; /mcp shows whether it is connected",
        project_file=Path(".mcp.json"),
    ),
    "cursor": Host(
        title="Cursor",
        key="mcpServers",
        file=lambda: Path.home() / ".cursor" / "mcp.json",
        listed=plain,
        then="open Cursor's settings, Tools & MCP, and switch it on",
        project_file=Path(".cursor", "mcp.json"),
    ),
    "vscode": Host(
        title="VS Code",
        key="servers",
        file=lambda: _settings_of("Code") / "User" / "mcp.json",
        listed=_typed,
        then="run the command MCP: List Servers in VS Code and start it",
        project_file=Path(".vscode", "mcp.json"),
    ),
    "goose": Host(
        title="goose",
        key="extensions",
        file=_goose_file,
        listed=_as_extension,
        then="start a new session of goose",
    ),
}
"""By what is typed."""
