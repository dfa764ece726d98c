"""Requests that change rows of a purchase order, each through its own collection."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cache_core.records import Json, Record
from katana_mcp.entities.purchase_orders.facts import Directory
from katana_mcp.entities.purchase_orders.head import ENTITY, ROWS
from katana_mcp.entities.purchase_orders.lines import NewRow, changed_body, fields_of, new_body
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import whole
from katana_mcp.writing.actions import Action, Recognise, Ref, on_record
from katana_mcp.writing.duplicates import Repeated, lines_of
from katana_mcp.writing.meaning import holds, model_of

NEEDED = frozenset({"variant_id", "quantity", "price_per_unit"})
"""What Katana wants of a new row."""


def add_row(fields: dict[str, Json], order: int | Ref, title: str, besides: Sequence[int] = ()) -> Action:
    """Return what adds a row to an order; `besides` are the rows that were there before."""
    place = {"location_id": fields["location_id"]} if "location_id" in fields else {}
    body = {**new_body(fields), **place, "purchase_order_id": order}
    filters = {"purchase_order_id": order, "variant_id": fields["variant_id"]}
    return Action(
        title=title,
        method="POST",
        path=f"/{ROWS}",
        body=body,
        entity=ENTITY,
        record=None if isinstance(order, Ref) else order,
        part=ROWS,
        expects=body,
        recognise=Recognise(collection=ROWS, filters=filters, besides=tuple(besides)),
    )


def added_row(fields: Record, facts: Directory) -> str:
    """Return the title of a new row."""
    place = facts.called("location", fields.get("location_id"))
    return f"add a row of {facts.sku(fields)}{'' if place is None else f' for {place}'}"


def change_row(order: int, row: Record, fields: dict[str, Json], title: str) -> Action:
    """Return what changes a row of an order, or deletes it where there are no fields."""
    row_id = whole(row, "id") or 0
    body = changed_body(fields) if fields else None
    return replace(on_record(title, ENTITY, ROWS, row_id, body), record=order, part=ROWS, row=row_id)


def second_looks(rows: Sequence[NewRow], path: str, facts: Directory, supplier: int | None) -> Iterator[ToolWarning]:
    """Yield what of new rows a buyer may not have meant: the price of another supplier, less than the minimum."""
    for place, row in enumerate(rows):
        good, here = facts.good(row.sku_or_variant_id), f"{path}[{place}]"
        if good.named.one is None:
            continue
        if row.price_per_unit is None and None not in (supplier, good.supplier) and good.supplier != supplier:
            theirs, ours = good.supplier_name or good.supplier, facts.called("supplier", supplier)
            told = f"{here}.price_per_unit: {good.named.one.called} has the price of supplier {theirs}, not of {ours}"
            yield advisory(warning_codes.OTHER_SUPPLIER, told, f"{here}.price_per_unit")
        rate = row.purchase_uom_conversion_rate or good.rate or 1
        if good.minimum is not None and row.quantity * rate < good.minimum:
            told = f"{here}.quantity: {good.named.one.called} is ordered by {plain_number(good.minimum)} at least"
            yield advisory(warning_codes.BELOW_MINIMUM, told, f"{here}.quantity")


def likeness(supplier: int | str, rows: Sequence[NewRow], facts: Directory) -> Repeated:
    """Return what a new order has in common with one that it may repeat: its supplier and its lines."""
    variants = [whole(fields_of(each, facts), "variant_id") for each in rows]
    return Repeated(
        entity=ENTITY,
        number="order_no",
        rows=ROWS,
        party={"supplier_id": facts.id("supplier", supplier)},
        lines=lines_of(zip(variants, [each.quantity for each in rows], strict=True)),
    )


def told_apart(actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return actions of which none is taken for an earlier one: what is just like it, nothing can tell."""

    def alike(place: int) -> bool:
        mine = actions[place]
        before = [each for each in actions[:place] if (each.method, each.path) == ("POST", mine.path)]
        return mine.method == "POST" and any(
            holds(model_of(mine.collection), mine.expects, each.expects) for each in before
        )

    return tuple(replace(each, recognise=None) if alike(place) else each for place, each in enumerate(actions))
