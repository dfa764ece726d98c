"""Counts what is read from cache files, so that a test can say: as many statements for a hundred as for one."""

import os
import sqlite3
from functools import partial

import pytest

from katana_mcp.testing import Payload, Stage

type Statements = list[str]


def counted(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """Return the list to which every SELECT of connections opened from now on is added; nothing is on trial."""
    flag = os.environ.get("KATANA_CACHE_BACKEND")
    if flag is not None:
        # A trial reads when the answer is out: how much by then, nobody can say.
        monkeypatch.setenv("KATANA_CACHE_BACKEND", flag.removeprefix("compare:"))
    seen: Statements = []

    class Traced(sqlite3.Connection):
        def __init__(self, *arguments: object, **named: object) -> None:
            super().__init__(*arguments, **named)  # pyright: ignore[reportArgumentType] # ty: ignore[invalid-argument-type] - passed through
            self.set_trace_callback(lambda sql: seen.append(sql) if sql.startswith("SELECT") else None)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Traced))
    return seen


async def warm_cost(stage: Stage, statements: Statements, tool: str, **arguments: object) -> tuple[int, int, Payload]:
    """Return the requests and the SELECTs of a second call, and its answer, which must be that of the first."""
    first = await stage.call(tool, **arguments)
    requests, before = stage.requests(), len(statements)
    answer = await stage.call(tool, **arguments)
    assert answer == first
    return stage.requests() - requests, len(statements) - before, answer
