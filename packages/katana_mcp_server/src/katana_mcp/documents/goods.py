"""Rows of goods, whatever document holds them: how they are shown, and what they move in which location."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from katana_mcp.documents.states import added_parts, changed_rows
from katana_mcp.documents.transition import Facts, State, Transition, Unknown
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import EMPTY, get_bool, get_int, number, rows
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import StockMove

_NAMED = 5


def of_other_goods(change: Transition, held: str) -> Iterator[tuple[str, State, State]]:
    """Yield path, arguments and state after of each row that is to be of another item."""
    for here, asked, row, fields in changed_rows(change, held):
        if "variant_id" in fields:
            yield here, asked, {**row, **fields}


def goods_line(change: Transition, row: State) -> PlanLine | None:
    """Return a row with its variant; of an unknown one what was asked for, of a change that reads none nothing."""
    variant, quantity = row.get("variant_id"), number(row, "quantity")
    if isinstance(variant, Unknown):
        return PlanLine(sku=str(variant.asked), quantity=quantity)
    record = change.facts.with_id("variant", variant)
    if record is None:
        is_changed = change.before is not None and change.after is not None
        is_unread = is_changed and ("variant", variant) not in change.facts.references
        return None if is_unread else PlanLine(sku=None if variant is None else str(variant), quantity=quantity)
    shared = record.is_shared or None
    return PlanLine(
        variant_id=record.id, sku=record.sku, is_shared=shared, name=record.name, quantity=quantity, unit=record.unit
    )


def is_marked(facts: Facts, row: State, flag: str) -> bool:
    """Return whether the item of which a row, or an order, is has this flag, such as `batch_tracked`."""
    item = facts.names.item(facts.names.record("variant", row.get("variant_id")))
    return get_bool(item or EMPTY, flag) is True


def in_several_rows(held: str) -> Callable[[Transition], Iterator[ToolWarning]]:
    """Return the rule that tells goods that several new rows name, by whatever each of them names these."""

    def repeated(change: Transition) -> Iterator[ToolWarning]:
        places: dict[int, list[str]] = {}
        for here, _, row in added_parts(change, held):
            if (variant := get_int(row, "variant_id")) is not None:
                places.setdefault(variant, []).append(here)
        for variant, found in places.items():
            if len(found) > 1:
                record, path = change.facts.with_id("variant", variant), f"{found[1]}.sku_or_variant_id"
                goods = variant if record is None else record.called
                message = f"{path}: {goods} is in {first_of(found, _NAMED)}: leave out what is named twice by mistake"
                yield advisory(warning_codes.DUPLICATE_ROW, message, path)

    return repeated


def of_nothing(asked: State, here: str) -> Iterator[ToolWarning]:
    """Yield that a row is asked for with a quantity of 0, and what to do instead: one that is there may be deleted."""
    if asked.get("quantity") == 0:
        instead = "delete the row or leave it out" if here.startswith("update_") else "must be more than 0"
        yield blocking(warning_codes.INVALID_QUANTITY, f"{here}.quantity is 0: {instead}", f"{here}.quantity")


def row_moves(change: Transition, held: str, times: Mapping[str, int], path: str) -> Iterator[StockMove]:
    """Yield what each row moves.

    Args:
        change: whose rows they are.
        held: the field that holds them.
        times: how often the quantity of a row comes to a location, by the field that names the location.
        path: of the argument, `{}` for the place of the row.
    """
    facts, document = change.facts, change.subject
    for nr, row in enumerate(rows(document, held)):
        record = facts.with_id("variant", row.get("variant_id"))
        for name, factor in times.items():
            location = get_int(document, name)
            if record is None or record.deleted or location is None:
                continue
            place = facts.with_id("location", location)
            yield StockMove(
                variant=record.id,
                called=record.called,
                location=location,
                place=str(location) if place is None else place.called,
                change=(number(row, "quantity") or Decimal(0)) * factor,
                path=path.format(nr),
            )
