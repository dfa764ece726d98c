"""What an adjustment does to the stock of its location, at which cost, and what of it speaks against that."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cache_core.records import RecordId
from katana_mcp.documents.declaration import Part
from katana_mcp.documents.gathering import references
from katana_mcp.documents.goods import goods_line, row_moves
from katana_mcp.documents.trace_checks import trace_checks
from katana_mcp.documents.tracking import TRACEABILITY, TracedRow, with_stock, with_traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, look_up
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import StockMove, read_levels

ROWS, PLACE, REASON = "stock_adjustment_rows", "location_id", "reason"
_DECIMALS = 10
"""As many as a cost has that can be given: an average has more."""


def read(adjustment: State, _: Facts) -> State:
    """Return an adjustment with the batches and serial numbers of its rows as a request gives them."""
    return with_traces(adjustment, ROWS)


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the names of goods and locations, the stock and the currency, where stock moves."""
    facts, places = change.facts, [change.old.get(PLACE), change.new.get(PLACE)]
    if not _moves_stock(change):
        return facts
    goods = [variant for row in rows(change.subject, ROWS) if (variant := get_int(row, "variant_id"))]
    if change.before is not None:
        await current(services, ("location", *VARIANT_ENTITIES), ("location", "variant"))
        named = [*(("variant", product) for product in goods), *(("location", place) for place in places)]
        pairs = [(entity, key) for entity, key in named if isinstance(key, int)]
        facts = replace(facts, references={**facts.references, **await references(services, pairs)})
    facts = await with_stock(facts, _traced(change), services)
    await current(services, FACTORY, ())
    names = await look_up(services.cache, {"factory": ()})
    return replace(facts, names=names, levels=await read_levels(services, goods))


def _moves_stock(change: Transition) -> bool:
    return change.before is None or change.after is None or PLACE in change.head


def settle(before: State | None, after: State) -> State:
    """Return an adjustment with a reason that is cleared as an empty one: null is refused."""
    return {**after, REASON: after[REASON] or ""} if before is not None and REASON in after else after


def described(change: Transition) -> str:
    """Return where it is and how many rows it has."""
    asked = change.asked.get(PLACE) if change.before is None else change.old.get(PLACE)
    location = change.facts.one("location", asked) or change.facts.with_id("location", asked)
    return f" at {asked if location is None else location.called} (rows: {len(rows(change.subject, ROWS))})"


def currency(change: Transition) -> str | None:
    """Return the base currency, in which costs are."""
    return change.facts.names.base_currency()


def costed_line(change: Transition, row: State) -> PlanLine | None:
    """Return a row with its variant and its cost."""
    line, cost = goods_line(change, row), number(row, "cost_per_unit")
    if line is None or cost is None or line.quantity is None:
        return line
    return line.model_copy(update={"price": cost, "total": cost * line.quantity})


def again(part: Part, adjusted: Mapping[RecordId, State], _: State) -> dict[RecordId, dict[str, object]]:
    """Return the arguments that adjust the same once more; what goes has no cost to give."""
    names = {field.name: field.arg for field in part.fields}
    found: dict[RecordId, dict[str, object]] = {}
    for key, row in adjusted.items():
        found[key] = {arg: row[name] for name, arg in names.items() if row.get(name) not in (None, [])}
        cost = number(row, "cost_per_unit")
        if cost is not None:
            found[key]["cost_per_unit"] = round(cost, _DECIMALS)
        if (number(row, "quantity") or 0) < 0:
            found[key].pop("cost_per_unit", None)
    return found


def moves(change: Transition) -> list[StockMove]:
    """Return what becomes of the stock: what was adjusted at the old location comes back, at the new one it counts."""
    path = "rows[{}].quantity" if change.before is None else PLACE
    goes = row_moves(replace(change, after=None), ROWS, {PLACE: -1}, path) if change.before else ()
    comes = row_moves(change, ROWS, {PLACE: 1}, path) if change.after else ()
    return [*goes, *comes] if _moves_stock(change) else []


def is_sendable(change: Transition) -> bool:
    """Return whether Katana takes it: a row of nothing cannot be said to it, nor the cost of what goes."""
    return change.before is not None or all(
        (quantity := number(row, "quantity")) and (quantity > 0 or row.get("cost_per_unit") is None)
        for row in rows(change.new, ROWS)
    )


def _traced(change: Transition) -> list[TracedRow]:
    """Return the rows of a new adjustment: what they take away has to be there."""
    place, held = get_int(change.new, PLACE), rows(change.new, ROWS) if change.before is None else []
    return [
        TracedRow(f"rows[{nr}].{TRACEABILITY}", row, place, leaves=(number(row, "quantity") or 0) < 0)
        for nr, row in enumerate(held)
    ]


def _of_rows(change: Transition) -> Iterator[ToolWarning]:
    """Yield what is wrong with new rows."""
    for nr, row in enumerate(rows(change.new, ROWS) if change.before is None else ()):
        path, quantity = f"rows[{nr}]", number(row, "quantity") or 0
        if quantity == 0:
            message = f"{path}.quantity is 0: give a quantity above or below 0"
            yield blocking(warning_codes.INVALID_QUANTITY, message, f"{path}.quantity")
        if quantity < 0 and "cost_per_unit" in row:
            message = f"{path}.cost_per_unit: stock is removed at its average cost; leave the cost out"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, f"{path}.cost_per_unit")
    yield from trace_checks(change, _traced(change))


def _of_moved(change: Transition) -> Iterator[ToolWarning]:
    """Yield that it is not certain what Katana does to stock that was adjusted."""
    if change.before is None or not _moves_stock(change):
        return
    called = f"stock adjustment {change.old.get('id')}"
    why = "is not certain, so check the stock afterwards; the safe correction is a new, opposite adjustment"
    does = "undoes its stock change" if change.after is None else "moves its stock change to the other location"
    path = None if change.after is None else PLACE
    yield advisory(warning_codes.STOCK_WAS_MOVED, f"{called}: whether Katana {does} {why}", path)


RULES = (_of_rows, _of_moved)
