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
from katana_mcp.cache_commands.job import Job, Line, Report, Sheet
from katana_mcp.cache_commands.waits import told_waits
from katana_mcp.kept import LISTED, NotDone, chosen
from katana_mcp.services import Services
from katana_mcp.stores import IN_MEMORY
from katana_mcp.surface import served
from katana_mcp.tools.warnings import Refused
from katana_mcp.wiring import Tenant, connected


async def sync(job: Job, entities: Sequence[str]) -> Report:
    """Bring these entities up to date, or all that the served tools read; what they borrow from comes first."""
    names = _wanted(job, entities)
    async with _tenant(job) as tenant, told_waits(job, tenant.budget) as told_job:
        services = await _services(tenant)
        services.syncer.listen(lambda each: told_job.tell(each.entity, each.done, each.total))
        wanted = services.fresh.with_parents(names)
        outcomes = await _synced(services, wanted)
        records = {each.entity: (await services.cache.status(each.entity)).records for each in outcomes}
    if not any(each.complete for each in outcomes):
        raise NotDone(_why(outcomes, 1))
    fine = len(outcomes) == len(wanted) and all(each.complete for each in outcomes)
    head = ("entity", "records", "changed", "quarantined", "requests", "result")
    return Report(
        data={
            "entities": [_data(each, records[each.entity]) for each in outcomes],
            "not_tried": list(wanted[len(outcomes) :]),
        },
        sheets=(Sheet(head, [_line(each, records[each.entity]) for each in outcomes]),),
        notes=() if fine else (f"not complete: {_why(outcomes, _TOLD)}",),
        fine=fine,
    )


async def watch(job: Job, entities: Sequence[str], *, as_json: bool) -> Report:
    """Keep them up to date until Ctrl-C or SIGTERM; a line for each round that changed something or met a new fault."""
    names = _wanted(job, entities)
    told = _Rounds(job, as_json=as_json)
    async with _tenant(job) as tenant:
        await _services(tenant)
        working = asyncio.ensure_future(tenant.keep_fresh(names, told))
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
        changed = {each.entity: each.changed for each in done.outcomes if each.changed}
        faults = {each.entity: each.reason or "not complete" for each in done.outcomes if not each.complete}
        new = {entity: reason for entity, reason in faults.items() if self._faults.get(entity) != reason}
        complete = {each.entity for each in done.outcomes if each.complete}
        self._faults = {entity: why for entity, why in (self._faults | faults).items() if entity not in complete}
        if changed or new:
            self._write(changed, new)

    def _write(self, changed: dict[str, int], faults: dict[str, str]) -> None:
        at = iso(self._job.clock.now())
        if self._as_json:
            sys.stdout.write(json.dumps({"at": at, "changed": changed, "incomplete": faults}) + "\n")
        else:
            parts = [f"{entity} {count}" for entity, count in changed.items()]
            told = [f"changed: {', '.join(parts)}"] if parts else []
            told += [f"not complete: {entity}: {reason}" for entity, reason in faults.items()]
            sys.stdout.write(f"{at} {'; '.join(told)}\n")
        sys.stdout.flush()


def _wanted(job: Job, entities: Sequence[str]) -> tuple[str, ...]:
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
        raise NotDone("; ".join(each.removesuffix(IN_MEMORY) for each in services.notices))
    return services


async def _synced(services: Services, names: Sequence[str]) -> list[SyncOutcome]:
    """Sync one entity after the other; the rest is not tried when Katana as a whole does not answer."""
    outcomes: list[SyncOutcome] = []
    for name in names:
        outcomes.append(await services.syncer.start(name))
        all_failed = len(outcomes) == _GIVES_UP and not any(each.complete for each in outcomes)
        if outcomes[-1].everywhere or all_failed:
            break
    return outcomes


_GIVES_UP = 2
"""So many entities that fail from the start on, and nothing that is complete, are Katana as a whole."""
_TOLD = 3


def _why(outcomes: Sequence[SyncOutcome], most: int) -> str:
    told = list(dict.fromkeys(_reason(each) for each in outcomes if not each.complete))
    more = f"; and {len(told) - most} more" if len(told) > most else ""
    return f"{'; '.join(told[:most])}{more}; what was cached stays"


def _reason(outcome: SyncOutcome) -> str:
    reason = outcome.reason or "the listing could not be completed"
    return reason if outcome.everywhere else f"{outcome.entity}: {reason}"


def _line(each: SyncOutcome, records: int) -> Line:
    result = "complete" if each.complete else f"not complete: {each.reason}"
    return Line((each.entity, records, each.changed, each.quarantined, each.requests, result), each.complete)


def _data(each: SyncOutcome, records: int) -> dict[str, object]:
    return {"records": records, **asdict(each)}
