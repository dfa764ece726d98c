"""What a call from a shell does not do again when its cache is there: counts, which are the same on every machine."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import gc, json, sys
from katana_sandbox import sandbox

accounts, looks = [], []
build = sandbox.build_factory
sandbox.build_factory = lambda *given: (accounts.append(given), build(*given))
gc.callbacks.append(lambda phase, told: looks.append(told["generation"]) if phase == "start" else None)

from katana_mcp import __main__

try:
    __main__.main()
finally:
    counts = {"accounts": len(accounts), "looks": len(looks), "whole": looks.count(2)}
    sys.stderr.write(json.dumps(counts))
"""
WORDS = ("search_items", "query=FSKT-35M", "limit=1", "--sandbox", "--cache-dir", "kept")

type Counts = dict[str, int]


def called(home: Path, *words: str) -> tuple[Counts, dict[str, Any]]:
    """Call a tool in a process of its own; return what was counted, and its answer."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    command = [sys.executable, "-c", PROGRAM, "call", *words]
    ran = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=True, timeout=100)
    return json.loads(ran.stderr), json.loads(ran.stdout)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counts, Counts]:
    """Return what a first call and one with the cache of the first counted; they answer the same."""
    home = tmp_path_factory.mktemp("home")
    (first, answer), (second, again) = called(home, *WORDS), called(home, *WORDS, "--sync", "off")
    assert [row["sku"] for row in answer["rows"]] == ["FSKT-35M"]
    assert again["rows"] == answer["rows"]
    return first, second


def test_the_sandbox_makes_its_account_only_when_it_is_asked_for_something(counted: tuple[Counts, Counts]) -> None:
    assert [count["accounts"] for count in counted] == [1, 0]


def test_what_is_loaded_for_a_call_is_not_looked_through_for_garbage_again_and_again(
    counted: tuple[Counts, Counts],
) -> None:
    _, warm = counted
    assert warm["looks"] <= 60
    assert warm["whole"] <= 1
