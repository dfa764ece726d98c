"""What of a purchase order is said for its own sake: dates, places and amounts that its head moves or leaves."""

from collections.abc import Iterator

from cache_core.records import Record
from katana_mcp.documents.states import added_parts, changed_rows
from katana_mcp.documents.transition import Transition
from katana_mcp.entities.purchase_orders.following import for_own_place
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, buying, called, currency
from katana_mcp.entities.purchase_orders.showing import named, rows_in_words
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import number, rows


def _of_new(change: Transition) -> Iterator[ToolWarning]:
    """Yield what speaks against the head of a new order."""
    if change.before is not None:
        return
    path, is_outsourced = "tracking_location_id", change.new.get("entity_type") == "outsourced"
    if is_outsourced and path not in change.asked:
        message = "an outsourced order needs a tracking_location_id: where the supplier works with our ingredients"
        yield blocking(warning_codes.TRACKING_LOCATION_REQUIRED, message, path)
    if not is_outsourced and path in change.asked:
        message = "tracking_location_id is only for outsourced orders: leave it out, or set entity_type to outsourced"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, path)
    if not any(for_own_place(row, change.new) for row in rows(change.new, ROWS)):
        message = f"no row is for location {named(change, 'location', change.new.get('location_id'))}"
        why = "but a new order in Katana needs at least one row for its own location"
        yield blocking(
            warning_codes.OWN_LOCATION_REQUIRED,
            f"{message}, {why}: set location_id to the location of the first row",
            "location_id",
        )
    theirs, ours = buying(change.facts).supplier_currency, text(change.new, "currency")
    is_priced = all("price_per_unit" in asked for _, asked, _ in added_parts(change, ROWS))
    if is_priced and None not in (theirs, ours) and theirs != ours:
        supplier = called(change.facts, "supplier", change.new.get("supplier_id"))
        message = f"currency: the order is in {ours}, and the currency of {supplier} is {theirs}"
        yield advisory(warning_codes.AMOUNTS_STAY, message, "currency")


def _staying(change: Transition, name: str) -> tuple[list[Record], bool]:
    """Return the rows that stay and take a value from the head, and whether others have one of their own."""
    own = {row["id"] for _, _, row, fields in changed_rows(change, ROWS) if name in fields}
    gone = {*change.sent[ROWS].deletes, *own}
    return [row for row in rows(change.old, ROWS) if row["id"] not in gone], bool(own)


def _cascades(change: Transition) -> Iterator[ToolWarning]:
    """Yield what a change of the head does to rows, and what it leaves of amounts."""
    if change.before is None or change.after is None:
        return
    staying, others = _staying(change, "arrival_date")
    if "expected_arrival_date" in change.head and staying:
        which = " without a new date here" if others else ""
        message = f"expected_arrival_date replaces the arrival date of every row{which} ({len(staying)})"
        yield advisory(warning_codes.DATES_CASCADE, message, "expected_arrival_date")
    home = change.old.get("location_id")
    follow = [row for row in _staying(change, "location_id")[0] if row.get("location_id") == home]
    place = change.head.get("location_id")
    if isinstance(place, int) and follow:
        old, new = (called(change.facts, "location", location) for location in (home, place))
        message = f"rows expected at {old} change to {new}, like their order: {rows_in_words(follow, change)}"
        yield advisory(warning_codes.LOCATIONS_CASCADE, message, "location_id")
    yield from _amounts(change)


def _amounts(change: Transition) -> Iterator[ToolWarning]:
    amounts = [number(row, "price_per_unit") for row in rows(change.old, ROWS)]
    amounts += [number(cost, "price") for cost in rows(change.old, COSTS)]
    price = next((amount for amount in amounts if amount), None)
    if "currency" in change.head and price is not None:
        shown, old = plain_number(price), text(change.old, "currency") or ""
        message = f"currency: amounts are not converted, the numbers stay the same: {shown} {old}"
        yield advisory(
            warning_codes.AMOUNTS_STAY, f"{message.rstrip()} becomes {shown} {change.head['currency']}", "currency"
        )
    theirs, ours = buying(change.facts).supplier_currency, currency(change)
    supplier_id = change.head.get("supplier_id")
    if isinstance(supplier_id, int) and None not in (theirs, ours) and theirs != ours:
        supplier = called(change.facts, "supplier", supplier_id)
        message = f"supplier_id: the currency of {supplier} is {theirs}, and the order stays in {ours}, with its prices"
        yield advisory(warning_codes.AMOUNTS_STAY, message, "supplier_id")


RULES = (_of_new, _cascades)
