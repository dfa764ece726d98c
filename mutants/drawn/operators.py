"""What can be changed in a piece of code: each operator yields replacements of a part of its text.

What only people read is left alone: texts, docstrings, annotations.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

type Node = ast.expr | ast.stmt | ast.keyword


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Bytes of a file from `start` to before `end` replaced by `new`."""

    start: int
    end: int
    new: str


class Source:
    """A file's text by the places that `ast` gives, which count bytes."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self._starts = list(accumulate(map(len, self.data.splitlines(keepends=True)), initial=0))

    def start(self, node: Node) -> int:
        """Return where a node begins."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: Node) -> int:
        """Return where a node is over."""
        return self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)

    def text(self, start: int, end: int) -> str:
        """Return a part of the text."""
        return self.data[start:end].decode()

    def line(self, place: int) -> int:
        """Return the number of the line, from 1, in which a byte stands."""
        return bisect_right(self._starts, place)

    def lines(self, first: int, last: int) -> tuple[int, int]:
        """Return where the line `first` begins, and where the line `last` is over."""
        return self._starts[first - 1], self._starts[last]

    def replaced(self, node: Node, new: str) -> Edit:
        """Return a node's replacement."""
        return Edit(self.start(node), self.end(node), new)

    def between(self, left: Node, right: Node, old: str, new: str) -> Iterator[Edit]:
        """Yield the replacement of what stands between two nodes, without remarks there."""
        begins = self.end(left)
        gap = self.text(begins, self.start(right))
        if "#" not in gap and (found := re.search(old, gap)):
            yield Edit(begins + found.start(), begins + found.end(), new)


_SWAPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: (r"\bin\b", "not in"),
    ast.NotIn: (r"\bnot\s+in\b", "in"),
    ast.Is: (r"\bis\b", "is not"),
    ast.IsNot: (r"\bis\s+not\b", "is"),
}
_NEGATED_BY_SWAP = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_NO_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
_LOGGERS, _LEVELS = {"_log", "log"}, {"debug", "info", "warning", "error", "exception"}


def is_logging(node: ast.AST) -> bool:
    """Return whether a call writes a line of the log."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in _LOGGERS
        and node.func.attr in _LEVELS
    )


def is_length_check(call: ast.AST, argument: ast.AST) -> bool:
    """Return whether an argument is `strict=` of `zip`: an assertion that things of ours are equally long."""
    is_zip = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "zip"
    return is_zip and isinstance(argument, ast.keyword) and argument.arg == "strict"


def _comparison(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Compare):
        for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
            yield from source.between(left, right, *_SWAPPED[type(operator)])


def _and_or(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            yield from source.between(left, right, rf"\b{old}\b", new)


def _not_dropped(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start = source.start(node)
        found = re.match(r"not\s*", source.text(start, source.start(node.operand)))
        if found is not None:
            yield Edit(start, start + found.end(), "")


def _one_more_or_less(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        yield from (source.replaced(node, str(node.value + by)) for by in (1, -1))


def _true_false(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield source.replaced(node, str(not node.value))


def _keyword_dropped(source: Source, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    given = sorted([*node.args, *node.keywords], key=source.start)
    for position, argument in enumerate(given):
        if not isinstance(argument, ast.keyword) or argument.arg is None or is_length_check(node, argument):
            continue
        start, end = source.start(argument), source.end(argument)
        if position + 1 < len(given):
            yield Edit(start, source.start(given[position + 1]), "")
        elif position:
            before = source.end(given[position - 1])
            gap = source.text(before, start)
            yield from () if "#" in gap else [Edit(before + gap.index(","), end, "")]
        else:
            yield Edit(start, source.end(node) - 1, "")


def _nothing_returned(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Yield what returns nothing in place of something; who asks whether takes None for no."""
    if isinstance(node, ast.Return) and node.value is not None:
        value = node.value.value if isinstance(node.value, ast.Constant) else ""
        yield from () if value is None or value is False else [source.replaced(node.value, "None")]


def _statement_dropped(source: Source, node: ast.AST) -> Iterator[Edit]:
    is_call = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant) and not is_logging(node.value)
    sets = isinstance(node, ast.Assign) and all(
        isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets
    )
    if isinstance(node, ast.stmt) and (is_call or sets or isinstance(node, ast.AugAssign)):
        yield source.replaced(node, "pass")


def _plus_minus(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp):
        left, operator, right, equals = node.left, node.op, node.right, ""
    elif isinstance(node, ast.AugAssign):
        left, operator, right, equals = node.target, node.op, node.value, "="
    else:
        return
    if not isinstance(operator, ast.Add | ast.Sub) or _is_no_number(left) or _is_no_number(right):
        return
    old, new = (r"\+", "+-") if isinstance(operator, ast.Add) else ("-", "-+")
    yield from source.between(left, right, old + equals, new[1] + equals)


def _is_no_number(node: ast.expr) -> bool:
    return isinstance(node, _NO_NUMBERS) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _continue_break(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Continue | ast.Break):
        yield source.replaced(node, "break" if isinstance(node, ast.Continue) else "continue")


def _condition_negated(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Yield what no other operator makes of a condition."""
    if isinstance(node, ast.comprehension):
        tests = node.ifs
    else:
        tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    for test in tests:
        by_swap = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _NEGATED_BY_SWAP)
        by_drop = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if not by_swap and not by_drop and not isinstance(test, ast.Constant):
            old = source.text(source.start(test), source.end(test))
            yield source.replaced(test, f"not ({old})")


def _slice_moved(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Yield slices with a bound beside its own, where it is no number that another operator changes."""
    for bound in (node.lower, node.upper) if isinstance(node, ast.Slice) else ():
        if bound is None or isinstance(bound, ast.Constant | ast.UnaryOp):
            continue
        old = source.text(source.start(bound), source.end(bound))
        yield from (source.replaced(bound, f"({old}) {by} 1") for by in "+-")


OPERATORS: tuple[Callable[[Source, ast.AST], Iterator[Edit]], ...] = (
    _comparison,
    _and_or,
    _not_dropped,
    _one_more_or_less,
    _true_false,
    _keyword_dropped,
    _nothing_returned,
    _statement_dropped,
    _plus_minus,
    _continue_break,
    _condition_negated,
    _slice_moved,
)
