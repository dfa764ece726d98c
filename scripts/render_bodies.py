"""Render what of bodies stands nowhere by hand: the fields that need no rule of ours; for `scripts.render`.

Which fields a write model has by hand is read from its source. All others that the facts have are rendered into a class
from which it inherits.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from scripts.render_models import CLIENT
from scripts.render_resources import FOLDER as RESOURCES
from scripts.render_resources import Writing, module_text

from katana_schema.reading import ApiFacts

FOLDER = CLIENT / "src" / "katana_client" / "bodies"
HEAD = '''"""Fields of bodies{} that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

'''
SUFFIX, RENDERED = "Body", "Rendered by scripts/"

type Classes = Mapping[str, ast.ClassDef]


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name."""
    sources = {file.stem: file.read_text("utf-8") for file in sorted(RESOURCES.glob("*.py"))}
    trees = {name: ast.parse(text) for name, text in sources.items() if RENDERED not in text}
    classes = {each.name: each for tree in trees.values() for each in tree.body if isinstance(each, ast.ClassDef)}
    modules = {name: _module(name, tree, classes, facts) for name, tree in trees.items()}
    return {"__init__": HEAD.format("").rstrip() + "\n", **{name: text for name, text in modules.items() if text}}


def _module(name: str, tree: ast.Module, classes: Classes, facts: ApiFacts) -> str:
    writing = Writing(facts, {})
    for model, verb in _bodies(tree):
        operation = facts.operations[f"POST /{name}" if verb == "create" else f"PATCH /{name}/{{id}}"]
        fact = facts.held(operation.body or "")
        lines = [_with_refs(each) for each in writing.lines(fact, model, frozenset(_fields(model, classes)))]
        if lines:
            writing.fields[f"{model}{SUFFIX}"] = lines
            writing.docs[f"{model}{SUFFIX}"] = f"What `{fact}` has of the facts alone."
    return module_text(HEAD.format(f" of `{name}`"), writing) if writing.fields else ""


def _with_refs(line: str) -> str:
    """Return a line in which the id of another record has the limits of ids, which the facts do not say each time."""
    return re.sub(r"\bint\b", "Ref", line) if re.match(r"\w+_id:", line) else line


def _bodies(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the write models that the spec of a resource names, and what each is for."""
    places = {2: "create", 3: "update"}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "spec_of":
            named = {places[nr]: value for nr, value in enumerate(call.args) if nr in places}
            named |= {each.arg or "": each.value for each in call.keywords}
            for use, value in named.items():
                if isinstance(value, ast.Name):
                    yield value.id, "create" if use == "bulk" else use


def _fields(name: str, classes: Classes) -> Iterator[str]:
    """Yield the fields that a class has by hand, its own and those that it inherits."""
    for line in classes[name].body if name in classes else ():
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            yield line.target.id
    for base in classes[name].bases if name in classes else ():
        if isinstance(base, ast.Name):
            yield from _fields(base.id, classes)
