"""The report: every line with its sides beside each other, ratio to the floor and goal; as a page, or as JSON."""

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from bench.figures import Figure
from bench.lines import FLOOR, LINES, Line

_JUDGED = ("typed", "ours")
"""The side that a goal is for: the first of these that was measured."""

_HEAD = """\
# Performance

Written by `make bench ARGS=--write` on {date}: {machine}. All figures are of one {runs}{part}.

Backends and floor are measured beside each other, each repeat on every side in turn, by the {timer}. A floor is the
same work by plain means: fixed statements in plain sqlite3 (`bench/floors`), `json.loads`, a FastMCP server with one
tool that does nothing (`bench/noop_server.py`). The floor of a search finds whole codes, ranks the rows that hold
every word, counts them, and decodes the best 20, as a search does. `same answer` is a FastMCP tool that gives the very
answer of ours and does nothing else, but for the requests to Katana that a warm call of ours sends: what the size of an
answer costs the framework, and the client that checks it.
A warm call is made again and again with the same arguments while nothing is written, so that much of what it reads is
kept from the call before; what all read tools take after a write stands in a line of its own. Each read of orders comes
after a write, so that it is made anew, though of rows that were read before; no search was made before.
Files are read through once before they are measured: how long the disk takes for the first look is no matter of ours.
The ratio says how many times the floor's cost ours is, and of a call how many times that of the same answer. Absolute
times spread by a factor of three from machine to machine and from hour to hour; ratios of one run do not.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of the bench.

    Attributes:
        date: when, `2026-01-31`.
        figures: what was measured.
        part: which part of the whole it was, in words; empty for the whole.
        timer: what told the time, `clock` or `processor's time`.
        runs: in how many the figures were made, each going on where the one before was stopped.
    """

    date: str
    figures: Sequence[Figure]
    part: str = ""
    timer: str = "clock"
    runs: int = 1


def machine() -> str:
    """Return what the figures were measured on, without a name."""
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return f"{os.cpu_count()} cores of {_processor()}, {sys.platform}, {versions}"


def _processor() -> str:
    cpu_info = Path("/proc/cpuinfo")
    named = (
        [line for line in cpu_info.read_text().splitlines() if line.startswith("model name")]
        if cpu_info.exists()
        else []
    )
    return named[0].partition(":")[2].strip() if named else platform.machine()


def merged(figures: Iterable[Figure]) -> list[Figure]:
    """Return the figures with the sides that were measured apart beside each other."""
    found: dict[tuple[str, str, int], Figure] = {}
    for figure in figures:
        key = (figure.topic, figure.what, figure.size)
        before = found.get(key)
        found[key] = figure if before is None else replace(before, values={**before.values, **figure.values})
    return list(found.values())


def as_json(run: Run) -> str:
    """Return the figures for a program."""
    rows = [_as_row(figure) for figure in run.figures]
    about = {"date": run.date, "machine": machine(), "part": run.part, "timer": run.timer, "runs": run.runs}
    return json.dumps({**about, "figures": rows}, indent=1, ensure_ascii=False)


def _as_row(figure: Figure) -> dict[str, object]:
    line, value = LINES[figure.topic, figure.what], _judged(figure)
    base = figure.values.get(line.base)
    return {
        "topic": figure.topic,
        "what": figure.what,
        "size": figure.size,
        "unit": line.unit,
        "values": dict(figure.values),
        "ratio": line.times(value, base),
        "goal": line.goals_in_words(figure.size),
        "held": line.held(figure.size, value, base),
        "note": figure.note,
    }


def as_page(run: Run) -> str:
    """Return the figures as a page: a table per topic, with every line, measured or not."""
    measured = {(figure.topic, figure.what, figure.size): figure for figure in run.figures}
    part = f", and only a part: {run.part}" if run.part else ""
    runs = "run" if run.runs == 1 else f"commit, measured in {run.runs} runs"
    parts = [_HEAD.format(date=run.date, machine=machine(), runs=runs, part=part, timer=run.timer)]
    missed = 0
    for topic, group in groupby(LINES.values(), lambda entry: entry.topic):
        lines = list(group)
        sides = _sides(figure for figure in run.figures if figure.topic == topic)
        head = ["what", "size", *sides, "ratio", "goal", "held"]
        parts.append(f"\n## {topic}\n\n| {' | '.join(head)} |\n|---{'|--:' * (len(head) - 2)}|---|\n")
        for line in lines:
            for size in line.sizes:
                cells, held = _cells(line, size, measured.get((topic, line.what, size)), sides)
                missed += held is False
                parts.append(f"| {' | '.join(cells)} |\n")
    parts.append(f"\n{'Every goal that was measured is held' if not missed else f'Goals missed: {missed}'}.\n")
    return "".join(parts)


def _sides(figures: Iterable[Figure]) -> list[str]:
    named = dict.fromkeys(name for figure in figures for name in figure.values)
    return sorted(named or {"ours": None}, key=lambda name: (name == FLOOR, name not in _JUDGED))


def _judged(figure: Figure) -> float:
    return next(figure.values[name] for name in _JUDGED if name in figure.values)


def _cells(line: Line, size: int, figure: Figure | None, sides: Sequence[str]) -> tuple[list[str], bool | None]:
    """Return the cells of a line, and whether its goals are held."""
    what, shown = f"{line.what}, {line.unit}", f"{size:,}" if size else ""
    if figure is None:
        return [what, shown, *("" for _ in sides), "", line.goals_in_words(size), "not measured"], None
    base, value = figure.values.get(line.base), _judged(figure)
    held, ratio = line.held(size, value, base), line.times(value, base)
    verdict = {True: "held", False: f"**missed**: {line.why}" if line.why else "**missed**", None: ""}[held]
    notes = "; ".join(filter(None, (verdict, figure.note, line.note)))
    values = _numbers(figure.values, sides)
    return [what, shown, *values, "" if ratio is None else f"{ratio:.1f}", line.goals_in_words(size), notes], held


def _numbers(values: Mapping[str, float], sides: Sequence[str]) -> list[str]:
    return [_number(values[name]) if name in values else "-" for name in sides]


def _number(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"
