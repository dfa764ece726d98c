"""`verify`: are the files sound, and do the two backends that hold an entity hold the same."""

from collections.abc import Sequence
from dataclasses import asdict

from cache_core.migrate import Migration, Verified
from cache_core.spec import EntitySpec
from katana_mcp.caches.cache_files import EVERY, SHARED, Stands, chosen, looked_at, newest_of, require_cache
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet


async def verify(job: Job, entities: Sequence[str]) -> Report:
    """Return the faults of each file, and the differences of each entity that two backends hold."""
    specs = chosen(entities, EVERY)
    require_cache(job)
    faults: dict[str, tuple[str, ...]] = {}
    for nr, (name, store) in enumerate((stores := job.stores(job.directory, looking=True)).items()):
        job.tell("checking files", nr, len(stores))
        faults[name] = await store.faults()
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
        notes=(f"only the {job.alone} backend is left: there is nothing to compare",) if job.alone else (),
        fine=fine,
    )


async def _pair(job: Job, spec: EntitySpec, stands: Stands) -> tuple[str, Verified | str] | None:
    """Return how the two that hold the entity compare, or which of them is behind; None where fewer hold it."""
    stores = stands.holding(spec.name)
    listed = {name: (await store.state(spec.name)).completed_at for name, store in stores.items()}
    completed = {name: at for name, at in listed.items() if at is not None}
    if len(completed) < 2:
        return None
    if len(set(completed.values())) > 1:
        return spec.name, min(completed, key=completed.__getitem__)
    migration = Migration(await newest_of(stores.values()), job.clock, job.tell)
    first, second = completed
    return spec.name, await migration.verify(spec, stores[first], stores[second])


def _file_line(name: str, faults: Sequence[str], stands: Stands) -> Line:
    if faults:
        return Line((name, "; ".join(faults)), good=False)
    return Line((name, "there is none yet")) if name in stands.absent else Line((name, "sound"), good=True)


def _line(entity: str, found: Verified | str) -> Line:
    if isinstance(found, str):
        return Line((entity, 0, "", "", "", f"{found} is behind: not compared"))
    ids = [", ".join(map(str, record_ids)) for record_ids in (found.missing, found.surplus, found.different)]
    equal = not found.differences
    result = "equal" if equal else f"differences: {found.differences}"
    return Line((entity, found.compared, *ids, result), good=equal)
