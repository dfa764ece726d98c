"""Runs the mutants in copies of the tree and prints which test noticed which.

Exit code 1 when one survives, 2 when tests fail without any.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.nights import NIGHTS, first_step

from mutants.model import Mutant, all_mutants
from mutants.trying import Verdict, changed, copied, failing, tried, verdict

_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant.

    Attributes:
        mutant: the bug.
        verdict: what its tests made of it.
    """

    mutant: Mutant
    verdict: Verdict

    def as_row(self) -> str:
        """Return two lines for people."""
        kind, detail = self.verdict.kind, self.verdict.detail
        by = f"by {detail}" if kind == "killed" else detail
        head = f"{kind:<6}  {self.mutant.entry or '-':<4}  {self.mutant.bug} ({self.verdict.seconds:.0f} s)"
        return f"{head}\n{'':14}{by}\n" if by else f"{head}\n"

    def as_dict(self) -> dict[str, object]:
        """Return the same for programs."""
        mutant = {"bug": self.mutant.bug, "entry": self.mutant.entry, "file": self.mutant.file}
        found = self.verdict
        return {**mutant, "verdict": found.kind, "told": found.detail, "seconds": round(found.seconds, 1)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen mutants."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only those whose entry this is, or whose bug or file mentions it")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of the table")
    parser.add_argument("--night", action="store_true", help=f"one of every {NIGHTS}, others the night after")
    asked = parser.parse_args(arguments)
    mutants = [
        mutant
        for mutant in (tonights(all_mutants()) if asked.night else all_mutants())
        if not asked.words or any(_is_meant(mutant, word) for word in asked.words)
    ]
    if not mutants:
        parser.error(f"no mutant is meant by {' '.join(asked.words)}")
    with tempfile.TemporaryDirectory() as place:
        trees = copied(Path(place))
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        if failures := failing(trees[0], tests, _SECONDS):
            sys.stderr.write(failures)
            return 2
        outcomes: list[Outcome] = []
        for outcome in tried(trees, [partial(_outcome, mutant) for mutant in mutants]):
            outcomes.append(outcome)
            if not asked.json:
                sys.stdout.write(outcome.as_row())
                sys.stdout.flush()
    sys.stdout.write(_in_json(outcomes) if asked.json else _counted(outcomes))
    return int(any(outcome.verdict.kind != "killed" for outcome in outcomes))


def tonights(mutants: Sequence[Mutant]) -> Sequence[Mutant]:
    """Return the share of a night: after so many nights each was put in once."""
    return mutants[first_step() :: NIGHTS]


def _is_meant(mutant: Mutant, word: str) -> bool:
    return word == mutant.entry or word in f"{mutant.bug} {mutant.file}"


def _in_json(outcomes: Sequence[Outcome]) -> str:
    return json.dumps([outcome.as_dict() for outcome in outcomes], indent=1) + "\n"


def _counted(outcomes: Sequence[Outcome]) -> str:
    entries = {outcome.mutant.entry for outcome in outcomes} - {""}
    survivors = sum(outcome.verdict.kind != "killed" for outcome in outcomes)
    return f"{len(outcomes)} mutants, {len(entries)} entries, {survivors} survivors\n"


def _outcome(mutant: Mutant, tree: Path) -> Outcome:
    with changed(tree / mutant.file, mutant.applied):
        return Outcome(mutant, verdict(tree, mutant.tests, _SECONDS))


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        sys.stderr.write("stopped: the rest was not tried\n")
        raise SystemExit(130) from None
