"""The image serves as nobody in particular, writes to one place, and is built by steps that work without a daemon."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a token of the test's own"
PORT = 8000


@dataclass
class Stage:
    """One FROM of a Dockerfile: its instructions in order, and the last of each kind."""

    base: str
    steps: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def last(self, kind: str) -> str:
        return next(rest for name, rest in reversed(self.steps) if name == kind)

    def line(self, kind: str) -> list[str]:
        """Return a command that is given as a list of words."""
        return json.loads(self.last(kind)[self.last(kind).index("[") :])

    def variables(self) -> dict[str, str]:
        return dict(pair.split("=", 1) for name, rest in self.steps if name == "ENV" for pair in shlex.split(rest))


def stages() -> list[Stage]:
    found: list[Stage] = []
    for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines():
        name, _, rest = line.partition(" ")
        if name == "FROM":
            found.append(Stage(rest))
        elif line and not line.startswith("#"):
            found[-1].steps.append((name, rest))
    return found


def test_it_runs_as_a_user_without_rights_and_writes_to_its_volume_alone() -> None:
    *_, last = stages()
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", last.last("USER"))
    place = last.last("VOLUME")
    assert last.variables() == {"HOME": place, "KATANA_CACHE_DIR": place, "PYTHONDONTWRITEBYTECODE": "1"}
    kinds = [name for name, _ in last.steps]
    assert "RUN" not in kinds[kinds.index("USER") :]


def test_it_holds_no_secret_and_nothing_from_elsewhere() -> None:
    kinds = {name for stage in stages() for name, _ in stage.steps}
    assert kinds <= {"RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert not re.search(r"KATANA_(API_KEY|MCP_HTTP_TOKEN)|curl|wget", text)
    assert len({stage.base.split()[0] for stage in stages()}) == 1
    assert all(re.match(r"python:3\.\d+-slim\b", stage.base) for stage in stages())
    hashed = [rest for stage in stages() for name, rest in stage.steps if name == "RUN" and "uv pip install" in rest]
    assert all("--require-hashes" in rest or "--no-deps" in rest for rest in hashed)


def test_what_it_copies_is_there_and_is_not_ignored_and_a_env_is() -> None:
    first = stages()[0]
    copied = [name for kind, rest in first.steps if kind == "COPY" for name in rest.split()[:-1]]
    taken = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert taken[1] == "*"
    assert all((ROOT / name).exists() and f"!{name}" in taken for name in copied)
    assert "**/.env" in taken[taken.index("!packages") :]


def test_its_uv_is_the_one_of_the_workflows() -> None:
    ci = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    (version,) = set(re.findall(r"uv==([\d.]+)", (ROOT / "Dockerfile").read_text("utf-8")))
    assert set(re.findall(r"uv==([\d.]+)", ci)) == {version}
    assert yaml.safe_load(ci)["jobs"]["wheel"]


@pytest.mark.soak
def test_its_steps_make_a_server_that_its_health_check_finds_and_misses(tmp_path: Path) -> None:
    first, last = stages()
    places = {
        "/build": str(tmp_path / "build"),
        "/opt/katana": str(tmp_path / "katana"),
        "/data": str(tmp_path / "data"),
    }
    uv = Path(os.environ.get("UV") or shutil.which("uv") or ROOT / ".uv/bin/uv").absolute()
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("KATANA_", "VIRTUAL_ENV"))}
    usual |= {"PATH": f"{uv.parent}{os.pathsep}{os.environ['PATH']}", "UV_PYTHON": sys.executable}
    build(first, tmp_path / "build", places, usual)
    (tmp_path / "data").mkdir()
    variables = usual | {name: placed(value, places) for name, value in last.variables().items()}
    variables |= {
        "KATANA_SANDBOX": "true",
        "KATANA_MCP_HTTP_TOKEN": TOKEN,
        "KATANA_MCP_ALLOWED_HOSTS": "factory.example",
    }
    command = [placed(word, places) for word in last.line("ENTRYPOINT") + last.line("CMD")]
    check = [placed(word, places) for word in last.line("HEALTHCHECK")]
    assert str(PORT) in check[-1]
    assert subprocess.run(check, check=False, capture_output=True).returncode != 0
    installed = sorted(tmp_path.joinpath("katana").rglob("*"))
    with subprocess.Popen(command, cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            assert "serves MCP on" in server.stderr.readline()
            assert subprocess.run(check, check=False, capture_output=True).returncode == 0
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert subprocess.run(check, check=False, capture_output=True).returncode != 0
    assert sorted(tmp_path.joinpath("katana").rglob("*")) == installed
    assert {path.name for path in tmp_path.iterdir()} == {"build", "katana", "data"}


def build(stage: Stage, place: Path, places: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Do what a stage does, but for the installation of uv, with its places below another."""
    place.mkdir()
    for kind, rest in stage.steps:
        if kind == "COPY":
            *names, target = rest.split()
            for name in names:
                to = place / target / Path(name).name if target.endswith("/") else place / target
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(ROOT / name, to) if (ROOT / name).is_dir() else shutil.copy(ROOT / name, to)
        elif kind == "RUN" and "pip install --no-cache-dir" not in rest:
            subprocess.run(["sh", "-ec", placed(rest, places)], cwd=place, env=dict(environment), check=True)


def placed(text: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        text = re.sub(rf"(?<![\w/]){name}(?![\w])", place, text)
    return text
