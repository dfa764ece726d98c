"""Rows of the journal's tables as entries, and values of JSON as they stand in a column."""

import sqlite3
from datetime import datetime
from typing import Any

from cache_core.records import InvalidRecord, decode, encode
from katana_mcp.journal.entries import ActionState, Entry, JsonObject, Plan

PLAN = "digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request"
"""What of a plan's row never changes."""
ENTRY = f"id, state, owner, claimed_at, beat_at, finished_at, outcome, amended, amended_at, {PLAN}"
"""What of a plan's row makes an entry."""


def found(db: sqlite3.Connection, condition: str, value: str | int) -> Entry | None:
    """Return the one entry that fulfils a condition."""
    row = db.execute(f"SELECT {ENTRY} FROM plan WHERE {condition}", (value,)).fetchone()
    return None if row is None else entry_of(db, row)


def entry_of(db: sqlite3.Connection, row: tuple[Any, ...]) -> Entry:
    """Return the entry of a row of `ENTRY`, with its actions.

    Raises:
        InvalidRecord: the rows are not as the journal wrote them.
    """
    try:
        return _entry_of(db, row)
    except (ValueError, TypeError) as error:
        raise InvalidRecord(f"entry {row[0]} is not whole: {error}") from error


def _entry_of(db: sqlite3.Connection, row: tuple[Any, ...]) -> Entry:
    number, state, owner, claimed_at, beat_at, finished_at, outcome, amended, amended_at, *planned = row
    digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request = planned
    sql = "SELECT place, sent, state, result, error, look_up, at FROM action WHERE plan = ? ORDER BY place"
    rows = db.execute(sql, (number,)).fetchall()
    if [place for place, *_ in rows] != list(range(len(rows))):
        raise ValueError("some of its actions are gone")
    actions = [each for _, *each in rows]
    return Entry(
        id=number,
        plan=Plan(
            digest=digest,
            tool=tool,
            tenant=tenant,
            principal=principal,
            created_at=datetime.fromisoformat(created_at),
            expires_at=datetime.fromisoformat(expires_at),
            summary=summary,
            content=content,
            actions=tuple(decode(sent) for sent, *_ in actions),
            shown=decode(shown),
            request=decode(request),
        ),
        state=state,
        actions=tuple(
            ActionState(ended, _json_of(result), error, _json_of(look_up), _moment_of(at))
            for _, ended, result, error, look_up, at in actions
        ),
        owner=owner,
        claimed_at=_moment_of(claimed_at),
        beat_at=_moment_of(beat_at),
        finished_at=_moment_of(finished_at),
        outcome=_json_of(outcome),
        amended=_json_of(amended),
        amended_at=_moment_of(amended_at),
    )


def text_of(value: JsonObject | None) -> str | None:
    """Return an object as it stands in a column.

    Raises:
        InvalidRecord: it has no JSON form.
    """
    return None if value is None else encode(value).decode()


def _json_of(text: str | None) -> JsonObject | None:
    return None if text is None else decode(text)


def _moment_of(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
