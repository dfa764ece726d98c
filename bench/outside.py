"""The client's decoding against `json.loads`, and the sandbox at full size."""

import gc
import json
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import cast

from bench import data
from bench.figures import Figure, spread
from katana_client.headers import Cursor
from katana_client.jsontext import decode
from katana_client.page import Shape, read_page
from katana_client.resources.variants import Variant
from katana_sandbox import ManualClock, Sandbox, SandboxConfig

PAGES = 60


async def client() -> list[Figure]:
    """Measure pages of 250 variants from bytes to normalised, validated models."""
    body = data.body([data.variant(nr) for nr in range(1, data.PAGE + 1)])
    return [
        Figure(
            topic="Client",
            what="page of 250 decoded, normalised, validated",
            size=0,
            value=_rate(_read, body),
            unit="rows/s",
            floor=_rate(json.loads, body),
            goal=20_000,
            note="floor: json.loads alone",
        )
    ]


def _read(body: bytes) -> None:
    page = read_page(Shape(Variant), cast("dict[str, list[object]]", decode(body))["data"], Cursor(), (1, data.PAGE))
    assert len(page.items) == data.PAGE


def _rate(work: Callable[[bytes], object], body: bytes) -> float:
    work(body)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for _ in range(PAGES):
            work(body)
        best = max(best, PAGES * data.PAGE / (time.process_time() - start))
    return best


async def sandbox(size: int) -> list[Figure]:
    """Measure a factory of this many variants, with a fifth as many orders."""
    start = time.process_time()
    config = SandboxConfig(variants=size, orders=size // 5, switches={"rate_limit": 0})
    factory = Sandbox(config, clock=ManualClock())
    spent = time.process_time() - start
    gc.freeze()
    api = factory.caller()
    records = sum(len(store) for store in factory.tenant().db.stores.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    figure = partial(Figure, topic="Sandbox", size=size)
    figures = [
        figure(what="records made", value=records / spent, unit="rows/s", goal=20_000, note=f"{records:,} records"),
        figure(what="peak memory", value=memory, unit="MB", goal=2_000),
    ]
    deep = size // data.PAGE // 2
    for what, path, query in (
        ("first page", "/variants", {}),
        ("page in the middle", "/variants", {"page": deep}),
        ("orders in the middle", "/sales_orders", {"page": deep // 5}),
        ("stock in the middle", "/inventory", {"page": deep}),
        ("delta", "/variants", {"updated_at_min": "2026-03-01T00:00:00.000Z"}),
    ):
        took = await spread(lambda _, path=path, query=query: api.get(path, {"limit": data.PAGE, **query}), 20)
        figures.append(figure(what=f"{what} of 250, p95", value=took.p95, unit="ms", goal=20))
    return figures
