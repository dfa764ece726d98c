"""`migrate`: one backend filled from the other, and the proof that both hold the same. Asks Katana nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from cache_core.migrate import Migration, Verified
from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec
from katana_mcp.caches.cache_files import SHARED, BadInput, age, chosen, newest_of, opened, require_cache
from katana_mcp.caches.stores import holders
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Moved:
    """What was done for an entity."""

    entity: str
    source: str
    target: str
    rows: int
    verified: Verified | None
    result: str

    @property
    def fine(self) -> bool:
        return self.verified is None or not self.verified.differences


async def migrate(job: Job, entities: Sequence[str], to: str | None) -> Report:
    """Fill the backend named by `to`, or by each entity's flag, and compare it record by record with its source."""
    if to is not None and to not in job.parts.backends:
        raise BadInput(f"--to: {to!r} is no backend to fill; choose {' or '.join(job.parts.backends)}")
    specs = chosen(entities, SHARED)
    require_cache(job)
    if job.alone:
        return Report({"entities": []}, notes=(f"only the {job.alone} backend is left: there is nothing to move",))
    moved: list[_Moved] = []
    async with opened(job) as stores:
        for spec in specs:
            # The one that the flag names; under compare, the one on trial.
            target = to or holders(job.flag(spec.name), stores)[-1]
            source = next(name for name in stores if name != target)
            moved.append(await _move(job, spec, (stores[source], stores[target])))
    head = ("entity", "from", "to", "rows copied", "equal records", "result")
    return Report(
        data={"entities": [_data(move) for move in moved]},
        sheets=(Sheet(head, [_line(move) for move in moved]),),
        fine=all(move.fine for move in moved),
    )


async def _move(job: Job, spec: EntitySpec, sides: tuple[CacheBackend, CacheBackend]) -> _Moved:
    source, target = sides
    between = (spec.name, source.name, target.name)
    theirs, ours = await source.state(spec.name), await target.state(spec.name)
    if theirs.completed_at is None:
        return _Moved(*between, 0, None, f"{source.name} holds no complete listing: nothing to copy")
    if age(ours) > age(theirs):
        return _Moved(*between, 0, None, f"{target.name} is newer than {source.name}: left as it is")
    rows, verified = await _filled(Migration(await newest_of(sides), job.clock, job.tell), spec, sides)
    message = "equal" if not verified.differences else f"differences: {verified.differences}"
    return _Moved(*between, rows, verified, message)


async def _filled(
    migration: Migration, spec: EntitySpec, sides: tuple[CacheBackend, CacheBackend]
) -> tuple[int, Verified]:
    """Fill and compare, again if a server wrote meanwhile: that would look like a difference."""
    source, target = sides
    attempts = 0
    while True:
        attempts += 1
        before = await source.status(spec.name)
        rows = await migration.fill(spec, source, target)
        verified = await migration.verify(spec, source, target)
        unchanged = await source.status(spec.name) == before
        if not verified.differences or unchanged or attempts == _ATTEMPTS:
            return rows, verified


def _line(move: _Moved) -> Line:
    equal = None if move.verified is None else move.verified.compared - len(move.verified.different)
    good = None if move.verified is None else move.fine
    return Line((move.entity, move.source, move.target, move.rows, equal, move.result), good)


def _data(move: _Moved) -> dict[str, object]:
    found = move.verified
    ids = None if found is None else {name: getattr(found, name) for name in ("missing", "surplus", "different")}
    return {
        "entity": move.entity,
        "from": move.source,
        "to": move.target,
        "rows": move.rows,
        "compared": found and found.compared,
        "differences": found and found.differences,
        "ids": ids,
        "result": move.result,
    }
