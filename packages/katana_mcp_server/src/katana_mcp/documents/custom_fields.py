"""Custom fields of documents and attributes of rows: both forms in which they are given, and what of them stays.

Custom fields are merged: one that is null goes, those that are not named stay. Attributes of a row are replaced.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, TypedDict, cast

from pydantic import BeforeValidator, ConfigDict, StrictBool, StrictInt, StrictStr, WithJsonSchema, with_config
from pydantic import Field as Argument

from katana_client.errors import KatanaError
from katana_mcp.documents.states import requested_rows
from katana_mcp.documents.transition import State, Transition
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import EMPTY, rows

NAME = "custom_fields"
_ATTRIBUTES = "attributes"


@with_config(ConfigDict(extra="forbid"))
class _Attribute(TypedDict):
    key: Annotated[StrictStr, Argument(min_length=1, max_length=255)]
    value: Annotated[StrictStr, Argument(max_length=1_000)]


def _by_field(given: object) -> object:
    """Return custom fields that were given as a list of `field` and `value`, as `get_sales_order` shows them."""
    if not isinstance(given, list):
        return given
    named = [_pair(each, "field", "field_name") for each in cast("list[object]", given)]
    if len({name for name, _ in named}) < len(named):
        raise ValueError("names a field twice")
    return dict(named)


def _pair(entry: object, *names: str) -> tuple[str, object]:
    fields = cast("Mapping[str, object]", entry) if isinstance(entry, Mapping) else EMPTY
    name = next((fields[each] for each in names if each in fields), None)
    value = next((fields[each] for each in ("value", "field_value") if each in fields), ...)
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
"""Values by the id of their definition; null takes one away."""
type Attributes = Annotated[
    list[_Attribute],
    Argument(max_length=50),
    BeforeValidator(_listed),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""What a shop says of a row, texts by their keys."""


def read(document: State, held: str) -> State:
    """Return a document where no custom fields of it and its rows are None, and no attributes an empty list."""
    found = [{**row, **_held(row), _ATTRIBUTES: rows(row, _ATTRIBUTES)} for row in rows(document, held)]
    return {**document, **_held(document), held: found}


def _held(record: State) -> dict[str, object]:
    return {NAME: record.get(NAME) or None}


def settle(held: str, before: State | None, wanted: State) -> State:
    """Return a document whose custom fields are those that it had with those that were given."""
    old = {row.get("id"): row for row in rows(before or {}, held)}
    merged = [_merged(old.get(row.get("id")) if "id" in row else None, row) for row in rows(wanted, held)]
    return {**_merged(before, wanted), held: merged}


def _merged(before: State | None, wanted: State) -> State:
    given = wanted.get(NAME)
    if not isinstance(given, Mapping):
        return wanted
    fields = cast("Mapping[str, object]", given)
    if before is None:
        return {**wanted, NAME: {name: value for name, value in fields.items() if value is not None}}
    held = before.get(NAME)
    return {**wanted, NAME: {**cast("Mapping[str, object]", held or {}), **fields}}


def back(held: str, change: Transition, arguments: dict[str, object]) -> dict[str, object]:
    """Return the call that takes a change back, where it takes away what came."""
    there = {row.get("id"): row for row in rows(change.new, held)}
    changed = cast("Sequence[Mapping[str, object]]", arguments.get("update_rows", ()))
    found = {**arguments, **_without(arguments, change.new)}
    if changed:
        found["update_rows"] = [{**row, **_without(row, there.get(row["row_id"], {}))} for row in changed]
    return found


def _without(arguments: Mapping[str, object], there: State) -> dict[str, object]:
    """Return the custom fields of a way back with null for those that were not there."""
    if not isinstance(arguments.get(NAME), Mapping):
        return {}
    held = cast("Mapping[str, object]", arguments[NAME])
    return {NAME: {**dict.fromkeys(cast("Mapping[str, object]", there.get(NAME) or {})), **held}}


def _requested_fields(asked: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the custom fields of a request, by the path of their argument."""
    given = [(NAME, asked.get(NAME))]
    for argument in ("rows", "add_rows", "update_rows"):
        given += [(f"{argument}[{nr}].{NAME}", row.get(NAME)) for nr, row in enumerate(requested_rows(asked, argument))]
    yield from ((path, cast("Mapping[str, Any]", fields)) for path, fields in given if isinstance(fields, Mapping))


type Definitions = Mapping[str, tuple[str, str]]
"""Label and kind of record of custom fields, by their ids."""


async def definitions(asked: Mapping[str, object], services: Services) -> Definitions | None:
    """Return the custom fields that the account has, where a request names some; None where that is not known."""
    if not any(fields for _, fields in _requested_fields(asked)):
        return None
    try:
        known = [each async for each in services.client.custom_field_definitions.list()]
    except KatanaError:
        return None  # Katana refuses then what it does not have
    return {each.id: (each.label or "", each.entity_type or "") for each in known if each.id and not each.deleted_at}


def defined(head: str, row: str, change: Transition) -> Iterator[ToolWarning]:
    """Yield which custom fields no definition has, for what the head and a row are there."""
    known = cast("Definitions | None", change.facts.own)
    if known is None:
        return
    for path, fields in _requested_fields(change.asked):
        kinds = {head} if path == NAME else {row, *VARIANT_KINDS}
        fitting = {key: label for key, (label, of) in known.items() if of in kinds}
        for name in fields:
            if name not in fitting:
                here = ", ".join(f"{label} is {key}" for key, label in fitting.items()) or "there are none"
                told = f"{path}: no custom field has the id {name}; {here}"
                yield blocking(warning_codes.NOT_FOUND, told, path)
