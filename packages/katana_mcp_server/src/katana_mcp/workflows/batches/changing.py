"""`modify_traceability`: a batch made, or its number, barcode and dates changed, as one request.

Katana deletes no batch, and lists none that never had stock, so nothing tells whether one was made of which no answer
came.
"""

from collections.abc import Iterator, Mapping

from cache_core.records import Record, canonical
from katana_mcp.references.display_names import text
from katana_mcp.values import get_int
from katana_mcp.workflows.batches.batches import COLLECTION, FIELDS, VARIANT, BatchFacts
from katana_mcp.workflows.batches.request import ModifyTraceabilityRequest
from katana_mcp.writing.actions import Action, JsonObject, Recognise
from katana_mcp.writing.change import Draft, record_lane
from katana_mcp.writing.meaning import model_of, same
from katana_mcp.writing.preview import FieldChange, field_in_words

TOOL = "modify_traceability"


def body_of(request: ModifyTraceabilityRequest, facts: BatchFacts) -> dict[str, object]:
    """Return the fields that a request sets to something else than they are."""
    before = facts.before(request) or {}
    given = canonical({name: getattr(request, name) for name in FIELDS if name in request.model_fields_set})
    model = model_of(COLLECTION)
    return {name: value for name, value in given.items() if not same(model, name, value, before.get(name))}


def draft_of(request: ModifyTraceabilityRequest, facts: BatchFacts, *, is_lawful: bool) -> Draft:
    """Return what would be sent, as one action; none where the facts do not allow it."""
    before, goods = facts.before(request), facts.goods
    body, of = body_of(request, facts), "" if goods is None else f" of {goods.called}"
    changes = tuple(_changes(before or {}, body, facts))
    if goods is None or (request.batch is not None and before is None):
        return Draft(summary=f"batch {request.batch or request.batch_number}{of}", changes=changes)
    if before is None:
        action = _new(f"make batch {request.batch_number}{of}", goods.id, body)
        summary, undo = f"new batch {request.batch_number}{of}", None
    else:
        called = f"batch {text(before, 'batch_number')}{of}"
        details = ", ".join(f"{change.field} {change.new or 'cleared'}" for change in changes)
        action, summary = _change(f"change {called}", before, body), f"{called}: {details or 'no change'}"
        undo = {
            "tool": TOOL,
            "arguments": {
                "sku_or_variant_id": goods.id,
                "batch": before["batch_id"],
                **{name: before.get(name) for name in body},
            },
        }
    return Draft(
        summary=summary,
        actions=(action,) if is_lawful else (),
        id=None if before is None else get_int(before, "batch_id"),
        touches={"batch": {name: (before or {}).get(name) for name in ("batch_id", *FIELDS)}},
        lanes=(record_lane("batches of variant", goods.id),),
        changes=changes,
        prior_state=before,
        revert=undo if is_lawful else None,
        one_way="" if undo else "Katana deletes no batch",
    )


def _new(title: str, variant: int, body: Mapping[str, object]) -> Action:
    kept = {name: value for name, value in body.items() if value is not None}
    return Action(
        title=title,
        method="POST",
        path="/batches",
        body={"variant_id": variant, **kept},
        entity="batch",
    )


def _change(title: str, before: Record, body: JsonObject) -> Action:
    key = before["batch_id"]
    return Action(
        title=title,
        method="PATCH",
        path=f"/{COLLECTION}/{key}",
        body=body,
        entity=VARIANT,
        expects=body,
        recognise=Recognise(collection=COLLECTION, filters={"batch_id": key, "include_empty": True}),
        is_answered=False,
        answers_body=True,
        is_repeatable=True,
    )


def _changes(before: Record, body: JsonObject, facts: BatchFacts) -> Iterator[FieldChange]:
    for name, value in body.items():
        old, new = (field_in_words(name, raw, facts.days) for raw in (before.get(name), value))
        yield FieldChange(field=name, old=old, new=new)
