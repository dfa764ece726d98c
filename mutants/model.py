"""A bug put back in: one text of one file replaced by another, and the tests that have to notice."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug.

    Attributes:
        bug: what is wrong then, one sentence.
        file: the file to change, from the root.
        old: text that stands in it exactly once.
        new: what replaces it.
        tests: what pytest is given; one of them must fail.
        entry: id of the known defect that it puts back, from the list of those that the field has had; or empty.
    """

    bug: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    entry: str = ""

    def applied(self, text: str) -> str:
        """Return the file's text with the bug.

        Raises:
            ValueError: the text to replace does not stand in it exactly once.
        """
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.bug}: the text to replace stands {found} times in {self.file}")
        return text.replace(self.old, self.new)


def all_mutants() -> tuple[Mutant, ...]:
    """Return every mutant, in the order of the files."""
    listed = [
        mutant for path in sorted(HERE.glob("*.toml")) for mutant in tomllib.loads(path.read_text("utf-8"))["mutant"]
    ]
    return tuple(Mutant(**(record | {"tests": tuple(record["tests"])})) for record in listed)
