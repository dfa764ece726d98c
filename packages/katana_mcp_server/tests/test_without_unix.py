"""Without what only Unix has, the server loads, serves, writes and looks after its cache: as on Windows."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from every_module import names
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from http_door import TOKEN, Door

RUNNER = str(Path(__file__).with_name("without_unix.py"))

_TERMINATED = {1} if sys.platform == "win32" else {130, 143, -15}
"""Exit codes of a process that was told to stop; Windows ends it without asking."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A machine on which nothing is set, in a directory whose `.env` would have FastMCP stop at the start."""
    (tmp_path / ".env").write_text("FASTMCP_LOG_LEVEL=LOUD\n")
    usual = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    return usual | {"KATANA_SANDBOX": "1", "KATANA_CACHE_DIR": str(tmp_path / "cache"), "KATANA_MCP_HTTP_TOKEN": TOKEN}


def test_every_module_loads() -> None:
    output = subprocess.run([sys.executable, RUNNER, "every_module"], capture_output=True, text=True, check=True).stdout
    assert int(output) == len(names())


async def test_it_serves_over_stdio_reads_and_writes(tmp_path: Path, environment: dict[str, str]) -> None:
    transport = StdioTransport(
        sys.executable, [RUNNER, "katana_mcp", "serve"], env=environment, cwd=str(tmp_path), keep_alive=False
    )
    async with Client(transport) as client:
        found = await client.call_tool("search_items", {"query": "fork seal"})
        assert found.structured_content is not None
        assert found.structured_content["total"] > 0
        planned = await client.call_tool("create_customer", {"name": "Ohne Unix GmbH"})
        assert planned.structured_content is not None
        token = planned.structured_content["plan_token"]
        applied = await client.call_tool("apply_plan", {"plan_tokens": [token]})
        assert applied.structured_content is not None
        assert "Ohne Unix GmbH" in json.dumps(applied.structured_content)
    made = {path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()}
    assert {name for name in made if name.startswith(("typed-", "tenants"))} >= {"tenants.json", "tenants.lock"}


@pytest.mark.soak
async def test_it_serves_over_http_until_it_is_stopped(tmp_path: Path, environment: dict[str, str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, RUNNER, "katana_mcp", "serve", "--http", "--port", "0"),
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    try:
        said = await process.stderr.readline()
        door = Door(int(said.split(b":")[-1].removesuffix(b"/mcp\n")))
        headers = {"Host": f"127.0.0.1:{door.port}", "Authorization": f"Bearer {TOKEN}"}
        assert (await door.knock(headers))[0] == 200
        process.terminate()
        await process.stderr.read()
        assert await process.wait() in _TERMINATED
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.mark.soak
def test_it_looks_after_the_cache(tmp_path: Path, environment: dict[str, str]) -> None:
    output = subprocess.run(
        [sys.executable, RUNNER, "several_commands", "sync tax_rate", "cache rebuild tax_rate", "cache status"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    ).stdout.strip()
    answers = list[object]()
    while output:
        answer, end = json.JSONDecoder().raw_decode(output)
        answers.append(answer)
        output = output[end:].lstrip()
    assert len(list(filter(None, answers))) == 3
