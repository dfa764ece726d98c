"""What registries and hosts are told of a release: true, valid, and of the one version."""

import json
import shutil
import struct
import subprocess
import sys
import tomllib
import zipfile
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from fastmcp import Client
from scripts import bundle, prove_bundle, release

import katana_mcp
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SECRETS, Settings, load
from katana_mcp.server.application import application
from katana_mcp.server.wiring import Environment

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((Path(__file__).parent / "schemas/server.schema.json").read_text("utf-8"))
ADDRESS = "https://github.com/Example-Works/katana.mcp"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of what says where the repository is, after it was said."""
    (tmp_path / "docs").mkdir()
    for name in ("pyproject.toml", "docs/package.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    release.write_name(tmp_path, ADDRESS)
    return tmp_path


@pytest.fixture(scope="module")
def manifest() -> Mapping[str, Any]:
    return bundle.manifest(release.project())


def errors(entry: dict[str, Any]) -> list[str]:
    return [error.message for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(entry)]


def test_the_registrys_entry_is_valid_and_has_the_version_and_the_name_of_the_package(tree: Path) -> None:
    entry = release.entry(release.project(tree))
    assert errors(entry) == []
    (package,) = entry["packages"]
    assert (entry["version"], package["version"]) == (katana_mcp.__version__, katana_mcp.__version__)
    assert package["identifier"] == release.project(tree)["name"] == "katana-factory-mcp"
    assert entry["name"] == "io.github.Example-Works/katana-factory-mcp"
    assert entry["repository"]["url"] == ADDRESS
    assert SCHEMA["$id"] == entry["$schema"]


async def test_one_picture_shows_the_server_in_hosts_in_its_bundle_and_in_the_registry(
    manifest: Mapping[str, Any], tree: Path
) -> None:
    own = OwnSandbox()
    settings = load(sandbox=True, api_key=own.api_key)
    async with Client(application(settings, Environment(transport=own.transport(), in_memory=True))) as client:
        assert client.server_info is not None
        (icon,) = client.server_info.icons or [None]
    assert icon is not None
    kind, _, data = icon.src.removeprefix("data:").partition(";base64,")
    drawn = ET.fromstring(b64decode(data))
    assert (kind, icon.sizes, drawn.attrib["viewBox"]) == ("image/svg+xml", ["any"], "0 0 64 64")
    shown = (ROOT / "docs/images" / manifest["icon"]).read_bytes()
    assert (shown[:8], struct.unpack(">II", shown[16:24])) == (b"\x89PNG\r\n\x1a\n", (512, 512))
    (listed,) = release.entry(release.project(tree))["icons"]
    place = "https://raw.githubusercontent.com/Example-Works/katana.mcp"
    assert listed["src"] == f"{place}/v{katana_mcp.__version__}/docs/images/icon.png"


def test_the_schema_refuses_what_is_no_entry(tree: Path) -> None:
    entry = release.entry(release.project(tree))
    assert errors(entry | {"name": "katana"})
    assert errors(entry | {"description": "x" * 101})
    assert errors(entry | {"packages": [{"registryType": "pypi"}]})


def test_each_variable_that_a_registry_names_is_a_setting_and_the_key_is_said_to_be_secret(tree: Path) -> None:
    inputs = release.entry(release.project(tree))["packages"][0]["environmentVariables"]
    names = {str(field.validation_alias): name for name, field in Settings.model_fields.items()}
    assert {variable["name"] for variable in inputs} <= set(names)
    assert {names[variable["name"]] for variable in inputs if variable.get("isSecret")} == {"api_key"}
    assert "api_key" in SECRETS


def test_the_package_page_has_the_name_by_which_the_registry_knows_who_may_publish(tree: Path) -> None:
    page = (tree / "docs/package.md").read_text("utf-8")
    assert "<!-- mcp-name: io.github.Example-Works/katana-factory-mcp -->" in page
    urls = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert {"Repository", "Issues", "Changelog", "API documentation"} <= urls.keys()


def test_to_say_where_the_repository_is_once_more_changes_nothing(tree: Path) -> None:
    before = [(tree / name).read_bytes() for name in ("pyproject.toml", "docs/package.md")]
    release.write_name(tree, ADDRESS)
    assert [(tree / name).read_bytes() for name in ("pyproject.toml", "docs/package.md")] == before


@pytest.mark.parametrize("address", ["", "https://example.com/a/b", "https://github.com/a", "http://github.com/a/b"])
def test_an_address_that_the_registry_could_not_check_is_refused(address: str) -> None:
    with pytest.raises(release.NotReady, match="OWNER/REPOSITORY"):
        release.named(address)


def test_a_tag_that_is_not_the_version_stops_a_release() -> None:
    right = f"v{katana_mcp.__version__}"
    command = [sys.executable, "-m", "scripts.release", "check"]
    assert subprocess.run([*command, right], cwd=ROOT, check=False, capture_output=True).returncode == 0
    done = subprocess.run([*command, "v99.0.0"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        f"no release: the tag is v99.0.0, and the version {katana_mcp.__version__}: set the version, or tag {right}\n"
    )


def test_the_bundle_names_the_version_and_the_tools_that_are_listed_whatever_the_environment_chooses(
    manifest: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert manifest["version"] == katana_mcp.__version__
    names = {tool["name"] for tool in manifest["tools"]}
    assert names >= {"search_items", "create_purchase_order", "apply_plan", "search_tools"}
    assert all(len(tool["description"]) > 20 for tool in manifest["tools"])
    monkeypatch.setenv("KATANA_MCP_TOOLS", "get_item")
    assert bundle.manifest(release.project()) == manifest


def test_a_host_that_fills_in_what_a_person_said_starts_the_server_with_settings_that_are_there(
    manifest: Mapping[str, Any],
) -> None:
    line, variables = prove_bundle.command(manifest, Path("/there"), {"api_key": "a key", "read_only": True})
    assert line == ["uv", "run", "--directory", "/there", "src/server.py"]
    assert variables == {"KATANA_API_KEY": "a key", "KATANA_SANDBOX": "false", "KATANA_MCP_READ_ONLY": "true"}
    assert set(variables) <= {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert manifest["user_config"]["api_key"]["sensitive"] is True
    unsaid = prove_bundle.command(manifest, Path("/there"), {})[1]
    assert not any("${" in value for value in unsaid.values())


def test_the_bundle_holds_the_wheel_and_what_starts_it_and_is_the_same_each_time(tmp_path: Path) -> None:
    wheel = tmp_path / "katana_factory_mcp-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    first = bundle.pack(wheel, tmp_path / "one")
    with zipfile.ZipFile(first) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert set(held) == {"manifest.json", "pyproject.toml", "src/server.py", "LICENSE", "icon.png", wheel.name}
    assert json.loads(held["manifest.json"])["icon"] in held
    assert held[wheel.name] == b"a wheel"
    pyproject = tomllib.loads(held["pyproject.toml"].decode())
    assert pyproject["tool"]["uv"]["sources"] == {"katana-factory-mcp": {"path": wheel.name}}
    assert pyproject["project"]["dependencies"] == ["katana-factory-mcp"]
    assert json.loads(held["manifest.json"])["server"]["entry_point"] in held
    assert bundle.pack(wheel, tmp_path / "two").read_bytes() == first.read_bytes()
