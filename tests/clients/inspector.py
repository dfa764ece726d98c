"""The Inspector's command line: a process for each question, so it can neither be asked nor cancelled."""

import asyncio
import json
import os
from dataclasses import dataclass
from typing import Any

from clients.scenarios import DEMANDED, NAMES, WITH_PERSON, WITHOUT_PERSON, Scenario, outcome
from clients.sdks import NPM, version_of
from clients.servers import TOKEN, Site, Transport, site
from clients.table import Row

LAUNCHER = NPM / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
ERAS = ("legacy", "auto")
ABSENT = {
    "progress": "its command line prints the result alone",
    "unknown": "it refuses a tool that is not listed by itself",
    "accepted": "its command line cannot be asked, and says so to the server",
    "declined": "its command line cannot be asked, and says so to the server",
    "cancel": "its command line has no way to cancel a call",
}
_SERVES: dict[str, Scenario] = {name: scenario for name, scenario in WITH_PERSON.items() if name not in ABSENT} | dict(
    WITHOUT_PERSON
)
_LONGEST = 120.0


async def inspector(node: str, era: str, transport: Transport) -> Row:
    """Take the Inspector through the scenarios that it can do."""
    cells = dict(ABSENT)
    async with site(transport) as here:
        client = Inspector(node, era, here)
        cells |= {name: await outcome(scenario, client, here) for name, scenario in _SERVES.items()}
    async with site(transport, "--confirm", "required") as here:
        client = Inspector(node, era, here)
        cells |= {name: await outcome(scenario, client, here) for name, scenario in DEMANDED.items()}
    name = f"Inspector {version_of('@modelcontextprotocol/inspector')}{'' if era == 'legacy' else f', {era}'}"
    return Row(name, transport, cells, frozenset(ABSENT), NAMES)


@dataclass(frozen=True, slots=True)
class Inspector:
    """A client whose every deed is a process.

    Attributes:
        node: the program that runs it.
        era: the protocol era that it is told to speak.
        here: the server.
    """

    node: str
    era: str
    here: Site

    async def do(self, do: str, **_: object) -> dict[str, Any]:
        """List the tools, the one thing that it does besides calls."""
        assert do == "list", do
        result = await self._run("tools/list")
        return {"tools": [tool["name"] for tool in result["tools"]]} if "tools" in result else result

    async def call(self, tool: str, *, answer: str = "decline", **arguments: object) -> dict[str, Any]:
        """Call a tool; nobody answers."""
        del answer
        result = await self._run("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        if "thrown" in result:
            return result
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        seen = {"text": "\n".join(texts), "is_error": bool(result.get("isError"))}
        return {**seen, "progress": [], "questions": []}

    async def _run(self, method: str, *more: str) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *(self.node, str(LAUNCHER), "--cli", "--format", "json", "-q", "--protocol-era", self.era),
            *("--connect-timeout", "60000", "--method", method, *more, *self._server()),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(self.here.home)},
            cwd=self.here.home,
        )
        said, complained = await asyncio.wait_for(process.communicate(), _LONGEST)
        if not said.strip():
            return {"thrown": complained.decode()[-1000:]}
        result: dict[str, Any] = json.loads(said)["result"]
        return result

    def _server(self) -> list[str]:
        if self.here.url:
            return ["--server-url", self.here.url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
        environment = [word for name, value in self.here.environment.items() for word in ("-e", f"{name}={value}")]
        return [*environment, "--", *self.here.command]
