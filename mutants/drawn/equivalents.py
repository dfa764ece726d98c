"""Changes that change nothing: named with the reason, and found again by their text, not by a number of a line."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants.drawn.drawing import Drawn

LISTED = Path(__file__).with_name("equivalent")
"""A folder with a file for each package."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A change that no test can notice.

    Attributes:
        file: from the root.
        function: qualified name of the function.
        line: the lines in which the changed text stands, white space as single spaces.
        becomes: what they are after the change.
        why: why nobody can tell.
        nth: which of the function's places where the same becomes the same.
    """

    file: str
    function: str
    line: str
    becomes: str
    why: str
    nth: int = 1

    def is_of(self, drawn: Drawn) -> bool:
        """Return whether a change is the one that is meant."""
        mine = (self.file, self.function, self.line, self.becomes, self.nth)
        return mine == (drawn.file, drawn.function, drawn.before, drawn.after, drawn.nth)


def listed(folder: Path = LISTED) -> tuple[Equivalent, ...]:
    """Return the named ones."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))]
    return tuple(Equivalent(**entry) for file in files for entry in file["equivalent"])


def stale(equivalents: Sequence[Equivalent], everything: Sequence[Drawn]) -> list[Equivalent]:
    """Return those that no change of today is: their code has become another."""
    return [named for named in equivalents if not any(named.is_of(drawn) for drawn in everything)]


def why_equivalent(drawn: Drawn, equivalents: Sequence[Equivalent]) -> str:
    """Return why nobody can notice a change, or nothing."""
    return next((named.why for named in equivalents if named.is_of(drawn)), "")
