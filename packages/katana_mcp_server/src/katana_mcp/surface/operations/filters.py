"""What a filter of a list request means: each field of the model is annotated with one of these values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, TypeAliasType, cast, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator

from cache_core.conditions import Condition, NoneOf, OneOf, Order, Scalar, Where, Within
from cache_core.protocol import Selection, Stored
from cache_core.records import iso
from katana_mcp.references.display_names import CUSTOM_FIELDS, look_up, text, titled
from katana_mcp.references.namesakes import details_of, told_apart
from katana_mcp.references.resolve import resolved
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import instead
from katana_mcp.surface.operations.custom_filters import Carries, custom_values
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_errors import DATE, NO_SUCH_DAY
from katana_mcp.tools.days import DayReading
from katana_mcp.tools.requests import MAX_AMOUNT, NUMBER, ListRequest, NameOrId, Request, SkuOrVariantId
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import get_int, items

_MOST_WORDS = 1_000
MOST_INSIDE = 10_000
"""Rows of other documents that a filter looks through at most."""


@dataclass(frozen=True, slots=True)
class Means:
    """Conditions for a filter's value; the second argument is when the day of the request began at the factory.

    Attributes:
        conditions: makes them.
        text: the path of the text that the value must be to the letter, where it is one.
    """

    conditions: Callable[[Any, datetime], Where]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Refers:
    """The filter names records of another entity by id or exact name, code or SKU; they stand at `path`.

    Attributes:
        entity: the cache entity of those records.
        path: where their ids stand.
        called: what one of them is called.
        inside: the cache entity in whose records they stand, and its field that names what is listed; in what is
            listed itself where there is none.
    """

    entity: str
    path: str
    called: str
    inside: tuple[str, str] | None = None


def equals(path: str) -> Means:
    """The field is the value given."""
    return Means(lambda value, _: (OneOf(path, (value,)),))


def exactly(path: str) -> Means:
    """The field is the text given."""
    return Means(lambda value, _: (OneOf(path, (value,) if isinstance(value, str) else tuple(value)),), text=path)


def not_before(path: str) -> Means:
    """The moment is the one given or later."""
    return Means(lambda value, _: (Within(path, low=iso(value)),))


def not_after(path: str) -> Means:
    """The moment is the one given or earlier."""
    return Means(lambda value, _: (Within(path, high=iso(value)),))


def at_least(path: str) -> Means:
    """The amount is the one given or more."""
    return Means(lambda value, _: (Within(path, low=Decimal(str(value))),))


def at_most(path: str) -> Means:
    """The amount is the one given or less."""
    return Means(lambda value, _: (Within(path, high=Decimal(str(value))),))


def open_until(path: str, closed: str) -> Means:
    """A yes/no filter: true while the field has not this value, false once it has."""
    return Means(lambda value, _: (NoneOf(path, (closed,)) if value else OneOf(path, (closed,)),))


def where_set(conditions: Callable[[datetime], Where]) -> Means:
    """A filter that true switches on and false leaves off."""
    return Means(lambda value, now: conditions(now) if value else ())


def _in_utc(value: datetime, info: ValidationInfo) -> datetime:
    """Return the moment in UTC; one without an offset is one of the factory's time zone."""
    try:
        return _reading(info).days.moment(value) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError(_YEARS) from None


_YEARS = "must lie between the years 1 and 9999 in UTC"


def _reading(info: ValidationInfo) -> DayReading:
    """Return how days are read, and note that they are."""
    context: object = info.context
    if not isinstance(context, DayReading):
        return DayReading()
    context.used = True
    return context


def _written_out(value: object) -> object:
    """Pass on a date with its dashes; a bare number would be read as seconds since 1970."""
    if not isinstance(value, str) or _DATE.match(value) is None:
        raise ValueError(DATE)
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        raise ValueError(NO_SUCH_DAY) from None
    return value


def _end_of_day(value: object, info: ValidationInfo) -> object:
    """Take a date without a time as the end of that day: "to the 31st" includes the 31st."""
    text = str(_written_out(value))
    if _DATE.fullmatch(text) is None:
        return text
    try:
        return _reading(info).days.end(date.fromisoformat(text))
    except OverflowError:
        raise ValueError(_YEARS) from None


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

type Until = Annotated[datetime, BeforeValidator(_end_of_day), AfterValidator(_in_utc)]
"""A point in time up to which something counts; a date alone means the end of that day in the factory's time zone."""


def _with_offset(value: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> datetime:
    try:
        moment: datetime = read(_end_of_day(value, info))
    except ValueError as error:
        raise ValueError(NO_SUCH_DAY if str(error) == NO_SUCH_DAY else _INSTANT) from None
    if moment.tzinfo is None:
        raise ValueError(_INSTANT)
    return moment


_INSTANT = "must be a date or a moment with its offset from UTC, such as 2026-03-01 or 2026-03-01T17:00:00+02:00"

type Instant = Annotated[datetime, WrapValidator(_with_offset), AfterValidator(_in_utc)]
"""A point in time that says its offset, or a day, which means its end; the hour of a moment is not guessed."""

type Moment = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_in_utc)]
"""A point in time; without an offset it is one of the factory's time zone, a date alone its first moment."""


type Amount = Annotated[float, Field(ge=0, le=MAX_AMOUNT), NUMBER]
"""An amount of money."""

type ExactText = Annotated[str, Field(min_length=1, max_length=256)]
"""A text that the field must be, to the letter."""


def _currency(value: object) -> object:
    if not isinstance(value, str):
        return value
    code = value.strip().upper()
    if _CURRENCY.fullmatch(code) is None:
        raise ValueError("must be a currency code of three letters, such as EUR")
    return code


_CURRENCY = re.compile(r"[A-Z]{3}")

type Currency = Annotated[str, Field(pattern="^[A-Z]{3}$"), BeforeValidator(_currency)]
"""An ISO 4217 code, in any case."""


type Variants = Annotated[list[SkuOrVariantId], Field(min_length=1, max_length=100)]
"""SKUs (texts) or variant ids (integers)."""

type ByCreation = Literal["-created_at", "created_at"]
type ByChange = Literal["-updated_at", "updated_at"]
type ByTotal = Literal["-total_in_base_currency", "total_in_base_currency"]
"""Sort keys, newest and largest first, then the other way round."""

# Filters that are the same wherever they stand; no `type` aliases, because a field does not show what is inside one.
AtLocation = Annotated[
    NameOrId | None,
    Refers("location", "location_id", "location"),
    Field(description="Id, name or part of it."),
]
InCurrency = Annotated[Currency | None, equals("currency"), Field(description="Like EUR.")]
TotalFrom = Annotated[
    Amount | None,
    at_least("total"),
    Field(description="With tax."),
]
TotalTo = Annotated[
    Amount | None,
    at_most("total"),
    Field(description="With tax."),
]


class DatedListRequest(ListRequest):
    """A list of what carries the dates of its making and of its last change, and stays listed once it is deleted."""

    include_deleted: bool = False
    """Deleted too."""
    created_from: Annotated[Moment | None, not_before("created_at")] = None
    """Created."""
    created_to: Annotated[Until | None, not_after("created_at")] = None
    """Created."""
    updated_from: Annotated[Moment | None, not_before("updated_at")] = None
    """Changed."""
    updated_to: Annotated[Until | None, not_after("updated_at")] = None
    """Changed."""


class OrderedListRequest(DatedListRequest):
    """A list of orders, which carry the day of the order too."""

    ordered_from: Annotated[Moment | None, not_before("order_created_date")] = None
    """Order date."""
    ordered_to: Annotated[Until | None, not_after("order_created_date")] = None
    """Order date."""


def spelling(allowed: TypeAliasType) -> BeforeValidator:
    """Accept each value of a `Literal` in any case, with blanks or dashes for `_`: `not shipped`, `Not-Shipped`."""
    return BeforeValidator(spellings(get_args(allowed.__value__)))


def spellings(words: Iterable[str]) -> Callable[[object], object]:
    """Return what turns each spelling of a known value, or each of a list, into that value, and leaves the rest."""
    values = {word.casefold().replace("_", ""): word for word in words}

    def wire(value: object) -> object:
        if not isinstance(value, str):
            return value
        plain = value.casefold().replace("_", "").replace("-", "").replace(" ", "")
        return values.get(plain, value)

    def wires(value: object) -> object:
        if not isinstance(value, list):
            return wire(value)
        # A longer list is refused: no argument takes so many words, and most take none in a list.
        listed = cast("list[object]", value)
        return listed if len(listed) > _MOST_WORDS else [wire(item) for item in items(listed)]

    return wires


async def where(request: Request, services: Services, spelt: Mapping[str, list[str]] | None = None) -> Where:
    """Return the conditions of every filter that the request sets.

    Args:
        request: the arguments.
        services: the tenant's services.
        spelt: the spellings to take in place of a text, by the name of its filter.

    Raises:
        Refused: a name that nothing or several records have.
    """
    today = services.today()
    values = {name: (spelt or {}).get(name, getattr(request, name)) for name in type(request).model_fields}
    given = [
        (name, value, meaning)
        for name, field in type(request).model_fields.items()
        for meaning in field.metadata
        if (value := values[name]) is not None
    ]
    named = [
        (meaning.entity, filter_value)
        for _, value, meaning in given
        if isinstance(meaning, Refers)
        for filter_value in _filter_values(value)
    ]
    found = await resolved(services, named) if named else {}
    conditions: list[Condition] = []
    for name, value, meaning in given:
        if isinstance(meaning, Means):
            conditions.extend(meaning.conditions(value, today))
        elif isinstance(meaning, Carries):
            conditions.extend(
                await custom_values(name, cast("Mapping[str, Scalar]", getattr(request, name)), meaning, services)
            )
        elif isinstance(meaning, Refers):
            rows = [(filter_value, found[meaning.entity, filter_value]) for filter_value in _filter_values(value)]
            ids = tuple([await _one_id(filter_value, some, meaning, name, services) for filter_value, some in rows])
            conditions.append(await _standing(ids, meaning, name, services))
    return tuple(conditions)


def _filter_values(value: object) -> list[int | str]:
    """Return what a filter names: an id as it stands, a text by exact business key."""
    return [item for item in items(value) if isinstance(item, int | str)]


async def _standing(found: tuple[int, ...], refers: Refers, name: str, services: Services) -> Condition:
    """Return the condition that these ids stand where the filter says."""
    if refers.inside is None:
        return OneOf(refers.path, found)
    entity, owner = refers.inside
    selection = Selection((OneOf(refers.path, found),), Order("id", descending=True), MOST_INSIDE + 1)
    rows = await services.cache.select(entity, selection)
    if len(rows) > MOST_INSIDE:
        message = f"{name}: more than {MOST_INSIDE:,} {titled(entity)}s name these; ask for fewer of them"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, name))
    owners = dict.fromkeys(get_int(row.record, owner) for row in rows)
    return OneOf("id", tuple(owner_id for owner_id in owners if owner_id is not None))


async def _one_id(value: int | str, found: Sequence[Stored], refers: Refers, name: str, services: Services) -> int:
    """Return the id of what was found: no rows for an unknown name would read as none for a known one."""
    if len(found) == 1 and isinstance(found[0].id, int):
        return found[0].id
    if found:
        raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, await _candidates(value, refers, found, services), name))
    if isinstance(value, int):
        raise Refused(blocking(warning_codes.NOT_FOUND, f"no {refers.called} has the id {value}", name))
    message = f"no {refers.called} is called exactly {value!r}{await instead(services, refers.entity, value)}"
    raise Refused(blocking(warning_codes.NOT_FOUND, message, name))


async def _candidates(value: int | str, refers: Refers, found: Sequence[Stored], services: Services) -> str:
    shown = found[:5]
    wanted = {refers.entity: (), "variant": [row.record.get("variant_id") for row in shown]}
    names = await look_up(services.cache, wanted, [(refers.entity, row) for row in shown])
    called = names.display if refers.entity == "variant" else partial(text, field_name="name")
    details = [details_of(refers.entity, row.record, names) for row in shown]
    apart = told_apart([(str(called(row.record) or value), own) for row, own in zip(shown, details, strict=True)])
    choices = ", ".join(f"{row.id} ({name})" for row, name in zip(shown, apart, strict=True))
    return f"{len(found)} {refers.called}s are called {value!r}; name one by id: {choices}"


def _given(request: Request) -> Iterator[tuple[str, Any, object]]:
    """Yield the filters that are set: name, value, and what is said of its meaning."""
    for name, field in type(request).model_fields.items():
        if (value := getattr(request, name)) is not None:
            yield from ((name, value, meaning) for meaning in field.metadata)


def references_of(request: Request) -> Iterator[tuple[str, Refers, object]]:
    """Yield the filters that are set and name records, each with its value."""
    yield from ((name, meaning, value) for name, value, meaning in _given(request) if isinstance(meaning, Refers))


def needed(request: Request) -> tuple[str, ...]:
    """Return the cache entities whose names the request's filters use."""
    meanings = [meaning for _, meaning, _ in references_of(request)]
    named = [entity for meaning in meanings for entity in (meaning.entity, *(meaning.inside or ())[:1])]
    carried = [meaning for _, _, meaning in _given(request) if isinstance(meaning, Carries)]
    parts = [entity for meaning in carried if meaning.parts is not None for entity in meaning.parts.paths]
    return (*named, *(CUSTOM_FIELDS if carried else ()), *parts)


def used_paths(request: Request, now: datetime) -> Iterator[tuple[str | None, str]]:
    """Yield the paths that the request's filters ask, with the cache entity where that is not what is listed."""
    for _, value, meaning in _given(request):
        if isinstance(meaning, Means):
            yield from ((None, condition.field) for condition in meaning.conditions(value, now))
        elif isinstance(meaning, Refers):
            yield (meaning.inside[0] if meaning.inside else None, meaning.path)
        elif isinstance(meaning, Carries):
            yield from ((None, path) for path in dict.fromkeys(meaning.places.values()))
            if meaning.parts is not None:
                yield from ((entity, path) for entity, (path, _) in meaning.parts.paths.items())


def texts_of(request: Request) -> dict[str, tuple[str, str]]:
    """Return the texts that a field must be to the letter, by filter, each with the path of the field."""
    fields = type(request).model_fields.items()
    paths = [(name, entry.text) for name, field in fields for entry in field.metadata if isinstance(entry, Means)]
    return {name: (path, value) for name, path in paths if path is not None and (value := getattr(request, name))}


def filters_of(model: type[Request]) -> tuple[str, ...]:
    """Return the names of the fields that carry a meaning."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if any(isinstance(entry, Means | Refers | Carries) for entry in field.metadata)
    )
