"""Rows of the journal's tables as entries, and values of JSON as they stand in a column."""

import sqlite3
from datetime import datetime
from typing import Any, cast

from cache_core.records import InvalidRecord, RecordId, as_id, decode, encode, iso
from katana_mcp.journal.entries import ActionState, Answered, Entry, JsonObject, Plan, Progress

PLAN = "digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request, basis"
"""What of a plan's row is the plan itself; only a claim that assigns a number changes it, before anything is sent."""
ENTRY = (
    "id, state, owner, claimed_at, beat_at, finished_at, outcome, amended, amended_at, answer, answered_at, "
    f"refused, refused_at, {PLAN}"
)
_NOT_SAID: frozenset[Answered] = frozenset({"asked", "no answer", "stale"})
"""What stands for an answer of a person though nobody gave one."""
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
    (
        number,
        state,
        owner,
        claimed_at,
        beat_at,
        finished_at,
        outcome,
        amended,
        amended_at,
        answer,
        answered_at,
        refused,
        refused_at,
        *planned,
    ) = row
    digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request, basis = planned
    sql = "SELECT place, sent, state, result, error, look_up, at FROM action WHERE plan = ? ORDER BY place"
    rows = db.execute(sql, (number,)).fetchall()
    if [place for place, *_ in rows] != list(range(len(rows))):
        raise ValueError("some of its actions are gone")
    actions = [action for _, *action in rows]
    judged = decode(basis)
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
            touches=cast("JsonObject", judged.get("touches", {})),
            lanes=tuple(cast("list[str]", judged.get("lanes", []))),
        ),
        state="declined" if answer == "declined" else state,
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
        answer=answer,
        answered_at=_moment_of(answered_at),
        refused=refused,
        refused_at=_moment_of(refused_at),
    )


type PlanRow = tuple[tuple[str, ...], tuple[str, ...]]
"""The values of `PLAN`, and what its actions send, as they stand in columns."""


def row_of(plan: Plan) -> PlanRow:
    """Return a plan as it is written.

    Raises:
        InvalidRecord: something of it has no JSON form.
    """
    whose = (plan.digest, plan.tool, plan.tenant, plan.principal)
    objects = [plan.shown, plan.request, {"touches": plan.touches, "lanes": list(plan.lanes)}]
    texts = [encode(value).decode() for value in objects]
    values = (*whose, iso(plan.created_at), iso(plan.expires_at), plan.summary, plan.content, *texts)
    return values, tuple(encode(action).decode() for action in plan.actions)


def insert(db: sqlite3.Connection, row: PlanRow) -> int:
    """Write a new plan; return the id of its entry."""
    values, sent = row
    marks = ", ".join("?" * len(values))
    (entry,) = db.execute(f"INSERT INTO plan ({PLAN}) VALUES ({marks}) RETURNING id", values).fetchone()
    for place, text in enumerate(sent):
        db.execute("INSERT INTO action (plan, place, sent) VALUES (?, ?, ?)", (entry, place, text))
    return entry


def rewrite(db: sqlite3.Connection, entry: int, row: PlanRow) -> None:
    """Write a plan over the one that an entry holds; it has as many actions, and none was sent."""
    values, sent = row
    columns = ", ".join(f"{name} = ?" for name in PLAN.split(", "))
    db.execute(f"UPDATE plan SET {columns} WHERE id = ?", (*values, entry))
    for place, text in enumerate(sent):
        db.execute("UPDATE action SET sent = ? WHERE plan = ? AND place = ?", (text, entry, place))


def replan(db: sqlite3.Connection, entry: int, start: int, row: PlanRow) -> None:
    """Write a plan over the one that an entry holds, with other actions from `start` on; none of those was sent."""
    values, sent = row
    columns = ", ".join(f"{name} = ?" for name in PLAN.split(", "))
    db.execute(f"UPDATE plan SET {columns} WHERE id = ?", (*values, entry))
    db.execute("DELETE FROM action WHERE plan = ? AND place >= ?", (entry, start))
    for place, text in enumerate(sent[start:], start):
        db.execute("INSERT INTO action (plan, place, sent) VALUES (?, ?, ?)", (entry, place, text))


def unsure(db: sqlite3.Connection) -> tuple[Entry, ...]:
    """Return the plans that are claimed, and those of which no answer told how an action ended; the oldest first.

    What was recognised by what Katana lists counts until it was looked at once more.
    """
    sql = (
        f"SELECT {ENTRY} FROM plan WHERE state = 'claimed' OR id IN (SELECT plan FROM action WHERE state = 'unknown'"
        " OR (state = 'applied' AND look_up IS NOT NULL AND json_extract(look_up, '$.confirmed') IS NULL)) ORDER BY id"
    )
    return tuple(entry_of(db, row) for row in db.execute(sql).fetchall())


def claimed_since(db: sqlite3.Connection, owner: str, since: datetime) -> tuple[Entry, ...]:
    """Return the plans that this owner claimed from then on, whenever they were planned; the newest first."""
    sql = f"SELECT {ENTRY} FROM plan WHERE owner = ? AND claimed_at >= ? ORDER BY id DESC"
    return tuple(entry_of(db, row) for row in db.execute(sql, (owner, iso(since))).fetchall())


def made_by_others(db: sqlite3.Connection, entry: int, path: str) -> frozenset[RecordId]:
    """Return the ids of the records that other plans are known to have made by a POST to this path."""
    sql = (
        "SELECT json_extract(result, '$.id') FROM action WHERE state = 'applied' AND plan != ?"
        " AND json_extract(sent, '$.method') = 'POST' AND json_extract(sent, '$.path') = ?"
    )
    return frozenset(key for (made,) in db.execute(sql, (entry, path)) if (key := as_id(made)) is not None)


def note_answer(db: sqlite3.Connection, entry: Entry, answer: Answered, now: datetime) -> None:
    """Note what a person said about a plan that nobody works on; one that was declined is over.

    A yes that one client got stays while another one asks, and where that one gets no answer.
    """
    if entry.answer == "accepted" and answer in _NOT_SAID:
        return
    state = "expired" if answer == "declined" else entry.state
    values = (answer, iso(now), state, entry.id)
    db.execute("UPDATE plan SET answer = ?, answered_at = ?, state = ? WHERE id = ?", values)


def note_refusal(db: sqlite3.Connection, entry: int, why: str, now: datetime) -> None:
    """Note why a plan of which nothing was sent was not applied."""
    sql = "UPDATE plan SET refused = ?, refused_at = ? WHERE id = ? AND state IN ('planned', 'claimed')"
    db.execute(sql, (why, iso(now), entry))


def note_expiry(db: sqlite3.Connection, entry: int) -> None:
    """Note that a plan of which nothing was sent has expired."""
    db.execute(
        "UPDATE plan SET state = 'expired' WHERE id = ? AND state IN ('planned', 'claimed')"
        " AND NOT EXISTS (SELECT 1 FROM action WHERE action.plan = plan.id AND action.state != 'planned')",
        (entry,),
    )


def note_found(db: sqlite3.Connection, entry: int, place: int, found: ActionState) -> Progress:
    """Note that an action was found applied though no answer said so; return its state."""
    db.execute(
        "UPDATE action SET state = ?, error = NULL, look_up = ? WHERE plan = ? AND place = ?",
        (found.state, text_of(found.look_up), entry, place),
    )
    return found.state


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
