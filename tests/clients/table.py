"""Which clients there are, and what came of each scenario, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A client over one transport.

    Attributes:
        client: its name and version.
        transport: how it reached the server.
        cells: per scenario "ok", or why it is lawfully absent, or what went wrong.
        absent: the scenarios of `cells` that are absent rather than wrong.
        expected: the scenarios that have to be there.
    """

    client: str
    transport: str
    cells: Mapping[str, str]
    absent: frozenset[str] = frozenset()
    expected: tuple[str, ...] = ()

    def faults(self) -> list[str]:
        """Return what went wrong, a line each; what did not run went wrong."""
        names = dict.fromkeys((*self.expected, *self.cells))
        cells = {name: self.cells.get(name, "did not run") for name in names if name not in self.absent}
        return [f"{self.client}, {self.transport}, {name}: {text}" for name, text in cells.items() if text != "ok"]

    def absences(self) -> list[str]:
        """Return what is absent and why, a line each."""
        return [f"{self.client}, {name}: {self.cells[name]}" for name in self.cells if name in self.absent]

    def verdict(self) -> str:
        """Return the row in a word."""
        return "WRONG" if self.faults() else "ok"


def table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Return all rows as lines."""
    head = ("client", "transport", *names)
    lines = [head, *((row.client, row.transport, *(_mark(row, name) for name in names)) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def _mark(row: Row, name: str) -> str:
    if name in row.absent:
        return "-"
    return "ok" if row.cells.get(name) == "ok" else "WRONG"
