"""Loads every module of the packages that are installed with the server, and prints how many there are."""

import importlib
import pkgutil
import sys

PACKAGES = ("cache_core", "cache_typed", "katana_client", "katana_mcp", "katana_sandbox")


def names() -> list[str]:
    """Return the names of all modules but those that run when they are loaded."""
    found = [
        module.name
        for package in PACKAGES
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    ]
    return [name for name in found if not name.endswith("__main__")]


if __name__ == "__main__":
    loaded = [importlib.import_module(name) for name in names()]
    sys.stdout.write(f"{len(loaded)}\n")
