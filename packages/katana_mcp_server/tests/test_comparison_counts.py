"""What is counted, timed and kept of each comparison, and when it is written."""

import asyncio
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from cache_core.compared import Comparison
from cache_core.errors import CacheUnavailable
from cache_core.testing import ManualClock
from katana_mcp.caches.comparisons import (
    FILE_NAME,
    ComparisonSummary,
    Example,
    KeptComparisons,
    LoggedComparisons,
    Timing,
    bucket,
    forget,
    standings,
)

READ = Comparison("variant", "search", "5 characters", None, None, (1e-3, 2e-6), ("first", "second"))
AT = "2026-03-02T08:00:00.000Z"
MILLISECOND, MICROSECONDS = 1e-6 * 2**10, 1e-6 * 2


def written(directory: Path) -> int:
    """Return how many comparisons of variants are in the file."""
    return standings(directory, ["variant"])[0].comparisons


async def settled() -> None:
    """Let everything that can run without time passing run."""
    for _ in range(10):
        await asyncio.sleep(0)


def files(directory: Path) -> list[Path]:
    """Return what stands in a directory."""
    return list(directory.iterdir())


async def kept(directory: Path, *comparisons: Comparison, generated: bool = False) -> list[ComparisonSummary]:
    """Keep these comparisons; return what they show of variants and products."""
    comparing = KeptComparisons(directory, ManualClock(), generated=generated)
    for comparison in comparisons:
        comparing.record(comparison)
    await comparing.close()
    return [*standings(directory, ["variant", "product"])]


async def test_each_kind_of_comparison_is_counted_timed_and_shown(tmp_path: Path) -> None:
    found = await kept(
        tmp_path,
        READ,
        replace(READ, mismatch="ids", question="q", seconds=(4e-6, 4e-6)),
        replace(READ, error="TypeError", operation="count", entity="product"),
        replace(READ, cut=True),
        replace(READ, error="OSError", operation="apply", sides=("second", "first")),
        replace(READ, operation="state"),
    )
    assert found == [
        ComparisonSummary(
            "variant",
            comparisons=2,
            cut=1,
            mismatches=1,
            errors=1,
            timings={
                "first": Timing(3, MILLISECOND, MILLISECOND),
                "second": Timing(3, MICROSECONDS, 1e-6 * 4),
            },
            examples=(
                Example("search", "q", "ids", "first", AT),
                Example("apply", "5 characters", "OSError", "second", AT),
            ),
        ),
        ComparisonSummary(
            "product",
            comparisons=1,
            errors=1,
            timings={"first": Timing(1, MILLISECOND, MILLISECOND)},
            examples=(Example("count", "5 characters", "TypeError", "first", AT),),
        ),
    ]


async def test_generated_reads_are_counted_apart_and_not_logged(tmp_path: Path) -> None:
    with capture_logs() as logs:
        found = await kept(tmp_path, READ, replace(READ, cut=True), replace(READ, mismatch="ids"), generated=True)
    assert (found[0].comparisons, found[0].generated, found[0].cut, logs) == (2, 2, 1, [])


@pytest.mark.parametrize("recorder", ["kept", "logged"])
async def test_only_differences_and_errors_are_logged(recorder: str, tmp_path: Path) -> None:
    comparing = LoggedComparisons() if recorder == "logged" else KeptComparisons(tmp_path, ManualClock())
    with capture_logs() as logs:
        for comparison in (READ, replace(READ, mismatch="ids"), replace(READ, error="OSError", operation="apply")):
            comparing.record(comparison)
    event = {"event": "parallel run differs", "log_level": "warning", "entity": "variant"}
    assert logs == [
        {**event, "operation": "search", "difference": "ids"},
        {**event, "operation": "apply", "difference": "OSError"},
    ]


@pytest.mark.parametrize(
    ("counts", "timing"),
    [
        ([1, 1], (0.0, 1.0)),
        ([19, 1], (0.0, 0.0)),
        ([18, 2], (0.0, 1.0)),
        ([1, 2], (1.0, 1.0)),
        ([0, 3], (1.0, 1.0)),
    ],
)
async def test_a_percentile_is_the_step_at_which_so_many_were_done(
    counts: list[int], timing: tuple[float, float], tmp_path: Path
) -> None:
    fast, slow = (replace(READ, seconds=(seconds, 1.0)) for seconds in (1e-6, 1e-3))
    (found, _) = await kept(tmp_path, *[fast] * counts[0], *[slow] * counts[1])
    steps = {0.0: 1e-6, 1.0: MILLISECOND}
    assert found.timings["first"] == Timing(sum(counts), *(steps[step] for step in timing))


def test_a_duration_is_counted_on_a_scale_that_doubles_every_four_steps() -> None:
    seconds = [-1.0, 0.0, 1e-6, 1.01e-6, 2e-6, 2.01e-6, 4e-6, 1e-3, 1.0, 1e3, 1e4]
    assert [bucket(some) for some in seconds] == [0, 0, 0, 1, 4, 5, 8, 40, 80, 120, 120]


async def test_twenty_examples_of_an_entity_are_kept_the_first_ones(tmp_path: Path) -> None:
    differing = [replace(READ, mismatch=f"{number}") for number in range(25)]
    found = await kept(tmp_path, *differing[:21])
    assert [example.difference for example in found[0].examples] == [f"{number}" for number in range(20)]
    others = [replace(READ, mismatch="other", entity="product")]
    found = await kept(tmp_path, *differing[21:], *others)
    assert [len(summary.examples) for summary in found] == [20, 1]
    assert (found[0].mismatches, found[0].examples[19].difference) == (25, "19")


async def test_a_batch_is_written_at_two_hundred_comparisons(tmp_path: Path) -> None:
    comparing = KeptComparisons(tmp_path, ManualClock())
    counts: list[int] = []
    for _ in range(401):
        comparing.record(READ)
        await settled()
        counts.append(written(tmp_path))
    assert counts == [0] * 199 + [200] * 200 + [400] * 2


@pytest.mark.parametrize(("seconds", "begun"), [(4.999, 0), (5.0, 2)])
async def test_a_batch_is_written_at_the_first_comparison_after_five_seconds(
    seconds: float, begun: int, tmp_path: Path
) -> None:
    clock = ManualClock()
    clock.advance(1_000)
    comparing = KeptComparisons(tmp_path, clock)
    comparing.record(READ)
    clock.advance(seconds)
    comparing.record(READ)
    # What is recorded after a batch was written begins another one.
    comparing.record(READ)
    await settled()
    assert (written(tmp_path), len(files(tmp_path))) == (begun, int(begun > 0))
    await comparing.close()
    assert written(tmp_path) == 3


async def test_what_was_verified_counts_and_nothing_makes_no_file(tmp_path: Path) -> None:
    assert await kept(tmp_path) == [ComparisonSummary("variant"), ComparisonSummary("product")]
    assert files(tmp_path) == []
    comparing = KeptComparisons(tmp_path, ManualClock())
    comparing.verified("variant")
    comparing.verified("variant")
    await comparing.close()
    assert standings(tmp_path, ["variant"]) == (ComparisonSummary("variant", verified=2),)


async def test_the_file_and_its_directory_are_of_their_owner_alone(tmp_path: Path) -> None:
    await kept(tmp_path / "account", READ)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "account", tmp_path / "account" / FILE_NAME)]
    assert modes == [0o700, 0o600]


async def test_forgetting_takes_counts_timings_and_examples_of_these_entities(tmp_path: Path) -> None:
    forget(tmp_path, ["variant"])
    assert files(tmp_path) == []
    await kept(tmp_path, replace(READ, mismatch="a"), replace(READ, mismatch="b", entity="product"))
    before = standings(tmp_path, ["product"])
    forget(tmp_path, ["variant", "customer"])
    assert standings(tmp_path, ["variant", "product"]) == (ComparisonSummary("variant"), *before)


async def test_a_file_that_is_no_database_is_said_to_be_so_and_forgetting_removes_it(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text("not a database" * 100)
    comparing = KeptComparisons(tmp_path, ManualClock())
    with capture_logs() as logs:
        comparing.record(READ)
        comparing.record(replace(READ, cut=True))
        await comparing.close()
    lost = {"event": "comparisons are lost", "log_level": "warning", "reason": "file is not a database", "count": 2}
    assert logs == [lost]
    with pytest.raises(CacheUnavailable) as refused:
        standings(tmp_path, ["variant"])
    reason = "file is not a database; `compare --reset` begins anew"
    assert str(refused.value) == f"{path} cannot be read: {reason}"
    forget(tmp_path, ["variant"])
    assert not path.exists()


async def test_a_file_without_its_tables_cannot_be_forgotten_from(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE tally (what TEXT)")
    with pytest.raises(CacheUnavailable) as refused:
        forget(tmp_path, ["variant"])
    assert str(refused.value) == f"{path} cannot be written: no such column: entity"
    assert path.exists()


@pytest.mark.parametrize(
    ("counts", "against"),
    [
        ({"comparisons": 10_000}, None),
        ({"comparisons": 9_999}, "9,999 of 10,000 comparisons"),
        ({"comparisons": 0, "mismatches": 1}, "differences: 1, errors of the trial: 0"),
        ({"comparisons": 10_000, "errors": 2}, "differences: 0, errors of the trial: 2"),
        ({"comparisons": 10_000, "generated": 9_900}, None),
        (
            {"comparisons": 10_000, "generated": 9_901},
            "99 of 100 reads that somebody asked for, the others are generated",
        ),
        (
            {"comparisons": 10_000, "generated": 9_901, "verified": 1},
            "99 of 100 reads that somebody asked for, the others are generated",
        ),
    ],
)
def test_what_speaks_against_a_flip_is_said_in_one_sentence(counts: dict[str, Any], against: str | None) -> None:
    assert ComparisonSummary("variant", **counts).against == against
