"""Prove the one wheel outside the clone: `python scripts/prove_wheel.py dist` ends with 1 where it does not hold.

In an environment that holds the wheel and what it needs, and nothing else, its commands tell the wheel's version,
every module loads, and the demo ends right.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ENDS_WITH = "every step was right"
PATIENCE = 600
LOADS = """
import importlib, pkgutil, sys
for package in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


class Unproven(Exception):
    """The wheel does not do what it has to; the message says what."""


class Bare:
    """An environment outside the clone that holds only the wheel."""

    def __init__(self, uv: str, place: Path) -> None:
        self._uv, self._place = uv, place
        self._scripts = place / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        names = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
        usual = {key: value for key, value in os.environ.items() if key not in names and not key.startswith("KATANA_")}
        self._environment = usual | {"HOME": str(place), "UV_NO_CONFIG": "1"}

    def install(self, wheel: Path) -> None:
        """Make the environment, with this interpreter, and put the wheel into it."""
        cache = subprocess.run([self._uv, "cache", "dir"], capture_output=True, text=True, check=True).stdout.strip()
        self._environment["UV_CACHE_DIR"] = cache
        self._run(self._uv, "venv", "--quiet", "--python", sys.executable, "env")
        self._run(self._uv, "pip", "install", "--quiet", "--python", "env", str(wheel))

    def run(self, program: str, *arguments: str) -> str:
        """Return what a program of the environment printed; it must succeed."""
        return self._run(str(self._scripts / program), *arguments)

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self._place,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if done.returncode:
            raise Unproven(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def prove(folder: Path, bare: Bare) -> str:
    """Prove the only wheel of a folder, and return its name.

    Raises:
        Unproven: what it does not do.
    """
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise Unproven(f"{folder} holds {len(wheels)} wheels, not one")
    wheel = wheels[0].resolve()
    version = wheel.name.split("-")[1]
    bare.install(wheel)
    for command in ("katana-mcp", "katana-factory-mcp"):
        answer = bare.run(command, "--version").strip()
        if answer != version:
            raise Unproven(f"{command} --version says {answer}, and the wheel is {version}")
    bare.run("katana-sandbox", "--help")
    bare.run("python", "-c", LOADS, *_packages(wheel))
    demo = bare.run("katana-mcp", "demo", "--no-color").rstrip()
    if ENDS_WITH not in demo.splitlines()[-1]:
        raise Unproven(f"the demo does not end with `{ENDS_WITH}`:\n{demo[-2_000:]}")
    return wheel.name


def _packages(wheel: Path) -> list[str]:
    """Return the packages at the top of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted({name.split("/")[0] for name in archive.namelist() if name.endswith("/__init__.py")})


def main() -> int:
    """Return 0 when the wheel does its work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uv", default=shutil.which("uv") or "uv")
    options = parser.parse_args()
    uv = str(Path(options.uv).absolute()) if Path(options.uv).exists() else options.uv
    try:
        with tempfile.TemporaryDirectory() as place:
            name = prove(options.folder, Bare(uv, Path(place)))
    except Unproven as reason:
        sys.stderr.write(f"not proven: {reason}\n")
        return 1
    sys.stdout.write(f"{name} works in an environment of its own\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
