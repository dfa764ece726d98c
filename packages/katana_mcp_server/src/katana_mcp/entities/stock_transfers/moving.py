"""What becomes of the stock when a transfer is written, and what of it speaks against that."""

from collections.abc import Iterator
from dataclasses import replace

from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.goods import in_several_rows, row_moves
from katana_mcp.documents.trace_checks import trace_checks
from katana_mcp.documents.tracking import TRACEABILITY, TracedRow, with_stock, with_traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.references.display_names import VARIANT_ENTITIES, text
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove, read_levels, shortages

ROWS = "stock_transfer_rows"
REFUSED = {("received", "inTransit"): " again: its goods have already arrived"}
"""From which status to which Katana refuses to go, and why."""
_MOVED = {"draft": (0, 0), "inTransit": (-1, 0), "received": (-1, 1)}
"""How often what a transfer moves has left its source, and arrived, under each status: from first to last."""
_DATES = ("transfer_date", "expected_arrival_date")
_PLACES = _SOURCE, _ = ("source_location_id", "target_location_id")


def read(transfer: State, _: Facts) -> State:
    """Return a transfer with the batches and serial numbers of its rows as a request gives them."""
    return with_traces(transfer, ROWS)


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the names of goods and locations, and the stock, where a change is about them."""
    facts, subject = change.facts, change.subject
    goods = [variant for row in rows(subject, ROWS) if (variant := get_int(row, "variant_id"))]
    if change.before is None:
        if get_int(subject, _SOURCE) is None:
            return facts
        facts = await with_stock(facts, _traced(change), services)
        return replace(facts, levels=await read_levels(services, goods))
    moves_stock = change.status is not None or (change.after is None and subject.get("status") != "draft")
    named: list[Asked] = []
    if moves_stock:
        await current(services, ("location",), ("location",))
        named += [("location", place) for name in _PLACES if (place := get_int(subject, name)) is not None]
    if change.after is None or "status" in change.asked:
        await current(services, VARIANT_ENTITIES, ("variant",))
        named += [("variant", product) for product in goods]
    facts = await with_stock(facts, _traced(change), services)
    levels = await read_levels(services, goods) if moves_stock else facts.levels
    return replace(facts, references=await references(services, named), levels=levels)


def described(change: Transition) -> str:
    """Return from where to where a new transfer goes, and how much of a document goes."""
    if change.before is not None:
        return f" ({change.before.get('status')}, rows: {len(rows(change.before, ROWS))})"
    places = [change.asked[name] for name in ("source_location_id", "destination_location_id")]
    found = [change.facts.one("location", place) for place in places]
    source, target = (str(asked) if one is None else one.called for asked, one in zip(places, found, strict=True))
    return f" from {source} to {target}"


def moves(change: Transition) -> list[StockMove]:
    """Return what becomes of the stock; a new transfer moves none yet, and a deleted one has what a draft has."""
    was, becomes = str(change.old.get("status")), "draft" if change.after is None else change.status
    if change.before is None or becomes is None or (was, becomes) in REFUSED:
        return []
    now, then = (_MOVED.get(status, (0, 0)) for status in (was, becomes))
    times = {name: after - before for name, before, after in zip(_PLACES, now, then, strict=True)}
    return list(row_moves(change, ROWS, times, "status"))


def _traced(change: Transition) -> list[TracedRow]:
    """Return the rows of a new transfer, or of a draft that is sent: what they name has to lie at its source."""
    source, is_new = get_int(change.subject, _SOURCE), change.before is None
    leaves = change.old.get("status") == "draft" and change.status is not None
    held = rows(change.subject, ROWS) if is_new or leaves else []
    return [TracedRow(f"rows[{nr}].{TRACEABILITY}" if is_new else "status", row, source) for nr, row in enumerate(held)]


def _of_new(change: Transition) -> Iterator[ToolWarning]:
    """Yield what speaks against a new transfer: once it is sent, what it moves leaves the source."""
    if change.before is not None:
        return
    source, target = (change.new.get(name) for name in _PLACES)
    place = change.facts.with_id("location", source)
    if place is not None and source == target:
        message = f"goods cannot move from {place.called} to itself: name another destination"
        yield blocking(warning_codes.SAME_SOURCE_DESTINATION, message, "destination_location_id")
    for nr, row in enumerate(rows(change.new, ROWS)):
        if number(row, "quantity") == 0:
            message = f"rows[{nr}].quantity is 0: give a quantity above 0, or leave the row out"
            yield blocking(warning_codes.INVALID_QUANTITY, message, f"rows[{nr}].quantity")
    yield from trace_checks(change, _traced(change))
    yield from shortages(row_moves(change, ROWS, {_SOURCE: -1}, "rows[{}].quantity"), change.facts.levels)


def _of_status(change: Transition) -> Iterator[ToolWarning]:
    """Yield that goods go back, or that nobody knows whether they do."""
    was, becomes = str(change.old.get("status")), change.status
    called = f"stock transfer {text(change.old, 'stock_transfer_number') or change.old.get('id')} is {was}"
    if change.before is not None and change.after is None and was != "draft":
        message = "it is not certain that Katana moves the goods back, so check both locations afterwards"
        yield advisory(warning_codes.STOCK_WAS_MOVED, f"{called}: {message}")
    if change.before is not None:
        found = trace_checks(change, _traced(change))
        yield from (warning.model_copy(update={"severity": "advisory"}) for warning in found)
    order = list(_MOVED)
    goes_back = becomes is not None and was in order and order.index(becomes) < order.index(was)
    if goes_back and (was, becomes) not in REFUSED:
        message = f"{called}: as {becomes}, its goods go back to the source location"
        yield advisory(warning_codes.STATUS_MOVES_BACK, message, "status")


def _of_dates(change: Transition) -> Iterator[ToolWarning]:
    """Yield that goods are expected before the day on which they leave."""
    leaves, arrives = (text(change.new, name) for name in _DATES)
    if leaves is None or arrives is None or not change.asked.keys() & {*_DATES}:
        return
    left, came = change.facts.days.day(leaves), change.facts.days.day(arrives)
    if came < left:
        message = f"{_DATES[1]}: the goods would arrive on {came}, before they leave on {left}"
        yield advisory(warning_codes.PAST_ARRIVAL_DATE, message, _DATES[1])


RULES = (_of_new, in_several_rows(ROWS), _of_status, _of_dates)
