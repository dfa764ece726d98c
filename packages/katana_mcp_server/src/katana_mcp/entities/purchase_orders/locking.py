"""What the status of a purchase order, its receipts and its rows forbid, or make worth a second look."""

from collections import Counter
from collections.abc import Mapping, Sequence

from cache_core.records import Record
from katana_mcp.entities.purchase_orders.cascading import cascades, told_rows
from katana_mcp.entities.purchase_orders.costs import cost_checks
from katana_mcp.entities.purchase_orders.head import ENTITY, PARTIES, OldOrder
from katana_mcp.entities.purchase_orders.lines import LOCKED, field_checks, new_row_checks
from katana_mcp.entities.purchase_orders.parts import second_looks
from katana_mcp.entities.purchase_orders.receipts import received, status_moves, taken_out
from katana_mcp.entities.purchase_orders.taxes import tax_checks
from katana_mcp.entities.purchase_orders.wanted import RECEIVED, ModifyPurchaseOrderRequest, Wanted, by_id
from katana_mcp.lookup import gone
from katana_mcp.names import text
from katana_mcp.naming import duplicates
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import whole
from katana_mcp.writing.stock_moves import described, in_a_sentence, shortages

_UNRECEIVED = frozenset({*PARTIES, "currency"})
_OPEN = frozenset({"order_no", "expected_arrival_date"})
_REFUSED = {(each, "DRAFT") for each in RECEIVED} | {("DRAFT", "RECEIVED")}


def checks(request: ModifyPurchaseOrderRequest, facts: OldOrder) -> list[ToolWarning]:
    """Return what speaks against a change."""
    wanted = Wanted(request, facts)
    warnings = gone(ENTITY, facts.number, facts.record, deleted=facts.deleted)
    warnings += [
        *facts.directory.unnamed_in(PARTIES, request),
        *_head(wanted),
        *duplicates(ENTITY, "order_no", request.order_no or "", facts.taken),
        *_contradiction(request),
        *_status(wanted),
        *_parts(wanted),
        *_rows(wanted),
        *cost_checks(request.add_additional_costs, "add_additional_costs", facts.directory),
        *cost_checks(request.update_additional_costs, "update_additional_costs", facts.directory),
    ]
    blocked = any(each.severity == "blocking" for each in warnings)
    if not blocked and not _anything(wanted):
        asked = any(getattr(request, name) != [] for name in request.model_fields_set - {"purchase_order_id"})
        like_that = f"purchase order {facts.number} is like that already: nothing would change"
        told = like_that if asked else f"nothing was asked: name what of purchase order {facts.number} should change"
        warnings.append(blocking(warning_codes.NO_EFFECTIVE_CHANGE, told))
    return warnings


def _anything(wanted: Wanted) -> bool:
    parts = (*wanted.new_rows, *wanted.changed_rows, *wanted.deleted_rows)
    costs = (*wanted.new_costs, *wanted.changed_costs, *wanted.deleted_costs)
    return bool(wanted.head or wanted.status or parts or costs)


def _locked(wanted: Wanted, what: str, path: str) -> ToolWarning:
    told = f"{path}: purchase order {wanted.facts.number} is {wanted.facts.status}, so {what}"
    return blocking(warning_codes.LOCKED, told, path)


def _head(wanted: Wanted) -> list[ToolWarning]:
    warnings: list[ToolWarning] = []
    for name in wanted.head:
        closed = (name in _UNRECEIVED and wanted.standing in RECEIVED) or (
            name in _OPEN and wanted.standing == "RECEIVED"
        )
        if closed:
            warnings.append(_locked(wanted, f"its {name} no longer changes", name))
    if "tracking_location_id" in wanted.head and wanted.facts.record.get("entity_type") != "outsourced":
        told = f"purchase order {wanted.facts.number} is not outsourced, so it has no tracking location"
        warnings.append(blocking(warning_codes.LOCKED, told, "tracking_location_id"))
    return [*warnings, *cascades(wanted)]


def _status(wanted: Wanted) -> list[ToolWarning]:
    facts, status = wanted.facts, wanted.status
    if status is None:
        return []
    if (facts.status, status) in _REFUSED:
        told = f"purchase order {facts.number} is {facts.status} and cannot become {status}"
        return [blocking(warning_codes.INVALID_STATUS_TRANSITION, told, "status")]
    if status == "RECEIVED":
        return _receives(wanted)
    if wanted.reverts:
        return _unreceives(wanted)
    if status == "DRAFT":
        told = f"purchase order {facts.number} is {facts.status}: as a draft its goods are no longer expected"
        return [advisory(warning_codes.STATUS_MOVES_BACK, told, "status")]
    return []


def _contradiction(request: ModifyPurchaseOrderRequest) -> list[ToolWarning]:
    if not request.unreceive or request.status in (None, "NOT_RECEIVED"):
        return []
    told = f"unreceive takes receipts back, so it does not go with status {request.status}"
    return [blocking(warning_codes.INVALID_ARGUMENT, told, "unreceive")]


def _unreceives(wanted: Wanted) -> list[ToolWarning]:
    """Return what taking receipts back means; it has to be asked for as such."""
    facts, rows = wanted.facts, received(wanted.facts)
    told = f"un-receiving purchase order {facts.number} takes what has come out of stock again"
    moves = taken_out(facts, "status")
    if not wanted.request.unreceive:
        what = in_a_sentence(described(moves, facts.levels)) if moves else told_rows(rows, wanted)
        why = f"{told}: {what}; where that is meant, unreceive=true asks for it"
        return [blocking(warning_codes.UNRECEIVE_REQUIRED, why, "status")]
    told += f": {told_rows(rows, wanted)}"
    gone = [each for each in rows if each.get("id") in by_id(wanted.deleted_rows)]
    told += f"; the receipt date of {told_rows(gone, wanted)} is lost with the row" if gone else ""
    told += "; Katana may refuse it while a part is open" if facts.status == "PARTIALLY_RECEIVED" else ""
    return [advisory(warning_codes.STATUS_MOVES_BACK, told, "status"), *shortages(moves, facts.levels)]


def _receives(wanted: Wanted) -> list[ToolWarning]:
    then, called = wanted.rows_then, f"purchase order {wanted.facts.number}"
    dated = {each.record.get("id") for each in wanted.changed_rows if each.received is not None}
    rows = [each for each in then if each.get("received_date") is None]
    batched = [each for each in then if wanted.facts.directory.good(each.get("variant_id")).in_batches]
    if batched:
        told = f"rows of {called} are tracked by batch, so no status receives it: {told_rows(batched, wanted)}"
        return [blocking(warning_codes.BATCH_REQUIRED, told, "status")]
    if not then:
        told = f"{called} would have no rows to receive"
        return [blocking(warning_codes.EMPTY_ORDER, told, "status")]
    now, before = ([each for each in rows if (each.get("id") in dated) is own] for own in (False, True))
    told = f"every open row of {called} is received" + (f" now: {told_rows(now, wanted)}" if now else "")
    told += f"; with the receipt date that is given: {told_rows(before, wanted)}" if before else ""
    warnings = [advisory(warning_codes.RECEIVES_ROWS, told, "status")]
    return [*warnings, *shortages(status_moves(wanted), wanted.facts.levels)]


def _parts(wanted: Wanted) -> list[ToolWarning]:
    """Return ids of rows and costs that the order does not have, or that are named twice."""
    request = wanted.request
    rows = [(f"update_rows[{nr}].row_id", each.row_id) for nr, each in enumerate(request.update_rows)]
    rows += [(f"delete_row_ids[{nr}]", each) for nr, each in enumerate(request.delete_row_ids)]
    costs = [
        (f"update_additional_costs[{nr}].additional_cost_row_id", each.additional_cost_row_id)
        for nr, each in enumerate(request.update_additional_costs)
    ]
    costs += [
        (f"delete_additional_cost_row_ids[{nr}]", each)
        for nr, each in enumerate(request.delete_additional_cost_row_ids)
    ]
    groupless = request.add_additional_costs and wanted.facts.record.get("default_group_id") is None
    told = f"add_additional_costs: purchase order {wanted.facts.number} has no group for costs; add it in Katana"
    return [
        *([blocking(warning_codes.LOCKED, told, "add_additional_costs")] if groupless else []),
        *_unfit(rows, by_id(wanted.rows), "row", wanted.facts.number),
        *_unfit(costs, by_id(wanted.facts.costs), "additional cost", wanted.facts.number),
    ]


def _unfit(asked: Sequence[tuple[str, int]], there: Mapping[int, Record], what: str, order: str) -> list[ToolWarning]:
    warnings: list[ToolWarning] = []
    seen: Counter[int] = Counter()
    for path, row_id in asked:
        seen[row_id] += 1
        if row_id not in there:
            told = f"{path}: purchase order {order} has no {what} {row_id}"
            warnings.append(blocking(warning_codes.UNKNOWN_ROW_ID, told, path))
        elif seen[row_id] == 2:
            told = f"{path}: {what} {row_id} is named twice; say once what becomes of it"
            warnings.append(blocking(warning_codes.DUPLICATE_ROW, told, path))
    return warnings


def _rows(wanted: Wanted) -> list[ToolWarning]:
    request, known = wanted.request, wanted.facts.directory
    supplier = whole({**wanted.facts.record, **wanted.head}, "supplier_id")
    warnings = new_row_checks(request.add_rows, "add_rows", known, wanted.currency)
    warnings += second_looks(request.add_rows, "add_rows", known, supplier)
    warnings += tax_checks(request.add_rows, "add_rows", wanted.rows_then, known)
    if request.add_rows and wanted.standing == "RECEIVED":
        warnings.append(_locked(wanted, "it takes no more rows: order them with create_purchase_order", "add_rows"))
    for place, each in enumerate(request.update_rows):
        warnings += field_checks(each, f"update_rows[{place}]", known)
    for change in wanted.changed_rows:
        here = f"update_rows[{change.place}]"
        received = change.record.get("received_date") is not None
        names = [each for each in change.fields if received and each in LOCKED]
        shown = ["sku_or_variant_id" if each == "variant_id" else each for each in names]
        row = f"row {change.record.get('id')} is received"
        warnings += [_locked(wanted, f"{row} and its {each} no longer changes", f"{here}.{each}") for each in shown]
        if received and "arrival_date" in change.fields:
            told = f"{here}.arrival_date: {row}: Katana may refuse it, which ends the plan there"
            warnings.append(advisory(warning_codes.LOCKED, told, f"{here}.arrival_date"))
        if change.received is not None and not received and wanted.status != "RECEIVED":
            told = f"{here}.received_date: row {change.record.get('id')} is not received, so it has no date to change"
            warnings.append(blocking(warning_codes.LOCKED, told, f"{here}.received_date"))
    return [*warnings, *_deleted(wanted)]


def _deleted(wanted: Wanted) -> list[ToolWarning]:
    warnings: list[ToolWarning] = []
    there = by_id(wanted.rows)
    for place, row_id in enumerate(wanted.request.delete_row_ids):
        row = there.get(row_id, {})
        if wanted.standing == "RECEIVED" or text(row, "received_date") is not None:
            warnings.append(_locked(wanted, f"received row {row_id} is not deleted", f"delete_row_ids[{place}]"))
    if wanted.status_then != wanted.standing and wanted.status is None:
        told = f"purchase order {wanted.facts.number} has no open row left, so it becomes {wanted.status_then}"
        warnings.append(advisory(warning_codes.RECEIVES_ROWS, f"{told} and takes no more rows", "delete_row_ids"))
    if wanted.deleted_rows and not wanted.rows_then and wanted.status != "RECEIVED":
        told = f"purchase order {wanted.facts.number} would have no rows left; delete_purchase_order takes it away"
        warnings.append(advisory(warning_codes.EMPTY_ORDER, told, "delete_row_ids"))
    return warnings
