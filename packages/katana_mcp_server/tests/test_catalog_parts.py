"""Parts of the tool catalogue by themselves: mappings, schemas of other servers, files that something else wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from cache_core.testing import ManualClock
from katana_mcp.gateway.adoption import Attempt
from katana_mcp.gateway.files import CatalogFiles, read_attempts, read_catalog, read_pins, write_pins
from katana_mcp.gateway.live import LiveCatalog, Stage
from katana_mcp.gateway.mapping import answer, checked, mapped, request
from katana_mcp.gateway.model import Aggregate, CatalogError, Rule
from katana_mcp.gateway.schemas import captured, hashes
from katana_mcp.tools.warnings import Refused


def rules_of(*rules: dict[str, object]) -> list[Rule]:
    return [Rule.model_validate(rule) for rule in rules]


@pytest.fixture
def files(tmp_path: Path) -> CatalogFiles:
    """A catalogue that has adopted one tool."""
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path)
    files.written.write_text("[upstreams.a]\ncommand = ['b']\n")
    write_pins(files, {"a.x": captured({"name": "x", "inputSchema": {}})}, {"a.x": "2026-01-01"})
    return files


def test_what_one_call_is_given_is_not_sent_by_the_next() -> None:
    constant = {"unit": "kg", "size": {"high": 1}}
    rules = rules_of(
        {"target": "parcel", "value": constant},
        {"target": "parcel.weight", "from": "kg"},
        {"target": "parcel.size.wide", "from": "kg"},
    )
    first = {"parcel": {"unit": "kg", "size": {"high": 1, "wide": 2}, "weight": 2}}
    assert [mapped(rules, values)[0] for values in ({"kg": 2}, {})] == [first, {"parcel": constant}]


def test_what_a_caller_gave_stays_as_it_was_given() -> None:
    given = {"p": {"x": 1, "y": {"z": 2}}}
    rules = rules_of({"target": "parcel", "from": "p"}, {"target": "parcel.y.unit", "value": "kg"})
    assert mapped(rules, given)[0] == {"parcel": {"x": 1, "y": {"z": 2, "unit": "kg"}}}
    assert given == {"p": {"x": 1, "y": {"z": 2}}}


@pytest.mark.parametrize("given", [1, "text", ["text"], False])
def test_a_value_is_not_put_within_one_that_is_no_object(given: object) -> None:
    rules = rules_of({"target": "parcel", "from": "p"}, {"target": "parcel.weight.unit", "value": "kg"})
    operation = {"tool": "a.x", "arguments": rules}
    aggregate = Aggregate.model_validate({"description": "d", "operations": {"one": operation}})
    with pytest.raises(Refused) as refused:
        request(aggregate, {"operation": "one", "p": given}, {"a.x": {}})
    assert str(refused.value) == "operation 'one': parcel.weight.unit cannot be set within a value that is no object"
    assert answer([], {"p": given}, rules) == {"parcel": given}, "the call was made"


def test_references_within_the_keywords_beside_a_reference_mean_what_stands_there() -> None:
    inner = {"$ref": "#/$defs/base", "properties": {"x": {"$ref": "#/$defs/num"}, "y": {"$ref": "#/$defs/base"}}}
    defs = {"base": {"type": "object"}, "num": {"type": "number"}}
    schema = captured({"name": "t", "inputSchema": {"properties": {"a": inner}, "$defs": defs}})["inputSchema"]
    meant = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "object"}}}
    assert schema == {"properties": {"a": meant}}
    assert checked({"a": {"x": 1}}, schema, "t") == {"a": {"x": 1}}
    with pytest.raises(Refused, match=r"a\.x: 'one' is not of type 'number'"):
        checked({"a": {"x": "one"}}, schema, "t")


def test_a_reference_to_itself_beside_a_reference_ends() -> None:
    defs = {"t": {"$ref": "#/$defs/u", "items": {"$ref": "#/$defs/t"}}, "u": {"type": "array"}}
    schema = captured({"name": "t", "inputSchema": {"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": defs}})
    assert schema["inputSchema"]["properties"]["a"] == {"type": "array", "items": {}}


@pytest.mark.parametrize("listed", [{}, {"name": None}, {"name": 7}, {"name": ""}])
def test_a_tool_without_a_name_is_not_kept(listed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="its name is none"):
        captured({**listed, "inputSchema": {}})


PIN: dict[str, Any] = {"inputSchema": {}}
OTHER_LOCKS: tuple[Any, ...] = (
    [],
    {"tools": []},
    {"tools": "x"},
    {"tools": {"a.x": {}}},
    {"tools": {"a.x": []}},
    {"tools": {"a.x": {"descriptor": {}, "hashes": {}}}},
    {"tools": {"a.x": {"descriptor": [], "hashes": {}}}},
    {"tools": {"a.x": {"descriptor": {"inputSchema": {}}}}},
    {"tools": {"a.x": {"adopted_at": 5, "descriptor": PIN, "hashes": hashes(PIN)}}},
    {"tools": {"a.x": {"descriptor": PIN, "hashes": hashes(PIN)}}},
)


@pytest.mark.parametrize("lock", OTHER_LOCKS, ids=str)
def test_a_lock_that_something_else_wrote_is_refused_and_a_running_server_keeps_the_one_before(
    files: CatalogFiles, lock: object
) -> None:
    live = LiveCatalog(files, [], ManualClock(), Stage())
    files.lock.write_text(json.dumps(lock))
    with pytest.raises(CatalogError, match=r"catalog\.lock\.json"):
        read_pins(files)
    live.reload()
    assert (set(live.entries), read_catalog(files)) == ({"x"}, live.catalog)


OTHER_LINES: tuple[object, ...] = (
    [],
    {"tool": [], "outcome": "offered", "pinned": "0"},
    {"tool": "a.x", "outcome": {}, "pinned": "0"},
    {"tool": "a.x", "outcome": "else", "pinned": "0"},
    {"tool": "a.x", "outcome": "offered", "pinned": "0", "schema": 5},
    {"outcome": "offered"},
)


@pytest.mark.parametrize("line", OTHER_LINES, ids=str)
def test_a_line_that_is_no_attempt_counts_for_nothing(files: CatalogFiles, line: object) -> None:
    kept = Attempt("a.x", "valid", "0")
    rows = [line, {"at": "2026-01-01", "tool": "a.x", "outcome": "valid", "pinned": "0"}]
    files.attempts.write_text("\n".join(map(json.dumps, rows)))
    assert list(read_attempts(files)) == [kept]
    assert set(LiveCatalog(files, [], ManualClock(), Stage()).entries) == {"x"}
