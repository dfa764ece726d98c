"""What an answer names to go on, as it can be typed at a shell."""

import json
import shlex
from pathlib import Path

import pytest
from command_line import Run

from katana_mcp.commands.calling import arguments_of
from katana_mcp.commands.next_steps import typed

ASKED = {"query": "fork & 'seal'", "page": "1"}


@pytest.mark.parametrize(
    ("action", "line"),
    [
        ("apply_plan(plan_tokens=['zr-I2_g'])", "katana-mcp call apply_plan plan_tokens=zr-I2_g"),
        ("apply_plan(plan_tokens=['a1', 'b2'])", "katana-mcp call apply_plan plan_tokens=a1,b2"),
        ("get_x(x_id=7, rows_page=2)", "katana-mcp call get_x x_id=7 rows_page=2"),
        ("x(ids=[1, 2]): their stock now", "katana-mcp call x 'ids=[1, 2]'  # their stock now"),
        ("x(a=['1', 'b'], flag=True)", """katana-mcp call x 'a=["1", "b"]' flag=true"""),
        ("search_items(query='Ø (a)')", "katana-mcp call search_items 'query=Ø (a)'"),
        (
            "x(..., type=...): the pages",
            "katana-mcp call x 'query=fork & '\"'\"'seal'\"'\"'' page=1 type=...  # the pages",
        ),
        ("x(...) again in 5 s: it (a) goes on", None),
        ("y(..., page=2)", "y(..., page=2)"),
        ("search_items(query=…) finds variants", "search_items(query=…) finds variants"),
        ("search with fewer or shorter words", "search with fewer or shorter words"),
        ("x(query=other)", "x(query=other)"),
        ("x(", "x("),
        ("", ""),
    ],
)
def test_a_step_is_a_command_line(action: str, line: str | None) -> None:
    again = "katana-mcp call x 'query=fork & '\"'\"'seal'\"'\"'' page=1  # again in 5 s: it (a) goes on"
    assert typed(action, "x", ASKED) == (again if line is None else line)


def test_what_follows_asks_for_what_was_asked_but_for_what_it_changes() -> None:
    asked = {"query": "fork", "page": 1, "note": None, "ids": [1, 2], "rows": [{"sku": "Ä"}]}
    line = typed("x(..., limit=3, page=2)", "x", asked)
    _, _, _, *words = shlex.split(line)
    given = arguments_of(tuple(words[:-2]), words[-1])
    assert given == {
        "query": "fork",
        "page": "2",
        "note": None,
        "ids": "[1, 2]",
        "rows": '[{"sku": "Ä"}]',
        "limit": "3",
    }


def test_the_steps_of_an_answer_can_be_typed(command_line: Run) -> None:
    first = command_line("call", "search_items", "query=fork seal", "limit=1")
    (step,) = first.data["next_actions"]
    assert step == "katana-mcp call search_items 'query=fork seal' limit=1 page=2"
    _, *words = shlex.split(step)
    second = command_line(*words)
    assert (second.code, second.data["total"]) == (0, first.data["total"])
    assert second.data["rows"] != first.data["rows"]


def test_a_step_is_asked_of_the_same_account(command_line: Run, tmp_path: Path) -> None:
    options = ("--sandbox", "--cache-dir", str(tmp_path / "my cache"), "--fresh-for=600")
    first = command_line("call", "search_items", "query=fork seal", "limit=1", *options)
    (step,) = first.data["next_actions"]
    given = f"'--cache-dir={tmp_path}/my cache' --sandbox --fresh-for=600"
    assert step == f"katana-mcp call {given} search_items 'query=fork seal' limit=1 page=2"
    second = command_line(*shlex.split(step)[1:])
    assert (second.code, second.data["total"]) == (0, first.data["total"])


def test_a_text_that_is_no_answer_is_printed_as_it_is(command_line: Run) -> None:
    ran = command_line("call", "search_tools", "query=help", "--sandbox")
    assert ran.out.startswith("No tool matches")
    refused = command_line("call", "search_items", "quer=fork")
    assert json.loads(refused.out)["error"] == "unknown_argument"
