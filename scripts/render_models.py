"""Render the client's read models from the facts; `python -m scripts.render` runs it.

Which schemas a model shows, and what is to be known of it, stands in `read_models.toml`, by hand; its fields and their
kinds in the facts and their overlay.
"""

import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from katana_schema.notation import Fact, expand
from katana_schema.reading import ApiFacts

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "packages" / "katana_client"
FOLDER = CLIENT / "src" / "katana_client" / "models"
HEAD = '''"""{} as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""
'''
FIRST, STAMPS = ("id",), ("created_at", "updated_at", "archived_at", "deleted_at")
KINDS = {"integer": "int", "boolean": "bool", "number": "Amount", "string": "str", "object": "Linked"}
FORMATS = {"date-time": "Moment", "decimal": "Amount"}
WIDTH = 120
CAMEL = "  # noqa: N815 - as Katana has it"
NULLABLE = {"Amount", "Moment", "Linked", "CustomFields"}
WIRE = {"Amount", "Moment", "Linked"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A read model.

    Attributes:
        module: The module that it stands in, mostly a collection.
        name: Of the class.
        places: Where the facts say its fields, see `ApiFacts.at`; several are one model with the fields of all.
        doc: What is to be known of it.
        kinds: Types of fields for which that of the facts is not taken.
    """

    module: str
    name: str
    places: tuple[str, ...]
    doc: str
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])


def known_models() -> list[Model]:
    """Return the models that `read_models.toml` names."""
    text = (CLIENT / "read_models.toml").read_text("utf-8")
    tables = cast("dict[str, dict[str, str | dict[str, object]]]", tomllib.loads(text))
    entries: Iterator[tuple[str, str, dict[str, object]]] = (
        (module, name, {"doc": said} if isinstance(said, str) else said)
        for module, models in tables.items()
        for name, said in models.items()
    )
    return [
        Model(
            module=module,
            name=name,
            places=tuple(cast("list[str]", entry.get("of", [name]))),
            doc=str(entry["doc"]).strip(),
            kinds=cast("dict[str, str]", entry.get("kinds", dict[str, str]())),
        )
        for module, name, entry in entries
    ]


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name."""
    models = known_models()
    classes = {place: model for model in models for place in model.places}
    modules = dict.fromkeys(model.module for model in models)
    texts = {name: _module([model for model in models if model.module == name], facts, classes) for name in modules}
    return {
        "__init__": HEAD.format("Records of each collection"),
        "values": _values(models, facts),
        **texts,
    }


def model_fields(facts: ApiFacts) -> dict[str, dict[str, str]]:
    """Return the fields of each model with their types, by its name."""
    models = known_models()
    classes = {place: model for model in models for place in model.places}
    return {model.name: dict(_fields(model, facts, classes)) for model in models}


def _module(models: list[Model], facts: ApiFacts, classes: Mapping[str, Model]) -> str:
    types = {model.name: dict(_fields(model, facts, classes)) for model in models}
    used = {
        word
        for fields in types.values()
        for annotation in fields.values()
        for word in annotation.replace("[", " ").replace("]", " ").split()
    }
    lines = [f"from katana_client.wire import {', '.join(sorted({'ReadModel', *WIRE & used}))}"]
    homes = {model.name: model.module for model in classes.values() if model.module != models[0].module}
    for home in {homes[name] for name in homes.keys() & used}:
        names = sorted(name for name in homes.keys() & used if homes[name] == home)
        lines += [f"from katana_client.models.{home} import {', '.join(names)}"]
    lines += ["from katana_client.custom_fields import CustomFields"] if "CustomFields" in used else []
    ordered = sorted(models, key=lambda model: _depth(model.name, types))
    head = HEAD.format(models[0].module.replace("_", " ").capitalize())
    return "\n".join([head, *sorted(lines), *(_class(model, types[model.name]) for model in ordered), ""])


def _values(models: list[Model], facts: ApiFacts) -> str:
    """Return the module that says which values Katana is known to send where it sends one of a few."""
    literals: dict[str, dict[object, None]] = {}
    for model in models:
        for place in model.places:
            for name, values in facts.values(facts.at(place)).items():
                title = f"{model.name}{name.title().replace('_', '')}"
                literals.setdefault(title, {}).update(dict.fromkeys(values))
    types = [f"type {title} = Literal[{', '.join(map(json.dumps, literals[title]))}]" for title in sorted(literals)]
    head = HEAD.format("Values by model and field, those known so far,")
    return "\n".join([head, "from typing import Literal", "", *map(_wrapped, types), ""])


def _wrapped(line: str) -> str:
    """Return a line as the formatter has it."""
    if len(line) <= WIDTH:
        return line
    head, values = line.removesuffix("]").split("[")
    one = f"{head}[\n    {values}\n]"
    return one if len(values) + 4 <= WIDTH else f"{head}[\n    {values.replace(', ', f',{chr(10)}    ')},\n]"


def _depth(name: str, types: Mapping[str, Mapping[str, str]]) -> int:
    """Return how many models deep those of the same module lie that a model mentions."""
    words = " ".join(types[name].values()).replace("[", " ").replace("]", " ").split()
    return max((1 + _depth(mentioned, types) for mentioned in types.keys() & set(words)), default=0)


def _class(model: Model, fields: Mapping[str, str]) -> str:
    doc = f'"""{model.doc}"""' if "\n" not in model.doc else f'"""{model.doc}\n"""'
    lines = [
        f"{name}: {kind if kind in NULLABLE else f'{kind} | None'} = None{'' if name.islower() else CAMEL}"
        for name, kind in fields.items()
    ]
    body = textwrap.indent("\n".join([doc, "", *lines]), "    ")
    return f"\n\nclass {model.name}(ReadModel):\n{body}"


def _fields(model: Model, facts: ApiFacts, classes: Mapping[str, Model]) -> Iterator[tuple[str, str]]:
    """Yield each field with its type: first the id, last the stamps."""
    found: dict[str, str] = {}
    extended = _extended(facts, model.module)
    for place in model.places:
        for name, fact in facts.fields(facts.at(place)).items():
            kind = "Linked" if name in extended else _kind(f"{place}.{name}", fact, facts, classes)
            found.setdefault(name, model.kinds.get(name, kind))
    for name in sorted(
        found,
        key=lambda field_name: (
            field_name in STAMPS,
            STAMPS.index(field_name) if field_name in STAMPS else field_name not in FIRST,
        ),
    ):
        yield name, found[name]


def _extended(facts: ApiFacts, collection: str) -> set[str]:
    """Return the fields that hold another record, as it is, when a listing of the collection is asked to `extend`."""
    queries = [
        operation.parameters.get("query", {})
        for operation in facts.operations.values()
        if operation.collection == collection
    ]
    kinds = [cast("dict[str, list[str]]", expand(query["extend"])["items"]) for query in queries if "extend" in query]
    return {name for kind in kinds for name in kind["enum"]}


def _kind(place: str, fact: Fact, facts: ApiFacts, classes: Mapping[str, Model]) -> str:
    if place.endswith(".custom_fields"):
        return "CustomFields"
    held = facts.held(fact)
    model = classes.get(held) if isinstance(held, str) else None
    model = model or classes.get(place)
    several = "items" in expand(fact) if not isinstance(fact, dict) or "items" in fact else False
    inner = model.name if model else _plain(held, facts)
    return f"list[{inner}]" if several else inner


def _plain(fact: Fact, facts: ApiFacts) -> str:
    """Return the type of a value that is no record of its own."""
    schema = expand(facts.schemas.get(fact, fact) if isinstance(fact, str) else fact)
    named = schema.get("type", "object")
    types = [kind for kind in cast("list[str]", named if isinstance(named, list) else [named]) if kind != "null"]
    if len(types) > 1:
        return "Amount"
    return FORMATS.get(str(schema.get("format")), KINDS[types[0]])
