"""What a release says of itself: its version, where it lives, and its entry in the registry of MCP servers.

`python -m scripts.release check v0.1.0` fails where the tag is not the version. `name ADDRESS` writes the repository's
address into the manifest and the package's page, for whoever publishes it; `entry FOLDER` writes `server.json`.
"""

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from katana_mcp.configuration.settings import Settings, variable

ROOT = Path(__file__).resolve().parent.parent
NAME = "katana-factory-mcp"
ICON = ROOT / "docs/images/icon.png"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
SUMMARY = "Katana manufacturing ERP: find, check and plan, from a local cache; writes only what was previewed"
_ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)")
_URLS = "[project.urls]\n"
ASKED = {"api_key": "the API key, made in Katana: Settings, API", "sandbox": "", "read_only": ""}
"""Settings that a host may ask a person for, with the words for it where the setting's own say too much."""


class NotReady(Exception):
    """A release cannot be made so; the message says why."""


def project(root: Path = ROOT) -> Mapping[str, Any]:
    """Return what the manifest says of the distribution."""
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


def check(tag: str, version: str) -> None:
    """Refuse a tag that is not the version's.

    Raises:
        NotReady: it is not.
    """
    if tag != f"v{version}":
        raise NotReady(f"the tag is {tag}, and the version {version}: set the version, or tag v{version}")


def named(address: str) -> str:
    """Return the name in the registry of a server that lives at this address.

    Raises:
        NotReady: it is no repository on GitHub, which the registry asks who may publish under a name.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise NotReady(f"{address} is no https://github.com/OWNER/REPOSITORY")
    return f"io.github.{found[1]}/{NAME}"


def write_name(root: Path, address: str) -> None:
    """Write the repository's address into the manifest, and the registry's name into the package's page, once.

    Raises:
        NotReady: the address is none.
    """
    mark = f"<!-- mcp-name: {named(address)} -->"
    manifest, page = root / "pyproject.toml", root / "docs/package.md"
    text = manifest.read_text("utf-8")
    if "Repository" not in project(root)["urls"]:
        lines = (
            f'Repository = "{address}"\nIssues = "{address}/issues"\nChangelog = "{address}/tree/main/changelog.d"\n'
        )
        manifest.write_text(text.replace(_URLS, _URLS + lines, 1), "utf-8")
    said = page.read_text("utf-8")
    if mark not in said:
        page.write_text(f"{said.rstrip()}\n\n{mark}\n", "utf-8")


def asked() -> dict[str, dict[str, str]]:
    """Return what a host may ask a person for: by setting its variable, and what is said of it."""
    fields = Settings.model_fields
    return {
        name: {"variable": variable(name), "said": words or " ".join(str(fields[name].description).split())}
        for name, words in ASKED.items()
    }


def entry(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return `server.json`: how the registry lists the server, and how a host starts it.

    Raises:
        NotReady: the manifest does not say where the repository is.
    """
    address = about["urls"].get("Repository", "")
    inputs = [
        {
            "name": setting["variable"],
            "description": setting["said"],
            "isRequired": False,
            **({"isSecret": True} if name == "api_key" else {"format": "boolean", "default": "false"}),
        }
        for name, setting in asked().items()
    ]
    return {
        "$schema": SCHEMA,
        "name": named(address),
        "title": "Katana",
        "description": SUMMARY,
        "version": about["version"],
        "repository": {"url": address, "source": "github"},
        "icons": [{"src": _icon(address, about["version"]), "mimeType": "image/png", "sizes": ["512x512"]}],
        "packages": [
            {
                "registryType": "pypi",
                "registryBaseUrl": "https://pypi.org",
                "identifier": about["name"],
                "version": about["version"],
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": inputs,
            }
        ],
    }


def _icon(address: str, version: str) -> str:
    """Return where the picture of a version lies, which stays when the repository goes on."""
    return f"{address.replace('github.com', 'raw.githubusercontent.com')}/v{version}/{ICON.relative_to(ROOT)}"


def _do(options: argparse.Namespace) -> str:
    match options.command:
        case "check":
            check(options.tag, project()["version"])
            return f"{options.tag} is the version's"
        case "name":
            write_name(ROOT, options.address)
            return f"published as {named(options.address)}"
        case _:
            folder: Path = options.folder
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "server.json").write_text(json.dumps(entry(project()), indent=2) + "\n", "utf-8")
            return f"{folder / 'server.json'} is written"


def main() -> int:
    """Return 0 when it could be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check").add_argument("tag")
    commands.add_parser("name").add_argument("address")
    commands.add_parser("entry").add_argument("folder", type=Path)
    try:
        sys.stdout.write(f"{_do(parser.parse_args())}\n")
    except NotReady as reason:
        sys.stderr.write(f"no release: {reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
