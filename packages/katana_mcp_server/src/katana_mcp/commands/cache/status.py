"""`status`: what the files hold, without a trace and without a request."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from cache_core.protocol import EntityStatus, Quarantined
from cache_core.spec import EntitySpec
from cache_core.sync.source import PAGE_SIZE
from katana_mcp.caches.cache_files import EVERY, Stands, chosen, looked_at
from katana_mcp.caches.stores import holders, left_out
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet
from katana_mcp.commands.cache.screen import format_age, format_size, size

_QUARANTINED = 1_000


async def status(job: Job, entities: Sequence[str], *, quarantine: bool) -> Report:
    """Return how each entity stands in each backend that its flag names, and what the files weigh."""
    specs = chosen(entities, EVERY)
    async with looked_at(job) as stands:
        rows = [row for spec in specs for row in await _rows(job, spec, stands)]
        poison = {
            (status.entity, status.backend): await stands.stores[status.backend].quarantined(
                status.entity, _QUARANTINED
            )
            for _, status in rows
            if status is not None and status.quarantined
        }
    files = {path.name: size(path) for path in sorted(job.directory.glob("*")) if path.is_file()}
    notes = [
        f"{job.directory}: " + (", ".join(f"{name} {format_size(weight)}" for name, weight in files.items()) or "empty")
    ]
    notes += [f"there is no {name} cache yet" for name in stands.absent]
    notes += [f"{damage}; a server sets the file aside at its next start" for damage in stands.damaged]
    left = left_out(job.directory)
    notes += [f"at the last start of a server: {note}" for note in left]
    return Report(
        data={
            "directory": job.directory,
            "files": files,
            "absent": stands.absent,
            "damaged": stands.damaged,
            "left_out": left,
            "entities": [_data(job, flag_row, poison) for flag_row in rows],
        },
        sheets=(_sheet(job, rows), *([_poison_sheet(poison)] if quarantine and poison else [])),
        notes=tuple(notes),
        fine=not stands.damaged,
    )


type _Row = tuple[tuple[str, str], EntityStatus | None]
type _Poison = dict[tuple[str, str], tuple[Quarantined, ...]]


async def _rows(job: Job, spec: EntitySpec, stands: Stands) -> list[_Row]:
    """Return a row per backend that the flag names; the one that answers first."""
    flag = job.flag(spec.name)
    stores = [stands.stores.get(name) for name in holders(flag, job.parts.backends)]
    found = [None if store is None else await store.status(spec.name) for store in stores]
    return [((spec.name, flag), standing) for standing in found]


def _sheet(job: Job, rows: Sequence[_Row]) -> Sheet:
    head = ("entity", "flag", "backend", "records", "age", "cursor", "quarantined", "unfinished")
    return Sheet(head, [Line(_cells(job, entity, flag, status)) for (entity, flag), status in rows])


def _cells(job: Job, entity: str, flag: str, status: EntityStatus | None) -> tuple[object, ...]:
    if status is None:
        return (entity, flag, "none", 0, "never", "", 0, "")
    state = status.state
    old = format_age(job.clock.now() - datetime.fromisoformat(state.completed_at)) if state.completed_at else "never"
    return (
        entity,
        flag,
        status.backend,
        status.records,
        old,
        state.cursor,
        status.quarantined,
        _unfinished(status) or state.incomplete,
    )


def _unfinished(status: EntityStatus) -> str | None:
    """Return how far an unfinished listing is, n/m."""
    checkpoint = status.state.checkpoint
    if checkpoint is None:
        return None
    return f"{min((checkpoint.page - 1) * PAGE_SIZE, checkpoint.total)}/{checkpoint.total}"


def _data(job: Job, row: _Row, poison: _Poison) -> dict[str, object]:
    (entity, flag), status = row
    if status is None:
        return {"entity": entity, "flag": flag, "backend": None, "records": 0}
    state = status.state
    completed = state.completed_at
    return {
        "entity": entity,
        "flag": flag,
        "backend": status.backend,
        "records": status.records,
        "total": state.total,
        "completed_at": completed,
        "age_seconds": completed and round((job.clock.now() - datetime.fromisoformat(completed)).total_seconds()),
        "newest": status.newest,
        "cursor": state.cursor,
        "incomplete": state.incomplete,
        "unfinished": None if state.checkpoint is None else asdict(state.checkpoint),
        "quarantined": status.quarantined,
        "quarantine": [
            {"id": record.id, "reason": record.reason} for record in poison.get((entity, status.backend), ())
        ],
    }


def _poison_sheet(poison: _Poison) -> Sheet:
    lines = [
        Line((entity, backend, "without" if record.id is None else str(record.id), record.reason))
        for (entity, backend), found in poison.items()
        for record in found
    ]
    return Sheet(("entity", "backend", "id", "reason"), lines)
