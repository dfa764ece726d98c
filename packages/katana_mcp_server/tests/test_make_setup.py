"""`make setup` without a Python that is new enough, or without a download, says in one sentence what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ADVICE = "make setup: there is no Python 3.12 or newer here, and uv could not fetch one:"

GUIDE = "docs/guides/company-network.md"
PROGRAMS = ("make", "sh", "cat", "mkdir", "chmod")
"""What the Makefile needs to get as far as uv."""


@pytest.mark.parametrize(("finds", "explained"), [(1, True), (0, False)])
def test_a_machine_without_python_is_told_what_to_install_and_any_other_failure_stays_uvs(
    tmp_path: Path, finds: int, explained: bool
) -> None:
    told = set_up(tmp_path, "uv: no", finds)
    assert "uv: no" in told
    assert (ADVICE in told) is explained
    assert ("UV_PYTHON=" in told) is explained
    assert GUIDE not in told


@pytest.mark.parametrize(
    "message",
    [
        "error: Failed to fetch: https://pypi.org/simple/six/\n  cause: error sending request",
        "error: Failed to download https://example.org/cpython.tar.gz",
        "error: invalid peer certificate: UnknownIssuer",
    ],
)
@pytest.mark.parametrize("finds", [0, 1])
def test_a_download_that_fails_leads_to_the_guide_and_the_variable_in_one_line(
    tmp_path: Path, message: str, finds: int
) -> None:
    told = set_up(tmp_path, message, finds)
    assert message in told
    (line,) = (line for line in told.splitlines() if GUIDE in line)
    assert "UV_SYSTEM_CERTS=1" in line
    assert (ROOT / GUIDE).is_file()


def test_a_failed_download_of_uv_itself_leads_to_the_guide_too(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or name)
    python = programs / "python3"
    python.write_text(
        '#!/bin/sh\nmkdir -p .uv/bin\nprintf "#!/bin/sh\\nexit 1\\n" >.uv/bin/pip\nchmod +x .uv/bin/pip\n'
    )
    python.chmod(0o755)
    told = made(tmp_path, "UV=.uv/bin/uv", PATH=str(programs))
    (line,) = (line for line in told.splitlines() if GUIDE in line)
    assert "PIP_CERT" in line


def set_up(directory: Path, message: str, finds: int) -> str:
    """Return what `make setup` says where uv fails with a message; `finds` is how its search for Python ends."""
    uv = directory / "uv"
    uv.write_text(f'#!/bin/sh\n[ "$1" = python ] && exit {finds}\necho "{message}" >&2\nexit 2\n')
    uv.chmod(0o755)
    return made(directory, f"UV={uv}")


def made(directory: Path, *words: str, **environment: str) -> str:
    """Return what `make setup` says as it fails in a copy of what it reads."""
    for name in ("Makefile", ".python-version", "pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, directory / name)
    done = subprocess.run(
        ["make", "setup", *words],
        cwd=directory,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    return done.stderr
