"""The facts as an OpenAPI document, for tools that check exchanges against one. It has no sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from katana_schema.notation import expand, plain_name

if TYPE_CHECKING:
    from katana_schema.reading import ApiFacts, Operation

SERVER = "https://api.katanamrp.com/v1"
JSON = "application/json"


def document(facts: ApiFacts) -> dict[str, object]:
    """Return an OpenAPI 3.1 document with every operation and schema."""
    paths: dict[str, dict[str, object]] = {}
    for operation in facts.operations.values():
        paths.setdefault(operation.path, {})[operation.verb.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Katana", "version": "0"},
        "servers": [{"url": SERVER}],
        "paths": paths,
        "components": {"schemas": {name: expand(fact) for name, fact in facts.schemas.items()}},
    }


def _operation(operation: Operation) -> dict[str, object]:
    parameters = [
        {"in": place, "name": plain_name(name)[0], "required": place == "path" or plain_name(name)[1]}
        | {"schema": expand(kind)}
        for place, kinds in operation.parameters.items()
        for name, kind in kinds.items()
    ]
    body = {} if operation.body is None else {"requestBody": {"content": {JSON: {"schema": expand(operation.body)}}}}
    answers = {
        str(status): {"description": ""} | ({} if kind == "null" else {"content": {JSON: {"schema": expand(kind)}}})
        for status, kind in operation.answers.items()
    }
    return {"parameters": parameters, **body, "responses": answers}
