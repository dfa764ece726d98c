"""The report: figures by topic, with ratio to the floor and goal, as a page of the docs or as JSON."""

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby

from bench.figures import Figure

_HEAD = """\
# Performance

Written by `make bench ARGS=--write` on {date}: {machine}. All figures are of that run.
A floor is the same work by plain means (`bench/`): plain sqlite3, `json.loads`, a FastMCP tool that does nothing.
The ratio says how many times the floor's cost ours is. Absolute times spread by a factor of two from machine to machine
and from hour to hour; ratios of one run do not.
"""


def machine() -> str:
    """Return what the figures were measured on, without a name."""
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {sys.platform}, {versions}"


def as_json(figures: Iterable[Figure], date: str) -> str:
    """Return the figures for a program."""
    told = {"date": date, "machine": machine(), "figures": [each.as_dict() for each in figures]}
    return json.dumps(told, indent=1, ensure_ascii=False)


def as_page(figures: Sequence[Figure], date: str) -> str:
    """Return the figures as a page: a table per topic."""
    parts = [_HEAD.format(date=date, machine=machine())]
    for topic, group in groupby(figures, lambda each: each.topic):
        parts.append(
            f"\n## {topic}\n\n| what | size | measured | floor | ratio | goal | |\n|---|--:|--:|--:|--:|--:|---|\n"
        )
        parts.extend(f"{_line(each)}\n" for each in group)
    missed = [each for each in figures if each.met is False]
    told = "Every goal is met." if not missed else f"{len(missed)} of {len(figures)} figures miss their goal."
    return "".join([*parts, f"\n{told}\n"])


def _line(figure: Figure) -> str:
    state = {True: "met", False: "**missed**", None: ""}[figure.met]
    ratio = "" if figure.ratio is None else f"{figure.ratio:.1f}"
    bound = "" if figure.goal is None else f"{'≥' if figure.is_rate else '≤'} {_number(figure.goal)}"
    floor = "" if figure.floor is None else _number(figure.floor)
    size = f"{figure.size:,}" if figure.size else ""
    cells = (
        figure.what,
        size,
        f"{_number(figure.value)} {figure.unit}",
        floor,
        ratio,
        bound,
        "; ".join(filter(None, (state, figure.note))),
    )
    return f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"
