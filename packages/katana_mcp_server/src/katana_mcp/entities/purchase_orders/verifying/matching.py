"""Which good of an order a line of a document means: by any code without its separators, else by its words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property

from cache_core.records import Record
from cache_core.search_rules import tokens_of
from katana_mcp.entities.purchase_orders.verifying.request import DocumentLine
from katana_mcp.references.display_names import text
from katana_mcp.tools.answers import first_of
from katana_mcp.values import get_strs

CODES = ("sku", "supplier_item_code", "barcode")
_HELD: Mapping[str, tuple[str, ...]] = {"sku": ("sku",), "barcode": ("internal_barcode", "registered_barcode")}
_LONG, _ALIKE, _NEAR, _MOST_NAMED, _CLEARLY = 5, 0.85, 0.8, 3, 0.1
MOST_TOLD, _NAME = 10, 60
"""Goods that are told apart by their ids, and characters of the name of each."""
_ENOUGH = 0.6
"""Which part of the words of a line and of a good has to be the same."""


@dataclass(frozen=True)
class OrderedGood:
    """A variant that an order may hold, and what documents call it."""

    variant_id: int
    sku: str | None
    name: str | None
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    is_shared: bool = False
    """Whether another good of the order has its SKU."""

    @classmethod
    def of(cls, variant_id: int, record: Record, name: str | None) -> "OrderedGood":
        """Return the good that a variant is."""
        codes = {kind: [code for name in names if (code := text(record, name))] for kind, names in _HELD.items()}
        return cls(
            variant_id, text(record, "sku"), name, {**codes, CODES[1]: get_strs(record, "supplier_item_codes") or []}
        )

    @property
    def called(self) -> str:
        """What people call it."""
        called = self.sku or self.name or f"variant {self.variant_id}"
        return f"{called} (variant_id {self.variant_id})" if self.is_shared else called

    @cached_property
    def plain_codes(self) -> Mapping[str, str]:
        """Its codes without separators, each with its kind: the first that has it."""
        every = ((plain(code), kind) for kind in reversed(CODES) for code in self.codes.get(kind, ()))
        return {code: kind for code, kind in every if code}

    @cached_property
    def words(self) -> Sequence[str]:
        """The words of its name."""
        return tokens_of(self.name or "")


@dataclass(frozen=True, slots=True)
class Match:
    """The good that a line means, and how that is known; else why it is not, what may be meant, and what to give.

    Of what may be meant `near` is what is told, and `may_be` the goods.
    """

    good: OrderedGood | None = None
    by: str | None = None
    problem: str | None = None
    near: Sequence[str] = ()
    give: str = "name its sku"
    may_be: Sequence[OrderedGood] = ()


def plain(code: str) -> str:
    """Return a code as it is compared: without separators, and without `0` before a long number."""
    joined = "".join(tokens_of(code))
    return joined.lstrip("0") if joined.isdecimal() and len(joined) > _LONG else joined


def codes_of(line: DocumentLine) -> list[str]:
    """Return the codes that a line gives, as they are written."""
    return [code for kind in CODES if (code := getattr(line, kind)) and plain(code)]


def matched(line: DocumentLine, goods: Sequence[OrderedGood]) -> Match:
    """Return the good of an order that a line means."""
    if line.variant_id is not None:
        good = next((good for good in goods if good.variant_id == line.variant_id), None)
        return Match() if good is None else as_named(line, good, goods)
    said = [having for code in codes_of(line) if (having := _having(code, goods))]
    both = [good for good in said[0] if all(good in having for having in said)] if said else []
    if said and not both:
        named = " and ".join(dict.fromkeys(having[0].called for having in said))
        problem, may_be = f"its codes name several goods: {named}", [good for having in said for good in having]
        return Match(problem=problem, near=_skus(having[0] for having in said), may_be=may_be)
    if len(both) == 1:
        return Match(both[0], _kind(line, both[0]))
    by_words = _by_words(line, both or goods)
    if by_words is not None or both:
        return by_words or several(both)
    near = _of_near_codes(line, goods)
    return Match(near=_skus(near), may_be=near)


def as_named(line: DocumentLine, good: OrderedGood, goods: Sequence[OrderedGood]) -> Match:
    """Return the good whose id a line gives, unless one of its codes is that of other goods of the order alone."""
    for code in codes_of(line):
        others = [] if plain(code) in good.plain_codes else _having(code, goods)
        if others:
            problem = f"its variant_id names {good.called}, its code {code} names {others[0].called}"
            return Match(problem=problem, near=_skus([good, others[0]]))
    return Match(good, "variant_id")


def several(goods: Sequence[OrderedGood], what: str = "goods") -> Match:
    """Return that a code is that of several goods, with the ids that tell them apart."""
    problem = f"several {what} have its code: {_with_ids(goods)}"
    return Match(problem=problem, give="give its `variant_id`", may_be=goods)


def near_codes(line: DocumentLine, goods: Sequence[OrderedGood]) -> list[str]:
    """Return the SKUs of goods that have a code like one of the line."""
    return _skus(_of_near_codes(line, goods))


def _of_near_codes(line: DocumentLine, goods: Sequence[OrderedGood]) -> Sequence[OrderedGood]:
    having = {code: good for good in goods for code in good.plain_codes}
    return [
        having[near_code]
        for code in codes_of(line)
        for near_code in get_close_matches(plain(code), having, _MOST_NAMED, _NEAR)
    ]


def _having(code: str, goods: Sequence[OrderedGood]) -> list[OrderedGood]:
    return [good for good in goods if plain(code) in good.plain_codes]


def _kind(line: DocumentLine, good: OrderedGood) -> str:
    return next(kind for code in codes_of(line) if (kind := good.plain_codes.get(plain(code))))


def _with_ids(goods: Iterable[OrderedGood]) -> str:
    named = [f"variant_id {good.variant_id} ({(good.name or good.called)[:_NAME]})" for good in goods]
    return first_of(named, MOST_TOLD)


def _skus(goods: Iterable[OrderedGood]) -> list[str]:
    return list(dict.fromkeys(good.called for good in goods))[:_MOST_NAMED]


def _by_words(line: DocumentLine, goods: Sequence[OrderedGood]) -> Match | None:
    """Return the one good of which a code, or most of the words, stand in the description."""
    words = tokens_of(line.description or "")
    if not words:
        return None
    coded = [good for good in goods if any(code in _runs(words) for code in good.plain_codes if len(code) >= _LONG)]
    if len(coded) == 1:
        return Match(coded[0], "code in the description")
    likeness = sorted(((_likeness(words, good.words), good.variant_id, good) for good in goods), reverse=True)
    (best, _, good), second = likeness[0], likeness[1][0] if len(likeness) > 1 else 0.0
    if best >= _ENOUGH and best - second >= _CLEARLY:
        return Match(good, "description")
    may_be = [candidate for how, _, candidate in likeness if how >= _ENOUGH]
    near = _skus(may_be)
    message = f"its description fits several goods: {', '.join(near)}"
    return Match(problem=message, near=near, may_be=may_be) if len(near) > 1 and not codes_of(line) else None


def _runs(words: Sequence[str]) -> set[str]:
    """Return what up to six words that follow each other are without blanks, as codes are compared."""
    return {plain("".join(words[start:end])) for start in range(len(words)) for end in _ends(start, len(words))}


def _ends(start: int, most: int) -> Iterator[int]:
    yield from range(start + 1, min(start + 6, most) + 1)


def _likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """Return which part of the words of both stands in both; a misspelt word counts, another number does not."""
    if not others:
        return 0.0
    there = sum(any(_alike(word, other) for word in words) for other in others)
    here = sum(any(_alike(word, other) for other in others) for word in words)
    return (there + here) / (len(others) + len(words))


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    if min(len(word), len(other)) < _LONG - 1 or any(character.isdecimal() for character in word + other):
        return False
    return SequenceMatcher(None, word, other).ratio() >= _ALIKE
