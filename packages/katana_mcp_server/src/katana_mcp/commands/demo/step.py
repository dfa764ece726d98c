"""A step of a session as data: what is asked, what must come back, and how it reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

type Answer = Mapping[str, Any]
type Arguments = Callable[[Mapping[str, Answer]], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the session.

    Attributes:
        title: what the person wants.
        tool: what the assistant calls; of a resource its URI, of a prompt its name.
        arguments: with what; made from the answers so far, by tool.
        wrong: says what is wrong with the answer, or nothing.
        lines: the answer as a person would read it.
        may_fail: whether a refusal is the right answer.
        repeats: whether the tool must tell the outcomes that it told before, without a request.
        kind: what is asked for: a tool, or a resource or a prompt.
    """

    title: str
    tool: str
    arguments: Arguments
    wrong: Callable[[Answer], str | None]
    lines: Callable[[Answer], list[str]]
    may_fail: bool = False
    repeats: bool = False
    kind: Literal["tool", "resource", "prompt"] = "tool"


@dataclass(frozen=True, slots=True)
class Chapter:
    """Steps that one person would take in a row, with a sandbox, a server and a minute's requests of their own.

    Attributes:
        name: what it is called on the command line.
        title: whose work it is, as its heading.
        steps: the calls in their order; a step sees the answers of those before it, by tool.
    """

    name: str
    title: str
    steps: tuple[Step, ...]


class TemplateRow(dict[str, Any]):
    """A row as a template shows it: what it does not have is left blank."""

    def __missing__(self, key: str) -> str:
        return ""


def by_row(template: str, rows: str = "rows") -> Callable[[Answer], list[str]]:
    """Return what shows each row of an answer by a template, and how many there are in all."""

    def lines(answer: Answer) -> list[str]:
        shown = [template.format_map(TemplateRow(row)).rstrip() for row in answer[rows]]
        return [*shown, f"{answer['total']} in all"] if "total" in answer else shown

    return lines


def some(rows: str = "rows") -> Callable[[Answer], str | None]:
    """Return what finds fault with an answer without rows."""
    return lambda answer: None if answer[rows] else "nothing came back"


def first(tool: str, field: str, argument: str | None = None) -> Arguments:
    """Return what takes a field of the first row of an earlier answer as an argument of the same name, or another."""
    return lambda answers: {argument or field: answers[tool]["rows"][0][field]}


def always(**arguments: object) -> Arguments:
    """Return what takes these arguments whatever was answered."""
    return lambda _: arguments
