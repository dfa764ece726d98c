"""Which variant and which batch a line of a count is about; what is not certain is not planned."""

from dataclasses import dataclass

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.reading import is_marked, place_of
from katana_mcp.entities.stocktakes.counting.table import CountLine, Line, UnreadLine
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references import wording
from katana_mcp.references.display_names import text
from katana_mcp.values import EMPTY, get_int

_FEW = 5


@dataclass(frozen=True, slots=True)
class Matched:
    """A line, and the ids of its variant and batch."""

    line: CountLine
    key: tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A line that is about nothing certain."""

    line: UnreadLine


def matched(line: Line, facts: Facts) -> Matched | Unmatched:
    """Return what a line is about."""
    if isinstance(line, UnreadLine):
        return Unmatched(line)
    named = facts.references["variant", line.sku_or_variant_id]
    wrong = [warning for warning in wording.unnamed("variant", named, line.where) if warning.severity == "blocking"]
    if wrong or named.one is None:
        why = wrong[0].message.removeprefix(f"{line.where}: ") if wrong else "is not certain"
        return _unmatched(line, why)
    record = facts.names.record("variant", named.one.id) or EMPTY
    if get_int(record, "service_id") is not None:
        return _unmatched(line, f"{named.one.called} is a service, which is never in stock")
    return _in_batch(line, named.one.id, named.one.called, facts)


def _in_batch(line: CountLine, variant: int, called: str, facts: Facts) -> Matched | Unmatched:
    """Return the same with the batch that the line names."""
    batches = {
        text(row, "batch_number"): get_int(row, "batch_id")
        for row in place_of(facts).batches
        if get_int(row, "variant_id") == variant
    }
    key = variant, None if line.batch is None else batches.get(line.batch)
    few = sorted(str(batch) for batch in batches)[:_FEW]
    has = f"it has {', '.join(few) or 'none'}{' and more' if len(batches) > _FEW else ''}"
    if not is_marked(facts.names, variant, "batch_tracked"):
        key = variant, None
        if line.batch is not None:
            return _unmatched(line, f"{called} is not kept in batches, but the line names {line.batch!r}")
    elif line.batch is None:
        return _unmatched(line, f"{called} is counted by batch, and the line names none; {has}")
    elif key[1] is None:
        return _unmatched(line, f"{called} has no batch {line.batch!r}; {has}")
    same = [row for row in facts.beside.get(ROWS, ()) if (row.get("variant_id"), row.get("batch_id")) == key]
    if len(same) > 1:
        return _unmatched(line, f"{called} has {len(same)} rows in the stocktake, one a bin: count it in Katana")
    return Matched(line, key)


def _unmatched(line: CountLine, why: str) -> Unmatched:
    return Unmatched(UnreadLine(line.where, line.path, why))
