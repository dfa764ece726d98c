"""A process that reads a cache and keeps it fresh, without a server before it; run by the long proofs.

Told where by its arguments; says when it has opened the cache, and at the end, as JSON, how its reads went.
"""

import asyncio
import json
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from cache_core.errors import CacheError
from cache_core.protocol import Search, Selection
from katana_mcp.configuration.settings import load
from katana_mcp.references.services import Services
from katana_mcp.server.wiring import Environment, connected

READ = ("sales_order", "variant", "customer", "purchase_order")
"""What is kept fresh: to list every entity takes all requests of the first minute, which hides what a lease costs."""
_EVERY = 0.05


class Readings:
    """How long reads took, how much older than allowed what they read was at most, and what they met."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.overdue = timedelta()
        self.faults: list[str] = []

    async def read(self, services: Services, entity: str) -> None:
        """Read as a tool does that has no time to wait for Katana."""
        began = time.monotonic()
        try:
            fresh = (await services.fresh.ensure([entity], wait=0))[entity]
            await services.cache.select(entity, Selection(limit=20))
            await services.cache.search(entity, Search("word", limit=10))
        except CacheError as error:
            self.faults.append(repr(error))
            return
        self.seconds.append(time.monotonic() - began)
        if fresh.as_of is not None:
            age = services.clock.now() - datetime.fromisoformat(fresh.as_of)
            self.overdue = max(self.overdue, age - services.syncer.specs[entity].fresh_for)

    def to_json(self) -> dict[str, object]:
        """Return the figures."""
        ordered = sorted(self.seconds)
        return {
            "reads": len(ordered),
            "p99": ordered[len(ordered) * 99 // 100],
            "longest": ordered[-1],
            "overdue": self.overdue.total_seconds(),
            "faults": self.faults,
            "fastmcp": "fastmcp" in sys.modules,
        }


async def refresh(services: Services) -> None:
    """Refresh ahead of reads, for ever."""
    rest = 0.0
    while rest >= 0:
        await asyncio.sleep(rest)
        rest = (await services.fresh.keep_fresh(READ)).rest


async def main(url: str, key: str, directory: Path, seconds: float) -> None:
    """Read for so long."""
    tenant = connected(
        load(sandbox=True, base_url=url, api_key=key, cache_dir=directory), Environment(on_request=quiet)
    )
    services = await tenant.services()
    sys.stdout.write("opened\n")
    sys.stdout.flush()
    refreshing = asyncio.create_task(refresh(services))
    readings, end = Readings(), time.monotonic() + seconds
    while time.monotonic() < end:
        for entity in READ:
            await readings.read(services, entity)
            await asyncio.sleep(_EVERY)
    refreshing.cancel()
    await asyncio.gather(refreshing, return_exceptions=True)
    await tenant.close()
    sys.stdout.write(json.dumps(readings.to_json()) + "\n")


def quiet(record: object) -> None:
    """Log no request."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), float(sys.argv[4])))
