"""What is left to do of a count: its rows, then its status, one step after the other. Katana works on each status.

A number names a new stocktake, until it has an id. Rows are known by variant and batch, so that none comes twice.
"""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from cache_core.records import Record, canonical
from katana_client.filters import FilterValue
from katana_client.models.stocktake_rows import StocktakeRow
from katana_client.models.stocktakes import Stocktake
from katana_mcp.documents.correcting import LATER
from katana_mcp.documents.steps import body_of, patch_of, spec_of
from katana_mcp.entities.stocktakes.counting.reading import ADJUSTMENT, BUSY, STOCKTAKE
from katana_mcp.entities.stocktakes.counting.sheet import STATUSES
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import listed_now
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import EMPTY, child, get_bool, get_int, rows
from katana_mcp.writing.actions import Action, JsonObject, Recognise, on_record
from katana_mcp.writing.change import BACK, BEFORE, GOAL, Astray
from katana_mcp.writing.meaning import same

if TYPE_CHECKING:
    from katana_mcp.writing.lost_answers import Listing

HEAD = ("reason", "additional_info")
_PAUSES = (1.0, 2.0, 4.0, 8.0, 0.0)
"""Seconds before each further look at a stocktake whose status Katana is working on; after the last it is given up."""
_AT_ONCE = 250


async def look(saga: JsonObject, services: Services) -> JsonObject:
    """Return the stocktake as it is in Katana now, once no status is being worked on, with its rows.

    Raises:
        Refused: Katana does not say, or works on the status for long.
        Astray: it is gone, or another one has its number.
    """
    for pause in _PAUSES:
        record = await _found(saga, services)
        if not get_bool(record or EMPTY, BUSY):
            break
        await services.clock.sleep(pause)
    else:
        message = "Katana is still working on the status of the stocktake: try again in a moment"
        raise Refused(blocking(warning_codes.KATANA_UNAVAILABLE, message))
    if record is None:
        return {"record": None, ROWS: []}
    return {
        "record": record,
        ROWS: await _listed("stocktake_rows", services, stocktake_ids=[get_int(record, "id") or 0]),
    }


async def _found(saga: JsonObject, services: Services) -> Record | None:
    before, goal = (cast("Record", saga[name]) for name in (BEFORE, GOAL))
    key = get_int(before, "id")
    if key is not None:
        found = await _listed("stocktakes", services, ids=[key])
        if not found:
            raise Astray("the stocktake is no longer there: it was deleted by somebody else")
        return found[0]
    number = text(goal, "stocktake_number") or ""
    others = cast("Sequence[int]", before["others"])
    found = await _listed("stocktakes", services, stocktake_number=number)
    mine = [record for record in found if record.get("id") not in others]
    if len(mine) > 1 or any(record.get("location_id") != goal.get("location_id") for record in mine):
        ids = ", ".join(str(record.get("id")) for record in mine)
        message = f"the stocktake number {number} is not unique to this plan (ids {ids})"
        raise Astray(f"{message}: delete the one that is not yours in Katana, and apply the same token again")
    return next(iter(mine), None)


async def _listed(collection: str, services: Services, **filters: FilterValue) -> list[Record]:
    listing = cast("Listing", getattr(services.client, collection))
    return await listed_now(listing.pages(**filters), "how the stocktake is now")


def rest(saga: JsonObject, now: JsonObject) -> Sequence[Action]:
    """Return what is left to do.

    Args:
        saga: the stocktake as it was, as it is to be, and whether it goes back.
        now: its record, None where there is none yet, and its rows.

    Raises:
        Astray: somebody else completed it.
    """
    before, goal = (cast("Record", saga[name]) for name in (BEFORE, GOAL))
    record, held = child(now, "record"), rows(now, ROWS)
    if saga[BACK]:
        return [*_back(before, goal, record, held)]
    if record is None:
        created = _create(goal, cast("Sequence[int]", before["others"]))
        return [created, *_statuses(goal, STATUSES[0], None)]
    left = [*_head(goal, record), *_rows(goal, record, held)]
    if left and record.get("status") == STATUSES[-1]:
        raise Astray("the stocktake was completed by somebody else: count what is missing in another one")
    return [*left, *_statuses(goal, text(record, "status") or "", record)]


def _create(goal: Record, others: Sequence[int]) -> Action:
    number = text(goal, "stocktake_number") or ""
    lines = [_line(row) for row in rows(goal, ROWS)]
    head = {name: goal[name] for name in (*HEAD, "stocktake_number", "location_id") if goal.get(name) is not None}
    body = body_of(spec_of("stocktakes").create, {**head, "stocktake_rows": lines})
    return Action(
        title=f"create stocktake {number} with {so_many(len(lines), 'row')}",
        method="POST",
        path="/stocktakes",
        body=body,
        entity=STOCKTAKE,
        expects={"stocktake_number": number, "location_id": goal.get("location_id")},
        recognise=Recognise(collection="stocktakes", filters={"stocktake_number": number}, besides=tuple(others)),
        refreshes=(ROWS,),
    )


def _line(row: Record) -> dict[str, object]:
    return {name: row[name] for name in ("variant_id", "batch_id", "counted_quantity") if row.get(name) is not None}


def _head(goal: Record, record: Record) -> Iterator[Action]:
    """Yield what sets reason and notes."""
    fields = {name: goal[name] for name in HEAD if name in goal}
    changed = {name: value for name, value in fields.items() if not same(Stocktake, name, value, record.get(name))}
    if changed:
        yield _on_stocktake(f"change fields of {_called(record)}", record, changed)


def _rows(goal: Record, record: Record, held: Sequence[Record]) -> Iterator[Action]:
    """Yield counts that rows do not hold yet, and rows that are not there."""
    there = {_key(row): row for row in held}
    goal_rows = rows(goal, ROWS)
    for row in goal_rows:
        found = there.get(_key(row))
        if found is not None and not _is_counted(row, found):
            yield _count(row, found, record)
    new = [row for row in goal_rows if _key(row) not in there]
    for first in range(0, len(new), _AT_ONCE):
        yield _add(new[first : first + _AT_ONCE], record, held)


def _key(row: Record) -> tuple[int | None, int | None]:
    return get_int(row, "variant_id"), get_int(row, "batch_id")


def _is_counted(target: Record, row: Record) -> bool:
    return same(StocktakeRow, "counted_quantity", target.get("counted_quantity"), row.get("counted_quantity"))


def _count(target: Record, row: Record, record: Record) -> Action:
    body = canonical({"counted_quantity": target.get("counted_quantity")})
    title = f"set the count of row {row.get('id')} of {_called(record)}"
    return on_record(title, ROWS, "stocktake_rows", get_int(row, "id") or 0, body)


def _add(new: Sequence[Record], record: Record, held: Sequence[Record]) -> Action:
    lines = [_line(row) for row in new]
    key = get_int(record, "id") or 0
    body = body_of(spec_of("stocktake_rows").bulk, {"stocktake_id": key, "stocktake_rows": lines})
    return Action(
        title=f"add {so_many(len(new), 'row')} to {_called(record)}",
        method="POST",
        path="/stocktake_rows",
        body=body,
        entity=ROWS,
        expects={"stocktake_rows": canonical({"rows": lines})["rows"]},
        recognise=Recognise(
            collection="stocktake_rows",
            filters={"stocktake_ids": [key]},
            besides=tuple(get_int(row, "id") or 0 for row in held),
        ),
        answers_many=len(new),
        refreshes=(ROWS,),
    )


def _statuses(goal: Record, status: str, record: Record | None) -> Iterator[Action]:
    """Yield each status between that of now and that which is aimed at; Katana notes and books the stock on the way."""
    target = text(goal, "status") or ""
    if status not in STATUSES or target not in STATUSES:
        return
    for next_status in STATUSES[STATUSES.index(status) + 1 : STATUSES.index(target) + 1]:
        number = text(goal, "stocktake_number") if record is None else text(record, "stocktake_number")
        action = _on_stocktake(f"set stocktake {number} to {next_status}", record or EMPTY, {"status": next_status})
        along = (ROWS, ADJUSTMENT) if next_status == STATUSES[-1] else (ROWS,)
        yield replace(action, is_answered=False, pending=BUSY, refreshes=along)


def _on_stocktake(title: str, record: Record, fields: Mapping[str, object]) -> Action:
    """Return what changes the stocktake itself; where there is none yet, it is foreseen, and never sent like that."""
    body = patch_of(spec_of("stocktakes"), fields, record)
    key = get_int(record, "id")
    if key is None:
        action = on_record(title, STOCKTAKE, "stocktakes", LATER, body)
        return replace(action, record=None, recognise=None)
    action = on_record(title, STOCKTAKE, "stocktakes", key, body)
    return replace(action, expects=canonical(fields), is_answered=False, document=(STOCKTAKE, key))


def _back(before: Record, goal: Record, record: Record | None, held: Sequence[Record]) -> Iterator[Action]:
    """Yield what puts the stocktake back: a new one goes, and of another one rows and head are as they were."""
    if record is None:
        return
    if record.get("status") == STATUSES[-1] and text(before, "status") != STATUSES[-1]:
        raise Astray("the stocktake is completed: count_stock with delete takes back what it booked")
    if get_int(before, "id") is None:
        yield on_record(f"delete {_called(record)}", STOCKTAKE, "stocktakes", get_int(record, "id") or 0)
        return
    yield from _head(before, record)
    was = {_key(row): row for row in rows(before, ROWS)}
    added = {_key(row) for row in rows(goal, ROWS)} - set(was)
    for row in sorted(held, key=operator.itemgetter("id")):
        if _key(row) in added:
            title = f"delete row {row.get('id')} of {_called(record)}"
            yield on_record(title, ROWS, "stocktake_rows", get_int(row, "id") or 0)
        elif _key(row) in was and not _is_counted(was[_key(row)], row):
            yield _count(was[_key(row)], row, record)


def _called(record: Record) -> str:
    return f"stocktake {text(record, 'stocktake_number') or record.get('id')}"
