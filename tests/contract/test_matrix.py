"""CI runs the contract for each backend and flag state, with the command that a developer types."""

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from katana_mcp.caches.backends import BACKENDS
from katana_mcp.configuration.backend_flags import FLAGS

from .backends import KINDS

CI = Path(__file__).resolve().parents[2] / ".github/workflows/ci.yml"


def test_ci_has_a_job_for_each_backend_and_flag_state() -> None:
    job = yaml.safe_load(CI.read_text("utf-8"))["jobs"]["contract"]
    assert sorted(job["strategy"]["matrix"]["backend"]) == sorted(kind.name for kind in KINDS)
    assert {"run": "make contract BACKEND=${{ matrix.backend }}"} in job["steps"]


def test_ci_runs_the_server_and_its_surface_under_each_state_of_the_flag() -> None:
    job = yaml.safe_load(CI.read_text("utf-8"))["jobs"]["states"]
    assert sorted(job["strategy"]["matrix"]["flag"]) == sorted(FLAGS)
    assert {"run": "make states BACKEND=${{ matrix.flag }}"} in job["steps"]


def test_every_flag_and_every_backend_is_under_the_contract() -> None:
    assert {*FLAGS, *BACKENDS} <= {kind.name for kind in KINDS}


def test_what_is_left_to_ci_names_modules_and_backends_that_there_are() -> None:
    here = Path(__file__).parent
    for row in tomllib.loads((here / "exceptions.toml").read_text("utf-8"))["left"]:
        # With one backend left there is nothing to mix.
        assert len(BACKENDS) == 1 or any(fnmatchcase(kind.name, row["backend"]) for kind in KINDS)
        assert all((here / f"{module}.py").is_file() for module in row["modules"])
        assert row["reason"]
