"""Filters by custom fields: a field by its label or the id of its definition, a choice by its label or id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, StrictInt, StrictStr, WithJsonSchema

from cache_core.conditions import EVERYTHING, Condition, CustomValue, OneOf, Order, Scalar, Where
from cache_core.protocol import Selection
from cache_core.records import Record, is_text, values_at
from katana_mcp.references.display_names import CUSTOM_FIELDS, text
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import same
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.values import EMPTY, child, rows

_MOST = 1_000
MOST_PARTS = 10_000
"""Parts that a filter names by their ids."""
_SHOWN = 40
_LONGEST = 1_000
VARIANT_KINDS = ("ProductVariant", "MaterialVariant", "ServiceVariant")
"""Kinds of fields that may appear on rows too."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts that change without their record, so that what it embeds of them may be old.

    Attributes:
        ids: the path of their ids in the record.
        paths: by the cache entities that have them in their newest form, (path of the fields, path of the ids).
    """

    ids: str
    paths: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Carries:
    """The filter gives values of custom fields.

    Attributes:
        places: where the fields of a kind of record stand, by that kind; those that come first are meant first.
        older: whether fields may be of the older form, which has names alone and no definitions.
        parts: where the parts that have the fields are told by their ids; None where the fields are the record's own.
    """

    places: Mapping[str, str]
    older: bool = False
    parts: Parts | None = None


def carries(own: str, row: str | None = None, *, at: str = "custom_fields") -> Carries:
    """Return the filter of documents with fields of their own kind, and of the kinds that their rows may have."""
    stem = own.removeprefix("Outsourced")
    places = dict.fromkeys((stem, f"Outsourced{stem}"), at)
    if row is not None:
        kinds = (f"{stem}Row", f"Outsourced{stem}Row", *VARIANT_KINDS)
        places |= dict.fromkeys(kinds, f"{row}[].custom_fields")
    return Carries(places)


_VARIANTS = "variants[].custom_fields"
OF_VARIANTS = Carries(
    dict.fromkeys(VARIANT_KINDS, _VARIANTS),
    older=True,
    parts=Parts("variants[].id", {"variant": ("custom_fields", "id"), "service": (_VARIANTS, "variants[].id")}),
)
"""Fields of items, which stand on their variants."""


def _text(value: str) -> str:
    if not is_text(value):
        raise ValueError("must be text: half of a character is none")
    return value.strip()


type CustomValues = Annotated[
    dict[
        Annotated[StrictStr, Field(min_length=1, max_length=255)],
        StrictBool | StrictInt | Decimal | Annotated[StrictStr, Field(max_length=_LONGEST), AfterValidator(_text)],
    ],
    Field(max_length=10),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
"""Values of custom fields by label or id; each has to be there."""


async def custom_values(name: str, given: Mapping[str, Scalar], carries: Carries, services: Services) -> Where:
    """Return the conditions of a filter.

    Raises:
        Refused: a field that the account does not have, or a value that is none of its choices.
    """
    definitions = await _definitions(carries, services)
    new = [(entity, field) for entity in CUSTOM_FIELDS for field in given if not defining(field, definitions)]
    if new and await services.lookups.ask(new):
        definitions = await _definitions(carries, services)
    conditions = [_condition(name, field, value, carries, definitions) for field, value in given.items()]
    if carries.parts is None:
        return tuple(conditions)
    return tuple([await _of_parts(condition, carries.parts, services) for condition in conditions])


async def _of_parts(condition: CustomValue, parts: Parts, services: Services) -> Condition:
    """Return that one of these parts is there; of very many parts what the records embed of them is asked."""
    found = list[object]()
    for entity, (path, ids) in parts.paths.items():
        selection = Selection(
            (replace(condition, field=path),),
            Order("id"),
            MOST_PARTS + 1,
            visibility=EVERYTHING,
            fields=frozenset({ids}),
        )
        stored = await services.cache.select(entity, selection)
        found.extend(value for row in stored for value in values_at(row.record, ids))
    owner_ids = tuple(part for part in found if isinstance(part, int))
    return condition if len(found) > MOST_PARTS else OneOf(parts.ids, owner_ids)


async def _definitions(carries: Carries, services: Services) -> list[Record]:
    """Return the definitions of fields that may stand at these places."""
    selection = Selection(limit=_MOST, visibility=EVERYTHING)
    stored = [row.record for entity in CUSTOM_FIELDS for row in await services.cache.select(entity, selection)]
    return [record for record in stored if text(record, "entity_type") in carries.places]


def defining(field: str, definitions: Sequence[Record]) -> list[Record]:
    """Return the definitions that have the id or the label."""
    return [record for record in definitions if record.get("id") == field or same(text(record, "label") or "", field)]


def _condition(name: str, field: str, value: Scalar, carries: Carries, definitions: Sequence[Record]) -> CustomValue:
    fitting = defining(field, definitions)
    if not fitting:
        if not carries.older or definitions:
            raise Refused(blocking(warning_codes.NOT_FOUND, f"{name}: {_unknown(field, definitions)}", name))
        return CustomValue(next(iter(carries.places.values())), (field,), _written(value))
    path = next(
        path for kind, path in carries.places.items() if any(record["entity_type"] == kind for record in fitting)
    )
    meant = [record for record in fitting if carries.places[str(record["entity_type"])] == path]
    values = dict.fromkeys(scalar for definition in meant for scalar in _values(name, value, definition))
    names = dict.fromkeys(str(record[key]) for record in meant for key in ("id", "label"))
    return CustomValue(path, tuple(names), tuple(values))


def _values(name: str, value: Scalar, definition: Record) -> tuple[Scalar, ...]:
    """Return how a value may stand in a record: that of a choice is the number of its label."""
    called, kind = str(text(definition, "label")), text(definition, "field_type")
    if kind == "singleSelect":
        return _choice(name, called, value, definition)
    if kind == "boolean":
        return _yes_or_no(name, called, value)
    if kind == "number" and isinstance(value, str):
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = None
        if number is None or not number.is_finite():
            raise Refused(blocking(warning_codes.INVALID_ARGUMENT, f"{name}: {called} must be a number", name))
        return (value, number)
    return _written(value)


def _choice(name: str, called: str, value: Scalar, definition: Record) -> tuple[Scalar, ...]:
    """Return a choice by its label, or by its number."""
    choices = {
        str(text(choice, "label")): choice.get("id")
        for choice in rows(child(definition, "options") or EMPTY, "choices")
    }
    meant = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    chosen = [
        choice_id for label, choice_id in choices.items() if same(label, meant) or str(choice_id) == meant.strip()
    ]
    if not chosen:
        message = f"{name}: {called} has no choice {str(value)[:_SHOWN]!r}; there are: {', '.join(choices)}"
        raise Refused(blocking(warning_codes.NOT_FOUND, message, name))
    return (value, *(choice_id for choice_id in chosen if isinstance(choice_id, int)))


def _yes_or_no(name: str, called: str, value: Scalar) -> tuple[Scalar, ...]:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    meant = words.get(str(value).strip().lower())
    if meant is None:
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, f"{name}: {called} must be true or false", name))
    return (meant,)


def _written(value: Scalar) -> tuple[Scalar, ...]:
    """Return a value as it is and, as the older form has texts alone, as a text."""
    return (value,) if isinstance(value, str | bool) else (value, str(value))


def _unknown(field: str, definitions: Sequence[Record]) -> str:
    labels = sorted({str(text(record, "label")) for record in definitions})
    there = f"are: {', '.join(labels)}" if labels else "are none"
    return f"no custom field is called {field[:_SHOWN]!r} here; there {there}"
