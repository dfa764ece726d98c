"""The call that takes a change of a purchase order back, and the one that makes a deleted order again."""

from collections.abc import Iterator, Mapping, Sequence

from cache_core.records import Record
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_mcp.entities.purchase_orders.costs import FIELDS as COST_FIELDS
from katana_mcp.entities.purchase_orders.head import CASCADING, COSTS, HEAD, ROWS, OldOrder
from katana_mcp.entities.purchase_orders.lines import FIELDS
from katana_mcp.entities.purchase_orders.wanted import Wanted, by_id
from katana_mcp.values import rows, whole
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Ref
from katana_mcp.writing.meaning import same

_BACK = {
    ("DRAFT", "NOT_RECEIVED"): "DRAFT",
    ("NOT_RECEIVED", "DRAFT"): "NOT_RECEIVED",
    ("NOT_RECEIVED", "RECEIVED"): "NOT_RECEIVED",
    ("RECEIVED", "NOT_RECEIVED"): "RECEIVED",
}
"""How a status is taken back: what was received in part cannot be received again by a status."""


def undo(wanted: Wanted, actions: Sequence[Action]) -> JsonObject | None:
    """Return the call that plans the opposite of a change; None where there is no way back."""
    facts, status = wanted.facts, wanted.status
    before = by_id(rows(facts.record, ROWS))
    back = None if status is None else _BACK.get((facts.status, status))
    batched = any(facts.directory.good(each.get("variant_id")).in_batches for each in facts.rows)
    if (status is not None and back is None) or (back == "RECEIVED" and batched) or _is_final(wanted):
        return None
    head = {name: facts.record.get(name) for name in wanted.head}
    lists: dict[str, list[object]] = {
        "add_rows": _undeleted(actions, ROWS, {each: _row_again(before[each]) for each in by_id(wanted.deleted_rows)}),
        "update_rows": list(_rows_back(wanted, status == "NOT_RECEIVED")),
        "delete_row_ids": [IfApplied(place, Ref(place, "id")) for place in _made(actions, ROWS)],
        "add_additional_costs": _undeleted(
            actions, COSTS, {key: _again(each, COST_FIELDS) for key, each in by_id(wanted.deleted_costs).items()}
        ),
        "update_additional_costs": [
            {"additional_cost_row_id": whole(each.record, "id"), **_again(each.record, tuple(each.fields))}
            for each in wanted.changed_costs
        ],
        "delete_additional_cost_row_ids": [IfApplied(place, Ref(place, "id")) for place in _made(actions, COSTS)],
    }
    arguments: dict[str, object] = {
        "purchase_order_id": facts.id,
        **{name: value or "" for name, value in head.items() if value is not None or name == "additional_info"},
        **{name: each for name, each in lists.items() if each},
        **({} if back is None else {"status": back}),
        **({"unreceive": True} if back == "NOT_RECEIVED" and status == "RECEIVED" else {}),
    }
    return {"tool": "modify_purchase_order", "arguments": arguments}


def _is_final(wanted: Wanted) -> bool:
    """Return whether something would stay that no request takes back.

    A field that was empty cannot be emptied, and an order whose rows have all come takes no more rows.
    """
    head = [wanted.facts.record.get(name) for name in wanted.head if name != "additional_info"]
    before = by_id(wanted.facts.rows)
    cells = [before[whole(each.record, "id") or 0].get(name) for each in wanted.changed_rows for name in each.fields]
    return None in [*head, *cells] or (wanted.status is None and wanted.status_then != wanted.standing)


def _rows_back(wanted: Wanted, unreceived: bool) -> Iterator[dict[str, object]]:
    """Yield what brings each row back that stays; all that the head overwrites as well, now or on the way back."""
    own = {whole(each.record, "id"): each for each in wanted.changed_rows}
    then = by_id(wanted.rows_then)
    for row_id, before in by_id(wanted.facts.rows).items():
        if row_id not in then:
            continue
        change = own.get(row_id)
        names = [] if change is None else [each for each in change.fields if each not in CASCADING]
        names += [
            name
            for name, cause in CASCADING.items()
            if cause in wanted.head or not same(PurchaseOrderRow, name, before.get(name), then[row_id].get(name))
        ]
        if before.get("received_date") is not None and not wanted.reverts:
            names = [each for each in names if each != "arrival_date"]  # it may be locked

        if unreceived or (change is not None and change.received is not None):
            names.append("received_date")
        found = _again(before, tuple(names))
        if found:
            yield {"row_id": row_id, **found}


def _made(actions: Sequence[Action], collection: str) -> list[int]:
    return [place for place, each in enumerate(actions) if (each.method, each.path) == ("POST", f"/{collection}")]


def _undeleted(actions: Sequence[Action], collection: str, again: Mapping[int, dict[str, object]]) -> list[object]:
    """Return what makes rows or costs again, each only if it was deleted: a plan may stop before that."""
    places = {each.path: place for place, each in enumerate(actions) if each.method == "DELETE"}
    return [IfApplied(places[f"/{collection}/{key}"], each) for key, each in again.items()]


def _row_again(row: Record) -> dict[str, object]:
    return _again(row, FIELDS)


def _again(record: Record, names: Sequence[str]) -> dict[str, object]:
    found = {name: record[name] for name in names if record.get(name) is not None}
    return {"sku_or_variant_id" if name == "variant_id" else name: value for name, value in found.items()}


def made_again(facts: OldOrder) -> JsonObject | None:
    """Return the call that plans a deleted order again, open, with its rows and costs; None where it had no rows."""
    record, held = facts.record, facts.rows
    if not held:
        return None
    home = whole(record, "location_id")
    places = [whole(each, "location_id") for each in held]
    outsourced = record.get("entity_type") == "outsourced"
    arguments: dict[str, object] = {
        **{name: record[name] for name in HEAD if record.get(name) is not None and record[name] != ""},
        # Katana makes an order with a row for its own location only.
        "location_id": home if home in places else places[0],
        "status": "DRAFT" if facts.status == "DRAFT" else "NOT_RECEIVED",
        "rows": [{**_row_again(each), "location_id": place} for each, place in zip(held, places, strict=True)],
        **({"entity_type": "outsourced"} if outsourced else {}),
        **({"additional_costs": [_again(each, COST_FIELDS) for each in facts.costs]} if facts.costs else {}),
    }
    return {"tool": "create_purchase_order", "arguments": arguments}
