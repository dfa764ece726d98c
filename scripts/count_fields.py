"""Count the lines in which fields of Katana's are declared by hand: `python -m scripts.count_fields`.

Counted are all lines, with comments and blank ones, of the client's resources and bodies, of the specs of the cache,
and of what the rendered modules are rendered from. A module that says that it is rendered is not counted, nor are the
facts, which a script writes.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "packages"
CLIENT, SCHEMA = ROOT / "katana_client", ROOT / "katana_schema" / "src" / "katana_schema"
MARK = "Rendered by scripts/"
COUNTED = {
    "resources by hand": (CLIENT / "src" / "katana_client", "resources/*.py"),
    "bodies by hand": (CLIENT / "src" / "katana_client", "bodies/*.py"),
    "models by hand": (CLIENT / "src" / "katana_client", "models/*.py"),
    "tables by hand": (ROOT / "cache_typed" / "src" / "cache_typed", "tables/*.py"),
    "specs": (ROOT / "cache_core" / "src" / "cache_core", "specs/*.py"),
    "resources.toml": (CLIENT, "resources.toml"),
    "bodies.toml": (CLIENT, "bodies.toml"),
    "read_models.toml": (CLIENT, "read_models.toml"),
    "tables.toml": (ROOT / "cache_typed", "tables.toml"),
    "overlay.toml": (SCHEMA, "overlay.toml"),
    "forms of bodies": (SCHEMA, "forms/*.toml"),
}


def lines_by_hand() -> dict[str, int]:
    """Return how many lines each kind of file has that is written by hand."""
    return {name: sum(map(_lines, sorted(folder.glob(files)))) for name, (folder, files) in COUNTED.items()}


def _lines(file: Path) -> int:
    text = file.read_text("utf-8")
    return 0 if MARK in text else len(text.splitlines())


def main() -> int:
    """Print the count, and its sum with and without the forms, which the sandbox had before the client took them."""
    found = lines_by_hand()
    whole = sum(found.values())
    sums = {"together": whole, "without the forms": whole - found["forms of bodies"]}
    sys.stdout.writelines(f"{name:20}{count:6,}\n" for name, count in {**found, **sums}.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
