"""How purchase orders are shown: rows and costs as lines, what they come to, and what goes with a deleted one."""

from collections.abc import Mapping, Sequence

from katana_mcp.documents.shown import in_words
from katana_mcp.documents.transition import State, Transition, Unknown
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, called, good_of, sku, tax_rate, unit_of
from katana_mcp.entities.purchase_orders.reading import BILLS
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS
from katana_mcp.references.display_names import text
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.totals import Totals, totals_of


def row_line(change: Transition, row: State) -> PlanLine:
    """Return a row as a plan shows it, with its location where that is not its order's."""
    facts, asked, place = change.facts, row.get("variant_id"), row.get("location_id")
    variant = facts.with_id("variant", asked)
    quantity, price = number(row, "quantity"), number(row, "price_per_unit")
    is_home = place is None or place == change.subject.get("location_id")
    return PlanLine(
        variant_id=get_int(row, "variant_id"),
        sku=str(asked.asked) if isinstance(asked, Unknown) else None if variant is None else variant.sku,
        is_shared=None if variant is None else variant.is_shared or None,
        name=None if variant is None else variant.name,
        quantity=quantity,
        unit=unit_of(facts, row, good_of(facts, row), quantity),
        price=price,
        total=None if quantity is None or price is None else quantity * price,
        tax_rate=tax_rate(facts, row),
        location=None if is_home else named(change, "location", place),
    )


def named(change: Transition, entity: str, value: object) -> str | None:
    """Return what people call a record, or what was asked for where no item with this code or name was found."""
    return str(value.asked) if isinstance(value, Unknown) else called(change.facts, entity, value)


def cost_line(change: Transition, cost: State) -> PlanLine:
    """Return a cost as a plan shows it, among the rows."""
    name = named(change, "additional_cost", cost.get("additional_cost_id")) or text(cost, "name") or ""
    price = number(cost, "price")
    return PlanLine(
        name=f"additional cost {name}".strip(), price=price, total=price, tax_rate=tax_rate(change.facts, cost)
    )


def row_title(change: Transition, row: State) -> str:
    """Return a row in the title of what is done to it."""
    place = row.get("location_id") if "id" not in row else None
    return sku(change, row) if place is None else f"{sku(change, row)} for {called(change.facts, 'location', place)}"


def cost_title(change: Transition, cost: State) -> str:
    """Return a cost in the title of what is done to it."""
    return called(change.facts, "additional_cost", cost.get("additional_cost_id")) or str(cost.get("name"))


def totals(lines: Mapping[str, Sequence[PlanLine]]) -> Totals:
    """Return what rows and costs come to."""
    return totals_of(lines[ROWS], lines[COSTS])


def described(change: Transition) -> str:
    """Return from whom to where a new order goes, and how much of an old one goes."""
    if change.before is not None:
        return f" ({change.before.get('status')}, rows: {len(rows(change.before, ROWS))})"
    supplier, place = (named(change, name, change.new.get(f"{name}_id")) for name in ("supplier", "location"))
    return f" from {supplier} to {place} (rows: {len(rows(change.new, ROWS))})"


def linked(change: Transition) -> tuple[str, ...]:
    """Return the bills of an order that goes, and how many ingredients its rows have."""
    if change.after is not None:
        return ()
    beside = change.facts.beside
    count = len(beside.get(INGREDIENTS, ()))
    return (*bills(change), *([f"ingredients of its outsourced rows: {count}"] if count else []))


def bills(change: Transition) -> list[str]:
    """Return the bills of an order."""
    found = change.facts.beside.get(BILLS, ())
    return [f"bill {text(record, 'bill_id') or record.get('id')}" for record in found]


def rows_in_words(found: Sequence[State], change: Transition) -> str:
    """Return rows in words: `2 box (12 pcs) of FORK, 4 pcs of WHEEL`."""
    return in_words(row_line, found, change)
