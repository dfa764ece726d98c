"""Show how the tools of two commits differ, as hosts are told of them: `python scripts/surface_diff.py BASE [HEAD]`.

Compares the accepted schemas of tests/surface, which tests hold equal to what is served. A line that begins with `!`
is one that a caller of before can stumble over.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import cast

FOLDER = "tests/surface/__snapshots__/test_schemas"
_NAME = re.compile(r"\[([a-z_]+)\]\.json$")

type Flat = dict[str, object]


def surface(commit: str) -> dict[str, Flat]:
    """Return what a commit tells of each tool, by path: `inputSchema.properties.limit.default`."""
    listed = _git("ls-tree", "-r", "--name-only", "-z", commit, "--", FOLDER).split("\0")
    names = {name: found[1] for name in listed if (found := _NAME.search(name))}
    return {tool: dict(_flat(json.loads(_git("show", f"{commit}:{name}")))) for name, tool in names.items()}


def differences(old: Mapping[str, Flat], new: Mapping[str, Flat]) -> Iterator[str]:
    """Yield a line for each tool that came or went, and for each thing told of the others that changed."""
    yield from (f"! {tool} is gone" for tool in sorted(old.keys() - new.keys()))
    yield from (f"+ {tool} is new" for tool in sorted(new.keys() - old.keys()))
    for tool in sorted(old.keys() & new.keys()):
        before, after = old[tool], new[tool]
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                mark = "!" if _breaks(path, before.get(path), after.get(path)) else "~"
                yield f"{mark} {tool} {path}: {_shown(before.get(path))} -> {_shown(after.get(path))}"


def _flat(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    if not isinstance(node, dict):
        yield path, node
        return
    rows = cast("dict[str, object]", node)
    if path.rpartition(".")[0].endswith("properties"):
        yield path, "there"
    for key, value in rows.items():
        yield from _flat(value, f"{path}.{key}" if path else key)


def _breaks(path: str, before: object, after: object) -> bool:
    """Return whether an argument or a value is taken no more, or asked for where it was not, or a key is gone."""
    if path == "inputSchema.required":
        return bool(_set(after) - _set(before))
    if path.startswith("inputSchema.") and path.endswith((".enum", ".type")):
        return after is not None and bool(_set(before) - _set(after))
    return before == "there" and after is None


def _set(value: object) -> set[str]:
    rows = cast("list[object]", value) if isinstance(value, list) else [] if value is None else [value]
    return {json.dumps(row) for row in rows}


def _shown(value: object) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Print the differences as Markdown; a difference is no error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("head", nargs="?", default="HEAD")
    options = parser.parse_args()
    lines = list(differences(surface(options.base), surface(options.head)))
    sys.stdout.write("## Tools\n\n" + ("```diff\n" + "\n".join(lines) + "\n```\n" if lines else "No difference.\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
