"""The stand-in as one object: tenants, keys, clock, journal, faults, and the application over them."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from katana_sandbox.caller import Caller
from katana_sandbox.clock import Clock, SystemClock
from katana_sandbox.courier import Courier
from katana_sandbox.factory.build import Plan, Progress, build_factory
from katana_sandbox.faults.script import FaultScript
from katana_sandbox.gateway import Gateway
from katana_sandbox.journal import Journal, JournalEntry
from katana_sandbox.registry import COLLECTIONS, build_router
from katana_sandbox.scenarios import scenario_named
from katana_sandbox.server import serve
from katana_sandbox.snapshot import BadState, Snapshot, by_prefix, read_snapshot, write_snapshot
from katana_sandbox.store.database import Database
from katana_sandbox.switch_list import Setting
from katana_sandbox.switches import Switches
from katana_sandbox.tenant import Tenant
from katana_sandbox.wire.times import parse_moment, wire_moment

if TYPE_CHECKING:
    from katana_sandbox.wire.encoding import Record

DEFAULT_KEY = "sandbox-key"
DEFAULT_TENANT = "default"
DEFAULT_SCENARIO = "demo"
_KEPT_PAST = 3600.0
"""Seconds of history that lagging reads can see."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """What a sandbox starts with. None for variants and orders is the small factory; `empty` has settings only."""

    seed: int = 7
    variants: int | None = None
    orders: int | None = None
    switches: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    empty: bool = False
    scenario: str = ""


class Sandbox:
    """A stateful stand-in for the Katana API, for use in-process (`app`) or on a socket (`serve`)."""

    def __init__(
        self,
        config: SandboxConfig | None = None,
        *,
        clock: Clock | None = None,
        progress: Progress | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.config = config or SandboxConfig()
        self.scenario = scenario_named(self.config.scenario or DEFAULT_SCENARIO)
        self.clock: Clock = clock or SystemClock()
        self.switches = Switches(self.config.switches)
        self._gateway = Gateway(build_router(), self.switches, self.clock)
        self._tenants: dict[str, Tenant] = {}
        self.default_key = DEFAULT_KEY
        self.clock_offset = self.scenario.clock_offset
        self.faults.add(*self.scenario.faults)
        if snapshot is None:
            self.add_tenant(DEFAULT_TENANT, seed=self.config.seed, key=DEFAULT_KEY, progress=progress)
        else:
            self._take_back(snapshot)

    @classmethod
    def restore(
        cls,
        path: Path | str,
        *,
        clock: Clock | None = None,
        scenario: str = "",
        switches: Mapping[str, Setting] | None = None,
    ) -> "Sandbox":
        """A sandbox with the data, keys and switches of a state file; faults come from the scenario alone.

        The server's clock never stands before the moment at which the file was written.

        Raises:
            BadState: when the file can not be read, is damaged, or belongs to another version.
        """
        snapshot = read_snapshot(Path(path))
        if snapshot.facts.get("collections") != _fingerprint():
            raise BadState(f"{path} was written by a sandbox with other collections")
        held = cast("dict[str, Setting]", snapshot.facts["switches"])
        plan = cast("dict[str, Any]", snapshot.facts["plan"])
        config = SandboxConfig(**plan, switches={**held, **(switches or {})}, scenario=scenario)
        return cls(config, clock=clock, snapshot=snapshot)

    def save(self, path: Path | str) -> None:
        """Write data, keys and switches of every tenant to a state file, in one step.

        Raises:
            BadState: when the place can not be written.
        """
        names = list(self._tenants)
        plan = {name: getattr(self.config, name) for name in ("seed", "variants", "orders", "empty")}
        facts: Record = {
            "collections": _fingerprint(),
            "plan": plan,
            "switches": self.switches.changed(),
            "tenants": names,
            "keys": self._gateway.keys(),
            "now": wire_moment(self.now()),
        }
        pieces = {
            f"{place}/{piece}": raw
            for place, name in enumerate(names)
            for piece, raw in self._tenants[name].db.saved().items()
        }
        write_snapshot(Path(path), Snapshot(facts, pieces))

    @property
    def app(self) -> Gateway:
        """The ASGI application; paths begin with /v1."""
        return self._gateway

    @property
    def journal(self) -> Journal:
        """Every request so far."""
        return self._gateway.journal

    @property
    def faults(self) -> FaultScript:
        """The armed faults."""
        return self._gateway.faults

    @property
    def courier(self) -> Courier:
        """What delivers to webhooks: `send` may be replaced, and `join` waits for the deliveries."""
        return self._gateway.courier

    @property
    def clock_offset(self) -> float:
        """Seconds by which the server's wall clock is ahead of `clock`."""
        return self._gateway.offset

    @clock_offset.setter
    def clock_offset(self, seconds: float) -> None:
        self._gateway.offset = seconds

    def now(self) -> datetime:
        """The server's wall clock."""
        return self._gateway.now()

    def add_tenant(
        self,
        name: str,
        *,
        seed: int | None = None,
        key: str | None = None,
        empty: bool | None = None,
        progress: Progress | None = None,
    ) -> Tenant:
        """Another account with data of its own; its key is `key-<name>` unless given."""
        if name in self._tenants:
            raise ValueError(f"there is already a tenant {name!r}")
        chosen = self.config.seed if seed is None else seed
        tenant = self._new_tenant(name, chosen)
        bare = (self.config.empty or self.scenario.empty) if empty is None else empty
        orders = self.scenario.orders if self.config.orders is None else self.config.orders
        plan = Plan(chosen, self.config.variants, orders, bare, accounts_before=len(self._tenants))
        build_factory(tenant.context(), plan, progress or _quiet)
        if self.scenario.prepare is not None:
            with tenant.db.undo.silent():
                self.scenario.prepare(tenant)
        self._tenants[name] = tenant
        self._gateway.admit(key or f"key-{name}", tenant)
        return tenant

    def add_key(self, key: str, tenant: str = DEFAULT_TENANT) -> None:
        """Another key of a tenant, with a budget of its own."""
        self._gateway.admit(key, self.tenant(tenant))

    def tenant(self, name: str = DEFAULT_TENANT) -> Tenant:
        """A tenant by name; LookupError when there is none."""
        if name not in self._tenants:
            raise LookupError(f"no tenant {name!r}")
        return self._tenants[name]

    def requests(self, method: str | None = None, path: str | None = None) -> list[JournalEntry]:
        """Journal entries of a method and a path pattern."""
        return self.journal.requests(method, path)

    def max_requests_in_window(self, key: str | None = None, seconds: float = 60) -> int:
        """The most requests a key made inside any sliding window; of all keys when none is named."""
        return self.journal.max_in_window(key, seconds)

    def caller(self, key: str | None = DEFAULT_KEY) -> Caller:
        """A bare in-process caller under a key; None sends none."""
        return Caller(self.app, key)

    def serve(self, host: str = "127.0.0.1", port: int = 0) -> AbstractAsyncContextManager[str]:
        """Listen on a real socket inside an `async with`, which gives the base URL."""
        return self._serve(host, port)

    @asynccontextmanager
    async def _serve(self, host: str, port: int) -> AsyncGenerator[str]:
        async with serve(self.app, host, port) as url:
            try:
                yield url
            finally:
                await self.courier.close()

    def _new_tenant(self, name: str, seed: int) -> Tenant:
        keys = {collection.name: collection.foreign_keys for collection in COLLECTIONS.values()}
        db = Database(keys, seed, self.clock.monotonic, _KEPT_PAST)
        return Tenant(name, db, self.switches, self._gateway.now, self._gateway.courier.note)

    def _take_back(self, snapshot: Snapshot) -> None:
        pieces = by_prefix(snapshot.pieces)
        for place, name in enumerate(cast("list[str]", snapshot.facts["tenants"])):
            self._tenants[name] = self._new_tenant(name, self.config.seed)
            self._tenants[name].db.restore(pieces[str(place)])
        for key, name in cast("dict[str, str]", snapshot.facts["keys"]).items():
            self._gateway.admit(key, self._tenants[name])
        written = parse_moment(snapshot.facts["now"])
        if written is not None:
            self.clock_offset += max(0.0, (written - self.now()).total_seconds())


def _fingerprint() -> dict[str, list[str]]:
    return {name: list(collection.foreign_keys) for name, collection in sorted(COLLECTIONS.items())}


def _quiet(_label: str, _done: int, _total: int) -> None:
    pass
