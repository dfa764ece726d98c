"""A host's file: what is put in starts the server, twice is once, and what others put there stays."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from command_line import Run
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from platformdirs.macos import MacOS
from platformdirs.windows import Windows
from ruamel.yaml import YAML

from katana_mcp.caches.cache_files import NotDone
from katana_mcp.commands.hosts.files import changed_file, read_entries
from katana_mcp.commands.hosts.hosts import HOSTS, HostName
from katana_mcp.commands.hosts.install import found

KEY = "an-invented-key-0123456789"
PROGRAM = str(Path(sys.executable).with_name("katana-mcp"))
FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "goose": ".config/goose/config.yaml",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    return tmp_path


@pytest.fixture
def install(home: Path, command_line: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `katana-mcp install` where nothing is set but the home directory."""
    for name in ("KATANA_SANDBOX", "KATANA_CACHE_DIR"):
        monkeypatch.delenv(name)
    del home
    return lambda *words: command_line("install", *words)


def read(path: Path) -> Any:  # noqa: ANN401 - whatever the file says
    loads = YAML(typ="safe").load  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - it says nothing
    return loads(path.read_text()) if path.suffix == ".yaml" else json.loads(path.read_text())


@pytest.mark.parametrize(
    ("host", "listed"),
    [
        ("claude-desktop", {"mcpServers": {"katana": {"command": PROGRAM, "args": ["serve", "--sandbox"]}}}),
        ("cursor", {"mcpServers": {"katana": {"command": PROGRAM, "args": ["serve", "--sandbox"]}}}),
        (
            "claude-code",
            {"mcpServers": {"katana": {"type": "stdio", "command": PROGRAM, "args": ["serve", "--sandbox"]}}},
        ),
        ("vscode", {"servers": {"katana": {"type": "stdio", "command": PROGRAM, "args": ["serve", "--sandbox"]}}}),
        (
            "goose",
            {
                "extensions": {
                    "katana": {
                        "enabled": True,
                        "type": "stdio",
                        "name": "katana",
                        "cmd": PROGRAM,
                        "args": ["serve", "--sandbox"],
                        "timeout": 300,
                    }
                }
            },
        ),
    ],
)
def test_a_host_is_told_once_and_forgets_when_asked(home: Path, install: Run, host: HostName, listed: object) -> None:
    path = home / FILES[host]
    first = install(host, "--sandbox")
    assert (first.code, first.err, read(path)) == (0, "", listed)
    assert first.out.startswith(f"katana is listed in {path}; ")
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    written = path.read_bytes()
    assert install(host, "--sandbox", "--json").data == {
        "host": host,
        "file": str(path),
        "name": "katana",
        "changed": False,
    }
    assert path.read_bytes() == written
    assert install(host, "--uninstall").out == f"katana is not listed any more in {path}\n"
    assert read(path) == {HOSTS[host].key: {}}
    again = install(host, "--uninstall", "--json")
    assert (again.code, again.data["changed"]) == (0, False)


def test_nothing_is_made_to_take_an_entry_out(home: Path, install: Run) -> None:
    assert install("cursor", "--uninstall").out == f"katana was not listed in {home / FILES['cursor']}\n"
    assert not (home / ".cursor").exists()


async def test_what_a_host_is_told_starts_the_server(home: Path, install: Run) -> None:
    install("claude-code", "--sandbox", "--search-mode")
    entry = read(home / FILES["claude-code"])["mcpServers"]["katana"]
    transport = StdioTransport(entry["command"], entry["args"], env={"HOME": str(home)}, log_file=home / "log")
    async with Client(transport) as client:
        assert "search_tools" in {tool.name for tool in await client.list_tools()}


def test_print_shows_it_and_changes_nothing(home: Path, install: Run) -> None:
    shown = install("print", "--sandbox", "--toolsets", "sales, catalog", "--read-only", "--name", "factory")
    args = ["serve", "--toolsets", "sales, catalog", "--read-only", "--sandbox"]
    assert shown.data == {"mcpServers": {"factory": {"command": PROGRAM, "args": args}}}
    assert list(home.iterdir()) == []


def _roaming(home: Path, folder: str) -> str:
    del folder
    return str(home / "Roaming")


@pytest.mark.parametrize(
    ("system", "desktop", "code"),
    [
        (MacOS, "Library/Application Support/Claude", "Library/Application Support/Code"),
        (Windows, "Roaming/Claude", "Roaming/Code"),
    ],
)
def test_each_system_has_its_own_places(
    home: Path, monkeypatch: pytest.MonkeyPatch, system: type, desktop: str, code: str
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(platformdirs, "PlatformDirs", system)
    monkeypatch.setattr("platformdirs.windows.get_win_folder", partial(_roaming, home))
    assert HOSTS["claude-desktop"].file() == home / desktop / "claude_desktop_config.json"
    assert HOSTS["vscode"].file() == home / code / "User" / "mcp.json"


def test_goose_has_a_place_of_its_own_on_windows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "PlatformDirs", Windows)
    monkeypatch.setattr("platformdirs.windows.get_win_folder", partial(_roaming, home))
    monkeypatch.setattr(sys, "platform", "win32")
    assert HOSTS["goose"].file() == home / "Roaming" / "Block" / "goose" / "config" / "config.yaml"


OTHERS = r"""{
    "theme": "dark \u2014 ü",
    "mcpServers": {
        "files": {
            "command": "npx"
        }
    }
}
"""


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_others_wrote_stays_as_they_wrote_it(home: Path, install: Run, mark: bytes) -> None:
    path = home / FILES["claude-desktop"]
    path.parent.mkdir(parents=True)
    path.write_bytes(mark + OTHERS.encode())
    path.chmod(0o640)
    install("claude-desktop", "--sandbox")
    text = path.read_bytes().removeprefix(mark).decode()
    assert path.read_bytes().startswith(mark)
    assert text.startswith(
        OTHERS.replace("\\u2014", "—").rstrip("}\n ") + '\n        },\n        "katana": {\n            "command"'
    )
    assert oct(path.stat().st_mode & 0o777) == "0o640"
    install("claude-desktop", "--uninstall")
    assert path.read_bytes().removeprefix(mark).decode() == OTHERS.replace("\\u2014", "—")


def test_comments_of_a_yaml_file_stay(home: Path, install: Run) -> None:
    path = home / FILES["goose"]
    path.parent.mkdir(parents=True)
    others = "# mine\nGOOSE_MODE: auto  # asks nothing\nextensions:\n  developer:\n    args: ['a', \"b\"]\n"
    path.write_text(others)
    install("goose", "--sandbox")
    assert path.read_text().startswith(others)
    install("goose", "--uninstall")
    assert path.read_text() == others


def test_a_link_stays_a_link(home: Path, install: Run) -> None:
    kept = home / "dotfiles.json"
    kept.write_text("{}\n")
    (home / FILES["claude-code"]).symlink_to(kept)
    install("claude-code", "--sandbox")
    assert (home / FILES["claude-code"]).is_symlink()
    assert "katana" in read(kept)["mcpServers"]


@pytest.mark.parametrize(
    ("host", "content", "message"),
    [
        (
            "vscode",
            b'{\n  // mine\n  "servers": {}\n}',
            "cannot be changed without losing something: line 2 is no plain",
        ),
        ("cursor", b'{"mcpServers": {},}', "cannot be changed without losing something: line 1 is no plain JSON"),
        ("cursor", b'{"a": NaN}', "cannot be changed without losing something: NaN is no number of JSON"),
        ("cursor", b'{"a": 1, "a": 2}', "cannot be changed without losing something: it says 'a' twice"),
        ("cursor", b"[" * 100_000, "cannot be changed without losing something: it cannot be read"),
        ("cursor", b"[]", "is no table of settings"),
        ("cursor", b"\xff\xfe", "is not UTF-8 text"),
        ("cursor", b'{"mcpServers": []}', "is no table of servers"),
        ("cursor", b'{"mcpServers": {"katana": {"command": "npx", "args": ["x"]}}}', "lists another server as katana"),
        ("cursor", b'{"mcpServers": {"katana": {"url": "https://a.example"}}}', "lists another server as katana"),
        ("goose", b"a: [", "cannot be changed without losing something: line 1 is no YAML"),
    ],
)
def test_what_a_rewrite_would_lose_is_left_alone(
    home: Path, install: Run, host: str, content: bytes, message: str
) -> None:
    path = home / FILES[host]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    for words in ([host, "--sandbox"], [host, "--uninstall"]):
        ran = install(*words)
        assert (ran.code, ran.out) == (1, "")
        assert message in ran.err
        assert ran.err.count("\n") == 1
        assert path.read_bytes() == content


def test_a_key_of_this_shell_goes_along_and_is_kept_private(
    home: Path, install: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_API_KEY", KEY)
    monkeypatch.setenv("KATANA_MCP_HTTP_TOKEN", "not-needed-over-stdio")
    monkeypatch.setenv("KATANA_FRESH_FOR", "60")
    path = home / FILES["claude-code"]
    path.write_text("{}")
    path.chmod(0o644)
    ran = install("claude-code", "--cache-dir", "kept")
    entry = read(path)["mcpServers"]["katana"]
    assert entry["env"] == {"KATANA_API_KEY": KEY, "KATANA_FRESH_FOR": "60"}
    assert entry["args"] == ["serve", "--cache-dir", str(home / "kept")]
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert KEY not in ran.out + ran.err
    assert "it holds KATANA_API_KEY now: only you can read it" in ran.out


def test_a_key_in_a_file_stays_there(home: Path, install: Run) -> None:
    file = home / ".env"
    file.write_text(f"KATANA_API_KEY={KEY}\n")
    file.chmod(0o600)
    install("cursor", "--project")
    entry = read(home / ".cursor" / "mcp.json")["mcpServers"]["katana"]
    assert entry == {"command": PROGRAM, "args": ["serve", "--env-file", str(file)]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cursor"], "KATANA_API_KEY is not set"),
        (["cursor", "--sandbox", "--http"], "a host starts the server over stdio"),
        (["cursor", "--sandbox", "--toolsets", "sale"], "did you mean 'sales'?"),
        (["claude-desktop", "--sandbox", "--project"], "Claude Desktop has no file of a project"),
        (["print", "--uninstall"], "print changes no file"),
        (["emacs", "--sandbox"], "claude-desktop"),
        ([], "needs HOST"),
    ],
)
def test_what_cannot_start_is_not_installed(home: Path, install: Run, words: list[str], message: str) -> None:
    ran = install(*words)
    assert (ran.code, ran.out, list(home.iterdir())) == (2, "", [])
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_a_key_is_not_written_into_a_project(home: Path, install: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_API_KEY", KEY)
    ran = install("vscode", "--project")
    assert (ran.code, list(home.iterdir())) == (2, [])
    assert f"{home / '.vscode' / 'mcp.json'} belongs to a project, and may be shared" in ran.err


@pytest.mark.parametrize("package", ["katana-factory-mcp", "katana-factory-mcp@0.1.0", "katana-factory-mcp==0.1.0"])
def test_an_entry_that_a_button_made_is_ours(home: Path, install: Run, package: str) -> None:
    path = home / FILES["cursor"]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"mcpServers": {"katana": {"command": "uvx", "args": [package, "serve", "--sandbox"]}}}))
    assert found("cursor") == {"katana": ["uvx", package, "serve", "--sandbox"]}
    assert install("cursor", "--sandbox").code == 0
    assert read(path)["mcpServers"]["katana"]["command"] == PROGRAM


def test_another_name_is_another_entry(home: Path, install: Run) -> None:
    install("cursor", "--sandbox")
    install("cursor", "--sandbox", "--name", "second", "--read-only")
    assert found("cursor") == {
        "katana": [PROGRAM, "serve", "--sandbox"],
        "second": [PROGRAM, "serve", "--read-only", "--sandbox"],
    }
    install("cursor", "--uninstall", "--name", "second")
    assert list(read(home / FILES["cursor"])["mcpServers"]) == ["katana"]


def meddling(path: Path, times: int) -> Callable[[dict[str, Any]], None]:
    """Return a change beside which another program writes the file."""
    left = [times]

    def change(entries: dict[str, Any]) -> None:
        entries["mine"] = 1
        if left[0]:
            left[0] -= 1
            path.write_text(json.dumps({"theirs": left[0]}))

    return change


def test_what_another_program_writes_meanwhile_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    assert changed_file(path, meddling(path, 2))
    assert read(path) == {"theirs": 0, "mine": 1}
    other = tmp_path / "other.json"
    with pytest.raises(NotDone, match="is being changed by another program"):
        changed_file(other, meddling(other, 9))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file.json", "other.json"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_any_file_says_afterwards_what_it_said(tmp_path: Path, entries: dict[str, Any]) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(entries))

    def put(into: dict[str, Any]) -> None:
        into["our own"] = {"command": "x"}

    assert changed_file(path, put)
    assert read_entries(path) == {**entries, "our own": {"command": "x"}}
