"""The two kinds of models, and the types their fields are made of.

Read models take what Katana sends: every field may be null or absent, enums are open text, unknown fields are
kept. Write models are closed, and tell absent from null from a value.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    StringConstraints,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

from katana_client import jsontext

if TYPE_CHECKING:
    from collections.abc import Mapping


def _as_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _refuse_null(value: object) -> object:
    if value is None:
        message = "null is not accepted by Katana: leave the field out instead"
        raise ValueError(message)
    return value


def _refuse_zero(value: Decimal) -> Decimal:
    if not value:
        message = "zero is not accepted by Katana"
        raise ValueError(message)
    return value


def _refuse_no_configs(value: object) -> object:
    if value in ([], ()):
        message = "Katana refuses an empty configs list: to drop all configs, delete the extra variants first"
        raise ValueError(message)
    return value


type Amount = Decimal | None
"""Read: money or a quantity, exact, whether Katana sent a number or a text."""


class _WireMoment:
    """Makes strict reading of a moment take the text of one with its offset, and lax reading what names one."""

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        sent = core_schema.str_schema(strict=True, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T")
        aware = core_schema.datetime_schema(strict=False, tz_constraint="aware")
        made = core_schema.datetime_schema(strict=True, tz_constraint="aware")
        strict = core_schema.union_schema([core_schema.chain_schema([sent, aware]), made], mode="left_to_right")
        return core_schema.lax_or_strict_schema(handler(source), strict)


type Moment = (
    Annotated[
        AwareDatetime | Annotated[datetime, AfterValidator(_as_utc)], Field(union_mode="left_to_right"), _WireMoment
    ]
    | None
)
"""Read: an aware date and time; one without offset is taken for UTC, and counts as unforeseen."""
type Linked = dict[str, object] | None
"""Read: an object kept as Katana sent it; `{}` is read as null."""

type Omittable[T] = Annotated[T | None, BeforeValidator(_refuse_null)]
"""Write: a field that may be left out but not be null."""
type NonEmpty = Annotated[str, StringConstraints(min_length=1)]
"""Write: text of at least one character."""
type Unit = Annotated[str, StringConstraints(min_length=1, max_length=7)]
"""Write: a unit of measure, 1 to 7 characters."""
type Category = Annotated[str, StringConstraints(min_length=1, max_length=35)]
"""Write: a category name, 1 to 35 characters."""
type Ref = Annotated[int, Field(ge=1, le=2_147_483_647)]
"""Write: the id of another record."""
type Price = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 11)]
"""Write: an item price, sent as a JSON number."""
type RowPrice = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 18)]
"""Write: a price or discount of an order row, sent as a JSON number."""
type Quantity = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 17)]
"""Write: a quantity, sent as a JSON number."""
type MadeQuantity = Annotated[Decimal, Field(ge=Decimal("0.00001"), le=Decimal(10) ** 15)]
"""Write: a quantity to make, or to use for it; 0.00001 at least."""
type PurchasePrice = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 17)]
"""Write: a price in the currency of a purchase order, without tax, sent as a JSON number."""
type Rate = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 12)]
"""Write: a conversion rate, sent as a JSON number."""
type TextAmount = Annotated[Decimal, PlainSerializer(jsontext.number, return_type=str)]
"""Write: an amount that Katana wants as text."""
type NonZero = Annotated[Decimal, AfterValidator(_refuse_zero)]
"""Write: an allocated quantity, negative for stock that leaves; never zero."""
type FreeFields = dict[str, object]
"""Write: custom fields by the UUID of their definition; null clears one."""
type Configs[T] = Annotated[
    list[T] | None, BeforeValidator(_refuse_null), BeforeValidator(_refuse_no_configs), Field(max_length=10)
]
"""Write: variant options, 1 to 10 of them; may be left out."""


class ReadModel(BaseModel):
    """A record as Katana sends it.

    Unknown fields are in `model_extra`; a field that Katana left out is not in `model_fields_set`. A value is taken in
    the form that Katana documents; `page.read_record` reads others too, and leaves out what cannot be read.
    """

    model_config = ConfigDict(
        strict=True,
        extra="allow",
        frozen=True,
        coerce_numbers_to_str=True,
        hide_input_in_errors=True,
        defer_build=True,
        protected_namespaces=(),
    )


class WriteModel(BaseModel):
    """A body to send. Only what was set is sent: left out, None and a value are three things."""

    not_copied: ClassVar[frozenset[str]] = frozenset()
    """Fields that `from_read` leaves out unless given: written, they mean something else or are mostly refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True, protected_namespaces=()
    )

    @classmethod
    def fitting(cls, values: dict[str, object]) -> dict[str, object]:
        """Return those of the copied `values` that go together; for fields that rule each other out."""
        return values

    def wire(self) -> dict[str, object]:
        """Return the body: numbers as `int` or `Decimal`, moments aware, texts where Katana wants texts."""
        return self.model_dump(exclude_unset=True, by_alias=True)

    @classmethod
    def from_read(cls, record: ReadModel, **changes: object) -> Self:
        """Return a body made of those fields of `record` that Katana accepts here, with `changes` on top.

        Left out are: what the server owns, what is null or empty, and a state that can be read but not
        written (such as `PARTIALLY_PACKED`). In an update, left out means unchanged.

        Raises:
            pydantic.ValidationError: A value of `changes`, or an unusual one of `record`, is not accepted.
        """
        values = {name: value for name, value in _writable(cls, record).items() if name not in changes}
        try:
            return cls.model_validate({**values, **changes})
        except ValidationError as error:
            states = {
                detail["loc"][0] for detail in error.errors(include_input=False) if detail["type"] == "literal_error"
            }
            kept = {name: value for name, value in values.items() if name not in states}
            return cls.model_validate({**kept, **changes})

    @classmethod
    def difference(cls, before: ReadModel, after: ReadModel) -> Self:
        """Return a body of those fields in which `after`, an edited copy of `before`, differs; the smallest update.

        Raises:
            pydantic.ValidationError: Katana does not accept a new value.
        """
        names = [name for name in cls.model_fields if name in after.model_fields_set]
        read: dict[str, tuple[object, object]] = {name: (getattr(before, name), getattr(after, name)) for name in names}
        return cls.model_validate({name: _nested(cls, name, new) for name, (old, new) in read.items() if old != new})


def _writable(model: type[WriteModel], record: ReadModel) -> dict[str, object]:
    names = [name for name in model.model_fields if name in record.model_fields_set - model.not_copied]
    read: dict[str, object] = {name: getattr(record, name) for name in names}
    found = {name: _nested(model, name, value) for name, value in read.items()}
    null = {name for name, field in model.model_fields.items() if field.is_required()}
    kept = {name: value for name, value in found.items() if value not in (None, "", [], {})}
    return model.fitting({**{name: None for name in found if found[name] is None and name in null}, **kept})


def _nested(model: type[WriteModel], name: str, value: object) -> object:
    inner = next(iter(models_in(model.model_fields[name].annotation, WriteModel)), None)
    if inner is None:
        return value
    if isinstance(value, ReadModel):
        return _writable(inner, value)
    if value is None or isinstance(value, dict):
        return cast("dict[str, object] | None", value)
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return [_writable(inner, row) for row in rows if isinstance(row, ReadModel)]


def models_in[T: BaseModel](annotation: object, kind: type[T]) -> list[type[T]]:
    """Return the models of `kind` that an annotation mentions, through unions, lists and aliases."""
    parts = parts_of(annotation)
    if isinstance(annotation, type) and issubclass(annotation, kind):
        return [annotation]
    return [found for part in parts for found in models_in(part, kind)]


def parts_of(annotation: object) -> list[object]:
    """Return what a union, a list, an alias or an `Annotated` is made of; nothing for a plain type."""
    value: object = getattr(annotation, "__value__", None)
    return [*getattr(annotation, "__args__", ()), *([] if value is None else [value])]


def is_set(record: BaseModel | Mapping[str, object], name: str) -> bool:
    """Tell whether a field was sent, or is to be sent, at all."""
    return name in record.model_fields_set if isinstance(record, BaseModel) else name in record
