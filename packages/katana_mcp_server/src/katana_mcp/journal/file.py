"""The journal of one account in a SQLite file: each call is one short transaction that is on the disk when it returns.

Its clock tells whether an owner is gone; that nothing is sent twice rests on states alone. Holds no token and no key.
"""

import sqlite3
import threading
from collections.abc import Collection, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from cache_core.clock import Clock
from cache_core.errors import CacheUnavailable
from cache_core.records import InvalidRecord, RecordId, iso
from katana_mcp.journal.claiming import held, refused, resumed, taken, taken_over
from katana_mcp.journal.entries import (
    GONE_AFTER,
    ActionState,
    Answered,
    Broken,
    Claim,
    Claimed,
    Entry,
    JsonObject,
    Plan,
    Run,
    Unknown,
    digest_of,
)
from katana_mcp.journal.errors import ClaimLost, JournalBusy, JournalUnusable, WrongOrder
from katana_mcp.journal.pace import WriteRequested, room_at
from katana_mcp.journal.rows import (
    ENTRY,
    entry_of,
    found,
    insert,
    made_by_others,
    note_answer,
    note_expiry,
    note_found,
    note_refusal,
    replan,
    rewrite,
    row_of,
    text_of,
    unsure,
)
from katana_mcp.journal.schema import STEPS, Steps, connected, refuse_newer

MOST = 2**63 - 1
"""The largest number that the file takes."""
BEAT_EVERY = 5.0
"""Seconds between two heartbeats of an owner."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SETTLED = {"applied", "failed", "unknown"}


def journal_path(directory: Path) -> Path:
    """Return where the journal of an account stands whose cache is in this directory: beside it."""
    return directory.with_name(f"journal-{directory.name}.sqlite")


class JournalFile:
    """The journal of one account; any number of processes and threads may use the file at once.

    It is opened by the first call, and its directory made private. Every method may raise `JournalBusy` and
    `JournalUnusable`; nothing was kept then. Wall time comes from the clock, and the tables from the steps.
    """

    def __init__(self, path: Path, clock: Clock, steps: Steps = STEPS) -> None:
        self.path = path
        self.clock = clock
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
        row = row_of(plan)
        with self.changing() as db:
            if db.execute("SELECT 1 FROM plan WHERE digest = ?", (plan.digest,)).fetchone():
                raise WrongOrder("a plan with this token is in the journal")
            return insert(db, row)

    def claim(
        self,
        token: str,
        owner: str,
        most: int | None = None,
        assigned: Plan | None = None,
        *,
        resumes: bool = False,
    ) -> Claim:
        """Ask for the right to apply a plan; of all who ask at once, one is answered `Claimed`.

        Args:
            token: as it was given out.
            owner: a name for the process, for people.
            most: actions that the plan's principal may send in a minute; any number by default.
            assigned: the same plan with what the caller left open, written in its place once it is claimed.
            resumes: whether it goes on where it stopped halfway: then one is answered `Resumed`.
        """
        row = None if assigned is None else row_of(assigned)
        with self.changing() as db:
            entry = found(db, "digest = ?", digest_of(token))
            if entry is None:
                return Unknown()
            now = self.clock.now()
            if resumes and entry.is_halfway(now):
                return resumed(db, entry, owner, now, most)
            if (why := held(entry, now)) is not None:
                return why
            if entry.is_begun:
                return taken_over(db, entry, owner, now)
            if (why := refused(db, entry, now, most)) is not None:
                return why
            if row is not None:
                rewrite(db, entry.id, row)
            return Claimed(taken(db, entry, owner, now), assigned or entry.plan)

    def answered(self, entries: Collection[int], answer: Answered) -> None:
        """Note what a person said about these plans, where nobody works on them: declined, nobody ever will."""
        with self.changing() as db:
            now = self.clock.now()
            for stored in [found(db, "id = ?", entry) for entry in entries]:
                if stored and stored.state in {"planned", "claimed"} and not stored.is_begun and not held(stored, now):
                    note_answer(db, stored, answer, now)

    def refused(self, entry: int, why: str) -> None:
        """Note that a plan was not applied because it no longer fits; its token stays as good as it was."""
        with self.changing() as db:
            note_refusal(db, entry, why, self.clock.now())

    def expire(self, entry: int) -> None:
        """Note that a plan was refused as expired; it stays so whatever the clock is set to."""
        with self.changing() as db:
            note_expiry(db, entry)

    def take_over(self, entry: int, owner: str) -> Broken | None:
        """Take what an owner who is gone had begun to send, to end it; None where there is nothing of that kind.

        A plan that ran out before anything of it was sent has expired from now on.
        """
        with self.changing() as db:
            now, stored = self.clock.now(), found(db, "id = ?", entry)
            if stored is None or held(stored, now) is not None:
                return None
            if stored.is_begun:
                return taken_over(db, stored, owner, now)
            refused(db, stored, now, None)
            return None

    def amend(self, entry: int, ends: Mapping[int, ActionState], outcome: JsonObject) -> None:
        """Note what was found out later about actions of a finished plan that no answer told of, by their index.

        Each later claim is answered with this outcome; the one of then is kept beside it.

        Raises:
            WrongOrder: the plan is not finished, or Katana's answer told how an action ended.
        """
        text = text_of(outcome)
        with self.changing() as db:
            stored, now = found(db, "id = ?", entry), iso(self.clock.now())
            actions = () if stored is None else stored.actions
            untold = {place for place, action in enumerate(actions) if action.is_unanswered}
            if stored is None or stored.state != "finished" or not set(ends) <= untold:
                raise WrongOrder(f"entry {entry} has not ended so that it could be amended like this")
            for place, end in ends.items():
                db.execute(
                    "UPDATE action SET state = ?, result = ?, error = ?, look_up = ? WHERE plan = ? AND place = ?",
                    (end.state, text_of(end.result), end.error, text_of(end.look_up), entry, place),
                )
            db.execute("UPDATE plan SET amended = ?, amended_at = ? WHERE id = ?", (text, now, entry))

    def heartbeat(self, run: Run) -> None:
        """Say that the owner is alive; at least every `BEAT_EVERY` seconds.

        Raises:
            ClaimLost: somebody else has the plan by now.
        """
        with self.changing() as db:
            self._hold(db, run)

    def replan(self, run: Run, start: int, plan: Plan, found: ActionState | None = None) -> None:
        """Write other actions in the place of those from `start` on; those before it were applied.

        The last of them may have ended otherwise, and have been `found` applied since.

        Raises:
            ClaimLost: somebody else has the plan by now.
            WrongOrder: one of those before was not applied, or one of the others is being sent.
        """
        values, sent = row_of(plan)
        with self.changing() as db:
            self._hold(db, run)
            states = self._states(db, run)
            if found is not None and states[start - 1] in _SETTLED:
                states[start - 1] = note_found(db, run.entry, start - 1, found)
            if set(states[:start]) - {"applied"} or "sending" in states[start:] or len(states) < start:
                raise WrongOrder(f"entry {run.entry} cannot be planned anew from action {start}")
            replan(db, run.entry, start, (values, sent))

    def sending(self, run: Run, place: int, kept: str = "") -> None:
        """Note that an action is about to be sent; only when this has returned may it be.

        Args:
            run: of the claim.
            place: the index of the action; those before it have ended.
            kept: the lane that the plan keeps from now on, until it is fully applied; it is held.

        Raises:
            ClaimLost: somebody else has the plan by now: do not send.
            WrongOrder: it is not the next one, or the plan is broken.
        """
        with self.changing() as db:
            is_broken = self._hold(db, run)
            states = self._states(db, run)
            ended = all(state in _SETTLED for state in states[:place])
            if is_broken or not 0 <= place < len(states) or states[place] != "planned" or not ended:
                raise WrongOrder(f"action {place} of entry {run.entry} is not to be sent now")
            db.execute(
                "UPDATE action SET state = 'sending', at = ? WHERE plan = ? AND place = ?",
                (iso(self.clock.now()), run.entry, place),
            )
            if kept:
                db.execute("UPDATE lane SET plan = ? WHERE name = ?", (run.entry, kept))

    def done(self, run: Run, place: int, ended: ActionState) -> None:
        """Note how an action that was sent has ended: applied, failed or unknown; `ended.at` is set here.

        Raises:
            ClaimLost: somebody else has the plan by now.
            WrongOrder: it is not being sent.
        """
        result, look_up = text_of(ended.result), text_of(ended.look_up)
        with self.changing() as db:
            self._hold(db, run)
            states = self._states(db, run)
            if ended.state not in _SETTLED or not 0 <= place < len(states) or states[place] != "sending":
                raise WrongOrder(f"action {place} of entry {run.entry} cannot be {ended.state} now")
            db.execute(
                "UPDATE action SET state = ?, result = ?, error = ?, look_up = ?, at = ? WHERE plan = ? AND place = ?",
                (ended.state, result, ended.error, look_up, iso(self.clock.now()), run.entry, place),
            )

    def finish(self, run: Run, outcome: JsonObject) -> None:
        """Note the outcome, with which each later claim is answered; what was not sent is `not_tried` from now on.

        Raises:
            ClaimLost: somebody else has the plan by now.
            WrongOrder: an action is being sent.
        """
        text = text_of(outcome)
        with self.changing() as db:
            self._hold(db, run)
            states = set(self._states(db, run))
            if "sending" in states:
                raise WrongOrder(f"entry {run.entry} cannot be finished while an action is being sent")
            if states == {"applied"} or not states & {"applied", "unknown"}:
                db.execute("DELETE FROM lane WHERE plan = ?", (run.entry,))
            db.execute("UPDATE action SET state = 'not_tried' WHERE plan = ? AND state = 'planned'", (run.entry,))
            db.execute(
                "UPDATE plan SET state = 'finished', outcome = ?, finished_at = ? WHERE id = ?",
                (text, iso(self.clock.now()), run.entry),
            )

    def room_at(self, writes: WriteRequested) -> datetime | None:
        """Return when there is room for these writes, or None when there is now; only a claim takes it."""
        with self.reading() as db:
            now = self.clock.now()
            return room_at(db, writes, now, now - GONE_AFTER)

    def find(self, token: str) -> Entry | None:
        """Return the entry of a token, to check it before it is claimed."""
        with self.reading() as db:
            return found(db, "digest = ?", digest_of(token))

    def entry(self, entry: int) -> Entry | None:
        """Return an entry by its id."""
        with self.reading() as db:
            return found(db, "id = ?", entry)

    def entries(self, limit: int, before: int | None = None, tenant: str | None = None) -> tuple[Entry, ...]:
        """Return the newest entries first; `before` is the id after which the page before ended.

        With a tenant, those of this account alone.
        """
        sql = f"SELECT {ENTRY} FROM plan WHERE id < ? AND tenant = coalesce(?, tenant) ORDER BY id DESC LIMIT ?"
        last = MOST if before is None else before
        with self.reading() as db:
            return tuple(entry_of(db, row) for row in db.execute(sql, (last, tenant, limit)).fetchall())

    def unsure(self) -> tuple[Entry, ...]:
        """Return the plans that are claimed, and those of which no answer told how an action ended; oldest first."""
        with self.reading() as db:
            return unsure(db)

    def made_by_others(self, entry: int, path: str) -> frozenset[RecordId]:
        """Return the ids of the records that other plans are known to have made by a POST to this path."""
        with self.reading() as db:
            return made_by_others(db, entry, path)

    def _hold(self, db: sqlite3.Connection, run: Run) -> bool:
        """Renew the claim; return whether the plan is broken."""
        renewed = db.execute(
            "UPDATE plan SET beat_at = ? WHERE id = ? AND digest = ? AND epoch = ? AND state = 'claimed'"
            " RETURNING broken",
            (iso(self.clock.now()), run.entry, run.digest, run.epoch),
        ).fetchone()
        if renewed is None:
            if db.execute("SELECT 1 FROM plan WHERE digest = ?", (run.digest,)).fetchone() is None:
                raise self._left(run)
            raise ClaimLost(f"the claim of entry {run.entry} is over")
        return bool(renewed[0])

    def _states(self, db: sqlite3.Connection, run: Run) -> list[str]:
        states = db.execute("SELECT state FROM action WHERE plan = ? ORDER BY place", (run.entry,)).fetchall()
        if not states:
            raise self._left(run)
        return [state for (state,) in states]

    def _left(self, run: Run) -> JournalUnusable:
        return JournalUnusable(
            f"the journal of writes {self.path} no longer holds entry {run.entry}: it was moved or emptied while the "
            "plan was applied; look at the document in Katana before planning it again"
        )

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a transaction that others wait for; what raises in it keeps nothing."""
        return self._transaction("BEGIN IMMEDIATE")

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a transaction that sees one state."""
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
                raise self._as_journal_error(error) from error

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

    def _as_journal_error(self, error: Exception) -> JournalBusy | JournalUnusable:
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
