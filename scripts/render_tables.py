"""Render the typed cache's tables from the facts; `python -m scripts.render` runs it.

Columns are the fields of read models, see `render_models`; what no fact says stands in `tables.toml`, by hand.
"""

import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from typing import cast

from scripts.render_models import ROOT, known_models, model_fields

from katana_schema.reading import ApiFacts

CACHE = ROOT / "packages" / "cache_typed"
FOLDER = CACHE / "src" / "cache_typed" / "tables"
HEAD = '''"""{}

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

'''
REGISTRY = HEAD.format("The registry of tables: all entities that the typed cache holds.")
KINDS = {"int": "whole", "str": "text", "bool": "flag", "Amount": "number", "Moment": "moment"}
TYPES = {
    "whole": "int",
    "text": "str",
    "flag": "bool",
    "number": "Decimal",
    "moment": "datetime",
    "nested": "object",
    "order_of": "str",
}
HOMES = {
    "cache_core.protocol": ("Capability",),
    "cache_core.spec": ("Searchable",),
    "cache_typed.columns": ("moment", "nested", "number", "order_of"),
    "cache_typed.dialect": ("index_of_given",),
    "cache_typed.documents": ("Document", "Part", "flag", "identity", "part_of", "text", "together", "whole"),
    "cache_typed.mapping": ("PartMapping", "TableMapping"),
    "datetime": ("datetime",),
    "decimal": ("Decimal",),
    "typing": ("ClassVar",),
}
"""Where what a module uses is imported from."""
STANDARD = ("datetime", "decimal", "typing")

type Line = Mapping[str, object]


def known_tables() -> dict[str, Line]:
    """Return what `tables.toml` says, by module: classes are the tables in it."""
    return tomllib.loads((CACHE / "tables.toml").read_text("utf-8"))


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of each module by its name."""
    fields, tables = model_fields(facts), known_tables()
    modules = {name: _module(name, line, fields) for name, line in tables.items()}
    names = {f"cache_typed.tables.{name}": f"{line['spec']}_TABLE" for name, line in tables.items()}
    imports = sorted(f"from {home} import {name}" for home, name in names.items())
    rows = [f"    {name}," for name in names.values()]
    imported = ["from cache_typed.mapping import TableMapping", *imports]
    registry = ["", "TABLES: tuple[TableMapping, ...] = (", *rows, ")", ""]
    return {"__init__": REGISTRY + "\n".join([*imported, *registry]), **modules}


def _module(name: str, line: Line, fields: Mapping[str, Mapping[str, str]]) -> str:
    spec = str(line["spec"])
    tables = {class_name: cast("Line", value) for class_name, value in line.items() if isinstance(value, dict)}
    main = next(iter(tables))
    classes = [_class(class_name, table, main, {**line, **tables}, fields) for class_name, table in tables.items()]
    body = "\n".join([*classes, "", "", *_mapping(spec, tables, guesses=bool(line.get("guesses"))), ""])
    words = set(body.replace("(", " ").replace("[", " ").replace("]", " ").replace(")", " ").replace(",", " ").split())
    imports = {home: sorted(words & {*names}) for home, names in HOMES.items()}
    imports[f"cache_core.specs.{name}"] = [spec]
    lines = {home: f"from {home} import {', '.join(names)}" for home, names in sorted(imports.items()) if names}
    standard = [text for home, text in lines.items() if home in STANDARD]
    ours = [text for home, text in lines.items() if home not in STANDARD]
    return HEAD.format(line["doc"]) + "\n".join([*standard, *([""] if standard else []), *ours, body])


def _class(name: str, table: Line, main: str, module: Line, fields: Mapping[str, Mapping[str, str]]) -> str:
    is_document = name == main
    model = str(table.get("of", name))
    doc = str(
        table.get(
            "doc", next(known_model.doc for known_model in known_models() if known_model.name == model).splitlines()[0]
        )
    )
    columns = list(_columns(table, fields[model]))
    lines = list(_arguments(name, table, cast("Line", module[main]), main, is_document=is_document))
    if is_document and module.get("searched", True):
        lines += [f"_fts_columns: ClassVar[Searchable] = {module['spec']}.searchable"]
    parts = [cast("Line", entry)["field"] for entry in module.values() if isinstance(entry, dict) and "field" in entry]
    columns = [column for column in columns if not (is_document and column.partition(":")[0] in parts)]
    counts = [f"cache_count_{part}: int | None = whole()" for part in parts] if is_document else []
    base = "Document" if is_document else "Part"
    text = textwrap.indent("\n".join([f'"""{doc}"""', "", *lines, *([""] if lines else []), *columns, *counts]), "    ")
    return f"\n\nclass {name}({base}, table=True):\n{text}"


def _arguments(name: str, table: Line, document: Line, main: str, *, is_document: bool) -> Iterator[str]:
    if not is_document:
        yield f'__table_args__ = part_of("{_table(main)}.{document.get("key", "id")}")'
    indexes = [f'index_of_given("{_table(name)}", "{field}")' for field in _names(table, "given")]
    if "together" in table:
        columns = ", ".join(f'"{field}"' for field in _names(table, "together"))
        indexes += [f'together("{_table(name)}", {columns})']
    if len(indexes) == 1:
        yield f"__table_args__ = ({indexes[0]},)"
    elif indexes:
        yield "\n".join(["__table_args__ = (", *(f"    {index}," for index in indexes), ")"])


def _columns(table: Line, fields: Mapping[str, str]) -> Iterator[str]:
    """Yield the declaration of each column, the primary key first where it is one of the fields."""
    kinds = {**fields, **cast("Mapping[str, str]", table.get("kinds", {}))}
    order, index, only = (_names(table, setting) for setting in ("order", "index", "only"))
    key = "" if "field" in table else str(table.get("key", "id"))
    if key:
        yield f"{key}: int = identity()"
    for name, kind in kinds.items():
        if name in {key, *_names(table, "without")} or (only and name not in only):
            continue
        word = KINDS.get(kind, "nested")
        yield f"{name}: {TYPES[word]} | None = {word}({'index=True' if name in index else ''})"
        if name in order:
            indexed = ", index=True" if f"{name}_order" in index else ""
            yield f'{name}_order: str | None = order_of("{name}"{indexed})'


def _mapping(spec: str, tables: Mapping[str, Line], *, guesses: bool) -> list[str]:
    main, *others = tables
    parts = [
        f'PartMapping("{tables[other]["field"]}", {other}{", single=True" if tables[other].get("single") else ""})'
        for other in others
    ]
    lines = [f"    {spec},", f"    {main},"]
    if len(parts) == 1:
        lines += [f"    ({parts[0]},),"]
    elif parts:
        lines += ["    (", *(f"        {part}," for part in parts), "    ),"]
    lines += ["    guesses=frozenset(Capability),"] if guesses else []
    return [f"{spec}_TABLE = TableMapping(", *lines, ")"]


def _names(table: Line, key: str) -> list[str]:
    return str(table.get(key, "")).split()


def _table(name: str) -> str:
    """Return the table of a class, as `cache_typed.documents.Named` calls it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
