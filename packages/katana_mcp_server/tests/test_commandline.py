"""What `katana-mcp` says of a command line that cannot work, and whether its help is true."""

import json
import re
import subprocess

import pytest
from command_line import Run

from katana_mcp.configuration.settings import Settings, variable
from katana_mcp.server.made_tools import tools

COMMANDS = (
    "serve",
    "tools",
    "demo",
    "sync",
    "doctor",
    *(f"cache {action}" for action in ("status", "verify", "compare", "migrate", "rebuild", "clear")),
    *(f"catalog {action}" for action in ("list", "diff", "adopt")),
)
OPTION = re.compile(r"^│ (--[a-z-]+)(?=[ =])(?:.*\n│  )*.*$", re.MULTILINE)
"""An option and all lines that tell of it, however wide the help is."""
VARIABLE = re.compile(r"\[(KATANA_[A-Z_]+)\]")

ONLY = "an option with a value is given as --name value, one without as --name alone"

THERE = "cache, catalog, journal, sync, install, doctor, serve, completion, tools, call, demo"
WRONG = [
    (
        "cache clear variant",
        (
            f"katana-mcp cache clear takes options only, and 'variant' is none: {ONLY}; "
            "katana-mcp cache clear --help names them"
        ),
    ),
    (
        "serve --sandbox true",
        f"katana-mcp serve takes options only, and 'true' is none: {ONLY}; katana-mcp serve --help names them",
    ),
    ("sevre", "no command is called 'sevre'; did you mean 'serve'?"),
    ("cache stauts", "no command is called 'stauts'; did you mean 'status'?"),
    (
        "nothing",
        f"no command is called 'nothing'; there are {THERE}",
    ),
    ("cache sync", "no command is called 'sync'; there are status, verify, compare, migrate, rebuild, clear"),
    (
        "cache --json status",
        "katana-mcp cache takes a command first, then options, as in katana-mcp cache status --json",
    ),
    (
        "cache --cache-dir x verify",
        "katana-mcp cache takes a command first, then options, as in katana-mcp cache verify --cache-dir",
    ),
    ("cache -x", "katana-mcp cache takes a command first, then options, as in katana-mcp cache status -x"),
    ("serve --cache-dri x", "katana-mcp serve has no option --cache-dri; did you mean '--cache-dir'?"),
    ("serve -s", "katana-mcp serve has no option -s; katana-mcp serve --help names those that there are"),
    (
        "sync --entity=variant",
        (
            "katana-mcp sync has no option --entity; "
            "entities are given as words alone, as in katana-mcp sync variant product"
        ),
    ),
    (
        "cache clear --entity varaint",
        "katana-mcp cache clear has no option --entity; katana-mcp cache clear --help names those that there are",
    ),
    (
        "demo --api-key=abc",
        (
            "katana-mcp demo has no option --api-key; "
            "a command line can be read by others, so KATANA_API_KEY is set in the environment or in .env"
        ),
    ),
    ("serve --port", "--port needs a value, as in --port VALUE"),
    ("serve --port 1 --port 2", "--port is given more than once"),
    ("serve --port many", "KATANA_MCP_PORT (--port): must be a whole number"),
    ("serve --sandbox=perhaps", "--sandbox is 'perhaps': must be true or false"),
    ("cache compare --run many", "--run is 'many': must be a whole number"),
    ("cache status varaint", "no entity is called 'varaint' here; did you mean 'variant'?"),
    ("cache rebuild Sales_Ordr", "no entity is called 'Sales_Ordr' here; did you mean 'sales_order'?"),
    (
        "sync varient custmer",
        "no entity is called 'varient', 'custmer' here; did you mean 'variant'? did you mean 'customer'?",
    ),
    ("tools --json --markdown", "--json and --markdown cannot be given together: choose one of them"),
    (
        "tools --tools serch_items",
        (
            "KATANA_MCP_TOOLS, KATANA_MCP_TOOLSETS, KATANA_MCP_EXCLUDE_TOOLS: "
            "no tool is called serch_items; did you mean 'search_items'?"
        ),
    ),
]


@pytest.mark.parametrize(("typed", "message"), WRONG, ids=[typed for typed, _ in WRONG])
def test_what_cannot_work_is_one_sentence_in_our_words_that_says_what_was_meant(
    command_line: Run, typed: str, message: str
) -> None:
    ran = command_line(*typed.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"katana-mcp: {message}\n")


def flat(text: str) -> str:
    """Return a help as one line, however wide it is."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_tells_what_each_option_is_for_and_how_the_command_ends(command_line: Run, command: str) -> None:
    output = command_line(*command.split(), "--help").out
    for found in OPTION.finditer(output):
        _, *words = flat(found[0]).split()
        meaning = [word for word in words if not word.isupper()]
        assert meaning[0][0].isalpha(), found[0]
    if "ENTITIES" in output:
        assert output.startswith(f"Usage: katana-mcp {command} [OPTIONS] [ENTITIES...]\n")
    assert "ARGS" not in output
    stopped = command in {"sync", "doctor"} or command.startswith("cache")
    assert ("130 stopped with Ctrl-C" in flat(output)) is stopped


def test_help_of_serve_names_flags_as_they_are_typed_and_defaults_as_they_are(command_line: Run) -> None:
    output = flat(command_line("serve", "--help").out)
    assert not re.findall(r"\b(?:allowed_hosts|allowed_origins|http_token)\b", output)
    for field, meaning in (
        ("host", "Address to bind, 127.0.0.1 by default; any but this machine's needs --allowed-hosts."),
        ("port", "Port to bind, 8000 by default; 0 takes a free one."),
    ):
        assert Settings.model_fields[field].description == meaning
    whole = flat(command_line("--help").out)
    assert "Without a command it serves, as katana-mcp serve does." in whole
    assert "it writes nothing without a preview" in whole


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_the_variable_of_each_option_that_has_one_and_of_no_other(command_line: Run, command: str) -> None:
    output = command_line(*command.split(), "--help").out
    options = {found[1]: VARIABLE.findall(found[0]) for found in OPTION.finditer(output)}
    assert options, output
    for option, variables in options.items():
        field = option.removeprefix("--").replace("-", "_")
        assert variables == ([variable(field)] if field in Settings.model_fields else []), output
    assert "An option with a [VARIABLE] can also be set by that variable" in output
    assert "Every flag" not in output


def test_tools_are_listed_as_the_settings_choose_them(command_line: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_MCP_TOOLSETS", "admin")
    assert "\n2 tools, " in command_line("tools").out
    assert "\n1 tool, " in command_line("tools", "--exclude-tools", "rebuild_cache").out
    output = command_line("tools", "--search-mode", "--toolsets", "items").out
    assert command_line("tools", "--search-mode", "--toolsets", "catalog").out == output, "as it was called before"
    assert "\n5 tools, " in output
    reads, writes = "get_item, list_items, list_reference", "modify_bom, modify_item, replace_ingredient"
    more = f"change_prices, create_item, define_custom_field, delete_item, {reads}, {writes}"
    assert f"\n10 more through `search_tools` and `call_tool`: {more}\n" in output


def test_read_only_leaves_out_every_tool_that_changes_anything(
    command_line: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing = {tool.name for tool in tools() if not tool.read_only}
    assert "rebuild_cache" in changing
    read_only = json.loads(command_line("tools", "--json", "--read-only", "--toolsets", "all").out)
    assert {row["name"] for row in read_only} == {tool.name for tool in tools()} - changing
    monkeypatch.setenv("KATANA_MCP_READ_ONLY", "1")
    assert "\n1 tool, " in command_line("tools", "--toolsets", "admin").out
    for command in ("tools", "serve"):
        ran = command_line(command, "--tools", "rebuild_cache")
        message = "KATANA_MCP_READ_ONLY (--read-only): none of the chosen tools only reads"
        assert (ran.code, ran.out, ran.err) == (2, "", f"katana-mcp: {message}\n")


@pytest.mark.parametrize(
    "shells", [("bash",), pytest.param(("bash", "zsh", "fish", "powershell"), marks=pytest.mark.soak)], ids=len
)
def test_a_shell_is_told_how_to_complete_commands_and_options(command_line: Run, shells: tuple[str, ...]) -> None:
    scripts = {shell: command_line("completion", shell).out for shell in shells}
    for script in scripts.values():
        assert all(word in script for word in ("katana-mcp", "doctor", "sandbox"))
    assert command_line("completion", "csh").code == 2
    bash = scripts["bash"]
    checked = subprocess.run(
        ["bash", "-c", f"{bash}\ncomplete -p katana-mcp"], capture_output=True, text=True, check=False
    )
    assert checked.stdout.startswith("complete "), checked.stderr


def test_tools_are_the_same_with_the_sandbox_because_no_account_is_asked(
    command_line: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KATANA_SANDBOX")
    for words in ([], ["--json"], ["--toolsets", "admin"]):
        asked, usual = command_line("tools", *words, "--sandbox"), command_line("tools", *words)
        assert (asked.code, asked.err, asked.out) == (0, "", usual.out)
