"""`compare`: what the parallel run has found, go or no-go; `--run` asks generated reads of both sides."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import batched

from cache_core.compared import ComparedBackend, Comparison
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import CacheBackend, EntityStatus
from cache_core.readmix import Read, reads_of
from cache_core.spec import EntitySpec
from katana_mcp.caches.backends import Store
from katana_mcp.caches.cache_files import SHARED, BadInput, NotDone, chosen, newest_of, opened, require_cache
from katana_mcp.caches.comparisons import ComparisonSummary, KeptComparisons, forget, standings
from katana_mcp.caches.stores import holders
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet
from katana_mcp.commands.cache.screen import format_seconds
from katana_mcp.configuration.backend_flags import FLAGS

_TRIAL = "compare:"
_STEP = 100
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class More:
    """What to do before showing: how many reads to generate, from which seed, and whether to begin anew."""

    run: int = 0
    seed: int = 1
    reset: bool = False


@dataclass(slots=True)
class _Held:
    """A recorder that keeps comparisons until it is known that nothing was written meanwhile."""

    comparisons: list[Comparison] = field(default_factory=list[Comparison])

    def record(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)


async def compare(job: Job, entities: Sequence[str], more: More) -> Report:
    """Return what the parallel runs have found, and go or no-go with the reason for each entity."""
    if more.run < 0:
        raise BadInput("--run: name how many reads to compare, 1 or more")
    specs = chosen(entities, SHARED)
    require_cache(job)
    names = [spec.name for spec in specs]
    if more.reset:
        await asyncio.to_thread(forget, job.directory, names)
    if job.alone:
        return Report({"entities": []}, notes=(f"only the {job.alone} backend is left: there is nothing to compare",))
    skipped = await _run(job, specs, more) if more.run else []
    found = await asyncio.to_thread(standings, job.directory, names)
    summaries = [
        summary
        for summary in found
        if entities or summary.comparisons or summary.errors or _is_compared(job, summary.entity)
    ]
    notes = [f"nothing is cached of {', '.join(skipped)}: nothing to compare"] if skipped else []
    if not summaries:
        trial = next(flag for flag in FLAGS if flag.startswith(_TRIAL))
        notes.append(f"nothing was compared yet: set KATANA_CACHE_BACKEND_VARIANT={trial}, or use --run")
    return Report(
        data={"entities": [_data(summary) for summary in summaries]},
        sheets=(*([_sheet(summaries, tuple(job.parts.backends))] if summaries else []), *_examples(summaries)),
        notes=tuple(notes),
        fine=bool(summaries) and all(summary.against is None for summary in summaries),
    )


def _is_compared(job: Job, entity: str) -> bool:
    return job.flag(entity).startswith(_TRIAL)


async def _run(job: Job, specs: Sequence[EntitySpec], more: More) -> list[str]:
    """Compare generated reads of each entity; return the entities of which nothing is cached."""
    skipped: list[str] = []
    async with opened(job) as stores:
        for spec in specs:
            answering = job.flag(spec.name).removeprefix(_TRIAL)
            first, second = holders(f"{_TRIAL}{answering}", stores)
            if not await _run_entity(job, spec, (stores[first], stores[second]), more):
                skipped.append(spec.name)
    return skipped


async def _run_entity(job: Job, spec: EntitySpec, sides: tuple[Store, Store], more: More) -> bool:
    answering, trial = sides
    if not await _levelled(job, spec, sides):
        return False
    kept = KeptComparisons(job.directory, job.clock, generated=True)
    reads = await reads_of(spec, await newest_of(sides), more.run, more.seed)
    done = 0
    try:
        for some in batched(reads, _STEP):
            for comparison in await _compared(job, spec, (answering, trial), some):
                kept.record(comparison)
            done += len(some)
            job.tell(f"comparing {spec.name}", done, more.run)
        if await _is_equal(job, spec, sides):
            kept.verified(spec.name)
    finally:
        await kept.close()
    return True


async def _is_equal(job: Job, spec: EntitySpec, sides: tuple[Store, Store]) -> bool:
    """Return whether both sides hold the same records; False where a server writes meanwhile, which proves nothing."""
    before = await _statuses(spec, sides)
    verified = await Migration(await newest_of(sides), job.clock, job.tell).verify(spec, *sides)
    return not verified.differences and await _statuses(spec, sides) == before


async def _levelled(job: Job, spec: EntitySpec, sides: tuple[CacheBackend, CacheBackend]) -> bool:
    """Fill the side that is behind from the other; return whether anything is cached at all."""
    for source, target in (sides, sides[::-1]):
        if await needs_filling(spec, source, target):
            await Migration(await newest_of(sides), job.clock, job.tell).fill(spec, source, target)
    return (await sides[0].state(spec.name)).completed_at is not None


async def _compared(
    job: Job, spec: EntitySpec, sides: tuple[CacheBackend, CacheBackend], reads: Sequence[Read]
) -> list[Comparison]:
    """Ask both sides; what a server wrote meanwhile would look like a difference, so it is asked again then."""
    for _ in range(_ATTEMPTS):
        held = _Held()
        both = ComparedBackend(*sides, held, job.clock)
        before = await _statuses(spec, sides)
        for read in reads:
            await read.ask(both)
            await both.settle()
        if await _statuses(spec, sides) == before:
            return held.comparisons
        await _levelled(job, spec, sides)
    raise NotDone(f"{spec.name} keeps changing while it is compared: stop the server, or try again later")


async def _statuses(spec: EntitySpec, sides: Sequence[CacheBackend]) -> list[EntityStatus]:
    return [await side.status(spec.name) for side in sides]


def _sheet(found: Sequence[ComparisonSummary], backends: Sequence[str]) -> Sheet:
    times = (f"{name} p50/p95" for name in backends)
    head = ("entity", "comparisons", "generated", "cut", "differences", "errors", *times, "verdict")
    return Sheet(head, [_line(summary, backends) for summary in found])


def _line(summary: ComparisonSummary, backends: Sequence[str]) -> Line:
    verdict = "go" if summary.against is None else f"no-go: {summary.against}"
    counts = (summary.comparisons, summary.generated, summary.cut, summary.mismatches, summary.errors)
    times = (_times(summary, name) for name in backends)
    return Line((summary.entity, *counts, *times, verdict), good=summary.against is None)


def _times(summary: ComparisonSummary, backend: str) -> str:
    timing = summary.timings.get(backend)
    return "" if timing is None else f"{format_seconds(timing.p50)} / {format_seconds(timing.p95)}"


def _examples(found: Sequence[ComparisonSummary]) -> list[Sheet]:
    lines = [
        Line((summary.entity, example.answering, example.operation, example.question, example.difference))
        for summary in found
        for example in summary.examples
    ]
    return [Sheet(("entity", "answered by", "operation", "asked", "answer against the other"), lines)] if lines else []


def _data(summary: ComparisonSummary) -> dict[str, object]:
    return {**asdict(summary), "go": summary.against is None, "reason": summary.against}
