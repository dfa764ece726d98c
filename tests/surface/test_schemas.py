import json
import re
import sys
from collections.abc import Sequence
from itertools import batched
from typing import TYPE_CHECKING, cast

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension
from tests.at_once import at_once

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.entities import ENTITIES
from katana_mcp.resources.help import tool_page, tool_reference
from katana_mcp.server.catalogue import promised
from katana_mcp.server.kept_tools import KEPT, as_kept, kept_absent, kept_tools
from katana_mcp.server.made_tools import never_there, tools
from katana_mcp.server.mcp import answer_schemas
from katana_mcp.server.mcp.answer_schemas import answer_schema, referred, schemas_made
from katana_mcp.server.mcp.arguments import MOST_ENTRIES, validated
from katana_mcp.server.mcp.catalogue import catalogue, tokens
from katana_mcp.server.mcp.schemas import without_references
from katana_mcp.server.mcp.tool import RequestTool
from katana_mcp.surface.descriptor import Verb
from katana_mcp.surface.operations import OPERATIONS
from katana_mcp.testing import Setup, staged
from katana_mcp.tools.answers import Envelope
from katana_mcp.tools.warnings import Refused, ToolWarning

from .shapes import KEYED_BY_THE_ACCOUNT, Schema, fitting, misfits, nodes

if TYPE_CHECKING:
    from katana_mcp.references.services import TenantDoor

LISTED = {row["name"]: row for row in catalogue()}
KEPT_LINES = {line["name"]: line for line in json.loads(KEPT.read_text("utf-8"))["tools"]}
SPECS = {spec.name: spec for spec in tools()}
VERBS: tuple[Verb, ...] = ("search", "list", "get", "create", "modify", "delete")
PARAMETERS = [(tool, name) for tool, shown in LISTED.items() for name in shown["inputSchema"]["properties"]]
LIMITS = [
    (tool, name, value)
    for tool, shown in LISTED.items()
    for name, schema in shown["inputSchema"]["properties"].items()
    for _, value in misfits(schema)
]
SHOWN_ONCE = (*Envelope.model_fields, "empty")
"""Keys that many answers have, which the help explains."""
NEVER_OPENED = {"tracking_number_url", "tracking_url", "field_type"}
"""Addresses that are kept as texts and shown: nothing is read from there."""
SAID_BY = {
    "page": "limit",
    **dict.fromkeys(("update_operation_rows", "delete_operation_row_ids"), "add_operation_rows"),
    "copy_operations_of": "copy_of",
}
"""Arguments without words of their own, and those beside them whose words say what they are."""
IDS = [
    (tool, name)
    for tool, shown in LISTED.items()
    for name, schema in shown["inputSchema"]["properties"].items()
    if name == "ids" or (name.endswith("_id") and "integer" in schema["type"])
]


def _each[*T](cases: Sequence[tuple[str, *T]], tool: str) -> list[tuple[*T]]:
    return [case[1:] for case in cases if case[0] == tool]


def _required(tool: str) -> dict[str, object]:
    schema = LISTED[tool]["inputSchema"]
    return {name: fitting(schema["properties"][name]) for name in schema.get("required", ())}


def _validate(tool: str, arguments: dict[str, object]) -> object:
    return validated(SPECS[tool].request, LISTED[tool]["inputSchema"], arguments)


@pytest.mark.parametrize("tool", LISTED)
def test_a_tool_is_listed_as_it_was_accepted(tool: str, snapshot: SnapshotAssertion) -> None:
    assert LISTED[tool] == snapshot(extension_class=JSONSnapshotExtension)


@pytest.mark.parametrize("tool", SPECS)
def test_what_is_kept_of_a_tool_is_what_it_is_and_what_its_models_say(tool: str) -> None:
    made = json.loads(json.dumps(as_kept(SPECS[tool], *schemas_made(SPECS[tool]))))
    assert KEPT_LINES.get(tool) == made, "kept of another state: python -m scripts.render_schemas"


def test_nothing_else_is_kept() -> None:
    assert [*KEPT_LINES] == [tool.name for tool in kept_tools()] == [*SPECS]
    assert kept_absent() == never_there(), "kept of another state: python -m scripts.render_schemas"


def test_a_start_makes_no_schema_of_our_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a schema is made")

    monkeypatch.setattr(answer_schemas, "schemas_made", refuse)
    assert [RequestTool.of(tool, cast("TenantDoor", None)).name for tool in kept_tools()] == [*SPECS]


def test_a_tool_of_other_models_has_their_schemas() -> None:
    plain = promised(tools(), {})
    (changed,) = [spec for spec in plain if spec.name == "search_items"]
    listed = RequestTool.of(changed, cast("TenantDoor", None)).parameters["properties"]["query"]["description"]
    assert "misspelt" not in listed
    assert "misspelt" in LISTED["search_items"]["inputSchema"]["properties"]["query"]["description"]


@at_once("tool", LISTED)
def test_a_tool_name_is_short_and_plain(tool: str) -> None:
    assert re.fullmatch(r"[a-z_]{1,64}", tool)


@at_once("tool", LISTED)
def test_every_parameter_is_described_in_a_sentence_by_itself_or_by_the_one_beside_it(tool: str) -> None:
    for (name,) in _each(PARAMETERS, tool):
        properties = LISTED[tool]["inputSchema"]["properties"]
        begins = SAID_BY.get(name, re.sub("_max$", "_min", re.sub("_to$", "_from", name)))
        described = properties[name].get("description", properties.get(begins, {}).get("description", ""))
        assert re.fullmatch(r"[A-Z].{5,}\.", described, re.DOTALL)


@at_once("tool", LISTED)
def test_no_limit_is_told_that_no_honest_value_comes_near(tool: str) -> None:
    for path, node in nodes(LISTED[tool]["inputSchema"]):
        assert node.get("maximum", 0) < 1_000_000, path
        assert "anyOf" not in node or {branch.get("type") for branch in node["anyOf"]} - {"integer", "string"}, path


@at_once("tool", LISTED)
def test_an_id_beyond_what_a_database_holds_is_refused_though_no_limit_is_told(tool: str) -> None:
    for (name,) in _each(IDS, tool):
        is_list = LISTED[tool]["inputSchema"]["properties"][name]["type"] == "array"
        for id in (0, 2**31):
            with pytest.raises(Refused) as refusal:
                _validate(tool, {**_required(tool), name: [id] if is_list else id})
            assert (refusal.value.warnings[0].field_path or "").partition("[")[0] == name


@at_once(
    "tool",
    [name for name in LISTED if any(key.endswith("_from") for key in LISTED[name]["inputSchema"]["properties"])],
)
def test_windows_of_dates_are_told_once_for_all(tool: str) -> None:
    text = json.dumps(LISTED[tool], ensure_ascii=False)
    assert text.count("a date is a whole day") == 1


@at_once("tool", LISTED)
def test_every_tool_is_open_about_what_it_does(tool: str) -> None:
    annotations = LISTED[tool]["annotations"]
    assert {key: annotations[key] for key in ("readOnlyHint", "destructiveHint", "idempotentHint")} == {
        "readOnlyHint": tool not in {"rebuild_cache", "apply_plan"},
        "destructiveHint": tool == "apply_plan",
        "idempotentHint": True,
    }
    assert annotations["openWorldHint"] is (tool != "cache_status")


@at_once("tool", LISTED)
def test_schemas_are_closed_flat_and_without_null_defaults(tool: str) -> None:
    schema = LISTED[tool]["inputSchema"]
    every = list(nodes(schema))
    opened = {path for path, node in every if node.get("type") == "object" and node.get("additionalProperties")}
    assert schema["additionalProperties"] is False
    assert {path for path in opened if path.rpartition(".")[2] not in KEYED_BY_THE_ACCOUNT} == set()
    assert [path for path, node in every if "default" in node and node["default"] is None] == []
    assert [path for path, node in every if "$ref" in node or "title" in node] == []
    assert '"null"' not in json.dumps(schema)
    # The server looks for none: see `dereference_schemas` in server/mcp/server.py.
    assert '"$ref"' not in json.dumps(LISTED[tool]["outputSchema"])


@at_once("tool", LISTED)
def test_no_parameter_has_a_twin_in_the_other_number(tool: str) -> None:
    names = set(LISTED[tool]["inputSchema"]["properties"])
    assert [name for name in names if f"{name}s" in names or f"{name}es" in names] == []


@at_once("tool", LISTED)
def test_a_value_that_the_schema_allows_is_accepted(tool: str) -> None:
    for (name,) in _each(PARAMETERS, tool):
        value = fitting(LISTED[tool]["inputSchema"]["properties"][name])
        assert getattr(_validate(tool, {**_required(tool), name: value}), name) is not None


@at_once("tool", LISTED)
def test_a_value_beyond_a_stated_limit_is_refused_by_name(tool: str) -> None:
    for name, value in _each(LIMITS, tool):
        with pytest.raises(Refused) as refusal:
            _validate(tool, {**_required(tool), name: value})
        assert {(warning.field_path or "").partition("[")[0] for warning in refusal.value.warnings} == {name}
        assert {warning.code for warning in refusal.value.warnings} == {"invalid_argument"}


def test_a_list_whose_limit_is_not_told_is_refused_long_before_it_costs_anything() -> None:
    for tool, shown in LISTED.items():
        for name, schema in shown["inputSchema"]["properties"].items():
            if schema["type"] == "array" and "maxItems" not in schema:
                with pytest.raises(Refused):
                    _validate(tool, {**_required(tool), name: [fitting(schema["items"])] * (MOST_ENTRIES + 1)})


@at_once("tool", LISTED)
def test_no_parameter_names_a_file_or_an_address(tool: str) -> None:
    for (name,) in _each(PARAMETERS, tool):
        schema = json.dumps(LISTED[tool]["inputSchema"]["properties"][name])
        words = set(re.findall(r"[a-z]+", f"{name} {schema}".lower()))
        assert (
            name in NEVER_OPENED
            or words & {"path", "file", "filename", "folder", "directory", "url", "uri", "host"} == set()
        )


VALUES = {"enum", "examples"}


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        (tool, name)
        for tool, definition in LISTED.items()
        for name, schema in definition["inputSchema"]["properties"].items()
        if "examples" in schema.get("items", schema)
    ],
)
def test_values_of_which_some_are_known_have_a_limit_that_is_not_told(tool: str, name: str) -> None:
    words = ["x" * 60, "x" * 61]
    many = [["x"] * 20, ["x"] * 21]
    several = LISTED[tool]["inputSchema"]["properties"][name]["type"] == "array"
    for fits, refused in ([[words[0]], [words[1]]], many) if several else (words,):
        assert getattr(_validate(tool, {**_required(tool), name: fits}), name) == fits
        with pytest.raises(Refused):
            _validate(tool, {**_required(tool), name: refused})


@at_once("tool", LISTED)
def test_every_string_and_list_that_a_caller_sends_has_an_upper_limit(tool: str) -> None:
    every = list(nodes(without_references(SPECS[tool].request.model_json_schema(by_alias=True))))
    unbounded = [
        path
        for path, node in every
        if (node.get("type") == "array" and "maxItems" not in node and not VALUES & set(node["items"]))
        or (node.get("type") == "string" and not {"maxLength", *VALUES, "pattern", "format"} & set(node))
    ]
    assert unbounded == []
    assert max((node.get("maxItems", 0) for _, node in every), default=0) <= MOST_ENTRIES, "the rest is not looked at"


@at_once("tool", LISTED)
def test_the_usual_limit_of_a_text_is_kept_though_it_is_not_told(tool: str) -> None:
    assert '"maxLength": 255' not in json.dumps(LISTED[tool]["inputSchema"])
    whole = without_references(SPECS[tool].request.model_json_schema(by_alias=True))["properties"]
    for name in [name for name, node in whole.items() if node.get("maxLength") == 255]:
        with pytest.raises(Refused, match="255"):
            _validate(tool, {**_required(tool), name: "x" * 256})


@at_once("tool", LISTED)
def test_an_unknown_argument_is_refused_naming_it_and_the_nearest(tool: str) -> None:
    argument = next(iter(LISTED[tool]["inputSchema"]["properties"]), None)
    wrong = f"{argument}_x" if argument else "anything"
    with pytest.raises(Refused) as refusal:
        _validate(tool, {**_required(tool), wrong: 1})
    (warning,) = refusal.value.warnings
    assert (warning.code, warning.field_path) == ("unknown_argument", wrong)
    assert f"did you mean {argument!r}?" in warning.message if argument else "known: none" in warning.message


@at_once("tool", LISTED)
def test_lists_sent_as_text_are_read_and_texts_are_left_alone(tool: str) -> None:
    for (name,) in _each(PARAMETERS, tool):
        schema: Schema = LISTED[tool]["inputSchema"]["properties"][name]
        if schema.get("type") == "array":
            value = [fitting(schema["items"])]
            scalars = schema["items"].get("type") != "object"
            for sent in (json.dumps(value), *([", ".join(map(str, value))] if scalars else [])):
                request = _validate(tool, {**_required(tool), name: sent})
                read = getattr(request, name)
                parsed = list(map(str, read)) if scalars else [row.model_dump(exclude_unset=True) for row in read]
                assert parsed == (list(map(str, value)) if scalars else value), sent
        elif schema.get("type") == "string" and not {*VALUES, "pattern", "format"} & set(schema):
            assert getattr(_validate(tool, {**_required(tool), name: "[x]"}), name) == "[x]"


@at_once("tool", [name for entity in ENTITIES if (name := f"list_{entity.plural}") in LISTED])
def test_a_list_tool_opens_with_the_batch_hook(tool: str) -> None:
    titles = tool.removeprefix("list_").replace("_", " ")
    opening = f"List {titles} with filters — pass `ids=[1,2,3]` to fetch a specific batch by ID (cache-backed)."
    assert LISTED[tool]["description"].startswith(opening)
    assert LISTED[tool]["inputSchema"]["properties"]["ids"]["type"] == "array"


@pytest.mark.parametrize("tool", ["list_low_stock_items", "list_blocking_ingredients"])
def test_a_list_without_ids_opens_with_what_one_call_gives(tool: str) -> None:
    opening, *_ = LISTED[tool]["description"].split(". ")
    assert re.fullmatch(r"List [^—]+ — one call gives,? [^—]+ \(cache-backed\)", opening)


@at_once("tool", [name for name in LISTED if name.startswith(("search_", "check_"))])
def test_a_search_or_check_tool_tells_its_input_shape_in_the_second_paragraph(tool: str) -> None:
    purpose, shape, *rest = LISTED[tool]["description"].split("\n\n")
    (needed,) = LISTED[tool]["inputSchema"]["required"]
    assert "—" not in purpose
    assert purpose.endswith(".")
    assert len(purpose) < 110
    assert "—" in shape
    assert f"``{needed}``" in shape
    assert rest == []


@at_once("tool", [name for name in LISTED if name.startswith("get_")])
def test_a_get_tool_points_to_its_list_or_batches_itself(tool: str) -> None:
    paragraphs = LISTED[tool]["description"].split("\n\n")
    partner = f"list_{tool.removeprefix('get_')}s"
    if partner in LISTED:
        titles = partner.removeprefix("list_").replace("_", " ")
        cross_reference = (
            f"For multiple {titles} at once, use ``{partner}(ids=[...])`` — it returns a JSON envelope of rows "
            "and supports all the same filters."
        )
        assert paragraphs[1].startswith(cross_reference)
        costly = tool == "get_manufacturing_order"
        assert ("three more reads than the list" in paragraphs[1]) is costly
        assert costly or paragraphs[1] == cross_reference
    elif tool.endswith("_recipe"):
        # Recipe rows have no list of their own: the partner is the get tool of the whole order.
        whole = tool.removesuffix("_recipe")
        assert f"use ``{whole}({whole.removeprefix('get_')}_id=...)`` — " in paragraphs[1]
        assert whole in LISTED
    else:
        schema = LISTED[tool]["inputSchema"]
        (needed,) = [name for name in schema["required"] if schema["properties"][name].get("type") == "array"]
        assert "—" in paragraphs[1]
        assert f"``{needed}``" in paragraphs[1]


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda entity: entity.name)
def test_a_verb_without_a_tool_has_a_reason_and_a_verb_with_one_has_none(entity: object) -> None:
    (definition,) = [candidate for candidate in ENTITIES if candidate is entity]
    made = {verb for verb, make in OPERATIONS if make(definition) is not None}
    assert made | set(definition.absent) == set(VERBS)
    assert made & set(definition.absent) == set()
    assert all(len(reason) > 10 for reason in definition.absent.values())


def test_the_surface_costs_no_more_tokens_than_budgeted(capsys: pytest.CaptureFixture[str]) -> None:
    costs = {name: tokens(definition) for name, definition in LISTED.items()}
    sizes = {name: _size_of(definition["outputSchema"]) for name, definition in LISTED.items()}
    cells = [f"{name:<32}{costs[name]:>6} {sizes[name]:>6} B" for name in LISTED]
    cells.append(f"{'all: tokens, output schema':<32}{sum(costs.values()):>6} {sum(sizes.values()):>6} B")
    table = "\n".join("   ".join(row) for row in batched(cells, 3))
    with capsys.disabled():
        sys.stdout.write(f"\n{table}\n")
    assert sum(costs.values()) <= 30_000, table
    assert max(costs.values()) <= 1_200, table
    assert max(cost for name, cost in costs.items() if name.startswith("list_")) <= 750, table
    assert max(sizes.values()) <= 2_500, table
    assert sum(sizes.values()) <= 850 * len(LISTED), table


async def test_the_default_listing_as_it_is_sent_costs_no_more_than_budgeted(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"toolsets": ()})) as stage:
        result = await stage.client.list_tools_mcp()
    sent = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert sum(map(tokens, sent["tools"])) <= 12_000
    assert _size_of(sent) // 4 <= 22_000
    assert sum(_size_of(tool["outputSchema"]) for tool in sent["tools"] if "outputSchema" in tool) <= 26_100


def _size_of(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


@at_once("tool", LISTED)
def test_an_output_schema_names_each_key_of_the_envelope_of_a_document_and_of_its_rows(tool: str) -> None:
    model = SPECS[tool].answer
    whole = dict(nodes(answer_schema(model)))
    paths = {path for path, _ in nodes(LISTED[tool]["outputSchema"])}
    beneath = {
        path for path in whole if path.count("[]") <= 1 and not path.startswith(("stale.", "empty.", "warnings["))
    }
    assert paths <= set(whole)
    # A list without keys is told without its entries, and an object in a row without its keys.
    assert {
        path for path in beneath - paths if not path.endswith("[]") and "." not in path.partition("[].")[2]
    } == set()
    assert "description" not in json.dumps(LISTED[tool]["outputSchema"]["properties"].get("stale", {}))


def test_a_warning_on_the_wire_has_its_four_keys_also_where_they_are_null() -> None:
    sent = ToolWarning(severity="info", message="m").model_dump(mode="json", exclude_none=True)
    assert sent == {"severity": "info", "message": "m", "field_path": None, "code": None}


@at_once("tool", LISTED)
def test_what_an_answer_means_stands_in_the_reference(tool: str) -> None:
    page = tool_reference([referred(SPECS[tool])])
    for path, node in nodes(answer_schema(SPECS[tool].answer)):
        own = path and re.split(r"[.\[]", path)[0] not in SHOWN_ONCE and not path.endswith("[]")
        if own and "description" in node:
            line = f"- `{path}`: {' '.join(node['description'].split())}"
            assert line in page
            assert line in tool_page(referred(SPECS[tool]))
