"""Draws bugs: each is one place inside a function where an operator changes the text, and each place is as likely."""

import ast
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants.drawn.operators import OPERATORS, Edit, Source, is_length_check, is_logging

_SERVER = "packages/katana_mcp_server/src/katana_mcp"
PLACES = (
    "packages/cache_core/src/cache_core/sync",
    "packages/cache_typed/src/cache_typed",
    "packages/katana_client/src/katana_client",
    f"{_SERVER}/caches",
    f"{_SERVER}/documents",
    f"{_SERVER}/journal",
    f"{_SERVER}/surface",
    f"{_SERVER}/writing",
)
"""Folders in which is drawn, with those below them, except for files that a program writes."""
_RENDERED = "\nRendered by scripts/"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One place that can be changed.

    Attributes:
        file: from the root.
        function: qualified name of the function in which it stands.
        edit: the change.
        line: number of the line where it begins, from 1.
        old: the text that is replaced.
        before: the lines in which it stands, each run of white space as one space.
        after: the same after the change.
        nth: which of the function's places where the same becomes the same, from 1.
        spans: first and last lines of the changed text, of its statement, and of its function.
    """

    file: str
    function: str
    edit: Edit
    line: int
    old: str
    before: str
    after: str
    nth: int
    spans: tuple[tuple[int, int], ...]

    def applied(self, text: str) -> str:
        """Return the file's text with the change."""
        data = text.encode()
        return (data[: self.edit.start] + self.edit.new.encode() + data[self.edit.end :]).decode()

    def as_words(self) -> str:
        """Return place and change for people, in one line."""
        old, new = (_spaced(text) or "nothing" for text in (self.old, self.edit.new))
        return f"{self.file}:{self.line} {self.function}  {_short(old)} -> {_short(new)}"


def is_place(name: str) -> bool:
    """Return whether a file stands where bugs are drawn."""
    return name.endswith(".py") and any(name.startswith(f"{place}/") for place in PLACES)


def files(root: Path) -> list[str]:
    """Return the files in which is drawn, from the root."""
    found = (path for place in PLACES for path in sorted((root / place).rglob("*.py")))
    return [path.relative_to(root).as_posix() for path in found if _RENDERED not in path.read_text("utf-8")]


def all_drawn(root: Path) -> list[Drawn]:
    """Return every place that can be changed, always in the same order."""
    return [drawn for file in files(root) for drawn in drawn_of(file, (root / file).read_text("utf-8"))]


def draw(everything: Sequence[Drawn], seed: int, count: int) -> list[Drawn]:
    """Return as many places as are asked for, or all; the same for the same seed and code."""
    return random.Random(seed).sample(everything, min(count, len(everything)))


def drawn_of(file: str, text: str) -> Iterator[Drawn]:
    """Yield every place of a file that can be changed, in order."""
    source = Source(text)
    found = {
        (edit, name, spans): None
        for node, name, spans in _inside(ast.parse(text))
        for operator in OPERATORS
        for edit in operator(source, node)
    }
    same = Counter[tuple[str, str, str]]()
    for edit, function, spans in sorted(found):
        first, last = source.line(edit.start), source.line(edit.end - 1)
        begins, ends = source.lines(first, last)
        head, tail = source.text(begins, edit.start), source.text(edit.end, ends)
        old = source.text(edit.start, edit.end)
        before, after = (_spaced(head + middle + tail) for middle in (old, edit.new))
        same[function, before, after] += 1
        nth = same[function, before, after]
        yield Drawn(file, function, edit, first, old, before, after, nth, ((first, last), *spans))


type _Spans = tuple[tuple[int, int], tuple[int, int]]


def _inside(tree: ast.Module) -> Iterator[tuple[ast.AST, str, _Spans]]:
    """Yield each node inside a function that may be changed, the function's name, and the lines around it."""
    stack: list[tuple[ast.AST, str, _Spans | None]] = [(statement, "", None) for statement in tree.body]
    while stack:
        node, name, spans = stack.pop()
        if spans is not None and not is_logging(node):
            yield node, name, spans
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}".removeprefix(".")
            spans = None if isinstance(node, ast.ClassDef) else ((0, 0), (node.body[0].lineno, node.end_lineno or 0))
        for child in _children(node):
            around = spans
            if spans is not None and isinstance(child, ast.stmt):
                around = (_own_lines(child), spans[1])
            stack.append((child, name, around))


def _children(node: ast.AST) -> list[ast.AST]:
    """Return what may be changed below a node: no annotation, default, decorator, text, assertion or logging."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [*node.body]
    if isinstance(node, ast.Lambda):
        return [node.body]
    if isinstance(node, ast.AnnAssign):
        return [] if node.value is None else [node.value]
    if isinstance(node, ast.JoinedStr | ast.Assert) or is_logging(node):
        return []
    return [child for child in ast.iter_child_nodes(node) if not is_length_check(node, child)]


def _own_lines(statement: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement without the statements inside it."""
    inner = [child.lineno for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
    last = min(inner) - 1 if inner else statement.end_lineno or 0
    return statement.lineno, max(statement.lineno, last)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


_SHOWN = 60
