"""`make setup` without a Python that is new enough, and without a network, says in one sentence what to do."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ADVICE = "make setup: there is no Python 3.12 or newer here, and uv could not fetch one:"


@pytest.mark.parametrize(("finds", "explained"), [(1, True), (0, False)])
def test_a_machine_without_python_is_told_what_to_install_and_any_other_failure_stays_uvs(
    tmp_path: Path, finds: int, explained: bool
) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f'#!/bin/sh\n[ "$1" = python ] && exit {finds}\necho "uv: no" >&2\nexit 2\n')
    uv.chmod(0o755)
    for name in ("Makefile", ".python-version", "pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    made = subprocess.run(
        ["make", "setup", f"UV={uv}"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert made.returncode != 0
    assert "uv: no" in made.stderr
    assert (ADVICE in made.stderr) is explained
    assert ("UV_PYTHON=" in made.stderr) is explained
