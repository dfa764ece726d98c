"""Run deptry in each package: what a package imports is what it declares, no more and no less."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Return 0 when every package declares exactly what it imports, else 1."""
    failed = False
    for manifest in sorted(ROOT.glob("packages/*/pyproject.toml")):
        command = [sys.executable, "-m", "deptry", "src", "--no-ansi"]
        done = subprocess.run(command, cwd=manifest.parent, capture_output=True, text=True, check=False)
        if done.returncode:
            failed = True
            sys.stderr.write(f"{manifest.parent.name}\n{done.stderr}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
