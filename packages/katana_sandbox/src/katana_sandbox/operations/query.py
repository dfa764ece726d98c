"""Query parameters: the ones a collection declares are checked, all others are ignored."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from katana_sandbox.calls import Call
from katana_sandbox.descriptor import Collection, Context, Filter
from katana_sandbox.operations.parameters import filters_of, ranges_of
from katana_sandbox.store.select import Condition, Selection, Span
from katana_sandbox.switches import Switches
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import bad_parameter, not_found
from katana_sandbox.wire.numbers import is_decimal_text
from katana_sandbox.wire.pagination import Page
from katana_sandbox.wire.schema import INT32
from katana_sandbox.wire.times import epoch_ms, parse_moment

_DIGITS = 19
DEFAULT_LIMIT = 50
_MAXIMUM_LIMIT = 250


@dataclass(frozen=True, slots=True)
class ListQuery:
    """A list request, understood."""

    selection: Selection
    page: Page
    extend: tuple[str, ...]


class Parameters:
    """The query of one call."""

    def __init__(self, call: Call, switches: Switches) -> None:
        self._pairs = call.query
        self._switches = switches

    def all(self, name: str) -> list[str]:
        """Every value given for a name."""
        return [value for key, value in self._pairs if key == name]

    def last(self, name: str) -> str | None:
        """The last value given for a name."""
        values = self.all(name)
        return values[-1] if values else None

    def flag(self, name: str) -> bool | None:
        """A boolean in any case."""
        value = self.last(name)
        return None if value is None else _flag(name, value)

    def moment(self, name: str, *, up: bool) -> int | None:
        """Milliseconds of a date-time; a fraction of one is rounded inward."""
        value = self.last(name)
        if value is None:
            return None
        moment = parse_moment(value)
        if moment is None:
            raise bad_parameter(name, value)
        return epoch_ms(moment) + (up and bool(moment.microsecond % 1000))

    def span(self, name: str, *, supported: bool = True) -> Span:
        """The range between `name_min` and `name_max`."""
        if not supported:
            return Span()
        return Span(self.moment(f"{name}_min", up=True), self.moment(f"{name}_max", up=False))

    def page(self) -> Page:
        """Limit and page number; a limit that is too high is clamped or refused, as switched."""
        limit = self._count("limit", DEFAULT_LIMIT)
        if limit > _MAXIMUM_LIMIT and self._switches.word("over_maximum_limit") == "reject":
            raise bad_parameter("limit", str(limit))
        return Page(min(limit, _MAXIMUM_LIMIT), self._count("page", 1))

    def _count(self, name: str, default: int) -> int:
        value = self.last(name)
        if value is None:
            return default
        if not value.isascii() or not value.isdigit() or not int(value[:_DIGITS]) > 0 or len(value) > _DIGITS:
            raise bad_parameter(name, value)
        return int(value)


def list_query(call: Call, collection: Collection, switches: Switches) -> ListQuery:
    """The selection, page and extensions a list call asks for.

    Raises:
        Refused: 400 for a declared parameter with a value it cannot have.
    """
    given = Parameters(call, switches)
    ranges = ranges_of(collection)
    ids = given.all("ids") if ranges.ids else []
    selection = Selection(
        ids=tuple(_integer("ids", value.removesuffix(".0")) for value in ids) if ids else None,
        conditions=conditions(given, filters_of(collection)),
        created=given.span("created_at", supported=ranges.dates),
        updated=given.span("updated_at", supported=ranges.dates),
        deleted=bool(given.flag("include_deleted")) if ranges.deleted else False,
        archived=bool(given.flag("include_archived")) if ranges.archived else True,
    )
    return ListQuery(selection, given.page(), extend_names(given, collection))


def extend_names(given: Parameters, collection: Collection) -> tuple[str, ...]:
    """The linked objects asked for."""
    names = given.all("extend") if collection.extends else []
    for name in names:
        if name not in collection.extends:
            raise bad_parameter("extend", name, allowed=tuple(collection.extends))
    return tuple(dict.fromkeys(names))


def conditions(given: Parameters, filters: Sequence[Filter]) -> tuple[Condition, ...]:
    """The declared filters that a query uses."""
    found = (_condition(given, item) for item in filters)
    return tuple(condition for condition in found if condition is not None)


def _condition(given: Parameters, item: Filter) -> Condition | None:
    if item.kind in {"moment_min", "moment_max"}:
        bound = given.moment(item.name, up=item.kind == "moment_min")
        span = Span(low=bound) if item.kind == "moment_min" else Span(high=bound)
        return None if bound is None else Condition(item.column, "moment", span=span)
    values = given.all(item.name)
    if not values:
        return None
    parsed = tuple(_value(item, value) for value in (values if item.many else values[-1:]))
    kind = "int" if item.kind == "int" else "num" if item.kind == "num" else "bool" if item.kind == "bool" else "str"
    return Condition(item.column, kind, parsed)


def _value(item: Filter, value: str) -> object:
    if item.values and value not in item.values:
        raise bad_parameter(item.name, value, allowed=item.values)
    if item.kind == "int":
        return Decimal(_integer(item.name, value.removesuffix(".0")))
    if item.kind == "num":
        if not is_decimal_text(value):
            raise bad_parameter(item.name, value)
        return Decimal(value)
    if item.kind == "bool":
        return _flag(item.name, value)
    return "".join(f"_{letter}" if letter.isupper() else letter for letter in value).upper() if item.upper else value


def _flag(name: str, value: str) -> bool:
    if value.lower() not in {"true", "false"}:
        raise bad_parameter(name, value)
    return value.lower() == "true"


def _integer(name: str, value: str) -> int:
    digits = value.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _DIGITS:
        raise bad_parameter(name, value)
    return int(value)


def path_key(collection: Collection, call: Call) -> int | str:
    """The id in the path.

    Raises:
        Refused: 400 when the collection counts its ids and this is no number.
    """
    if collection.key == "uuid":
        return call.path_id
    return min(_integer("id", call.path_id), INT32 + 1)


def path_record(ctx: Context, collection: Collection, call: Call) -> Record:
    """The live record whose id is in the path.

    Raises:
        Refused: 404 when there is none; 400 as for `path_key`.
    """
    record = ctx.get(collection.name, path_key(collection, call))
    if record is None:
        raise not_found()
    return record
