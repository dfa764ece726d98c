"""Tries the server with all clients and prints which could do what; exit code 1 when one could not."""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from clients.beside import beside
from clients.browser import browser
from clients.conformance import conformance
from clients.inspector import ERAS, inspector
from clients.scenarios import NAMES
from clients.sdks import NPM, row_of, sdks
from clients.servers import Transport
from clients.table import Row, table

TRANSPORTS: tuple[Transport, ...] = ("stdio", "http")
_AT_ONCE = 2

type Jobs = Mapping[str, Callable[[], Awaitable[Row]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run those whose name has one of the words in it; all without a word."""
    parser = argparse.ArgumentParser(prog="python -m clients", description=__doc__)
    parser.add_argument("words", nargs="*", help="only those whose name has this in it: stdio, inspector, page …")
    words = [word.lower() for word in parser.parse_args(arguments).words]
    jobs = {name: job for name, job in _jobs(_node()).items() if not words or any(word in name for word in words)}
    if not jobs:
        parser.error(f"no client is called {' '.join(words)}")
    rows = asyncio.run(_all(jobs))
    return _report(rows)


def _node() -> str:
    """Return the Node.js that is pinned, where the registry has one for this machine; else the one in PATH."""
    pinned = next((NPM / "node_modules").glob("node-*/bin/node"), None)
    return str(pinned) if pinned else shutil.which("node") or "node"


def _jobs(node: str) -> Jobs:
    driven = {
        f"{sdk.name} {transport}": partial(row_of, sdk, transport) for sdk in sdks(node) for transport in TRANSPORTS
    }
    asked = {
        f"inspector {era} {transport}": partial(inspector, node, era, transport)
        for era in ERAS
        for transport in TRANSPORTS
    }
    others = {
        "page chromium http": partial(browser, node),
        "conformance http": partial(conformance, node),
        "catalogue stdio": partial(beside, node),
    }
    return {name.lower(): job for name, job in {**driven, **asked, **others}.items()}


async def _all(jobs: Jobs) -> list[Row]:
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(job: Callable[[], Awaitable[Row]]) -> Row:
        async with turn:
            started = time.monotonic()
            row = await job()
            seconds = time.monotonic() - started
            sys.stderr.write(f"{row.client}, {row.transport}: {row.verdict()} ({seconds:.0f} s)\n")
            return row

    return list(await asyncio.gather(*map(one, jobs.values())))


def _report(rows: Sequence[Row]) -> int:
    clients = [row for row in rows if set(NAMES) & set(row.cells)]
    lines = [table(clients, NAMES)] if clients else []
    lines += [
        f"{row.client}, {row.transport}, {', '.join(row.cells)}: {row.verdict()}" for row in rows if row not in clients
    ]
    lines += ["", *dict.fromkeys(f"-  {line}" for row in rows for line in row.absences())]
    faults = [f"WRONG  {line}" for row in rows for line in row.faults()]
    sys.stdout.write("\n".join([*lines, *faults]) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
