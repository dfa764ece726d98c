"""What else a change of the head of a purchase order means: for dates and places of its rows, and for its prices."""

from collections.abc import Sequence

from cache_core.records import Record
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_mcp.entities.purchase_orders.lines import line
from katana_mcp.entities.purchase_orders.wanted import Wanted
from katana_mcp.names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import number, whole
from katana_mcp.writing.meaning import same

_NAMED = 10


def cascades(wanted: Wanted) -> list[ToolWarning]:
    """Return what a change of the head does besides."""
    return [*_dates(wanted), *_places(wanted), *_amounts(wanted), *_suppliers(wanted)]


def _staying(wanted: Wanted, name: str) -> tuple[list[Record], bool]:
    """Return the rows that stay and take a value from the head, and whether others have one of their own."""
    own = {whole(each.record, "id") for each in wanted.changed_rows if name in each.fields}
    gone = {whole(each, "id") for each in wanted.deleted_rows}
    rows = [each for each in wanted.facts.rows if whole(each, "id") not in gone]
    return [each for each in rows if whole(each, "id") not in own], bool(own)


def _dates(wanted: Wanted) -> list[ToolWarning]:
    rows, others = _staying(wanted, "arrival_date")
    if "expected_arrival_date" not in wanted.head or not rows:
        return []
    which = " without a date of its own here" if others else ""
    told = f"expected_arrival_date becomes the arrival date of every row{which} ({len(rows)}), whatever it was"
    return [advisory(warning_codes.DATES_CASCADE, told, "expected_arrival_date")]


def _places(wanted: Wanted) -> list[ToolWarning]:
    home, place = wanted.facts.record.get("location_id"), wanted.head.get("location_id")
    rows = [
        each
        for each in _staying(wanted, "location_id")[0]
        if same(PurchaseOrderRow, "location_id", each.get("location_id"), home)
    ]
    if place is None or not rows:
        return []
    old, new = (wanted.facts.directory.called("location", each) for each in (home, place))
    told = f"rows that come to {old} go to {new} with their order: {told_rows(rows, wanted)}"
    return [advisory(warning_codes.LOCATIONS_CASCADE, told, "location_id")]


def _amounts(wanted: Wanted) -> list[ToolWarning]:
    old, new = text(wanted.facts.record, "currency"), wanted.head.get("currency")
    prices = [
        *(number(each, "price_per_unit") for each in wanted.facts.rows),
        *(number(each, "price") for each in wanted.facts.costs),
    ]
    price = next((each for each in prices if each), None)
    if new is None or price is None:
        return []
    shown = plain_number(price)
    told = f"currency: amounts keep their numbers, none is converted: {shown} {old or ''} becomes {shown} {new}"
    return [advisory(warning_codes.AMOUNTS_STAY, told.replace("  ", " "), "currency")]


def _suppliers(wanted: Wanted) -> list[ToolWarning]:
    theirs, ours = wanted.facts.supplier_currency, wanted.currency
    if "supplier_id" not in wanted.head or None in (theirs, ours) or theirs == ours:
        return []
    called = wanted.facts.directory.called("supplier", wanted.head["supplier_id"])
    told = f"supplier_id: the currency of {called} is {theirs}, and the order stays in {ours}, with its prices"
    return [advisory(warning_codes.AMOUNTS_STAY, told, "supplier_id")]


def told_rows(rows: Sequence[Record], wanted: Wanted) -> str:
    """Return rows in words: `2 box (12 pcs) of FORK, 4 pcs of WHEEL`."""
    lines = [line(each, wanted.facts.directory) for each in rows]
    words = [
        f"{'?' if each.quantity is None else plain_number(each.quantity)} {each.unit or ''} of "
        f"{each.sku or each.name or each.variant_id}"
        for each in lines[:_NAMED]
    ]
    left = len(lines) - len(words)
    return ", ".join([*words, *([f"and {left} more"] if left else [])]).replace("  ", " ")
