"""The real process: MCP over stdio, and a command line that explains itself."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
import structlog
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from katana_mcp.commands import cli
from katana_mcp.configuration.settings import load, load_choice
from katana_mcp.server.catalogue import served, unlisted
from katana_mcp.server.mcp.catalogue import listing
from katana_sandbox import ManualClock, Sandbox

COMMAND = ("-m", "katana_mcp", "serve", "--sandbox")
HELLO = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": "tools", "method": "tools/list"},
)
CALLS = (
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search_customers", "arguments": {"query": "velo"}},
    },
    {
        "jsonrpc": "2.0",
        "id": "half of a pair",
        "method": "tools/call",
        "params": {"name": "search_customers", "arguments": {"query": "velo\ud83d"}},
    },
)


def _environment(home: Path | str, **more: str) -> dict[str, str]:
    sources = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}  # of a copy that has a bug
    return {"PATH": os.environ["PATH"], "HOME": str(home), **sources, **more}


async def _usual_names() -> list[str]:
    """Return the tools that are listed where nothing is chosen."""
    choice = load_choice(_env_file=None)
    specs = served(choice)
    return [row["name"] for row in await listing(specs, unlisted(specs, choice))]


async def test_a_modern_client_works_and_the_cache_stands_where_it_was_told(tmp_path: Path) -> None:
    sandbox = Sandbox(clock=ManualClock())
    async with sandbox.serve() as url:
        transport = StdioTransport(
            command=sys.executable,
            args=[*COMMAND, "--base-url", url],
            env=_environment(tmp_path, KATANA_CACHE_DIR="~/kept here/ünï", KATANA_API_KEY=sandbox.default_key),
            cwd=str(tmp_path),
            keep_alive=False,
        )
        async with Client(transport, mode="auto", init_timeout=60) as client:
            assert [tool.name for tool in await client.list_tools()] == await _usual_names()
            answer = (await client.call_tool("search_customers", {"query": "velo"})).structured_content or {}
            status = (await client.call_tool("cache_status", {})).structured_content or {}
    assert answer["source"] == "sandbox"
    assert answer["total"] > 0
    assert "notices" not in status
    assert _files(tmp_path / "kept here" / "ünï")


@pytest.mark.soak
async def test_an_older_client_works_where_no_home_can_be_written(tmp_path: Path) -> None:
    sandbox = Sandbox(clock=ManualClock())
    async with sandbox.serve() as url:
        transport = StdioTransport(
            command=sys.executable,
            args=[*COMMAND, "--base-url", url, "--log-level", "error"],
            env=_environment("/dev/null", KATANA_CACHE_DIR="~/cache", KATANA_API_KEY=sandbox.default_key),
            cwd=str(tmp_path),
            keep_alive=False,
        )
        async with Client(transport, mode="legacy", init_timeout=60) as client:
            assert [tool.name for tool in await client.list_tools()] == await _usual_names()
            answer = (await client.call_tool("search_customers", {"query": "velo"})).structured_content or {}
            status = (await client.call_tool("cache_status", {})).structured_content or {}
    assert answer["total"] > 0
    assert "kept in memory" in status["notices"][0]
    assert _files(tmp_path) == []


async def test_stdout_carries_nothing_but_mcp_and_sql_is_imported_by_the_first_read_alone(tmp_path: Path) -> None:
    said = tmp_path / "stderr"
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-X", "importtime"),
            *COMMAND,
            *("--log-level", "debug"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            env=_environment(tmp_path),
            cwd=tmp_path,
            limit=2**22,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[dict[str, object]] = []
    async with asyncio.timeout(60):
        for messages, answered in ((HELLO, {"tools"}), (CALLS, {2, "half of a pair"})):
            for message in messages:
                process.stdin.write(json.dumps(message).encode() + b"\n")
            while not answered <= {line.get("id") for line in lines}:
                lines.append(json.loads(await process.stdout.readline()))
            if "tools" in answered:
                assert _sql(said) == set()
        rest, _ = await process.communicate()
    lines += [json.loads(line) for line in rest.splitlines()]
    assert {line["jsonrpc"] for line in lines} == {"2.0"}
    assert process.returncode == 0
    assert "cache_typed" in _sql(said)
    assert b"search_customers" in said.read_bytes()
    assert b"Traceback" not in said.read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_host_that_ends_the_server_leaves_no_file_of_a_database_at_work(tmp_path: Path, number: int) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *COMMAND, "--cache-dir", str(tmp_path / "kept"), "--log-level", "error"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(tmp_path),
        cwd=tmp_path,
        limit=2**22,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(60):
        for message in (*HELLO, CALLS[0]):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        answered = set[object]()
        while CALLS[0]["id"] not in answered:
            answered.add(json.loads(await process.stdout.readline()).get("id"))
        assert [name for name in _files(tmp_path) if name.endswith("-wal")]
        process.send_signal(number)
        out, err = await process.communicate()
    assert (process.returncode, out, err) == (128 + number, b"", b"")
    assert [name for name in _files(tmp_path) if name.endswith(("-wal", "-shm"))] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)])
async def test_a_server_over_http_that_is_told_to_end_leaves_no_file_of_a_database_at_work(
    tmp_path: Path, number: int
) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *COMMAND, "--http", "--port", "0", "--cache-dir", str(tmp_path / "kept")),
        *("--log-level", "error"),
        stderr=asyncio.subprocess.PIPE,
        env=_environment(tmp_path, KATANA_MCP_HTTP_TOKEN=KEY),
        cwd=tmp_path,
    )
    assert process.stderr is not None
    async with asyncio.timeout(60):
        url = (await process.stderr.readline()).decode().split()[-1]
        async with Client(StreamableHttpTransport(url, headers={"Authorization": f"Bearer {KEY}"})) as client:
            await client.call_tool("search_customers", {"query": "velo"})
            assert [name for name in _files(tmp_path) if name.endswith("-wal")]
            process.send_signal(number)
            _, err = await process.communicate()
    assert (process.returncode, err) == (128 + number, b"")
    assert [name for name in _files(tmp_path) if name.endswith(("-wal", "-shm"))] == []


def _sql(said: Path) -> set[str]:
    """Return the packages imported so far, by what `-X importtime` says, that hold SQL."""
    imported = {line.rpartition("|")[2].strip() for line in said.read_text("utf-8").splitlines() if "|" in line}
    assert "katana_mcp.server.mcp.server" in imported
    cached = {module.partition(".")[0] for module in imported if module.endswith(".backend")}
    return cached | ({"sqlalchemy", "sqlmodel", "aiosqlite"} & imported)


def _files(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*") if path.is_file())


KEY = "canary-api-key-55aa"
SERVE = ["serve"]
WRONG: list[tuple[list[str], dict[str, str], tuple[str, ...]]] = [
    ([*SERVE, "--no-such-flag"], {}, ("--no-such-flag",)),
    (["--no-such-flag"], {}, ("--no-such-flag",)),
    (["no-such-command"], {}, ("no-such-command",)),
    ([*SERVE, "--port", "many"], {}, ("KATANA_MCP_PORT", "--port", "whole number")),
    ([*SERVE, "--port", "70000"], {}, ("KATANA_MCP_PORT", "--port", "65535")),
    ([*SERVE, "--port"], {}, ("--port",)),
    (SERVE, {"KATANA_MCP_PORT": "-1"}, ("KATANA_MCP_PORT", "--port")),
    ([*SERVE, "--tools", "no_such_tool"], {}, ("KATANA_MCP_TOOLS", "no_such_tool", "search_items")),
    (
        [*SERVE, "--toolsets", "nothing"],
        {},
        ("KATANA_MCP_TOOLSETS", "nothing", "catalog, inventory, items, manufacturing, purchasing, read, sales"),
    ),
    ([*SERVE, "--exclude-tools", "no_such_tool"], {}, ("KATANA_MCP_EXCLUDE_TOOLS", "no_such_tool")),
    ([*SERVE, "--log-level", "loud"], {}, ("KATANA_MCP_LOG_LEVEL", "--log-level", "DEBUG, INFO")),
    ([*SERVE, "--base-url", "http://katana.example/v1"], {}, ("KATANA_BASE_URL", "https")),
    ([*SERVE, "--base-url", "not a url"], {}, ("KATANA_BASE_URL",)),
    ([*SERVE, "--sandbox", "--base-url", "http://katana.example/v1"], {}, ("KATANA_BASE_URL",)),
    (SERVE, {"KATANA_API_KEY": ""}, ("KATANA_API_KEY", "--sandbox")),
    (SERVE, {"KATANA_API_KEY": "  "}, ("KATANA_API_KEY", "--sandbox")),
    (SERVE, {"KATANA_API_KEY": f"{KEY}\nX-Evil: 1"}, ("KATANA_API_KEY", "blanks")),
    (SERVE, {"KATANA_API_KEY": f"'{KEY}'"}, ("KATANA_API_KEY", "holds quotes")),
    (
        [*SERVE, "--sandbox", "--base-url", "http://127.0.0.1:9/v1"],
        {"KATANA_API_KEY": ""},
        ("KATANA_API_KEY is not set", "katana-sandbox serve", "http://127.0.0.1:9/v1"),
    ),
    (SERVE, {"KATANA_SANDBOX": "perhaps"}, ("KATANA_SANDBOX", "--sandbox")),
    (SERVE, {"KATANA_SANDBX": "1"}, ("KATANA_SANDBX", "did you mean KATANA_SANDBOX?")),
    (
        [*SERVE, "--toolsets", "admin", "--exclude-tools", "cache_status,rebuild_cache"],
        {},
        ("KATANA_MCP_TOOLSETS", "no tool to serve"),
    ),
    (["tools", "--tools", "no_such_tool"], {}, ("KATANA_MCP_TOOLS", "no_such_tool")),
    ([*SERVE, "--web-base-url", "factory.katanamrp.com"], {}, ("KATANA_WEB_BASE_URL", "such as https://")),
    ([*SERVE, "--web-base-url", "https://u:p@h"], {}, ("KATANA_WEB_BASE_URL", "such as https://")),
    ([*SERVE, "--web-base-url", "javascript:alert(1)"], {}, ("KATANA_WEB_BASE_URL", "such as https://")),
    ([*SERVE, "--web-base-url", "https://h)[x](y"], {}, ("KATANA_WEB_BASE_URL", "such as https://")),
    ([*SERVE, "--base-url", "https://xn--a"], {}, ("KATANA_BASE_URL",)),
    ([*SERVE, "--base-url", "https://api.katanamrp.com/v1/../admin"], {}, ("KATANA_BASE_URL",)),
    ([*SERVE, "--http"], {}, ("KATANA_MCP_HTTP_TOKEN",)),
    ([*SERVE, "--http"], {"KATANA_MCP_HTTP_TOKEN": "short"}, ("KATANA_MCP_HTTP_TOKEN", "16")),
    ([*SERVE, "--api-key", KEY], {}, ("--api-key",)),
]


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[pytest.MonkeyPatch]:
    """No settings but those of the test, and no logging left behind."""
    for name in [variable for variable in os.environ if variable.startswith("KATANA_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield monkeypatch
    structlog.reset_defaults()


@pytest.mark.parametrize(("arguments", "environment", "named"), WRONG, ids=lambda value: " ".join(value)[:40])
def test_bad_input_ends_with_one_sentence_that_names_what_is_wrong(
    arguments: list[str],
    environment: dict[str, str],
    named: tuple[str, ...],
    clean: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {"KATANA_API_KEY": KEY, **environment}.items():
        clean.setenv(name, value)
    clean.setattr(sys, "argv", ["katana-mcp", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    captured = capsys.readouterr()
    assert end.value.code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("katana-mcp: ")
    assert "Traceback" not in captured.err
    assert [text for text in named if text not in captured.err] == []
    assert KEY not in captured.err


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("~/x", Path.home() / "x"),
        ("", None),
        ("   ", None),
        ("with blanks/ünï", Path("with blanks/ünï")),
    ],
)
def test_a_cache_directory_is_taken_as_people_write_it(
    typed: str, expected: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_CACHE_DIR", typed)
    settings = load(_env_file=None, sandbox=True)
    assert settings.cache_dir == expected
    assert settings.cache_root().name


def test_a_flag_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("KATANA_MCP_PORT=1001\nKATANA_API_KEY=from-file\nKATANA_MCP_HOST=10.0.0.1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KATANA_API_KEY", raising=False)
    monkeypatch.setenv("KATANA_MCP_PORT", "1002")
    settings = load(host="10.0.0.2")
    assert (settings.port, settings.host) == (1002, "10.0.0.2")
    assert settings.api_key.get_secret_value() == "from-file"
    assert "from-file" not in repr(settings)


LINES = "cannot be read: write NAME=value, and quotes in pairs"
UNREADABLE: list[tuple[bytes | Path | None, str]] = [
    (b"KATANA_API_KEY=\xff\xfe\n", " is not UTF-8 text"),
    ("KATANA_API_KEY=abc\n".encode("utf-16"), " is not UTF-8 text"),
    (None, " is a directory, and not a file of settings"),
    (Path("/proc/self/mem"), " cannot be read: Input/output error"),
    (Path(".env"), " cannot be read: Too many levels of symbolic links"),
    (f"KATANA_API_KEY: {KEY}\n".encode(), f": line 1 {LINES}"),
    (f'KATANA_MCP_PORT=1\n\n\nKATANA_API_KEY="{KEY}\nKATANA_SANDBOX=1\n'.encode(), f": line 4 {LINES}"),
    (f"# the key\nKATANA_API_KEY {KEY}\nKATANA_SANDBOX\n".encode(), f": line 2, 3 {LINES}"),
]


@pytest.mark.parametrize(("content", "message"), UNREADABLE, ids=[message for _, message in UNREADABLE])
def test_a_file_of_settings_that_cannot_be_read_is_named_with_what_is_wrong_and_no_key(
    tmp_path: Path,
    clean: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes | Path | None,
    message: str,
) -> None:
    file = tmp_path / ".env"
    if content is None:
        file.mkdir()
    elif isinstance(content, Path):
        file.symlink_to(content)
    else:
        file.write_bytes(content)
    for command in ("serve", "tools", "sync"):
        clean.setattr(sys, "argv", ["katana-mcp", command])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert (end.value.code, capsys.readouterr().err) == (2, f"katana-mcp: {file}{message}\n")


@pytest.mark.parametrize(
    "text", ["\ufeffKATANA_API_KEY=abc\r\n", "export KATANA_API_KEY='abc' # mine\n\n  \n", "A=\nB=1"]
)
def test_a_file_of_settings_as_people_write_it_is_read(tmp_path: Path, clean: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / ".env").write_text(text, "utf-8")
    clean.setenv("KATANA_SANDBOX", "1")
    assert load().api_key.get_secret_value() == ("abc" if "KATANA" in text else "")
