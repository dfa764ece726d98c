"""What request models share: closed at every depth, described, and with the same list window everywhere."""

import math
from decimal import Decimal
from functools import cache
from typing import Annotated, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.argument_words import ALSO, WORDS, Offers, Words
from katana_mcp.tools.described import Described
from katana_mcp.tools.hidden import without_hidden
from katana_mcp.tools.number_texts import CERTAIN


def _no_flag(said: str) -> BeforeValidator:
    def checked(value: object) -> object:
        if isinstance(value, bool):
            raise ValueError(said)
        return value

    return BeforeValidator(checked)


WHOLE, NUMBER = _no_flag("must be a whole number"), _no_flag("must be a number")
"""What a number must not be though Python takes it for one: true and false."""


MAX_ID, MAX_PAGE, MAX_AMOUNT = 2**31 - 1, 1_000_000, 10**15
"""The largest id, page and amount that is taken."""

type SkuOrVariantId = (
    Annotated[StrictStr, Field(min_length=1, max_length=256)] | Annotated[StrictInt, Field(ge=1, le=MAX_ID)]
)
type SkusOrVariantIds = Annotated[list[SkuOrVariantId], Field(min_length=1, max_length=250)]
type RecordNumber = Annotated[StrictInt, Field(ge=1, le=MAX_ID)]
type NameOrId = RecordNumber | Annotated[StrictStr, Field(min_length=1, max_length=256)]
type SearchLimit = Annotated[int, Field(ge=1, le=50), WHOLE]
type ListLimit = Annotated[int, Field(ge=1, le=250), WHOLE]
type PageNumber = Annotated[int, Field(ge=1, le=MAX_PAGE), WHOLE]


class Request(Described):
    """Base of every request: an unknown argument at any depth is refused, never ignored.

    Attributes:
        also: further names that are taken, each with the arguments that it may stand for, of which the first that
            the request has is meant: those under which answers show an id. They are not in the schema.
        words: names that people and models use and that are not taken, each with what to say instead: arguments, of
            which those that the request has are offered, or a sentence.

    Both go on to the requests that inherit from this one, and are added to there.
    """

    also: ClassVar[Offers] = ALSO
    words: ClassVar[Words] = WORDS

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="after")
    def _ranges_run_forward(self) -> Self:
        for first, last, word in _ranges_of(type(self)):
            low, high = getattr(self, first), getattr(self, last)
            if low is not None and high is not None and low > high:
                raise ValueError(f"{first}{_amount(low)} must not be {word} than {last}{_amount(high)}")
        return self


def _amount(value: object) -> str:
    return f" ({plain_number(Decimal(str(value)))})" if isinstance(value, int | float) else ""


def own_id(name: str, *others: str) -> Offers:
    """Return the names under which answers show the id of the document that this argument asks for."""
    return dict.fromkeys(("id", *others), (name,))


def own_ids(*names: str) -> Offers:
    """Return the names under which answers show the ids that `ids` asks for."""
    return own_id("ids", *names)


RANGES = (("_from", "_to", "later"), ("_min", "_max", "more"))


@cache
def _ranges_of(request: type[Request]) -> tuple[tuple[str, str, str], ...]:
    """Return the first and the last of each range that a request has, and what the first may not be beside the last."""
    return tuple(
        (first, last, word)
        for first in request.model_fields
        for begins, ends, word in RANGES
        if first.endswith(begins) and (last := f"{first.removesuffix(begins)}{ends}") in request.model_fields
    )


class SearchRequest(Request):
    """What every search takes."""

    query: Annotated[str, Field(min_length=1, max_length=1_000, coerce_numbers_to_str=True)]
    """A number, a name, a code; each word matches the start of a word; case and separators do not matter."""
    limit: SearchLimit = 20
    """Per page."""
    page: PageNumber = 1


class ForgivingSearchRequest(SearchRequest):
    """A search of what is also found by parts of words and past typing errors."""

    query: Annotated[str, Field(min_length=1, max_length=1_000, coerce_numbers_to_str=True)]
    """A number, a name, a code; each word matches the start of a word; case and separators do not matter. If none
    match, parts of words do, then misspelt words."""


class ListRequest(Request):
    """What every list takes; an entity's filters are added to it."""

    ids: Annotated[list[RecordNumber], Field(min_length=1, max_length=250)] | None = None
    """Only these, in order."""
    limit: ListLimit = 25
    """Per page."""
    page: PageNumber = 1


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must be a number")
    return value


_DECIMALS = 10
"""The most that Katana keeps of a number, by its descriptions of quantities and prices."""


def _plain(value: Decimal) -> Decimal:
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > _DECIMALS:
        raise ValueError(f"must have at most {_DECIMALS} decimals")
    return value


type WriteQuantity = Annotated[
    Decimal,
    Field(ge=0, le=MAX_AMOUNT),
    BeforeValidator(_finite),
    CERTAIN,
    AfterValidator(_plain),
    NUMBER,
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": MAX_AMOUNT}),
]
"""A quantity to write, exact: zero and fractions are values."""
type SignedQuantity = Annotated[
    Decimal,
    Field(ge=-MAX_AMOUNT, le=MAX_AMOUNT),
    BeforeValidator(_finite),
    CERTAIN,
    AfterValidator(_plain),
    NUMBER,
    WithJsonSchema({"type": "number", "minimum": -MAX_AMOUNT, "maximum": MAX_AMOUNT}),
]
"""The same with what is taken away as less than zero."""


def _some(value: list[object], info: ValidationInfo) -> list[object]:
    if info.context is not None and not value:
        raise ValueError("must have at least 1 entry, or be left out")
    return value


NOT_EMPTY = AfterValidator(_some)
"""Of a list that means all, or what is usual, where it is left out: an empty one would silently mean the same.

Only what a caller gives is judged: of what a plan works out for itself, nothing may be left.
"""


def _said(value: str) -> str:
    """Return what is to be seen of a name or a number: without blanks around it."""
    if not without_hidden(value).strip():
        raise ValueError("must not be blank")
    return value.strip()


type DocumentNumber = Annotated[StrictStr, Field(min_length=1, max_length=255), AfterValidator(_said)]
type Notes = Annotated[StrictStr, Field(max_length=5_000)]
type NewName = Annotated[StrictStr, Field(min_length=1, max_length=255), AfterValidator(_said)]
type ShortText = Annotated[StrictStr, Field(max_length=255)]
type Percent = Annotated[
    Decimal,
    Field(ge=0, le=100),
    BeforeValidator(_finite),
    CERTAIN,
    AfterValidator(_plain),
    NUMBER,
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 100}),
]


class WriteRequest(Request):
    """A request of a tool that plans a write: left out means unchanged, null means cleared.

    Attributes:
        never_null: fields that cannot be cleared.
    """

    never_null: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        fields = cast("dict[str, object]", given)
        for name in cls.never_null:
            if fields.get(name, ...) is None:
                raise ValueError(f"{name} cannot be null: leave it out instead")
        return fields
