"""In an answer, days are days of the factory and sentences name them, at whatever depth; other moments stay."""

from typing import Any

from katana_mcp.surface.factory_days import with_zone
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.days import Days, days_in
from katana_mcp.tools.warnings import ToolWarning, advisory

MOMENT = "2026-03-04T22:00:00.000Z"
DAY = "2026-03-05"


class Row(Answer):
    """A row with a day, a sentence, a moment and an amount."""

    due_date: str | None = None
    message: str | None = None
    updated_at: str | None = None
    quantity: Number | None = None


class Listing(Envelope):
    """Rows, one beside them, and a warning inside."""

    rows: list[Row] | None = None
    row: Row | None = None
    said: list[ToolWarning] | None = None


class InRiga:
    """What of services the days of an answer need."""

    days: Days = days_in("Europe/Riga")


def test_days_and_sentences_are_the_factorys_at_every_depth_and_moments_stay() -> None:
    row = Row(due_date=MOMENT, message=f"late since {MOMENT}", updated_at=MOMENT)
    warning = advisory("late", f"late since {MOMENT}")
    services: Any = InRiga()
    answer = Listing(as_of=MOMENT, rows=[row, Row()], row=row, said=[warning], warnings=[warning])
    shown = {"due_date": DAY, "message": f"late since {DAY}", "updated_at": MOMENT}
    assert with_zone(answer, services) == {
        "as_of": MOMENT,
        "time_zone": "Europe/Riga",
        "rows": [shown, {}],
        "row": shown,
        "said": [warning.model_copy(update={"message": f"late since {DAY}"}).model_dump(exclude_none=True)],
        "warnings": [warning.model_copy(update={"message": f"late since {DAY}"}).model_dump(exclude_none=True)],
        "next_actions": [],
    }
