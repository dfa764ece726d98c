"""What a person is shown of a correction: the productions as they would be, other amounts, and the stock in the end."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.traces import in_batches
from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.manufacturing_orders.correcting.goal import MADE_OF, RECIPE, ROW, RUNS, made
from katana_mcp.entities.manufacturing_orders.correcting.request import MADE
from katana_mcp.entities.manufacturing_orders.producing import moved
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.preview import FieldChange, field_in_words
from katana_mcp.writing.stock_moves import StockMove


def moves(change: Transition, before: State, goal: State) -> list[StockMove]:
    """Return what becomes of the stock in the end: what was made and used is undone, and made and used anew."""
    return [*_moves(change, before, -1), *_moves(change, goal, 1)]


def _moves(change: Transition, order: State, times: int) -> Iterator[StockMove]:
    held = rows(order, RECIPE)
    for one in rows(order, RUNS):
        used = [
            {"variant_id": held[get_int(line, ROW) or 0].get("variant_id"), "quantity": line.get("quantity")}
            for line in rows(one, MADE_OF)
        ]
        yield from moved(change.facts, order, {**one, MADE_OF: used}, times, "planned_quantity")


def amount_changes(before: State, goal: State) -> Iterator[FieldChange]:
    """Yield how many are made then, and which ingredients are used from other batches."""
    old, new = (sum(made(order), Decimal(0)) for order in (before, goal))
    if old != new:
        yield FieldChange(field=MADE, old=plain_text(old), new=plain_text(new))
    ids = [row.get("id") for row in rows(goal, RECIPE)]
    for place, row in enumerate(rows(before, RECIPE)):
        then = ids.index(row["id"]) if row["id"] in ids else None
        was, now = (
            "; ".join(batches for line in _lines(order, nr) if (batches := in_batches(line)) is not None) or None
            for order, nr in ((before, place), (goal, then))
        )
        if was != now:
            yield FieldChange(field=f"recipe_rows[id={row['id']}].batches", old=was, new=now)


def _lines(order: State, place: int | None) -> Iterator[State]:
    for one in rows(order, RUNS):
        yield from (line for line in rows(one, MADE_OF) if line[ROW] == place)


def plain_text(amount: Decimal) -> str:
    """Return an amount in words."""
    return str(plain_number(amount))


def productions(goal: State, change: Transition) -> list[str]:
    """Return what each production then made, the oldest first."""
    return [
        f"{plain_text(number(one, 'quantity') or Decimal(0))} on "
        f"{field_in_words('production_date', one.get('production_date'), change.facts.days)}"
        for one in rows(goal, RUNS)
    ]
