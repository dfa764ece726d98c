"""The committed facts of the API are what the script makes of the description, and lose nothing of it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.schema_from_openapi import FACTS, facts_of, text_of

from katana_schema.openapi import document
from katana_schema.reading import read_facts

SPEC = Path(__file__).parents[2] / "shared" / "reference" / "katana-openapi-2026-10.yaml"
DESCRIBED = pytest.mark.skipif(not SPEC.is_file(), reason="the description of the API is not part of this repository")
type Schema = dict[str, Any]

VERBS = {"get", "post", "patch", "put", "delete"}


@cache
def description() -> Schema:
    return yaml.load(SPEC.read_text("utf-8"), yaml.CSafeLoader)


def fields(root: Schema, schema: Schema, path: str, seen: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the path and the types of every field at any depth; written apart from the script, for its mistakes."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from fields(root, root["components"]["schemas"][name], path, (*seen, name))
        return
    types = schema.get("type", "string" if "enum" in schema else [])
    limits = {key: each for key, each in schema.items() if key.startswith(("min", "max", "pattern"))}
    if types:
        yield path, f"{sorted([types] if isinstance(types, str) else types)} {sorted(limits.items())}"
    for name in schema.get("required", ()):
        yield f"{path}.{name}", "required"
    for name, each in schema.get("properties", {}).items():
        yield from fields(root, each, f"{path}.{name}", seen)
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from fields(root, part, path, seen)
    if "items" in schema:
        yield from fields(root, schema["items"], f"{path}[]", seen)


def exchanged(root: Schema) -> dict[str, set[tuple[str, str]]]:
    """Return what each operation takes and answers, field by field."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path, item in root["paths"].items():
        for verb in VERBS & item.keys():
            operation = item[verb]
            answers = [each for status, each in operation["responses"].items() if str(status).startswith("2")]
            bodies = [each for each in [operation.get("requestBody"), *answers] if each and "content" in each]
            schemas = [next(iter(each["content"].values()))["schema"] for each in bodies]
            found[f"{verb.upper()} {path}"] = {
                each
                for place, schema in enumerate(schemas)
                for each in fields(root, schema, str(place))
                if each[0] != str(place)
            }
    return found


@DESCRIBED
def test_the_committed_facts_are_what_the_script_makes_of_the_description() -> None:
    made = {name: text_of(each) for name, each in facts_of(description()).items()}
    assert {file.stem: file.read_text("utf-8") for file in FACTS.glob("*.json")} == made
    assert len(made) == 72


@DESCRIBED
def test_no_field_kind_or_limit_of_the_description_is_lost() -> None:
    told, known = exchanged(description()), exchanged(document(read_facts()))
    assert told.keys() == known.keys()
    lost = {name: told[name] - known[name] for name in told if told[name] - known[name]}
    assert lost == {}
