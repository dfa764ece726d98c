"""What speaks against making or changing a batch."""

from collections.abc import Iterator

from cache_core.records import Record, moment_in
from katana_mcp.references import wording
from katana_mcp.references.display_names import text
from katana_mcp.references.suggestions import same
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.workflows.batches.batches import FIELDS, VARIANT, BatchFacts
from katana_mcp.workflows.batches.changing import body_of
from katana_mcp.workflows.batches.request import ModifyTraceabilityRequest

_NAMED = 10


def checks(request: ModifyTraceabilityRequest, facts: BatchFacts) -> list[ToolWarning]:
    """Return what speaks against the plan."""
    return [*_against_item(facts), *_against_batch(request, facts), *_against_fields(request, facts)]


def _against_item(facts: BatchFacts) -> Iterator[ToolWarning]:
    path = "sku_or_variant_id"
    yield from wording.unnamed(VARIANT, facts.named, path)
    if facts.goods is not None and facts.is_tracked is False:
        message = f"{facts.goods.called} is not kept in batches: `modify_item` with batch_tracked=true changes that"
        yield blocking(warning_codes.INVALID_ARGUMENT, f"{path}: {message}", path)


def _against_batch(request: ModifyTraceabilityRequest, facts: BatchFacts) -> Iterator[ToolWarning]:
    if facts.goods is None:
        return
    if request.batch is None:
        if request.batch_number is None:
            message = "give batch_number to make a new batch, or batch to change one"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, "batch_number")
        return
    found = facts.meant(request.batch)
    if len(found) > 1:
        ids = ", ".join(f"{record['batch_id']} ({text(record, 'batch_number')})" for record in found[:_NAMED])
        message = (
            f"batch: {len(found)} batches of {facts.goods.called} are called {request.batch!r}; give the id: {ids}"
        )
        yield blocking(warning_codes.AMBIGUOUS_NAME, message, "batch")
    if not found:
        listed = ", ".join(
            f"{text(record, 'batch_number')} ({record['batch_id']})" for record in facts.batches[:_NAMED]
        )
        there = f"it has {listed}{' and others' if len(facts.batches) > _NAMED else ''}" if listed else "it has none"
        message = f"batch: {facts.goods.called} has no batch {request.batch!r} that Katana lists; {there}"
        yield blocking(warning_codes.NOT_FOUND, message, "batch")


def _against_fields(request: ModifyTraceabilityRequest, facts: BatchFacts) -> Iterator[ToolWarning]:
    before = facts.before(request)
    yield from _against_number(request, facts, before)
    if before is not None and not body_of(request, facts):
        message = f"batch {text(before, 'batch_number')} already has these values: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)
    after = {**(before or {}), **body_of(request, facts)}
    made, expires = (text(after, name) for name in FIELDS[2:])
    if made is not None and (moment_in(expires) or made) < (moment_in(made) or made):
        message = f"expiration_date: the batch would have expired before it was made ({facts.days.in_words(made)})"
        yield advisory(warning_codes.INVALID_ARGUMENT, message, "expiration_date")


def _against_number(
    request: ModifyTraceabilityRequest, facts: BatchFacts, before: Record | None
) -> Iterator[ToolWarning]:
    """Yield that the item has a batch of that number; of one that Katana does not list, the journal alone says so."""
    number, goods = request.batch_number, facts.goods
    if number is None or goods is None:
        return
    key = None if before is None else before.get("batch_id")
    taken, made = (
        [record for record in records if same(text(record, "batch_number") or "", number) and not _is(record, key)]
        for records in (facts.batches, facts.made)
    )
    path = "batch_number"
    if taken:
        message = f"{path}: batch {taken[0]['batch_id']} of {goods.called} is called {number} already"
        yield blocking(warning_codes.DUPLICATE_NAME, message, path)
    elif made:
        known = made[0]["batch_id"]
        which = f"batch {known} of {goods.called} was made from here as {number}"
        if known is None:
            which = f"a batch {number} of {goods.called} was made from here, or may have been"
        message = f"{path}: {which}; Katana does not list it before it has stock"
        yield advisory(warning_codes.DUPLICATE_NAME, message, path)


def _is(record: Record, key: object) -> bool:
    return key is not None and record.get("batch_id") == key
