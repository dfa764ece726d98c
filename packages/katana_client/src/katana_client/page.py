"""One page of a listing: what came, what of it is usable, and what the header said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from itertools import batched
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import ValidationError

from katana_client.lenient import field_path, read_leniently, refused
from katana_client.normalise import apply, plan_of
from katana_client.wire import ReadModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from katana_client.headers import Cursor


_AT_ONCE = 50
"""Rows that are validated in one go, where a page is validated in steps: some 2 ms on a usual machine."""


@dataclass(frozen=True, slots=True)
class InvalidRecord:
    """A record that cannot be used: nothing tells which one it is.

    Attributes:
        id: Its id where it has one, else None.
        reason: Which field and why; never the value.
        record: What Katana sent, normalised where it is an object.
    """

    id: int | str | None
    reason: str
    record: object


@dataclass(frozen=True)
class Shape[M: ReadModel]:
    """How rows are read.

    Attributes:
        model: The read model.
        key: The fields that identify a row; a row without them is invalid.
    """

    model: type[M]
    key: tuple[str, ...] = ("id",)


@dataclass(frozen=True)
class Page[M: ReadModel]:
    """A page of a listing.

    Attributes:
        number: 1 for the first.
        size: Rows asked for.
        shape: How its rows are read.
        records: Every object on the page as a plain dict, normalised: amounts are `Decimal`, moments are
            texts.
        strays: Rows that are no objects at all.
        cursor: What `X-Pagination` said.
    """

    number: int
    size: int
    shape: Shape[M]
    records: tuple[Mapping[str, object], ...]
    strays: tuple[object, ...]
    cursor: Cursor

    @property
    def count(self) -> int:
        """Rows that came, usable or not."""
        return len(self.records) + len(self.strays)

    @property
    def items(self) -> tuple[M, ...]:
        """The usable rows as models, validated when first asked for."""
        return self._read.items

    @property
    def valid_records(self) -> tuple[Mapping[str, object], ...]:
        """The usable rows as plain dicts, in step with `items`."""
        return self._read.records

    @property
    def unread(self) -> tuple[tuple[str, ...], ...]:
        """The fields of each usable row whose form nobody foresaw, in step with `items`; mostly none."""
        return self._read.unread

    @property
    def invalid(self) -> tuple[InvalidRecord, ...]:
        """The rows that cannot be used."""
        return self._read.invalid

    @property
    def total_records(self) -> int | None:
        """Rows of the whole listing, or None when the header is missing or unreadable."""
        return self.cursor.total_records

    @property
    def total_pages(self) -> int | None:
        """Pages of the whole listing, or None when the header is missing or unreadable."""
        return self.cursor.total_pages

    @property
    def header_missing(self) -> bool:
        """Whether the totals of `X-Pagination` are missing or unreadable."""
        return self.cursor.missing

    @property
    def is_last(self) -> bool:
        """Whether the listing ends here; without a readable header, whether the page is not full."""
        if self.cursor.total_pages is not None:
            return self.number >= self.cursor.total_pages
        return self.cursor.last if self.cursor.last is not None else self.count < self.size

    async def validate(self) -> None:
        """Validate the rows now, in steps: what waits for the event loop is let in between them."""
        readings: list[Reading[M] | InvalidRecord] = []
        for some in batched(self.records, _AT_ONCE):
            readings += [reading(self.shape, record) for record in some]
            await asyncio.sleep(0)
        vars(self)["_read"] = _rows(readings, self)

    @cached_property
    def _read(self) -> _Rows[M]:
        return _rows([reading(self.shape, record) for record in self.records], self)


class _Rows[M: ReadModel](NamedTuple):
    """The rows of a page as far as they can be read."""

    items: tuple[M, ...]
    records: tuple[Mapping[str, object], ...]
    unread: tuple[tuple[str, ...], ...]
    invalid: tuple[InvalidRecord, ...]


def read_page[M: ReadModel](
    shape: Shape[M], rows: Sequence[object], cursor: Cursor, numbers: tuple[int, int]
) -> Page[M]:
    """Return a page.

    Args:
        shape: How rows are read.
        rows: The decoded rows.
        cursor: What the header said.
        numbers: Page number and page size.
    """
    plan = plan_of(shape.model)
    records = tuple(apply(cast("dict[str, object]", row), plan) for row in rows if isinstance(row, dict))
    strays = tuple(row for row in rows if not isinstance(row, dict))
    return Page(numbers[0], numbers[1], shape, records, strays, cursor)


class Reading[M: ReadModel](NamedTuple):
    """A record as it could be read.

    Attributes:
        item: The model; without the fields that cannot be read.
        unread: The paths of fields whose form nobody foresaw: `variants[].lead_time`.
    """

    item: M
    unread: tuple[str, ...] = ()


def reading[M: ReadModel](shape: Shape[M], record: Mapping[str, object]) -> Reading[M] | InvalidRecord:
    """Return what can be read of one normalised record, or why nothing tells which one it is."""
    for name in shape.key:
        if record.get(name) is None:
            return InvalidRecord(_identity(record), f"{name}: missing", record)
    try:
        return Reading(shape.model.model_validate(record))
    except ValidationError as error:
        places = refused(error, record)
        if any(place[0] in shape.key for place in places):
            return InvalidRecord(_identity(record), explain(error), record)
    unread = dict.fromkeys(map(field_path, places))
    return Reading(read_leniently(shape.model, record), tuple(unread))


def read_record[M: ReadModel](shape: Shape[M], record: Mapping[str, object]) -> M | InvalidRecord:
    """Return the model of one normalised record, or why nothing tells which one it is."""
    read = reading(shape, record)
    return read if isinstance(read, InvalidRecord) else read.item


def unread_fields(shape: Shape[ReadModel], record: Mapping[str, object]) -> tuple[str, ...]:
    """Return the paths of the fields of one normalised record whose form nobody foresaw."""
    read = reading(shape, record)
    return () if isinstance(read, InvalidRecord) else read.unread


def read_what_is_there[M: ReadModel](shape: Shape[M], record: Mapping[str, object]) -> M:
    """Return a model of the fields that can be read; the others count as not sent."""
    return read_leniently(shape.model, record)


def explain(error: ValidationError) -> str:
    """Return which fields are wrong and why, without their values."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, detail['loc']))[:80]}: {detail['msg']}" for detail in details[:5])


def _identity(record: Mapping[str, object]) -> int | str | None:
    value = record.get("id")
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _rows[M: ReadModel](readings: Sequence[Reading[M] | InvalidRecord], page: Page[M]) -> _Rows[M]:
    read = list(zip(readings, page.records, strict=True))
    usable = [(one, record) for one, record in read if isinstance(one, Reading)]
    invalid = [one for one in readings if isinstance(one, InvalidRecord)]
    return _Rows(
        tuple(one.item for one, _ in usable),
        tuple(record for _, record in usable),
        tuple(one.unread for one, _ in usable),
        (*invalid, *(InvalidRecord(None, "not an object", stray) for stray in page.strays)),
    )
