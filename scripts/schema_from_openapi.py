"""Write the facts of `katana_schema` from an OpenAPI description: names, kinds and limits, no sentences.

Usage: python scripts/schema_from_openapi.py DESCRIPTION.yaml
A maintainer runs it when Katana's API has changed; what only a live probe tells stands in `overlay.toml`, by hand.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import yaml

from katana_schema.notation import KINDS, LIMITS, MAX_ID, NUMBERS, ONE, REQUIRED, SCHEMAS, SEVERAL, Fact, named

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "packages" / "katana_schema" / "src" / "katana_schema" / "facts"
VERBS = ("get", "post", "patch", "put", "delete")
SHARED = "shared"
PROSE = {"description", "title", "example", "examples", "externalDocs", "default", "deprecated", "discriminator"}
FORMATS = {schema.get("format"): name for name, schema in KINDS.items() if schema.get("type") == "string"}
TYPES = {"integer": "int", "number": "number", "boolean": "bool", "object": "object", "null": "null"}
SUCCESS = range(200, 300)

type Node = Mapping[str, object]


def facts_of(description: Node) -> dict[str, dict[str, dict[str, Fact]]]:
    """Return the facts by the name of their file: its operations, and the schemas that no other file needs."""
    schemas = {name: fact_of(schema) for name, schema in _nodes(_node(description, "components"), "schemas")}
    operations: dict[str, dict[str, Fact]] = defaultdict(dict)
    for path, item in _nodes(description, "paths"):
        for verb in VERBS:
            if verb in item:
                place = f"{verb.upper()} {path}"
                operations[path.split("/")[1]][place] = _operation(description, item, _node(item, verb))
    users: dict[str, set[str]] = defaultdict(set)
    for file, found in operations.items():
        for name in _reached(schemas, found.values()):
            users[name].add(file)
    homes = {name: next(iter(files)) if len(files) == 1 else SHARED for name, files in users.items()}
    return {
        file: {
            "operations": dict(sorted(operations.get(file, {}).items(), key=_by_path)),
            "schemas": {name: schemas[name] for name in sorted(homes) if homes[name] == file},
        }
        for file in sorted({*operations, *homes.values()})
    }


def fact_of(schema: Node) -> Fact:
    """Return a schema in the notation of `katana_schema.notation`."""
    node = {name: value for name, value in schema.items() if name not in PROSE and not name.startswith("x-")}
    node = {name: value for name, value in node.items() if (name, value) != ("additionalProperties", True)}
    if "$ref" in node:
        return str(node["$ref"]).removeprefix(SCHEMAS)
    if (either := _either_null(node)) is not None:
        return either
    line = _line(node)
    if line is not None:
        return line
    return _object(node) if _is_object(node) else _keywords(node)


def text_of(facts: Mapping[str, Mapping[str, Fact]]) -> str:
    """Return a file of facts: one line for each field and each parameter."""
    return _written(cast("Fact", facts), 0) + "\n"


def main(arguments: list[str]) -> int:
    """Write all files; those of collections that are gone go."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    description = cast("Node", yaml.load(Path(arguments[0]).read_text("utf-8"), yaml.CSafeLoader))
    files = facts_of(description)
    for stale in FACTS.glob("*.json"):
        if stale.stem not in files:
            stale.unlink()
    for name, facts in files.items():
        (FACTS / f"{name}.json").write_text(text_of(facts), "utf-8")
    sys.stdout.write(f"{len(files)} files, {sum(len(file['operations']) for file in files.values())} operations\n")
    return 0


def _operation(description: Node, item: Node, operation: Node) -> Fact:
    found: dict[str, Fact] = {}
    listed = [*cast("list[Node]", item.get("parameters", [])), *cast("list[Node]", operation.get("parameters", []))]
    for parameter in (_followed(description, entry) for entry in listed):
        place, name = str(parameter["in"]), str(parameter["name"])
        if place != "path" or "{" in name:
            kinds = cast("dict[str, Fact]", found.setdefault(place, {}))
            kinds[name + REQUIRED * bool(parameter.get("required"))] = fact_of(_node(parameter, "schema"))
        else:
            found["path"] = {
                **cast("dict[str, Fact]", found.get("path", {})),
                name: fact_of(_node(parameter, "schema")),
            }
    if "requestBody" in operation:
        found["body"] = fact_of(_content(_followed(description, _node(operation, "requestBody"))))
    answers: dict[str, Fact] = {}
    for status, answer in _nodes(operation, "responses"):
        if int(status) in SUCCESS:
            followed = _followed(description, answer)
            answers[status] = fact_of(_content(followed)) if "content" in followed else "null"
    return {**found, "answers": answers}


def _content(node: Node) -> Node:
    return _node(next(media for _, media in _nodes(node, "content")), "schema")


def _followed(description: Node, node: Node) -> Node:
    if "$ref" not in node:
        return node
    found = description
    for step in str(node["$ref"]).removeprefix("#/").split("/"):
        found = _node(found, step)
    return found


def _either_null(node: Node) -> str | None:
    """Return `KIND?` for a choice between a kind in one line and null."""
    choices = cast("list[Node]", node.get("anyOf", node.get("oneOf", [])))
    if len(node) != 1 or len(choices) != len(("kind", "null")):
        return None
    kinds = [fact_of(choice) for choice in choices]
    kind = next((option for option in kinds if option != "null"), None)
    if "null" not in kinds or not isinstance(kind, str) or not kind.isidentifier():
        return None
    return f"{kind}?"


def _line(node: Node) -> str | None:
    """Return a schema in one line, None when the notation has no word for a part of it."""
    kinds = node.get("type", "string" if "enum" in node else [] if node else ["any"])
    several = cast("list[str]", kinds if isinstance(kinds, list) else [kinds])
    rest = [option for option in several if option != "null"] or several
    if len(rest) != 1 or (len(several) > 1 and "null" not in several):
        return None
    keywords = {"type", "format", "enum", "pattern", "items", "uniqueItems", "exclusiveMinimum", *NUMBERS}
    keywords |= {keyword for pair in LIMITS.values() for keyword in pair}
    kind = _kind(rest[0], node)
    if kind is None or node.keys() - keywords:
        return None
    null = "?" * (len(several) > len(rest))
    return f"{kind}{null}{_limits(rest[0], node, kind)}{_choice(node)}{' unique' * bool(node.get('uniqueItems'))}"


def _kind(type_: str, node: Node) -> str | None:
    if type_ == "array":
        items = fact_of(_node(node, "items")) if "items" in node else "any"
        return f"[{items}]" if isinstance(items, str) else None
    if type_ == "string":
        return FORMATS.get(node.get("format"))
    if type_ == "integer" and (node.get("minimum"), node.get("maximum")) == (1, MAX_ID):
        return "id"
    return TYPES.get(type_, type_ if type_ == "any" else None)


def _limits(type_: str, node: Node, kind: str) -> str:
    least, most = LIMITS.get(type_, NUMBERS)
    if kind == "id" or not {least, most, "exclusiveMinimum"} & node.keys():
        return ""
    low = f">{node['exclusiveMinimum']}" if "exclusiveMinimum" in node else node.get(least, "")
    return f" {low}..{node.get(most, '')}"


def _choice(node: Node) -> str:
    if "pattern" in node:
        return f" like {node['pattern']}"
    values = [choice for choice in cast("list[object]", node.get("enum", [])) if choice is not None]
    return f" in {' '.join(map(str, values))}" if values else ""


def _is_object(node: Node) -> bool:
    return node.get("type") == "object" or "properties" in node or "allOf" in node


def _object(node: Node) -> Fact:
    parts = [
        *cast("list[Node]", node.get("allOf", [])),
        {name: value for name, value in node.items() if name != "allOf"},
    ]
    bases = [fact_of(part) for part in parts if "$ref" in part]
    required = [name for part in parts for name in cast("list[str]", part.get("required", []))]
    properties = {name: fact_of(schema) for part in parts for name, schema in _nodes(part, "properties")}
    fields = {name + REQUIRED * (name in required): fact for name, fact in properties.items()}
    elsewhere = [name for name in required if name not in properties]
    rest: dict[str, Fact] = {"required": cast("Fact", elsewhere)} if elsewhere else {}
    for part in parts:
        own = {name: value for name, value in part.items() if name not in {"$ref", "type", "properties", "required"}}
        rest |= cast("dict[str, Fact]", _keywords(own))
    several = {*SEVERAL} & rest.keys()
    closed: dict[str, Fact] = {"closed": True} if rest.pop("additionalProperties", True) is False else {}
    return {
        **({"of": bases} if bases else {}),
        **closed,
        **rest,
        **({} if several and not fields else {"fields": fields}),
    }


def _keywords(node: Node) -> Fact:
    found: dict[str, Fact] = {}
    for name, value in node.items():
        if name in PROSE or name.startswith("x-"):
            continue
        if name == "additionalProperties" and isinstance(value, dict):
            found["others"] = fact_of(cast("Node", value))
        elif name in ONE:
            found[name] = fact_of(cast("Node", value))
        elif name in SEVERAL:
            found[name] = [fact_of(schema) for schema in cast("list[Node]", value)]
        else:
            found[name] = cast("Fact", value)
    return found


def _reached(schemas: Mapping[str, Fact], facts: Iterable[Fact]) -> set[str]:
    found: set[str] = set()
    open_ = [name for fact in facts for name in _mentioned(fact)]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += named(schemas[name])
    return found


def _mentioned(operation: Fact) -> Iterator[str]:
    for part, fact in cast("dict[str, Fact]", operation).items():
        kinds = [fact] if part == "body" else cast("dict[str, Fact]", fact).values()
        for kind in kinds:
            yield from named(kind)


def _by_path(operation: tuple[str, Fact]) -> tuple[str, int]:
    verb, _, path = operation[0].partition(" ")
    return path, VERBS.index(verb.lower())


def _written(fact: Fact, depth: int) -> str:
    deep = isinstance(fact, dict) and (depth < len(("file", "part", "name")) or "fields" in fact or depth in {4, 3})
    if not isinstance(fact, dict) or not fact or not deep:
        return json.dumps(fact)
    pad = " " * (depth + 1)
    lines = [f"{pad}{json.dumps(name)}: {_written(value, depth + 1)}" for name, value in fact.items()]
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"


def _node(node: Node, name: str) -> Node:
    return cast("Node", node[name])


def _nodes(node: Node, name: str) -> list[tuple[str, Node]]:
    return [(str(key), child) for key, child in cast("Mapping[object, Node]", node.get(name, {})).items()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
