"""What stands around the cache: the client's reading, the request budget in a file, and the sandbox at full size."""

import gc
import json
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from bench import data, lines
from bench.figures import TIMER, Figure, p95, side_by_side
from bench.wire import read
from cache_core.specs.variants import VARIANT
from katana_client import Budget, Priority, SlidingWindowBudget, SystemClock
from katana_mcp.caches.accounts.shared_budget import SharedBudget
from katana_sandbox import ManualClock, Sandbox, SandboxConfig
from katana_sandbox.caller import Caller

OURS = "ours"
FLOOR = "floor"
PAGES = 60
_KEPT = 50_000
"""Variants of the factory whose state is written and read."""


async def client(_size: int, _directory: Path) -> list[Figure]:
    """Measure pages of 250 variants from bytes to normalised, validated records."""
    body = data.body([data.variant(nr) for nr in range(1, data.PAGE + 1)])
    values = {OURS: await _rate(partial(read, VARIANT), body), FLOOR: await _rate(_decoded, body)}
    (line,) = (what for topic, what in lines.LINES if topic == lines.CLIENT)
    return [Figure(topic=lines.CLIENT, what=line, size=0, values=values)]


async def _decoded(body: bytes) -> object:
    return json.loads(body)


async def _rate(work: Callable[[bytes], Awaitable[object]], body: bytes) -> float:
    await work(body)
    best = 0.0
    for _ in range(3):
        start = TIMER.now()
        for _ in range(PAGES):
            await work(body)
        best = max(best, PAGES * data.PAGE / (TIMER.now() - start))
    return best


async def budget(_size: int, directory: Path) -> list[Figure]:
    """Measure what a request pays for its place in the budget of all processes, and in one of this process alone."""
    memory: list[float] = []
    file: list[float] = []
    for index in range(30):
        memory += await _places(SlidingWindowBudget(SystemClock()))
        shared = SharedBudget(directory / f"{index}.sqlite", SystemClock())
        file += (await _places(shared))[1:]
        shared.close()
    middle, slow = statistics.median, statistics.quantiles(file, n=100)[98]
    figure = partial(Figure, topic=lines.BUDGET, size=0)
    return [
        figure(what="a place taken and given back, p50", values={OURS: middle(file), FLOOR: middle(memory)}),
        figure(what="a place taken and given back, p99", values={OURS: slow}),
    ]


_PLACES = 40
"""Places that reads take of a budget without waiting: some of 60 are kept for writes."""


async def _places(budget: Budget) -> list[float]:
    """Return the milliseconds of this thread's processor for each place taken and given back."""
    costs: list[float] = []
    for _ in range(_PLACES):
        start = time.thread_time()
        budget.observe(await budget.acquire(Priority.INTERACTIVE), None)
        costs.append((time.thread_time() - start) * 1_000)
    return costs


async def sandbox(size: int, directory: Path) -> list[Figure]:
    """Measure a factory of this many variants, with a fifth as many orders."""
    start = TIMER.now()
    config = SandboxConfig(variants=size, orders=size // 5, switches={"rate_limit": 0})
    factory = Sandbox(config, clock=ManualClock())
    spent = TIMER.now() - start
    gc.freeze()
    api = factory.caller()
    records = sum(len(store) for store in factory.tenant().db.stores.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    figure = partial(Figure, topic=lines.SANDBOX, size=size)
    figures = [
        figure(what="records made", values={OURS: records / spent}, note=f"{records:,} records"),
        figure(what="peak memory", values={OURS: memory}),
    ]
    deep = size // data.PAGE // 2
    for what, path, query in (
        ("variants, first page", "/variants", {}),
        ("variants, in the middle", "/variants", {"page": deep}),
        ("orders, in the middle", "/sales_orders", {"page": deep // 5}),
        ("stock, in the middle", "/inventory", {"page": deep}),
        ("changed since", "/variants", {"updated_at_min": "2026-03-01T00:00:00.000Z"}),
    ):
        took = await side_by_side({OURS: partial(_paged, api, path, {"limit": data.PAGE, **query})}, 20)
        figures.append(figure(what=f"page of 250, {what}, p95", values=p95(took)))
    return figures + (_measure_kept(factory, directory / "shop.state") if size == _KEPT else [])


async def _paged(api: Caller, path: str, query: Mapping[str, object], _: int) -> object:
    return await api.get(path, query)


def _measure_kept(factory: Sandbox, path: Path) -> list[Figure]:
    figure = partial(Figure, topic=lines.SANDBOX, size=_KEPT)
    start = TIMER.now()
    factory.save(path)
    written = TIMER.now()
    Sandbox.restore(path, clock=ManualClock())
    read_ = TIMER.now()
    return [
        figure(what="state written", values={OURS: written - start}, note=f"{path.stat().st_size / 1e6:.0f} MB"),
        figure(what="state read", values={OURS: read_ - written}),
    ]
