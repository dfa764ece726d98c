"""Where the question to the person begins to leave something out, to the line and to the character."""

from dataclasses import replace

import pytest
from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import Plan
from katana_mcp.writing.confirmation_text import LONGEST, question


def plan(**shown: object) -> Plan:
    """Return a plan with this preview."""
    return replace(plan_of("token", ManualClock()), summary="new order", shown=shown)


def lines(**shown: object) -> list[str]:
    """Return what is asked about a plan, below the plan's own line."""
    asked = question([plan(**shown)]).splitlines()
    assert asked[:2] == ["Write this to Katana?", "- new order"]
    return asked[2:]


def test_about_no_plans_only_the_question_itself_is_asked() -> None:
    assert question([]) == "Write this to Katana?"
    assert question([plan(), plan()]) == "Write this to Katana?\n- new order\n- new order"


@pytest.mark.parametrize("count", [11, 12, 13, 14])
def test_twelve_of_a_kind_are_shown_and_the_rest_is_counted(count: int) -> None:
    names = [str(nr) for nr in range(count)]
    kept = names[:12]
    more = count - len(kept)

    def listed(texts: list[str], what: str) -> list[str]:
        return [*texts, *([f"  … and {more} more {what}"] if more else [])]

    assert lines(stock=names) == listed([f"  stock of {name}" for name in kept], "stock figures")
    assert lines(advisory=names) == listed([f"  note: {name}" for name in kept], "notes")
    changes = [{"field": name, "new": "x"} for name in names]
    assert lines(changes=changes) == listed([f"  {name}: (none) → x" for name in kept], "changes")
    cheap_first = [{"sku": name, "total": nr} for nr, name in enumerate(names)]
    shown = names if count <= 12 else names[::-1][:12]
    assert lines(lines=cheap_first) == listed([f"  {name}" for name in shown], "lines")


def test_a_line_without_a_total_costs_nothing() -> None:
    rows: list[dict[str, object]] = [{"sku": str(nr)} for nr in range(12)]
    dear = [{"sku": "half", "total": 0.5}, {"sku": "owed", "total": -1}, {"sku": "text", "total": "9"}]
    assert lines(lines=[dear[1], *rows, *dear[::2]])[:3] == ["  half", "  0", "  1"]
    assert lines(lines=[dear[1], *rows, *dear[::2]])[-1] == "  … and 3 more lines"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ({"sku": "B", "name": "bolt", "variant_id": 7}, "B"),
        ({"name": "bolt", "variant_id": 7}, "bolt"),
        ({"variant_id": 7}, "7"),
        ({}, "?"),
        ({"sku": "B", "is_shared": True, "name": "bolt", "variant_id": 7}, "B (bolt, variant 7)"),
        ({"sku": "B", "is_shared": True}, "B (no name, variant ?)"),
        ({"sku": "B", "is_shared": False, "name": "bolt"}, "B"),
        ({"sku": "B", "unit": "kg"}, "B"),
        ({"sku": "B", "quantity": 0, "price": 0}, "B \N{MULTIPLICATION SIGN} 0 @ 0"),
        ({"sku": "B", "change": "delete", "location": "North"}, "delete B at North"),
    ],
)
def test_a_line_says_what_it_is_of_and_what_becomes_of_it(line: dict[str, object], text: str) -> None:
    assert lines(lines=[line]) == [f"  {text}"]


@pytest.mark.parametrize(("length", "shown"), [(80, "x" * 80), (81, f"{'x' * 79}…"), (0, "")])
def test_a_value_of_eighty_characters_is_shown_whole(length: int, shown: str) -> None:
    assert lines(changes=[{"field": "x" * length, "old": "a", "new": "b"}]) == [f"  {shown}: a → b"]


@pytest.mark.parametrize(("length", "shown"), [(140, "x" * 140), (141, f"{'x' * 139}…")])
def test_a_note_of_a_hundred_and_forty_characters_is_shown_whole(length: int, shown: str) -> None:
    assert lines(advisory=["x" * length]) == [f"  note: {shown}"]


def test_the_last_line_but_one_leaves_room_for_saying_what_is_left_out() -> None:
    long, short = {"field": "f" * 80, "old": "o" * 80, "new": "n" * 80}, {"field": "f", "old": "o", "new": "n"}
    changes = [long] * 11 + [short]
    room = LONGEST - len(question([plan(changes=changes)])) - len("\n  note: ")
    notes, rest = divmod(room, 140 + len("\n  note: "))
    asked = question([plan(advisory=[*["x" * 140] * notes, "y" * (rest + 1)], changes=changes)])
    assert asked.splitlines()[-1] == "  … and 2 more lines: see the preview"
    assert len(asked) <= LONGEST
    whole = question([plan(advisory=[*["x" * 140] * notes, "y" * rest], changes=changes)])
    assert (whole.splitlines()[-1], len(whole)) == ("  f: o → n", LONGEST)


def test_what_is_no_list_and_no_object_is_not_shown() -> None:
    assert lines(stock="x", advisory=None, changes=["x"], lines=[7]) == []
