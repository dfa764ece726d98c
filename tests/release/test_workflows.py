"""What runs on others' machines in this project's name: least rights, pinned code, an end, and no text of strangers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github/workflows"
WORKFLOWS: dict[str, dict[Any, Any]] = {
    path.name: yaml.safe_load(path.read_text("utf-8")) for path in sorted(FOLDER.iterdir())
}
EACH = pytest.mark.parametrize("name", WORKFLOWS)
LONGEST = 90
"""Minutes: the soaked contract of one backend."""


def jobs(name: str) -> dict[str, dict[str, Any]]:
    return WORKFLOWS[name]["jobs"]


def steps(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from ((job, step) for job, definition in jobs(name).items() for step in definition["steps"])


def test_there_are_the_workflows_of_each_change_and_of_a_release() -> None:
    assert set(WORKFLOWS) == {"ci.yml", "release.yml"}


@EACH
def test_a_workflow_may_read_the_code_and_nothing_else(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    more = {job: definition["permissions"] for job, definition in jobs(name).items() if "permissions" in definition}
    assert more == ({"publish": {"id-token": "write"}} if name == "release.yml" else {})


@EACH
def test_each_action_is_pinned_by_its_hash_with_the_version_beside_it(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    used = [line for line in text.splitlines() if "uses:" in line]
    assert used
    pinned = re.compile(r"^ +- uses: [a-z-]+/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+(  #.*)?$")
    assert [line for line in used if not pinned.match(line)] == []


def test_an_action_has_one_pin_everywhere() -> None:
    found = {line.strip() for name in WORKFLOWS for _, step in steps(name) if (line := step.get("uses", ""))}
    assert sorted(found) == sorted({action.partition("@")[0]: action for action in found}.values())


@EACH
def test_each_job_ends(name: str) -> None:
    assert [job for job, definition in jobs(name).items() if not 1 <= definition["timeout-minutes"] <= LONGEST] == []


@EACH
def test_no_checkout_leaves_its_token_behind(name: str) -> None:
    checkouts = [step for _, step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@EACH
def test_no_command_is_made_of_text_that_a_stranger_writes(name: str) -> None:
    for job, step in steps(name):
        named = re.findall(r"\$\{\{ *([a-z_.]+)", step.get("run", ""))
        assert [expression for expression in named if not expression.startswith("matrix.")] == [], job


def test_nothing_runs_with_the_rights_of_the_repository_for_a_fork_and_no_secret_is_used() -> None:
    for path in FOLDER.iterdir():
        text = path.read_text("utf-8")
        assert "pull_request_target" not in text
        assert "secrets." not in text


@EACH
def test_a_uv_that_is_installed_by_name_has_a_version_and_it_is_one(name: str) -> None:
    installed = [step["run"] for _, step in steps(name) if "pip install" in step.get("run", "")]
    assert len(set(installed)) == 1
    assert re.fullmatch(r"pip install uv==\d+\.\d+\.\d+", installed[0])


def test_ci_proves_the_wheel_and_runs_it_outside_the_clone() -> None:
    wheel_steps = jobs("ci.yml")["wheel"]["steps"]
    runs = [step.get("run") for step in wheel_steps]
    assert "make wheel" in runs
    (demo,) = [step for step in wheel_steps if "katana-mcp demo" in step.get("run", "")]
    assert demo["working-directory"] == "${{ runner.temp }}"
    assert demo["run"].startswith("uvx --from ")


def test_ci_has_the_bundle_judged_by_those_who_read_it() -> None:
    runs = [step.get("run", "") for step in jobs("ci.yml")["wheel"]["steps"]]
    (judge,) = [run for run in runs if "mcpb" in run]
    assert re.fullmatch(r"npx --yes @anthropic-ai/mcpb@\d+\.\d+\.\d+ validate bundle/manifest\.json", judge)
    assert runs.index("make bundle") < runs.index(judge)


def test_ci_asks_for_vulnerabilities_and_licences_so_that_it_fails_where_it_cannot_know() -> None:
    runs = " ".join(step.get("run", "") for step in jobs("ci.yml")["dependencies"]["steps"])
    assert "scripts/audit.py --strict" in runs
    assert "scripts/licences.py --check" in runs
    assert "--format cyclonedx1.5" in runs


def test_a_release_is_proven_before_it_is_published_and_only_by_a_tag() -> None:
    release = WORKFLOWS["release.yml"]
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as true
    runs = [step.get("run", "") for step in jobs("release.yml")["build"]["steps"]]
    order = [
        next(at for at, run in enumerate(runs) if word in run) for word in ("release check", "make test", "make bundle")
    ]
    assert order == sorted(order)
    assert jobs("release.yml")["publish"]["needs"] == "build"
    assert jobs("release.yml")["publish"]["environment"] == "pypi"


def test_a_bot_proposes_newer_pins_of_everything_that_is_pinned() -> None:
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text("utf-8"))["updates"]
    kinds = {update["package-ecosystem"]: ROOT / update["directory"].lstrip("/") for update in updates}
    assert set(kinds) == {"uv", "github-actions", "npm", "docker"}
    assert (kinds["uv"] / "uv.lock").is_file()
    assert (kinds["npm"] / "package-lock.json").is_file()
    assert all(update["cooldown"]["default-days"] >= 7 for update in updates)
