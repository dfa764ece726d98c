"""What a tool that writes offers is what Katana takes, by facts and description; what it leaves out has a reason."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from tests.at_once import at_once

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.catalogue import catalogue
from katana_schema.forms import formed as with_forms
from katana_schema.reading import read_facts

from .goes import Goes
from .shapes import Schema
from .written_fields import WRITTEN

SPEC = Path(__file__).parents[3] / "shared" / "reference" / "katana-openapi-2026-10.yaml"
type FieldsOf = Callable[[str, str], set[str]]


CASES = [(tool, goes) for tool, ways in WRITTEN.items() for goes in ways]
LISTED: dict[str, Schema] = {row["name"]: row["inputSchema"] for row in catalogue()}


@pytest.fixture(scope="module", params=["facts", "description"])
def fields_of(request: pytest.FixtureRequest) -> FieldsOf:
    """The fields of a schema, by the committed facts and by the description that these are made of."""
    if request.param == "facts":
        return _by_facts
    if not SPEC.is_file():
        pytest.skip("the description of the API is not part of this repository")
    return partial(_by_description, SPEC.read_text("utf-8"))


def _by_facts(name: str, listed: str, *, formed: bool = False) -> set[str]:
    facts = with_forms(read_facts()) if formed else read_facts()
    return set(facts.fields(facts.at(f"{name}.{listed}" if listed else name)))


def _by_description(description: str, name: str, listed: str) -> set[str]:
    schema = _schema(description, name)
    return set((schema["properties"][listed]["items"] if listed else schema)["properties"])


def _schema(description: str, name: str) -> dict[str, Any]:
    """Return one schema; reading all of them takes a second."""
    found = re.search(rf"^    {name}:\n(?:(?: {{6}}.*)?\n)+", description, re.MULTILINE)
    assert found is not None, name
    return cast("dict[str, Any]", yaml.safe_load(found[0])[name])


def _fields(fields_of: FieldsOf, goes: Goes) -> set[str]:
    """Return the writable fields of all schemas that arguments go into."""
    read_fields = partial(_by_facts, formed=True) if goes.is_formed else fields_of
    return {
        field
        for name, _, listed in (target.partition(".") for target in goes.into)
        for field in read_fields(name, listed)
    }


def _offered(tool: str, goes: Goes) -> set[str]:
    schema = LISTED[tool]
    return set((schema["properties"][goes.within]["items"] if goes.within else schema)["properties"])


def test_every_tool_that_writes_says_where_all_its_arguments_go() -> None:
    planning = {spec.name for spec in tools() if spec.plans}
    assert set(WRITTEN) == planning
    for tool in planning:
        lists = {name for name, node in LISTED[tool]["properties"].items() if "properties" in node.get("items", {})}
        assert lists == {goes.within for goes in WRITTEN[tool] if goes.within}, tool


@at_once(("tool", "goes"), CASES)
def test_every_argument_is_a_field_that_katana_takes_or_has_a_reason(
    tool: str, goes: Goes, fields_of: FieldsOf
) -> None:
    fields, offered = _fields(fields_of, goes), _offered(tool, goes)
    assert {goes.called.get(argument, argument) for argument in offered - goes.apart.keys()} - fields == set()
    assert (goes.called.keys() | goes.apart.keys()) - offered == set()
    assert goes.apart.keys() & fields == set()


@at_once(("tool", "goes"), CASES)
def test_every_field_that_katana_takes_is_offered_or_excused(tool: str, goes: Goes, fields_of: FieldsOf) -> None:
    fields = _fields(fields_of, goes)
    offered = {goes.called.get(argument, argument) for argument in _offered(tool, goes) - goes.apart.keys()}
    assert fields - offered == goes.excused.keys()
    assert all(len(reason) > 10 for reason in (*goes.apart.values(), *goes.excused.values()))
