"""What the documentation names is there: files, headings, tools, flags, variables, make targets, versions."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cyclopts import App
from mutants.drawn.redundant import OTHERS
from tests.at_once import at_once
from tests.nights import NIGHTS

import cache_legacy.storage  # goes with cache_legacy
import cache_typed.storage
import katana_mcp.commands.cli
import katana_sandbox.cli
from katana_mcp.configuration.settings import Settings
from katana_mcp.entities import ENTITIES
from katana_mcp.server.catalogue import absent_tools
from katana_mcp.server.made_tools import tools

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md"))
    if page.name != "CHANGELOG.md"
)
NOW = [page for page in PAGES if page.parent.name != "adr"]
"""Pages that speak of today; a decision speaks of its day."""
MISSPELT = {"--cache-dri", "KATANA_SANDBX", "KATANA_CACHE_BACKEND_SALES_ORDER"}
"""Examples of what is refused."""
OTHER_PROGRAMS = {
    "--backend": "pytest, tests/contract",
    "--dist": "pytest-xdist",
    "--env": "docker",
    "--every": "pytest, tests/at_night.py",
    "--file": "python -m mutants.drawn",
    "--ignore-scripts": "npm",
    "--no-annotate": "uv",
    "--no-header": "uv",
    "--only": "python -m bench",
    "--publish": "docker",
    "--randomly-seed": "pytest-randomly",
    "--resume": "python -m bench",
    "--snapshot-update": "syrupy",
    "--tag": "docker",
    "--tests": "python -m mutants.drawn",
    "--tmpfs": "docker",
    "--universal": "uv",
    "--volume": "docker",
    "--write": "python -m bench",
}
OLDER = {"typed-1.db", "legacy-v0.sqlite"}
"""Examples of files of an older version."""
VERBS = ("search", "list", "get", "check", "create", "modify", "delete", "apply", "rebuild")
OTHER_NAMES = {
    "list_ids": "how a spec fetches",
    "list_request": "field of an Entity",
    "delete_through": "method of the cache",
    "rebuild_failed": "a warning",
    "rebuild_running": "a warning",
}


TREE = ("packages", "tests", "scripts", "bench", "mutants")
WRITTEN_BY_THE_READER = {"shipping.py", "accounting.py"}
"""Modules that a guide has its reader write."""
BACKENDS = {f"packages/{path.name}" for path in (ROOT / "packages").glob("cache_*")}
ONE_IS_GONE = len(BACKENDS) <= 2
"""Whether one backend was deleted: pages name it, and how to delete it, until somebody has read them again."""


def _id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _commands(program: App) -> Iterator[App]:
    yield program
    for name in program:
        if not name.startswith("-"):
            yield from _commands(program[name])


def _flags(program: App) -> set[str]:
    ends = [command for command in _commands(program) if command.default_command is not None]
    return {name for end in ends for argument in end.assemble_argument_collection() for name in argument.names}


@cache
def _known_flags() -> set[str]:
    return _flags(katana_mcp.commands.cli.app) | _flags(katana_sandbox.cli.app) | {"--help", "--version"}


def _anchors(page: Path) -> set[str]:
    """Return the headings of a page as links name them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@at_once("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in _anchors(there), target


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    for path in re.findall(
        r"`((?:packages|docs|tests|scripts|bench|mutants|changelog\.d)/[^`<>…*{} ]*)`", page.read_text("utf-8")
    ):
        gone = ONE_IS_GONE and path.startswith("packages/cache_")
        assert gone or any((base / path.partition("::")[0]).exists() for base in (ROOT, page.parent)), path


@cache
def _modules() -> frozenset[str]:
    """Return the modules of the tree by their names and by the ends of their paths."""
    places = [path.relative_to(ROOT).parts for top in TREE for path in (ROOT / top).rglob("*.py")]
    places = [parts for parts in places if ".venv" not in parts]
    return frozenset("/".join(parts[nr:]) for parts in [("conftest.py",), *places] for nr in range(len(parts)))


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_every_module_that_a_page_names_is_there(page: Path) -> None:
    named = set(re.findall(r"`([a-z_0-9/]*[a-z_0-9]+\.py)`", page.read_text("utf-8")))
    assert ONE_IS_GONE or named - _modules() - WRITTEN_BY_THE_READER == set()


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_every_flag_that_a_page_names_is_a_flag(page: Path) -> None:
    flags = _known_flags()
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", page.read_text("utf-8")))
    assert named - flags - MISSPELT - set(OTHER_PROGRAMS) == set()


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_every_variable_that_a_page_names_is_a_setting(page: Path) -> None:
    text = page.read_text("utf-8")
    for name in set(re.findall(r"KATANA_[A-Z_]+", text)) - MISSPELT:
        begins = name.endswith("_")
        assert any(variable.startswith(name) if begins else variable == name for variable in _variables()), name


def test_the_table_of_settings_names_every_flag_and_every_variable() -> None:
    table = (ROOT / "README.md").read_text("utf-8").partition("\n## Settings")[2].partition("\n## ")[0]
    serve = katana_mcp.commands.cli.app["serve"].assemble_argument_collection()
    flags = {name for argument in serve for name in argument.names if name.startswith("--")}
    listed = set(re.findall(r"--[a-z-]+", table))
    assert {flag for flag in flags if not flag.startswith("--cache-backend-")} <= listed
    one_each = "KATANA_CACHE_BACKEND_"
    assert {variable for variable in _variables() if not variable.startswith(one_each)} <= set(
        re.findall(r"KATANA_[A-Z_]+", table)
    )


@pytest.mark.parametrize("page", [page for page in NOW if page.parents[1].name != "packages"], ids=_id)
def test_every_tool_that_a_page_names_is_served_or_told_to_be_absent(page: Path) -> None:
    served = {tool.name for tool in tools()}
    arguments = {name for tool in tools() for name in tool.request.model_fields}
    existing = served | set(absent_tools(served)) | arguments | set(OTHER_NAMES)
    named = set(re.findall(rf"`((?:{'|'.join(VERBS)})_[a-z_]*[a-z])[`(]", page.read_text("utf-8")))
    assert named - existing == set()


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_the_files_of_the_cache_are_those_of_this_version(page: Path) -> None:
    named = set(re.findall(r"typed-\d+\.db", page.read_text("utf-8")))
    files = {cache_typed.storage.FILE_NAME}
    named |= set(re.findall(r"legacy-v\d+\.sqlite", page.read_text("utf-8")))  # goes with cache_legacy
    files |= {cache_legacy.storage.FILE_NAME}  # goes with cache_legacy
    assert named - OLDER <= files


@pytest.mark.parametrize("page", NOW, ids=_id)
def test_every_make_target_that_a_page_names_is_there(page: Path) -> None:
    named = set(re.findall(r"`make ([a-z-]+)", page.read_text("utf-8")))
    assert named - _gone() <= _targets()


def test_the_readme_names_every_make_target() -> None:
    named = re.findall(r"^\| `make ([a-z-]+)`", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert set(named) - _gone() == _targets()


def test_the_page_of_proofs_has_the_settings_as_they_stand() -> None:
    text = (ROOT / "docs" / "reference" / "proofs.md").read_text("utf-8")
    soak = (ROOT / "Makefile").read_text("utf-8").partition("\nsoak:")[2].partition("\n\n")[0]
    drawn = (ROOT / "mutants" / "drawn" / "__main__.py").read_text("utf-8")
    (beside,) = re.findall(r"-n (\d+)", soak)
    least, count = (re.findall(rf"^{name} = (\d+)$", drawn, re.MULTILINE)[0] for name in ("LEAST", "_COUNT"))
    assert re.findall(r"\| (\d+)[^|]* \| `[^`]+` \|", text) == [
        *("1", beside, str(NIGHTS), str(NIGHTS), str(OTHERS), count, least)
    ]


def test_the_readme_counts_the_tools_that_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    katana_mcp.commands.cli.app(["tools"], exit_on_error=False, result_action="return_value")
    (listed,) = re.findall(r"^(\d+) tools", capsys.readouterr().out, re.MULTILINE)
    assert re.findall(r"server up in .*: (\d+) tools listed", text) == [listed]


ALL = {entity.plural.replace("_", " ") for entity in ENTITIES}
WRITTEN = {entity.plural.replace("_", " ") for entity in ENTITIES if entity.writes}
UNWRITTEN = {entity.plural.replace("_", " ") for entity in ENTITIES if not entity.writes and not entity.workflows}
SAID: list[tuple[str, str, set[str]]] = [
    ("README.md", r"It writes ([^.]*), never without a preview", ALL - UNWRITTEN),
    ("README.md", r"\| create, modify, delete of ([^;]*);", UNWRITTEN),
    ("docs/explanation/architecture.md", r"\n([^.\n]*) are written; the other entities are not", WRITTEN),
    (
        "docs/adr/0020-consistent-surface-and-one-cache.md",
        r"\| ([^|]*) (?:\|[^|]*){3}\| create, modify, delete \|",
        WRITTEN,
    ),
    ("docs/adr/0020-consistent-surface-and-one-cache.md", r"\| ([^|]*) (?:\|[^|]*){3}\| absent \|", UNWRITTEN),
]
"""Where a page says of which entities all is written, or nothing; the first page also those that a workflow writes."""


@pytest.mark.parametrize(("page", "sentence", "expected"), SAID, ids=[f"{case[0]} {case[1][:20]}" for case in SAID])
def test_a_page_names_all_that_is_written_and_nothing_that_is_not(page: str, sentence: str, expected: set[str]) -> None:
    said = " ".join(re.findall(sentence, (ROOT / page).read_text("utf-8"))).lower()
    assert {name for name in ALL if re.search(rf"\b{name}\b", said)} == expected


def test_the_index_names_every_decision() -> None:
    folder = ROOT / "docs" / "adr"
    named = set(re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", (folder / "README.md").read_text("utf-8")))
    assert named == {page.name for page in folder.glob("[0-9]*.md")}


def _gone() -> set[str]:
    return {"retire"} if ONE_IS_GONE else set()


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def _variables() -> set[str]:
    return {str(field.validation_alias) for field in Settings.model_fields.values()}
