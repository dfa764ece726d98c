"""Is this listing complete? A pure judge of pages, so that a cursor moves only on proof.

Records come newest created first. In a whole listing inserts push rows to later pages (seen twice, harmless) and only
deletions pull unread rows onto pages already read. They show as a shrinking total; the answer is to step back by as
many rows as are missing. In a delta an edited row also enters further down, so that the total proves nothing: there
each page overlaps what was read, and a row of the overlap must come again.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from cache_core.states import Checkpoint
from cache_core.sync.source import PAGE_SIZE, SourcePage, Window


class Verdict(StrEnum):
    """What to do after a page."""

    NEXT = "next"
    """Keep the page and ask for the one in the checkpoint."""
    DONE = "done"
    """Keep the page; the listing is provably complete."""
    RETRY = "retry"
    """The page proves nothing (no total, or shorter than its total says): ask for it again."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a page, the checkpoint after it, and the reason when it proves nothing."""

    verdict: Verdict
    checkpoint: Checkpoint
    reason: str = ""
    back: bool = False


def window_of(checkpoint: Checkpoint) -> Window:
    """Return the page to ask for next; in a delta the one that reaches farthest and still holds a row read before."""
    if checkpoint.since is None:
        return Window(checkpoint.page)
    if checkpoint.read == 0:
        return Window(1)
    last = checkpoint.read - 1
    windows = (Window(last // size + 1, size) for size in range(PAGE_SIZE, PAGE_SIZE // 2, -1))
    return max(windows, key=lambda window: window.end)


def judge(checkpoint: Checkpoint, page: SourcePage, distinct: int, *, overlaps: bool = True) -> Judgement:
    """Return what the page that was asked for at the checkpoint proves.

    Args:
        checkpoint: where the listing stood.
        page: what came.
        distinct: its records counted by id: one that is sent twice hides another.
        overlaps: whether it holds a row that was read before.
    """
    if page.bare:
        return Judgement(Verdict.DONE, replace(checkpoint, total=page.size))
    if page.total is None:
        return Judgement(Verdict.RETRY, checkpoint, "Katana sent a page without its total")
    window = window_of(checkpoint)
    lost = checkpoint.total - page.total
    if checkpoint.since is None and checkpoint.page > 1 and lost > 0:
        page_before = max(1, checkpoint.page - -(-lost // PAGE_SIZE))
        return Judgement(Verdict.NEXT, replace(checkpoint, page=page_before, total=page.total), back=True)
    due = min(window.size, max(0, page.total - window.start))
    if distinct < due:
        reason = f"page {window.number} held {distinct} of {due} records (Katana reports {page.total} in all)"
        return Judgement(Verdict.RETRY, checkpoint, reason)
    if window.start > 0 and checkpoint.since is not None and not overlaps:
        read = max(0, window.start + 1 - PAGE_SIZE)
        return Judgement(Verdict.NEXT, replace(checkpoint, read=read, total=page.total), back=True)
    after = replace(checkpoint, page=checkpoint.page + 1, read=window.start + due, total=page.total)
    return Judgement(Verdict.DONE if window.end >= page.total else Verdict.NEXT, after)
