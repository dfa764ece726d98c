"""`list`, `show` and `export`: what the journal holds. Makes no journal where there is none."""

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypedDict, cast

from cache_core.records import encode
from katana_mcp.caches.cache_files import BadInput, NotDone
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet, id_cell
from katana_mcp.commands.next_steps import command_of
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.journal.file import MOST, JournalFile, journal_path
from katana_mcp.journal.journal import Journal
from katana_mcp.journal.telling import counts, entry_payload


class _Revert(TypedDict):
    tool: str
    arguments: dict[str, object]


_PAGE = 200
_GOOD = {"applied": True, "failed": False, "unknown": False, "sending": False}


async def entries(job: Job, limit: int, before: int | None) -> Report:
    """Return the newest entries."""
    if limit < 1:
        raise BadInput(f"--limit is {limit}: at least 1 entry can be listed")
    if (nothing := _nothing(job)) is not None:
        return Report({"entries": []}, notes=(nothing,))
    older = None if before is None else _bounded(before)
    most = min(limit, MOST - 1)
    listed = await _query(job, lambda journal: journal.entries(most + 1, older))
    found = listed[:most]
    now = job.clock.now()
    head = ("entry", "planned", "state", "actions", "tool", "by", "what")
    notes = [] if found else ["the journal holds no plan before that" if before else "nothing was planned yet"]
    if len(listed) > most:
        notes.append(f"older ones: katana-mcp journal list --before {found[-1].id}")
    return Report(
        {"entries": [_data(journal_entry, now) for journal_entry in found]},
        sheets=(Sheet(head, [_line(journal_entry, now) for journal_entry in found]),) if found else (),
        notes=tuple(notes),
    )


async def entry(job: Job, number: int, options: Sequence[str] = ()) -> Report:
    """Return one entry with its actions, and the command that plans to undo it; it needs these options too."""
    if (nothing := _nothing(job)) is not None:
        return Report({"entry": None}, notes=(nothing,))
    found = await _query(job, lambda journal: journal.entry(_bounded(number)))
    if found is None:
        raise NotDone(f"the journal has no entry {number}: katana-mcp journal list names those that there are")
    now = job.clock.now()
    head = ("action", "request", "what", "state", "id", "at", "why")
    notes = (found.plan.summary, *_entry_lines(found, now), *_undo(found, options))
    return Report(_data(found, now), sheets=(Sheet(head, _actions(found)),), notes=notes)


async def export(job: Job) -> Report:
    """Write every entry as a line of JSON, the newest first."""
    if (nothing := _nothing(job)) is not None:
        sys.stderr.write(f"katana-mcp: {nothing}\n")
        return Report({})
    before: int | None = None
    while page := await _query(job, lambda journal, last=before: journal.entries(_PAGE, last)):
        for journal_entry in page:
            sys.stdout.write(encode(entry_payload(journal_entry, job.clock.now())).decode() + "\n")
        before = page[-1].id
    return Report({})


def _bounded(number: int) -> int:
    return max(min(number, MOST), -MOST)


def _nothing(job: Job) -> str | None:
    path = journal_path(job.directory)
    return (
        None
        if path.exists(follow_symlinks=False)
        else f"nothing was planned yet with this key: there is no journal {path}"
    )


async def _query[T](job: Job, question: Callable[[Journal], Awaitable[T]]) -> T:
    journal = Journal(JournalFile(journal_path(job.directory), job.clock))
    try:
        return await question(journal)
    except JournalError as error:
        raise NotDone(str(error)) from error
    finally:
        await journal.close()


def _data(entry: Entry, now: datetime) -> dict[str, object]:
    return json.loads(encode(entry_payload(entry, now)))


def _line(entry: Entry, now: datetime) -> Line:
    plan, counted = entry.plan, counts(entry)
    states = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counted.items())
    good = [_GOOD[state] for state in counted if state in _GOOD]
    stands = entry.stands(now) + (", refused" if entry.refused and entry.finished_at is None else "")
    cells = (id_cell(entry.id), _time(plan.created_at), stands, states, plan.tool, plan.principal, plan.summary)
    return Line(cells, all(good) if good else None)


def _actions(entry: Entry) -> Sequence[Line]:
    return [
        Line(
            (
                place,
                f"{sent.get('method', '')} {sent.get('path', '')}",
                sent.get("title"),
                outcome.state.replace("_", " "),
                id_cell((outcome.result or {}).get("id")),
                _time(outcome.at),
                outcome.error,
            ),
            _GOOD.get(outcome.state),
        )
        for place, (sent, outcome) in enumerate(zip(entry.plan.actions, entry.actions, strict=True), 1)
    ]


def _entry_lines(entry: Entry, now: datetime) -> list[str]:
    plan = entry.plan
    lines = [f"planned by {plan.tool} for {plan.principal} at {_time(plan.created_at)}; {entry.stands(now)}"]
    if entry.claimed_at is not None:
        ended = "not finished" if entry.finished_at is None else f"finished at {_time(entry.finished_at)}"
        lines.append(f"claimed by {entry.owner} at {_time(entry.claimed_at)}; {ended}")
    if entry.answered_at is not None:
        lines.append(f"a person was asked: {entry.answer} ({_time(entry.answered_at)})")
    if entry.refused_at is not None:
        lines.append(f"refused at {_time(entry.refused_at)}: {entry.refused}")
    if entry.amended_at is not None:
        lines.append(f"looked up again at {_time(entry.amended_at)}: {(entry.amended or {}).get('message')}")
    return lines


def _undo(entry: Entry, options: Sequence[str]) -> list[str]:
    revert = (entry.amended or entry.outcome or {}).get("revert")
    if not isinstance(revert, dict):
        return []
    call = cast("_Revert", revert)
    return [f"to undo it: {command_of(call['tool'], call['arguments'], options)}"]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"
