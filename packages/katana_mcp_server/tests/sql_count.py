"""Counts what is read from cache files, so that a test can say: as many statements for a hundred as for one."""

import os
import sqlite3
from typing import TYPE_CHECKING, Any, cast

import pytest

from cache_typed import unchanged
from katana_mcp.testing import Payload, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

type Statements = list[str]


def counted(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """Return the list to which every SELECT of connections opened from now on is added; nothing is on trial."""
    flag = os.environ.get("KATANA_CACHE_BACKEND")
    if flag is not None:
        # A trial reads when the answer is out: how much by then, nobody can say.
        monkeypatch.setenv("KATANA_CACHE_BACKEND", flag.removeprefix("compare:"))
    seen: Statements = []

    connect = cast("Callable[..., sqlite3.Connection]", sqlite3.connect)

    def traced(*arguments: Any, **named: Any) -> sqlite3.Connection:  # noqa: ANN401 - as sqlite3 declares it
        connection = connect(*arguments, **named)
        connection.set_trace_callback(lambda sql: seen.append(sql) if sql.startswith("SELECT") else None)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return seen


async def warm_cost(stage: Stage, statements: Statements, tool: str, **arguments: object) -> tuple[int, int, Payload]:
    """Return the requests and the SELECTs of a second call, and its answer, which must be that of the first.

    It comes as after a write: what was asked before is asked of the cache again.
    """
    first = await stage.call(tool, **arguments)
    unchanged._KEPT.clear()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - as a write does
    requests, before = stage.requests(), len(statements)
    answer = await stage.call(tool, **arguments)
    assert answer == first
    return stage.requests() - requests, len(statements) - before, answer
