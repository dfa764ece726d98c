"""What each command is given, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass

from katana_mcp.caches.cache_files import FileCache
from katana_mcp.configuration.settings import Settings
from katana_mcp.server.wiring import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(FileCache):
    """The account to work on.

    Attributes:
        settings: with the account's key.
        outside: how Katana is reached.
    """

    settings: Settings
    outside: Environment


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table, and whether it is good news, bad news or neither."""

    cells: tuple[object, ...]
    good: bool | None = None


def id_cell(found: object) -> str | None:
    """Return an id for a table as commands take it: without the commas of a count."""
    return None if found is None else str(found)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table for people.

    Attributes:
        is_prose: whether its cells are short words and then sentences: each sentence has lines of its own, below each
            other beside the words, and is folded in a log too.
    """

    head: tuple[str, ...]
    lines: Sequence[Line]
    is_prose: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What a command found or did.

    Attributes:
        data: for programs.
        sheets: for people.
        notes: for people, after the tables; one sentence each.
        fine: whether the exit code is 0 rather than 1.
    """

    data: dict[str, object]
    sheets: tuple[Sheet, ...] = ()
    notes: tuple[str, ...] = ()
    fine: bool = True
