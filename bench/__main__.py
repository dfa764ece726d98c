"""Measures each part in a process of its own, so that none pays for another's memory; shows progress on stderr.

`--only` and `--sizes` choose, `--json` is for programs, `--write` writes `docs/reference/performance.md`. Figures are
kept as they come: after a stop, `--resume` goes on where it was.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path

from bench.figures import TIMER, Figure
from bench.keeping import KEPT, Kept, resumed, tree
from bench.lines import FACTORIES, ORDERS, SIZES
from bench.report import Run, as_json, as_page, merged

PAGE = Path("docs/reference/performance.md")
type Measure = Callable[[int, Path], Coroutine[object, object, list[Figure]]]


async def _measured(place: str, size: int, directory: Path, *first: str) -> list[Figure]:
    # Each measured process loads only what it measures.
    module, _, name = place.partition(".")
    measure = getattr(import_module(f"bench.{module}"), name)
    figures: list[Figure] = await measure(*first, size, directory)
    return figures


def _of(place: str, *first: str) -> Measure:
    return lambda size, directory: _measured(place, size, directory, *first)


MEASURES: Mapping[str, tuple[Measure, tuple[int, ...]]] = {
    "client": (_of("outside.client"), (0,)),
    "cold": (_of("first_minute.first_answers"), (5_000,)),
    "calls": (_of("serving.warm_calls"), (0,)),
    "written": (_of("serving.after_writes"), (0,)),
    "http": (_of("over_http.calls"), (0,)),
    "starts": (_of("serving.starts"), (0,)),
    "budget": (_of("outside.budget"), (0,)),
    "catalogue": (_of("catalogue.variants"), SIZES),
    "sales_orders": (_of("orders.orders", "sales_order"), ORDERS),
    "purchase_orders": (_of("orders.orders", "purchase_order"), ORDERS),
    "manufacturing_orders": (_of("orders.orders", "manufacturing_order"), ORDERS),
    "others": (_of("orders.others"), ORDERS[:1]),
    "recall": (_of("tracing.recall"), ORDERS),
    "legacy_sync": (_of("syncing.cold_sync", "legacy"), SIZES[:1]),  # goes with cache_legacy
    "sandbox": (_of("outside.sandbox"), FACTORIES),
}
"""What there is to measure, and at how many variants or orders."""
ASKED = {
    *(("sandbox", FACTORIES[-1]), ("others", ORDERS[0]), ("recall", ORDERS[-1])),
    *(("purchase_orders", ORDERS[-1]), ("manufacturing_orders", ORDERS[-1])),
}
"""What is measured only where `--sizes` names its size.

It takes minutes: few want so large a stand-in, other documents are kept as orders are, purchase and manufacturing
orders as sales orders are, and a recall among many has no goal.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; 1 when a measurement failed, 130 when it was stopped. A missed goal is told, not an error."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        if chosen.one:
            return _one(chosen)
        timer = "processor's time" if chosen.cpu else "clock"
        of = f"{tree()} by the {timer}"
        kept = resumed(of) if chosen.resume else Kept(of)
        if kept is None:
            parser.error(f"{KEPT} keeps no figures of {of}: leave --resume out")
        return _reported(chosen, kept, timer)
    except KeyboardInterrupt:
        if not chosen.one:
            sys.stderr.write(f"stopped: nothing is written; --resume goes on with what is kept in {KEPT}\n")
        return 130


def _reported(chosen: argparse.Namespace, kept: Kept, timer: str) -> int:
    """Measure what was chosen, and show it."""
    figures, failed = _all(chosen, kept)
    run = Run(
        date=datetime.now(UTC).date().isoformat(),
        figures=merged(figures),
        part=_part(chosen),
        timer=timer,
        runs=kept.runs,
    )
    sys.stdout.write(as_json(run) if chosen.json else as_page(run))
    if chosen.write and not failed:
        PAGE.write_text(as_page(run), "utf-8")
    return 1 if failed else 0


def _one(chosen: argparse.Namespace) -> int:
    """Measure one thing in this process, and write its figures for the process that asked."""
    name, size = chosen.one
    if chosen.cpu:
        TIMER.use_processor()
    with tempfile.TemporaryDirectory() as directory:
        figures = asyncio.run(MEASURES[name][0](int(size), Path(directory)))
    sys.stdout.write(json.dumps([asdict(figure) for figure in figures]))
    return 0


def _all(chosen: argparse.Namespace, kept: Kept) -> tuple[list[Figure], bool]:
    figures: list[Figure] = []
    failed = False
    started = time.monotonic()
    progress = partial(print, file=sys.stderr, flush=True)
    for name, (_, all_sizes) in MEASURES.items():
        usual = [size for size in all_sizes if not size or (not chosen.sizes and (name, size) not in ASKED)]
        sizes = [size for size in all_sizes if size in chosen.sizes or size in usual]
        for size in sizes if not chosen.only or name in chosen.only else ():
            key = f"{name} {size or ''}".strip()
            before = kept.of_one(key)
            progress(f"{time.monotonic() - started:5.0f} s  {key}{'' if before is None else ', kept'}")
            if before is not None:
                figures += before
                continue
            command = [sys.executable, "-m", "bench", "--one", name, str(size), *(("--cpu",) if chosen.cpu else ())]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                failed = True
                continue
            kept = kept.having(key, [Figure(**load) for load in json.loads(done.stdout)])
            figures += kept.of_one(key) or ()
    progress(f"{time.monotonic() - started:5.0f} s  done")
    return figures, failed


def _part(chosen: argparse.Namespace) -> str:
    """Return which part of the whole this is, in words."""
    only, sizes = ", ".join(chosen.only), ", ".join(f"{size:,}" for size in chosen.sizes)
    return "; ".join(filter(None, (only, f"at {sizes}" if sizes else "")))


def _parser() -> argparse.ArgumentParser:
    sizes = sorted({size for _, all_sizes in MEASURES.values() for size in all_sizes if size})
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=MEASURES, help="measure only this; repeatable")
    parser.add_argument(
        "--sizes", action="append", default=[], type=int, choices=sizes, help="at these alone; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="figures for programs")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    parser.add_argument("--cpu", action="store_true", help="time by the processor, where other work disturbs the clock")
    parser.add_argument("--resume", action="store_true", help="go on with what was kept of this commit, do the rest")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "SIZE"), help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
