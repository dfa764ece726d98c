"""Puts the server into a host's file, takes it out again, or says what would stand there."""

import os
import re
import shutil
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from katana_mcp.caches.cache_files import BadInput, NotDone
from katana_mcp.commands.cache.job import Report
from katana_mcp.commands.commandline import options_of
from katana_mcp.commands.hosts.files import Entries, changed_file, read_entries
from katana_mcp.commands.hosts.hosts import HOSTS, Host, HostName, Start, plain
from katana_mcp.configuration.env_file import read_env_file
from katana_mcp.configuration.settings import SECRETS, Settings, load, variable
from katana_mcp.server.catalogue import served
from katana_mcp.server.wiring import check_account

PROGRAM = "katana-mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be done.

    Attributes:
        host: whose file; None prints what most hosts read.
        name: what the host is to call the server.
        project: the file of the working directory's project instead of the user's.
        flags: of `serve`, as they were typed.
    """

    host: HostName | None
    name: str
    project: bool
    flags: Mapping[str, object]


def install(wish: Wish) -> Report:
    """List the server in the host's file, as it is to be started; what others put there stays.

    Raises:
        SettingsError: with these settings the server would not start.
        NotDone: the file cannot be changed.
    """
    start = _start(wish)
    if wish.host is None:
        return Report({"mcpServers": {wish.name: plain(start)}})
    host = HOSTS[wish.host]
    path = _file_of(host, wish)
    keys = sorted(start.env.keys() & {variable(secret) for secret in SECRETS})
    if wish.project and keys:
        raise BadInput(
            f"{path} belongs to a project, and may be shared: keep the key in a file that only you can read, and name "
            "it with --env-file"
        )
    listed = host.listed(start)

    def put(entries: Entries) -> None:
        servers = _servers(entries, host, path)
        _refuse_foreign(servers.get(wish.name), wish.name, path)
        servers[wish.name] = listed
        entries[host.key] = servers

    changed = changed_file(path, put, private=bool(keys))
    what = "is listed" if changed else "was listed already"
    notes = [f"{wish.name} {what} in {path}; {host.then}"]
    if keys:
        notes.append(f"it holds {', '.join(keys)} now: only you can read it; do not share it")
    return Report(_data(wish, path, changed=changed), notes=tuple(notes))


def uninstall(wish: Wish) -> Report:
    """Take the server out of the host's file; what others put there stays.

    Raises:
        NotDone: the file cannot be changed.
    """
    if wish.host is None:
        raise BadInput("print changes no file, so there is nothing to take out")
    host = HOSTS[wish.host]
    path = _file_of(host, wish)

    def take(entries: Entries) -> None:
        servers = _servers(entries, host, path)
        _refuse_foreign(servers.get(wish.name), wish.name, path)
        if servers.pop(wish.name, None) is not None:
            entries[host.key] = servers

    changed = path.exists() and changed_file(path, take)
    message = "is not listed any more" if changed else "was not listed"
    return Report(_data(wish, path, changed=changed), notes=(f"{wish.name} {message} in {path}",))


def found(name: HostName, *, project: bool = False) -> dict[str, list[str]]:
    """Return each entry of this program in a host's file: its name, and the command line that it starts.

    Raises:
        NotDone: the file cannot be read.
    """
    host = HOSTS[name]
    path = host.project_file if project and host.project_file is not None else host.file()
    servers = _servers(read_entries(path), host, path)
    return {entry: line for entry, listed in servers.items() if _is_ours(line := _command_line(listed))}


def _data(wish: Wish, path: Path, *, changed: bool) -> dict[str, object]:
    return {"host": wish.host, "file": str(path), "name": wish.name, "changed": changed}


def _file_of(host: Host, wish: Wish) -> Path:
    if not wish.project:
        return host.file()
    if host.project_file is None:
        raise BadInput(f"{host.title} has no file of a project: leave --project out")
    return Path.cwd() / host.project_file


def _servers(entries: Entries, host: Host, path: Path) -> dict[str, Any]:
    servers = entries.get(host.key)
    if servers is None:
        return {}
    if not isinstance(servers, dict):
        raise NotDone(f"{host.key} in {path} is no table of servers: mend it by hand")
    return cast("dict[str, Any]", servers)


def _refuse_foreign(listed: object, name: str, path: Path) -> None:
    """Refuse to write over what starts another program."""
    if listed is not None and not _is_ours(_command_line(listed)):
        raise NotDone(f"{path} lists another server as {name}: choose another name with --name, or take it out by hand")


def _command_line(listed: object) -> list[str]:
    if not isinstance(listed, dict):
        return []
    entry = cast("dict[str, object]", listed)
    command, args = entry.get("command") or entry.get("cmd"), entry.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return []
    return [command, *map(str, cast("list[object]", args))]


def _is_ours(line: list[str]) -> bool:
    return any(_NAMES.fullmatch(Path(word).name) for word in line)


_NAMES = re.compile(r"katana-(?:factory-)?mcp(?:\.exe)?(?:[@=].+)?")
"""The program, and the package that brings it, as `uvx` is told of it."""


def _start(wish: Wish) -> Start:
    """Return how the server is started so that it has the settings that were typed, and those of this shell."""
    settings = load(**wish.flags)
    if settings.http:
        raise BadInput("a host starts the server over stdio: leave --http out, or give the host its address by hand")
    served(settings)
    if not settings.runs_own_sandbox:
        check_account(settings)
    flags, file = dict(wish.flags), read_env_file(settings.env_file)
    if any(name.upper().startswith("KATANA") for name in file.names):
        flags["env_file"] = file.path
    unwanted = {"env_file", "http_token", *(_KEYS if settings.runs_own_sandbox else ())}
    return Start(wish.name, _program(), ("serve", *_typed(flags)), _of_this_shell(unwanted))


_KEYS = frozenset({"api_key", "api_key_file", "api_key_keyring", "sync_api_key"})


def _of_this_shell(unwanted: Collection[str]) -> dict[str, str]:
    """Return the settings that the environment gives here, and would not give where the host starts the server."""
    variables = {variable(field) for field in Settings.model_fields.keys() - set(unwanted)}
    return {name: value for name, value in sorted(os.environ.items()) if name.upper() in variables and value}


def _typed(flags: Mapping[str, object]) -> list[str]:
    """Return flags as they are typed; what is relative to here is made whole."""
    whole = {name: _absolute(value) if name in _PLACES else value for name, value in flags.items()}
    return [word for option in options_of(whole) for word in option]


def _absolute(place: object) -> Path:
    return Path(str(place)).expanduser().absolute()


_PLACES = frozenset({"env_file", "api_key_file", "cache_dir", "catalog_file"})


def _program() -> str:
    """Return this program with its whole path: hosts know no PATH of a shell.

    Raises:
        NotDone: it stands in a place that is cleared now and then.
    """
    beside = Path(sys.executable).with_name(Path(sys.argv[0]).name)
    path = beside if beside.exists() and beside.stem == PROGRAM else Path(shutil.which(PROGRAM) or sys.argv[0])
    if _PASSING in path.parts:
        raise NotDone(
            f"{path} stands in uv's cache, which may be cleared at any time: install it to stay with uv tool install, "
            "and try again"
        )
    return str(path.absolute())


_PASSING = "archive-v0"
"""The folder of uv's cache in which `uvx` keeps what it runs."""
