"""A sandbox whose time stands still until it is moved, a connected client, and the command line on a sandbox."""

import os
import sys
from collections.abc import AsyncGenerator, Generator
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest
import structlog
from command_line import Ran, Run
from legacy_at_once import without_threads  # goes with cache_legacy
from server_wire import Wire
from warm_cache import start_warm

from katana_mcp.commands import cli
from katana_mcp.configuration import sandbox
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged
from katana_mcp.testing.idle_loop import IdleLoop
from katana_sandbox import ManualClock, Sandbox, SystemClock, Tenant

OPENED = datetime.now(UTC)
"""When every factory of a command line's own sandbox was opened: it is built once, and then taken back."""


class SinceOpened(SystemClock):
    """Real time, which begins to pass once the factory stands."""

    def __init__(self) -> None:
        self.passes = False

    def now(self) -> datetime:
        return super().now() if self.passes else OPENED


def opened_before() -> OwnSandbox:
    clock = SinceOpened()
    own = OwnSandbox(Sandbox(clock=clock))
    clock.passes = True
    return own


def untouched() -> OwnSandbox:
    return OwnSandbox(Sandbox(clock=ManualClock(auto=False)))


@pytest.fixture(autouse=True)
def warmth(request: pytest.FixtureRequest) -> None:
    """Let the servers of a test that is not marked `cold` begin with a full cache."""
    if not request.node.get_closest_marker("cold"):
        start_warm(request, untouched)


@pytest.fixture(autouse=True)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let caches and journals work in the loop's own thread, unless a test is marked `threads`, or a slow proof."""
    if not any(request.node.get_closest_marker(name) for name in ("threads", "soak")):
        monkeypatch.setattr(IdleLoop, "threads", False)
        monkeypatch.setattr("asyncio.events.new_event_loop", IdleLoop)  # commands run loops of their own
        monkeypatch.setattr("cache_typed.transactions.LONGEST", inf)  # how long a read takes is no matter of the test
        without_threads(monkeypatch)  # goes with cache_legacy


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(auto=False)


@pytest.fixture
def own(clock: ManualClock) -> OwnSandbox:
    return OwnSandbox(Sandbox(clock=clock))


@pytest.fixture
def tenant(own: OwnSandbox) -> Tenant:
    return own.sandbox.tenant()


@pytest.fixture
def outsourced(tenant: Tenant) -> Wire:
    """Return a new outsourced purchase order; the sandbox begins without one."""
    made = next(tenant.all("bom_rows"))["product_variant_id"]
    order = next(tenant.all("purchase_orders"))
    places = {"location_id": order["location_id"], "tracking_location_id": order["location_id"]}
    rows = [{"variant_id": made, "quantity": 2, "price_per_unit": 5}]
    body = {"entity_type": "outsourced", "supplier_id": order["supplier_id"], "purchase_order_rows": rows, **places}
    return tenant.create("purchase_orders", body)


@pytest.fixture
async def stage(own: OwnSandbox) -> AsyncGenerator[Stage]:
    async with staged(own) as connected:
        yield connected


@pytest.fixture
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A working directory of its own, and no setting of ours in the environment."""
    for name in [name for name in os.environ if name.upper().startswith("KATANA_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.fixture
def command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Generator[Run]:
    """Run a command on the sandbox with its cache below `kept`."""
    for name in [variable for variable in os.environ if variable.startswith("KATANA_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATANA_SANDBOX", "true")
    monkeypatch.setenv("KATANA_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(sandbox, "OwnSandbox", opened_before)

    def ran(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["katana-mcp", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(end.value.code, captured.out, captured.err)

    yield ran
    structlog.reset_defaults()
