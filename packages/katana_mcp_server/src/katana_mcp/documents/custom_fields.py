"""Custom fields of documents and attributes of rows: both forms in which they are given, and what of them stays.

Custom fields are merged: one that is null goes, those that are not named stay. Attributes of a row are replaced.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, TypedDict, cast

from pydantic import BeforeValidator, ConfigDict, StrictBool, StrictInt, StrictStr, WithJsonSchema, with_config
from pydantic import Field as Argument

from cache_core.records import Record, canonical
from katana_client.errors import KatanaError
from katana_mcp.documents.custom_field_labels import Definitions, Values, choice_of, choices, meant, values_of
from katana_mcp.documents.declaration import Field, Writable
from katana_mcp.documents.states import fields_in
from katana_mcp.documents.transition import Transition
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import first_of
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import EMPTY

_SHOWN = 20
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@with_config(ConfigDict(extra="forbid"))
class _Attribute(TypedDict):
    key: Annotated[StrictStr, Argument(min_length=1, max_length=255)]
    value: Annotated[StrictStr, Argument(max_length=1_000)]


def _by_field(given: object) -> object:
    """Return custom fields that were given as a list of `field` and `value`, as `get_sales_order` shows them."""
    if not isinstance(given, list):
        return given
    named = [_pair(entry, "field", "field_name") for entry in cast("list[object]", given)]
    if len({name for name, _ in named}) < len(named):
        raise ValueError("names a field twice")
    return dict(named)


def _pair(entry: object, *names: str) -> tuple[str, object]:
    fields = cast("Mapping[str, object]", entry) if isinstance(entry, Mapping) else EMPTY
    name = next((fields[key] for key in names if key in fields), None)
    value = next((fields[key] for key in ("value", "field_value") if key in fields), ...)
    if not isinstance(name, str) or value is ... or len(fields) != len(("name", "value")):
        raise ValueError("must be an object of values by field id, or a list of objects with `field` and `value`")
    return name, value


def _listed(given: object) -> object:
    """Return attributes that were given as an object of values by their keys."""
    if not isinstance(given, Mapping):
        return given
    return [{"key": key, "value": value} for key, value in cast("Mapping[str, object]", given).items()]


type _Value = StrictBool | StrictInt | StrictStr | Decimal | None
type CustomFields = Annotated[
    dict[Annotated[StrictStr, Argument(min_length=1, max_length=64)], _Value],
    Argument(max_length=50),
    BeforeValidator(_by_field),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
"""Values by the label or the id of their definition; null takes one away."""
type Attributes = Annotated[
    list[_Attribute],
    Argument(max_length=50),
    BeforeValidator(_listed),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""What a shop says of a row, texts by their keys."""


def custom_values(*kinds: str, filled: bool = False, says: bool = True) -> Field:
    """Return the field of a document, or of its rows, that holds values of custom fields of these kinds.

    Args:
        kinds: those that come first are meant first.
        filled: whether Katana fills them in where nobody does.
        says: whether its argument is described.
    """
    return Field("custom_fields", CustomFields, "By label." if says else "", custom=kinds, filled=filled)


def of_documents(own: str) -> tuple[str, ...]:
    """Return the kinds of custom fields that documents of a kind have."""
    return own, f"Outsourced{own}"


def of_rows(own: str) -> tuple[str, ...]:
    """Return the kinds of custom fields that rows of documents of a kind have: their own, and those of variants."""
    return f"{own}Row", f"Outsourced{own}Row", *VARIANT_KINDS


async def definitions(doc: Writable, asked: Mapping[str, object], services: Services) -> Definitions | None:
    """Return the custom fields that the account has, where a request sets some; None where that is not known."""
    if not any(_asked(doc, asked)):
        return None
    try:
        existing = [definition async for definition in services.client.custom_field_definitions.list()]
    except KatanaError:
        return None  # Katana refuses then what it does not have
    return {
        definition.id: canonical(definition.model_dump())
        for definition in existing
        if definition.id and not definition.deleted_at
    }


def _asked(doc: Writable, asked: Mapping[str, object]) -> Iterator[tuple[str, Field, Values]]:
    """Yield the values that a request sets, by the path of their argument."""
    for path, field, value in fields_in(doc, asked):
        values = values_of(value) if field.custom else None
        if values is not None:
            yield path, field, values


def checks(doc: Writable, change: Transition) -> Iterator[ToolWarning]:
    """Yield which fields nothing defines for what they are given to, and which values are none of theirs."""
    if change.facts.definitions is None:
        return
    for path, field, values in _asked(doc, change.asked):
        for name, value in values.items():
            found = meant(name, field, change.facts)
            if len(found) > 1:
                ids = ", ".join(str(record["id"]) for record in found)
                message = f"{path}: {len(found)} custom fields are called {name}; name one by its id: {ids}"
                yield blocking(warning_codes.AMBIGUOUS_NAME, message, path)
            elif not found:
                yield blocking(warning_codes.NOT_FOUND, _unknown(path, name, field, change.facts.definitions), path)
            elif value is not None and (wrong := _wrong(value, found[0])) is not None:
                message = f"{path}: {text(found[0], 'label')} {wrong}"
                yield blocking(warning_codes.INVALID_ARGUMENT, message, path)


def _unknown(path: str, name: str, field: Field, existing: Definitions) -> str:
    fitting = [record for record in existing.values() if record.get("entity_type") in field.custom]
    here = first_of([f"{text(record, 'label')} ({record['id']})" for record in fitting], _SHOWN) or "none"
    return f"{path}: no custom field has the label or id {name} here; there are: {here}"


def _wrong(value: object, definition: Record) -> str | None:
    """Return what is wrong with a value of a custom field."""
    kind = text(definition, "field_type")
    if kind == "singleSelect":
        labels = ", ".join(text(choice, "label") or "" for choice in choices(definition))
        return None if choice_of(definition, value) else f"must be one of {labels}, not {value!r}"
    if kind == "number" and (isinstance(value, bool) or not isinstance(value, int | Decimal)):
        return f"must be a number, not {value!r}"
    if kind == "boolean" and not isinstance(value, bool):
        return f"must be true or false, not {value!r}"
    if kind == "date" and not (isinstance(value, str) and _DAY.fullmatch(value)):
        return f"must be a day, such as 2026-03-01, not {value!r}"
    if kind in {"shortText", "url"} and not isinstance(value, str):
        return f"must be a text, not {value!r}"
    return None
