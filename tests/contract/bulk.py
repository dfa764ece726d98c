"""Work on a whole cache: rebuilt, moved, filled from an older file; and what holds of it wherever the work stopped."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cache_core.protocol import CacheBackend, Search
from cache_core.records import Record, RecordId, iso
from cache_core.spec import Listed
from cache_core.sync import Syncer
from cache_core.testing import START, FakeSource, ManualClock
from cache_typed.tables import TABLES
from katana_mcp.caches.backends import BACKENDS
from katana_mcp.caches.cache_files import chosen, looked_at
from katana_mcp.caches.rebuilding import rebuild_files
from katana_mcp.caches.stores import Parts, Stores
from katana_mcp.commands.cache.job import Job
from katana_mcp.commands.cache.migrate import migrate
from katana_mcp.commands.cache.verify import verify
from katana_mcp.configuration.backend_flags import DEFAULTS, FLAGS, Flag
from katana_mcp.configuration.settings import load
from katana_mcp.server.wiring import Environment

from .accounts import cached
from .backends import store_of

ENTITIES = ("product", "variant", "customer")
_HELD = tuple(table for table in TABLES if table.spec.name in {*ENTITIES, "material", "supplier", "factory"})
_PARTS = Parts(tuple(table.spec for table in _HELD), {name: store_of(name, _HELD) for name in BACKENDS})
FETCHED = ("product", "customer")
"""What is rebuilt; the variants borrow from it and stay."""
MOVED = ("product", "variant")

_SETTINGS = load(_env_file=None, sandbox=True)

OLD, NEW = "Bike", "Wheelbarrow"
"""What the product of two variants was called, and is called later."""

LATER = 3600.0

type Held = Mapping[str, tuple[Mapping[RecordId, Record], str | None]]
"""The records of each entity, and when it was listed."""


def account(*, later: bool) -> FakeSource:
    """Return the account, or the same one after a product was renamed, a customer came and another one went."""
    source = FakeSource()
    for number, name in ((1, "Bench"), (2, OLD)):
        source.put("product", {"id": number, "name": name}, START)
    for number in range(1, 5):
        source.put("variant", {"id": number, "sku": f"V-{number}", "product_id": number % 2 + 1}, START)
    for number in range(1, 4):
        source.put("customer", {"id": number, "name": f"Customer {number}"}, START)
    if later:
        since = START + timedelta(seconds=LATER)
        source.put("product", {"id": 2, "name": NEW}, since)
        source.put("customer", {"id": 4, "name": "Customer 4"}, since)
        source.drop("customer", 1)
    return source


@dataclass(frozen=True, slots=True)
class Bulk(ABC):
    """Work that a process does on a cache, from the same account each time.

    Attributes:
        backend: which one the work is for.
        directory: where the cache stands.
        asked: called before each request for records.
    """

    backend: str
    directory: Path
    asked: Callable[[Listed, int], None] = lambda listed, number: None

    @abstractmethod
    async def prepare(self) -> None:
        """Leave what the work begins with."""

    @abstractmethod
    async def run(self) -> None:
        """Do the work."""

    @abstractmethod
    async def proves_sound(self) -> None:
        """Show that nothing is lost and nothing is half done, wherever the work stopped."""

    async def mends(self) -> None:
        """Show that the work, done again, ends whole."""
        await self.run()
        async with looked_at(self.job()) as stands:
            cache = stands.stores[self.backend]
            assert await _held(cache) == self.expected()
            assert [(await cache.search("variant", Search(name))).total for name in (OLD, NEW)] == self.named()

    async def verifies(self) -> None:
        """Show that people who check the cache are told that it is sound."""
        assert (await verify(self.job(), ENTITIES)).fine

    def expected(self) -> Held:
        """Return what the cache holds once the work is done."""
        return _in(account(later=False), 0)

    def named(self) -> list[int]:
        """Return how many variants have the old and how many the new name of their product then."""
        return [2, 0]

    def job(self, seconds: float = 0) -> Job:
        """Return a job on this cache, of which the backend holds all that it can hold."""
        flags: dict[str, Flag] = dict.fromkeys(DEFAULTS, next(flag for flag in FLAGS if flag == self.backend))
        clock = ManualClock()
        clock.advance(seconds)
        return Job(
            settings=_SETTINGS,
            outside=Environment(),
            flags=flags,
            directory=self.directory,
            clock=clock,
            tell=lambda what, done, total: None,
            parts=_PARTS,
        )

    async def synced(self, backend: str, *, later: bool = False) -> None:
        """Bring the account into a backend, as a server does."""
        job = self.job(seconds=LATER * later)
        cache = job.stores(self.directory)[backend]
        await cache.open()
        syncer = Syncer(job.parts.specs, account(later=later), cache, job.clock)
        for entity in ENTITIES:
            assert (await syncer.start(entity)).complete
        await syncer.close()
        await cache.close()

    async def held(self) -> dict[str, Held]:
        """Return what each backend holds."""
        async with looked_at(self.job()) as stands:
            return {name: await _held(cache) for name, cache in stands.stores.items()}

    async def no_fault(self) -> None:
        """Show that the file is whole."""
        assert await self.job().stores(self.directory, looking=True)[self.backend].faults() == ()
        assert not list(self.directory.glob("*damaged*"))


class Rebuild(Bulk):
    """Products and customers are fetched anew; the variants, which stay, are called by the products' new names."""

    async def prepare(self) -> None:
        await self.synced(self.backend)

    async def run(self) -> None:
        source = account(later=True)
        source.before = self.asked
        await rebuild_files(self.job(seconds=LATER), chosen(FETCHED, ENTITIES), source)

    async def proves_sound(self) -> None:
        await self.no_fault()
        assert (await self.held())[self.backend] in (_in(account(later=False), 0), self.expected())

    def expected(self) -> Held:
        return {**_in(account(later=True), LATER), "variant": _in(account(later=False), 0)["variant"]}

    def named(self) -> list[int]:
        return [0, 2]


class Migrate(Bulk):
    """Products and variants are filled from the other backend, over what the backend held of an earlier day."""

    async def prepare(self) -> None:
        await self.synced(self.backend)
        await self.synced(self.other, later=True)

    @property
    def other(self) -> str:
        """The backend that it is filled from."""
        return next(name for name in BACKENDS if name != self.backend)

    async def run(self) -> None:
        assert (await migrate(self.job(seconds=2 * LATER), MOVED, self.backend)).fine

    async def proves_sound(self) -> None:
        await self.no_fault()
        both, before, expected = await self.held(), _in(account(later=False), 0), self.expected()
        held = both[self.backend]
        assert both[self.other] == _in(account(later=True), LATER)
        assert held["customer"] == before["customer"]
        for entity in MOVED:
            rows, completed_at = held[entity]
            old, new = before[entity], expected[entity]
            assert rows.keys() == old[0].keys()
            assert all(row in (old[0][key], new[0][key]) for key, row in rows.items())
            assert completed_at in (old[1], new[1])
            assert completed_at == old[1] or rows == new[0]

    def expected(self) -> Held:
        return {**_in(account(later=True), LATER), "customer": _in(account(later=False), 0)["customer"]}

    def named(self) -> list[int]:
        return [0, 2]


class Carry(Bulk):
    """A server of a new version starts, and fills its file from that of the version before."""

    async def prepare(self) -> None:
        await self.run()
        await self.synced(self.backend)
        for path in self.directory.glob(f"{self.backend}-*"):
            path.rename(path.with_name(_of_the_version_before(path.name)))

    async def run(self) -> None:
        job = self.job()
        cache, _ = await Stores(job.flags, None, job.clock, job.parts).open(self.directory)
        await cache.close()

    async def proves_sound(self) -> None:
        await self.no_fault()


WORKS = {"rebuild": Rebuild, "carry": Carry} | ({"migrate": Migrate} if len(BACKENDS) > 1 else {})
"""What a process can be told to do; with one backend there is nothing to move."""


async def _held(cache: CacheBackend) -> Held:
    return {entity: (await cached(cache, entity), (await cache.state(entity)).completed_at) for entity in ENTITIES}


def _of_the_version_before(name: str) -> str:
    return re.sub(r"\d+", lambda number: str(int(number[0]) - 1), name, count=1)


def _in(source: FakeSource, seconds: float) -> Held:
    clock = ManualClock()
    clock.advance(seconds)
    at = iso(clock.now())
    return {entity: (source.rows(entity), at) for entity in ENTITIES}
