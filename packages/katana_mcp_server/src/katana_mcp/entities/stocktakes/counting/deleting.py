"""A stocktake deleted with the adjustment that it has made: the stock is then as without it."""

from collections.abc import Iterator

from cache_core.records import Record
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.reading import ADJUSTMENT, STOCKTAKE, place_of
from katana_mcp.entities.stocktakes.counting.request import CountStockRequest
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import EMPTY, get_int, rows
from katana_mcp.writing.actions import Action, on_record
from katana_mcp.writing.change import Draft, record_lane

_ONE_WAY = "its counts are in prior_state: count_stock makes another stocktake of them"


def delete_plan(request: CountStockRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    record, adjustment = facts.record or EMPTY, place_of(facts).adjustment
    key, called = get_int(record, "id") or 0, _called(facts)
    is_lawful = not any(check.severity == "blocking" for check in delete_checks(request, facts))
    actions = [] if adjustment is None else [_delete_adjustment(facts)]
    actions.append(on_record(f"delete {called}", STOCKTAKE, "stocktakes", key))
    lanes = [(STOCKTAKE, key), *([] if adjustment is None else [(ADJUSTMENT, get_int(adjustment, "id") or 0)])]
    along = "" if adjustment is None else f" and stock adjustment {_number(adjustment)}, which it made"
    held = list(facts.beside.get(ROWS, ()))
    return Draft(
        summary=f"delete {called}{along}",
        actions=tuple(actions) if is_lawful else (),
        touches={STOCKTAKE: record, ROWS: held, ADJUSTMENT: adjustment},
        lanes=tuple(record_lane(*lane) for lane in lanes),
        id=get_int(record, "id"),
        number=text(record, "stocktake_number"),
        status=text(record, "status"),
        linked=() if adjustment is None else (f"stock adjustment {_number(adjustment)}: deleted too",),
        prior_state={**record, ROWS: held, **({} if adjustment is None else {ADJUSTMENT: adjustment})},
        one_way=_ONE_WAY,
    )


def delete_checks(request: CountStockRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what speaks against it."""
    if facts.record is None:
        yield blocking(warning_codes.INVALID_ARGUMENT, "delete needs stocktake_id: which one", "stocktake_id")
        return
    given = sorted(request.model_fields_set - {"delete", "stocktake_id"})
    if given:
        message = f"delete goes with stocktake_id alone: leave out {', '.join(given)}"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, given[0])
    yield from check_not_deleted(_called(facts), facts.record, "stocktake_id", deleted=facts.deleted)
    adjustment = place_of(facts).adjustment
    if adjustment is not None:
        count = len(rows(adjustment, "stock_adjustment_rows"))
        message = f"stock adjustment {_number(adjustment)} ({so_many(count, 'row')}) is deleted too"
        why = "it is not certain that Katana undoes its stock change, so check the stock afterwards"
        yield advisory(warning_codes.STOCK_WAS_MOVED, f"{message}: {why}", "delete")


def _delete_adjustment(facts: Facts) -> Action:
    adjustment = place_of(facts).adjustment or EMPTY
    title = f"delete stock adjustment {_number(adjustment)}, which {_called(facts)} made"
    return on_record(title, ADJUSTMENT, "stock_adjustments", get_int(adjustment, "id") or 0)


def _number(adjustment: Record) -> str:
    return text(adjustment, "stock_adjustment_number") or str(adjustment.get("id"))


def _called(facts: Facts) -> str:
    record = facts.record or EMPTY
    return f"stocktake {text(record, 'stocktake_number') or record.get('id')}"
