"""Which operations are served, as a table that the README keeps and a test compares."""

from pathlib import Path

from katana_sandbox.registry import build_router

START = "<!-- coverage: begin -->"
END = "<!-- coverage: end -->"
_SPEC_TEST = "test_openapi.py"


def coverage_table(tests: Path | None = None) -> str:
    """A markdown table: operation, served, checked against the OpenAPI file, tests that call it."""
    texts = _texts(tests)
    lines = ["| operation | served | spec-checked | test files |", "|---|---|---|---|"]
    for method, template in build_router().operations():
        path = template.removesuffix("/{id}")
        checked = "yes" if _names(texts.get(_SPEC_TEST, ""), method, template) else "no"
        naming = sum(1 for text in texts.values() if path in text)
        lines.append(f"| {method} `{template}` | yes | {checked if texts else '-'} | {naming if texts else '-'} |")
    return "\n".join(lines) + "\n"


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


def _names(text: str, method: str, template: str) -> bool:
    return f'"{method} {template}"' in text
