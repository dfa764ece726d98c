"""Which operations are served, as a table that the README keeps and a test compares."""

import re
from collections import Counter
from pathlib import Path

from katana_sandbox.registry import build_router

START = "<!-- coverage: begin -->"
END = "<!-- coverage: end -->"
_SPEC_TESTS = ("test_openapi.py", "stock_exchanges.py", "account_exchanges.py")
_FUNCTION = re.compile(r"^(?:async )?def ", re.MULTILINE)
_CALL = re.compile(r'\.(get|post|patch|delete)\(\s*f?"(/(?:\{[^}]*\}|[^"{])*)"')
_KEY = re.compile(r"(?<=/)(?:\{[^}]*\}|\d+)")


def coverage_table(tests: Path | None = None) -> str:
    """A markdown table: operation, served, checked against the OpenAPI file, rule tests that call it by its path."""
    texts = _texts(tests)
    spec = "".join(texts.pop(name, "") for name in _SPEC_TESTS)
    calls = Counter(call for text in texts.values() for function in _FUNCTION.split(text) for call in _calls(function))
    lines = ["| operation | served | spec-checked | rule tests |", "|---|---|---|---|"]
    for method, template in build_router().operations():
        checked = "yes" if f'"{method} {template}"' in spec else "-"
        lines.append(f"| {method} `{template}` | yes | {checked} | {calls[method, template] or '-'} |")
    return "\n".join(lines) + "\n"


def has_table(readme: Path) -> bool:
    """Return whether the file has a place for the table: one that has none is not written."""
    _, begin, rest = readme.read_text(encoding="utf-8").partition(START)
    return bool(begin) and END in rest


def write_coverage(readme: Path, tests: Path | None, *, only_check: bool) -> bool:
    """Bring the README's table up to date; with `only_check` say whether it already is."""
    text = readme.read_text(encoding="utf-8")
    head, _, rest = text.partition(START)
    _, _, tail = rest.partition(END)
    current = f"{head}{START}\n{coverage_table(tests)}{END}{tail}"
    if only_check:
        return text == current
    readme.write_text(current, encoding="utf-8")
    return True


def _texts(tests: Path | None) -> dict[str, str]:
    if tests is None:
        return {}
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(tests.glob("*.py"))}


def _calls(function: str) -> set[tuple[str, str]]:
    return {(verb.upper(), _KEY.sub("{id}", path)) for verb, path in _CALL.findall(function)}
