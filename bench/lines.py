"""Every figure of the report with its goal. A measurement gives exactly these, and the report shows each of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SIZES = (5_000, 50_000, 500_000)
ORDERS = (10_000, 100_000)
FACTORIES = (5_000, 50_000, 500_000)
CLIENTS = (1, 8, 32, 100)

CATALOGUE = "Catalogue of variants"
SALES = "Sales orders with 3 rows"
PURCHASES = "Purchase orders with 3 rows"
MANUFACTURING = "Manufacturing orders"
OTHERS = "Other documents, pages → stored and searchable"
SYNC = "Cold sync of variants with their products"
CLIENT = "Client"
RECALL = "Recall of a batch over three levels"
RECALLED = "what was made of it, and who got it, p50"
COLD = "First answers of an account that was never read, on a virtual clock"
CALLS = "Warm read tools, in-memory client"
HTTP = "Warm calls over HTTP, by clients at once"
START = "Process start to tools/list over stdio"
BUDGET = "Request budget in a file"
SANDBOX = "Sandbox"

FIRST_ANSWERS: Mapping[str, tuple[int | None, int | None]] = {
    "a SKU searched": (None, 3),
    "a supplier's code searched": (None, 3),
    "stock of three SKUs": (None, 3),
    "an order planned": (10, None),
    "what is short": (None, None),
}
"""Questions of a first minute; how many seconds they are to wait at most, and how many requests they are to need."""

STORED = "pages → stored and searchable"
AGAIN = "the same pages again, unchanged"
LATENCY = "a code searched, p50"
SPREAD = "a code searched, p99 beside p50"
PER_PROCESSOR = "a code searched, per second of the processor"
FLOOR = "floor"
SAME = "same answer"
"""A side of a call: the same answer, under the same schema, from a tool that sends the same requests before, if any."""

READ_TOOLS = (
    *("search_items", "list_items", "get_item"),
    *("search_sales_orders", "list_sales_orders", "get_sales_order"),
    *("search_sales_returns", "list_sales_returns", "get_sales_return"),
    *("search_purchase_orders", "list_purchase_orders", "get_purchase_order", "verify_order_document"),
    *("search_manufacturing_orders", "list_manufacturing_orders", "get_manufacturing_order"),
    "get_manufacturing_order_recipe",
    *("search_stock_transfers", "list_stock_transfers", "get_stock_transfer"),
    *("search_stock_adjustments", "list_stock_adjustments", "get_stock_adjustment"),
    "list_stocktakes",
    *("search_customers", "list_customers", "get_customer"),
    *("get_variant_details", "check_inventory", "list_low_stock_items", "list_inventory_signals"),
    *("get_demand_forecast", "list_traceability", "trace"),
    *("order_readiness", "promise_date", "list_blocking_ingredients", "buildable"),
    *("get_inventory_movements", "inventory_at", "stock_value", "get_bom", "list_reference", "cache_status"),
)
"""Every tool that only reads."""
NOT_CACHED = {"list_inventory_signals": 1, "get_demand_forecast": 1, "list_traceability": 1, "trace": 3}
"""Requests of a warm call of what has to ask Katana each time."""
IN_ALL, IN_ALL_AFTER_WRITES = "all tools", "all tools, something written before each call"
_HARDER = {"list_low_stock_items": 3, "list_blocking_ingredients": 3}
"""How many times the same answer may cost what looks at many levels for it; twice for others."""
_WHOLE = frozenset(("buildable", "stock_value", "promise_date", "order_readiness", *_HARDER))

WHY_STORED = (
    "a column for each field, rows in tables of their own, every text folded; the floor keeps one JSON text. "
    "To read the page and run ready statements takes 1.6 to 2.8 x the floor by itself (ADR-0155)"
)
WHY_RANKED = "the index is walked three times, and the order of each match looked up; the floor ranks in one walk"
WHY_READ = "a page is some five reads of the cache, and a row is made anew of its record"
WHY_ALONE = (
    "a call that comes alone takes a third more of the processor than one of eight side by side, "
    "and one of the same answer does not"
)
WHY_WHOLE = "all levels, rows or movements of the account are added up in the call"
WHY_ASKED = "Katana is asked each time, as the tool of the same answer asks it; what comes is checked and given names"
WHY_DECODED = "each record is made of its columns, a cell at a time"
WHY_GUESSED = "every word of like length is compared with those of the query"
WHY_SORTED = "all that the window takes is sorted by another field"
WHY_PAUSED = "a page is decoded and validated in one go"
WHY_MERGED = "a page is stored in one transaction, search index and all"
WHY_LOADED = "models and schemas of 90 tools are loaded before the first list"

OTHER_DOCUMENTS = (
    *("manufacturing_order_recipe_row", "manufacturing_order_operation_row", "manufacturing_order_production"),
    *("sales_order_fulfillment", "stock_transfer", "stock_adjustment", "inventory_movement", "bom_row"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure that the report has, at each of its sizes.

    Attributes:
        topic: the table it stands in.
        what: what is measured.
        unit: `ms`, `rows/s`, `MB`, `bytes`, `s`, `requests`.
        sizes: records of what it is measured on, or clients; 0 where that does not matter.
        goal: by size what it is to reach, for rates at least, otherwise at most.
        ratio: by size how many times the cost of its base it may be.
        over: how much more than its base it may be.
        note: what else should be known, a few words.
        base: the side that it is held against: the floor, or the same answer.
        why: what is said where a goal is missed.
    """

    topic: str
    what: str
    unit: str = "ms"
    sizes: tuple[int, ...] = (0,)
    goal: Mapping[int, float] | None = None
    ratio: Mapping[int, float] | None = None
    over: float | None = None
    note: str = ""
    base: str = FLOOR
    why: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    def times(self, value: float, floor: float | None) -> float | None:
        """Return how many times the floor's cost this is, or None where that says nothing."""
        if not floor or not value:
            return None
        return floor / value if self.is_rate else value / floor

    def held(self, size: int, value: float, floor: float | None) -> bool | None:
        """Return whether every goal at this size is held, or None without one."""
        verdicts: list[bool] = []
        if (goal := (self.goal or {}).get(size)) is not None:
            verdicts.append(value >= goal if self.is_rate else value <= goal)
        if (most := (self.ratio or {}).get(size)) is not None:
            verdicts.append((self.times(value, floor) or 0.0) <= most)
        if self.over is not None:
            verdicts.append(value <= (floor or 0.0) + self.over)
        return all(verdicts) if verdicts else None

    def goals_in_words(self, size: int) -> str:
        """Return the goals at this size in words."""
        words: list[str] = []
        if (goal := (self.goal or {}).get(size)) is not None:
            words.append(f"{'≥' if self.is_rate else '≤'} {goal:,.0f}")
        if (most := (self.ratio or {}).get(size)) is not None:
            words.append(f"≤ {most:g}x {self.base}")
        if self.over is not None:
            words.append(f"≤ {self.base} + {self.over:.0f}")
        return ", ".join(words)


def _call(tool: str) -> Line:
    why = WHY_ASKED if tool in NOT_CACHED else WHY_WHOLE if tool in _WHOLE else WHY_READ
    over = None if tool in _HARDER else 3
    return Line(topic=CALLS, what=f"{tool}, p50", base=SAME, ratio={0: _HARDER.get(tool, 2)}, over=over, why=why)


def _every(sizes: tuple[int, ...], goal: float) -> dict[int, float]:
    return dict.fromkeys(sizes, goal)


def _catalogue() -> Iterator[Line]:
    def line(what: str, unit: str = "ms", goal: float | None = None, note: str = "", why: str = "") -> Line:
        goals = None if goal is None else _every(SIZES, goal)
        return Line(topic=CATALOGUE, what=what, unit=unit, sizes=SIZES, goal=goals, note=note, why=why)

    twice = _every(SIZES, 2)
    yield Line(
        topic=CATALOGUE,
        what=STORED,
        unit="rows/s",
        sizes=SIZES,
        ratio=twice,
        note="decoded, validated, stored, indexed beside as many or more",
        why=WHY_STORED,
    )
    yield line(AGAIN, "rows/s")
    yield line("file, per variant", "bytes", 1_300)
    yield line("open and first read, p50", "ms", 60)
    yield line("by id, p95", "ms", 1, why=WHY_DECODED)
    yield line("by SKU, p95", "ms", 1, why=WHY_DECODED)
    yield line("100 by id, p95", "ms", 5, why=WHY_DECODED)
    for what in ("a SKU", "the start of a SKU", "a supplier's code", "a word", "two words"):
        goal, ratio = {5_000: 10.0, 50_000: 10.0, 500_000: 40.0}, {50_000: 2.0, 500_000: 2.0}
        about = f"search, {what}, p95"
        yield Line(topic=CATALOGUE, what=about, sizes=SIZES, goal=goal, ratio=ratio, why=WHY_RANKED)
    yield line("search, broad: a third of all, p95", "ms", 150, why=WHY_RANKED)
    yield line("search, miss, p95", "ms", 3, why=WHY_GUESSED)
    yield line("search, typo, p95", "ms", 15, "plain SQLite and the legacy cache find no typos", WHY_GUESSED)
    yield line("search, inside a word, p95", "ms", 40, "the legacy cache finds none", WHY_RANKED)


def _orders(topic: str, *, rows: bool) -> Iterator[Line]:
    def line(what: str, goal: float, why: str = "") -> Line:
        return Line(topic=topic, what=what, sizes=ORDERS, goal=_every(ORDERS, goal), why=why)

    twice = _every(ORDERS, 2)
    yield Line(topic=topic, what=STORED, unit="orders/s", sizes=ORDERS, ratio=twice, why=WHY_STORED)
    yield Line(topic=topic, what=AGAIN, unit="orders/s", sizes=ORDERS, note="at most 10,000 of them")
    for what in (
        *("newest", "status", "window of due dates", "variant" if not rows else "variant in rows"),
        *(("customer or supplier",) if rows else ()),
        *("open", "overdue, by due date", "status and window, by due date", "four filters"),
    ):
        yield line(f"page of 50, {what}, p95", 15, WHY_SORTED if "window" in what else WHY_DECODED)
    yield line("count of a status in a window, p95", 15, WHY_SORTED)
    yield line("by id, p95", 1, WHY_DECODED)
    yield line("by number, p95", 1, WHY_DECODED)
    yield line("search, number, p95", 40)
    yield line("search, miss, p95", 150)


def _sync() -> Iterator[Line]:
    def line(what: str, goal: float, why: str) -> Line:
        return Line(topic=SYNC, what=what, sizes=SIZES, goal=_every(SIZES, goal), why=why)

    yield Line(
        topic=SYNC,
        what="memory at its peak, more than before",
        unit="MB",
        sizes=SIZES,
        goal=_every(SIZES, 60),
        why="three connections keep pages of the file, 8 MB each, beside the pages of the listing",
    )
    yield Line(topic=SYNC, what="variants", unit="rows/s", sizes=SIZES, note="with a fifth as many products")
    yield line("longest pause of the event loop", 50, WHY_PAUSED)
    yield line("longest wait of another writer", 100, WHY_MERGED)


def _sandbox() -> Iterator[Line]:
    def line(what: str, unit: str, goal: float, sizes: tuple[int, ...] = FACTORIES, why: str = "") -> Line:
        return Line(topic=SANDBOX, what=what, unit=unit, sizes=sizes, goal=_every(sizes, goal), why=why)

    yield line("records made", "rows/s", 20_000, why="each is drawn by itself: names, amounts, moments")
    yield line("peak memory", "MB", 2_000)
    for what in ("variants, first page", "variants, in the middle", "orders, in the middle", "stock, in the middle"):
        yield line(f"page of 250, {what}, p95", "ms", 20)
    yield line("page of 250, changed since, p95", "ms", 20)
    yield line("state written", "s", 2, (50_000,))
    yield line("state read", "s", 2, (50_000,))


def _first(what: str, unit: str, most: int | None) -> Line:
    return Line(
        topic=COLD,
        what=what,
        unit=unit,
        sizes=(5_000,),
        goal={} if most is None else {5_000: most},
        note="2,000 orders, 0.35 s an answer, 60 requests a minute",
    )


def _lines() -> Iterator[Line]:
    yield Line(
        topic=CLIENT,
        what="page of 250 variants decoded, normalised, validated",
        unit="rows/s",
        goal={0: 20_000},
        note="floor: json.loads alone",
        why="each field is normalised and validated",
    )
    yield from _catalogue()
    yield from _orders(SALES, rows=True)
    yield from _orders(PURCHASES, rows=True)
    yield from _orders(MANUFACTURING, rows=False)
    for entity in OTHER_DOCUMENTS:
        yield Line(topic=OTHERS, what=entity, unit="records/s", sizes=(10_000,))
    yield Line(topic=RECALL, what=RECALLED, sizes=ORDERS, goal={10_000: 300}, note="a tenth of the documents is read")
    yield from _sync()
    for what, (seconds, requests) in FIRST_ANSWERS.items():
        yield _first(f"{what}, waited", "s", seconds)
        yield _first(f"{what}, requests for it", "requests", requests)
    for tool in READ_TOOLS:
        yield _call(tool)
        yield Line(topic=CALLS, what=f"{tool}, requests to Katana", unit="requests", goal={0: NOT_CACHED.get(tool, 0)})
    yield Line(topic=CALLS, what=IN_ALL, base=SAME, note="of those that ask Katana nothing, p50 added up")
    yield Line(topic=CALLS, what=IN_ALL_AFTER_WRITES, base=SAME, note="so is the first call after each sync")
    yield Line(topic=HTTP, what=LATENCY, sizes=CLIENTS, base=SAME, note="by the clock; floor: a tool that does nothing")
    yield Line(topic=HTTP, what=SPREAD, unit="times", sizes=CLIENTS, base=SAME, goal={100: 5})
    yield Line(
        topic=HTTP,
        what=PER_PROCESSOR,
        unit="calls/s",
        sizes=CLIENTS,
        base=SAME,
        ratio=_every(CLIENTS, 1.67),
        note="of the server's process alone; the goal is 60 of 100",
        why=WHY_ALONE,
    )
    about = "floor: a FastMCP server with one tool"
    for what, unit, times in (("start", "s CPU", 1.3), ("memory, idle", "MB", 1.25)):
        yield Line(topic=START, what=what, unit=unit, ratio={0: times}, note=about, why=WHY_LOADED)
    yield Line(topic=BUDGET, what="a place taken and given back, p50", note="floor: a budget in memory")
    yield Line(
        topic=BUDGET,
        what="a place taken and given back, p99",
        goal={0: 1},
        note="on the event loop",
        why="the file is locked, read and written for each place",
    )
    yield from _sandbox()


LINES: Mapping[tuple[str, str], Line] = {(line.topic, line.what): line for line in _lines()}
"""Every line, in the order of the report."""
