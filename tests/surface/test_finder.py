"""The everyday set is listed; every other tool is found by a plain question and called, unless it changes something."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from mcp.types import ToolAnnotations

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import Choice, load, load_choice
from katana_mcp.server.application import application
from katana_mcp.server.catalogue import EVERYDAY, FEW, absent_tools, promised, served, unlisted
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp import asked_alike
from katana_mcp.server.mcp.catalogue import catalogue, listing, tokens
from katana_mcp.server.mcp.tool_ranking import DescribedTool, ranked
from katana_mcp.server.wiring import Environment
from katana_mcp.testing import Setup, Stage, payload_of, staged, text_of
from katana_sandbox import ManualClock

from .matrix import let_ask, matrix
from .usual import lasting

LISTED = {row["name"]: row for row in catalogue()}
SPECS = {tool.name: tool for tool in tools()}
DATA = Path(__file__).parent
EXAMPLES: Mapping[str, list[str]] = tomllib.loads(asked_alike.EXAMPLES.read_text("utf-8"))
DESCRIBED = [
    DescribedTool(row["name"], row["description"], " ".join(row["inputSchema"]["properties"])) for row in catalogue()
]
QUESTIONS = {questions[0]: tool for tool, questions in EXAMPLES.items()}
STRANGERS: Mapping[str, list[str]] = tomllib.loads((DATA / "strangers_questions.toml").read_text("utf-8"))
WHOLE_LIST: list[str] = tomllib.loads((DATA / "whole_list.toml").read_text("utf-8"))["tools"]
EVERYDAY_SERVED = Setup(flags={"toolsets": ()})
SMALL = Setup(flags={"toolsets": (), "search_mode": True})
EVERY_TOOL_FOUND = Setup(flags={"search_mode": True})


def _choice(**flags: object) -> Choice:
    return load_choice(**flags)


@pytest.mark.parametrize(("setup", "few", "budget"), [(EVERYDAY_SERVED, EVERYDAY, 12_000), (SMALL, FEW, 1_300)])
async def test_a_set_is_listed_with_all_that_writes_and_two_more(
    own: OwnSandbox, setup: Setup, few: frozenset[str], budget: int
) -> None:
    async with staged(own, setup) as stage:
        listed = [tool.model_dump(mode="json", by_alias=True) for tool in await stage.client.list_tools()]
    names = [row["name"] for row in listed]
    assert names[-2:] == ["search_tools", "call_tool"]
    assert set(names[:-2]) == few & set(LISTED) | {"apply_plan"}
    assert sum(map(tokens, listed)) <= budget
    choice = _choice(**setup.flags)
    specs = promised(served(choice), load(sandbox=True).flags())
    shown = await listing(specs, unlisted(specs, choice))
    assert [(row["name"], row["description"]) for row in shown] == [(row["name"], row["description"]) for row in listed]


def test_who_chooses_tools_has_them_listed() -> None:
    every = tools()
    for flags in ({"toolsets": ("all",)}, {"toolsets": ("read", "sales")}, {"tools": ("inventory_at",)}):
        assert unlisted(served(_choice(**flags)), _choice(**flags)) == frozenset()
    assert not unlisted(every, _choice()) & EVERYDAY
    without = _choice(exclude_tools=("list_items",), read_only=True)
    assert "apply_plan" not in {tool.name for tool in served(without)}
    assert "list_items" not in unlisted(served(without), without)


def test_what_changes_something_is_listed_in_every_configuration() -> None:
    changing = {tool.name for tool in tools() if not tool.read_only}
    assert changing == {"apply_plan", "rebuild_cache"}
    for flags in ({}, {"search_mode": True}, {"toolsets": ("all",), "search_mode": True}, {"tools": tuple(changing)}):
        assert not unlisted(tools(), _choice(**flags)) & changing


def test_every_tool_and_the_everyday_set_stand_in_the_whole_list() -> None:
    assert len(WHOLE_LIST) == len(set(WHOLE_LIST)) <= 90
    assert {*LISTED, *EVERYDAY, *FEW} <= set(WHOLE_LIST)
    assert FEW <= EVERYDAY


async def _found(stage: Stage, question: str) -> list[str]:
    """Return the names that a search shows, best first."""
    lines = text_of(await stage.result("search_tools", {"query": question})).splitlines()
    return [line.removeprefix("## ") for line in lines if line.startswith("## ")]


async def test_every_tool_is_found_by_plain_questions_among_the_first_three(own: OwnSandbox) -> None:
    for setup, absent in ((EVERY_TOOL_FOUND, set[str]()), (EVERYDAY_SERVED, {"rebuild_cache"})):
        async with staged(own, setup) as stage:
            found = {question: await _found(stage, question) for question in QUESTIONS}
        missed = {question: tool for question, tool in QUESTIONS.items() if tool not in found[question][:3]}
        assert set(missed.values()) == absent, missed


def test_every_tool_is_found_first_by_its_name() -> None:
    for name in LISTED:
        assert [ranked(spelt, DESCRIBED)[0] for spelt in (name, name.replace("_", " "))] == [name, name]


def test_every_tool_has_examples_and_each_of_them_finds_it() -> None:
    assert set(EXAMPLES) == set(LISTED)
    assert {tool: questions for tool, questions in EXAMPLES.items() if len(questions) < 5} == {}
    every = [(question, tool) for tool, questions in EXAMPLES.items() for question in questions]
    assert len({question.casefold() for question, _ in every}) == len(every)
    assert [pair for pair in every if pair[1] not in ranked(pair[0], DESCRIBED)[:3]] == []


def test_what_strangers_ask_is_found_nine_times_in_ten() -> None:
    assert {tool for tools in STRANGERS.values() for tool in tools} <= set(LISTED)
    assert not {question.casefold() for question in STRANGERS} & {
        question.casefold() for questions in EXAMPLES.values() for question in questions
    }
    first = [question for question, tools in STRANGERS.items() if ranked(question, DESCRIBED)[0] in tools]
    missed = [question for question, tools in STRANGERS.items() if not {*ranked(question, DESCRIBED)[:3]} & {*tools}]
    assert len(missed) <= len(STRANGERS) / 10, missed
    assert len(first) >= len(STRANGERS) * 0.7


@pytest.mark.parametrize(
    "question", ["help", "What can you do?", "which tools are there", "Lagerbestand prüfen", "在庫"]
)
async def test_who_asks_for_nothing_in_english_is_told_what_there_is(own: OwnSandbox, question: str) -> None:
    async with staged(own, EVERY_TOOL_FOUND) as stage:
        text = text_of(await stage.result("search_tools", {"query": question}))
    assert text.startswith("No tool matches: say in English what you want to do. There are apply_plan, buildable, ")


async def test_what_a_search_shows_of_a_tool_suffices_to_call_it(own: OwnSandbox) -> None:
    async with staged(own, SMALL) as stage:
        for question, tool in QUESTIONS.items():
            text = text_of(await stage.result("search_tools", {"query": question}))
            sections = dict(part.split("\n", 1) for part in text.split("## ")[1:])
            section = sections.get(tool, "")
            if tool in {*FEW, "apply_plan"}:
                assert "It is listed: call it by itself." in section
            elif tool != "rebuild_cache":
                assert LISTED[tool]["description"] in section
                assert f"call_tool(name={tool!r}, arguments=" in section
                assert _unmentioned(LISTED[tool]["inputSchema"], section) == [], tool


def _unmentioned(schema: Mapping[str, Any], text: str) -> list[str]:
    """Return what a schema says at any depth and a text does not: names, values, limits, what is required."""
    said: list[str] = []
    for name, subschema in schema.get("properties", {}).items():
        said += [name, *map(str, subschema.get("enum", ()))]
        said += [str(subschema[limit]) for limit in ("maxItems", "maxLength", "maximum") if limit in subschema]
        said += [subschema["description"].splitlines()[0]] if "description" in subschema else []
        said += _unmentioned(subschema.get("items", {}), text) + _unmentioned(subschema, text)
    said += map(str, schema.get("enum", ()))
    said += ["required"] if schema.get("required") else []
    return [word for word in said if word not in text]


async def test_a_question_that_no_tool_answers_names_what_there_is(own: OwnSandbox) -> None:
    async with staged(own, EVERYDAY_SERVED) as stage:
        text = text_of(await stage.result("search_tools", {"query": "zzz qqq"}))
        assert "list_items" in text
        assert "apply_plan" in text
        assert (await stage.refusal("search_tools"))["error"] == "invalid_argument"
        assert (await stage.refusal("search_tools", query="x", limit=3))["error"] == "unknown_argument"


@pytest.mark.parametrize("every", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_each_tool_that_only_reads_answers_through_the_one_that_calls_and_each_other_is_refused(
    own: OwnSandbox, clock: ManualClock, every: int
) -> None:
    usual = matrix(own.sandbox.tenant())
    async with staged(own, EVERY_TOOL_FOUND) as stage:
        for place, (tool, spec) in enumerate(SPECS.items()):
            if place % every and spec.read_only:
                continue
            if not spec.read_only:
                refusal = await stage.refusal("call_tool", name=tool, arguments={"plan_tokens": ["x"]})
                assert refusal["error"] == "call_directly", tool
                assert f"{tool} changes something" in refusal["warnings"][0]["message"]
                assert "call the listed tool itself" in refusal["warnings"][0]["message"]
                continue
            let_ask(tool, clock)
            result = await stage.result("call_tool", {"name": tool, "arguments": usual[tool].arguments})
            answer = await stage.call(tool, **usual[tool].arguments)
            assert lasting(payload_of(result)) == lasting(answer), tool
            assert json.loads(text_of(result)) == result.structured_content
        for name in ("search_tools", "call_tool"):
            assert (await stage.refusal("call_tool", name=name, arguments={}))["error"] == "call_directly"
    assert {request.method for request in own.sandbox.journal} == {"GET"}


async def test_a_plan_that_was_made_through_the_one_that_calls_is_written_by_the_listed_tool_alone(
    own: OwnSandbox, clock: ManualClock
) -> None:
    usual = matrix(own.sandbox.tenant())["create_customer"].arguments
    async with staged(own, EVERYDAY_SERVED) as stage:
        token = (await stage.call("call_tool", name="create_customer", arguments=usual))["plan_token"]
        asked = {"name": "apply_plan", "arguments": {"plan_tokens": [token]}}
        assert (await stage.refusal("call_tool", **asked))["error"] == "call_directly"
        assert {request.method for request in own.sandbox.journal} == {"GET"}
        assert [outcome["message"] for outcome in (await stage.call("apply_plan", plan_tokens=[token]))["outcomes"]]
    assert "POST" in {request.method for request in own.sandbox.journal}


SPELLINGS = (
    *("Apply_Plan", "APPLY_PLAN", " apply_plan", "apply_plan\n", "apply-plan", "applyPlan", "apply_plan\u200b"),
    *("\uff41pply_plan", "katana.apply_plan", "katana_apply_plan", "apply_plan()", "apply_plan@1", "apply%5Fplan"),
)


async def test_no_spelling_and_no_nesting_reaches_a_tool_that_writes(own: OwnSandbox) -> None:
    usual = matrix(own.sandbox.tenant())["create_customer"].arguments
    async with staged(own, EVERYDAY_SERVED) as stage:
        token = (await stage.call("create_customer", **usual))["plan_token"]
        given = {"plan_tokens": [token]}
        for name in SPELLINGS:
            assert (await stage.refusal("call_tool", name=name, arguments=given))["error"] == "unknown_tool", name
        asked: dict[str, object] = {"name": "apply_plan", "arguments": given}
        for _ in range(3):
            assert (await stage.refusal("call_tool", **asked))["error"] == "call_directly"
            assert (await stage.refusal("call_tool", **asked | {"arguments": json.dumps(given)}))["error"]
            asked = {"name": "call_tool", "arguments": asked}
        for odd in ([], ["apply_plan"], {"name": "apply_plan"}, None, 7):
            assert (await stage.refusal("call_tool", name=odd, arguments=given))["error"] == "invalid_argument", odd
        two = await stage.result("call_tool", {"name": "list_items", "tool": "apply_plan"})
        assert json.loads(text_of(two))["error"] == "unknown_argument"
    assert {request.method for request in own.sandbox.journal} == {"GET"}


async def test_what_is_wrong_is_told_in_the_same_words(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"search_mode": True, "exclude_tools": ("list_items",)})) as stage:
        unknown = await stage.refusal("call_tool", name="search_itemz", arguments={"query": "x"})
        assert unknown["warnings"][0]["message"] == "no tool is called 'search_itemz'; did you mean 'search_items'?"
        assert (await stage.refusal("call_tool", name="list_items"))["error"] == "unknown_tool"
        wrong = await stage.refusal("call_tool", name="search_items", arguments={"querry": "x"})
        assert wrong["error"] == "unknown_argument"
        assert (await stage.refusal("call_tool", name="search_items", query="x"))["error"] == "unknown_argument"
        as_text = await stage.call("call_tool", name="search_items", arguments='{"query": "FSKT"}')
        assert as_text["rows"]
        many = await stage.refusal("call_tool", name="search_items", arguments={"query": "x", "limit": 51})
        assert many["warnings"][0]["field_path"] == "limit"
    async with staged(own) as stage:
        assert (await stage.refusal("call_tool", name="search_items"))["error"] == "unknown_tool"


@pytest.mark.cold
async def test_progress_of_a_tool_that_is_called_through_another_reaches_the_client(own: OwnSandbox) -> None:
    reports: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    async with staged(own, EVERYDAY_SERVED) as stage:
        call = {"name": "list_items", "arguments": {"limit": 1}}
        await stage.client.call_tool("call_tool", call, progress_handler=heard)
    assert any("syncing" in (message or "") for _, _, message in reports)


def _others() -> FastMCP[None]:
    """Return a server of others: a tool that reads and asks a person, one that writes, one that does not say."""
    toy: FastMCP[None] = FastMCP("others")

    @toy.tool(annotations=ToolAnnotations(read_only_hint=True))
    async def ask_colour(ctx: Context) -> str:
        answer = await ctx.elicit("Which colour?", response_type=str)
        return f"{answer.action} {getattr(answer, 'data', '')}"

    @toy.tool(annotations=ToolAnnotations(read_only_hint=False))
    def paint() -> str:
        raise AssertionError("nobody may get here")

    @toy.tool
    def scrape() -> str:
        raise AssertionError("nobody may get here")

    return toy


async def test_what_others_bring_is_listed_and_called_through_another_only_where_it_says_that_it_reads(
    own: OwnSandbox,
) -> None:
    async def person(message: str, *_: object) -> dict[str, str]:
        assert message == "Which colour?"
        return {"value": "red"}

    server = application(
        load(sandbox=True, api_key=own.api_key), Environment(transport=own.transport(), clock=own.sandbox.clock)
    )
    server.mount(_others())
    async with Client(server, mode="legacy", elicitation_handler=person) as client:
        stage = Stage(client, own)
        names = {tool.name for tool in await client.list_tools()}
        assert {"ask_colour", "paint", "scrape", "search_tools"} <= names
        assert text_of(await stage.result("call_tool", {"name": "ask_colour"})) == "accept red"
        for name in ("paint", "scrape"):
            assert (await stage.refusal("call_tool", name=name))["error"] == "call_directly"


NOT_THERE = {
    "who buys the most": "rank_customers",
    "top customers": "rank_customers",
    "undo the last change": "undo_last_change",
    "give the customer the money back": "refund_sales_return",
    "refund SO-12": "refund_sales_return",
}


async def test_what_cannot_be_done_is_said_first_with_the_reason_and_nothing_else_is(own: OwnSandbox) -> None:
    absent = absent_tools(served=LISTED)
    async with staged(own, EVERY_TOOL_FOUND) as stage:
        for question, tool in NOT_THERE.items():
            text = text_of(await stage.result("search_tools", {"query": question}))
            assert text.startswith(f"Not there: `{tool}`: {absent[tool]}"), question
        for question in (*QUESTIONS, "change the supplier of PO-5", "which orders were received last week"):
            text = text_of(await stage.result("search_tools", {"query": question}))
            assert "Not there" not in text, question
