"""Render all that follows from the facts, read models, resources and tables: `python -m scripts.render`."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts import render_abilities, render_bodies, render_models, render_resources, render_tables
from scripts.render_models import ROOT

from katana_schema.reading import ApiFacts, read_facts

MARK = "Rendered by scripts/"


def rendered(facts: ApiFacts) -> dict[Path, dict[str, str]]:
    """Return by folder the text of each module by its name."""
    scripts = (render_models, render_abilities, render_bodies, render_resources, render_tables)
    return {script.FOLDER: script.rendered(facts) for script in scripts}


def committed(folder: Path) -> dict[str, str]:
    """Return the text of each module of a folder that says that it is rendered, by its name."""
    texts = {file.stem: file.read_text("utf-8") for file in folder.glob("*.py")}
    return {name: text for name, text in texts.items() if MARK in text}


def main() -> int:
    """Write all folders."""
    for folder, modules in rendered(read_facts()).items():
        _write(modules, folder)
    # In a process of its own: what was just written is not what this one has read.
    return subprocess.run([sys.executable, "-m", "scripts.render_schemas"], cwd=ROOT, check=False).returncode


def _write(modules: Mapping[str, str], folder: Path) -> None:
    """Write all modules of a folder; those of collections that are gone go, and those written by hand stay."""
    for name in committed(folder).keys() - modules.keys():
        (folder / f"{name}.py").unlink()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    sys.stdout.write(f"{len(modules)} modules in {folder.relative_to(ROOT)}\n")


if __name__ == "__main__":
    sys.exit(main())
