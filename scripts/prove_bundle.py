"""Prove the bundle where it was unpacked: `python -m scripts.prove_bundle bundle` ends with 1 where it does not hold.

Does what a host does: asks for nothing, fills in what the manifest gives, starts what it names, and calls a tool. The
manifest is left beside the bundle, for a judge of its form.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

SECONDS = 600
"""The first start fetches what the wheel needs."""


class Unproven(Exception):
    """The bundle does not do what it has to; the message says what."""


def command(
    manifest: Mapping[str, Any], folder: Path, answers: Mapping[str, object]
) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the variables with which a host starts the server, after a person's answers."""
    given = {name: asked.get("default") for name, asked in manifest["user_config"].items()} | dict(answers)
    words = {"${__dirname}": str(folder)} | {
        f"${{user_config.{name}}}": str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given.items()
    }
    config: Mapping[str, Any] = manifest["server"]["mcp_config"]
    typed: list[str] = [config["command"], *config["args"]]
    variables: dict[str, str] = config["env"]
    line = [words.get(word, word) for word in typed]
    return line, {name: words.get(value, value) for name, value in variables.items()}


async def prove(folder: Path, uv: str) -> int:
    """Start the unpacked bundle on invented data, and return how many tools it lists: those of its manifest.

    Raises:
        Unproven: it lists others, or does not answer.
    """
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (_, *arguments), variables = command(manifest, folder, {"sandbox": True})
    kept = ("VIRTUAL_ENV", "PYTHONPATH")
    usual = {key: value for key, value in os.environ.items() if key not in kept and not key.startswith("KATANA_")}
    usual |= {"UV_PYTHON": sys.executable, **variables}
    transport = StdioTransport(uv, arguments, env=usual, cwd=str(folder.parent), keep_alive=False)
    async with Client(transport, init_timeout=SECONDS) as client:
        listed = {tool.name for tool in await client.list_tools()}
        named = {tool["name"] for tool in manifest["tools"]}
        if listed != named:
            raise Unproven(f"the manifest and the server name different tools: {sorted(listed ^ named)}")
        answer = (await client.call_tool("search_items", {"query": "fork seal"})).structured_content
        if answer is None or answer["source"] != "sandbox" or not answer["total"]:
            raise Unproven(f"search_items answers {answer}")
    return len(listed)


def main() -> int:
    """Return 0 when the bundle serves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uv", default=shutil.which("uv") or "uv")
    options = parser.parse_args()
    (bundle,) = options.folder.glob("*.mcpb")
    uv = str(Path(options.uv).absolute()) if Path(options.uv).exists() else options.uv
    try:
        with tempfile.TemporaryDirectory() as place:
            with zipfile.ZipFile(bundle) as archive:
                archive.extractall(Path(place) / "unpacked")
            count = asyncio.run(prove(Path(place) / "unpacked", uv))
            shutil.copy(Path(place) / "unpacked/manifest.json", options.folder)
    except Unproven as reason:
        sys.stderr.write(f"not proven: {reason}\n")
        return 1
    sys.stdout.write(f"{bundle.name} serves {count} tools where it is unpacked\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
