"""Writes down which tests can be left to the night: the dearest whose lines others run as well.

A test can go when each line that it runs is run by as many others that stay. What is held by a count, and not by a line
that runs, stays: budgets of requests, tokens and statements. So does what the project exists for: the story of a user,
and what is said of lost answers, of doing a thing twice and of processes that are killed.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.at_night import LISTED, as_text

from mutants.drawn.keeping import KEPT
from mutants.drawn.lines import Lines, TracedTest, read

OTHERS = 1
"""So many tests that stay run each line that a test which goes runs."""
LEAST = 0.05
"""Seconds that a test takes to be worth it."""
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
    "packages/katana_mcp_server/tests/test_first_minute.py::test_a_code",
    "packages/katana_mcp_server/tests/test_first_minute.py::test_named_stock",
    "packages/katana_mcp_server/tests/test_read_costs.py",
    "packages/katana_mcp_server/tests/test_applying_processes.py",
)
TOO_DEAR = (
    "packages/katana_mcp_server/tests/test_telemetry.py::test_what_is_measured_goes_where_the_variables_of_opentelemetry_say",
    "packages/katana_mcp_server/tests/test_without_unix.py::test_it_serves_over_stdio_reads_and_writes",
    "packages/katana_mcp_server/tests/test_telemetry.py::test_nothing_is_loaded_that_nobody_asked_for",
    "packages/katana_mcp_server/tests/test_process.py::test_a_server_over_http_that_is_told_to_end_leaves_no_file_of_a_database_at_work[15]",
    "packages/katana_mcp_server/tests/test_calling.py::test_output_that_has_no_room_is_one_sentence_and_an_exit_code[words0]",
    "packages/katana_mcp_server/tests/test_demo.py::test_a_reader_that_leaves_early_ends_it_without_a_word[arguments1]",
    "packages/katana_sandbox/tests/test_scenarios.py::test_wrong_states_and_scenarios_are_one_sentence",
    "tests/release/test_wheel.py::test_without_the_sandbox_one_sentence_says_how_to_get_it",
    "tests/test_mutants_drawn.py::test_an_equivalent_that_is_no_more_fails_the_run",
    "tests/test_mutants_drawn.py::test_one_file_is_tried_on_given_tests_without_tracing_any",
    "packages/katana_mcp_server/tests/test_without_unix.py::test_every_module_loads",
    "tests/test_mutants_drawn.py::test_a_draw_is_the_same_for_a_seed_and_another_for_another",
)
"""What goes though nobody else does it: each takes 3 to 10 s, and what it looks at is changed every month or two."""
_PROMISED = re.compile("lost|twice|kill")
_HEAD = """\
# Tests that `make test` leaves to the night: each line that they run is run by one that stays. Made by
# `python -m mutants.drawn.redundant`, from what the last `make mutants-drawn` traced; `make soak` takes an eighth of
# them each night. Why, and what it costs: ADR-0133, ADR-0139.
"""


def redundant(tests: Sequence[TracedTest]) -> list[TracedTest]:
    """Return the tests that can go, the dearest first; `tests` are all that there are, with what they run."""
    running = Counter(line for test in tests for line in _each(test.lines))
    found: list[TracedTest] = []
    for test in sorted(tests, key=lambda one: (-one.seconds, one.name)):
        lines = list(_each(test.lines))
        is_kept = test.name.startswith(STAY) or _PROMISED.search(test.name.partition("[")[0].rpartition("::")[2])
        is_worth = test.seconds >= LEAST and len(lines) >= _FEWEST
        is_shared = is_worth and not is_kept and all(running[line] > OTHERS for line in lines)
        if is_shared or test.name in TOO_DEAR:
            running.subtract(lines)
            found.append(test)
    return found


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
    gone = redundant(tests)
    LISTED.write_text(_HEAD + as_text(test.name for test in gone), encoding="utf-8")
    saved, whole = (sum(test.seconds for test in some) for some in (gone, tests))
    sys.stdout.write(f"{len(gone)} of {len(tests)} tests: {saved:.0f} of {whole:.0f} s of work\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
