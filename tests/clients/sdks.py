"""The SDKs on which most hosts stand, each in the version that is pinned, over both transports and in both eras."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from clients.scenarios import DEMANDED, NAMES, WITH_PERSON, WITHOUT_PERSON, Scenario, outcome
from clients.servers import Site, Transport, driver, site
from clients.table import Row

HERE = Path(__file__).parent
NPM = HERE / "npm"
PYTHON = HERE / "python"


@dataclass(frozen=True, slots=True)
class Sdk:
    """A client that can be told what to do.

    Attributes:
        name: with its version and, where it knows several, its protocol era.
        command: what starts it.
        era: `legacy` shakes hands first, `auto` asks the server what it speaks.
    """

    name: str
    command: tuple[str, ...]
    era: str = "legacy"


def sdks(node: str) -> tuple[Sdk, ...]:
    """Return all of them, as pinned in `npm/package.json` and `python/*/requirements.txt`."""
    typescript = {
        version_of("@modelcontextprotocol/sdk"): (node, str(NPM / "driver.mjs"), "1"),
        version_of("@modelcontextprotocol/client"): (node, str(NPM / "driver.mjs"), "2"),
    }
    python = {
        _python_version(line): (str(PYTHON / f"mcp-{line}/.venv/bin/python"), str(PYTHON / f"driver_{line}.py"))
        for line in (1, 2)
    }
    pinned = [
        Sdk(f"{language} SDK {version}", command)
        for language, versions in (("TypeScript", typescript), ("Python", python))
        for version, command in versions.items()
    ]
    both_eras = [replace(sdk, name=f"{sdk.name}, auto", era="auto") for sdk in pinned if " SDK 2." in sdk.name]
    return (*pinned, *both_eras)


def version_of(package: str) -> str:
    """Return the pinned version of an npm package."""
    return json.loads((NPM / "package.json").read_text())["dependencies"][package]


def _python_version(line: int) -> str:
    pinned = (PYTHON / f"mcp-{line}" / "requirements.txt").read_text().splitlines()
    return next(requirement.removeprefix("mcp==") for requirement in pinned if requirement.startswith("mcp=="))


async def row_of(sdk: Sdk, transport: Transport) -> Row:
    """Take a client through all scenarios."""
    cells: dict[str, str] = {}
    async with site(transport) as here:
        cells |= await _session(sdk, here, WITH_PERSON, person=True)
        cells |= await _session(sdk, here, WITHOUT_PERSON, person=False)
    async with site(transport, "--confirm", "required") as here:
        cells |= await _session(sdk, here, DEMANDED, person=False)
    return Row(sdk.name, transport, cells, expected=NAMES)


async def _session(sdk: Sdk, here: Site, scenarios: Mapping[str, Scenario], *, person: bool) -> dict[str, str]:
    connection = {**here.connection(), "person": person, "era": sdk.era}
    try:
        async with driver(sdk.command, connection) as client:
            return {name: await outcome(scenario, client, here) for name, scenario in scenarios.items()}
    except (RuntimeError, TimeoutError) as error:
        return dict.fromkeys(scenarios, f"{type(error).__name__}: {error}")
