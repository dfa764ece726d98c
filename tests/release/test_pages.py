"""What newcomers and assistants are given to click or to read names what there is."""

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

import katana_mcp.commands.cli
from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.finder import CALL, FIND

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
SKILL = ROOT / "skills/katana/SKILL.md"
WORDS = {"plan_token", "has_more", "stale_plan", "as_of"}
"""What answers hold, beside the tools."""


def configurations() -> dict[str, dict[str, Any]]:
    """Return what each button has a host write, by the site that takes it."""
    found: dict[str, dict[str, Any]] = {}
    for link in re.findall(r"\((https://[^)\s]+[?&]config=[^)\s]+)\)", README):
        parts = urlsplit(link)
        query = parse_qs(parts.query, strict_parsing=True)
        (config,) = query["config"]
        assert query["name"] == ["katana"]
        plain = config if config.startswith("{") else base64.b64decode(config, validate=True).decode()
        found[parts.netloc] = json.loads(plain)
    return found


def test_there_is_a_button_for_each_host_that_has_some_and_both_say_the_same() -> None:
    found = configurations()
    assert set(found) == {"cursor.com", "insiders.vscode.dev"}
    assert found["cursor.com"] == found["insiders.vscode.dev"]


def test_a_button_starts_the_published_package_on_invented_data_and_holds_no_key() -> None:
    for configuration in configurations().values():
        assert configuration == {"command": "uvx", "args": ["katana-factory-mcp", "serve", "--sandbox"]}
        _, command, *flags = configuration["args"]
        arguments = katana_mcp.commands.cli.app[command].assemble_argument_collection()
        assert set(flags) <= {name for argument in arguments for name in argument.names}


def test_the_skill_says_when_it_is_wanted_in_the_form_that_assistants_read() -> None:
    _, head, body = SKILL.read_text("utf-8").split("---\n", 2)
    metadata = yaml.safe_load(head)
    assert set(metadata) == {"name", "description"}
    assert re.fullmatch(r"[a-z0-9-]{1,64}", metadata["name"])
    assert metadata["name"] == SKILL.parent.name
    assert len(metadata["description"]) <= 1024
    assert len(body.splitlines()) < 500


def test_each_tool_that_the_skill_names_is_served_and_the_way_to_write_is_told_whole() -> None:
    served = {tool.name for tool in tools()} | {FIND, CALL}
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", SKILL.read_text("utf-8")))
    assert named - WORDS <= served
    assert {"search_items", "check_inventory", "apply_plan", FIND, CALL} <= named


@pytest.mark.parametrize("guide", ["upgrade", "beside-katanas-own-server"])
def test_the_readme_leads_to_what_a_newcomer_asks_next(guide: str) -> None:
    assert f"(docs/guides/{guide}.md)" in README
