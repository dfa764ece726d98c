"""Committed facts are what the script makes of the description and lose nothing of it; the rest is rendered of them."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from scripts.count_fields import lines_by_hand
from scripts.render import committed, rendered
from scripts.render_bodies import FOLDER as BODIES
from scripts.render_models import FOLDER as MODELS
from scripts.render_models import ROOT, model_fields
from scripts.render_resources import FOLDER as RESOURCES
from scripts.render_tables import FOLDER as TABLES
from scripts.render_tables import known_tables
from scripts.schema_from_openapi import FACTS, facts_of, text_of
from tests.nights import rest_in_turn

from katana_schema.openapi import document
from katana_schema.reading import ApiFacts, laid_over, read_facts

if TYPE_CHECKING:
    from katana_schema.notation import Fact

SPEC = Path(__file__).parents[2] / "shared" / "reference" / "katana-openapi-2026-10.yaml"
DESCRIBED = pytest.mark.skipif(not SPEC.is_file(), reason="the description of the API is not part of this repository")
type Schema = dict[str, Any]

VERBS = {"get", "post", "patch", "put", "delete"}


@cache
def description() -> Schema:
    return yaml.load(SPEC.read_text("utf-8"), yaml.CSafeLoader)


def fields(root: Schema, schema: Schema, path: str, seen: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the path and the types of every field at any depth; written apart from the script, for its mistakes."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from fields(root, root["components"]["schemas"][name], path, (*seen, name))
        return
    types = schema.get("type", "string" if "enum" in schema else [])
    limits = {key: limit for key, limit in schema.items() if key.startswith(("min", "max", "pattern"))}
    if types:
        yield path, f"{sorted([types] if isinstance(types, str) else types)} {sorted(limits.items())}"
    for name in schema.get("required", ()):
        yield f"{path}.{name}", "required"
    for name, subschema in schema.get("properties", {}).items():
        yield from fields(root, subschema, f"{path}.{name}", seen)
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from fields(root, part, path, seen)
    if "items" in schema:
        yield from fields(root, schema["items"], f"{path}[]", seen)


def exchanged(root: Schema) -> dict[str, set[tuple[str, str]]]:
    """Return what each operation takes and answers, field by field."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path, item in root["paths"].items():
        for verb in VERBS & item.keys():
            operation = item[verb]
            answers = [answer for status, answer in operation["responses"].items() if str(status).startswith("2")]
            bodies = [body for body in [operation.get("requestBody"), *answers] if body and "content" in body]
            schemas = [next(iter(body["content"].values()))["schema"] for body in bodies]
            found[f"{verb.upper()} {path}"] = {
                field
                for place, schema in enumerate(schemas)
                for field in fields(root, schema, str(place))
                if field[0] != str(place)
            }
    return found


@DESCRIBED
def test_the_committed_facts_are_what_the_script_makes_of_the_description() -> None:
    made = {name: text_of(facts) for name, facts in facts_of(description()).items()}
    assert {file.stem: file.read_text("utf-8") for file in FACTS.glob("*.json")} == made
    assert len(made) == 72


@DESCRIBED
def test_no_field_kind_or_limit_of_the_description_is_lost() -> None:
    described, kept = exchanged(description()), exchanged(document(read_facts()))
    assert described.keys() == kept.keys()
    lost = {name: described[name] - kept[name] for name in described if described[name] - kept[name]}
    assert lost == {}


@cache
def _rendered() -> Mapping[Path, Mapping[str, str]]:
    return rendered(read_facts())


@pytest.mark.parametrize("folder", [MODELS, BODIES, RESOURCES, TABLES], ids=lambda folder: folder.name)
def test_the_committed_modules_are_what_the_script_renders_of_the_facts(folder: Path) -> None:
    assert committed(folder) == _rendered()[folder]


FIELDS = ["hallmark: str | None = None", "parts: list[BatchTransaction] | None = None", "weight: Amount = None"]
COLUMNS = [
    "hallmark: str | None = text()",
    "parts: object | None = nested()",
    "weight: Decimal | None = number()",
]


@pytest.mark.parametrize(
    ("folder", "module", "lines"),
    rest_in_turn((TABLES, "purchase_orders", COLUMNS), (MODELS, "purchase_order_rows", FIELDS)),
)
def test_a_new_field_of_a_schema_is_a_field_and_a_column_without_a_line(
    folder: Path, module: str, lines: list[str]
) -> None:
    facts = read_facts()
    new_fields: Fact = {"hallmark": "text?", "parts": "[BatchTransaction]", "weight": "decimal"}
    grown = laid_over(facts.schemas, {"PurchaseOrderRow": {"fields": new_fields}})
    before, after = rendered(facts)[folder], rendered(ApiFacts(facts.operations, grown))[folder]
    assert {name for name in before if before[name] != after[name]} == {module}
    new = set(after[module].splitlines()) - set(before[module].splitlines())
    assert {line.strip() for line in new} == set(lines)


WORDS = {"index", "order", "given", "together", "without", "only"}


def test_what_tables_say_by_hand_names_fields_that_models_have() -> None:
    fields = model_fields(read_facts())
    for module in known_tables().values():
        for name, table in module.items():
            if isinstance(table, dict):
                existing = {*fields[table.get("of", name)], *table.get("kinds", {}), table.get("key")}
                orders = {f"{part}_order" for part in table.get("order", "").split()}
                named = {part for word in WORDS & table.keys() for part in table[word].split()}
                assert named - existing - orders == set(), name
                assert not orders or {order.removesuffix("_order") for order in orders} <= existing


def test_fields_are_declared_by_hand_in_few_lines_and_a_body_in_none() -> None:
    found = lines_by_hand()
    assert found["bodies by hand"] == found["models by hand"] == found["tables by hand"] == 0
    assert sum(found.values()) - found["forms of bodies"] <= 2_300


@pytest.mark.parametrize(("name", "code"), [("expected_arrival_date", 0), ("expected_arival_date", 1)])
def test_the_checker_knows_the_fields_of_rendered_models(tmp_path: Path, name: str, code: int) -> None:
    user = tmp_path / "user.py"
    text = f"from katana_client.models.purchase_orders import PurchaseOrder\n\n\nprint(PurchaseOrder().{name})\n"
    user.write_text(text, "utf-8")
    command = [Path(sys.executable).with_name("ty"), "check", "--quiet", "--python", sys.prefix, user]
    assert subprocess.run(command, check=False, capture_output=True, cwd=ROOT).returncode == code
