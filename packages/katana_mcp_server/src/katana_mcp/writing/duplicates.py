"""Documents that a new one may repeat by mistake: same party, same lines, within a day. Asks Katana nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from cache_core.conditions import OneOf, Within
from cache_core.protocol import Selection
from cache_core.records import Record, iso
from katana_mcp.journal.entries import JsonObject
from katana_mcp.journal.errors import JournalError
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, number_or_text, rows
from katana_mcp.writing.actions import Action

type Lines = Mapping[int, Decimal]
"""Quantity by variant id; how it is spread over rows says nothing, because receipts split rows."""

_DAY = timedelta(hours=24)
_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """What a new document has in common with those that it may repeat.

    Attributes:
        entity: the cache entity.
        number: the field that holds its number.
        rows: the field that holds its rows.
        party: the fields that name who it is for, and their ids.
        lines: quantity by variant.
    """

    entity: str
    number: str
    rows: str
    party: Mapping[str, int | None]
    lines: Lines


def lines_of(pairs: Iterable[tuple[int | None, Decimal | None]]) -> Lines:
    """Return the quantity of each variant."""
    sums = dict[int, Decimal]()
    for variant, quantity in pairs:
        sums[variant or 0] = sums.get(variant or 0, Decimal(0)) + (quantity or 0)
    return sums


async def possible_duplicates(new: Repeated, services: Services) -> tuple[str, ...]:
    """Return the numbers of live documents of the last day that are like a new one, in the cache or in the journal."""
    if None in new.party.values():
        return ()
    began = services.clock.now() - _DAY
    party = tuple(OneOf(name, (value,)) for name, value in new.party.items() if value is not None)
    recent = Selection((*party, Within("created_at", low=iso(began))), limit=_MOST)
    stored = await services.cache.select(new.entity, recent)
    found = [_called(new, row.record) for row in stored if _is_alike(new, row.record)]
    try:
        doubtful = await services.journal.documents_in_doubt(new.entity, services.tenant, began)
    except JournalError:
        return tuple(found)  # the preview says it where it needs the journal
    lost = [_lost(new, sent) for sent in doubtful]
    return tuple(dict.fromkeys([*found, *(doc_number for doc_number in lost if doc_number is not None)]))


def repeats(new: str, found: Iterable[str], path: str) -> list[ToolWarning]:
    """Return that a new document may be one that is there already."""
    named = list(found)
    have = "have" if len(named) > 1 else "has"
    alike = f"{', '.join(named)}, made in the last 24 hours, {have} the same parties and lines"
    warning = f"{alike}: check that you want another {new}"
    return [advisory(warning_codes.POSSIBLE_DUPLICATE, warning, path)] if named else []


def _lost(new: Repeated, sent: JsonObject) -> str | None:
    """Return what a request of a plan may have made without an answer that says so."""
    action = Action.read(sent)
    body = action.fields
    is_party = all(body.get(name) == value for name, value in new.party.items())
    if action.record is not None or not is_party:
        return None
    return f"{_called(new, body)} (unknown whether it was made)" if _is_alike(new, body) else None


def _is_alike(new: Repeated, record: Record) -> bool:
    pairs = ((get_int(row, "variant_id"), number_or_text(row, "quantity")) for row in rows(record, new.rows))
    return lines_of(pairs) == new.lines


def _called(new: Repeated, record: Record) -> str:
    return text(record, new.number) or str(record.get("id"))
