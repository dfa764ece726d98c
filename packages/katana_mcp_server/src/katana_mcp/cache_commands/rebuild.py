"""`rebuild`: everything fetched anew beside the cache, then swapped in one transaction per file.

Servers go on meanwhile: they read the old data, and the new with their next read. Whatever stops it before the swap
leaves the old data as it was.
"""

import asyncio
import fcntl
import shutil
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from cache_core.compared import ComparedBackend
from cache_core.errors import CacheError
from cache_core.files import private_directory, private_file
from cache_core.migrate import Migration
from cache_core.protocol import CacheBackend
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.sync import Progress, Syncer, SyncOutcome
from katana_mcp.backends import Store
from katana_mcp.cache_commands.job import EVERY, CommandFailed, Job, Line, Report, Sheet, chosen, looked_at, newest_of
from katana_mcp.comparisons import LoggedComparisons
from katana_mcp.stores import holders
from katana_mcp.wiring import connected

BESIDE = "rebuild"
"""The directory beside the live files in which the new ones are made."""

LOCK = "rebuild.lock"
LISTED = tuple(name for name in EVERY if name != "stock")
"""What Katana lists; stock is asked for when somebody needs it."""

_STAYS = "the old data stays as it was"


async def rebuild(job: Job, entities: Sequence[str]) -> Report:
    """Fetch these entities anew, and swap them in when all of them are complete."""
    specs = chosen(entities, LISTED)
    await asyncio.to_thread(private_directory, job.directory.parent)
    directory = await asyncio.to_thread(private_directory, job.directory)
    before = await _counts(job, specs)
    with _alone(directory):
        beside = directory / BESIDE
        await asyncio.to_thread(shutil.rmtree, beside, ignore_errors=True)
        try:
            outcomes = await _built(job, specs, beside)
            set_aside = await _swapped(job, specs, beside)
        finally:
            await asyncio.to_thread(shutil.rmtree, beside, ignore_errors=True)
    after = await _counts(job, specs)
    rows = [(each, before[each.entity], after[each.entity]) for each in outcomes]
    notes = [f"a damaged file was set aside as {path.name}: a server fetches the rest of it anew" for path in set_aside]
    return Report(
        data={"entities": [_data(*row) for row in rows], "set_aside": [path.name for path in set_aside]},
        sheets=(Sheet(("entity", "before", "now", "quarantined", "requests"), [_line(*row) for row in rows]),),
        notes=tuple(notes),
    )


async def _counts(job: Job, specs: Iterable[EntitySpec]) -> dict[str, int]:
    """Return how many records the backend that answers holds of each entity."""
    async with looked_at(job) as stands:
        stores = {spec.name: stands.stores.get(job.flag(spec.name).removeprefix("compare:")) for spec in specs}
        return {
            entity: 0 if store is None else (await store.status(entity)).records for entity, store in stores.items()
        }


async def _built(job: Job, specs: Sequence[EntitySpec], beside: Path) -> list[SyncOutcome]:
    """Fill new files beside the live ones; every entity is complete, or nothing is done."""
    tenant = connected(job.settings, job.outside)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(tenant.close)
        live = await stack.enter_async_context(looked_at(job))
        stores = _used(job, job.stores(beside))
        for store in stores.values():
            stack.push_async_callback(store.close)
            await store.open()
        lending = await newest_of(live.stores.values())
        routes = {name: lending.backend_of(name) for spec in specs for name in spec.parents & lending.entities}
        routes |= {spec.name: _target(job, spec, stores) for spec in specs}
        syncer = Syncer(specs, tenant.source(), RoutedBackend(routes), job.clock)
        stack.push_async_callback(syncer.close)
        syncer.listen(lambda progress: _tell(job, progress))
        return [await _fetched(syncer, spec, stores.values()) for spec in specs]


async def _fetched(syncer: Syncer, spec: EntitySpec, stores: Iterable[Store]) -> SyncOutcome:
    try:
        outcome = await syncer.start(spec.name)
    except CacheError as error:
        raise CommandFailed(f"{spec.name} cannot be stored: {error}; {_STAYS}") from error
    if not outcome.complete:
        raise CommandFailed(f"{spec.name}: {outcome.reason}; {_STAYS}")
    states = [await store.state(spec.name) for store in stores if spec.name in store.entities]
    if not any(state.completed_at for state in states):
        raise CommandFailed(f"{spec.name} was not stored whole; {_STAYS}")
    return outcome


def _tell(job: Job, progress: Progress) -> None:
    job.tell(progress.entity, progress.done, progress.total)


def _target(job: Job, spec: EntitySpec, stores: dict[str, Store]) -> CacheBackend:
    """Return where an entity is built: in the backend that its flag names, in both for a parallel run."""
    first, *others = (stores[name] for name in holders(job.flag(spec.name), stores))
    return ComparedBackend(first, others[0], LoggedComparisons(), job.clock) if others else first


def _used(job: Job, stores: Mapping[str, Store]) -> dict[str, Store]:
    """Return the backends that a flag names, or that were used before: what is old there must go too."""
    named = {name for entity in EVERY for name in holders(job.flag(entity), stores)}
    return {name: store for name, store in stores.items() if name in named or any(job.directory.glob(f"{name}-*"))}


async def _swapped(job: Job, specs: Sequence[EntitySpec], beside: Path) -> tuple[Path, ...]:
    """Put the new data in place of the old; return damaged files that were set aside."""
    names = [spec.name for spec in specs]
    async with AsyncExitStack() as stack:
        stores = tuple(_used(job, job.stores(job.directory)).values())
        for nr, store in enumerate(stores):
            job.tell("swapping", nr, len(stores))
            stack.push_async_callback(store.close)
            await store.open()
            await store.take(beside, [name for name in names if name in store.entities])
        await _retold(job, names, stores)
        return tuple(path for store in stores for path in store.set_aside)


async def _retold(job: Job, names: Sequence[str], stores: Sequence[Store]) -> None:
    """Bring the text of rows up to date that borrow from what was swapped and were not swapped themselves."""
    migration = Migration(await newest_of(stores), job.clock, job.tell)
    for spec in SPECS:
        if spec.name not in names and spec.parents & set(names):
            for store in stores:
                if spec.name in store.entities:
                    await migration.reindex(spec, store)


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    with private_file(directory / LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandFailed(f"another rebuild of this cache is under way; {_STAYS}") from None
        yield


def _line(outcome: SyncOutcome, before: int, after: int) -> Line:
    return Line((outcome.entity, before, after, outcome.quarantined, outcome.requests))


def _data(outcome: SyncOutcome, before: int, after: int) -> dict[str, object]:
    return {
        "entity": outcome.entity,
        "before": before,
        "records": after,
        "quarantined": outcome.quarantined,
        "requests": outcome.requests,
    }
