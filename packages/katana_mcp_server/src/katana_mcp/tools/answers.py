"""What answers share: exact numbers, freshness, honest totals and a bounded size."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter, WithJsonSchema

from katana_mcp.tools.described import Described
from katana_mcp.tools.hidden import escape_hidden
from katana_mcp.tools.outgoing import LONG_TEXT, MAX_ANSWER_BYTES, cut_in, json_of
from katana_mcp.tools.warnings import ToolWarning


def first_of(texts: Sequence[str], most: int, count: int | None = None) -> str:
    """Return the first few of these texts, and how many more there are: `A, B and 3 more`.

    Args:
        texts: all of them, or at least what is shown.
        most: how many are shown.
        count: how many there are, where `texts` does not hold all.
    """
    more = (len(texts) if count is None else count) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def so_many(count: int, what: str) -> str:
    """Return a count of things that end in s: `1 row`, `2 rows`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def plain_number(value: Decimal) -> int | float | str:
    """Return the decimal as a JSON number where that is exact, else as its digits."""
    if value == value.to_integral_value() and abs(value) < 2**53:
        return int(value)
    number = float(value)
    if Decimal(repr(number)) == value:
        return number
    digits = format(value, "f")  # normalize() would round to the context's 28 digits
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def plain(value: object, *, nulls: bool = False) -> object:
    """Return a value of a record as JSON has it: amounts as numbers, and objects without what is null, unless kept."""
    if isinstance(value, Mapping):
        named = cast("Mapping[str, object]", value)
        return {name: plain(item, nulls=nulls) for name, item in named.items() if nulls or item is not None}
    if isinstance(value, list):
        return [plain(item, nulls=nulls) for item in cast("list[object]", value)]
    return plain_number(value) if isinstance(value, Decimal) else value


type Number = Annotated[
    Decimal,
    PlainSerializer(lru_cache(maxsize=4_096)(plain_number)),
    WithJsonSchema({"type": ["number", "string"]}, mode="serialization"),
]


class Answer(Described):
    """Base of every part of an answer; keys without a value are left out."""

    model_config = ConfigDict(frozen=True, defer_build=True)


ENVELOPE_BYTES = 3_000
"""What the envelope may take of an answer."""


def fitting[A: Answer](rows: list[A], beside: Iterable[BaseModel] = ()) -> list[A]:
    """Return the first rows that fit into one answer with what stands beside them; at least one."""
    beside = tuple(beside)
    if not rows[1:] or surely_fit((*rows, *beside)):  # of one row none can be left out
        return rows
    size = ENVELOPE_BYTES + sum(size_of(part) + 1 for part in beside)
    for index, row in enumerate(rows):
        size += size_of(row) + 1
        if size > MAX_ANSWER_BYTES and index:
            return rows[:index]
    return rows


def surely_fit(parts: Sequence[BaseModel]) -> bool:
    """Return whether all of these fit, found at once: most answers are far from too large."""
    data = _ANYTHING.dump_json(parts, exclude_none=True)
    # Only what is not ASCII, escaped, or no printing character may go out as more than its byte.
    others = 0 if data.isascii() else len(data.translate(None, _ASCII))
    size = len(data) + _LONGEST_SHOWN * (others + data.count(b"\\u") + data.count(b"\x7f"))
    return ENVELOPE_BYTES + size + len(parts) <= MAX_ANSWER_BYTES - _CUT_BYTES


_ANYTHING = TypeAdapter[object](object)
_ASCII = bytes(range(128))
_LONGEST_SHOWN = len("<U+E0001>")
"""Bytes that a character may take, which is hidden and therefore shown."""
_CUT_BYTES = 1_000
"""What texts may become longer by being cut: by some 20 bytes, and each has 2,000 to begin with."""


def size_of(part: BaseModel, texts: int = LONG_TEXT) -> int:
    """Return the bytes of a part's JSON text once its hidden characters are shown; controls are escaped in it.

    A longer text counts with so many characters: it is cut where there is no room for all of it.
    """
    text = part.model_dump_json(exclude_none=True)
    if len(text) > texts:
        text = json_of(cut_in(part.model_dump(mode="json", exclude_none=True), texts))
    return len(escape_hidden(text).encode()) + _LONGER * text.count("\\u00")


_LONGER = len("<U+0000>") - len("\\u0000")


class Stale(Answer):
    """Why and by how much the rows are older than they should be."""

    age_seconds: int
    reason: str


class Envelope(Answer):
    """What every data answer carries besides its rows."""

    as_of: str | None = None
    """When the rows were last known to be complete, UTC."""
    time_zone: str | None = None
    """The factory's, of which days are: dates without a time in arguments, `overdue`, the day of each moment."""
    stale: Stale | None = None
    warming: str | None = None
    """How far the first sync is, `120/2300`, while rows may be missing."""
    source: Literal["sandbox"] | None = None
    warnings: list[ToolWarning] = Field(default_factory=list[ToolWarning])
    next_actions: list[str] = Field(default_factory=list[str])


class Empty(Answer):
    """What was searched when nothing was found."""

    searched: str
    fields: list[str]
    """Where it was looked for."""
    records: int
    did_you_mean: list[str] = Field(default_factory=list[str])


class Listed[RowT: Answer](Envelope):
    """A page of a list."""

    rows: list[RowT]
    total: int | None = None
    """Of all pages; not while warming."""
    page: int
    limit: int
    has_more: bool | None = None
    not_found: list[int] | None = None
    """Ids asked for that do not exist."""
    empty: Empty | None = None


class Found[RowT: Answer](Envelope):
    """A page of a search, best first."""

    rows: list[RowT]
    matched: list[str] | None = None
    total: int | None = None
    """Of all pages."""
    total_is_lower_bound: bool | None = None
    has_more: bool | None = None
    empty: Empty | None = None


@cache
def found_of(row: type[Answer]) -> type[Found[Answer]]:
    """Return the answer model of a search whose rows have this shape."""
    return Found[row]  # pyright: ignore[reportReturnType] # ty: ignore[invalid-type-form] - chosen at run time


@cache
def listed_of(row: type[Answer]) -> type[Listed[Answer]]:
    """Return the answer model of a list whose rows have this shape."""
    return Listed[row]  # pyright: ignore[reportReturnType] # ty: ignore[invalid-type-form] - chosen at run time
