"""Named starting points: which account, and what goes wrong with it."""

from collections.abc import Callable
from dataclasses import dataclass

from katana_sandbox.faults.actions import Delay, Drop, ReplicaLag, Status
from katana_sandbox.faults.script import Fault
from katana_sandbox.tenant import Tenant

_MONTH_END_ORDERS = 400


@dataclass(frozen=True, slots=True)
class Scenario:
    """A preset. `prepare` changes the account once it is built; `clock_offset` is in seconds."""

    name: str
    meaning: str
    empty: bool = False
    orders: int | None = None
    faults: tuple[Fault, ...] = ()
    clock_offset: float = 0.0
    prepare: Callable[[Tenant], None] | None = None


def _close_books(tenant: Tenant) -> None:
    """Close the books at the start of the current month."""
    month = tenant.context().now[:7]
    tenant.edit("factory", 1, inventory_closing_date=f"{month}-01T00:00:00.000Z")


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("empty", "settings, locations, tax rates and operators, and nothing else", empty=True),
    Scenario("demo", "the e-bike workshop in the middle of a month"),
    Scenario(
        "month-end",
        f"{_MONTH_END_ORDERS} sales orders, and the books closed at the start of the month",
        orders=_MONTH_END_ORDERS,
        prepare=_close_books,
    ),
    Scenario(
        "chaos",
        "the demo behind a bad line: 429s, 503s, lost answers, slow and lagging reads, a clock 90 seconds behind",
        faults=(
            Fault("*", 11, Status(429, headers={"Retry-After": "2"}), None, every=23),
            Fault("GET /*", 17, Status(503), None, every=41),
            Fault("GET /*", 7, Drop("before"), None, every=31),
            Fault("POST /*", 5, Drop("after"), None, every=13),
            Fault("PATCH /*", 4, Drop("after"), None, every=11),
            Fault("GET /*", 2, ReplicaLag(20), None, every=5),
            Fault("*", 3, Delay(0.4), None, every=9),
        ),
        clock_offset=-90.0,
    ),
)
_BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def scenario_named(name: str) -> Scenario:
    """A preset by name; ValueError lists those there are."""
    if name not in _BY_NAME:
        raise ValueError(f"unknown scenario {name!r}; there are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]
