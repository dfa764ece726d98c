"""Servers of others beside our tools: a toy on the TypeScript SDK, and the reference server of files."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from clients.scenarios import check
from clients.sdks import NPM, version_of
from clients.table import Row

SCENARIO = "catalogue"
_FILES = "@modelcontextprotocol/server-filesystem"
_LONGEST = 240.0


async def beside(node: str) -> Row:
    """Adopt both servers, verify, and call a tool of each through ours."""
    name = f"Files {version_of(_FILES)}, TypeScript {version_of('@modelcontextprotocol/sdk')}"
    try:
        with tempfile.TemporaryDirectory() as home:
            await _composed(node, await asyncio.to_thread(Path(home).resolve))
    except (AssertionError, KeyError, TimeoutError, ValueError) as error:
        return Row(name, "stdio", {SCENARIO: f"{type(error).__name__}: {error}"})
    return Row(name, "stdio", {SCENARIO: "ok"})


async def _composed(node: str, home: Path) -> None:
    note = home / "files" / "note.txt"
    await asyncio.to_thread(_written, node, note)
    adopted = json.loads(await _ran(home, "catalog", "adopt", "--yes", "--json"))["adopted"]
    check({"shipping.quote", "files.read_text_file", "files.write_file"} <= set(adopted), adopted)
    check(await _ran(home, "catalog", "verify") == "equal\n", "verify")
    price = json.loads(await _called(home, "quote", "kg=2"))
    check(price == {"price": 8}, price)
    text = await _called(home, "files_read_text_file", f"path={note}")
    check(text.strip() == "a parcel", text)
    costs: dict[str, Any] = json.loads(await _ran(home, "catalog", "list", "--json"))["tokens"]
    check(costs["files"] > costs["shipping"] > 0, costs)


def _written(node: str, note: Path) -> None:
    note.parent.mkdir()
    note.write_text("a parcel", "utf-8")
    files = NPM / "node_modules" / _FILES / "dist" / "index.js"
    lines = (
        "[upstreams.shipping]",
        f"command = {json.dumps([node, str(NPM / 'shipping.mjs')])}",
        "[upstreams.files]",
        f"command = {json.dumps([node, str(files), str(note.parent)])}",
        'namespace = "files"',
    )
    (note.parents[1] / "catalog.toml").write_text("\n".join(lines), "utf-8")


async def _called(home: Path, tool: str, argument: str) -> str:
    return await _ran(home, "call", tool, argument, "--sandbox", "--catalog", "enforce")


async def _ran(home: Path, *words: str) -> str:
    """Return what a command of ours printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "katana_mcp", *words, "--catalog-file", str(home / "catalog.toml")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        cwd=home,
    )
    output, wrong = await asyncio.wait_for(process.communicate(), _LONGEST)
    check(process.returncode == 0, (words, process.returncode, output.decode(), wrong.decode()))
    return output.decode()
