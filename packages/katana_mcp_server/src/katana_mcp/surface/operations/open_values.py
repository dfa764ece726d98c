"""Filters by a value of Katana's, such as a status: those known are offered, and one that Katana adds may be asked for.

Refuses no value: what is not known is said.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAliasType, cast, get_args

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue

from cache_core.conditions import OneOf
from katana_mcp.references.display_names import titled
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.filters import Means, spellings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.hints import meant, quoted
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory, info
from katana_mcp.values import items

# No `type` aliases, because a field does not show what is inside one.
OneValue = Annotated[str, Field(min_length=1, max_length=60)]
"""A value as Katana spells it."""
SomeValues = Annotated[list[OneValue], Field(min_length=1, max_length=20)]
"""Any of these."""


@dataclass(frozen=True, slots=True)
class OpenValue(Means):
    """The field is the value given, or one of those given.

    Attributes:
        path: of the field.
        values: those that Katana is known to send; they are understood however a person spells them.
    """

    path: str = ""
    values: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:  # noqa: ANN401 - pydantic's own
        return BeforeValidator(spellings(self.values)).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:  # noqa: ANN401 - the same
        offered = handler(schema)
        for option in offered.get("anyOf", [offered]):
            if option.get("type") != "null":
                option.get("items", option)["examples"] = list(self.values)
        return offered


def open_value(literal: TypeAliasType, path: str) -> OpenValue:
    """The field is any of the values given, of which the `Literal` says those known."""
    return OpenValue(_is_any(path), path=path, values=get_args(literal.__value__))


def _is_any(path: str) -> Callable[[Any, object], tuple[OneOf]]:
    return lambda value, _: (OneOf(path, tuple(_as_values(value))),)


def _as_values(value: object) -> Sequence[str]:
    return cast("list[str]", [value] if isinstance(value, str) else items(value))


async def unknown_values(request: Request, sources: Sequence[str], services: Services) -> list[ToolWarning]:
    """Return a warning for each value asked for that Katana is not known to send, with how many records have it."""
    warnings: list[ToolWarning] = []
    for name, meaning, value in _unknown(request):
        condition = (OneOf(meaning.path, (value,)),)
        found = sum([await services.cache.count(source, condition) for source in sources])
        called, title = f"{name}: {quoted(value)}", f"{titled(sources[0])}s"
        if found:
            message = f"{called} is a value that this server does not know; {title} that have it: {found}"
            warnings.append(info(warning_codes.UNKNOWN_VALUE, message, name))
        else:
            message = f"{called} is not a value that Katana is known to send, and no {title} have it"
            warnings.append(advisory(warning_codes.UNKNOWN_VALUE, f"{message}; {meant(value, meaning.values)}", name))
    return warnings


def _unknown(request: Request) -> Iterator[tuple[str, OpenValue, str]]:
    for name, field in type(request).model_fields.items():
        given = getattr(request, name)
        for meaning in field.metadata if given is not None else ():
            if isinstance(meaning, OpenValue):
                yield from (
                    (name, meaning, as_value) for as_value in _as_values(given) if as_value not in meaning.values
                )
