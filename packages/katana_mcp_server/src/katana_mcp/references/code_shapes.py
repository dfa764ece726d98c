"""What the account's document numbers and item codes look like, learnt from those that are cached: no fixed list."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cache_core.clock import Clock
from cache_core.conditions import EVERYTHING, Order
from cache_core.protocol import CacheBackend, Selection
from cache_core.records import Record, values_at
from cache_core.spec import EntitySpec

_SAMPLE = 100
"""Records at either end of an entity that shapes are learnt from."""
_LEARNT_FOR = 60.0
_LONGEST = 64
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SEPARATORS = re.compile(r"[\W_]+")


def is_numbered(spec: EntitySpec) -> bool:
    """Return whether the entity's records are documents, which have numbers: PO-7."""
    return (spec.key_path or "").endswith(("_no", "_number"))


def plain(code: str) -> str:
    """Return a code without its separators and in small letters: two spellings of one code are the same."""
    return _SEPARATORS.sub("", code).casefold()


def codes_in(spec: EntitySpec, record: Record) -> Iterator[str]:
    """Yield what a record can be called by: a document its number, an item each of its codes."""
    places = (spec.key_path,) if is_numbered(spec) else (*spec.searchable.keys, *spec.searchable.extras)
    for place in places:
        if isinstance(place, str):
            yield from (value for value in values_at(record, place) if isinstance(value, str) and value)


@dataclass(frozen=True, slots=True)
class Number:
    """A text that is shaped like the numbers of the account's documents; `parts` are what stands around its digits."""

    parts: tuple[str, ...]
    digits: tuple[str, ...]

    @property
    def written(self) -> str:
        """The number in the account's own spelling."""
        return self.of(self.digits)

    def of(self, digits: Iterable[str]) -> str:
        """Return the number with other digits."""
        return "".join(part + run for part, run in zip(self.parts, (*digits, ""), strict=True))

    def near(self) -> dict[str, tuple[int, int]]:
        """Return the numbers that one slip of the hand makes of it, each with how far off it is: smaller is nearer.

        A digit too many, two exchanged or one replaced by its neighbour come before one that is missing.
        """
        found: dict[str, tuple[int, int]] = {}
        for place, run in enumerate(self.digits):
            for other, slip in _slips(run):
                code = self.of((*self.digits[:place], other, *self.digits[place + 1 :]))
                far = (slip, abs(int(other) - int(run)))
                found[code] = min(found.get(code, far), far)
        found.pop(self.written, None)
        return found


def _slips(run: str) -> Iterator[tuple[str, int]]:
    """Yield what one slip makes of digits, with its weight."""
    for place in range(len(run)):
        before, digit, after = run[:place], run[place], run[place + 1 :]
        if before or after:
            yield before + after, 1
        if after:
            yield before + after[0] + digit + after[1:], 1
        yield from ((before + other + after, abs(int(other) - int(digit))) for other in _ALL)
    yield from ((run[:place] + other + run[place:], 2) for place in range(len(run) + 1) for other in _ALL)


_ALL = "0123456789"


class Codes:
    """The shapes of one account's numbers and codes, looked at again once a minute."""

    def __init__(self, cache: CacheBackend, specs: Mapping[str, EntitySpec], clock: Clock) -> None:
        self._cache = cache
        self._specs = specs
        self._clock = clock
        self._learnt: dict[str, tuple[float, dict[str, str]]] = {}

    async def number(self, entity: str, text: str) -> Number | None:
        """Return the document number that a text is shaped like, or None."""
        spec, typed = self._specs[entity], _Typed(text)
        if not is_numbered(spec) or not typed.can_be_code:
            return None
        model = (await self._shapes(spec)).get(_shape_of_number(text))
        return None if model is None else Number(tuple(_DIGITS.split(model)), typed.digits)

    async def meant(self, entity: str, text: str) -> list[str]:
        """Return the numbers that a text may stand for as people write them: `5`, `#5` and `PO-005` are PO-5."""
        spec = self._specs[entity]
        if not is_numbered(spec) or len(text) > _LONGEST:
            return []
        typed, found = plain(text), list[str]()
        for model in (await self._shapes(spec)).values():
            prefix, *digits = _DIGITS.split(model)
            rest = typed.removeprefix(plain(prefix)).translate(_LOOK_LIKE)
            if digits == [""] and rest.isascii() and rest.isdecimal():
                width = len(model) - len(prefix)
                found += [f"{prefix}{candidate}" for candidate in (str(int(rest)), str(int(rest)).zfill(width), rest)]
        return list(dict.fromkeys(found))

    async def is_code(self, entity: str, text: str) -> bool:
        """Return whether a text is shaped like the codes of the account's items."""
        spec = self._specs[entity]
        if is_numbered(spec) or spec.key_path != "sku" or not _Typed(text).can_be_code:
            return False
        return _shape_of_code(text) in await self._shapes(spec)

    async def _shapes(self, spec: EntitySpec) -> Mapping[str, str]:
        """Return a code of each shape, the newest."""
        at, shapes = self._learnt.get(spec.name, (0.0, {}))
        if shapes and self._clock.monotonic() - at < _LEARNT_FOR:
            return shapes
        shape = _shape_of_number if is_numbered(spec) else _shape_of_code
        ends = [Selection((), Order("id", end), _SAMPLE, visibility=EVERYTHING) for end in (False, True)]
        rows = [row for end in ends for row in await self._cache.select(spec.name, end)]
        codes = (code for row in rows for code in codes_in(spec, row.record) if _Typed(code).can_be_code)
        shapes = {shape(code): code.strip() for code in codes}
        self._learnt[spec.name] = (self._clock.monotonic(), shapes)
        return shapes


_LOOK_LIKE = str.maketrans("oilsbz", "011582")
"""Letters that are taken for digits."""


@dataclass(frozen=True, slots=True)
class _Typed:
    """A text, as a code sees it."""

    text: str

    @property
    def digits(self) -> tuple[str, ...]:
        return tuple(_DIGITS.findall(self.text))

    @property
    def can_be_code(self) -> bool:
        return len(self.text) <= _LONGEST and self.text.isascii() and bool(self.digits)


def _shape_of_number(code: str) -> str:
    """Return a number with each run of digits as one sign; letters stay, separators go."""
    return _SEPARATORS.sub("", _DIGITS.sub("\x00", code).replace("\x00", "9")).casefold()


def _shape_of_code(code: str) -> str:
    """Return a code with each run of digits and of letters as one sign; separators stay."""
    return _DIGITS.sub("9", _LETTERS.sub("a", code.strip().casefold()))
