"""What the sandbox infers without a switch, and what it leaves out: the README says each, with the reason."""

import re
from collections import Counter
from pathlib import Path

import pytest

from katana_sandbox import SWITCHES
from katana_sandbox.registry import build_router
from katana_schema.reading import read_facts

FACTS = Path(__file__).parents[4] / "shared" / "reference" / "katana-api-facts.md"
README = Path(__file__).parents[1] / "README.md"
# Returns and stocktakes are not served; 7.1 is a table of defaults for what stands elsewhere.
APART = {"4.6", "4.10", "7.1"}


def reasons() -> Counter[str]:
    """Lines of the README's table by the sections that they name."""
    table = README.read_text().partition("## Inferences that are not switches")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([\d., \[I\]]+) \| [^|]+ \| [^|]+ \|$", table, re.MULTILINE)
    return Counter(section for cell in cells for section in cell.split(", "))


def inferences(facts: str) -> Counter[str]:
    """Inferences by section; the same words twice are one."""
    found: set[tuple[str, str]] = set()
    for part in re.split(r"^### ", facts, flags=re.MULTILINE)[1:]:
        section, _, text = part.partition(" ")
        body = re.split(r"^## ", text, flags=re.MULTILINE)[0]
        found |= {(section, words) for words in re.findall(r"(.{0,30})\[I[\] ,:;]", body)}
    return Counter(section for section, _ in found)


@pytest.mark.skipif(not FACTS.is_file(), reason="the API facts are not part of this repository")
def test_every_inference_is_a_switch_or_has_a_reason() -> None:
    expected = inferences(FACTS.read_text())
    cited = [*(switch.facts for switch in SWITCHES), *reasons().elements()]
    decided = Counter(section for text in cited for section in re.findall(r"([\d.]+) \[I\]", text))
    assert expected.total() > 45
    apart = dict.fromkeys(APART, 0)
    assert {**decided, **apart} == {**expected, **apart}


@pytest.mark.skipif(not FACTS.is_file(), reason="the API facts are not part of this repository")
def test_every_open_point_is_a_switch_or_has_a_reason() -> None:
    text = FACTS.read_text().partition("## 6. ")[2].partition("## 7. ")[0]
    points = {f"6.{number}" for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)}
    named = {section for switch in SWITCHES for section in re.findall(r"6\.\d+", switch.facts)} | set(reasons())
    assert len(points) == 30
    assert points - named == set()


def test_every_operation_is_served_or_has_a_reason() -> None:
    declared = {(operation.verb, operation.path) for operation in read_facts().operations.values()}
    served = set(build_router().operations())
    assert served <= declared
    text = README.read_text().partition("## Left out")[2]
    assert f"{len(served)} of the {len(declared)} operations" in " ".join(text.split())
    left = [path for _, path in declared - served]
    counted: Counter[str] = Counter()
    for cell, count in re.findall(r"^\| (`/[^|]+) \| (\d+) \| [^|]+ \|$", text.partition("\n## ")[0], re.MULTILINE):
        named = re.findall(r"`([^`]+)`", cell)
        mine = [path for path in left if any(path == name or path.startswith(f"{name}/") for name in named)]
        assert (cell, len(mine)) == (cell, int(count))
        counted.update(mine)
    assert counted == Counter(left)
