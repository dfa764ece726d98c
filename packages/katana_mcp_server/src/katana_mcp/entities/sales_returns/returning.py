"""What can be returned of a sales order, as Katana says it for each plan, and which rows of a return do not fit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from cache_core.records import Record, canonical
from katana_client.errors import KatanaError, NotFound
from katana_mcp.documents.gathering import Asked, references, rows_now
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.states import added_parts, changed_rows, requested_rows
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_returns.rows import ROWS
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up, text
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.writing.change import record_lane
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import read_levels

HELD = "rows"
"""The field of a return that holds its rows, which Katana keeps beside it."""
READ = ("location", *VARIANT_ENTITIES)
"""The cache entities that each plan reads besides the return and its sales order."""
RESTOCKED = "RESTOCKED_ALL"
"""The status in which the goods are in stock."""
_ROW_ARGUMENTS = (HELD, "add_rows", "update_rows")
_RETURNABLE, _REASONS = "returnable item", "return reason"


def read(document: State, facts: Facts) -> State:
    """Return a sales return with its rows."""
    return {**document, HELD: list(facts.beside.get(ROWS, ()))}


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with rows as they are now, what can be returned, reasons that are named, goods and stock.

    Raises:
        Refused: Katana does not say.
    """
    facts, asked, beside = change.facts, change.asked, dict[str, tuple[Record, ...]]()
    order = get_int(change.subject, "sales_order_id")
    if change.before is not None:
        key = get_int(change.before, "id") or 0
        beside[ROWS] = await rows_now(services, ROWS, ("sales_return_id", key), sales_return_id=key)
        if not beside[ROWS] and await _is_gone(key, services):
            facts = replace(facts, deleted=True)
    if order is not None and (change.before is None or any(asked.get(name) for name in _ROW_ARGUMENTS)):
        beside[_RETURNABLE] = await _returnable_now(order, services)
    if any(row.get("reason_id") for name in _ROW_ARGUMENTS for row in requested_rows(asked, name)):
        beside[_REASONS] = await _reasons_now(services)
    facts = replace(facts, beside=beside)
    held = (*beside.get(ROWS, ()), *beside.get(_RETURNABLE, ()))
    goods = [key for row in held if (key := get_int(row, "variant_id")) is not None]
    await current(services, READ, ())
    found = await references(
        services, [*_named_by(change.subject), *(reference for row in held for reference in _named_by(row))]
    )
    names = await look_up(services.cache, {"variant": list(goods), "sales_order": [order]})
    moves_stock = "status" in asked and RESTOCKED in (asked["status"], change.old.get("status"))
    levels = await read_levels(services, goods) if moves_stock else facts.levels
    return replace(facts, references={**found, **facts.references}, names=names, levels=levels)


async def _is_gone(key: int, services: Services) -> bool:
    """Return whether Katana has a return no longer: it need not list those that are deleted."""
    try:
        await services.client.sales_returns.get_record(key)
    except NotFound:
        return not services.syncer.wrote("sales_return", key)
    except KatanaError:
        raise Refused(unasked(f"whether sales return {key} is there")) from None
    return False


def _named_by(record: State) -> Iterator[Asked]:
    for name, entity in (("variant_id", "variant"), ("restock_location_id", "location"), ("location_id", "location")):
        if (key := get_int(record, name)) is not None:
            yield entity, key


async def _returnable_now(order: int, services: Services) -> tuple[Record, ...]:
    try:
        found = await services.client.sales_orders.returnable_items(order)
    except KatanaError:
        raise Refused(unasked(f"what of sales order {order} can be returned")) from None
    return tuple(canonical(item.model_dump()) for item in found)


async def _reasons_now(services: Services) -> tuple[Record, ...]:
    try:
        found = await services.client.sales_returns.return_reasons()
    except KatanaError:
        raise Refused(unasked("which reasons a return can have")) from None
    return tuple(canonical(reason.model_dump()) for reason in found)


def returnable(facts: Facts) -> Mapping[int, Record]:
    """Return what was shipped of an order, by the row of its shipment, with how much can still be returned."""
    found = facts.beside.get(_RETURNABLE, ())
    return {key: record for record in found if (key := get_int(record, "fulfillment_row_id")) is not None}


def _left(item: State) -> Decimal:
    return number(item, "available_for_return_quantity") or Decimal(0)


def whole(request: Request, facts: Facts) -> Request:
    """Return a request for a new return, with all that can be returned where it names no rows."""
    if getattr(request, HELD):
        return request
    every = [{"fulfillment_row_id": key} for key, item in returnable(facts).items() if _left(item)]
    filled: Any = type(request).model_validate({"sales_order_id": 1, "return_location_id": 1, HELD: every})
    return request.model_copy(update={HELD: filled.rows})


def finish(row: State, _: State, facts: Facts) -> State:
    """Return a new row with its good, its price, and all that can be returned where no quantity is given."""
    item = returnable(facts).get(get_int(row, "fulfillment_row_id") or 0)
    if item is None:
        return row
    own = {"variant_id": item.get("variant_id"), "net_price_per_unit": item.get("net_price_per_unit")}
    return {**own, "quantity": _left(item), **row}


def is_sendable(change: Transition) -> bool:
    """Return whether each new row is of something that was shipped."""
    return all("variant_id" in row for row in change.sent[HELD].adds)


def line(change: Transition, row: State) -> PlanLine | None:
    """Return a row with its good, its price and where it goes in stock."""
    shown = goods_line(change, row)
    price, quantity = number(row, "net_price_per_unit"), number(row, "quantity")
    if shown is None:
        return None
    place = change.facts.with_id("location", restocks_at(change, row))
    total = None if price is None or quantity is None else price * quantity
    return shown.model_copy(
        update={"price": price, "total": total, "location": None if place is None else place.called}
    )


def restocks_at(change: Transition, row: State) -> int | None:
    """Return where the goods of a row go in stock: where it says, else where they left."""
    item = returnable(change.facts).get(get_int(row, "fulfillment_row_id") or 0, EMPTY)
    return get_int(row, "restock_location_id") or get_int(item, "location_id")


def currency(change: Transition) -> str | None:
    """Return the currency of a return, which is that of its sales order."""
    order = change.facts.names.record("sales_order", change.subject.get("sales_order_id"))
    return text(change.subject, "currency") or text(order or EMPTY, "currency")


def binds(change: Transition) -> dict[str, object]:
    """Return what else a plan depends on: the rows as they are, and what can be returned."""
    return {entity: list(found) for entity, found in change.facts.beside.items()}


def lanes(change: Transition) -> tuple[str, ...]:
    """Return the sales order, too: two returns of it that are written at once could take back the same goods."""
    order = get_int(change.subject, "sales_order_id")
    return () if order is None else (record_lane("sales_order", order),)


def described(change: Transition) -> str:
    """Return of which order a new return is, or how far one is that goes."""
    if change.before is not None:
        return f" ({change.before.get('status')}, rows: {len(rows(change.before, HELD))})"
    order = change.facts.names.record("sales_order", change.new.get("sales_order_id"))
    return f" of sales order {text(order or EMPTY, 'order_no') or change.asked.get('sales_order_id')}"


def _new_rows(change: Transition) -> Iterator[ToolWarning]:
    """Yield new rows of what was not shipped, or of more than can be returned."""
    items = returnable(change.facts)
    if change.before is None and not rows(change.new, HELD) and get_int(change.new, "sales_order_id") is not None:
        message = "nothing of this sales order can be returned: no goods are shipped, or all are on a return already"
        yield blocking(warning_codes.EMPTY_ORDER, message, "sales_order_id")
    taken: dict[int, Decimal] = {}
    for _, key, _, more in _raises(change):
        taken[key] = taken.get(key, Decimal(0)) + more
    for path, _, row in added_parts(change, HELD):
        key = get_int(row, "fulfillment_row_id") or 0
        if key not in items:
            has = ", ".join(map(str, items)) or "none"
            message = f"{path}.fulfillment_row_id: the sales order has no shipped row {key}; it has {has}"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, message, f"{path}.fulfillment_row_id")
            continue
        left, asked = _left(items[key]) - taken.get(key, Decimal(0)), number(row, "quantity") or Decimal(0)
        taken[key] = taken.get(key, Decimal(0)) + asked
        if asked > left or not asked:
            yield _too_much(f"{path}.quantity", asked, left)


def _changed_rows(change: Transition) -> Iterator[ToolWarning]:
    """Yield rows that would be of more than can be returned, with those that are changed before them."""
    items, taken = returnable(change.facts), dict[int, Decimal]()
    for path, key, now, more in _raises(change):
        left = _left(items.get(key, EMPTY)) - taken.get(key, Decimal(0))
        if more and more > left:
            yield _too_much(f"{path}.quantity", now + more, left + now)
        taken[key] = taken.get(key, Decimal(0)) + more


def _raises(change: Transition) -> Iterator[tuple[str, int, Decimal, Decimal]]:
    """Yield path, shipped row, quantity now and how much more of each changed row; what one gives back is nothing."""
    for path, _, before, fields in changed_rows(change, HELD):
        now = number(before, "quantity") or Decimal(0)
        asked = number(fields, "quantity")
        more = Decimal(0) if asked is None else max(Decimal(0), asked - now)
        yield path, get_int(before, "fulfillment_row_id") or 0, now, more


def _too_much(path: str, asked: Decimal, left: Decimal) -> ToolWarning:
    message = f"{path}: {plain_number(asked)}, but only {plain_number(left)} of it can still be returned"
    return blocking(warning_codes.OVER_RETURN, message, path)


def _reasons(change: Transition) -> Iterator[ToolWarning]:
    """Yield reasons that Katana does not have, with those that it has."""
    reasons = {get_int(record, "id"): text(record, "name") for record in change.facts.beside.get(_REASONS, ())}
    added = [(path, row.get("reason_id")) for path, _, row in added_parts(change, HELD)]
    changed = [(path, fields.get("reason_id")) for path, _, _, fields in changed_rows(change, HELD)]
    for path, key in [(path, key) for path, key in (*added, *changed) if key is not None and key not in reasons]:
        has = ", ".join(f"{reason_id} ({name})" for reason_id, name in reasons.items()) or "none"
        message = f"{path}.reason_id: Katana has no return reason {key}; it has {has}"
        yield blocking(warning_codes.NOT_FOUND, message, f"{path}.reason_id")


RULES = (_new_rows, _changed_rows, _reasons)
