"""One wheel holds every package of the workspace, whole, and says truly what it is."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import katana_mcp

ROOT = Path(__file__).resolve().parents[2]
NAME = "katana-factory-mcp"


def manifest(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))["project"]


MEMBERS = {path.parent: manifest(path) for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}
OWN = {member["name"] for member in MEMBERS.values()}
PUBLISHED = manifest(ROOT / "pyproject.toml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built as `uv build` has it built."""
    place = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = place.iterdir()
    return built


@pytest.fixture(scope="module")
def contents(wheel: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(contents: Mapping[str, bytes]) -> Message:
    (name,) = [name for name in contents if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(contents[name].decode())


def needs(requirements: list[str]) -> set[str]:
    """Return requirements of what is not ours, each in one form."""
    return {str(one) for requirement in requirements if (one := Requirement(requirement)).name not in OWN}


def test_every_module_and_data_file_of_every_package_is_in_it_byte_for_byte(contents: Mapping[str, bytes]) -> None:
    expected = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for source in ROOT.glob("packages/*/src")
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name: content for name, content in contents.items() if ".dist-info/" not in name}
    assert sorted(packed) == sorted(expected)
    assert [name for name, content in expected.items() if packed[name] != content] == []
    assert {name.partition("/")[0] for name in packed if name.endswith("/py.typed")} >= {"katana_mcp", "katana_client"}
    assert {Path(name).suffix for name in packed} >= {".py", ".json", ".toml", ".typed"}


def test_it_needs_what_the_packages_need_of_others_and_none_of_them(metadata: Message) -> None:
    needed = {one for member in MEMBERS.values() for one in needs(member["dependencies"])}
    plain = [one for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert {str(Requirement(one)) for one in plain} == needed
    assert {Requirement(one).name for one in metadata.get_all("Requires-Dist", [])} & OWN == set()


def test_there_is_one_version(wheel: Path, metadata: Message) -> None:
    versions = {member["version"] for member in MEMBERS.values()} | {PUBLISHED["version"], metadata["Version"]}
    assert versions == {katana_mcp.__version__}
    assert wheel.name == f"katana_factory_mcp-{katana_mcp.__version__}-py3-none-any.whl"


def test_it_brings_the_commands_of_the_packages_and_one_of_its_own_name(contents: Mapping[str, bytes]) -> None:
    commands = {name: target for member in MEMBERS.values() for name, target in member.get("scripts", {}).items()}
    assert set(commands) >= {"katana-mcp"}
    (points,) = [text.decode() for name, text in contents.items() if name.endswith("/entry_points.txt")]
    expected = {**commands, NAME: commands["katana-mcp"]}
    assert dict(re.findall(r"(?m)^(\S+) = (\S+)$", points)) == expected


def test_it_says_its_name_licence_authors_addresses_and_what_it_runs_on(
    metadata: Message, contents: Mapping[str, bytes]
) -> None:
    assert metadata["Name"] == NAME
    assert metadata["License-Expression"] == "MIT"
    (licence,) = [content for name, content in contents.items() if name.endswith("/licenses/LICENSE")]
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert metadata["Author"] in licence.decode()
    assert all(" https://" in url for url in metadata.get_all("Project-URL", [""]))
    classifiers = set(metadata.get_all("Classifier", []))
    versions = re.findall(r'python: \["(.*)", "(.*)"\]', (ROOT / ".github/workflows/ci.yml").read_text("utf-8"))[0]
    assert classifiers >= {f"Programming Language :: Python :: {version}" for version in versions}
    assert metadata["Requires-Python"] == f">={versions[0]}"


def test_its_page_has_no_link_that_only_the_repository_can_follow(metadata: Message) -> None:
    page = metadata.get_payload()
    assert isinstance(page, str)
    assert f"uvx {NAME} demo" in page
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")] == []


def test_no_index_takes_a_package_of_the_workspace_by_itself() -> None:
    assert len(MEMBERS) >= 6
    assert [str(at) for at, member in MEMBERS.items() if "Private :: Do Not Upload" not in member["classifiers"]] == []


def test_without_the_sandbox_one_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['katana_sandbox'] = None\n")
    usual = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    for command in (["demo"], ["serve", "--sandbox"]):
        done = subprocess.run(
            [sys.executable, "-m", "katana_mcp", *command],
            cwd=tmp_path,
            env={**usual, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, ""), command
        assert done.stderr == (
            "katana-mcp: the sandbox is not installed here: install katana-factory-mcp, which has it, or work on your "
            "own account\n"
        )
