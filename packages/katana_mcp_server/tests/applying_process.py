"""A process that applies a plan, without a server before it; run by the tests of kills and of many at once.

Told by its arguments where, and how often at once. It says when it is ready, is told the token, and says the answers in
a line of JSON.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import override

from cache_core.clock import Clock, SystemClock
from katana_mcp.configuration.settings import load
from katana_mcp.references.services import Services
from katana_mcp.server.made_tools import tools
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.testing import Payload
from katana_mcp.tools.outgoing import outgoing
from katana_mcp.tools.warnings import Refused


class Ahead(SystemClock):
    """The machine's clock, as one that goes so much ahead of it.

    Attributes:
        by: how much.
    """

    by = timedelta()

    @override
    def now(self) -> datetime:
        return super().now() + self.by


@asynccontextmanager
async def at_work(url: str, key: str, directory: Path, clock: Clock) -> AsyncGenerator[Services]:
    """Open the cache and the journal of an account, as a server with this clock does."""
    settings = load(sandbox=True, base_url=url, api_key=key, cache_dir=directory, sync="lazy")
    tenant = connected(settings, Environment(clock=clock, on_request=quiet))
    try:
        yield await tenant.services()
    finally:
        await tenant.close()


async def called(services: Services, name: str, arguments: Mapping[str, object]) -> Payload:
    """Return what a tool answers; of a refusal its first code."""
    (tool,) = (spec for spec in tools() if spec.name == name)
    try:
        answer = await tool.run(tool.request.model_validate(arguments), services)
    except Refused as refusal:
        return {"error": refusal.warnings[0].code}
    return outgoing(answer.model_dump(mode="json", exclude_none=True)).payload


def quiet(record: object) -> None:
    """Log no request."""


async def main(url: str, key: str, directory: Path, times: int) -> None:
    """Apply a plan so often at once."""
    async with at_work(url, key, directory, SystemClock()) as services:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        token = (await asyncio.to_thread(sys.stdin.readline)).strip()
        calls = (called(services, "apply_plan", {"plan_tokens": [token]}) for _ in range(times))
        answers = await asyncio.gather(*calls)
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
