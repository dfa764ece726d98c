"""The sheet of a count: each variant and batch with its count beside the stock, what is new of it, and what is left."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from cache_core.records import Record
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.entry import Entry, Key
from katana_mcp.entities.stocktakes.counting.matching import Matched, Unmatched, matched
from katana_mcp.entities.stocktakes.counting.reading import Place, location_of, place_of
from katana_mcp.entities.stocktakes.counting.request import CountStockRequest
from katana_mcp.entities.stocktakes.counting.table import UnreadLine
from katana_mcp.entities.stocktakes.rows import ROWS
from katana_mcp.references.display_names import Names, text
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import EMPTY, get_bool, get_int, number

STATUSES = ("NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED")
MOST_ROWS = 100
"""Rows that a plan shows and sends at most: more do not fit into one answer."""
_OTHERS = 6
"""Requests of a plan besides those that change a row: rows that are new, the head, and statuses."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The whole sheet.

    Attributes:
        request: what was asked.
        facts: what was read.
        entries: rows of the stocktake as it is to be, those that are there first.
        unread: lines that were not understood.
        doubled: variants and batches that several lines count, in words.
    """

    request: CountStockRequest
    facts: Facts
    entries: Sequence[Entry] = ()
    unread: Sequence[UnreadLine] = ()
    doubled: Sequence[str] = field(default_factory=list[str])

    @cached_property
    def changed(self) -> list[Entry]:
        """All that is to be written, however much that is."""
        return [entry for entry in self.entries if entry.is_changed]

    @cached_property
    def planned(self) -> list[Entry]:
        """What of it this plan writes."""
        place = place_of(self.facts)
        most, requests = max(1, min(MOST_ROWS, place.most - _OTHERS)), place.most_writes - _OTHERS
        updates = [nr for nr, entry in enumerate(self.changed) if entry.row is not None]
        first = updates[requests] if len(updates) > max(requests, 0) else len(self.changed)
        return self.changed[: min(most, first)]

    @property
    def left(self) -> int:
        """How much of it another plan has to write."""
        return len(self.changed) - len(self.planned)

    @property
    def number(self) -> str:
        """What people call the stocktake."""
        numbered, record = self.facts.numbered, self.facts.record or EMPTY
        return numbered.number if numbered is not None else text(record, "stocktake_number") or str(record.get("id"))

    @property
    def now(self) -> str:
        """The status as it is."""
        return text(self.facts.record or EMPTY, "status") or STATUSES[0]

    @cached_property
    def status(self) -> str:
        """The status as it is to be: counting begins once all rows are there, so that their stock is noted then."""
        uncounted = bool(self.unread) or any(entry.counted is None for entry in self.entries)
        goal = STATUSES[0] if self.left else "COMPLETED" if self.request.complete else "COUNTED"
        if goal == "COUNTED" and uncounted:
            goal = "IN_PROGRESS"
        return max(goal, self.now, key=_rank)

    @property
    def is_completed(self) -> bool:
        """Whether this plan completes it."""
        return self.status == "COMPLETED" and self.now != "COMPLETED"

    @cached_property
    def booked(self) -> list[Entry]:
        """The entries as Katana books them once it is completed: what nobody counted may count as nothing."""
        is_none = bool(get_bool(self.facts.record or EMPTY, "set_remaining_items_as_counted"))
        zero = Decimal(0) if is_none else None
        return [entry if entry.counted is not None else entry.with_count(zero) for entry in self.entries]

    @cached_property
    def unlisted(self) -> list[int]:
        """Variants that were to be put on the list and cannot be: kept in batches, and there in none."""
        listed = {entry.variant for entry in self.entries}
        return [key for key in place_of(self.facts).scope or () if key not in listed]

    @cached_property
    def uncounted(self) -> list[tuple[int, Decimal, Decimal | None]]:
        """Variants in stock there of which nobody counted anything: id, stock and value, the most valuable first."""
        counted = {entry.variant for entry in self.entries if entry.counted is not None}
        found = [
            (key, held, number(level, "value_in_stock"))
            for key, level in place_of(self.facts).stock.items()
            if key not in counted and (held := number(level, "quantity_in_stock"))
        ]
        return sorted(found, key=lambda variant: (-(variant[2] or 0), variant[0]))

    def called(self, variant: int) -> str:
        """Return what people call a variant."""
        names = self.facts.names
        return names.sku(variant) or names.variant(variant) or str(variant)

    def batch_number(self, batch: int | None) -> str | None:
        """Return the number of a batch."""
        found = next((row for row in place_of(self.facts).batches if get_int(row, "batch_id") == batch), EMPTY)
        return None if batch is None else text(found, "batch_number") or str(batch)


def _rank(status: str) -> int:
    return STATUSES.index(status) if status in STATUSES else len(STATUSES)


def sheet_of(request: CountStockRequest, facts: Facts) -> Sheet:
    """Return the sheet of a count."""
    place, held = place_of(facts), facts.beside.get(ROWS, ())
    found = [matched(line, facts) for line in place.lines]
    groups: dict[Key, list[Matched]] = {}
    for result in found:
        if isinstance(result, Matched):
            groups.setdefault(result.key, []).append(result)
    rows: dict[Key, Record] = {}
    for row in held:
        rows.setdefault((get_int(row, "variant_id") or 0, get_int(row, "batch_id")), row)
    at = location_of(request, facts)
    keys = dict.fromkeys([*rows, *groups, *_of_scope(place, facts.names, at)])
    sheet = _Making(place, at, rows, groups)
    return Sheet(
        request=request,
        facts=facts,
        entries=[sheet.entry(key) for key in keys],
        unread=[result.line for result in found if isinstance(result, Unmatched)],
        doubled=[_doubled(facts.names, lines) for lines in groups.values() if len(lines) > 1],
    )


def _of_scope(place: Place, names: Names, at: int | None) -> Iterator[Key]:
    """Yield what is to be counted: goods with batches by each that is there."""
    for variant in place.scope or ():
        batches = [row for row in place.batches if get_int(row, "variant_id") == variant]
        there = [row for row in batches if get_int(row, "location_id") == at and number(row, "quantity_in_stock")]
        ordered = sorted(there, key=lambda row: text(row, "batch_number") or "")
        yield from ((variant, get_int(row, "batch_id")) for row in ordered)
        if not batches and not _is_tracked(names, variant):
            yield variant, None


def _is_tracked(names: Names, variant: int) -> bool:
    return bool(get_bool(names.item(names.record("variant", variant)) or EMPTY, "batch_tracked"))


@dataclass(frozen=True, slots=True)
class _Making:
    """What entries are made of."""

    place: Place
    at: int | None
    rows: Mapping[Key, Record]
    groups: Mapping[Key, Sequence[Matched]]

    def entry(self, key: Key) -> Entry:
        """Return the entry of a variant and batch: a new count stands in the place of an older one."""
        row, lines = self.rows.get(key), self.groups.get(key, ())
        before = None if row is None else number(row, "counted_quantity")
        counted = sum((line.line.quantity for line in lines), Decimal(0)) if lines else before
        noted = None if row is None else number(row, "in_stock_quantity")
        return Entry(
            variant=key[0],
            batch=key[1],
            counted=counted,
            row=row,
            held=self._held(key) if noted is None else noted,
            cost=number(self.place.stock.get(key[0], EMPTY), "average_cost"),
            path=lines[0].line.path if lines else None,
        )

    def _held(self, key: Key) -> Decimal | None:
        """Return what is in stock; a pair that Katana does not list is empty."""
        variant, batch = key
        if batch is not None:
            mine = [row for row in self.place.batches if get_int(row, "batch_id") == batch]
            there = [number(row, "quantity_in_stock") for row in mine if get_int(row, "location_id") == self.at]
            return sum((amount or Decimal(0) for amount in there), Decimal(0))
        if variant not in self.place.stock:
            return Decimal(0) if self.place.is_whole else None
        return number(self.place.stock[variant], "quantity_in_stock")


def _doubled(names: Names, lines: Sequence[Matched]) -> str:
    amounts = [str(plain_number(line.line.quantity)) for line in lines]
    total = plain_number(sum((line.line.quantity for line in lines), Decimal(0)))
    called = names.sku(lines[0].key[0]) or lines[0].key[0]
    return f"{called} in {', '.join(line.line.where for line in lines)}: {' + '.join(amounts)} = {total}"
