"""A tool's descriptor in parts that are pinned by hash: its words, input, output and annotations.

Words are every text of it that a model reads, those within its schemas too. Refuses schemas that grow without end.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match  # pyright: ignore[reportUnknownVariableType] - its key

from katana_mcp.tools.hidden import escape_hidden_in

type Json = dict[str, Any]
type Part = Literal["words", "input", "output", "annotations"]

_TEXTS = frozenset({"title", "description", "$comment", "examples"})
_BY_NAME = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
"""Keywords whose keys are names, not keywords."""
_VALUES = frozenset({"const", "enum", "default"})
_UNORDERED = frozenset({"required", "type"})
_MOST_NODES = 20_000
_LONGEST = 200
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ANYTHING: Json = {}


def canonical(value: object) -> str:
    """Return JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: object) -> str:
    """Return the hash of a value."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def captured(listed: Mapping[str, Any]) -> Json:
    """Return what is kept of a tool as a server lists it.

    References within schemas are replaced by what they mean, and others left out. Hidden characters are shown. Output
    schemas keep no words: they are adopted without anybody's look.

    Raises:
        ValueError: its name or a schema is none, a schema is too large, or it holds what is no text.
    """
    name = listed.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("its name is none that the protocol allows")
    kept: Json = {key: listed[key] for key in ("name", "title", "description", "annotations") if listed.get(key)}
    kept["inputSchema"] = _well_formed(inlined(listed.get("inputSchema")))
    output: Json = structure(_well_formed(inlined(listed.get("outputSchema", ANYTHING))))
    kept |= {"outputSchema": output} if output else {}
    shown = cast("Json", escape_hidden_in(kept))
    canonical(shown).encode()
    return shown


def _well_formed(schema: Json) -> Json:
    """Return a schema whose arguments can be shown: by name, each with a schema of its own.

    Raises:
        ValueError: they cannot.
    """
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise ValueError("its schema names its values wrongly")
    named: Json = {name: {} if value is True else value for name, value in cast("Json", properties).items()}
    if not all(isinstance(value, dict) for value in named.values()) or not all(map(_is_text, cast("Json", required))):
        raise ValueError("its schema names its values wrongly")
    return {**schema, "properties": named} if named else schema


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def parts(descriptor: Mapping[str, Any]) -> dict[Part, object]:
    """Return the parts of a captured descriptor."""
    words = [(key, descriptor[key]) for key in ("title", "description") if key in descriptor]
    return {
        "words": [*words, *_texts(descriptor["inputSchema"], "")],
        "input": structure(descriptor["inputSchema"]),
        "output": descriptor.get("outputSchema", ANYTHING),
        "annotations": descriptor.get("annotations", {}),
    }


def hashes(descriptor: Mapping[str, Any]) -> dict[Part, str]:
    """Return the hash of each part."""
    return {part: digest(value) for part, value in parts(descriptor).items()}


def structure(schema: object) -> Any:  # noqa: ANN401 - a JSON Schema, or a part of one
    """Return a schema without its words, and with those lists in order whose order means nothing."""
    if isinstance(schema, list):
        return [structure(item) for item in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    return {key: _keyword(key, value) for key, value in cast("Json", schema).items() if key not in _TEXTS}


def _keyword(key: str, value: object) -> object:
    if key in _VALUES:
        return value
    if key in _BY_NAME and isinstance(value, dict):
        return {name: structure(item) for name, item in cast("Json", value).items()}
    if key in _UNORDERED and isinstance(value, list):
        return sorted(cast("list[object]", value), key=canonical)
    return structure(value)


def _texts(schema: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield each text of a schema with its place, in the order of the places."""
    if isinstance(schema, list):
        for at, item in enumerate(cast("list[object]", schema)):
            yield from _texts(item, f"{path}/{at}")
    if not isinstance(schema, dict):
        return
    for key, value in sorted(cast("Json", schema).items()):
        place = f"{path}/{key}"
        if key in _TEXTS:
            yield place, value
        elif key in _BY_NAME and isinstance(value, dict):
            inner = sorted(cast("Json", value).items())
            yield from (text for name, item in inner for text in _texts(item, f"{place}/{name}"))
        elif key not in _VALUES:
            yield from _texts(value, place)


def inlined(schema: object) -> Json:
    """Return a schema whose references within it are replaced; one to itself, or to elsewhere, means anything.

    Raises:
        ValueError: it is no object, or would have too many parts.
    """
    if not isinstance(schema, dict):
        raise ValueError("its schema is no object")
    whole = cast("Json", schema)
    count = iter(range(_MOST_NODES))
    replaced: Json = _replaced(whole, (), partial(_within, whole), count)
    return {key: value for key, value in replaced.items() if key not in {"$defs", "definitions"}}


def _within(schema: Json, reference: str) -> Json:
    found: Any = schema
    try:
        for step in reference.removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
    except (KeyError, TypeError):
        return ANYTHING
    return cast("Json", found) if isinstance(found, dict) and reference.startswith("#/") else ANYTHING


def _replaced(value: object, inside: tuple[str, ...], find: Callable[[str], Json], count: Iterator[int]) -> Any:  # noqa: ANN401 - JSON
    if next(count, None) is None:
        raise ValueError(f"its schema has more than {_MOST_NODES} parts")
    if isinstance(value, list):
        return [_replaced(item, inside, find, count) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    keywords = cast("Json", value)
    reference = keywords.get("$ref")
    if not isinstance(reference, str):
        return {key: _replaced(item, inside, find, count) for key, item in keywords.items()}
    meant = ANYTHING if reference in inside else find(reference)
    others = {key: _replaced(item, inside, find, count) for key, item in keywords.items() if key != "$ref"}
    return {**_replaced(meant, (*inside, reference), find, count), **others}


def problem(value: object, schema: Json) -> str | None:
    """Return where a value does not fit a schema and which rule it breaks, without the value; None where it fits."""
    error = _first_error(value, schema)
    return error if error is None or isinstance(error, str) else f"{_path(error)}: {error.validator}"


def explained(value: object, schema: Json) -> str | None:
    """Return the same in words, with what was given; for whoever gave it."""
    error = _first_error(value, schema)
    return error if error is None or isinstance(error, str) else f"{_path(error)}: {error.message[:_LONGEST]}"


def _first_error(value: object, schema: Json) -> ValidationError | str | None:
    try:
        validator: Any = Draft202012Validator(schema)
        return cast("ValidationError | None", best_match(validator.iter_errors(value)))
    except Exception as error:  # noqa: BLE001 - the schema is somebody else's, and may be none
        return f"no JSON Schema: {type(error).__name__}"


def _path(error: ValidationError) -> str:
    return ".".join(map(str, error.absolute_path)) or "the whole"
