"""`verify`: are the files sound, and do both backends hold the same where both hold an entity."""

from collections.abc import Sequence
from dataclasses import asdict

from cache_core.migrate import Migration, Verified
from cache_core.spec import EntitySpec
from katana_mcp.cache_commands.job import (
    EVERY,
    SHARED,
    Job,
    Line,
    Report,
    Sheet,
    Stands,
    chosen,
    looked_at,
    newest_of,
    require_cache,
)


async def verify(job: Job, entities: Sequence[str]) -> Report:
    """Return the faults of each file, and the differences of each entity that both backends hold."""
    specs = chosen(entities, EVERY)
    require_cache(job)
    faults: dict[str, tuple[str, ...]] = {}
    for nr, store in enumerate(stores := job.make(job.directory, looking=True)):
        job.tell("checking files", nr, len(stores))
        faults[store.name] = await store.faults()
    async with looked_at(job) as stands:
        pairs = [await _pair(job, spec, stands) for spec in specs if spec.name in SHARED]
    compared = [pair for pair in pairs if pair is not None]
    files = [_file_line(name, faults[name], stands) for name in faults]
    lines = [_line(entity, found) for entity, found in compared]
    fine = not any(faults.values()) and all(line.good is not False for line in lines)
    return Report(
        data={
            "faults": faults,
            "absent": stands.absent,
            "entities": [
                {"entity": entity, "compared": None, "behind": found} if isinstance(found, str) else asdict(found)
                for entity, found in compared
            ],
        },
        sheets=(
            Sheet(("file", "result"), files),
            *([Sheet(("entity", "compared", "missing", "surplus", "different", "result"), lines)] if lines else []),
        ),
        fine=fine,
    )


async def _pair(job: Job, spec: EntitySpec, stands: Stands) -> tuple[str, Verified | str] | None:
    """Return how the two backends compare, or which of them is behind; None where only one has the entity."""
    stores = stands.holding(spec.name)
    states = {name: await store.state(spec.name) for name, store in stores.items()}
    known = [name for name, state in states.items() if state.completed_at is not None]
    if len(known) < len(("legacy", "typed")):
        return None
    if states["legacy"].completed_at != states["typed"].completed_at:
        behind = min(known, key=lambda name: states[name].completed_at or "")
        return spec.name, behind
    migration = Migration(await newest_of(stores.values()), job.clock, job.tell)
    return spec.name, await migration.verify(spec, stores["legacy"], stores["typed"])


def _file_line(name: str, faults: Sequence[str], stands: Stands) -> Line:
    if faults:
        return Line((name, "; ".join(faults)), good=False)
    return Line((name, "there is none yet")) if name in stands.absent else Line((name, "sound"), good=True)


def _line(entity: str, found: Verified | str) -> Line:
    if isinstance(found, str):
        return Line((entity, 0, "", "", "", f"{found} is behind: not compared"))
    ids = [", ".join(map(str, each)) for each in (found.missing, found.surplus, found.different)]
    equal = not found.differences
    result = "equal" if equal else f"differences: {found.differences}"
    return Line((entity, found.compared, *ids, result), good=equal)
