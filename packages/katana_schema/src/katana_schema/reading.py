"""The facts, read from their files: what each operation takes and answers, and the fields of each schema.

`facts/` is written by a script from Katana's description; `overlay.toml` goes over it, by hand, with what a probe told.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from katana_schema.notation import expand, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from katana_schema.notation import Fact

    type _Facts = Mapping[str, Fact]

PLACES = ("path", "query", "header")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; kinds are in the notation of `katana_schema.notation`.

    Attributes:
        verb: `GET`, `POST`, `PATCH` or `DELETE`.
        path: With `{id}` and the like for what varies.
        parameters: By place, `path`, `query` or `header`, and name; a required one ends with `*`.
        body: What is sent, None where nothing is.
        answers: What is answered, by status; `null` is an empty answer.
    """

    verb: str
    path: str
    parameters: Mapping[str, Mapping[str, Fact]]
    body: Fact | None
    answers: Mapping[int, Fact]

    @property
    def collection(self) -> str:
        """The first segment of the path."""
        return self.path.split("/")[1]


@dataclass(frozen=True, slots=True)
class ApiFacts:
    """What is known of the API.

    Attributes:
        operations: By verb and path: `GET /sales_orders/{id}`.
        schemas: By name.
    """

    operations: Mapping[str, Operation] = field(default_factory=dict[str, Operation])
    schemas: Mapping[str, Fact] = field(default_factory=dict[str, "Fact"])

    def fields(self, fact: Fact) -> dict[str, Fact]:
        """Return the fields of an object by name, with those of the schemas that it builds on or chooses from."""
        return {plain_name(name)[0]: kind for part in self._parts(fact) for name, kind in _own(part).items()}

    def required(self, fact: Fact) -> frozenset[str]:
        """Return the names of the fields that an object cannot be without."""
        named = (plain_name(name) for part in self._parts(fact) for name in _own(part))
        return frozenset(name for name, needed in named if needed)

    def at(self, place: str) -> Fact:
        """Return what stands at a place: `Order` is a schema, `Order.rows.batches` what a list in a list of it holds.

        Raises:
            KeyError: There is no such field.
        """
        name, *steps = place.split(".")
        fact: Fact = name
        for step in steps:
            fact = self.held(self.fields(fact)[step])
        return fact

    def held(self, fact: Fact) -> Fact:
        """Return what a value is when it is not null, or, of a list, what each of its rows is."""
        if isinstance(fact, dict):
            choices = [option for option in cast("list[Fact]", fact.get("anyOf", [])) if option != "null"]
            inner = fact.get("items", choices[0] if choices else None)
            return fact if inner is None else self.held(inner)
        text = str(fact)
        if text.startswith("["):
            return self.held(text[1 : text.rindex("]")])
        alias = self.schemas.get(text.removesuffix("?"))
        return self.held(alias) if isinstance(alias, str) and alias.startswith("[") else text.removesuffix("?")

    def values(self, fact: Fact) -> dict[str, list[object]]:
        """Return the values that each field of an object is known to have, of fields that have one of a few."""
        known: dict[str, dict[object, None]] = {}
        for name, kind in (each for part in self._parts(fact) for each in _own(part).items()):
            known.setdefault(plain_name(name)[0], {}).update(dict.fromkeys(self._values(kind)))
        return {name: list(values) for name, values in known.items() if values}

    def _values(self, fact: Fact) -> list[object]:
        held = self.held(fact)
        schema = expand(self.schemas.get(held, held) if isinstance(held, str) else held)
        return [choice for choice in cast("list[object]", schema.get("enum", [])) if choice is not None]

    def _parts(self, fact: Fact) -> Iterator[Mapping[str, Fact]]:
        if isinstance(fact, str):
            name = fact.removesuffix("?")
            if name in self.schemas:
                yield from self._parts(self.schemas[name])
        elif isinstance(fact, dict):
            for name in ("of", "oneOf"):
                for base in cast("list[Fact]", fact.get(name, [])):
                    yield from self._parts(base)
            yield fact


@cache
def read_facts() -> ApiFacts:
    """Return all facts, those of the overlay on top; read once.

    Raises:
        ValueError: The overlay speaks of what the facts do not have.
    """
    folder = files("katana_schema")
    loaded = [
        cast("dict[str, dict[str, Fact]]", json.loads(file.read_text("utf-8")))
        for file in folder.joinpath("facts").iterdir()
    ]
    facts: dict[str, Fact] = {
        part: {name: fact for file in loaded for name, fact in file[part].items()} for part in ("operations", "schemas")
    }
    overlay = cast("dict[str, Fact]", tomllib.loads(folder.joinpath("overlay.toml").read_text("utf-8")))
    whole = cast("dict[str, dict[str, Fact]]", laid_over(facts, overlay))
    operations = {name: _operation(name, each) for name, each in whole["operations"].items()}
    return ApiFacts(operations, whole["schemas"])


def laid_over(facts: Mapping[str, Fact], overlay: Mapping[str, Fact], *, path: str = "") -> dict[str, Fact]:
    """Return facts in which those of the overlay stand in place of their own; only fields and answers may be new.

    Raises:
        ValueError: The overlay speaks of an operation, a schema or a part that the facts do not have.
    """
    whole = dict(facts)
    for name, fact in overlay.items():
        place, known = f"{path}.{name}", facts.get(name)
        if known is None and not path.endswith((".fields", ".answers")):
            message = f"the overlay has {place[1:]}, and the facts have not"
            raise ValueError(message)
        both = isinstance(fact, dict) and isinstance(known, dict)
        whole[name] = laid_over(cast("_Facts", known), cast("_Facts", fact), path=place) if both else fact
    return whole


def _operation(name: str, fact: Fact) -> Operation:
    verb, _, path = name.partition(" ")
    parts = cast("dict[str, dict[str, Fact]]", fact)
    parameters = {place: parts[place] for place in PLACES if place in parts}
    answers = {int(status): kind for status, kind in parts["answers"].items()}
    return Operation(verb, path, parameters, cast("Fact | None", parts.get("body")), answers)


def _own(part: Mapping[str, Fact]) -> Mapping[str, Fact]:
    return cast("Mapping[str, Fact]", part.get("fields", {}))
