"""Write models of the client as lines of Python, from the facts and the forms of bodies; for `scripts.render`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import cast

from katana_schema.forms import formed
from katana_schema.notation import SCHEMAS, Fact, expand
from katana_schema.reading import ApiFacts

PLAIN = {"boolean": "bool", "string": "str", "integer": "int", "number": "Decimal", "object": "FreeFields"}
LIMITS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "minItems": "min_length",
    "maxItems": "max_length",
}
FORMATS = {"date-time": "AwareDatetime", "decimal": "TextAmount"}
TEXTS = {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
BASE = "Body"
"""What the name of a class ends with that is the base of one by hand."""
MAX_ID = 2_147_483_647

type Line = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Own:
    """What `resources.toml` or `bodies.toml` says of the write models of a module, over the facts.

    Attributes:
        names: of classes: by schema, or by the class and the field that holds one.
        kinds: of fields, by class and field: what a fact has no word for.
        docs: of classes.
        without: of classes, fields that Katana takes and ignores.
        not_copied: of classes, see `WriteModel.not_copied`.
        by_hand: of the bases of classes by hand, the fields that those have.
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    docs: Mapping[str, str] = field(default_factory=dict[str, str])
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    not_copied: Mapping[str, str] = field(default_factory=dict[str, str])
    by_hand: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def own_of(line: Line, by_hand: Mapping[str, frozenset[str]] | None = None) -> Own:
    """Return what a table says of write models."""
    words = ("names", "kinds", "docs", "without", "not_copied")
    names, kinds, docs, without, not_copied = (cast("Mapping[str, str]", line.get(word, {})) for word in words)
    return Own(names, kinds, docs, without, not_copied, by_hand or {})


class Writing:
    """The write models of a module.

    Attributes:
        facts: of the API, with the forms of bodies.
        own: What is said by hand.
        fields: of each class, its lines.
        docs: of each class, where nothing is said by hand.
    """

    def __init__(self, facts: ApiFacts, own: Own) -> None:
        self.facts = formed(facts)
        self.own = own
        self.fields: dict[str, list[str]] = {}
        self.docs: dict[str, str] = {}

    def class_of(self, schema: str) -> str:
        """Return the class of a schema, and make it."""
        return self._class(self.name_of(schema), schema, f"`{schema}` of the facts.")

    def name_of(self, schema: str) -> str:
        """Return the name of the class of a schema."""
        verb = re.fullmatch(r"(Create|Update)(\w+?)Request", schema)
        name = self.own.names.get(schema) or (f"{verb[2]}{verb[1]}" if verb else schema.removesuffix("Request"))
        return f"{name}{BASE}" if f"{name}{BASE}" in self.own.by_hand else name

    def _class(self, name: str, fact: Fact, doc: str) -> str:
        if name not in self.fields:
            self.docs[name] = self.own.docs.get(name, doc)
            self.fields[name] = []
            lines = self._lines(fact, name)
            del self.fields[name]
            self.fields[name] = lines
        return name

    def type_of(self, fact: object, place: str) -> str:
        """Return the type of a value; `place` names the class of an object without a name: `Class.field`."""
        schema = expand(cast("Fact", fact))
        if "$ref" in schema or "anyOf" in schema:
            return self._choice(schema, fact, place)
        kinds = schema.get("type", "object")
        kind = (
            kinds if isinstance(kinds, str) else next(choice for choice in cast("list[str]", kinds) if choice != "null")
        )
        if kind == "array":
            inner = self.type_of(self.facts.held(cast("Fact", fact)), place.removesuffix("s"))
            return _limited(f"list[{inner}]", schema, LIMITS, "Field")
        if kind == "object" and isinstance(fact, dict) and "fields" in fact:
            owner, _, name = place.partition(".")
            made = f"{owner}{name.title().replace('_', '')}"
            given = self.own.names.get(place) or self.own.names.get(f"{place}s", made)
            return self._class(given, cast("Fact", fact), "A part of the body below.")
        return _scalar(kind, schema)

    def _choice(self, schema: Line, fact: object, place: str) -> str:
        if "$ref" in schema:
            return self._named(str(fact), place)
        choices = cast("list[Line]", schema["anyOf"])
        if {"array", "object"} <= {str(choice.get("type")) for choice in choices}:
            return "CustomFieldInputs"
        names = [
            cast("str", choice["$ref"]).removeprefix(SCHEMAS) if "$ref" in choice else choice for choice in choices
        ]
        types = [self._named(name, place) if isinstance(name, str) else _plain(name) for name in names]
        return " | ".join(dict.fromkeys(part for text in types for part in text.split(" | ")))

    def _named(self, name: str, place: str) -> str:
        fact = self.facts.schemas[name]
        if isinstance(fact, dict) and "fields" in fact:
            return self.class_of(name)
        return self.type_of(fact, place)

    def _lines(self, fact: Fact, owner: str) -> list[str]:
        """Return the lines of the class of an object, without the fields that it has by hand."""
        required, left_out = self.facts.required(fact), self.own.by_hand.get(owner, frozenset())
        left_out |= set(self.own.without.get(owner, "").split())
        found = {
            name: self._line(name, kind, owner, needed=name in required)
            for name, kind in self.facts.fields(fact).items()
        }
        return sorted((line for name, line in found.items() if name not in left_out), key=lambda line: " = " in line)

    def _line(self, name: str, kind: Fact, owner: str, *, needed: bool) -> str:
        place = f"{owner}.{name}"
        type_ = self._given(place, kind) or _id_type(name, kind) or self.type_of(kind, place)
        parts = [part for part in type_.split(" | ") if part != "None"]
        is_null = _is_nullable(kind) or len(parts) < len(type_.split(" | "))
        plain = " | ".join(parts)
        if needed:
            return f"{name}: {plain}{' | None' if is_null else ''}"
        own = _own_name(name)
        default = "None" if own == name else f'Field(default=None, serialization_alias="{name}")'
        return f"{own}: {f'{plain} | None' if is_null else f'Omittable[{plain}]'} = {default}"

    def _given(self, place: str, kind: Fact) -> str:
        """Return the type that is said by hand, and make the class that it mentions."""
        given, before = self.own.kinds.get(place, ""), set(self.fields)
        if given:
            self.type_of(kind, place)
        if not any(f"[{class_name}]" in given for class_name in self.fields.keys() - before):
            self.fields = {name: lines for name, lines in self.fields.items() if name in before}
        return given


def _id_type(name: str, fact: Fact) -> str:
    """Return the type of the id of another record: some facts say no more than that it is a number."""
    schema = expand(fact) if isinstance(fact, str) and (name == "id" or name.endswith("_id")) else {}
    named = schema.get("type", "")
    if not {"integer", "number"} & {*(cast("list[str]", named) if isinstance(named, list) else [named])}:
        return ""
    return "Annotated[int, Field(ge=0)]" if schema.get("minimum") == 0 else "Ref"


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
        values = [choice for choice in cast("list[object]", schema["enum"]) if choice is not None]
        return "Literal[" + ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values) + "]"
    if schema.get("format") in FORMATS:
        return FORMATS[str(schema["format"])]
    if kind == "integer" and schema.get("maximum") == MAX_ID:
        return "Ref"
    texts = kind == "string"
    return _limited(PLAIN[kind], schema, TEXTS if texts else LIMITS, "StringConstraints" if texts else "Field")


def _limited(type_: str, schema: Line, words: Mapping[str, str], limit: str) -> str:
    limits = [
        f"{word}={_limit(key, schema[key])}"
        for key, word in words.items()
        if key in schema and not (word == "min_length" and not schema[key])
    ]
    return f"Annotated[{type_}, {limit}({', '.join(limits)})]" if limits else type_


def _limit(key: str, value: object) -> str:
    if isinstance(value, float):
        return f'Decimal("{value:g}")'
    return f'r"{value}"' if key == "pattern" else str(value)
