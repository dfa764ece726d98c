"""Render all that follows from the facts, read models and tables: `python -m scripts.render`."""

import sys
from collections.abc import Mapping
from pathlib import Path

from scripts import render_models, render_tables
from scripts.render_models import ROOT

from katana_schema.reading import ApiFacts, read_facts


def rendered(facts: ApiFacts) -> dict[Path, dict[str, str]]:
    """Return by folder the text of each module by its name."""
    return {render_models.MODELS: render_models.rendered(facts), render_tables.TABLES: render_tables.rendered(facts)}


def main() -> int:
    """Write all folders."""
    for folder, modules in rendered(read_facts()).items():
        _write(modules, folder)
    return 0


def _write(modules: Mapping[str, str], folder: Path) -> None:
    """Write all modules of a folder; those of collections that are gone go."""
    for stale in folder.glob("*.py"):
        if stale.stem not in modules:
            stale.unlink()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    sys.stdout.write(f"{len(modules)} modules in {folder.relative_to(ROOT)}\n")


if __name__ == "__main__":
    sys.exit(main())
