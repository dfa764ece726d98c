"""The journal of one account in a SQLite file: each call is one short transaction that is on the disk when it returns.

Its clock tells whether an owner is gone, which at worst makes somebody wait or look up. That nothing is sent twice
rests on the order of states alone. Holds no token and no key.
"""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cache_core.clock import Clock
from cache_core.errors import CacheUnavailable
from cache_core.records import InvalidRecord, decode, encode, iso
from katana_mcp.journal.entries import (
    ActionState,
    Broken,
    Claim,
    Claimed,
    Entry,
    Expired,
    Finished,
    JsonObject,
    Plan,
    Run,
    Running,
    Unknown,
    digest_of,
)
from katana_mcp.journal.errors import ClaimLost, JournalBusy, JournalUnusable, WrongOrder
from katana_mcp.journal.schema import STEPS, Steps, connected, refuse_newer

MOST = 2**63 - 1
"""The largest number that the file takes."""
BEAT_EVERY = 5.0
"""Seconds between two heartbeats of an owner."""
GONE_AFTER = timedelta(seconds=30)
"""An owner that was not heard of for so long is gone."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PLAN = "digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request"
_ENTRY = f"id, state, owner, claimed_at, beat_at, finished_at, outcome, {_PLAN}"
_SETTLED = {"applied", "failed", "unknown"}


def journal_path(directory: Path) -> Path:
    """Return where the journal of an account stands whose cache is in this directory: beside it."""
    return directory.with_name(f"journal-{directory.name}.sqlite")


class JournalFile:
    """The journal of one account; any number of processes and threads may use the file at once.

    It is opened by the first call. Every method may raise `JournalBusy` and `JournalUnusable`; nothing was kept then.

    Args:
        path: Where; its directory is made private.
        clock: Where wall time comes from.
        steps: How the tables are made.

    Attributes:
        path: where.
    """

    def __init__(self, path: Path, clock: Clock, steps: Steps = STEPS) -> None:
        self.path = path
        self._clock = clock
        self._steps = steps
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file = 0

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            self._close()

    def add(self, plan: Plan) -> int:
        """Keep a new plan and return the id of its entry.

        Raises:
            InvalidRecord: an action or the preview has no JSON form.
            WrongOrder: its token was given out before.
        """
        sent = [encode(each).decode() for each in plan.actions]
        shown, request = encode(plan.shown).decode(), encode(plan.request).decode()
        whose = (plan.digest, plan.tool, plan.tenant, plan.principal)
        times = (iso(plan.created_at), iso(plan.expires_at))
        with self._changing() as db:
            if db.execute("SELECT 1 FROM plan WHERE digest = ?", (plan.digest,)).fetchone():
                raise WrongOrder("a plan with this token is in the journal")
            values = (*whose, *times, plan.summary, plan.content, shown, request)
            (entry,) = db.execute(
                f"INSERT INTO plan ({_PLAN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id", values
            ).fetchone()
            for place, text in enumerate(sent):
                db.execute("INSERT INTO action (plan, place, sent) VALUES (?, ?, ?)", (entry, place, text))
        return entry

    def claim(self, token: str, owner: str) -> Claim:
        """Ask for the right to apply a plan; of all who ask at once, one is answered `Claimed`.

        Args:
            token: as it was given out.
            owner: a name for the process, for people.
        """
        with self._changing() as db:
            entry = _found(db, "digest = ?", digest_of(token))
            if entry is None:
                return Unknown()
            if entry.outcome is not None:
                return Finished(entry.outcome)
            now = self._clock.now()
            since, beat_at = entry.claimed_at, entry.beat_at
            if entry.state == "claimed" and since and beat_at and not _is_gone(beat_at, now):
                return Running(since, entry.owner or "")
            states = [each.state for each in entry.actions]
            is_broken = set(states) != {"planned"}
            if not is_broken and (entry.state == "expired" or _is_over(entry.plan, now)):
                db.execute("UPDATE plan SET state = 'expired' WHERE id = ?", (entry.id,))
                return Expired()
            run = _taken(db, entry.id, owner, iso(now), is_broken=is_broken)
            if is_broken:
                sending = states.index("sending") if "sending" in states else None
                return Broken(run, entry.plan, entry.actions, sending)
            return Claimed(run, entry.plan)

    def heartbeat(self, run: Run) -> None:
        """Say that the owner is alive; at least every `BEAT_EVERY` seconds.

        Raises:
            ClaimLost: somebody else has the plan by now.
        """
        with self._changing() as db:
            self._hold(db, run)

    def sending(self, run: Run, place: int) -> None:
        """Note that an action is about to be sent; only when this has returned may it be.

        Args:
            run: of the claim.
            place: the index of the action; those before it have ended.

        Raises:
            ClaimLost: somebody else has the plan by now: do not send.
            WrongOrder: it is not the next one, or the plan is broken.
        """
        with self._changing() as db:
            is_broken = self._hold(db, run)
            states = _states(db, run)
            ended = all(each in _SETTLED for each in states[:place])
            if is_broken or not 0 <= place < len(states) or states[place] != "planned" or not ended:
                raise WrongOrder(f"action {place} of entry {run.entry} is not to be sent now")
            db.execute(
                "UPDATE action SET state = 'sending', at = ? WHERE plan = ? AND place = ?",
                (iso(self._clock.now()), run.entry, place),
            )

    def done(self, run: Run, place: int, ended: ActionState) -> None:
        """Note how an action that was sent has ended: applied, failed or unknown; `ended.at` is set here.

        Raises:
            ClaimLost: somebody else has the plan by now.
            WrongOrder: it is not being sent.
        """
        result, look_up = _text(ended.result), _text(ended.look_up)
        with self._changing() as db:
            self._hold(db, run)
            states = _states(db, run)
            if ended.state not in _SETTLED or not 0 <= place < len(states) or states[place] != "sending":
                raise WrongOrder(f"action {place} of entry {run.entry} cannot be {ended.state} now")
            db.execute(
                "UPDATE action SET state = ?, result = ?, error = ?, look_up = ?, at = ? WHERE plan = ? AND place = ?",
                (ended.state, result, ended.error, look_up, iso(self._clock.now()), run.entry, place),
            )

    def finish(self, run: Run, outcome: JsonObject) -> None:
        """Note the outcome, with which each later claim is answered; what was not sent is `not_tried` from now on.

        Raises:
            ClaimLost: somebody else has the plan by now.
            WrongOrder: an action is being sent.
        """
        text = _text(outcome)
        with self._changing() as db:
            self._hold(db, run)
            if "sending" in _states(db, run):
                raise WrongOrder(f"entry {run.entry} cannot be finished while an action is being sent")
            db.execute("UPDATE action SET state = 'not_tried' WHERE plan = ? AND state = 'planned'", (run.entry,))
            db.execute(
                "UPDATE plan SET state = 'finished', outcome = ?, finished_at = ? WHERE id = ?",
                (text, iso(self._clock.now()), run.entry),
            )

    def applied_since(self, principal: str, moment: datetime) -> int:
        """Return how many actions of a principal were applied at or after a moment."""
        with self._reading() as db:
            (count,) = db.execute(
                "SELECT count(*) FROM action JOIN plan ON plan.id = action.plan"
                " WHERE action.state = 'applied' AND action.at >= ? AND principal = ?",
                (iso(moment), principal),
            ).fetchone()
        return count

    def find(self, token: str) -> Entry | None:
        """Return the entry of a token, to check it before it is claimed."""
        with self._reading() as db:
            return _found(db, "digest = ?", digest_of(token))

    def entry(self, entry: int) -> Entry | None:
        """Return an entry by its id."""
        with self._reading() as db:
            return _found(db, "id = ?", entry)

    def entries(self, limit: int, before: int | None = None) -> tuple[Entry, ...]:
        """Return the newest entries first; `before` is the id after which the page before ended."""
        sql = f"SELECT {_ENTRY} FROM plan WHERE id < ? ORDER BY id DESC LIMIT ?"
        with self._reading() as db:
            return tuple(
                _entry(db, row) for row in db.execute(sql, (MOST if before is None else before, limit)).fetchall()
            )

    def _hold(self, db: sqlite3.Connection, run: Run) -> bool:
        """Renew the claim; return whether the plan is broken."""
        held = db.execute(
            "UPDATE plan SET beat_at = ? WHERE id = ? AND epoch = ? AND state = 'claimed' RETURNING broken",
            (iso(self._clock.now()), run.entry, run.epoch),
        ).fetchone()
        if held is None:
            raise ClaimLost(f"the claim of entry {run.entry} is over")
        return bool(held[0])

    def _changing(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN IMMEDIATE")

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN")

    @contextmanager
    def _transaction(self, begin: str) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                db = self._connected()
                db.execute(begin)
                try:
                    refuse_newer(db, self.path, self._steps)
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            except CacheUnavailable as error:
                raise JournalUnusable(f"{error}; nothing is written to Katana without the journal of writes") from error
            except (sqlite3.Error, InvalidRecord, OSError) as error:
                raise self._told(error) from error

    def _connected(self) -> sqlite3.Connection:
        """Return the open connection; a file that was moved away meanwhile is let go of."""
        if self._connection is not None and not self._is_open_file():
            self._close()
        if self._connection is None:
            self._connection = connected(self.path, self._steps)
            self._file = self.path.stat().st_ino
        return self._connection

    def _is_open_file(self) -> bool:
        return self.path.exists(follow_symlinks=False) and self.path.lstat().st_ino == self._file

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _told(self, error: Exception) -> JournalBusy | JournalUnusable:
        code = getattr(error, "sqlite_errorcode", None)
        kind = None if code is None else code & 0xFF
        journal = f"the journal of writes {self.path}"
        if kind in _BUSY:
            return JournalBusy(f"{journal} is held by another process: try again")
        self._close()
        if kind in _DAMAGED or isinstance(error, InvalidRecord):
            return JournalUnusable(
                f"{journal} is damaged: nothing is written to Katana without it; move it away and keep it, it tells "
                "what was applied, then plan anew"
            )
        return JournalUnusable(
            f"{journal} cannot be used ({error}): nothing is written to Katana without it; make room or mend its modes"
        )


def _is_gone(beat_at: datetime, now: datetime) -> bool:
    """Return whether an owner is gone; one that was heard of in the future is from before the clock was set back."""
    return abs(now - beat_at) >= GONE_AFTER


def _is_over(plan: Plan, now: datetime) -> bool:
    """Return whether a plan cannot be claimed any more; a clock set back gives it no second life."""
    return now >= plan.expires_at or plan.created_at - now >= GONE_AFTER


def _taken(db: sqlite3.Connection, entry: int, owner: str, now: str, *, is_broken: bool) -> Run:
    (epoch,) = db.execute(
        "UPDATE plan SET state = 'claimed', epoch = epoch + 1, owner = ?, claimed_at = ?, beat_at = ?, broken = ?"
        " WHERE id = ? RETURNING epoch",
        (owner, now, now, is_broken, entry),
    ).fetchone()
    return Run(entry, epoch)


def _states(db: sqlite3.Connection, run: Run) -> list[str]:
    found = db.execute("SELECT state FROM action WHERE plan = ? ORDER BY place", (run.entry,))
    return [state for (state,) in found]


def _found(db: sqlite3.Connection, condition: str, value: str | int) -> Entry | None:
    row = db.execute(f"SELECT {_ENTRY} FROM plan WHERE {condition}", (value,)).fetchone()
    return None if row is None else _entry(db, row)


def _entry(db: sqlite3.Connection, row: tuple[Any, ...]) -> Entry:
    number, state, owner, claimed_at, beat_at, finished_at, outcome, *planned = row
    digest, tool, tenant, principal, created_at, expires_at, summary, content, shown, request = planned
    sql = "SELECT sent, state, result, error, look_up, at FROM action WHERE plan = ? ORDER BY place"
    actions = db.execute(sql, (number,)).fetchall()
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
            ActionState(ended, _json(result), error, _json(look_up), _moment(at))
            for _, ended, result, error, look_up, at in actions
        ),
        owner=owner,
        claimed_at=_moment(claimed_at),
        beat_at=_moment(beat_at),
        finished_at=_moment(finished_at),
        outcome=_json(outcome),
    )


def _text(value: JsonObject | None) -> str | None:
    return None if value is None else encode(value).decode()


def _json(text: str | None) -> JsonObject | None:
    return None if text is None else decode(text)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
