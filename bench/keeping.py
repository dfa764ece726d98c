"""Keeps what was measured so far, so that a run that is stopped, or made in parts, goes on where it was."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.figures import Figure

KEPT = Path(".cache/bench/figures.json")


@dataclass(frozen=True, slots=True)
class Kept:
    """What was measured so far.

    Attributes:
        of: what the figures are of: the commit, whether files of it are changed, and what told the time.
        runs: how many runs made them.
        measured: the figures of each measurement that came to its end.
    """

    of: str
    runs: int = 1
    measured: Mapping[str, Sequence[Figure]] | None = None

    def of_one(self, key: str) -> Sequence[Figure] | None:
        """Return the figures of a measurement, or None where it was not made."""
        return (self.measured or {}).get(key)

    def having(self, key: str, figures: Sequence[Figure]) -> "Kept":
        """Return all this with one more measurement, which is written down."""
        kept = replace(self, measured={**(self.measured or {}), key: figures})
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(asdict(kept)), "utf-8")
        return kept


def resumed(of: str) -> Kept | None:
    """Return what was kept of the same, to go on with; None where nothing was."""
    if not KEPT.exists():
        return None
    load = json.loads(KEPT.read_text("utf-8"))
    if load["of"] != of:
        return None
    measured = {key: [Figure(**figure) for figure in figures] for key, figures in load["measured"].items()}
    return Kept(of, load["runs"] + 1, measured)


def tree() -> str:
    """Return the commit that is measured, with a mark where files of it are changed."""
    described = ("git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    return subprocess.run(described, capture_output=True, check=True, text=True).stdout.strip()
