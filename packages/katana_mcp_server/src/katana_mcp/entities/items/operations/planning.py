"""Operations of a product: added in one request, changed and deleted one by one.

Orders copy the operations of their product when they are made, and keep theirs. Katana adds operations at the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from cache_core.records import Record, canonical
from katana_mcp.entities.items.operations.checks import COLLECTION, changed, checks
from katana_mcp.entities.items.operations.reading import OWNER, ROW_ID, OperationFacts
from katana_mcp.entities.items.operations.request import UPDATES, OperationsRequest
from katana_mcp.references.display_names import text
from katana_mcp.references.wording import NamedRecord
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.values import get_int, number
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Recognise
from katana_mcp.writing.change import USED, Draft
from katana_mcp.writing.preview import FieldChange, PlanLine, value_in_words

type _Update = tuple[int, Record, Mapping[str, object]]
"""The id of an operation, the operation, and the new values of its fields."""

_OPERATION = "product_operation"
LANE = "operations of products"
"""What every plan of some holds: a row may belong to several variants."""
_COPIED = ("operation_id", "resource_id", "type", "planned_time_parameter", "cost_parameter")
_FIELDS = ("operation_name", "resource_name", "type", "planned_time_parameter", "cost_parameter")
_NO_IDS = "Katana does not say which ids the new operations have: `modify_bom` with the product alone shows them"
_UNSET = "a field that was empty before cannot be emptied again in Katana"
_AT_THE_END = "Katana adds operations at the end, so a deleted one would come back in another place, with another id"


def plan(request: OperationsRequest, facts: OperationFacts) -> Draft:
    """Return what would be sent, and the operations as they would be."""
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    mine = facts.one(request.sku_or_variant_id)
    called = str(request.sku_or_variant_id) if mine is None else mine.called
    new, updates = [*_new(request, facts)], [*_updates(request, facts)]
    deleted = [*_deleted(request, facts)]
    sent = [] if mine is None or not is_lawful else [*_sent(request, facts, mine)]
    used = [
        variant
        for asked in (request.sku_or_variant_id, request.copy_operations_of)
        if asked and (variant := facts.one(asked))
    ]
    was_unset = any(row.get(name) is None for _, row, fields in updates for name in fields)
    why = _NO_IDS if new else _AT_THE_END if deleted else _UNSET if was_unset else ""
    return Draft(
        summary=f"operations of {called}: {_counted(new, updates, deleted)}",
        actions=tuple(sent),
        touches={
            USED: {"variant": [asdict(record) for record in used]},
            "operations": [_bound(row) for row in facts.now],
            "copied": [_bound(row) for row in facts.copied],
        },
        lanes=(LANE,),
        id=None if mine is None else mine.id,
        lines=tuple(_lines(request, facts, new)),
        changes=tuple(_changes(updates)),
        prior_state={"operations": [*facts.now]},
        revert=None if why or mine is None or not sent else _back(mine.id, updates),
        one_way=why if sent else "",
    )


def _counted(new: Sequence[object], updates: Sequence[object], deleted: Sequence[object]) -> str:
    counts = ((len(new), "added"), (len(updates), "changed"), (len(deleted), "deleted"))
    return ", ".join(f"{count} {what}" for count, what in counts if count) or "no change"


def _new(request: OperationsRequest, facts: OperationFacts) -> Iterator[JsonObject]:
    """Yield what is sent of each new operation: as asked for, then as the other product has them."""
    for asked in request.add_operation_rows:
        yield asked.model_dump(exclude_unset=True)
    for row in facts.copied:
        named = {} if row.get("operation_id") is not None else {"operation_name": text(row, "operation_name")}
        yield {**named, **{name: row[name] for name in _COPIED if row.get(name) is not None}}


def _deleted(request: OperationsRequest, facts: OperationFacts) -> Iterator[tuple[int, Record]]:
    """Yield id and operation of each that goes."""
    for key in request.delete_operation_row_ids:
        if (row := facts.row(key)) is not None:
            yield key, row


def _updates(request: OperationsRequest, facts: OperationFacts) -> Iterator[_Update]:
    """Yield each that changes."""
    for asked in request.update_operation_rows:
        row = facts.row(asked.operation_row_id)
        if row is not None and (fields := changed(asked, row)):
            yield asked.operation_row_id, row, fields


def _sent(request: OperationsRequest, facts: OperationFacts, mine: NamedRecord) -> Iterator[Action]:
    for key, row, fields in _updates(request, facts):
        yield _on_row(f"change operation {key} ({text(row, 'operation_name')}) of {mine.called}", key, fields)
    for key, row in _deleted(request, facts):
        yield _on_row(f"delete operation {key} ({text(row, 'operation_name')}) of {mine.called}", key, None)
    rows = [canonical({OWNER: mine.id, **record}) for record in _new(request, facts)]
    if rows:
        yield Action(
            title=f"add {so_many(len(rows), 'operation')} to {mine.called}",
            method="POST",
            path=f"/{COLLECTION}",
            body={"keep_current_rows": True, "rows": rows},
            entity=_OPERATION,
            expects={"rows": rows},
            recognise=Recognise(
                collection=COLLECTION,
                filters={OWNER: mine.id},
                besides=tuple(sorted(key for row in facts.now if (key := get_int(row, ROW_ID)) is not None)),
            ),
            is_answered=False,
            answers_many=len(rows),
        )


def _on_row(title: str, key: int, fields: Mapping[str, object] | None) -> Action:
    """Return what changes an operation, or deletes it; a listing shows it once for each variant that has it."""
    body = None if fields is None else canonical(fields)
    return Action(
        title=title,
        method="DELETE" if body is None else "PATCH",
        path=f"/{COLLECTION}/{key}",
        body=body,
        entity=_OPERATION,
        record=key,
        expects=body or {},
        recognise=Recognise(collection=COLLECTION, filters={ROW_ID: key}),
        answers_body=body is not None,
        is_repeatable=body is not None,
    )


def _bound(row: Record) -> JsonObject:
    """Return what of an operation the plan depends on."""
    return canonical({name: row.get(name) for name in (ROW_ID, *_FIELDS)})


def _lines(request: OperationsRequest, facts: OperationFacts, new: Sequence[JsonObject]) -> Iterator[PlanLine]:
    """Yield the operations as they would be."""
    given = {key: fields for key, _, fields in _updates(request, facts)}
    for row in facts.now:
        key = get_int(row, ROW_ID) or 0
        change = "delete" if key in request.delete_operation_row_ids else "update" if key in given else None
        yield PlanLine(row_id=key, change=change, name=_in_words({**row, **given.get(key, {})}))
    for record in (*new[: len(request.add_operation_rows)], *facts.copied):
        yield PlanLine(change="add", name=_in_words(record))


def _in_words(row: Mapping[str, object]) -> str:
    """Return an operation as people say it: what, where, and what its time and its cost are by."""
    where, kind = text(row, "resource_name"), text(row, "type") or "process"
    seconds, cost = number(row, "planned_time_parameter"), number(row, "cost_parameter")
    parts = [kind]
    parts += [] if seconds is None else [f"{plain_number(seconds)} s"]
    parts += [] if cost is None else [f"cost {plain_number(cost)}"]
    return f"{text(row, 'operation_name')}{f' at {where}' if where else ''} ({', '.join(parts)})"


def _changes(updates: Sequence[_Update]) -> Iterator[FieldChange]:
    for key, row, fields in updates:
        for name, value in fields.items():
            old = value_in_words(row.get(name))
            yield FieldChange(field=f"operation {key}: {name}", old=old, new=value_in_words(value))


def _back(variant: int, updates: Sequence[_Update]) -> JsonObject:
    """Return the arguments that give each changed operation its values back."""
    rows = [
        IfApplied(place, {"operation_row_id": key, **{name: row[name] for name in fields}})
        for place, (key, row, fields) in enumerate(updates)
    ]
    return {"sku_or_variant_id": variant, UPDATES: rows}
