"""Listing filters: their names, wire form and cutting, and whether the server obeyed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import quote_plus
from uuid import UUID

from katana_client import jsontext
from katana_client.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

type Scalar = str | int | bool | Decimal | datetime | UUID
type FilterValue = Scalar | Iterable[Scalar] | None
type Parameters = dict[str, tuple[str, ...]]
"""Wire form: each name with its values; a repeated name is a list."""

DATES = ("created_at_min", "created_at_max", "updated_at_min", "updated_at_max")
DELETED = ("include_deleted",)
ARCHIVED = ("include_archived",)
_MAX_VALUES = 250
_MAX_LENGTH = 4_000
"""Bytes that the values of one filter take in the query: 200 ids of eight digits named `variant_id`."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The query parameters a collection knows; Katana silently ignores all others, so they are refused here.

    Attributes:
        single: Names that take one value.
        repeated: Names that take a list, sent by repeating the name.
    """

    single: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    @classmethod
    def of(cls, single: str, repeated: str = "") -> Self:
        """Return those of these names, with blanks between them."""
        return cls(tuple(single.split()), tuple(repeated.split()))

    def __contains__(self, name: object) -> bool:
        return name in self.single or name in self.repeated

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted(self.single + self.repeated)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What Katana's API can do with a collection, besides taking bodies.

    Attributes:
        deletes: Whether DELETE exists.
        lists: Whether GET of the collection exists.
        gets: How one record is read: by its own path, through the listing with a filter on ids, or not at all.
        uuid: Whether ids are UUIDs.
        filters: What the listing can be narrowed by, besides `limit` and `page`.
        get_filters: Parameters of GET by id.
    """

    deletes: bool = False
    lists: bool = True
    gets: Literal["path", "ids", "id", "recipe_row_id", "product_operation_row_id"] | None = None
    uuid: bool = False
    filters: Filters = field(default_factory=Filters)
    get_filters: Filters = field(default_factory=Filters)


def parameters(supported: Filters, filters: Mapping[str, FilterValue], where: str) -> Parameters:
    """Return the wire form; None values are left out.

    Raises:
        InvalidRequest: The collection does not know the name, or a value has no wire form (a naive datetime).
    """
    found: Parameters = {}
    for name, value in filters.items():
        if name not in supported:
            message = f"{where} has no filter {name[:60]!r}; it knows {', '.join(supported.names()) or 'none'}"
            raise InvalidRequest(message)
        if value is not None:
            found[name] = _values(value)
    return found


def split(supported: Filters, requested: Parameters) -> Iterator[Parameters]:
    """Cut long lists into requests of sane length; a name that takes one value gets one request per value.

    An empty list means no request at all: it never means "everything".
    """
    names = list(requested)
    choices = [list(_chunks(name, requested[name], _most(supported, name))) for name in names]
    for combination in product(*choices):
        yield dict(zip(names, combination, strict=True))


def batches[V: Scalar](
    supported: Filters, name: str, values: Iterable[V], most: int | None = None
) -> list[tuple[V, ...]]:
    """Cut the values of a filter into runs that fit one request each, in order, each as long as it may be.

    Args:
        supported: The filters of the collection; a name that takes one value gets runs of one.
        name: The filter.
        values: Any number; each is taken once.
        most: Values of a run at most, where the caller wants fewer than one request takes.
    """
    by_text = {_text(value): value for value in values}
    chunks = _chunks(name, tuple(by_text), min(_most(supported, name), most or _MAX_VALUES))
    return [tuple(by_text[text] for text in chunk) for chunk in chunks]


def query(requested: Parameters) -> tuple[tuple[str, str], ...]:
    """Return the pairs of the query string."""
    return tuple((name, value) for name, values in requested.items() for value in values)


def one_request(supported: Filters, requested: Parameters, where: str) -> Parameters:
    """Return `requested` when it fits one request.

    Raises:
        InvalidRequest: A list is empty, too long, or given to a name that takes one value; `list()` takes all
            of these.
    """
    requests = list(split(supported, requested))
    if len(requests) != 1:
        message = f"these filters of {where} need {len(requests)} listings: use list()"
        raise InvalidRequest(message)
    return requests[0]


def disobeyed(requested: Parameters, rows: Sequence[Mapping[str, object]]) -> str | None:
    """Return a sentence when a row contradicts an id filter that was asked for, else None.

    Only ids are compared: other filters have meanings (case, exactness) that are nowhere documented.
    """
    for name, values in requested.items():
        field = _field_of(name)
        if field is None:
            continue
        for row in rows:
            got = row.get(field)
            if isinstance(got, int | str) and str(got).lower() not in values:
                return f"the filter {name} was ignored: a row has {field} {str(got)[:40]}"
    return None


def _field_of(name: str) -> str | None:
    if name in ("id", "ids"):
        return "id"
    if name.endswith("_ids"):
        return name.removesuffix("s")
    return name if name.endswith("_id") else None


def _values(value: Scalar | Iterable[Scalar]) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (_text(value),)
    return tuple(dict.fromkeys(_text(item) for item in value))


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return jsontext.stamp(value.replace(microsecond=value.microsecond // 1000 * 1000))
    if isinstance(value, Decimal):
        return jsontext.number(value)
    return str(value)


def _most(supported: Filters, name: str) -> int:
    """Return how many values of a filter one request takes, however short they are."""
    return 1 if name in supported.single else _MAX_VALUES


def _chunks(name: str, values: tuple[str, ...], most: int) -> Iterator[tuple[str, ...]]:
    chunk: list[str] = []
    length = 0
    for value in values:
        size = len(name) + len(quote_plus(value, errors="replace")) + 2
        if chunk and (len(chunk) >= most or length + size > _MAX_LENGTH):
            yield tuple(chunk)
            chunk, length = [], 0
        chunk.append(value)
        length += size
    if chunk:
        yield tuple(chunk)
