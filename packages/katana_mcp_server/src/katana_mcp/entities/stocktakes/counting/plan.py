"""The plan of a count: its rows and statuses step by step, what differs in pieces and in money, and the way back."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal

from cache_core.records import Record, canonical
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.checks import checks
from katana_mcp.entities.stocktakes.counting.deleting import delete_plan
from katana_mcp.entities.stocktakes.counting.entry import Entry
from katana_mcp.entities.stocktakes.counting.reading import STOCKTAKE, location_of, place_of
from katana_mcp.entities.stocktakes.counting.request import CountedLine, CountStockRequest, UncountedGoods
from katana_mcp.entities.stocktakes.counting.sheet import MOST_ROWS, Sheet, sheet_of
from katana_mcp.entities.stocktakes.counting.steps import HEAD, rest
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references.display_names import text
from katana_mcp.references.wording import NamedRecord
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import EMPTY, get_int, number, total
from katana_mcp.writing.actions import JsonObject, Ref
from katana_mcp.writing.change import BACK, BEFORE, GOAL, HAVING, SAGA, USED, Draft, name_lane, number_lane, record_lane
from katana_mcp.writing.preview import FieldChange
from katana_mcp.writing.stock_moves import StockMove, described

TOOL = "count_stock"
_NAMED = 10
_ONE_WAY = "the old counts are in prior_state: the same call with them counts again"


def plan(request: CountStockRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    if request.delete:
        return delete_plan(request, facts)
    sheet = sheet_of(request, facts)
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    saga: JsonObject = {BEFORE: _before(sheet), GOAL: _goal(sheet), BACK: False}
    now: JsonObject = {"record": facts.record, ROWS: list(facts.beside.get(ROWS, ()))}
    key, numbered = get_int(facts.record or EMPTY, "id"), facts.numbered
    shown = [*_shown(sheet)]
    return Draft(
        summary=_summary(sheet),
        actions=tuple(rest(saga, now)) if is_lawful else (),
        touches={SAGA: saga, **_bound(sheet)},
        lanes=_lanes(sheet),
        assigned={} if numbered is None else numbered.assigned("stocktake_number"),
        id=key,
        number=sheet.number,
        status=sheet.status,
        own=_own(sheet, shown),
        lines=tuple(_line(sheet, entry) for entry in shown),
        currency=facts.names.base_currency(),
        changes=tuple(_changes(sheet)),
        stock=described(_moves(sheet), facts.levels) if sheet.is_completed else (),
        prior_state=None if facts.record is None else {**facts.record, ROWS: list(facts.beside.get(ROWS, ()))},
        revert=_back(sheet) if is_lawful else None,
        one_way=_ONE_WAY,
    )


def _at(sheet: Sheet) -> NamedRecord | None:
    return sheet.facts.with_id("location", location_of(sheet.request, sheet.facts))


def _goal(sheet: Sheet) -> Record:
    """Return the stocktake as this plan makes it, with the rows that it writes."""
    request = sheet.request
    given = {name: getattr(request, name) for name in HEAD if name in request.model_fields_set}
    rows = [
        {"variant_id": entry.variant, "batch_id": entry.batch, "counted_quantity": entry.counted}
        for entry in sheet.planned
    ]
    place, number = location_of(request, sheet.facts), sheet.number
    return canonical({**given, "location_id": place, "stocktake_number": number, "status": sheet.status, ROWS: rows})


def _before(sheet: Sheet) -> Record:
    """Return the stocktake as it is, with the rows that it writes."""
    record, numbered = sheet.facts.record, sheet.facts.numbered
    if record is None:
        return canonical({"id": None, "others": list(() if numbered is None else numbered.taken)})
    given = {name: record.get(name) for name in HEAD if name in sheet.request.model_fields_set}
    held = [entry.row for entry in sheet.planned if entry.row is not None]
    return canonical({**given, "id": record.get("id"), "status": record.get("status"), ROWS: held})


def _bound(sheet: Sheet) -> dict[str, object]:
    """Return what the plan depends on: the stocktake with its rows, all that is named, the stock that was counted."""
    facts, at = sheet.facts, _at(sheet)
    goods = [facts.with_id("variant", entry.variant) for entry in sheet.planned if entry.path is not None]
    used = {"variant": goods, "location": [at]}
    named = {entity: [asdict(record) for record in some if record is not None] for entity, some in used.items()}
    others = () if facts.numbered is None else facts.numbered.taken
    counted = [entry for entry in (*sheet.planned, *_differing(sheet)) if entry.counted is not None]
    stock = {f"{entry.variant} {entry.batch or ''}".strip(): entry.held for entry in counted}
    bound: dict[str, object] = {
        USED: {entity: some for entity, some in named.items() if some},
        HAVING: list(others),
        "in_stock": canonical(stock),
    }
    return bound if facts.record is None else {**bound, STOCKTAKE: facts.record, ROWS: list(facts.beside.get(ROWS, ()))}


def _lanes(sheet: Sheet) -> tuple[str, ...]:
    called, key = name_lane(STOCKTAKE, sheet.number), get_int(sheet.facts.record or EMPTY, "id")
    return (called, number_lane(STOCKTAKE)) if key is None else (record_lane(STOCKTAKE, key), called)


def _summary(sheet: Sheet) -> str:
    at, numbered = _at(sheet), sheet.facts.numbered
    called = sheet.number if numbered is None else numbered.called
    counted = sum(entry.counted is not None for entry in sheet.planned)
    done = [f"count {so_many(counted, 'row')}"] if counted else []
    done += [f"put {len(sheet.planned) - counted} on the list to count"] if len(sheet.planned) > counted else []
    done += [f"make it {sheet.status}"] if sheet.status != sheet.now else []
    what = ", ".join(done) or "nothing"
    differ = [entry for entry in _differing(sheet) if entry.difference]
    value = total([entry.value for entry in differ])
    worth = "" if value is None or not differ else f", {plain_number(round(value, 2))} {_currency(sheet)}".rstrip()
    message = f"; {len(differ)} differ{'s' if len(differ) == 1 else ''}{worth}" if differ else ""
    return f"stocktake {called} at {'?' if at is None else at.called}: {what}{message}"


def _currency(sheet: Sheet) -> str:
    return sheet.facts.names.base_currency() or ""


def _differing(sheet: Sheet) -> Sequence[Entry]:
    """Return the entries whose differences count: all that are booked, or those that this plan writes."""
    return sheet.booked if sheet.is_completed else sheet.planned


def _shown(sheet: Sheet) -> Iterator[Entry]:
    """Yield what is shown: what this plan writes, then the largest other differences that it books."""
    yield from sheet.planned
    mine, most = {(entry.variant, entry.batch) for entry in sheet.planned}, min(MOST_ROWS, place_of(sheet.facts).most)
    others = [entry for entry in _differing(sheet) if (entry.variant, entry.batch) not in mine and entry.difference]
    yield from sorted(others, key=lambda entry: -abs(entry.value or 0))[: max(0, most - len(sheet.planned))]


def _line(sheet: Sheet, entry: Entry) -> CountedLine:
    names = sheet.facts.names
    return CountedLine(
        row_id=get_int(entry.row or EMPTY, "id"),
        change="add" if entry.row is None else "update" if entry.is_changed else None,
        variant_id=entry.variant,
        sku=names.sku(entry.variant),
        name=names.variant(entry.variant),
        unit=text(names.item(names.record("variant", entry.variant)) or EMPTY, "uom"),
        batch=sheet.batch_number(entry.batch),
        quantity=entry.counted,
        in_stock=entry.held,
        difference=entry.difference,
        value=entry.value,
        moved=place_of(sheet.facts).moved.get(entry.variant),
    )


def _own(sheet: Sheet, shown: Sequence[Entry]) -> dict[str, object]:
    counted = [entry.value for entry in _differing(sheet) if entry.counted is not None]
    unread = [f"{line.where}: {line.why}" for line in sheet.unread]
    more = [f"and {len(unread) - _MISREAD} more"] if len(unread) > _MISREAD else []
    return {
        "value_difference": total(counted) if counted else None,
        "uncounted": _uncounted(sheet) if location_of(sheet.request, sheet.facts) is not None else None,
        "misread": [*unread[:_MISREAD], *more] or None,
        "left": sheet.left or None,
    }


_MISREAD = 30


def _uncounted(sheet: Sheet) -> UncountedGoods:
    found = sheet.uncounted
    value = total([worth for _, _, worth in found])
    return UncountedGoods(
        variants=len(found),
        value=value if place_of(sheet.facts).is_whole else None,
        named=[f"{sheet.called(key)}: {plain_number(held)}" for key, held, _ in found[:_NAMED]],
    )


def _changes(sheet: Sheet) -> Iterator[FieldChange]:
    for entry in sheet.planned:
        if entry.row is not None:
            old, new = number(entry.row, "counted_quantity"), entry.counted
            shown = [None if amount is None else str(plain_number(amount)) for amount in (old, new)]
            yield FieldChange(field=f"{sheet.called(entry.variant)}.counted_quantity", old=shown[0], new=shown[1])
    if sheet.facts.record is not None and sheet.status != sheet.now:
        yield FieldChange(field="status", old=sheet.now, new=sheet.status)


def _moves(sheet: Sheet) -> Iterator[StockMove]:
    at = _at(sheet)
    for entry in sheet.booked:
        if at is not None and entry.difference:
            called = sheet.called(entry.variant)
            yield StockMove(
                variant=entry.variant, called=called, location=at.id, place=at.called, change=entry.difference
            )


def _back(sheet: Sheet) -> JsonObject | None:
    """Return the call that takes it back: a new or completed stocktake is deleted, older counts are set again."""
    key = get_int(sheet.facts.record or EMPTY, "id")
    if key is None or sheet.is_completed:
        return {"tool": TOOL, "arguments": {"stocktake_id": Ref(0, "id") if key is None else key, "delete": True}}
    was = [(entry, number(entry.row or EMPTY, "counted_quantity")) for entry in sheet.planned]
    if sheet.status != sheet.now or not was or any(amount is None for _, amount in was):
        return None
    counts = [
        {"sku_or_variant_id": entry.variant, "quantity": plain_number(amount or Decimal(0)), "batch": batch}
        if (batch := sheet.batch_number(entry.batch)) is not None
        else {"sku_or_variant_id": entry.variant, "quantity": plain_number(amount or Decimal(0))}
        for entry, amount in was
    ]
    return {"tool": TOOL, "arguments": {"stocktake_id": key, "counts": counts}}
