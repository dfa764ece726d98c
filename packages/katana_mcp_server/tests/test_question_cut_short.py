"""Which lines of a question are left out where a plan has no room for all, to the character."""

from dataclasses import replace

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import Plan
from katana_mcp.writing.confirmation_text import LONGEST, question

ASKED = "Write this to Katana?"
STOCK, NOTE, CHANGE = "s" * 140, "n" * 140, {"field": "f" * 80, "old": "o" * 80, "new": "w" * 80}


def plan(summary: str = "new order", **shown: object) -> Plan:
    """Return a plan with this preview."""
    return replace(plan_of("token", ManualClock()), summary=summary, shown=shown)


def lines_before() -> list[str]:
    """Return what all plans here begin with: 3,871 characters, with the line break that follows."""
    change = f"  {'f' * 80}: {'o' * 80} → {'w' * 80}"
    return ["- new order", *[f"  stock of {STOCK}"] * 12, *[f"  note: {NOTE}"] * 12, change]


@pytest.mark.parametrize(("length", "is_shown"), [(36, True), (37, True), (38, False), (39, False)])
def test_a_line_is_shown_where_sixty_characters_are_left_after_it(length: int, is_shown: bool) -> None:
    """A plan alone has 3,978 characters: the question, and a break after it, take the rest of 4,000."""
    last = {"field": "x" * length, "old": "o", "new": "w"}
    asked = question([plan(stock=[STOCK] * 12, advisory=[NOTE] * 12, changes=[CHANGE, last, CHANGE, CHANGE])])
    shown = [f"  {'x' * length}: o → w"] if is_shown else []
    left = 2 if is_shown else 3
    assert asked.splitlines() == [ASKED, *lines_before(), *shown, f"  … and {left} more lines: see the preview"]


@pytest.mark.parametrize(("length", "is_shown"), [(88, True), (89, False)])
def test_two_plans_share_the_room(length: int, is_shown: bool) -> None:
    """Each has 1,988 characters, of which sixty are kept for saying what is left out."""
    first = plan(stock=["s" * 136, *[STOCK] * 11], advisory=["x" * length, *[NOTE] * 11])
    lines = ["- new order", f"  stock of {'s' * 136}", *[f"  stock of {STOCK}"] * 11]
    assert len("\n".join(lines)) == 1_831
    shown, left = ([f"  note: {'x' * length}"], 11) if is_shown else ([], 12)
    cut = [*lines, *shown, f"  … and {left} more lines: see the preview"]
    assert question([first, first]).splitlines() == [ASKED, *cut, *cut]


def test_of_a_plan_without_any_room_its_own_line_is_there() -> None:
    plans = [plan(f"{number:02} {'x' * 200}") for number in range(40)]
    asked = question(plans).splitlines()
    assert asked == [ASKED, *(f"- {number:02} {'x' * 136}…" for number in range(40))]


def test_of_plans_that_have_nearly_no_room_what_is_left_out_is_counted() -> None:
    plans = [plan(f"{number:02} {'x' * 200}", advisory=["a", "b"]) for number in range(40)]
    asked = question(plans).splitlines()
    assert asked[1:3] == [f"- 00 {'x' * 136}…", "  … and 2 more lines: see the preview"]


def test_the_room_of_a_question_is_a_screen() -> None:
    assert LONGEST == 4_000
