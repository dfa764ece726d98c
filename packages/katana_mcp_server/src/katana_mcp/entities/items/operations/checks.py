"""What speaks against a change of operations: what is not there, what is named twice, and who else is changed."""

from collections.abc import Iterator, Mapping

from cache_core.records import Record
from katana_mcp.entities.items.operations.reading import ROW_ID, VARIANT, OperationFacts
from katana_mcp.entities.items.operations.request import COPY, DELETES, UPDATES, ChangedOperation, OperationsRequest
from katana_mcp.references import wording
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int
from katana_mcp.writing.meaning import model_of, same

COLLECTION = "product_operation_rows"
_SUBJECT = "sku_or_variant_id"
_NAMED = 10


def changed(asked: ChangedOperation, row: Record) -> Mapping[str, object]:
    """Return the fields of an operation that a request gives another value."""
    model = model_of(COLLECTION)
    given = asked.model_dump(exclude={"operation_row_id"}, exclude_unset=True)
    return {name: value for name, value in given.items() if not same(model, name, value, row.get(name))}


def checks(request: OperationsRequest, facts: OperationFacts) -> list[ToolWarning]:
    """Return what speaks against the plan."""
    wrong = [*_against_product(request, facts), *_against_copy(request, facts)]
    if facts.product is None:
        return wrong
    wrong += _against_rows(request, facts)
    if not wrong and not changes_anything(request, facts):
        return [blocking(warning_codes.NO_EFFECTIVE_CHANGE, "the operations would stay as they are")]
    return [*wrong, *_of_others(request, facts)]


def changes_anything(request: OperationsRequest, facts: OperationFacts) -> bool:
    """Return whether anything is to be sent."""
    updates = ((asked, facts.row(asked.operation_row_id)) for asked in request.update_operation_rows)
    is_other = any(row is not None and changed(asked, row) for asked, row in updates)
    return bool(request.add_operation_rows or request.delete_operation_row_ids or facts.copied or is_other)


def _against_product(request: OperationsRequest, facts: OperationFacts) -> Iterator[ToolWarning]:
    given = facts.named[VARIANT, request.sku_or_variant_id]
    yield from wording.unnamed(VARIANT, given, _SUBJECT)
    if given.one is not None and facts.product is None:
        message = f"{_SUBJECT}: {given.one.called} does not belong to a product: only products have operations"
        yield blocking(warning_codes.NOT_PRODUCIBLE, message, _SUBJECT)


def _against_copy(request: OperationsRequest, facts: OperationFacts) -> Iterator[ToolWarning]:
    if request.copy_operations_of is None:
        return
    source = facts.named[VARIANT, request.copy_operations_of]
    yield from wording.unnamed(VARIANT, source, COPY)
    mine = facts.one(request.sku_or_variant_id)
    if source.one is not None and mine is not None and source.one.id == mine.id:
        message = f"{COPY}: {mine.called} would have each of its operations twice; name another product"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, COPY)
    elif source.one is not None and facts.product is not None and not facts.copied:
        message = f"{COPY}: {source.one.called} has no operations"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, COPY)


def _named(request: OperationsRequest) -> Iterator[tuple[str, int]]:
    """Yield path and id of each operation that is to change or to go."""
    yield from ((f"{UPDATES}[{nr}]", row.operation_row_id) for nr, row in enumerate(request.update_operation_rows))
    yield from ((f"{DELETES}[{nr}]", key) for nr, key in enumerate(request.delete_operation_row_ids))


def _against_rows(request: OperationsRequest, facts: OperationFacts) -> Iterator[ToolWarning]:
    seen = dict[int, str]()
    for path, key in _named(request):
        if facts.row(key) is None:
            existing = [f"{get_int(row, ROW_ID)} ({text(row, 'operation_name')})" for row in facts.now]
            there = f"there are {first_of(existing, _NAMED)}" if existing else "the product has none"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, f"{path}: the product has no operation {key}; {there}", path)
        first = seen.setdefault(key, path)
        if first != path:
            message = f"{path}: operation {key} is named in {first} already; name it once"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)


def _of_others(request: OperationsRequest, facts: OperationFacts) -> Iterator[ToolWarning]:
    """Yield which other variants have an operation that changes or goes, because it is one for all of them."""
    for path, key in _named(request):
        others = facts.shared.get(key, ())
        if others:
            message = f"{path}: operation {key} is also one of {first_of([*others], _NAMED)}: it changes there too"
            yield advisory(warning_codes.IN_USE, message, path)
