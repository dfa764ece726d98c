"""The small words of the surface: warnings, codes, numbers, and which tools are served."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.at_once import at_once

import katana_mcp
from katana_mcp.server.catalogue import chosen
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.arguments import decoded
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, render_path

CODES = {name: value for name, value in vars(warning_codes).items() if name.isupper()}
SOURCES = {path: path.read_text("utf-8") for path in Path(katana_mcp.__file__).parent.rglob("*.py")}


@given(st.decimals(allow_nan=False, allow_infinity=False, places=None))
def test_a_number_keeps_its_value_to_the_last_digit(value: Decimal) -> None:
    assert Decimal(str(plain_number(value))) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1100.0000000000", 1100),
        ("0.1", 0.1),
        ("12345678901234567.89", "12345678901234567.89"),
        ("0.1234567890123456789", "0.1234567890123456789"),
        ("-0", 0),
        ("9007199254740993", "9007199254740993"),
    ],
)
def test_a_number_is_shown_plainly_where_that_is_exact(value: str, shown: object) -> None:
    assert plain_number(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("location", "path"),
    [
        (("rows", 0, "sales_order_row_id"), "rows[0].sales_order_row_id"),
        (("actual_quantity",), "actual_quantity"),
        ((), None),
        ((0, 1), "[0][1]"),
    ],
)
def test_a_location_reads_as_a_path(location: tuple[int | str, ...], path: str | None) -> None:
    assert render_path(location) == path


def test_a_warning_takes_a_location_for_its_path() -> None:
    warning = ToolWarning.model_validate({"severity": "info", "message": "m", "field_path": ("rows", 2, "sku")})
    assert warning.field_path == "rows[2].sku"


def test_a_blocking_warning_needs_a_code() -> None:
    with pytest.raises(ValidationError, match="needs a code"):
        ToolWarning(severity="blocking", message="m")


@at_once("name", CODES)
def test_every_code_is_documented_and_used(name: str) -> None:
    assert CODES[name] == name.lower()
    assert f"| `{CODES[name]}` |" in (warning_codes.__doc__ or "")
    assert [path for path, text in SOURCES.items() if f"warning_codes.{name}" in text]


def test_every_documented_code_exists_and_no_message_is_tagged_by_a_prefix() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", warning_codes.__doc__ or "", re.MULTILINE)
    assert documented == list(CODES.values())
    assert [path.name for path, text in SOURCES.items() if "BLOCK:" in text] == []


def test_toolsets_tools_and_exclusions_choose_what_is_served() -> None:
    every = [tool.name for tool in tools()]
    assert [tool.name for tool in chosen((), ("all",), ())] == every
    assert [tool.name for tool in chosen((), (), ())] == [name for name in every if name != "rebuild_cache"]
    assert "rebuild_cache" in {tool.name for tool in chosen((), ("admin",), ())}
    assert [tool.name for tool in chosen(("rebuild_cache",), (), ())] == ["rebuild_cache"]
    assert {tool.toolset for tool in chosen((), ("sales",), ())} == {"sales", "writing"}
    assert "apply_plan" not in {tool.name for tool in chosen((), ("inventory",), ("apply_plan",))}
    planning = [tool.name for tool in tools() if tool.plans]
    assert [tool.name for tool in chosen((), ("writing",), ())] == [*planning, "apply_plan"]
    # What the previews of a toolset plan can be applied.
    added = {"cache_status", "apply_plan"}
    grouped = [tool.name for tool in tools() if tool.toolset == "inventory" or tool.name in added]
    assert [tool.name for tool in chosen(("cache_status",), ("inventory",), ())] == grouped
    reading = [tool.name for tool in tools() if tool.read_only and not tool.plans]
    assert [tool.name for tool in chosen((), ("read",), ())] == reading == [name for name in every if name in reading]
    assert not {"rebuild_cache", "create_stock_transfer", "apply_plan"} & {*reading}
    both = {tool.name for tool in chosen((), ("read", "admin"), ())}
    assert both == {*reading, *(tool.name for tool in tools() if tool.toolset == "admin")}
    left = [name for name in every if name != "cache_status"]
    assert [tool.name for tool in chosen((), ("all",), ("cache_status",))] == left
    with pytest.raises(ValueError, match="leave no tool to serve"):
        chosen(("cache_status",), (), ("cache_status",))
    with pytest.raises(
        ValueError,
        match="no tool is called nothing; there are apply_plan, buildable, cache_status, change_prices",
    ):
        chosen((), (), ("nothing",))


@pytest.mark.parametrize(
    ("sent", "schema", "taken"),
    [
        ("1, 2,3", {"type": "array", "items": {"type": "integer"}}, [1, 2, 3]),
        ("[1,2]", {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ("1,x", {"type": "array", "items": {"type": "integer"}}, [1, "x"]),
        ("A-1, B", {"type": "array", "items": {"type": "string"}}, ["A-1", "B"]),
        ("007", {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}, ["007"]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("[x]", {"type": "string"}, "[x]"),
        ("[1]", {"anyOf": [{"type": "string"}, {"type": "array"}]}, "[1]"),
        ("[1]", {"type": "integer"}, "[1]"),
        ("not json", {"type": "object"}, "not json"),
        (["1,2"], {"type": "array"}, ["1,2"]),
    ],
)
def test_a_text_is_read_as_a_list_only_where_no_text_is_allowed(
    sent: object, schema: dict[str, object], taken: object
) -> None:
    assert decoded(sent, schema) == taken
