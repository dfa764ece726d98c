"""How a change of a purchase order is shown: every line as it would be, and each field's old and new value."""

from collections.abc import Iterator

from cache_core.records import Record
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_mcp.entities.purchase_orders.costs import cost_line
from katana_mcp.entities.purchase_orders.facts import ENTITIES, Directory
from katana_mcp.entities.purchase_orders.head import CASCADING
from katana_mcp.entities.purchase_orders.lines import line
from katana_mcp.entities.purchase_orders.wanted import Changed, Wanted, by_id
from katana_mcp.names import text
from katana_mcp.values import whole
from katana_mcp.writing.meaning import same
from katana_mcp.writing.preview import FieldChange, PlanLine, shown_field, shown_value


def lines_of(wanted: Wanted) -> list[PlanLine]:
    """Return every row as it would be, each change marked, and those that would go."""
    known, old = wanted.facts.directory, by_id(wanted.facts.rows)
    home = wanted.head.get("location_id") or wanted.facts.record.get("location_id")
    touched = {whole(each.record, "id") for each in wanted.changed_rows}
    lines: list[PlanLine] = []
    for row in wanted.rows_then:
        before = old.get(whole(row, "id") or 0)
        changes = whole(row, "id") in touched or (before is not None and bool(_moved(before, row)))
        lines.append(line(row, known, "add" if before is None else "update" if changes else None, home))
    lines += [line(each, known, "delete", home) for each in wanted.deleted_rows]
    return lines


def cost_lines(wanted: Wanted) -> Iterator[PlanLine]:
    """Yield every cost in the same way."""
    known, gone = wanted.facts.directory, {whole(each, "id") for each in wanted.deleted_costs}
    fields = {whole(each.record, "id"): each.fields for each in wanted.changed_costs}
    for cost in wanted.facts.costs:
        new = fields.get(whole(cost, "id"))
        change = "delete" if whole(cost, "id") in gone else None if new is None else "update"
        yield cost_line({**cost, **(new or {})}, known, change)
    for each in wanted.new_costs:
        yield cost_line(each, known, "add")


def changes_of(wanted: Wanted) -> list[FieldChange]:
    """Return old and new value of each field, of rows and costs by their ids."""
    facts, known = wanted.facts, wanted.facts.directory
    head = {**wanted.head}
    latest = _latest(wanted)
    if latest is not None:
        head["expected_arrival_date"] = latest
    changes = [_field(name, name, facts.record, {name: value}, known) for name, value in head.items()]
    if wanted.status_then != facts.status:
        changes.append(FieldChange(field="status", old=facts.status, new=wanted.status_then))
    old, own = by_id(facts.rows), {whole(each.record, "id"): each for each in wanted.changed_rows}
    for row in wanted.rows_then:
        before = old.get(whole(row, "id") or 0)
        if before is not None:
            change = own.get(whole(row, "id"))
            changes += [_of_row(name, before, row, known) for name in _names(before, row, change)]
            changes += [] if change is None or change.received is None else [_received(before, change, known)]
    for each in wanted.changed_costs:
        of = f"additional_costs[id={whole(each.record, 'id')}]"
        changes += [_field(f"{of}.{name}", name, each.record, each.fields, known) for name in each.fields]
    return changes


def head_of(fields: Record, known: Directory) -> list[FieldChange]:
    """Return the fields of a new order's head, as they would be."""
    return [_field(name, name, {}, fields, known) for name, value in fields.items() if value is not None]


def _names(before: Record, row: Record, change: Changed | None) -> list[str]:
    own = [] if change is None else [name for name in change.fields if name not in CASCADING]
    return [
        *(name for name in own if not same(PurchaseOrderRow, name, before.get(name), row.get(name))),
        *_moved(before, row),
    ]


def _moved(before: Record, row: Record) -> list[str]:
    """Return what differs of the fields that the head overwrites."""
    return [name for name in CASCADING if not same(PurchaseOrderRow, name, before.get(name), row.get(name))]


def _of_row(name: str, before: Record, row: Record, known: Directory) -> FieldChange:
    return _field(f"rows[id={whole(before, 'id')}].{name}", name, before, row, known)


def _received(before: Record, change: Changed, known: Directory) -> FieldChange:
    of = f"rows[id={whole(before, 'id')}].received_date"
    old, new = (shown_field("received_date", at, known.days) for at in (before.get("received_date"), change.received))
    return FieldChange(field=of, old=old, new=new)


def _field(field: str, name: str, old: Record, new: Record, known: Directory) -> FieldChange:
    return FieldChange(field=field, old=_words(name, old.get(name), known), new=_words(name, new.get(name), known))


def _words(name: str, value: object, known: Directory) -> str | None:
    if name == "variant_id":
        found = known.good(value).named.found
        return found[0].called if found else shown_value(value)
    called = known.called(ENTITIES[name], value) if name in ENTITIES else None
    return called or shown_field(name, value, known.days)


def _latest(wanted: Wanted) -> str | None:
    """Return the date that the head takes from its latest row, where that is another than it would have."""
    moved = any("arrival_date" in each.fields for each in wanted.changed_rows)
    if not (moved or wanted.deleted_rows or wanted.new_rows):
        return None
    dates = [date for each in wanted.rows_then if (date := text(each, "arrival_date"))]
    head = wanted.head.get("expected_arrival_date") or wanted.facts.record.get("expected_arrival_date")
    latest = max(dates, default=None)
    return None if latest is None or same(PurchaseOrder, "expected_arrival_date", latest, head) else latest
