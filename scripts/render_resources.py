"""Render the resources of `resources.toml`, write models and operations, and the registry of all resources.

`python -m scripts.render` runs it. Which operations, filters, bodies and limits there are say the facts.
"""

import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from scripts.render_models import CLIENT, ROOT, known_models
from scripts.render_writing import Line, Writing, own_of

from katana_schema.notation import Fact, plain_name
from katana_schema.reading import ApiFacts, Operation

FOLDER = CLIENT / "src" / "katana_client" / "resources"
HEAD = '''"""{}

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

'''
HOMES = {
    "collections.abc": ("AsyncIterator", "Sequence"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Literal", "Never"),
    "pydantic": ("AwareDatetime", "Field", "StringConstraints"),
    "katana_client.answers": ("answered", "answered_rows"),
    "katana_client.bulk": ("AnsweredBulk",),
    "katana_client.collection": ("Identity", "spec_of"),
    "katana_client.custom_fields": ("CustomFieldInputs",),
    "katana_client.exchange": ("Call",),
    "katana_client.listing": ("Listing",),
    "katana_client.page": ("Page", "Shape"),
    "katana_client.paths": ("record_path",),
    "katana_client.resource": ("Resource",),
    "katana_client.search": ("Search",),
    "katana_client.tracking": ("BatchInput", "StockBatchInput", "StockTraceabilityInputs", "TraceabilityInputs"),
    "katana_client.wire": ("Configs", "FreeFields", "Omittable", "Ref", "TextAmount", "WriteModel"),
}
"""Where what a module uses is imported from."""
STANDARD, THIRD = ("collections.abc", "decimal", "typing"), ("pydantic",)

REGISTRY = "All collections of the API, with all that can be done with each."
BOUND = """from __future__ import annotations

from typing import TYPE_CHECKING

from katana_client.collection import Bound, HasSender

if TYPE_CHECKING:"""
COLLECTIONS = '''class Collections(HasSender):
    """Every collection, as an attribute named like its path."""
'''
RESOURCE = re.compile(r"^class (\w+)\(\s*(?:Resource|AnsweredBulk|SilentBulk)\b", re.MULTILINE)
MARK = "Rendered by scripts/"


def known_resources() -> dict[str, Line]:
    """Return what `resources.toml` says of the modules that are rendered whole, by module."""
    return tomllib.loads((CLIENT / "resources.toml").read_text("utf-8"))


def sources_by_hand() -> dict[str, str]:
    """Return the text of each module that is written by hand, by its name."""
    texts = {file.stem: file.read_text("utf-8") for file in sorted(FOLDER.glob("*.py"))}
    return {name: text for name, text in texts.items() if MARK not in text}


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name, and of the registry."""
    modules = {name: _module(name, line, facts) for name, line in known_resources().items()}
    return {"__init__": _registry({**sources_by_hand(), **modules}), **modules}


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
    writing = Writing(facts, own_of(line))
    for schema in cast("list[str]", line.get("bodies", [])):
        writing.class_of(schema)
    resource = list(_resource(name, line, writing)) if "class" in line else []
    return module_text(HEAD.format(line["doc"]), writing, resource)


def module_text(head: str, writing: Writing, resource: Sequence[str] = ()) -> str:
    """Return the text of a module with its imports, its write models and a resource."""
    classes = [_write_model(class_name, writing, lines) for class_name, lines in writing.fields.items()]
    body = "\n".join([*classes, *resource, ""])
    words = set(re.findall(r"\w+", re.sub(r'(?s)""".*?"""|(?<!f)"[^"\n]*"', "", body)))
    homes: dict[str, list[str]] = {home: sorted(words & {*names}) for home, names in HOMES.items()}
    searches = words & {f"{kind}Search" for kind in re.findall(r"Search\[(\w+),", body)}
    homes["katana_client.resources.searches"] = sorted(searches)
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
    return formatted(head + imports + "\n" + body)


def _write_model(name: str, writing: Writing, lines: list[str]) -> str:
    doc, not_copied = writing.docs[name].strip(), writing.own.not_copied.get(name, "").split()
    names = ", ".join(f'"{field}"' for field in not_copied)
    fixed = [f"not_copied = frozenset({{{names}}})", ""] if not_copied else []
    quoted = f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""'
    body = textwrap.indent("\n".join([quoted, "", *fixed, *lines]), "    ", lambda line: bool(line.strip()))
    return f"\n\nclass {name}(WriteModel):\n{body}"


def _resource(name: str, line: Line, writing: Writing) -> Iterator[str]:
    operations = writing.facts.operations
    methods = cast("dict[str, list[str]]", line.get("methods", {}))
    taken = {method[0] for method in methods.values()}
    plain = {key: op for key, op in operations.items() if op.collection == name and key not in taken}
    create, update = (_body(plain.get(key), writing) for key in (f"POST /{name}", f"PATCH /{name}/{{id}}"))
    bulk = create != "Never" and str(plain[f"POST /{name}"].answers.get(200, "")).startswith("[")
    bases = [f"{'AnsweredBulk' if bulk else 'Resource'}[{line['model']}, {create}, {update}]"]
    if f"POST /{name}/search" in plain:
        bases += [f"Search[{line['model']}, {line['model']}Search]"]
    yield f"\n\nclass {line['class']}({', '.join(bases)}):"
    yield f'    """`/{name}`."""\n'
    yield f"    spec = spec_of({', '.join(_spec(name, line, (create, update, bulk)))})"
    for method, (operation, model, doc) in methods.items():
        yield _method(method, operations[operation], (model, doc), writing)


def _spec(name: str, line: Line, bodies: tuple[str, str, bool]) -> Iterator[str]:
    create, update, bulk = bodies
    yield f'"{name}"'
    yield str(line["model"])
    if create != "Never":
        yield f"{'bulk' if bulk else 'create'}={create}"
    if update != "Never":
        yield f"update={update}"
    if "key" in line:
        names = [f'"{part}"' for part in str(line["key"]).split()]
        yield f"key=({', '.join(names)}{',' if len(names) == 1 else ''})"


def _method(name: str, operation: Operation, said: tuple[str, str], writing: Writing) -> str:
    model, doc = said
    asked = {plain_name(parameter)[0]: kind for parameter, kind in operation.parameters.get("query", {}).items()}
    paged = {"limit", "page"} <= asked.keys()
    arguments = ["identity: Identity"] if "{id}" in operation.path else []
    arguments += [] if paged else [f"{argument}: {writing.type_of(kind, '')}" for argument, kind in asked.items()]
    body = _body(operation, writing)
    many = _is_list(operation.body, writing.facts)
    arguments += [] if body == "Never" else [f"rows: Sequence[{body}]" if many else f"body: {body}"]
    head, _, tail = operation.path.partition("/{id}")
    path = f'f"{{record_path({head[1:]!r}, identity)}}{tail}"'.replace("'", '"') if tail else f'"{operation.path}"'
    path = path.replace(f'"{head[1:]}"', "self.spec.name")
    query = "".join(f'("{argument}", str({argument})), ' for argument in asked) if not paged else ""
    sent = "[row.wire() for row in rows]" if many else "body.wire()"
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
