"""List the licence of each distribution that the published one needs; `--check` fails where nobody has allowed it.

Read from what is installed, over all that is needed on this system; a licence in other words than SPDX's is known by
its classifier or by `SAID`.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "PSF-2.0", "Unlicense"}
)
WEAK = frozenset({"MPL-2.0"})
"""Asks for nothing of a program that only uses the distribution, unchanged."""
SAID: Mapping[str, str] = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}


def needed(roots: Iterable[str]) -> list[Distribution]:
    """Return every installed distribution that these requirements need, in the order of their names."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    open_ = [(Requirement(root), "") for root in roots]
    while open_:
        requirement, extra = open_.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        found[name] = one = distribution(name)
        for asked in {"", *requirement.extras} - {seen_extra for seen_name, seen_extra in seen if seen_name == name}:
            seen.add((name, asked))
            open_ += [(Requirement(line), asked) for line in one.requires or []]
    return [found[name] for name in sorted(found)]


def licence(one: Distribution) -> str:
    """Return what a distribution says of its licence, in SPDX's words where they are known; empty where nothing."""
    said = one.metadata.get("License-Expression") or _classified(one) or _short(one.metadata.get("License") or "")
    return SAID.get(said, said)


def _classified(one: Distribution) -> str:
    licences = [
        classifier.rpartition(" :: ")[2]
        for classifier in one.metadata.get_all("Classifier") or []
        if classifier.startswith("License ")
    ]
    return SAID.get(licences[0], licences[0]) if len(licences) == 1 and licences[0] != "OSI Approved" else ""


def _short(text: str) -> str:
    return text.strip() if len(text.splitlines()) == 1 else ""


def allowed(expression: str) -> bool:
    """Return whether each licence that has to be kept is allowed; of `A OR B` one is enough."""
    acceptable = ALLOWED | WEAK
    return any(
        all(part.strip("() ") in acceptable for part in re.split(r"\bAND\b", choice))
        for choice in expression.split(" OR ")
    )


def main() -> int:
    """Print a line for each; return 1 where `--check` finds one that is not allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a licence is not allowed")
    check = parser.parse_args().check
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = [(one.metadata["Name"], one.version, licence(one)) for one in needed(project["dependencies"])]
    sys.stdout.writelines(f"{name}\t{version}\t{expression or 'not told'}\n" for name, version, expression in rows)
    refused = [name for name, _, expression in rows if not allowed(expression)]
    if check and refused:
        sys.stderr.write(f"licences that nobody has allowed: {', '.join(refused)}; see scripts/licences.py\n")
    return int(check and bool(refused))


if __name__ == "__main__":
    sys.exit(main())
