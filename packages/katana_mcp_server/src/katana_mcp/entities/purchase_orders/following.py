"""What Katana changes along with a purchase order, what it works out by itself, and what of that nothing takes back."""

from collections.abc import Mapping
from typing import cast

from cache_core.records import Record, RecordId
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_mcp.documents.declaration import Part, again_as_they_were
from katana_mcp.documents.transition import Facts, State, Transition, Unknown
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, UNIT, good_of
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.entities.purchase_orders.receipts import RECEIVED, received
from katana_mcp.references.display_names import text
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.meaning import same

_ALIKE = ("variant_id", "arrival_date", "tax_rate_id", "location_id", UNIT[0], "custom_fields")
_ALIKE_IN_NUMBER = ("price_per_unit", UNIT[1])
_PLACELESS = "rows without a place of their own"
NEEDED = frozenset({"variant_id", "quantity", "price_per_unit"})
"""What Katana wants of a new row."""


def read(order: State, facts: Facts) -> State:
    """Return an order with its costs; a row without a place of its own goes to that of the order."""
    home = order.get("location_id")
    placed = [{**row, "location_id": row.get("location_id") or home} for row in rows(order, ROWS)]
    placeless = [row.get("id") for row in rows(order, ROWS) if not row.get("location_id")]
    return {**order, ROWS: placed, COSTS: list(facts.beside.get(COST, ())), _PLACELESS: placeless}


def again(part: Part, found: Mapping[RecordId, State], order: State) -> dict[RecordId, dict[str, object]]:
    """Return the arguments that add rows as they were: without a place where they had none of their own."""
    placeless = cast("list[object]", order[_PLACELESS])
    made = again_as_they_were(part, found, order)
    return {
        key: {name: value for name, value in row.items() if name != "location_id" or key not in placeless}
        for key, row in made.items()
    }


def requested_status(asked: Mapping[str, object], order: State) -> str | None:
    """Return the status that is asked for; receipts are taken back by one."""
    status = asked.get("status")
    if status is None and asked.get("unreceive") and order.get("status") in RECEIVED:
        return "NOT_RECEIVED"
    return None if status is None else str(status)


def unlocks(order: State, status: str) -> bool:
    """Return whether receipts are taken back, which unlocks what they lock."""
    return order.get("status") in RECEIVED and status == "NOT_RECEIVED"


def follow(before: State, after: State) -> State:
    """Return an order with its rows as taking receipts back, a new date and a new place leave them."""
    found = rows(after, ROWS)
    if unlocks(before, str(after.get("status"))):
        default = after.get("default_group_id")
        found = _merged([{**row, "received_date": None, "group_id": default} for row in found])
    date, place = after.get("expected_arrival_date"), after.get("location_id")
    if not same(PurchaseOrder, "expected_arrival_date", date, before.get("expected_arrival_date")):
        found = [{**row, "arrival_date": date} for row in found]
    if place != before.get("location_id"):
        follows = [row.get("location_id") == before.get("location_id") for row in found]
        found = [{**row, "location_id": place} if own else row for row, own in zip(found, follows, strict=True)]
    return {**after, ROWS: found}


def _merged(found: list[Record]) -> list[Record]:
    """Return rows as one where they are alike but for their quantities; the one with the lowest id stays."""
    first = dict[object, dict[str, object]]()
    for row in sorted(found, key=lambda record: get_int(record, "id") or 0):
        kind = (*(str(row.get(name)) for name in _ALIKE), *(number(row, name) for name in _ALIKE_IN_NUMBER))
        stays = first.setdefault(kind, {**row})
        if stays.get("id") != row.get("id"):
            stays["quantity"] = (number(stays, "quantity") or 0) + (number(row, "quantity") or 0)
    return [cast("Record", row) for row in first.values()]


def derive(before: State | None, after: State) -> State:
    """Return an order with the date of its latest row, and received without its last open row."""
    then = rows(after, ROWS)
    there = None if before is None else rows(follow(before, {**after, ROWS: rows(before, ROWS)}), ROWS)
    date = _latest(there, then, text(after, "expected_arrival_date"))
    dated = {} if date is None else {"expected_arrival_date": date}
    gone = there is not None and {row["id"] for row in there} - {row.get("id") for row in then}
    ends = gone and then and all(row.get("received_date") is not None for row in then)
    status = {"status": "RECEIVED"} if ends and after.get("status") == "PARTIALLY_RECEIVED" else {}
    return {**after, **dated, **status}


def _latest(there: list[Record] | None, then: list[Record], head: str | None) -> str | None:
    """Return the date that the head takes from its latest row, where rows come, go, or get dates of their own."""
    old = {row["id"]: row.get("arrival_date") for row in there or ()}
    moved = [row for row in then if "id" in row and not _is_dated(row, old.get(row["id"]))]
    own = [row for row in then if "id" not in row and "arrival_date" in row]
    has_changed = bool(moved or own) if there is None else bool(moved) or [row.get("id") for row in then] != [*old]
    dates = [date for row in then if (date := text(row, "arrival_date") or head)]
    latest = max(dates, default=None)
    is_known = len(dates) == len(then)
    is_other = latest is not None and not same(PurchaseOrder, "expected_arrival_date", latest, head)
    return latest if has_changed and is_other and is_known else None


def _is_dated(row: Record, date: object) -> bool:
    return same(PurchaseOrderRow, "arrival_date", row.get("arrival_date"), date)


def no_way_back(change: Transition) -> str | None:
    """Return why nothing takes a change back."""
    if change.before is None:
        return None
    if change.after is None:
        return None if rows(change.before, ROWS) else "it has no rows, and Katana creates no order without rows"
    if change.status == "RECEIVED":
        return _no_way_to_unreceive(change)
    if change.status is None and change.after.get("status") != change.before.get("status"):
        return "no rows can be added to an order that is fully received"
    return _no_way_to_receive(change) if change.unlocks else None


def _no_way_to_unreceive(change: Transition) -> str | None:
    if change.old.get("status") == "PARTIALLY_RECEIVED":
        return "a partial receipt cannot be restored"
    then = follow(change.new, {**change.new, "status": "NOT_RECEIVED"})
    added = [row for row in rows(change.new, ROWS) if "id" not in row]
    goods = [(row.get("variant_id"), number(row, "price_per_unit")) for row in rows(change.new, ROWS)]
    is_doubled = any(goods.count((row.get("variant_id"), number(row, "price_per_unit"))) > 1 for row in added)
    is_merged = is_doubled or len(rows(then, ROWS)) != len(rows(change.new, ROWS))
    return "undoing receipts merges identical rows into one" if is_merged else None


def _no_way_to_receive(change: Transition) -> str | None:
    if any(good_of(change.facts, row).in_batches for row in rows(change.old, ROWS)):
        return "goods tracked by batch cannot be received by setting a status"
    if len(rows(change.unlocked, ROWS)) != len(rows(change.old, ROWS)):
        return "Katana merges identical rows into one, and it cannot be split again"
    return None


def back(change: Transition, arguments: dict[str, object]) -> dict[str, object]:
    """Return the call that takes a change back with what is its own: what takes receipts back, what has come."""
    if change.after is None:
        return {**arguments, **_anew(change.old)}
    came = {row["id"] for row in received(change.old)} if not change.unlocks else set[object]()
    updates = [
        {name: value for name, value in row.items() if name != "arrival_date" or row["row_id"] not in came}
        for row in cast("list[dict[str, object]]", arguments.get("update_rows", []))
    ]
    updates = [row for row in updates if len(row) > 1]
    others = {name: value for name, value in arguments.items() if name != "update_rows"}
    switch = {"unreceive": True} if change.status == "RECEIVED" else {}
    return {**others, **({"update_rows": updates} if updates else {}), **switch}


def _anew(order: State) -> dict[str, object]:
    """Return where a deleted order is made again, and as what: Katana makes one with a row for its own place only."""
    places = [get_int(row, "location_id") for row in rows(order, ROWS)]
    home = get_int(order, "location_id")
    is_draft = order.get("status") == "DRAFT"
    return {
        "location_id": home if home in places else places[0],
        "status": "DRAFT" if is_draft else "NOT_RECEIVED",
    }


def left(change: Transition) -> dict[str, str]:
    """Return what the way back leaves as it then is."""
    old = change.old
    found: dict[str, str] = {}
    if change.after is None:
        if old.get("status") in RECEIVED:
            found["status"] = "the revert creates the order as open, with nothing received"
        if rows(old, ROWS) and _anew(old)["location_id"] != get_int(old, "location_id"):
            found["location_id"] = "no row is for its location: the revert uses the location of its first row"
        return found
    moved = change.parts[ROWS].updates
    came = [str(row["id"]) for row in received(old) if "arrival_date" in moved.get(get_int(row, "id") or 0, {})]
    if came and not change.unlocks:
        found["rows"] = f"row {', '.join(came)} is received: the revert may keep its new arrival date"
    return found


def is_sendable(change: Transition) -> bool:
    """Return whether new rows and costs have all that Katana wants of them, and a new order what it wants of it."""
    added, costs = change.sent[ROWS].adds, change.sent[COSTS].adds
    is_whole = all(row.keys() >= NEEDED for row in added) and all("tax_rate_id" in cost for cost in costs)
    if change.before is not None:
        return is_whole and not (costs and change.before.get("default_group_id") is None)
    is_outsourced = change.new.get("entity_type") == "outsourced"
    is_tracked = change.new.get("tracking_location_id") is not None
    return is_whole and is_outsourced == is_tracked and any(for_own_place(row, change.new) for row in added)


def for_own_place(row: State, order: State) -> bool:
    """Return whether a new row goes inside of its order: only those for its own place do."""
    place = row.get("location_id")
    return isinstance(place, Unknown) or place in (None, order.get("location_id"))
