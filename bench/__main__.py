"""Measures each part in a process of its own, so that none pays for another's memory; shows progress on stderr.

`--only` and `--sizes` choose, `--json` is for programs, `--write` writes `docs/reference/performance.md`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.figures import Figure
from bench.report import as_json, as_page

PAGE = Path("docs/reference/performance.md")
SIZES = (5_000, 50_000, 500_000)
type Measure = Callable[[int, Path], Coroutine[object, object, list[Figure]]]


def _variants(backend: str) -> Measure:
    async def measured(size: int, directory: Path) -> list[Figure]:
        from bench.caches import variants  # noqa: PLC0415 - each measured process loads only what it measures

        return await variants(backend, size, directory)

    return measured


async def _orders(size: int, directory: Path) -> list[Figure]:
    from bench.caches import orders  # noqa: PLC0415 - as above

    return await orders(size // 5, directory)


async def _sync(size: int, directory: Path) -> list[Figure]:
    from bench.syncing import cold_sync  # noqa: PLC0415 - as above

    return await cold_sync(size, directory)


async def _sandbox(size: int, directory: Path) -> list[Figure]:
    from bench.outside import sandbox  # noqa: PLC0415 - as above

    del directory
    return await sandbox(size)


async def _client(size: int, directory: Path) -> list[Figure]:
    from bench.outside import client  # noqa: PLC0415 - as above

    del size, directory
    return await client()


async def _calls(size: int, directory: Path) -> list[Figure]:
    from bench.serving import warm_calls  # noqa: PLC0415 - as above

    del size, directory
    return await warm_calls()


async def _starts(size: int, directory: Path) -> list[Figure]:
    from bench.serving import starts  # noqa: PLC0415 - as above

    del size, directory
    return await starts()


MEASURES: Mapping[str, tuple[Measure, tuple[int, ...]]] = {
    "client": (_client, (0,)),
    "calls": (_calls, (0,)),
    "starts": (_starts, (0,)),
    "typed": (_variants("typed"), SIZES),
    "legacy": (_variants("legacy"), (5_000, 50_000)),  # goes with cache_legacy
    "orders": (_orders, (50_000, 500_000)),
    "sync": (_sync, SIZES),
    "sandbox": (_sandbox, SIZES),
}
"""What there is to measure, and at how many variants; orders are a fifth of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; 1 when a measurement failed. A missed goal is told, not an error."""
    chosen = _parser().parse_args(arguments)
    if chosen.one:
        name, size = chosen.one
        with tempfile.TemporaryDirectory() as directory:
            figures = asyncio.run(MEASURES[name][0](int(size), Path(directory)))
        sys.stdout.write(json.dumps([_plain(each) for each in figures]))
        return 0
    figures, failed = _measured(chosen.only, chosen.sizes)
    date = datetime.now(UTC).date().isoformat()
    sys.stdout.write(as_json(figures, date) if chosen.json else as_page(figures, date))
    if chosen.write and not failed:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(as_page(figures, date), "utf-8")
    return 1 if failed else 0


def _plain(figure: Figure) -> dict[str, object]:
    return {name: value for name, value in figure.as_dict().items() if name not in {"ratio", "met"}}


def _measured(only: Sequence[str], sizes: Sequence[int]) -> tuple[list[Figure], bool]:
    figures: list[Figure] = []
    failed = False
    for name, (_, known) in MEASURES.items():
        if only and name not in only:
            continue
        for size in known:
            if size and sizes and size not in sizes:
                continue
            sys.stderr.write(f"{name} {size or ''}\n")
            command = [sys.executable, "-m", "bench", "--one", name, str(size)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            failed |= done.returncode != 0
            figures += [Figure(**each) for each in json.loads(done.stdout or "[]")] if not done.returncode else []
    return figures, failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=MEASURES, help="measure only this; repeatable")
    parser.add_argument("--sizes", action="append", default=[], type=int, choices=SIZES, help="variants; repeatable")
    parser.add_argument("--json", action="store_true", help="figures for programs")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "SIZE"), help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
