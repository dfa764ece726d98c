"""`katana-mcp call`: a tool from a shell, with its answer as JSON, and a person asked before a write."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run
from tests.nights import rest_in_turn

from katana_mcp.commands import calling, first_sync
from katana_mcp.commands.cache import screen
from katana_mcp.configuration import sandbox
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_sandbox import Fault, Sandbox, SandboxConfig, Status


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy takes long enough for some."""
    monkeypatch.setattr(screen, "_EVERY", 1e9)


def test_an_answer_is_json(command_line: Run) -> None:
    ran = command_line("call", "search_items", "query=00.4021.018.003", "limit=1")
    assert (ran.code, ran.err) == (0, "")
    assert [row["sku"] for row in ran.data["rows"]] == ["FSKT-35M"]
    both = command_line("call", "get_variant_details", "skus_or_variant_ids=FSKT-35M,nix")
    assert ([variant["sku"] for variant in both.data["variants"]], both.data["not_found"]) == (
        ["FSKT-35M"],
        [{"asked": "nix"}],
    )


def test_the_help_names_the_command_that_explains_the_arguments_of_a_tool(command_line: Run) -> None:
    shown = " ".join(command_line("call", "--help").out.replace("│", " ").split())
    assert "katana-mcp tools --markdown --tools TOOL explains them." in shown
    page = command_line("tools", "--markdown", "--tools", "fulfill_order").out
    assert "\n- `sales_order_id` (required; integer or text): Id or number.\n" in page


def test_a_tool_is_found_and_called_through_another(command_line: Run) -> None:
    found = command_line("call", "search_tools", "query=what must be reordered", "--sandbox")
    assert (found.code, found.out.startswith("## list_low_stock_items\n")) == (0, True)
    passed_on = command_line("call", "call_tool", "name=list_reference", 'arguments={"kind": "location"}', "--sandbox")
    assert "Main workshop" in [row["name"] for row in passed_on.data["rows"]]


def test_a_refusal_is_json_too_and_ends_with_one(command_line: Run) -> None:
    ran = command_line("call", "search_items", "quer=fork")
    assert (ran.code, ran.err, ran.data["error"]) == (1, "", "unknown_argument")


def test_a_preview_that_cannot_be_applied_ends_with_one(command_line: Run) -> None:
    asked = ("customer_id=nobody", 'rows=[{"sku_or_variant_id": "FSKT-35M", "quantity": 1}]')
    ran = command_line("call", "create_sales_order", *asked)
    assert (ran.code, ran.data["is_preview"], "plan_token" in ran.data) == (1, True, False)


def test_an_answer_without_all_rows_says_so_and_ends_with_one(
    command_line: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600)))
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Status(403), times=None))
    monkeypatch.setattr(sandbox, "OwnSandbox", lambda: own)
    monkeypatch.setattr(first_sync, "PATIENCE", 0.0)
    ran = command_line("call", "search_items", "query=a", "limit=1")
    message = f"katana-mcp: the first sync has not ended ({ran.data['warming']}): rows may be missing; call it again"
    assert (ran.code, ran.err, len(ran.data["rows"])) == (1, f"{message} in a moment\n", 1)
    own.sandbox.faults.clear()
    again = command_line("call", "search_items", "query=a", "limit=1")
    assert (again.code, again.err, "warming" in again.data) == (0, "", False)


def test_the_first_sync_is_waited_for(command_line: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600)))
    own.sandbox.faults.add(Fault("GET /variants", nth=2, action=Status(403), times=1))
    monkeypatch.setattr(sandbox, "OwnSandbox", lambda: own)
    monkeypatch.setattr(first_sync, "AGAIN", 0.1)
    ran = command_line("call", "search_items", "query=a", "limit=1")
    assert (ran.code, ran.err, "warming" in ran.data) == (0, "", False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["search_items", "fork"], "katana-mcp call takes arguments as NAME=VALUE, as in query=fork, and not 'fork'"),
        (["search_items", "=fork"], "katana-mcp call takes arguments as NAME=VALUE, as in query=fork, and not '=fork'"),
        (["search_items", "query=fork", "query=saddle"], "takes each argument once, and 'query' is given twice"),
        (["search_items", "query=fork", "limit=1", "query="], "takes each argument once, and 'query' is given twice"),
        (["search_items", "--arguments", "[1]"], "--arguments takes a JSON object"),
        (["search_items", "--arguments", "[" * 99_999], "--arguments takes a JSON object"),
        (["search_items", "--toolsets", "sale"], "did you mean 'sales'?"),
        ([], "katana-mcp call needs TOOL"),
    ],
)
def test_bad_input_is_one_sentence(command_line: Run, words: list[str], message: str) -> None:
    ran = command_line("call", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err


@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("", False)])
def test_a_person_is_asked_before_a_write(
    command_line: Run, monkeypatch: pytest.MonkeyPatch, typed: str, written: bool
) -> None:
    own = OwnSandbox()
    monkeypatch.setattr(sandbox, "OwnSandbox", lambda: own)
    orders = own.sandbox.tenant("default").all("purchase_orders")
    order = next(record for record in orders if record["status"] == "NOT_RECEIVED")
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"additional_info": None, "order_no": "PO-900"})))
    words = ("modify_purchase_order", f"purchase_order_id={order['id']}", "--arguments", "-")
    preview = command_line("call", *words)
    assert preview.data["is_preview"], preview.out
    monkeypatch.setattr(calling, "is_interactive", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    ran = command_line("call", "apply_plan", f"plan_tokens={preview.data['plan_token']}")
    assert "\nType yes or no, then Enter: " in ran.err
    assert "PO-900" in ran.err
    now = own.sandbox.tenant("default").get("purchase_orders", order["id"])
    assert (ran.code, now["order_no"]) == ((0, "PO-900") if written else (1, order["order_no"]))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
@pytest.mark.parametrize("words", rest_in_turn(["tools"], ["tools", "--json"]))
def test_output_that_has_no_room_is_one_sentence_and_an_exit_code(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "katana_mcp", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=100)
    message = "katana-mcp: the output could not be written whole: No space left on device\n"
    assert (done.returncode, done.stderr) == (74, message)


def test_a_thread_that_is_left_over_does_not_keep_the_process() -> None:
    program = (
        "import sys, threading, time\n"
        "from katana_mcp import __main__\n"
        "from katana_mcp.commands import cli\n"
        "def left():\n"
        "    threading.Thread(target=time.sleep, args=(900,)).start()\n"
        "    print('answered')\n"
        "    sys.exit(1)\n"
        "cli.main = left\n"
        "__main__.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout) == (1, "answered\n")
