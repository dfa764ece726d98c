"""The forms of bodies: what the fact sheets know of them beyond what the description says.

`forms/` is laid over the facts, by schema: a kind in their notation, and the names of the fields that are of it; a
required one ends with `*`, a `refused` one Katana does not take. `[Schema.field]` is about what the field of a schema
holds, `[bodies]` about what an operation takes. A schema that the facts lack is a row that they leave open. A
`CamelMoment` is a moment whose faults name the field in camelCase, and an `object` can be any. Comments name sections:
F is the sheet of July, O that of October.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from katana_schema.notation import REQUIRED, expand, named, plain_name
from katana_schema.reading import ApiFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from katana_schema.notation import Fact

    type Sheet = Mapping[str, str | Sheet]

BODIES, REFUSED = "bodies", "refused"
CAMEL = "CamelMoment"


@cache
def read_sheet() -> Sheet:
    """Return what is laid over the facts, by schema."""
    tables: dict[str, str | Sheet] = {}
    for file in files("katana_schema").joinpath("forms").iterdir():
        tables |= cast("Sheet", tomllib.loads(file.read_text("utf-8")))
    return tables


def formed(facts: ApiFacts) -> ApiFacts:
    """Return the facts as they are for who sends: bodies have the forms of the sheets."""
    sheet = {name: cast("Sheet", each) for name, each in read_sheet().items()}
    bodies = cast("Mapping[str, str]", sheet.pop(BODIES))
    laid = {name: _laid_over(facts, facts.schemas.get(name, {"fields": {}}), each) for name, each in sheet.items()}
    operations = {
        name: replace(each, body=bodies[name]) if name in bodies else each for name, each in facts.operations.items()
    }
    return ApiFacts(operations, {**facts.schemas, **laid, CAMEL: "moment"})


def _laid_over(facts: ApiFacts, fact: Fact, sheet: Sheet) -> Fact:
    """Return an object with the kinds of the sheet; a table there is about what the field of its name holds."""
    fields, required = facts.fields(fact), set(facts.required(fact))
    for kind, names in sheet.items():
        if kind == REFUSED:
            continue
        if not isinstance(names, str):
            fields[kind] = _held_anew(facts, fields[kind], names)
            continue
        for name, needed in map(plain_name, names.split()):
            if not (kind.startswith("object") and named(fields.get(name, "any"))):
                fields[name] = kind
            required = required | {name} if needed else required - {name}
    for name in cast("str", sheet.get(REFUSED, "")).split():
        del fields[name]
    return {
        "fields": {f"{name}{REQUIRED if name in required else ''}": kind for name, kind in fields.items()},
        "closed": True,
    }


def _held_anew(facts: ApiFacts, fact: Fact, sheet: Sheet) -> Fact:
    """Return a field whose object, or whose rows, have the kinds of the sheet."""
    inner = _laid_over(facts, facts.held(fact), sheet)
    limits = cast("dict[str, Fact]", {name: each for name, each in expand(fact).items() if name != "items"})
    return {**limits, "items": inner} if limits.get("type") == "array" else inner
