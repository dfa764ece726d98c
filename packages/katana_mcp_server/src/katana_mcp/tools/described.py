"""Fields that are described by the text below each, read only where a schema is made of them.

Pydantic itself reads such texts as each class is made: a fifth of what a start costs.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue


class Described(BaseModel):
    """Base of a model whose schema describes each field by the text below it, unless the field says itself."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:  # noqa: ANN401 - pydantic's own
        """Return the schema with the texts."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, field in cls.model_fields.items():
            shown = properties.get(name) or properties.get(field.alias or "")
            text = _text_of(cls, name)
            if shown is not None and text is not None:
                shown.setdefault("description", text)
        return schema


def _text_of(model: type[BaseModel], field: str) -> str | None:
    """Return the text below a field in the class that declares it last."""
    for base in model.__mro__:
        if field in inspect.get_annotations(base):
            return _texts_in(base.__module__).get(base.__qualname__, {}).get(field)
    return None


@cache
def _texts_in(module: str) -> dict[str, dict[str, str]]:
    """Return the texts below the fields of each class of a module, by the class's qualified name."""
    return dict(_classes(ast.parse(inspect.getsource(sys.modules[module])).body, ""))


def _classes(body: Sequence[ast.stmt], path: str) -> Iterator[tuple[str, dict[str, str]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"{path}{node.name}", dict(_fields(node.body))
            yield from _classes(node.body, f"{path}{node.name}.")


def _fields(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for declared, text in pairwise(body):
        match declared, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                yield name, inspect.cleandoc(said)
            case _:
                continue
