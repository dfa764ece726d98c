"""Writes down which functions of tests can be left to the night: the dearest whose lines others run as well.

A function can go when each line that those of its cases that go run is run by as many others that stay. What is held by
a count, and not by a line that runs, stays: budgets of requests, tokens and statements. So does what the project exists
for: the story of a user, and what is said of lost answers, of doing a thing twice and of processes that are killed.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.at_night import LISTED, left

from mutants.drawn.keeping import KEPT
from mutants.drawn.lines import Lines, TracedTest, read

OTHERS = 3
"""So many tests that stay run each line that a test which goes runs."""
LEAST = 1.0
"""Seconds that a function takes to be worth it."""
_FEWEST = 30
"""Whoever runs fewer of the lines is about something else: a page, a process, a client."""
STAY = (  # what begins like this, from the root
    "tests/acceptance/",
    "tests/release/",
    "tests/test_",
    "tests/surface/test_schemas.py",
    "tests/surface/test_turns.py",
    "tests/surface/test_write_requests.py",
    "tests/surface/test_finder.py",
    "tests/surface/test_long_texts.py",
    "packages/katana_mcp_server/tests/test_read_costs.py",
    "packages/katana_mcp_server/tests/test_applying_processes.py",
)
_PROMISED = re.compile("lost|twice|kill")
_HEAD = """\
# Functions of tests of which `make test` runs one case, or none where there is one: each line that the others run is
# run by three tests that stay. Made by `python -m mutants.drawn.redundant`, from what the last `make mutants-drawn`
# traced; `make soak` takes a quarter of them each night. Why, and what it costs: ADR-0133.
"""


def redundant(tests: Sequence[TracedTest]) -> list[str]:
    """Return the functions that can go, the dearest first; `tests` are all that there are, with what they run."""
    running = Counter[tuple[str, int]]()
    functions = defaultdict[str, list[TracedTest]](list)
    for test in tests:
        running.update(_each(test.lines))
        functions[test.name.partition("[")[0]].append(test)
    seconds = {name: sum(case.seconds for case in cases) for name, cases in functions.items()}
    found: list[str] = []
    for name in sorted(functions, key=lambda one: (-seconds[one], one)):
        going = _going(name, functions)
        lines = Counter(line for case in going for line in _each(case.lines))
        is_kept = name.startswith(STAY) or _PROMISED.search(name.rpartition("::")[2])
        is_worth = seconds[name] >= LEAST and len(lines) >= _FEWEST
        if is_worth and not is_kept and all(running[line] - count >= OTHERS for line, count in lines.items()):
            running.subtract(lines)
            found.append(name)
    return found


def _going(name: str, functions: Mapping[str, Sequence[TracedTest]]) -> list[TracedTest]:
    names = left([case.name for case in functions[name]], {name})
    return [case for case in functions[name] if case.name in names]


def _each(lines: Lines) -> Iterable[tuple[str, int]]:
    return ((file, nr) for file, bits in lines.items() for nr in range(bits.bit_length()) if bits >> nr & 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the list, and say how much it saves."""
    parser = argparse.ArgumentParser(prog="python -m mutants.drawn.redundant", description=__doc__)
    parser.add_argument(
        "--trace", type=Path, default=KEPT, help="the lines that tests run, as `make mutants-drawn` keeps them"
    )
    asked = parser.parse_args(arguments)
    if not asked.trace.exists():
        parser.error(f"no trace in {asked.trace}: run `make mutants-drawn` first")
    tests = read(asked.trace)
    names = redundant(tests)
    LISTED.write_text(_HEAD + "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
    gone = left([test.name for test in tests], set(names))
    saved, whole = (sum(test.seconds for test in some) for some in ([t for t in tests if t.name in gone], tests))
    sys.stdout.write(
        f"{len(names)} functions, {len(gone)} of {len(tests)} tests: {saved:.0f} of {whole:.0f} s of work\n"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
