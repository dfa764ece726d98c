"""Ask for known vulnerabilities of the locked dependencies; say so plainly when the data cannot be reached.

With `--strict`, as in CI, what could not be audited fails: exit code 2, where 1 is a known vulnerability.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

PATIENCE = 90
OWN = frozenset(
    {"cache-core", "cache-typed", "katana-client", "katana-factory-mcp-server", "katana-sandbox", "katana-schema"}
    | {"cache-legacy"}  # goes with cache_legacy
)
"""Packages of the workspace, which no index knows."""

type Rows = Sequence[Mapping[str, Any]]


def audited() -> Rows | None:
    """Return what pip-audit says of each installed dependency, None where it could not ask."""
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--format", "json", "--local"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        return json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None


def judged(rows: Rows | None, *, strict: bool) -> tuple[int, list[str]]:
    """Return the exit code, and a line for each thing to say."""
    not_asked = 2 if strict else 0
    word = "failed" if strict else "skipped"
    if not rows:
        return not_asked, [f"audit {word}: the vulnerability data could not be reached"]
    others = [row for row in rows if row["name"] not in OWN]
    vulnerable = [row for row in others if row.get("vulns")]
    lines = [
        f"{row['name']} {row['version']}: {', '.join(record['id'] for record in row['vulns'])}" for row in vulnerable
    ]
    unknown = [row["name"] for row in others if "skip_reason" in row]
    if unknown:
        shown = ", ".join(unknown[:5])
        lines.append(f"audit {word}: no vulnerability data for {len(unknown)} of {len(others)} dependencies: {shown} …")
    return (1 if vulnerable else not_asked if unknown else 0), lines


def main() -> int:
    """Return 1 when a locked dependency has a known vulnerability, 2 when --strict could not know, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strict", action="store_true", help="fail where anything could not be audited")
    code, lines = judged(audited(), strict=parser.parse_args().strict)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return code


if __name__ == "__main__":
    sys.exit(main())
