"""Amounts as suppliers write them: `1.234,50 EUR`, `12,5`, `2 x 500`; what may be read two ways is not read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = re.compile(r"[-+\u2212]?\s?(?:\d{1,3}(?:[ '\u00a0\u2009\u202f\u2019]\d{3})+(?!\d)|\d+)(?:[.,]\d+)*")
_GAPS = re.compile(r"[\s'\u2019]")
_IN_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[.,]\d{3})+")
_MARKS = ".,"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it is written, and what stands after it.

    Attributes:
        value: the number; None where there is none, or where it may be two.
        rest: the words around it.
        problem: why there is no value.
    """

    value: Decimal | None = None
    rest: str = ""
    problem: str | None = None


def decimal_mark(texts: Iterable[object]) -> str | None:
    """Return what a document writes before decimals, `,` or `.`, where its amounts tell; None where they do not."""
    marks = {mark for text in texts if isinstance(text, str) for mark in _telling(text)}
    return marks.pop() if len(marks) == 1 else None


def amount(given: Decimal | str | None, mark: str | None) -> Amount:
    """Return what an amount says; `mark` is what the document writes before decimals, where that is known."""
    if given is None or isinstance(given, Decimal):
        return Amount(given)
    found = _NUMBER.search(given)
    if found is None:
        return Amount(rest=given, problem=f"{given!r} has no number")
    rest = f"{given[: found.start()]} {given[found.end() :]}".strip()
    written = _GAPS.sub("", found[0]).replace("\u2212", "-")
    own = _mark_in(written, is_spaced=_has_gap(found[0]))
    if own is None:
        return Amount(rest=rest, problem=f"{found[0].strip()!r} is no number")
    if own == "?":
        if mark is None:
            message = (
                f"{written!r} may be {written.replace(',', '.')} or {_without(written, _MARKS)}: give it as a number"
            )
            return Amount(rest=rest, problem=message)
        own = mark
    return Amount(_value(written, own), rest)


def _telling(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        mark = _mark_in(_GAPS.sub("", found[0]), is_spaced=_has_gap(found[0]))
        if mark and mark in _MARKS and any(character in found[0] for character in _MARKS):
            yield mark


def _has_gap(written: str) -> bool:
    return _GAPS.search(written.strip(" +-\u2212")) is not None


def _mark_in(written: str, *, is_spaced: bool) -> str | None:
    """Return the mark before the decimals of a number; `?` where it may be either, None where it is no number."""
    used = [character for character in written if character in _MARKS]
    if not used:
        return "."
    last = used[-1]
    if used.count(last) > 1:
        other = _other(last)
        return other if other not in used and _IN_THOUSANDS.fullmatch(written) else None
    if len(set(used)) > 1:
        return last if _IN_THOUSANDS.fullmatch(written.rpartition(last)[0]) else None
    before = written.partition(last)[0].lstrip("+-")
    may_be_thousands = _IN_THOUSANDS.fullmatch(written) and not before.startswith("0") and not is_spaced
    return "?" if may_be_thousands else last


def _other(mark: str) -> str:
    return _MARKS.replace(mark, "")


def _value(written: str, mark: str) -> Decimal:
    return Decimal(_without(written, _other(mark)).replace(mark, "."))


def _without(written: str, marks: str) -> str:
    return "".join(character for character in written if character not in marks)
