"""Where the limits of an assistant begin: lines and requests of a plan, writes in a minute, the size of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import LIFE, ActionState, Entry
from katana_mcp.journal.pace import WriteRequested
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import ENVELOPE_BYTES, size_of
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Draft
from katana_mcp.writing.limits import lines_of, no_room, room_for, too_large, unreadable
from katana_mcp.writing.preview import PlanLine, Preview

CLOCK = ManualClock()
UNTIL = datetime(2026, 3, 2, 8, 1, tzinfo=UTC)
ACTION = Action(title="a", method="POST", path="/a", entity="a", body={"rows": [1, 2], "note": "x"})


@dataclass
class Journal:
    """A journal that has room at a moment, or now, and notes what it was asked."""

    until: datetime | None = None
    asked: list[WriteRequested] = field(default_factory=list[WriteRequested])

    async def room_at(self, request: WriteRequested) -> datetime | None:
        """Return when there is room."""
        self.asked.append(request)
        return self.until


def services(**parts: object) -> Services:
    """Return services that have these parts only."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    usual = {"clock": CLOCK, "principal": "ann", "most_writes": 3, "most_lines": 4}
    return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), **usual, **parts}))


def entry(number: int, actions: int, *, old: bool = False) -> Entry:
    """Return the entry of a plan of so many actions, which has expired where it is old."""
    clock = ManualClock(CLOCK.now() - LIFE) if old else CLOCK
    return Entry(id=number, plan=plan_of("token", clock, actions), state="planned", actions=(ActionState(),) * actions)


@pytest.mark.parametrize(
    ("actions", "lines", "count"),
    [
        ((), 0, 0),
        ((replace(ACTION, body=None),), 0, 1),
        ((replace(ACTION, body={"rows": []}),), 0, 1),
        ((ACTION,), 1, 2),
        ((ACTION,), 3, 3),
        ((ACTION, replace(ACTION, body=[{"a": 1}, {"a": 2}, {"a": 3}])), 1, 5),
    ],
)
def test_the_lines_of_a_plan_are_counted_as_shown_or_as_sent(actions: Sequence[Action], lines: int, count: int) -> None:
    assert lines_of(Draft(summary="", actions=tuple(actions), lines=(PlanLine(),) * lines)) == count


LINES = "the plan has 5 lines, but a plan may have only 4 (KATANA_MCP_MAX_PLAN_LINES): plan it in parts"
WRITES = (
    "the plan has 4 requests, but only 3 may be sent in a minute (KATANA_MCP_MAX_WRITES_PER_MINUTE): plan it in parts"
)


@pytest.mark.parametrize(
    ("actions", "lines", "messages"), [(3, 4, []), (3, 5, [LINES]), (4, 4, [WRITES]), (4, 5, [LINES, WRITES])]
)
def test_a_plan_of_more_lines_or_requests_than_may_be_is_too_large(
    actions: int, lines: int, messages: list[str]
) -> None:
    draft = Draft(summary="", actions=(replace(ACTION, body=None),) * actions, lines=(PlanLine(),) * lines)
    assert too_large(draft, services()) == [blocking(warning_codes.PLAN_TOO_LARGE, text) for text in messages]


@pytest.mark.parametrize("over", [0, 1])
def test_a_preview_that_does_not_fit_into_an_answer_cannot_be_shown(over: int) -> None:
    rest = MAX_ANSWER_BYTES - ENVELOPE_BYTES - size_of(Preview(message="", requests=[], warnings=[]))
    preview = Preview(message="x" * (rest + over), requests=[], warnings=[])
    message = f"the preview has {MAX_ANSWER_BYTES + 1} bytes and an answer holds {MAX_ANSWER_BYTES}"
    why = f"{message}, so it cannot be shown completely: plan it in parts, or do it in Katana"
    assert unreadable(preview) == ([blocking(warning_codes.PLAN_TOO_LARGE, why)] if over else [])


FULL = blocking(
    warning_codes.TOO_MANY_WRITES,
    "3 writes a minute are allowed (KATANA_MCP_MAX_WRITES_PER_MINUTE) and all are used: nothing was written; "
    "the token stays valid, apply it again at 2026-03-02T08:01:00.000Z or later",
    "plan_tokens",
)


def test_it_is_said_when_the_next_write_may_be_sent() -> None:
    assert no_room(UNTIL, services()) == FULL


async def refusal(journal: Journal, *entries: Entry) -> ToolWarning | None:
    """Return why these plans may not be written now."""
    try:
        await room_for(entries, services(journal=journal))
    except Refused as refused:
        (warning,) = refused.warnings
        return warning
    return None


def together(writes: int) -> ToolWarning:
    """Return that some plans need too many writes."""
    only = f"these plans need {writes} writes, but only 3 a minute are allowed (KATANA_MCP_MAX_WRITES_PER_MINUTE)"
    why = f"{only}: nothing was written; apply fewer of them at once"
    return blocking(warning_codes.TOO_MANY_WRITES, why, "plan_tokens")


@pytest.mark.parametrize(
    ("entries", "warning", "asked"),
    [
        ([], None, None),
        ([entry(1, 2)], None, (2, [1])),
        # One plan alone may need more than a minute allows; several together may not.
        ([entry(1, 4)], None, (4, [1])),
        ([entry(1, 2), entry(2, 1)], None, (3, [1, 2])),
        ([entry(1, 2), entry(2, 2)], together(4), None),
        # What has expired is not written.
        ([entry(1, 2), entry(2, 2, old=True)], None, (2, [1])),
        ([entry(2, 2, old=True)], None, None),
    ],
)
async def test_plans_that_cannot_all_be_written_in_a_minute_are_refused_before_any_is(
    entries: list[Entry], warning: ToolWarning | None, asked: tuple[int, list[int]] | None
) -> None:
    journal = Journal()
    assert await refusal(journal, *entries) == warning
    assert journal.asked == ([] if asked is None else [WriteRequested("ann", asked[0], 3, asked[1])])


async def test_plans_for_which_there_is_no_room_now_are_refused_with_when_there_is() -> None:
    assert await refusal(Journal(UNTIL), entry(1, 2)) == FULL
    assert await refusal(Journal(UNTIL), entry(2, 2, old=True)) is None
