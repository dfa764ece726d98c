"""What an operator writes in a catalogue, at its bounds: what is refused, in which sentence, and what counts unsaid."""

from typing import Any

import pytest
from pydantic import ValidationError

from katana_mcp.gateway.model import Aggregate, Argument, Catalog, Operation, Override, Rule, Upstream

type Json = dict[str, Any]

ONE: Json = {"x": {"tool": "a.b"}}
UPSTREAM: Json = {"command": ["a"]}
NOTHING: Json = {}


def test_what_is_not_written_has_its_usual_value() -> None:
    upstream: Json = {"command": ("a",), "url": "", "env": (), "headers": {}, "namespace": None, "required": False}
    assert Upstream.model_validate(UPSTREAM).model_dump() == {**upstream, "timeout": 30, "budget": None}
    argument = {"name": None, "description": None, "hide": False, "default": None}
    assert Argument.model_validate({}).model_dump() == argument
    override = {"enabled": True, "listed": True, "name": None, "description": None, "read_only": False}
    assert Override.model_validate({}).model_dump() == {**override, "arguments": {}, "lock_schema": False}
    rule = {"target": "t", "source": "s", "value": None, "required": False, "strip_null": True}
    assert Rule.model_validate({"target": "t", "from": "s"}).model_dump() == rule
    operation = {"tool": "a.b", "arguments": (), "require_any_of": (), "response": None}
    assert Operation.model_validate({"tool": "a.b"}).model_dump() == operation
    aggregate = {"description": "d", "selector": "operation", "operations": {"x": operation}, "hides": ()}
    written = Aggregate.model_validate({"description": "d", "operations": ONE})
    assert written.model_dump() == {**aggregate, "read_only": False, "lock_schema": False}
    catalog: Json = {"check_every": 30, "upstreams": {}, "tools": {}, "aggregates": {}}
    assert Catalog.model_validate({}).model_dump() == catalog


@pytest.mark.parametrize(
    "upstream",
    [
        {"command": ["a", "b"], "env": ["X"]},
        {"url": "https://a.example/mcp", "headers": {"X-Key": "KEY"}},
        {"url": "http://127.0.0.1:9/mcp"},
        {"url": "http://[::1]:9/mcp"},
        {"url": "http://localhost/mcp"},
        {"url": "https://localhost/mcp"},
        {**UPSTREAM, "timeout": 0.001},
        {**UPSTREAM, "timeout": 600},
        {**UPSTREAM, "budget": 0},
        {**UPSTREAM, "namespace": "n" * 64},
    ],
    ids=str,
)
def test_another_server_is_a_program_or_an_address(upstream: Json) -> None:
    assert Upstream.model_validate(upstream).model_dump(mode="json", exclude_unset=True) == upstream


WAY = "give either command or url"
SECRETS = "env goes with command, headers go with url"
HTTPS = "url must be https, or http on this machine"
USER = "url must hold no user and no password: name a variable in headers"


@pytest.mark.parametrize(
    ("upstream", "sentence"),
    [
        (NOTHING, WAY),
        ({"command": ["a"], "url": "https://a.example"}, WAY),
        ({"url": "https://a.example", "env": ["X"]}, SECRETS),
        ({"command": ["a"], "headers": {"X": "Y"}}, SECRETS),
        ({"url": "http://a.example"}, HTTPS),
        ({"url": "http://127.0.0.2"}, HTTPS),
        ({"url": "localhost"}, HTTPS),
        ({"url": "https://me@a.example"}, USER),
        ({"url": "https://:secret@a.example"}, USER),
        ({"url": "http://me:secret@localhost"}, USER),
    ],
    ids=str,
)
def test_a_server_that_contradicts_itself_is_refused(upstream: Json, sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Upstream.model_validate(upstream)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {sentence}"]


@pytest.mark.parametrize(
    "upstream",
    [
        {"timeout": 0},
        {"timeout": 600.001},
        {"timeout": float("inf")},
        {"timeout": float("nan")},
        {"budget": -1},
        {"namespace": ""},
        {"namespace": "n" * 65},
        {"namespace": "a b"},
        {"env": ["A.B"]},
        {"nobody": 1},
    ],
    ids=str,
)
def test_a_server_is_written_within_its_bounds(upstream: Json) -> None:
    with pytest.raises(ValidationError):
        Upstream.model_validate({**UPSTREAM, **upstream})


def test_secrets_are_held_by_variables() -> None:
    assert Upstream.model_validate({"command": ["a"], "env": ["X", "Y"]}).variables == ("X", "Y")
    headers = {"Authorization": "KEY", "X-Other": "OTHER"}
    assert Upstream.model_validate({"url": "https://a.example", "headers": headers}).variables == ("KEY", "OTHER")
    assert Upstream.model_validate(UPSTREAM).variables == ()


def test_a_default_is_given_even_as_null() -> None:
    given = [{"default": None}, {"default": 0}, {"name": "x"}, {}]
    assert [Argument.model_validate(argument).has_default for argument in given] == [True, True, False, False]


@pytest.mark.parametrize(
    ("rule", "is_one"),
    [
        ({"from": "a"}, True),
        ({"value": None}, True),
        ({"value": 0}, True),
        (NOTHING, False),
        ({"from": "a", "value": None}, False),
        ({"from": None, "value": 1}, True),
        ({"from": None}, False),
    ],
    ids=str,
)
def test_a_value_has_one_origin(rule: Json, *, is_one: bool) -> None:
    if is_one:
        assert Rule.model_validate({"target": "t", **rule}).source == rule.get("from")
        return
    with pytest.raises(ValidationError) as refused:
        Rule.model_validate({"target": "t", **rule})
    assert [error["msg"] for error in refused.value.errors()] == ["Value error, give either from or value"]


@pytest.mark.parametrize(
    "catalog",
    [
        {"check_every": 0.1},
        {"check_every": 3_600},
        {"tools": {"katana": {"x": {"enabled": False, "name": "y", "description": "d"}}}},
        {"upstreams": {"a": UPSTREAM}, "tools": {"a": {"x": {"read_only": True, "arguments": {}, "listed": False}}}},
        {"upstreams": {"a": UPSTREAM}, "aggregates": {"s": {"description": "d", "operations": ONE, "hides": ["a.c"]}}},
    ],
    ids=["often", "rarely", "ours", "another's", "several"],
)
def test_a_catalogue_names_what_it_has(catalog: Json) -> None:
    assert Catalog.model_validate(catalog).model_dump(mode="json", exclude_unset=True) == catalog


def several(tool: str, *hides: str) -> Json:
    return {"s": {"description": "d", "operations": {"x": {"tool": tool}}, "hides": hides}}


@pytest.mark.parametrize(
    ("catalog", "sentence"),
    [
        ({"upstreams": {"katana": UPSTREAM}}, "upstreams.katana: this name stands for our own tools"),
        ({"tools": {"z": {}, "b": {}}}, "no upstream is called b, z"),
        ({"upstreams": {"b": UPSTREAM}, "tools": {"z": {}, "b": {}}}, "no upstream is called z"),
        ({"aggregates": several("c.d")}, "no upstream is called c"),
        ({"upstreams": {"a": UPSTREAM}, "aggregates": several("a.b", "e.f.g")}, "no upstream is called e"),
        ({"aggregates": several("katana.x")}, "no upstream is called katana"),
        ({"aggregates": several("c.d"), "tools": {"b": {}}}, "no upstream is called b, c"),
        ({"tools": {"katana": {"x": {"listed": True}}}}, "tools.katana.x: our own tools have no listed"),
        (
            {"tools": {"katana": {"x": {"name": "y", "read_only": False, "arguments": {}, "lock_schema": True}}}},
            "tools.katana.x: our own tools have no arguments, lock_schema, read_only",
        ),
    ],
    ids=str,
)
def test_a_catalogue_that_names_what_it_lacks_is_refused(catalog: Json, sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Catalog.model_validate(catalog)
    assert [error["msg"] for error in refused.value.errors()] == [f"Value error, {sentence}"]


def test_a_tool_is_shown_as_its_own_override_says() -> None:
    catalog = Catalog.model_validate(
        {
            "upstreams": {"a": UPSTREAM, "b": UPSTREAM},
            "tools": {"a": {"x": {"name": "y"}, "x.z": {"enabled": False}}, "b": {"x": {"enabled": False}}},
            "aggregates": {
                "s": {"description": "d", "operations": ONE, "hides": ["a.h"]},
                **several("a.b", "a.i", "b.j"),
            },
        }
    )
    assert catalog.override("a.x") == Override(name="y")
    assert catalog.override("a.x.z") == catalog.override("b.x") == Override(enabled=False)
    assert catalog.override("a.gone") == catalog.override("c.x") == catalog.override("katana.x") == Override()
    targets = ["a.x", "a.x.z", "b.x", "a.h", "a.i", "b.j", "a.j", "c.x"]
    assert [catalog.is_hidden(target) for target in targets] == [False, True, True, False, True, True, False, False]
    both = catalog.model_copy(update={"aggregates": {"t": catalog.aggregates["s"], "s": catalog.aggregates["s"]}})
    assert both.is_hidden("a.i")


def test_a_tool_that_is_not_listed_is_found_by_a_search() -> None:
    def has_unlisted(*tools: Json) -> bool:
        upstreams = {f"u{number}": UPSTREAM for number, _ in enumerate(tools)}
        named = {f"u{number}": of for number, of in enumerate(tools)}
        return Catalog.model_validate({"upstreams": upstreams, "tools": named}).has_unlisted

    assert not has_unlisted()
    assert not has_unlisted({"x": {"listed": True}}, {"y": {"enabled": False}})
    assert has_unlisted({"x": {}}, {"y": {"listed": True}, "z": {"listed": False}})
