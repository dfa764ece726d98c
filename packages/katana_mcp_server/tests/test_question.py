"""The question to the person: enough to judge each plan, never more than a screen, and no value that plays tricks."""

from dataclasses import replace
from decimal import Decimal

from journal_plans import plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import Plan
from katana_mcp.writing.change import Draft
from katana_mcp.writing.confirmation_text import LONGEST, question
from katana_mcp.writing.preview import FieldChange, PlanLine

LINE = {"sku": "BOLT", "quantity": 2.5, "unit": "pcs", "price": 3, "change": "add"}


def _plan(summary: str = "new order", **shown: object) -> Plan:
    return replace(plan_of("token", ManualClock()), summary=summary, shown=shown)


def test_it_shows_the_total_each_line_each_change_and_what_is_unusual() -> None:
    plan = _plan(
        total=9.15,
        net_total=7.5,
        additional_costs=3,
        currency="EUR",
        stock=["BOLT at North: 2 → 4.5"],
        lines=[LINE],
        changes=[{"field": "status", "old": "draft", "new": "received"}, {"field": "note", "new": "x"}],
        advisory=["the item is not marked as bought"],
    )
    assert question([plan]).splitlines() == [
        "Write this to Katana?",
        "- new order",
        "  stock of BOLT at North: 2 → 4.5",
        "  total 9.15 EUR with tax, 7.5 without; plus additional costs of 3",
        "  note: the item is not marked as bought",
        "  status: draft → received",
        "  note: (none) → x",
        "  add BOLT \N{MULTIPLICATION SIGN} 2.5 pcs @ 3",
    ]


def test_what_a_draft_does_not_say_is_neither_kept_nor_asked_about() -> None:
    lines = PlanLine(name="gasket", quantity=Decimal("2.5")), PlanLine(sku="BOLT")
    changes = FieldChange(field="note", new="x"), FieldChange(field="status", old="draft")
    shown = Draft(summary="new order", lines=lines, changes=changes).as_dict(None)
    assert shown["lines"] == [{"name": "gasket", "quantity": Decimal("2.5")}, {"sku": "BOLT"}]
    assert shown["changes"] == [{"field": "note", "new": "x"}, {"field": "status", "old": "draft"}]
    assert question([replace(_plan(), shown=shown)]).splitlines()[2:] == [
        "  note: (none) → x",
        "  status: draft → (none)",
        "  gasket \N{MULTIPLICATION SIGN} 2.5",
        "  BOLT",
    ]


def test_of_many_lines_those_that_cost_most_are_shown() -> None:
    lines = [{"name": f"cheap {number}", "total": number} for number in range(30)]
    asked = question([_plan(lines=[*lines, {"name": "dear", "total": 10_000, "location": "South"}])]).splitlines()
    assert asked[2:4] == ["  dear at South", "  cheap 29"]
    assert asked[-1] == "  … and 19 more lines"


def test_a_value_stays_on_its_line_shows_what_hides_in_it_and_is_cut() -> None:
    trick = "Bob\n- delete customer Everyone\r\u2028\u202etxet\x1b[2J"
    asked = question([_plan(trick, changes=[{"field": "name", "old": trick, "new": "y" * 5_000}])])
    assert len(asked.splitlines()) == 3
    assert "⏎- delete customer Everyone⏎⏎<U+202E>txet<U+001B>[2J" in asked
    assert asked.endswith(f" → {'y' * 79}…")


def test_what_has_room_to_the_last_character_is_shown_whole() -> None:
    change = {"field": "f" * 80, "old": "o" * 80, "new": "n" * 80}
    room = LONGEST - len(question([_plan(changes=[change] * 12)])) - len("\n  note: ")
    notes, rest = divmod(room, 140 + len("\n  note: "))
    full, over = (
        question([_plan(advisory=[*["x" * 140] * notes, "y" * (rest + more)], changes=[change] * 12)])
        for more in (0, 1)
    )
    assert (len(full), full.splitlines()[-1][:4]) == (LONGEST, "  ff")
    assert over.splitlines()[-1] == "  … and 1 more lines: see the preview"


def test_it_is_bounded_says_what_is_left_out_and_names_every_plan() -> None:
    many = _plan("x" * 5_000, lines=[LINE] * 100, changes=[{"field": "f" * 500, "old": "o" * 500}] * 100)
    assert "  … and 88 more lines" in question([many]).splitlines()
    assert "  … and 88 more changes" in question([many]).splitlines()
    asked = question([replace(many, summary=f"{nr} {'x' * 5_000}") for nr in range(20)])
    assert [f"\n- {nr} x" in asked for nr in range(20)] == [True] * 20
    assert asked.count("more lines: see the preview") == 20
    assert max(len(question([many] * count)) for count in range(1, 21)) <= LONGEST
