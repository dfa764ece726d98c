"""A process that syncs toys into a cache file and waits in the middle of a request; run by the tests of leases."""

import asyncio
import sys
from pathlib import Path

from cache_core.clock import SystemClock
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Syncer, Window
from cache_core.testing import START, FakeSource
from cache_typed.backend import TypedBackend

from .toy_tables import TOY_TABLES
from .toys import SPECS


class SlowSource(FakeSource):
    """A source that says when it is asked, and answers a second later."""

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        page = await super().page(listed, window, since)
        sys.stdout.write("asked\n")
        sys.stdout.flush()
        await asyncio.sleep(1)
        return page


async def main(directory: Path) -> None:
    """Sync, and say what it came to."""
    source = SlowSource()
    source.put("toy", {"id": 1, "name": "late"}, START)
    cache = TypedBackend(directory, TOY_TABLES)
    await cache.open()
    outcome = await Syncer(SPECS, source, cache, SystemClock()).start("toy")
    await cache.close()
    sys.stdout.write(f"complete {outcome.complete}, changed {outcome.changed}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
