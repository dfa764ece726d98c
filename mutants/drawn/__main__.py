"""Draws bugs at random, puts each into a copy of the tree, and prints which test noticed it, and the share of those.

Exit code 1 when the share is too small, 2 when tests fail without any bug, or one that is named equivalent is no more.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from mutants.drawn.choosing import chosen
from mutants.drawn.collected import Bug, Collected, Job, collected
from mutants.drawn.drawing import Drawn, all_drawn, draw
from mutants.drawn.equivalents import listed, stale, why_equivalent
from mutants.drawn.keeping import traced
from mutants.drawn.lines import Given, Test, Trace
from mutants.forks import NO_END
from mutants.model import ROOT
from mutants.trying import Kind, Verdict, changed, copied, tried, verdict

LEAST = 92
"""Per cent of the bugs, without those that nobody can notice."""
_COUNT = 200
_SECONDS = 900
_BEGINS = 300
_FORKS = 60
_FIRST = 8
"""Tests of a first run, which collects few files: most bugs are noticed there."""
_REST = 300.0
"""Seconds of further tests that run the line, before a bug is said to live."""
_KINDS: dict[int, Kind] = {0: "LIVES", 1: "killed", NO_END: "NO END"}
"""Verdicts by pytest's exit code."""
_NOTICED = ("killed", "NO END", "NO START")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a drawn bug.

    Attributes:
        drawn: the bug.
        verdict: what its tests made of it; None where it is named equivalent.
        tests: how many were to be tried.
        why: why nobody can notice it, where it is named equivalent.
    """

    drawn: Drawn
    verdict: Verdict | None
    tests: int = 0
    why: str = ""

    @property
    def kind(self) -> str:
        """Return the word for it."""
        return "equal" if self.verdict is None else self.verdict.kind

    def as_row(self) -> str:
        """Return a line for people."""
        if self.verdict is None:
            return f"{self.kind:<8}  {self.drawn.as_words()}  ({self.why})\n"
        detail = " ".join(self.verdict.detail.split())
        by = {"killed": f"by {detail}", "LIVES": f"in {self.tests} tests" if self.tests else "no test runs it"}
        return f"{self.kind:<8}  {self.drawn.as_words()}  {by.get(self.kind, detail)} ({self.verdict.seconds:.0f} s)\n"

    def as_dict(self) -> dict[str, object]:
        """Return the same for programs, as `equivalent/` names it."""
        drawn, found = self.drawn, self.verdict
        where = {"file": drawn.file, "number": drawn.line, "function": drawn.function}
        detail = self.why if found is None else found.detail
        change = {"line": drawn.before, "becomes": drawn.after, "nth": drawn.nth, "verdict": self.kind, "told": detail}
        return {**where, **change, "tests": self.tests, "seconds": 0 if found is None else round(found.seconds, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw and try."""
    parser = argparse.ArgumentParser(prog="python -m mutants.drawn", description=__doc__)
    parser.add_argument("--seed", type=int, default=int(f"{datetime.now(UTC):%Y%m%d}"), help="the day, unless given")
    parser.add_argument("--count", type=int, default=_COUNT, help=f"how many are drawn: {_COUNT}, unless given")
    parser.add_argument("--file", default="", help="draw only in files with this in their name")
    parser.add_argument("--tests", nargs="+", help="try these tests on each, files or single ones, without tracing any")
    parser.add_argument("--trace", type=Path, help="take the lines that tests run from this file, as they are")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the table")
    asked = parser.parse_args(arguments)
    everything, equivalents = all_drawn(ROOT), listed()
    if gone := stale(equivalents, everything):
        parser.error(
            "no longer there, so not equivalent to anything: " + "; ".join(equivalent.line for equivalent in gone)
        )
    with tempfile.TemporaryDirectory() as place:
        trees = copied(Path(place))
        trace = Given(asked.tests) if asked.tests else Trace(asked.trace or traced(trees[0]))
        drawn = draw([one for one in everything if asked.file in one.file], asked.seed, asked.count)
        trials = [partial(_outcome, mutation, why_equivalent(mutation, equivalents), trace) for mutation in drawn]
        running = {
            test.name.partition("::")[0] for mutation in drawn for test in trace.tests(mutation.file, mutation.spans)
        }
        outcomes: list[Outcome] = []
        with collected(trees, sorted(running)) as places:
            for outcome in tried(places, trials):
                outcomes.append(outcome)
                if not asked.json:
                    sys.stdout.write(outcome.as_row())
                    sys.stdout.flush()
            if failures := _failing(places[0], outcomes):
                sys.stderr.write(failures)
                return 2
    share = score(outcomes)
    sys.stdout.write(_in_json(outcomes, asked.seed, share) if asked.json else _counted(outcomes, asked.seed, share))
    return int(share < LEAST)


def score(outcomes: Sequence[Outcome]) -> float:
    """Return the per cent of bugs that a test noticed, without those that nobody can notice."""
    kinds = [outcome.kind for outcome in outcomes if outcome.verdict is not None]
    return 100 * sum(kind in _NOTICED for kind in kinds) / len(kinds) if kinds else 100.0


def _outcome(drawn: Drawn, why: str, trace: Trace | Given, place: Collected) -> Outcome:
    if why:
        return Outcome(drawn, None, why=why)
    every = trace.tests(drawn.file, drawn.spans)
    likely = chosen(every, drawn.file)
    rest = [test for test in chosen(every, drawn.file, len(every), _REST) if test not in likely]
    tests, found = [*likely, *rest], Verdict("LIVES", "no test runs it", 0.0)
    path = place.tree / drawn.file
    before = path.read_text("utf-8")
    bug = Bug(drawn.file, before, drawn.applied(before), drawn.spans[:-1])
    with changed(path, drawn.applied):
        for part in filter(None, (likely[:_FIRST], likely[_FIRST:], rest)):
            spent = found.seconds
            found = _verdict(place, bug, part)
            found = replace(found, seconds=spent + found.seconds)
            if found.kind != "LIVES":
                break
    return Outcome(drawn, found, len(tests))


def _verdict(place: Collected, bug: Bug, tests: Sequence[Test]) -> Verdict:
    """Run tests in a fork, or where the bug cannot be put into one in a process that imports it anew."""
    each, names = _each(tests), tuple(test.name for test in tests)
    limit = 10 * sum(test.seconds for test in tests)
    found = place.run(Job(bug, names, each, _FORKS + limit))
    if found.code is None:
        return verdict(place.tree, ("--timeout", f"{each:.0f}", *names), _BEGINS + limit)
    return Verdict(_KINDS.get(found.code, "BROKEN"), found.detail, found.seconds)


def _each(tests: Sequence[Test]) -> float:
    """Return seconds after which a test fails: ten times as many as the slowest of them takes."""
    return max(30.0, 10 * max(test.seconds for test in tests))


def _failing(place: Collected, outcomes: Sequence[Outcome]) -> str:
    """Return what is said of a test that noticed a bug, and fails without it too."""
    verdicts = [outcome.verdict for outcome in outcomes if outcome.verdict is not None]
    tests = sorted({found.detail for found in verdicts if found.kind == "killed"})
    found = place.run(Job(None, tuple(tests), _SECONDS, _SECONDS)) if tests else None
    if found is None or not found.code:
        return ""
    return f"this fails without any bug, so it proves nothing: {found.detail}\n"


def _in_json(outcomes: Sequence[Outcome], seed: int, share: float) -> str:
    rows = [outcome.as_dict() for outcome in outcomes]
    return json.dumps({"seed": seed, "score": round(share, 1), "mutants": rows}, indent=1) + "\n"


def _counted(outcomes: Sequence[Outcome], seed: int, share: float) -> str:
    """Return the survivors as `equivalent/` would name them, and the score."""
    left = [outcome.drawn for outcome in outcomes if outcome.kind not in {*_NOTICED, "equal"}]
    named = [f"\n{survivor.file} {survivor.function}\n  {survivor.before}\n  {survivor.after}\n" for survivor in left]
    equal = sum(outcome.verdict is None for outcome in outcomes)
    count = f"{len(outcomes)} mutants of seed {seed}, {len(left)} survivors, {equal} equivalent"
    return f"{''.join(named)}\n{count}: {share:.1f} % noticed, {LEAST} % at least\n"


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        sys.stderr.write("stopped: the rest was not tried\n")
        raise SystemExit(130) from None
