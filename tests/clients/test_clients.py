"""What `make clients` says of what it saw; the clients themselves run there."""

import json
import re

import pytest

from clients.conformance import exceptions, verdict
from clients.scenarios import NAMES
from clients.sdks import NPM, PYTHON, sdks
from clients.table import Row, table

SUITE = "chatter\n=== SUMMARY ===\n\u2713 ping: 1 passed, 0 failed\n\u2717 tools-call-image: 0 passed, 1 failed\n"


@pytest.mark.parametrize(
    ("lawful", "expected"),
    [
        ((), "tools-call-image fails"),
        (("tools-call-image",), "ok"),
        (("tools-call-image", "ping"), "ping is an exception and does not fail"),
        (("tools-call-image", "renamed"), "renamed is an exception and does not fail"),
    ],
)
def test_the_suite_fails_for_what_it_may_not_and_for_an_exception_that_is_not_needed(
    lawful: tuple[str, ...], expected: str
) -> None:
    assert verdict(SUITE, lawful) == expected


def test_a_suite_that_did_not_end_has_not_passed() -> None:
    assert verdict("Error: no server", ()).startswith("it did not come to an end")
    assert verdict("", exceptions()).startswith("it did not come to an end")


def test_a_scenario_that_did_not_run_is_wrong_and_one_that_is_absent_has_its_reason() -> None:
    cells = dict.fromkeys(NAMES, "ok") | {"cancel": "has no way to"}
    assert Row("a", "http", cells, frozenset({"cancel"})).faults() == []
    assert Row("a", "http", cells, frozenset({"cancel"})).absences() == ["a, cancel: has no way to"]
    assert Row("a", "http", cells).faults() == ["a, http, cancel: has no way to"]
    missing = Row("a", "http", {"list": "ok"}, expected=NAMES)
    assert len(missing.faults()) == len(NAMES) - 1
    assert table([missing], NAMES).splitlines()[1].split() == ["a", "http", "ok", *["WRONG"] * (len(NAMES) - 1)]


def test_every_client_is_pinned_and_no_lock_names_where_packages_come_from() -> None:
    package = json.loads((NPM / "package.json").read_text())
    versions = package["dependencies"] | package["optionalDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values()), versions
    locked = (NPM / "package-lock.json").read_text()
    pins = [path.read_text() for path in sorted(PYTHON.glob("mcp-*/requirements.txt"))]
    assert [text for text in (locked, *pins) if "://" in re.sub(r'"url": "[^"]*"', "", text)] == []
    assert all("==" in line for text in pins for line in text.splitlines())
    lines = {(sdk.name.split()[0], sdk.name.split()[2][0], sdk.era) for sdk in sdks("node")}
    both = {(language, line, "legacy") for language in ("TypeScript", "Python") for line in "12"}
    assert lines == both | {("TypeScript", "2", "auto"), ("Python", "2", "auto")}
