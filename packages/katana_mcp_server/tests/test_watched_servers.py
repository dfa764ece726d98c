"""What is known of other servers: whether one is there, how its tools differ, and how output schemas are adopted."""

from typing import Any

import pytest

from katana_mcp.gateway.adoption import Attempt, Level, Outcome, Output, judged, misfit, replayed, seen
from katana_mcp.gateway.drift import UNSEEN, Change, Observation, new_tools, ordered, tool_changes
from katana_mcp.gateway.gate import Gate
from katana_mcp.gateway.schemas import captured, digest

type Json = dict[str, Any]

ANY: Json = {}


def test_a_server_is_starting_until_it_was_reached_or_failed_twice() -> None:
    gate = Gate()
    assert (gate.state, gate.reason) == ("starting", "")
    gate.failed("first")
    assert (gate.state, gate.reason) == ("starting", "first")
    gate.failed("second")
    assert (gate.state, gate.reason) == ("down", "second")
    gate.failed("third")
    assert (gate.state, gate.reason) == ("down", "third")


def test_a_server_that_is_down_is_up_at_the_second_equal_listing_in_a_row() -> None:
    gate = Gate("down", "gone")
    for listing in ("a", "b"):
        gate.succeeded(listing)
        assert (gate.state, gate.reason) == ("down", "gone")
    gate.failed("again")
    gate.succeeded("b")
    assert (gate.state, gate.reason) == ("down", "again")
    gate.succeeded("b")
    assert (gate.state, gate.reason) == ("up", "")


def test_a_failure_between_answers_closes_nothing() -> None:
    gate = Gate()
    for number in range(3):
        gate.succeeded(str(number))
        assert (gate.state, gate.reason) == ("up", "")
        gate.failed("once")
        assert (gate.state, gate.reason) == ("up", "once")
    gate.failed("twice")
    assert (gate.state, gate.reason) == ("down", "twice")


def object_of(*required: str, **properties: object) -> Json:
    """Return the schema of an object."""
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


OLD, NEW, OTHER = object_of("a"), object_of("b"), object_of("c")
PINNED = object_of("p")


def attempt(outcome: Outcome, schema: Json | None = None, tool: str = "s.t", pinned: Json = PINNED) -> Attempt:
    return Attempt(tool, outcome, digest(pinned), schema)


@pytest.mark.parametrize(
    ("attempts", "output"),
    [
        ([], Output(PINNED)),
        ([attempt("offered", NEW)], Output(PINNED, pending=NEW)),
        ([attempt("offered", NEW), attempt("failed")], Output(PINNED, pending=NEW, failures=1)),
        ([attempt("offered", NEW), attempt("failed"), attempt("offered", OLD)], Output(PINNED, pending=OLD)),
        ([attempt("offered", NEW), attempt("failed"), attempt("withdrawn")], Output(PINNED)),
        ([attempt("offered", NEW), attempt("failed"), attempt("valid")], Output(NEW, previous=PINNED)),
        (
            [attempt("offered", NEW), attempt("valid"), attempt("offered", OLD), attempt("failed"), attempt("failed")],
            Output(NEW, previous=PINNED, pending=OLD, failures=2),
        ),
        (
            [attempt("offered", NEW), attempt("valid"), attempt("offered", OLD), attempt("valid")],
            Output(OLD, previous=NEW),
        ),
        ([attempt("offered", NEW, tool="s.other"), attempt("offered", OLD, pinned=NEW)], Output(PINNED)),
    ],
    ids=["none", "offered", "failed", "offered anew", "withdrawn", "valid", "stuck", "valid twice", "of others"],
)
def test_where_an_output_schema_stands_follows_from_what_happened(attempts: list[Attempt], output: Output) -> None:
    assert replayed(attempts, {"s.t": PINNED, "s.u": OTHER}) == {"s.t": output, "s.u": Output(OTHER)}


def test_each_tool_has_its_own_past() -> None:
    attempts = [attempt("offered", NEW), attempt("offered", OLD, "s.u", OTHER), attempt("failed")]
    stand = {"s.t": Output(PINNED, pending=NEW, failures=1), "s.u": Output(OTHER, pending=OLD)}
    assert replayed(attempts, {"s.t": PINNED, "s.u": OTHER}) == stand


@pytest.mark.parametrize(
    ("output", "stuck"),
    [
        (Output(OLD, pending=NEW, failures=2), True),
        (Output(OLD, pending=NEW, failures=3), True),
        (Output(OLD, pending=NEW, failures=1), False),
        (Output(OLD, failures=2), False),
    ],
    ids=["two", "three", "one", "nothing new"],
)
def test_a_new_schema_is_given_up_after_two_answers_that_do_not_fit(output: Output, *, stuck: bool) -> None:
    assert output.is_stuck is stuck


@pytest.mark.parametrize(
    ("output", "now", "expected"),
    [
        (Output(OLD), OLD, None),
        (Output(OLD, pending=NEW), OLD, Attempt("s.t", "withdrawn", digest(PINNED))),
        (Output(OLD, pending=NEW), NEW, None),
        (Output(OLD, pending=NEW), OTHER, Attempt("s.t", "offered", digest(PINNED), OTHER)),
        (Output(OLD), NEW, Attempt("s.t", "offered", digest(PINNED), NEW)),
        (Output(OLD, previous=NEW), NEW, Attempt("s.t", "offered", digest(PINNED), NEW)),
    ],
    ids=["the same", "back again", "known already", "yet another", "another", "the one before"],
)
def test_what_a_server_says_now_is_an_offer_where_it_is_news(
    output: Output, now: Json, expected: Attempt | None
) -> None:
    assert seen("s.t", output, PINNED, now) == expected


def answering(name: str) -> Json:
    return {name: 1}


FAILED = Attempt("s.t", "failed", digest(PINNED), why="the whole: required")
VALID = Attempt("s.t", "valid", digest(PINNED))


@pytest.mark.parametrize(
    ("output", "answer", "expected"),
    [
        (Output(OLD), answering("a"), (None, "current")),
        (Output(OLD), answering("b"), (None, "generic")),
        (Output(OLD), None, (None, "generic")),
        (Output(ANY), None, (None, "current")),
        (Output(OLD, previous=OTHER), answering("c"), (None, "previous")),
        (Output(OLD, previous=OTHER), answering("b"), (None, "generic")),
        (Output(OLD, previous=OTHER), answering("a"), (None, "current")),
        (Output(OLD, pending=NEW), answering("b"), (VALID, "new")),
        (Output(OLD, pending=NEW), answering("a"), (FAILED, "current")),
        (Output(OLD, pending=NEW), answering("c"), (FAILED, "generic")),
        (Output(OLD, previous=OTHER, pending=NEW, failures=1), answering("c"), (FAILED, "previous")),
        (Output(OLD, pending=NEW, failures=2), answering("b"), (None, "generic")),
        (Output(OLD, pending=NEW, failures=2), answering("a"), (None, "current")),
        (Output(OLD, pending=NEW), {"a": 1, "b": 1}, (VALID, "new")),
        (
            Output(OLD, pending=NEW),
            None,
            (Attempt("s.t", "failed", digest(PINNED), why="no structured content"), "generic"),
        ),
    ],
    ids=[
        *("fits", "fits nothing", "none", "anything goes", "fits the one before", "fits neither", "fits the current"),
        *("fits the new", "fits the current alone", "fits none", "fits the one before alone", "given up"),
        *("given up, fits the current", "fits both", "none, with a new one"),
    ],
)
def test_an_answer_is_taken_by_the_newest_schema_that_it_fits(
    output: Output, answer: Json | None, expected: tuple[Attempt | None, Level]
) -> None:
    assert judged("s.t", output, PINNED, answer) == expected


def test_an_answer_that_does_not_fit_says_why() -> None:
    assert misfit(None, ANY) is None
    assert misfit(None, {"type": "object"}) == "no structured content"
    assert misfit({}, {"type": "object"}) is None
    assert misfit({"n": "x"}, object_of(n={"type": "number"})) == "n: type"


@pytest.mark.parametrize(
    ("observation", "fields"),
    [
        (UNSEEN, {"state": "starting"}),
        (Observation("up", version="1.2", tools={"t": ANY}), {"state": "up", "version": "1.2"}),
        (Observation("down", "gone"), {"state": "down", "reason": "gone"}),
    ],
    ids=["unseen", "up", "down"],
)
def test_how_a_server_stands_is_told_without_its_tools(observation: Observation, fields: dict[str, str]) -> None:
    assert observation.without_tools() == fields


def test_a_difference_is_told_with_what_is_old_and_new_unless_it_is_a_whole_tool() -> None:
    part = {"tool": "s.t", "part": "input", "kind": "additive", "reason": "", "old": None, "new": 2}
    assert Change("s.t", "input", "additive", new=2).as_dict() == part
    tool = {"tool": "s.t", "part": "tool", "kind": "missing", "reason": "gone"}
    assert Change("s.t", "tool", "missing", "gone", 1, 2).as_dict() == tool


def test_differences_are_told_by_their_kind_their_tool_and_their_part() -> None:
    right = [
        Change("s.z", "tool", "missing"),
        Change("s.b", "input", "breaking"),
        Change("s.b", "output", "breaking"),
        Change("s.c", "annotations", "breaking"),
        Change("s.a", "words", "words"),
        Change("s.a", "annotations", "additive"),
        Change("s.a", "tool", "new"),
    ]
    assert ordered(reversed(right)) == right


TOOL = {
    "name": "quote",
    "description": "Price.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": object_of("kg", kg={"type": "number"}, note={"type": "string"}),
    "outputSchema": object_of("price", price={"type": "number"}),
}
KEPT = captured(TOOL)
INPUT, OUTPUT = KEPT["inputSchema"], KEPT["outputSchema"]


def changes_to(**parts: object) -> list[tuple[str, str, object, object]]:
    """Return how a tool differs with other parts: part, kind, old and new."""
    listed = captured({key: value for key, value in {**TOOL, **parts}.items() if value is not None})
    found = tool_changes("s.quote", KEPT, Observation("up", tools={"quote": listed}))
    assert {(change.target, change.reason) for change in found} <= {("s.quote", "")}
    return [(change.part, change.kind, change.old, change.new) for change in found]


def test_a_tool_that_is_not_there_is_missing_with_the_reason() -> None:
    seen_down = Observation("down", "no route", tools={"quote": KEPT})
    assert tool_changes("s.quote", KEPT, seen_down) == [Change("s.quote", "tool", "missing", "s is down: no route")]
    up = Observation("up", tools={"s.quote": KEPT, "other": KEPT})
    assert tool_changes("s.quote", KEPT, up) == [Change("s.quote", "tool", "missing", "its server no longer lists it")]
    assert tool_changes("s.quote", KEPT, UNSEEN) == tool_changes("s.quote", KEPT, Observation("up")) == []
    dotted = Observation("up", tools={"a.quote": KEPT})
    assert tool_changes("s.a.quote", KEPT, dotted) == []


def test_each_part_that_differs_is_told() -> None:
    assert changes_to() == []
    words = [("description", "Price.")], [("description", "Cost.")]
    assert changes_to(description="Cost.") == [("words", "words", *words)]
    hints = {"readOnlyHint": True}, {"readOnlyHint": False}
    both = changes_to(description="Cost.", annotations={"readOnlyHint": False})
    assert both == [("words", "words", *words), ("annotations", "breaking", *hints)]


@pytest.mark.parametrize(
    ("hints", "kind"),
    [
        ({"readOnlyHint": True, "destructiveHint": False}, "additive"),
        ({"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}, "additive"),
        ({"readOnlyHint": True, "destructiveHint": True}, "breaking"),
        ({"readOnlyHint": True, "idempotentHint": False}, "breaking"),
        ({"readOnlyHint": True, "openWorldHint": True}, "breaking"),
        ({"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True}, "breaking"),
        ({"readOnlyHint": True, "other": True}, "breaking"),
        ({"destructiveHint": False}, "breaking"),
        (None, "breaking"),
    ],
    ids=str,
)
def test_hints_that_promise_more_break_nothing(hints: Json | None, kind: str) -> None:
    before = {"readOnlyHint": True}
    assert changes_to(annotations=hints) == [("annotations", kind, before, hints or {})]


def test_a_hint_that_nobody_knows_does_not_go_without_a_break() -> None:
    old = captured({**TOOL, "annotations": {"other": 1, "readOnlyHint": True}})
    found = tool_changes("s.quote", old, Observation("up", tools={"quote": KEPT}))
    assert [(change.part, change.kind) for change in found] == [("annotations", "breaking")]


KG, NOTE, MORE = {"type": "number"}, {"type": "string"}, {"type": "boolean"}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (object_of("kg", kg=KG, note=NOTE, more=MORE), "additive"),
        (object_of(kg=KG, note=NOTE), "additive"),
        (object_of("kg", "note", kg=KG, note=NOTE), "breaking"),
        (object_of("note", kg=KG, note=NOTE), "breaking"),
        (object_of("kg", kg=KG), "breaking"),
        (object_of("kg", kg=NOTE, note=NOTE), "breaking"),
        ({**object_of("kg", kg=KG, note=NOTE), "additionalProperties": False}, "breaking"),
        ({"type": "object"}, "breaking"),
    ],
    ids=["more", "less needed", "more needed", "another needed", "less", "another kind", "another rule", "anything"],
)
def test_an_input_that_takes_what_it_took_breaks_nothing(schema: Json, kind: str) -> None:
    assert changes_to(inputSchema=schema) == [("input", kind, INPUT, schema)]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (object_of("more", "price", price=KG, more=MORE), "additive"),
        (object_of("price", price=KG, more=MORE), "additive"),
        (object_of(price=KG), "breaking"),
        (object_of("more", price=KG, more=MORE), "breaking"),
        (object_of("price", price=NOTE), "breaking"),
        (object_of("price"), "breaking"),
        ({**object_of("price", price=KG), "title": "T", "maxProperties": 2}, "breaking"),
    ],
    ids=["more promised", "more", "less promised", "another promised", "another kind", "less", "another rule"],
)
def test_an_output_that_has_what_it_had_breaks_nothing(schema: Json, kind: str) -> None:
    new = {key: value for key, value in schema.items() if key != "title"}
    assert changes_to(outputSchema=schema) == [("output", kind, OUTPUT, new)]


def test_a_schema_that_says_nothing_yet_is_widened_by_what_it_takes() -> None:
    old = captured({"name": "quote", "inputSchema": {"type": "object"}})
    new = captured({"name": "quote", "inputSchema": object_of(kg=KG)})
    needy = captured({"name": "quote", "inputSchema": object_of("kg", kg=KG)})
    kinds = [tool_changes("s.quote", old, Observation("up", tools={"quote": now}))[0].kind for now in (new, needy)]
    assert kinds == ["additive", "breaking"]


def test_tools_that_nobody_adopted_are_new() -> None:
    observation = Observation("up", tools={"a": ANY, "b": ANY, "c": ANY})
    found = list(new_tools("s", ["s.b", "t.a"], observation))
    assert found == [Change(f"s.{name}", "tool", "new", "not adopted") for name in ("a", "c")]
    assert list(new_tools("s", [], UNSEEN)) == []
