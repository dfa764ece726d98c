"""Lanes: what plans change, held by one at a time over all processes of an account, until it lets go or is gone.

Kept in the journal's file. A lane is the name of a record or of a number space. Nobody waits here: who does not get all
of the lanes that it asks for gets none, so that nobody holds one while waiting for another. A plan of many steps that
stopped halfway keeps its lanes for a day, so that nothing else is written to what it left half done.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from cache_core.records import decode, iso
from katana_mcp.journal.entries import GONE_AFTER, JsonObject
from katana_mcp.journal.errors import LaneLost
from katana_mcp.journal.file import JournalFile

KEPT_FOR = timedelta(days=1)
"""How long a plan that stopped halfway keeps its lanes."""


class Lanes:
    """The lanes of one account."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file

    def take(self, names: Iterable[str], holder: str, plan: int = 0) -> str | None:
        """Take all of these lanes, or none; return the name of one that another holds, None when all are taken.

        Args:
            names: of the lanes.
            holder: a name that nobody else has.
            plan: the entry that they are for: it may take those that it has kept itself.
        """
        lanes = sorted(set(names))
        with self._file.changing() as db:
            now = self._file.clock.now()
            # A holder that was heard of in the future is from before the clock was set back.
            alive = (iso(now - GONE_AFTER), iso(now + GONE_AFTER))
            kept = (iso(now - KEPT_FOR), iso(now + KEPT_FOR))
            marks = ", ".join("?" * len(lanes))
            held = db.execute(
                f"SELECT name FROM lane WHERE name IN ({marks}) AND holder != ? AND ("
                "(holder != '' AND beat_at > ? AND beat_at < ?) OR (plan != ? AND beat_at > ? AND beat_at < ?))",
                (*lanes, holder, *alive, plan, *kept),
            ).fetchone()
            if held is not None:
                return held[0]
            db.execute("DELETE FROM lane WHERE plan IS NULL AND (beat_at <= ? OR beat_at >= ?)", alive)
            db.execute(
                f"DELETE FROM lane WHERE name IN ({marks}) AND holder != ? AND plan != ?", (*lanes, holder, plan)
            )
            sql = (
                "INSERT INTO lane (name, holder, beat_at) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET holder = excluded.holder, beat_at = excluded.beat_at"
            )
            db.executemany(sql, [(name, holder, iso(now)) for name in lanes])
        return None

    def kept_by(self, names: Iterable[str], plan: int) -> int | None:
        """Return another entry that stopped halfway and keeps one of these lanes, if there is one."""
        lanes = sorted(set(names))
        with self._file.reading() as db:
            now, marks = self._file.clock.now(), ", ".join("?" * len(lanes))
            found = db.execute(
                f"SELECT lane.plan FROM lane JOIN plan ON plan.id = lane.plan WHERE name IN ({marks})"
                " AND plan.id != ? AND lane.beat_at > ? AND (plan.state = 'finished' OR plan.beat_at <= ?)",
                (*lanes, plan, iso(now - KEPT_FOR), iso(now - GONE_AFTER)),
            ).fetchone()
        return None if found is None else found[0]

    def kept(self) -> dict[str, int]:
        """Return the lanes that plans of many steps keep, each with its entry; a file that is not there keeps none."""
        if not self._file.path.exists():
            return {}
        with self._file.reading() as db:
            now = self._file.clock.now()
            sql = "SELECT name, plan FROM lane WHERE plan IS NOT NULL AND beat_at > ? AND beat_at < ?"
            return dict(db.execute(sql, (iso(now - KEPT_FOR), iso(now + KEPT_FOR))).fetchall())

    def renew(self, names: Iterable[str], holder: str) -> None:
        """Say that the holder is alive; at least every `BEAT_EVERY` seconds, and before each request that changes.

        Raises:
            LaneLost: one of them is another's by now, or could have been.
        """
        lanes = set(names)
        with self._file.changing() as db:
            beat = iso(self._file.clock.now())
            renewed = db.execute("UPDATE lane SET beat_at = ? WHERE holder = ?", (beat, holder)).rowcount
            if renewed < len(lanes):
                raise LaneLost("another plan of the same records was applied meanwhile, as this one was not heard of")

    def leave(self, holder: str) -> None:
        """Let go of all lanes that are held, but for those that their plan keeps."""
        with self._file.changing() as db:
            db.execute("DELETE FROM lane WHERE holder = ? AND plan IS NULL", (holder,))
            db.execute("UPDATE lane SET holder = '' WHERE holder = ?", (holder,))

    def numbers_in_doubt(self, entity: str, field: str) -> frozenset[str]:
        """Return the numbers under which records may have been made though Katana did not say so.

        Args:
            entity: the cache entity.
            field: of the request that holds the number.
        """
        sql = (
            "SELECT json_extract(sent, ?) FROM action WHERE state IN ('sending', 'unknown')"
            " AND json_extract(sent, '$.method') = 'POST' AND json_extract(sent, '$.entity') = ?"
        )
        with self._file.reading() as db:
            rows = db.execute(sql, (f"$.body.{field}", entity)).fetchall()
        return frozenset(number for (number,) in rows if isinstance(number, str))

    def documents_in_doubt(self, entity: str, tenant: str, since: datetime) -> tuple[JsonObject, ...]:
        """Return the requests by which documents may have been made though Katana did not say so, the newest first.

        Args:
            entity: the cache entity.
            tenant: the name of the account.
            since: when the first of them was sent.
        """
        sql = (
            "SELECT sent FROM action CROSS JOIN plan ON plan.id = action.plan"
            " WHERE action.state IN ('sending', 'applied', 'unknown') AND action.state != 'applied' AND at >= ?"
            " AND place = 0 AND tenant = ? AND json_extract(sent, '$.method') = 'POST'"
            " AND json_extract(sent, '$.entity') = ? ORDER BY plan.id DESC"
        )
        with self._file.reading() as db:
            rows = db.execute(sql, (iso(since), tenant, entity)).fetchall()
        return tuple(decode(sent) for (sent,) in rows)
