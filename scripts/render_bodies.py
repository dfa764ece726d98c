"""Render the write models of the resources that are written by hand; for `scripts.render`.

A class that the resource has by hand, for a rule, inherits from a rendered one, `…Body`, which has all other fields.
"""

import ast
import tomllib
from collections.abc import Iterator
from typing import cast

from scripts.render_models import CLIENT
from scripts.render_resources import module_text, sources_by_hand
from scripts.render_writing import BASE, Line, Writing, own_of

from katana_schema.reading import ApiFacts

FOLDER = CLIENT / "src" / "katana_client" / "bodies"
HEAD = '''"""Bodies{} as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

'''


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name."""
    trees = {name: ast.parse(text) for name, text in sources_by_hand().items()}
    lines: dict[str, Line] = tomllib.loads((CLIENT / "bodies.toml").read_text("utf-8"))
    modules = {name: _module(name, lines.get(name, {}), tree, facts) for name, tree in trees.items()}
    return {"__init__": HEAD.format("").rstrip() + "\n", **{name: text for name, text in modules.items() if text}}


def _module(name: str, line: Line, tree: ast.Module, facts: ApiFacts) -> str:
    writing = Writing(facts, own_of(line, _by_hand(tree)))
    operations = {key: operation for key, operation in facts.operations.items() if operation.collection == name}
    bodies = [operations[key].body for key in (f"POST /{name}", f"PATCH /{name}/{{id}}") if key in operations]
    for body in [*bodies, *cast("list[str]", line.get("also", []))]:
        writing.class_of(str(writing.facts.held(body or "")))
    return module_text(HEAD.format(f" of `{name}`"), writing) if writing.fields else ""


def _by_hand(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Return the fields that each class has by hand, by the name of its base where that is rendered."""
    classes = [statement for statement in tree.body if isinstance(statement, ast.ClassDef)]
    return {
        base.id: frozenset(_fields(class_))
        for class_ in classes
        for base in class_.bases
        if isinstance(base, ast.Name) and base.id.endswith(BASE)
    }


def _fields(kind: ast.ClassDef) -> Iterator[str]:
    for line in kind.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            yield line.target.id
