"""Is this listing complete? A pure judge of pages, so that a cursor moves only on proof.

Records come newest created first, so inserts push rows to later pages (seen twice, harmless) and only
deletions pull unread rows onto pages already read. Deletions show as a shrinking total; the answer is to
step back by as many rows as are missing. A whole, gapless run of full pages is then the proof.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from cache_core.protocol import Checkpoint
from cache_core.sync.source import PAGE_SIZE, SourcePage


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


def judge(checkpoint: Checkpoint, page: SourcePage, distinct: int) -> Judgement:
    """Return what the page that was asked for at `checkpoint.page` proves.

    `distinct` counts its records by id: one that is sent twice hides another.
    """
    if page.bare:
        return Judgement(Verdict.DONE, replace(checkpoint, total=page.size))
    if page.total is None:
        return Judgement(Verdict.RETRY, checkpoint, "Katana sent a page without its total")
    lost = checkpoint.total - page.total
    if checkpoint.page > 1 and lost > 0:
        back = -(-lost // PAGE_SIZE)
        return Judgement(Verdict.NEXT, replace(checkpoint, page=max(1, checkpoint.page - back), total=page.total))
    due = min(PAGE_SIZE, max(0, page.total - (checkpoint.page - 1) * PAGE_SIZE))
    if distinct < due:
        reason = f"page {checkpoint.page} held {distinct} of {due} records (Katana reports {page.total} in all)"
        return Judgement(Verdict.RETRY, checkpoint, reason)
    after = replace(checkpoint, page=checkpoint.page + 1, total=page.total)
    done = checkpoint.page * PAGE_SIZE >= page.total
    return Judgement(Verdict.DONE if done else Verdict.NEXT, after)
