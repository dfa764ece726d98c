"""Make the bundle for Claude Desktop from a built wheel: `python -m scripts.bundle dist bundle`.

The host's own uv installs what the wheel needs, so that one bundle serves every system. What the manifest says comes
from the tools, the settings and the version.
"""

import argparse
import asyncio
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.release import ICON, NAME, ROOT, asked, project

from katana_mcp.configuration.settings import Choice
from katana_mcp.server.catalogue import served, unlisted
from katana_mcp.server.mcp.catalogue import listing

ENTRY = "src/server.py"
PROGRAM = '''"""Serves over stdio."""

from katana_mcp.__main__ import main

main()
'''
PYPROJECT = """\
[project]
name = "{name}-bundle"
version = "{version}"
requires-python = "{python}"
dependencies = ["{name}"]

[tool.uv]
package = false

[tool.uv.sources]
{name} = {{ path = "{wheel}" }}
"""
TITLES = {"api_key": "API key", "sandbox": "Invented data", "read_only": "Read only"}
_ONE_DAY = (2026, 1, 1, 0, 0, 0)
"""When each file of a bundle was made, so that one wheel makes one bundle."""


def manifest(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return `manifest.json`: what the host shows, asks for and starts."""
    return {
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": "Katana",
        "version": about["version"],
        "description": about["description"],
        "author": about["authors"][0],
        "license": about["license"],
        "icon": ICON.name,
        "keywords": about["keywords"],
        "server": {
            "type": "uv",
            "entry_point": ENTRY,
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", ENTRY],
                "env": {setting["variable"]: f"${{user_config.{name}}}" for name, setting in asked().items()},
            },
        },
        "user_config": {name: _question(name, setting["said"]) for name, setting in asked().items()},
        "tools": asyncio.run(_tools()),
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {"runtimes": {"python": about["requires-python"]}},
    }


def _question(name: str, said: str) -> dict[str, Any]:
    common = {"title": TITLES[name], "description": said, "required": False}
    if name == "api_key":
        return {"type": "string", **common, "sensitive": True, "default": ""}
    return {"type": "boolean", **common, "default": False}


async def _tools() -> list[dict[str, str]]:
    """Return the tools that are listed where nothing is chosen, each with the first line of what is said of it."""
    choice = Choice.model_construct()  # as nobody's environment has it
    specs = served(choice)
    listed = await listing(specs, unlisted(specs, choice))
    return [{"name": tool["name"], "description": tool["description"].splitlines()[0]} for tool in listed]


def pack(wheel: Path, folder: Path) -> Path:
    """Write the bundle of a wheel into a folder, and return where it is."""
    about = project()
    words = {"name": NAME, "version": about["version"], "python": about["requires-python"], "wheel": wheel.name}
    files = {
        "manifest.json": (json.dumps(manifest(about), indent=2, ensure_ascii=False) + "\n").encode(),
        "pyproject.toml": PYPROJECT.format(**words).encode(),
        ENTRY: PROGRAM.encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        ICON.name: ICON.read_bytes(),
        wheel.name: wheel.read_bytes(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / f"{NAME}-{about['version']}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _ONE_DAY), content, zipfile.ZIP_DEFLATED)
    return bundle


def main() -> int:
    """Return 0 when the bundle is made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    (wheel,) = options.wheels.glob("*.whl")
    sys.stdout.write(f"{pack(wheel, options.folder)} is made\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
