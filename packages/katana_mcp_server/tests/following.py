"""A cache that follows a sandbox with no server before it, and its comparison with what the sandbox holds."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from cache_core.clock import Clock
from cache_core.conditions import EVERYTHING
from cache_core.memory import MemoryBackend
from cache_core.migrate import Migration, Verified
from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_core.sync import Syncer
from katana_client import KatanaClient
from katana_client import ManualClock as ClientClock
from katana_mcp.caches.source import KatanaSource
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.references.services import Services
from katana_mcp.server.wiring import Environment, connected
from katana_sandbox import Sandbox

FOLLOWED: tuple[EntitySpec, ...] = tuple(spec for spec in SPECS if spec is not STOCK)
"""All that is listed; stock is asked for on demand."""

DOUBT = timedelta(minutes=25)
"""Longer than a row that Katana no longer gives is doubted."""


@asynccontextmanager
async def following(
    own: OwnSandbox, cache_dir: Path | None = None, clock: Clock | None = None, base_url: str | None = None
) -> AsyncGenerator[Services]:
    """Open the services of the sandbox's account, as a server would; `base_url` names the cache of a served sandbox."""
    settings = load(sandbox=True, api_key=own.api_key, cache_dir=cache_dir, base_url=base_url)
    outside = Environment(transport=own.transport(), clock=clock or own.sandbox.clock, in_memory=cache_dir is None)
    tenant = connected(settings, outside)
    try:
        yield await tenant.services()
    finally:
        await tenant.close()


async def caught_up(services: Services) -> None:
    """Sync every entity, however fresh it is."""
    for spec in FOLLOWED:
        outcome = await services.syncer.start(spec.name)
        assert outcome.complete, outcome


async def audited(services: Services) -> None:
    """Go through the ids of every entity."""
    for spec in FOLLOWED:
        outcome = await services.syncer.audit(spec.name)
        assert outcome.complete, outcome


async def differences(cache: CacheBackend, sandbox: Sandbox) -> Mapping[str, Verified]:
    """Compare every row with what a first sync would bring now; the sandbox must be well and nobody may work on it."""
    return await differing(cache, await brought(sandbox))


async def brought(sandbox: Sandbox) -> MemoryBackend:
    """Return what a first sync brings of a sandbox that is well and that nobody works on."""
    limit = sandbox.switches.number("rate_limit")
    sandbox.switches.set("rate_limit", 0)
    clock, truth = ClientClock(), MemoryBackend(SPECS)
    async with KatanaClient(sandbox.default_key, transport=OwnSandbox(sandbox).transport(), clock=clock) as client:
        syncer = Syncer(SPECS, KatanaSource(client), truth, clock)
        for spec in FOLLOWED:
            assert (await syncer.start(spec.name)).complete
            assert await truth.count(spec.name, (), EVERYTHING) == sandbox.tenant().count(spec.collection)
    sandbox.switches.set("rate_limit", int(limit))
    return truth


async def differing(cache: CacheBackend, truth: CacheBackend) -> Mapping[str, Verified]:
    """Compare every row with that of another cache."""
    migration = Migration(truth, ClientClock(), lambda entity, done, total: None)
    return {spec.name: await migration.verify(spec, truth, cache) for spec in FOLLOWED}
