"""What speaks against a count, and what has to be known of it: lines misread, goods that moved, what is not counted."""

from collections.abc import Iterator

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.deleting import delete_checks
from katana_mcp.entities.stocktakes.counting.reading import (
    BUSY,
    STOCKTAKE,
    is_marked,
    location_of,
    place_of,
)
from katana_mcp.entities.stocktakes.counting.request import CountStockRequest
from katana_mcp.entities.stocktakes.counting.sheet import Sheet, sheet_of
from katana_mcp.entities.stocktakes.counting.steps import HEAD
from katana_mcp.references import wording
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info, truncated
from katana_mcp.values import EMPTY, get_bool
from katana_mcp.writing.meaning import model_of, same

_FEW = 10


def checks(request: CountStockRequest, facts: Facts) -> list[ToolWarning]:
    """Return it; what a count does is told only where it is certain what is meant."""
    if request.delete:
        return [*delete_checks(request, facts)]
    wrong = [*_of_stocktake(request, facts), *_of_place(request, facts)]
    if any(warning.severity == "blocking" for warning in wrong):
        return wrong
    sheet = sheet_of(request, facts)
    return [*wrong, *_of_lines(sheet), *_of_goods(sheet), *_of_rest(sheet)]


def _of_stocktake(request: CountStockRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is wrong with the stocktake."""
    record = facts.record
    if record is None:
        if facts.numbered is not None:
            yield from wording.number_checks(STOCKTAKE, "stocktake_number", request.stocktake_number, facts.numbered)
        return
    called = f"stocktake {text(record, 'stocktake_number') or record.get('id')}"
    yield from check_not_deleted(called, record, "stocktake_id", deleted=facts.deleted)
    if request.stocktake_number is not None:
        message = "stocktake_number is that of a new stocktake: leave it out, or leave out stocktake_id"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "stocktake_number")
    if record.get("status") == "COMPLETED":
        message = f"{called} is completed and cannot be counted any more: count in another one"
        yield blocking(warning_codes.LOCKED, message, "stocktake_id")
    if get_bool(record, BUSY):
        message = f"Katana is still working on the status of {called}: ask again in a minute"
        yield blocking(warning_codes.KATANA_UNAVAILABLE, message, "stocktake_id")


def _of_place(request: CountStockRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is wrong with the location, and with the names of what is to be counted."""
    if request.location_id is None and facts.record is None:
        yield blocking(warning_codes.INVALID_ARGUMENT, "location_id is needed: where to count", "location_id")
    if request.location_id is not None:
        named = facts.references["location", request.location_id]
        yield from wording.unnamed("location", named, "location_id")
        at = location_of(request, facts)
        if named.one is not None and named.one.id != at:
            mine = facts.with_id("location", at)
            message = f"location_id: the stocktake is at {at if mine is None else mine.called}"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, "location_id")
    for nr, key in enumerate(request.skus_or_variant_ids or ()):
        yield from wording.unnamed("variant", facts.references["variant", key], f"skus_or_variant_ids[{nr}]")


def _of_lines(sheet: Sheet) -> Iterator[ToolWarning]:
    """Yield lines that were not understood, or that count the same."""
    place = place_of(sheet.facts)
    if place.heading is not None:
        yield info(warning_codes.PARTIAL_MATCH, f"line 1 is taken for a heading: {place.heading[:80]!r}", "table")
    nothing = sheet.request.table is not None and not place.lines
    is_new = sheet.facts.record is None
    if nothing or (is_new and sheet.request.complete and all(entry.counted is None for entry in sheet.entries)):
        message = "nothing is counted: give a line of SKU, quantity and, if any, batch for each"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "table" if nothing else "complete")
    if sheet.unread:
        few = "; ".join(f"{line.where}: {line.why}" for line in sheet.unread[:_FEW])
        message = f"{len(sheet.unread)} of {so_many(len(place.lines), 'line')} not understood and not planned: {few}"
        is_over = sheet.request.complete or not sheet.entries or _is_as_it_is(sheet)
        said = blocking if is_over else advisory
        how = ": correct them before it is completed" if sheet.request.complete else ""
        yield said(warning_codes.MISREAD_LINES, f"{message}{how}", sheet.unread[0].path)
    if sheet.doubled:
        message = f"several lines count the same and are summed: {'; '.join(sheet.doubled[:_FEW])}"
        yield advisory(warning_codes.DUPLICATE_ROW, message, "table" if sheet.request.table else "counts")


def _of_goods(sheet: Sheet) -> Iterator[ToolWarning]:
    """Yield goods that moved since counting began, and those of which not all can be told."""
    place = place_of(sheet.facts)
    moved = {entry.variant: place.moved[entry.variant] for entry in sheet.entries if entry.variant in place.moved}
    if moved:
        began = text(sheet.facts.record or EMPTY, "started_date")
        few = ", ".join(
            f"{sheet.called(key)} {'+' if change > 0 else ''}{plain_number(change)}"
            for key, change in [*moved.items()][:_FEW]
        )
        message = (
            f"{len(moved)} moved since counting began ({began}): {few}. Katana books what was counted less what was"
        )
        how = "in stock then: if you counted after the move, take the move out of the count, or it is booked twice"
        yield advisory(warning_codes.MOVED_SINCE_COUNT, f"{message} {how}")
    by_number = [
        entry.variant for entry in sheet.planned if is_marked(sheet.facts.names, entry.variant, "serial_tracked")
    ]
    if by_number:
        few = ", ".join(sheet.called(number) for number in by_number[:_FEW])
        message = f"a stocktake has no serial numbers: enter the missing ones of {few} in Katana"
        yield advisory(warning_codes.SERIAL_NUMBERS_REQUIRED, message)
    unknown = [entry for entry in sheet.booked if entry.difference and entry.value is None]
    if unknown:
        few = ", ".join(sheet.called(entry.variant) for entry in unknown[:_FEW])
        message = f"the value of the difference is unknown, because there is no average cost: {few}"
        yield advisory(warning_codes.STOCK_UNKNOWN, message)
    if sheet.unlisted:
        few = ", ".join(sheet.called(number) for number in sheet.unlisted[:_FEW])
        message = (
            f"{len(sheet.unlisted)} are tracked by batch but have no batch there, so they are not on the list: {few}"
        )
        yield advisory(warning_codes.UNCOUNTED_ROWS, message)
    if not place.is_whole:
        yield truncated("not all levels of the location were read: the list of uncounted goods is incomplete")


def _of_rest(sheet: Sheet) -> Iterator[ToolWarning]:
    """Yield what is left to another plan, what is not counted, and that nothing would change."""
    if sheet.left:
        held = len(sheet.planned)
        message = f"one plan holds {held} rows here: {sheet.left} are left, and the status stays until all are in"
        goes_on = f"stocktake_id={sheet.number!r}"
        yield truncated(f"{message}; the same call with {goes_on} plans them once this plan is applied")
    elif sheet.request.complete:
        yield from _uncounted(sheet)
    if _is_as_it_is(sheet) and not sheet.unread:
        message = f"stocktake {sheet.number} already has these counts: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)
    if sheet.facts.record is None and not sheet.entries and not sheet.unread:
        message = "nothing of this is in stock there, so there is nothing to count"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)


def _uncounted(sheet: Sheet) -> Iterator[ToolWarning]:
    """Yield rows that nobody counted: their stock stays, or is set to nothing where the stocktake says so."""
    rows = [entry for entry in sheet.entries if entry.counted is None]
    if not rows:
        return
    is_none = bool(get_bool(sheet.facts.record or EMPTY, "set_remaining_items_as_counted"))
    few = ", ".join(sheet.called(row.variant) for row in rows[:_FEW])
    what = "are booked as 0, because the stocktake says so" if is_none else "keep their stock"
    yield advisory(warning_codes.UNCOUNTED_ROWS, f"{len(rows)} rows have no count and {what}: {few}", "complete")


def _is_as_it_is(sheet: Sheet) -> bool:
    """Return whether nothing of a stocktake would change."""
    is_same = sheet.facts.record is not None and not sheet.planned and sheet.status == sheet.now
    return is_same and not _head_differs(sheet)


def _head_differs(sheet: Sheet) -> bool:
    record, model = sheet.facts.record or EMPTY, model_of("stocktakes")
    given = {name: getattr(sheet.request, name) for name in HEAD if name in sheet.request.model_fields_set}
    return any(not same(model, name, value, record.get(name)) for name, value in given.items())
