"""`katana-mcp sync`: the cache brought up to date once, or kept so; stopped anywhere, the next run goes on there."""

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict

from cache_core.records import iso
from cache_core.sync import Round, SyncOutcome
from katana_mcp.caches.cache_files import LISTED, NotDone, chosen
from katana_mcp.caches.stores import IN_MEMORY
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet
from katana_mcp.commands.cache.waits import report_waits
from katana_mcp.references.services import Services
from katana_mcp.server.catalogue import served
from katana_mcp.server.wiring import Tenant, connected
from katana_mcp.tools.warnings import Refused


async def sync(job: Job, entities: Sequence[str]) -> Report:
    """Bring these entities up to date, or all that the served tools read; what they borrow from comes first."""
    names = _entities_to_sync(job, entities)
    async with _tenant(job) as tenant, report_waits(job, tenant.budget) as reporting_job:
        services = await _services(tenant)
        services.syncer.listen(lambda progress: reporting_job.tell(progress.entity, progress.done, progress.total))
        targets = services.fresh.with_parents(names)
        outcomes = await _synced(services, targets)
        records = {outcome.entity: (await services.cache.status(outcome.entity)).records for outcome in outcomes}
    if not any(outcome.complete for outcome in outcomes):
        raise NotDone(_why(outcomes, 1))
    fine = len(outcomes) == len(targets) and all(outcome.complete for outcome in outcomes)
    head = ("entity", "records", "changed", "quarantined", "requests", "result")
    return Report(
        data={
            "entities": [_data(outcome, records[outcome.entity]) for outcome in outcomes],
            "not_tried": list(targets[len(outcomes) :]),
        },
        sheets=(Sheet(head, [_line(outcome, records[outcome.entity]) for outcome in outcomes]),),
        notes=() if fine else (f"not complete: {_why(outcomes, _TOLD)}",),
        fine=fine,
    )


async def watch(job: Job, entities: Sequence[str], *, as_json: bool) -> Report:
    """Keep them up to date until Ctrl-C or SIGTERM; a line for each round that changed something or met a new fault."""
    names = _entities_to_sync(job, entities)
    rounds = _Rounds(job, as_json=as_json)
    async with _tenant(job) as tenant:
        await _services(tenant)
        working = asyncio.ensure_future(tenant.keep_fresh(names, rounds))
        with contextlib.suppress(NotImplementedError):  # no such handlers on Windows
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
        try:
            await asyncio.wait({working})
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
    if not working.cancelled():
        working.result()
    return Report({})


class _Rounds:
    """Tells what each round changed, and what it could not bring up to date."""

    def __init__(self, job: Job, *, as_json: bool) -> None:
        self._job = job
        self._as_json = as_json
        self._faults: dict[str, str] = {}

    def __call__(self, done: Round) -> None:
        changed = {outcome.entity: outcome.changed for outcome in done.outcomes if outcome.changed}
        faults = {outcome.entity: outcome.reason or "not complete" for outcome in done.outcomes if not outcome.complete}
        new = {entity: reason for entity, reason in faults.items() if self._faults.get(entity) != reason}
        complete = {outcome.entity for outcome in done.outcomes if outcome.complete}
        self._faults = {entity: why for entity, why in (self._faults | faults).items() if entity not in complete}
        if changed or new:
            self._write(changed, new)

    def _write(self, changed: dict[str, int], faults: dict[str, str]) -> None:
        at = iso(self._job.clock.now())
        if self._as_json:
            sys.stdout.write(json.dumps({"at": at, "changed": changed, "incomplete": faults}) + "\n")
        else:
            parts = [f"{entity} {count}" for entity, count in changed.items()]
            messages = [f"changed: {', '.join(parts)}"] if parts else []
            messages += [f"not complete: {entity}: {reason}" for entity, reason in faults.items()]
            sys.stdout.write(f"{at} {'; '.join(messages)}\n")
        sys.stdout.flush()


def _entities_to_sync(job: Job, entities: Sequence[str]) -> tuple[str, ...]:
    read = {entity for tool in served(job.settings) for entity in tool.reads}
    specs = chosen(entities, LISTED if entities else [name for name in LISTED if name in read])
    return tuple(spec.name for spec in specs)


@asynccontextmanager
async def _tenant(job: Job) -> AsyncGenerator[Tenant]:
    # Who runs this asks Katana, whatever a server with the same settings does.
    tenant = connected(job.settings.model_copy(update={"sync": "lazy"}), job.outside)
    try:
        yield tenant
    except Refused as error:
        raise NotDone(str(error)) from error
    finally:
        await tenant.close()


async def _services(tenant: Tenant) -> Services:
    services = await tenant.services()
    if services.directory is None:
        raise NotDone("; ".join(notice.removesuffix(IN_MEMORY) for notice in services.notices))
    return services


async def _synced(services: Services, names: Sequence[str]) -> list[SyncOutcome]:
    """Sync one entity after the other; the rest is not tried when Katana as a whole does not answer."""
    outcomes: list[SyncOutcome] = []
    for name in names:
        outcomes.append(await services.syncer.start(name))
        all_failed = len(outcomes) == _GIVES_UP and not any(outcome.complete for outcome in outcomes)
        if outcomes[-1].everywhere or all_failed:
            break
    return outcomes


_GIVES_UP = 2
"""So many entities that fail from the start on, and nothing that is complete, are Katana as a whole."""
_TOLD = 3


def _why(outcomes: Sequence[SyncOutcome], most: int) -> str:
    reasons = list(dict.fromkeys(_reason(outcome) for outcome in outcomes if not outcome.complete))
    more = f"; and {len(reasons) - most} more" if len(reasons) > most else ""
    return f"{'; '.join(reasons[:most])}{more}; what was cached stays"


def _reason(outcome: SyncOutcome) -> str:
    reason = outcome.reason or "the listing could not be completed"
    return reason if outcome.everywhere else f"{outcome.entity}: {reason}"


def _line(outcome: SyncOutcome, records: int) -> Line:
    result = "complete" if outcome.complete else f"not complete: {outcome.reason}"
    return Line(
        (outcome.entity, records, outcome.changed, outcome.quarantined, outcome.requests, result), outcome.complete
    )


def _data(outcome: SyncOutcome, records: int) -> dict[str, object]:
    return {"records": records, **asdict(outcome)}
