"""Render the resources of `resources.toml`, write models and operations, and the registry of all resources.

`python -m scripts.render` runs it. Which operations, filters, bodies and limits there are say the facts.
"""

import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from pathlib import Path
from typing import cast

from scripts.render_models import CLIENT, ROOT, known_models

from katana_schema.notation import SCHEMAS, Fact, expand, plain_name
from katana_schema.reading import ApiFacts, Operation

FOLDER = CLIENT / "src" / "katana_client" / "resources"
HEAD = '''"""{}

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

'''
PLAIN = {"boolean": "bool", "string": "str", "integer": "int", "number": "Decimal", "object": "FreeFields"}
LIMITS = {"minimum": "ge", "maximum": "le", "minItems": "min_length", "maxItems": "max_length"}
FORMATS = {"date-time": "AwareDatetime", "decimal": "TextAmount"}
TEXTS = {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
HOMES = {
    "collections.abc": ("AsyncIterator", "Sequence"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Literal", "Never"),
    "pydantic": ("AwareDatetime", "Field", "StringConstraints"),
    "katana_client.answers": ("answered", "answered_rows"),
    "katana_client.bulk": ("AnsweredBulk",),
    "katana_client.collection": ("Identity", "Spec"),
    "katana_client.exchange": ("Call",),
    "katana_client.filters": ("Filters",),
    "katana_client.listing": ("Listing",),
    "katana_client.page": ("Page", "Shape"),
    "katana_client.paths": ("record_path",),
    "katana_client.resource": ("Resource",),
    "katana_client.wire": ("FreeFields", "Omittable", "Ref", "TextAmount", "WriteModel"),
}
"""Where what a module uses is imported from."""
STANDARD, THIRD = ("collections.abc", "decimal", "typing"), ("pydantic",)
MAX_ID = 2_147_483_647

REGISTRY = "All collections of the API, with all that can be done with each."
BOUND = """from __future__ import annotations

from typing import TYPE_CHECKING

from katana_client.collection import Bound, HasSender

if TYPE_CHECKING:"""
COLLECTIONS = '''class Collections(HasSender):
    """Every collection, as an attribute named like its path."""
'''
RESOURCE = re.compile(r"^class (\w+)\(\s*(?:Resource|AnsweredBulk|SilentBulk)\b", re.MULTILINE)

type Line = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Writing:
    """The write models of a module.

    Attributes:
        facts: of the API.
        names: of classes, by schema, where they are not made of its name.
        fields: of each class, its lines.
        docs: of each class, where the facts have it.
    """

    facts: ApiFacts
    names: Mapping[str, str]
    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    docs: dict[str, str] = field(default_factory=dict[str, str])

    def class_of(self, schema: str) -> str:
        """Return the class of a schema, and make it."""
        name = self.names.get(schema) or _class_name(schema)
        if name not in self.fields:
            self.docs[name] = f"`{schema}` of the facts."
            self.fields[name] = []
            lines = self._lines(self.facts.schemas[schema], name)
            del self.fields[name]
            self.fields[name] = lines
        return name

    def type_of(self, fact: object, place: str) -> str:
        """Return the type of a value; `place` names the class of an object without a name."""
        schema = expand(cast("Fact", fact))
        if "$ref" in schema or "anyOf" in schema:
            return self._choice(schema, fact, place)
        kinds = schema.get("type", "object")
        kind = kinds if isinstance(kinds, str) else next(each for each in cast("list[str]", kinds) if each != "null")
        if kind == "array":
            held = self.facts.held(cast("Fact", fact))
            inner = self.type_of(held, place)
            return _limited(f"list[{inner}]", schema, LIMITS, "Field")
        if kind == "object" and isinstance(fact, dict) and "fields" in fact:
            self.fields[place] = self._lines(cast("Fact", fact), place)
            self.docs[place] = "A part of the body below."
            return place
        return _scalar(kind, schema)

    def _choice(self, schema: Line, fact: object, place: str) -> str:
        if "$ref" not in schema:
            choices = cast("list[Line]", schema["anyOf"])
            names = [cast("str", each["$ref"]).removeprefix(SCHEMAS) if "$ref" in each else each for each in choices]
            types = [self._named(each, place) if isinstance(each, str) else _plain(each) for each in names]
            return " | ".join(dict.fromkeys(each for text in types for each in text.split(" | ")))
        return self._named(str(fact), place)

    def _named(self, name: str, place: str) -> str:
        fact = self.facts.schemas[name]
        if isinstance(fact, dict) and "fields" in fact:
            return self.class_of(name)
        return self.type_of(fact, place)

    def _lines(self, fact: Fact, place: str) -> list[str]:
        required = self.facts.required(fact)
        found = [
            self._line(name, kind, f"{place}{name.title().replace('_', '')}", needed=name in required)
            for name, kind in self.facts.fields(fact).items()
        ]
        return sorted(found, key=lambda each: " = " in each)

    def _line(self, name: str, kind: Fact, place: str, *, needed: bool) -> str:
        type_ = self.type_of(kind, place.removesuffix("s"))
        parts = [part for part in type_.split(" | ") if part != "None"]
        is_null = _is_nullable(kind) or len(parts) < len(type_.split(" | "))
        plain = " | ".join(parts)
        if needed:
            return f"{name}: {plain}{' | None' if is_null else ''}"
        own = _own_name(name)
        default = "None" if own == name else f'Field(default=None, serialization_alias="{name}")'
        return f"{own}: {f'{plain} | None' if is_null else f'Omittable[{plain}]'} = {default}"


def known_resources() -> dict[str, Line]:
    """Return what `resources.toml` says, by module."""
    return tomllib.loads((CLIENT / "resources.toml").read_text("utf-8"))


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name, and of the registry."""
    modules = {name: _module(name, line, facts) for name, line in known_resources().items()}
    by_hand = {file.stem: file.read_text("utf-8") for file in FOLDER.glob("*.py") if file.stem not in modules}
    return {"__init__": _registry({**by_hand, **modules}), **modules}


def formatted(text: str) -> str:
    """Return the text of a module as the formatter wants it."""
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--quiet", "--stdin-filename", "rendered.py", "-"]
    return subprocess.run(ruff, input=text, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def _registry(modules: Mapping[str, str]) -> str:
    found = {name: re.findall(RESOURCE, text) for name, text in sorted(modules.items())}
    classes = {name: kinds[-1] for name, kinds in found.items() if kinds}
    imports = [f"    from katana_client.resources.{name} import {kind}" for name, kind in classes.items()]
    lines = [f'    {name}: Bound[{kind}] = Bound("{name}", "{kind}")' for name, kind in classes.items()]
    return formatted("\n".join([HEAD.format(REGISTRY) + BOUND, *imports, "", "", COLLECTIONS, *lines, ""]))


def _module(name: str, line: Line, facts: ApiFacts) -> str:
    writing = Writing(facts, cast("Mapping[str, str]", line.get("names", {})))
    for schema in cast("list[str]", line.get("bodies", [])):
        writing.class_of(schema)
    resource = list(_resource(name, line, writing)) if "class" in line else []
    classes = [_write_model(each, writing.docs[each], lines) for each, lines in writing.fields.items()]
    body = "\n".join([*classes, *resource, ""])
    words = set(re.findall(r"\w+", re.sub(r'(?<!f)"[^"\n]*"', "", body)))
    homes: dict[str, list[str]] = {home: sorted(words & {*names}) for home, names in HOMES.items()}
    for model in known_models():
        if model.name in words - writing.fields.keys():
            homes.setdefault(f"katana_client.models.{model.module}", []).append(model.name)
    lines = {home: f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(homes.items()) if names}
    groups = [
        [lines[home] for home in lines if home in STANDARD],
        [lines[home] for home in lines if home in THIRD],
        [lines[home] for home in lines if home not in {*STANDARD, *THIRD}],
    ]
    imports = "\n\n".join("\n".join(group) for group in groups if group)
    return formatted(HEAD.format(line["doc"]) + imports + "\n" + body)


def _write_model(name: str, doc: str, lines: list[str]) -> str:
    body = textwrap.indent("\n".join([f'"""{doc}"""', "", *lines]), "    ")
    return f"\n\nclass {name}(WriteModel):\n{body}"


def _resource(name: str, line: Line, writing: Writing) -> Iterator[str]:
    operations = writing.facts.operations
    methods = cast("dict[str, list[str]]", line.get("methods", {}))
    taken = {each[0] for each in methods.values()}
    plain = {key: each for key, each in operations.items() if each.collection == name and key not in taken}
    create, update = (_body(plain.get(key), writing) for key in (f"POST /{name}", f"PATCH /{name}/{{id}}"))
    bulk = create != "Never" and str(plain[f"POST /{name}"].answers.get(200, "")).startswith("[")
    spec = dict(_spec(name, line, plain, writing, (create, update, bulk)))
    yield f"\n\nclass {line['class']}({'AnsweredBulk' if bulk else 'Resource'}[{line['model']}, {create}, {update}]):"
    yield f'    """`/{name}`."""\n'
    yield "    spec = Spec("
    for key, value in spec.items():
        yield f"        {key}={value},"
    yield "    )"
    for method, (operation, model, doc) in methods.items():
        yield _method(method, operations[operation], (model, doc), writing)


def _spec(
    name: str, line: Line, plain: Mapping[str, Operation], writing: Writing, bodies: tuple[str, str, bool]
) -> Iterator[tuple[str, str]]:
    create, update, bulk = bodies
    listing = plain.get(f"GET /{name}")
    yield "name", f'"{name}"'
    yield "model", str(line["model"])
    if create != "Never":
        yield "bulk" if bulk else "create", create
    if update != "Never":
        yield "update", update
    if f"DELETE /{name}/{{id}}" in plain:
        yield "deletes", "True"
    if listing is None:
        yield "lists", "False"
    query: Mapping[str, Fact] = {} if listing is None else listing.parameters.get("query", {})
    yield from _identity(name, line, plain, query)
    if update != "Never" and any(each.startswith("additional_info:") for each in writing.fields[update]):
        yield "keeps", '("additional_info",)'
    known = {plain_name(each)[0]: str(kind) for each, kind in query.items()}
    filters = {each: kind for each, kind in known.items() if each not in {"limit", "page"}}
    yield from _filters(filters)


def _identity(
    name: str, line: Line, plain: Mapping[str, Operation], query: Mapping[str, Fact]
) -> Iterator[tuple[str, str]]:
    """Yield how one record is read, and what it is told apart by."""
    one, change = plain.get(f"GET /{name}/{{id}}"), plain.get(f"PATCH /{name}/{{id}}")
    if one or "ids" in query:
        yield "gets", '"path"' if one else '"ids"'
    if change and change.parameters["path"]["id"] == "uuid":
        yield "uuid", "True"
    if "key" in line:
        yield "key", "(" + ", ".join(f'"{each}"' for each in str(line["key"]).split()) + ",)"


def _filters(filters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    single = [each for each, kind in filters.items() if not kind.startswith("[")]
    repeated = [each for each in filters if each not in single]
    lists = {"single": single, "repeated": repeated}
    parts = [f"{key}=({', '.join(f'"{each}"' for each in names)},)" for key, names in lists.items() if names]
    if parts:
        yield "filters", f"Filters({', '.join(parts)})"


def _method(name: str, operation: Operation, said: tuple[str, str], writing: Writing) -> str:
    model, doc = said
    asked = {plain_name(each)[0]: kind for each, kind in operation.parameters.get("query", {}).items()}
    paged = {"limit", "page"} <= asked.keys()
    arguments = ["identity: Identity"] if "{id}" in operation.path else []
    arguments += [] if paged else [f"{each}: {writing.type_of(kind, '')}" for each, kind in asked.items()]
    body = _body(operation, writing)
    many = _is_list(operation.body, writing.facts)
    arguments += [] if body == "Never" else [f"wanted: {f'Sequence[{body}]' if many else body}"]
    head, _, tail = operation.path.partition("/{id}")
    path = f'f"{{record_path({head[1:]!r}, identity)}}{tail}"'.replace("'", '"') if tail else f'"{operation.path}"'
    path = path.replace(f'"{head[1:]}"', "self.spec.name")
    query = "".join(f'("{each}", str({each})), ' for each in asked) if not paged else ""
    sent = "[each.wire() for each in wanted]" if many else "wanted.wire()"
    rest = f", ({query.rstrip(' ')})" if query else ", ()" if body != "Never" else ""
    call = f'Call("{operation.verb}", {path}{rest}{"" if body == "Never" else f", {sent}"})'
    signature = ", ".join(["self", *arguments])
    result, code = _calling(operation, model, (call, path), writing.facts)
    kind = "def" if paged else "async def"
    return f'\n    {kind} {name}({signature}) -> {result}:\n        """{doc}"""\n        {code}'


def _calling(operation: Operation, model: str, sent: tuple[str, str], facts: ApiFacts) -> tuple[str, str]:
    """Return what a method returns, and its one statement; `sent` is the call, and its path."""
    call, path = sent
    if "page" in operation.parameters.get("query", {}):
        return f"AsyncIterator[Page[{model}]]", f"return Listing(self.sender, {path}, Shape({model}), {{}}).pages()"
    if not model:
        return "None", f"await self.sender.send({call})"
    answer = operation.answers[200]
    is_list = _is_list(answer, facts) or "data" in facts.fields(answer)
    if is_list and operation.verb == "GET":
        return f"tuple[{model}, ...]", f"return await self.read_rows({path}, {model})"
    if is_list:
        return f"tuple[{model}, ...]", f"return await answered_rows(self.sender, {call}, {model})"
    return model, f"return await answered(self.sender, {call}, {model})"


def _is_list(fact: Fact | None, facts: ApiFacts) -> bool:
    text = facts.schemas.get(fact, fact) if isinstance(fact, str) else fact
    return isinstance(text, str) and text.startswith("[")


def _body(operation: Operation | None, writing: Writing) -> str:
    if operation is None or operation.body is None:
        return "Never"
    return writing.class_of(str(writing.facts.held(operation.body)))


def _class_name(schema: str) -> str:
    verb = re.fullmatch(r"(Create|Update)(\w+?)Request", schema)
    return f"{verb[2]}{verb[1]}" if verb else schema.removesuffix("Request")


def _own_name(name: str) -> str:
    """Return the name of a field in Python: no keyword, and no capital letters."""
    return f"{name}_" if iskeyword(name) else re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _is_nullable(fact: Fact) -> bool:
    kinds = expand(fact)
    choices = cast("list[Line]", kinds.get("anyOf", []))
    return "null" in cast("list[str]", kinds.get("type", "")) or {"type": "null"} in choices


def _plain(schema: Line) -> str:
    if schema == {"type": "null"}:
        return "None"
    if schema.get("type") == "array":
        return f"list[{_plain(cast('Line', schema['items']))}]"
    return _scalar(str(schema["type"]), schema)


def _scalar(kind: str, schema: Line) -> str:
    if "enum" in schema:
        values = [each for each in cast("list[object]", schema["enum"]) if each is not None]
        return "Literal[" + ", ".join(f'"{each}"' if isinstance(each, str) else str(each) for each in values) + "]"
    if schema.get("format") in FORMATS:
        return FORMATS[str(schema["format"])]
    if kind == "integer" and schema.get("maximum") == MAX_ID:
        return "Ref"
    texts = kind == "string"
    return _limited(PLAIN[kind], schema, TEXTS if texts else LIMITS, "StringConstraints" if texts else "Field")


def _limited(type_: str, schema: Line, words: Mapping[str, str], limit: str) -> str:
    limits = [
        f"{word}={f'r"{schema[key]}"' if key == 'pattern' else schema[key]}"
        for key, word in words.items()
        if key in schema and not (word == "min_length" and not schema[key])
    ]
    return f"Annotated[{type_}, {limit}({', '.join(limits)})]" if limits else type_
