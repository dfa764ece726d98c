"""What a parallel run leaves behind: counts, first examples and timings, of any number of processes, never data."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cache_jobs import job_on
from other_backend import OTHER, TRIAL, two_backends

from cache_core.compared import Comparison
from cache_core.errors import CacheUnavailable
from cache_core.protocol import SearchResult
from cache_core.testing import ManualClock
from katana_mcp.caches.backends import ALWAYS, BACKENDS
from katana_mcp.caches.comparisons import (
    ASKED,
    BATCH,
    ENOUGH,
    EXAMPLES,
    FILE_NAME,
    SECONDS,
    ComparisonSummary,
    KeptComparisons,
    bucket,
    forget,
    standings,
)
from katana_mcp.commands.cache.status import status
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, staged
from katana_sandbox import ManualClock as SandboxClock

SIDES = ("first", "second")


def read(
    mismatch: str | None = None, error: str | None = None, seconds: tuple[float, float] = (1e-3, 2e-3)
) -> Comparison:
    return Comparison("variant", "search", "5 characters, limit 20", mismatch, error, seconds, SIDES)


def standing(directory: Path) -> ComparisonSummary:
    (found,) = standings(directory, ["variant"])
    return found


def in_the_way(root: Path) -> None:
    """Put a directory in the place of each file of the other backend."""
    for path in root.glob(f"*/{OTHER}*"):
        path.unlink()
        path.mkdir()


def files(root: Path) -> list[Path]:
    return list(root.glob(f"*/{FILE_NAME}"))


async def test_counts_examples_and_timings_are_kept_and_added_up(tmp_path: Path) -> None:
    for _ in range(2):
        kept = KeptComparisons(tmp_path, ManualClock())
        kept.record(read())
        kept.record(read(mismatch="ids [1] against []"))
        kept.record(read(error="CacheUnavailable at reading.py:7"))
        kept.record(Comparison("variant", "apply", "3 rows", None, "CacheUnavailable", (0.0, 0.0), SIDES))
        await kept.close()
    found = standing(tmp_path)
    assert (found.comparisons, found.generated, found.mismatches, found.errors) == (6, 0, 2, 4)
    assert [example.difference for example in found.examples[:3]] == [
        "ids [1] against []",
        "CacheUnavailable at reading.py:7",
        "CacheUnavailable",
    ]
    assert found.examples[0].answering == "first"
    assert (found.timings["first"].count, found.timings["second"].count) == (6, 4)


async def test_percentiles_are_right_to_a_fifth(tmp_path: Path) -> None:
    kept = KeptComparisons(tmp_path, ManualClock())
    for milliseconds in range(1, 101):
        kept.record(read(seconds=(milliseconds / 1e3, 1.0)))
    await kept.close()
    timing, other = (standing(tmp_path).timings[side] for side in SIDES)
    assert other.count == 100
    assert 1.0 <= other.p50 == other.p95 <= 1.19
    assert 0.050 <= timing.p50 <= 0.060
    assert 0.095 <= timing.p95 <= 0.114
    assert bucket(0.0) == 0
    assert bucket(1e9) == bucket(1e3)


async def test_a_batch_is_written_when_it_is_full_or_old(tmp_path: Path) -> None:
    clock = ManualClock()
    kept = KeptComparisons(tmp_path, clock)
    for _ in range(BATCH - 1):
        kept.record(read())
    assert not (tmp_path / FILE_NAME).exists()
    kept.record(read())
    await kept.close()
    assert standing(tmp_path).comparisons == BATCH
    kept.record(read())
    clock.advance(SECONDS)
    kept.record(read())
    await kept.close()
    assert standing(tmp_path).comparisons == BATCH + 2


async def test_several_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [KeptComparisons(tmp_path, ManualClock()) for _ in range(4)]
    for _ in range(BATCH * 3):
        for writer in writers:
            writer.record(read(mismatch="ids"))
    await asyncio.gather(*(writer.close() for writer in writers))
    found = standing(tmp_path)
    assert (found.comparisons, found.mismatches, len(found.examples)) == (BATCH * 12, BATCH * 12, EXAMPLES)


@pytest.mark.parametrize("damage", ["not a database", "a directory"])
async def test_what_cannot_be_written_never_reaches_the_read(tmp_path: Path, damage: str) -> None:
    path = tmp_path / FILE_NAME
    path.mkdir() if damage == "a directory" else path.write_text(damage * 500)
    kept = KeptComparisons(tmp_path, ManualClock())
    kept.record(read())
    await kept.close()
    if path.is_file():
        with pytest.raises(CacheUnavailable, match="compare --reset"):
            standings(tmp_path, ["variant"])
        forget(tmp_path, ["variant"])
        assert standing(tmp_path) == ComparisonSummary("variant")


async def test_nothing_is_written_behind_a_symbolic_link(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "link"
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    kept = KeptComparisons(link, ManualClock())
    kept.record(read())
    await kept.close()
    assert list(elsewhere.iterdir()) == []


def test_go_needs_enough_comparisons_and_no_difference() -> None:
    assert ComparisonSummary("variant", ENOUGH).against is None
    assert ComparisonSummary("variant", ENOUGH - 1, cut=1).against == "9,999 of 10,000 comparisons"
    assert ComparisonSummary("variant", ENOUGH, mismatches=1).against == "differences: 1, errors of the trial: 0"
    assert ComparisonSummary("variant", ENOUGH, errors=1).against == "differences: 0, errors of the trial: 1"


def test_go_needs_reads_that_somebody_asked_for() -> None:
    assert ComparisonSummary("variant", ENOUGH, generated=ENOUGH - ASKED).against is None
    missing = ComparisonSummary("variant", 2 * ENOUGH, generated=2 * ENOUGH - ASKED + 1)
    assert missing.against == "99 of 100 reads that somebody asked for, the others are generated"


@pytest.mark.parametrize("generated", [False, True])
async def test_what_was_cut_short_and_the_upkeep_of_a_trial_are_no_comparisons(tmp_path: Path, generated: bool) -> None:
    kept = KeptComparisons(tmp_path, ManualClock(), generated=generated)
    kept.record(read())
    kept.record(replace(read(), cut=True))
    kept.record(replace(read(error="TrialSilent"), operation="apply"))
    kept.record(replace(read(error="TrialSilent"), operation="state"))
    await kept.close()
    found = standing(tmp_path)
    assert (found.comparisons, found.generated, found.cut, found.errors) == (1, int(generated), 1, 2)
    assert found.timings["first"].count == 2


async def test_forgetting_one_entity_leaves_the_others(tmp_path: Path) -> None:
    kept = KeptComparisons(tmp_path, ManualClock())
    kept.record(read())
    kept.record(Comparison("product", "count", "no filter", "1 against 2", None, (0.1, 0.1), SIDES))
    await kept.close()
    forget(tmp_path, ["variant"])
    variant, product = standings(tmp_path, ["variant", "product"])
    assert (variant, product.mismatches) == (ComparisonSummary("variant"), 1)


@two_backends
async def test_a_server_on_a_compare_flag_keeps_what_it_finds_and_no_personal_data(
    own: OwnSandbox, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": TRIAL})) as stage:
        await stage.call("search_customers", query="berger")
        await stage.call("search_items", query="bike")
    (path,) = files(tmp_path)
    found = {summary.entity: summary for summary in standings(path.parent, ["customer", "variant"])}
    assert all(summary.comparisons for summary in found.values())
    assert {summary.mismatches + summary.errors for summary in found.values()} == {0}
    with closing(sqlite3.connect(path)) as db:
        assert not any("berger" in line.lower() for line in db.iterdump())


@two_backends
async def test_a_parallel_run_in_memory_whose_sides_differ_fails_the_test_around_it(
    own: OwnSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> SearchResult:
        return SearchResult((), 0)

    monkeypatch.setattr(type(BACKENDS[ALWAYS](None, ())), "search", nothing)
    with pytest.raises(AssertionError, match="mismatch="):
        async with staged(own, Setup(flags={"cache_backend": TRIAL})) as stage:
            assert (await stage.call("search_customers", query="berger"))["rows"]


@two_backends
@pytest.mark.parametrize("flag", [f"compare:{ALWAYS}", ALWAYS])
async def test_another_backend_that_cannot_be_opened_costs_no_request_and_not_the_cache(
    own: OwnSandbox, tmp_path: Path, flag: str
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": f"compare:{ALWAYS}"})) as stage:
        expected = await stage.call("search_items", query="00.4021")
        before = stage.requests()
    in_the_way(tmp_path)
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": flag})) as stage:
        assert await stage.call("search_items", query="00.4021") == expected
        assert stage.requests() == before


@two_backends
@pytest.mark.parametrize("flag", [f"compare:{ALWAYS}", TRIAL])
async def test_a_trial_that_cannot_be_filled_is_left_out_and_said_so_until_it_can(
    own: OwnSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    async def full(*_: object) -> None:
        raise CacheUnavailable("no room is left")

    answering = flag.removeprefix("compare:")
    trial = OTHER if answering == ALWAYS else ALWAYS
    for_both = Setup(cache_dir=tmp_path, flags={"cache_backend": flag})
    async with staged(own, replace(for_both, flags={"cache_backend": answering})) as stage:
        expected = await stage.call("search_items", query="00.4021")
        before = stage.requests()
    job = job_on(own, tmp_path, cache_backend=flag)
    for is_well in (False, True):
        with monkeypatch.context() as patch:
            if not is_well:
                patch.setattr(type(BACKENDS[trial](None, ())), "apply", full)
            async with staged(own, for_both) as stage:
                notices = (await stage.call("cache_status")).get("notices", [])
                assert await stage.call("search_items", query="00.4021") == expected
                assert stage.requests() == before
        looked = await status(job, [], quarantine=False)
        assert (len(notices), looked.data["left_out"]) == (0 if is_well else 1, notices)
        assert all(notice.startswith(f"no room is left; {trial} was") for notice in notices)
        found = standing(job.directory)
        assert (found.comparisons > 0, found.errors, found.against is None) == (is_well, 1, False)


@two_backends
async def test_a_trial_whose_state_cannot_be_read_is_not_noticed_by_who_asks(
    own: OwnSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: object, entity: str) -> None:
        raise CacheUnavailable("sick")

    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": ALWAYS})) as stage:
        expected = await stage.call("search_items", query="00.4021")
    monkeypatch.setattr(type(BACKENDS[OTHER](None, ())), "state", fails)
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": f"compare:{ALWAYS}"})) as stage:
        assert await stage.call("search_items", query="00.4021") == expected
    (path,) = files(tmp_path)
    assert standing(path.parent).errors > 0


@pytest.mark.cold
@two_backends
async def test_a_cold_search_asks_katana_for_both_sides_at_once(own: OwnSandbox, clock: SandboxClock) -> None:
    counts: list[int] = []
    for flag in (ALWAYS, f"compare:{ALWAYS}", TRIAL):
        before = len(own.sandbox.journal)
        async with staged(own, Setup(flags={"cache_backend": flag})) as stage:
            await stage.call("search_items", query="00.4021")
            await stage.call("search_items", query="00.4021")
        counts.append(len(own.sandbox.journal) - before)
        clock.advance(60)  # Katana answers 60 requests a minute
    assert counts == [counts[0]] * 3
    assert counts[0] > 0


async def test_a_server_without_a_compare_flag_keeps_no_comparisons(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": ALWAYS})) as stage:
        await stage.call("search_customers", query="berger")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("entity", "verified", "goes"),
    [("operator", 1, True), ("tax_rate", 2, True), ("operator", 0, False), ("variant", 1, False)],
)
def test_what_is_seldom_read_may_be_flipped_after_generated_reads_and_equal_records(
    entity: str, verified: int, goes: bool
) -> None:
    standing = ComparisonSummary(entity, comparisons=ENOUGH, generated=ENOUGH, verified=verified)
    assert (standing.against is None) == goes
    assert replace(standing, mismatches=1).against is not None
    assert replace(standing, comparisons=ENOUGH - 1, generated=ENOUGH - 1).against is not None
