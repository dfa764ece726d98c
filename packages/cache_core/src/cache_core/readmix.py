"""Reads as people and tools make them, drawn by a seed over a cache's own records: for comparing two backends.

What it asks holds data of the account (names, numbers): it is for asking, never for a log.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

from cache_core.conditions import (
    EVERYTHING,
    LIVE,
    Below,
    Condition,
    Missing,
    NoneOf,
    OneOf,
    Order,
    Scalar,
    Visibility,
    Where,
    Within,
)
from cache_core.indexing import parents_of
from cache_core.protocol import CacheBackend, Search, Selection, Stored
from cache_core.records import Record, RecordId
from cache_core.spec import EntitySpec, Parents, Place, texts_at

SAMPLE = 500
"""Records that the reads of an entity are drawn from, at most."""

_WINDOW = 25
_SEPARATORS = (" ", "-", ".", "_", "/", "")
_MISSES = ("zzqx 91", "qqqwwx", "00.9999.998.997", "no such thing", "😀", '"NEAR(a b)" *', "x" * 300)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST_TYPO = 5


@dataclass(frozen=True, slots=True)
class Counting:
    """A question for a number."""

    where: Where
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class Key:
    """A question for the record of a business key."""

    text: str


type Question = tuple[RecordId, ...] | Key | Selection | Counting | Search


@dataclass(frozen=True, slots=True)
class Read:
    """One read.

    Attributes:
        entity: whose rows.
        kind: what sort of read it is, without data: `search: prefix of a key`.
        question: what is asked.
    """

    entity: str
    kind: str
    question: Question

    async def ask(self, backend: CacheBackend) -> object:
        """Return the backend's answer."""
        match self.question:
            case Key(text):
                return await backend.find_by_key(self.entity, text)
            case Selection() as selection:
                return await backend.select(self.entity, selection)
            case Counting(where, visibility):
                return await backend.count(self.entity, where, visibility)
            case Search() as search:
                return await backend.search(self.entity, search)
            case ids:
                return await backend.get_many(self.entity, ids)


@dataclass(slots=True)
class Sample:
    """Records of an entity and what is needed to ask for them.

    Attributes:
        spec: the entity.
        ids: of the records.
        keys: business keys.
        codes: texts of the weight classes keys and extras.
        names: texts of the other classes, borrowed ones too.
        values: per field that a filter can name, the values it has.
    """

    spec: EntitySpec
    ids: list[RecordId] = field(default_factory=list[RecordId])
    keys: list[str] = field(default_factory=list[str])
    codes: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])
    values: dict[str, list[Scalar]] = field(default_factory=dict[str, list[Scalar]])

    def add(self, row: Stored, parents: Parents) -> None:
        """Take in a record."""
        self.ids.append(row.id)
        keys, names, extras, related = (
            [text for place in places for text in _texts(place, row.record, parents)]
            for places in self.spec.searchable.by_class()
        )
        self.codes += [*keys, *extras]
        self.names += [*names, *related]
        key = row.record.get(self.spec.key_path) if self.spec.key_path else None
        if isinstance(key, str):
            self.keys.append(key)
        for path, value in _scalars(self.spec, row.record):
            self.values.setdefault(path, []).append(value)


async def sampled(spec: EntitySpec, cache: CacheBackend, random: Random) -> Sample:
    """Return a sample of an entity's records in any soft state.

    Args:
        spec: the entity.
        cache: holds it, and the entities that it borrows text from as far as they are known.
        random: chooses the records.
    """
    total = await cache.count(spec.name, (), EVERYTHING)
    offsets = range(0, total, _WINDOW)
    chosen = offsets if total <= SAMPLE else sorted(random.sample(offsets, SAMPLE // _WINDOW))
    sample = Sample(spec)
    for offset in chosen:
        rows = await cache.select(spec.name, Selection((), Order("id"), _WINDOW, offset, EVERYTHING))
        parents = await parents_of(spec, [row.record for row in rows], cache)
        for row in rows:
            sample.add(row, parents)
    return sample


async def reads_of(spec: EntitySpec, cache: CacheBackend, count: int, seed: int) -> Iterator[Read]:
    """Return `count` reads of an entity; the same records and the same seed give the same reads.

    Args:
        spec: the entity.
        cache: holds it, and the entities that it borrows text from as far as they are known.
        count: how many.
        seed: of the choice.
    """
    random = Random(f"{seed} {spec.name}")
    sample = await sampled(spec, cache, random)
    return (drawn(sample, random) for _ in range(count))


def drawn(sample: Sample, random: Random) -> Read:
    """Return one read."""
    kinds = [candidate for candidate in KINDS if candidate.possible(sample)]
    (kind,) = random.choices(kinds, [candidate.weight for candidate in kinds])
    return Read(sample.spec.name, kind.name, kind.ask(sample, random))


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of read.

    Attributes:
        name: for people.
        weight: how often it comes, beside the others.
        ask: makes the question.
        possible: whether the sample holds what it is made of.
    """

    name: str
    weight: int
    ask: Callable[[Sample, Random], Question]
    possible: Callable[[Sample], bool] = lambda _: True


def _ids(sample: Sample, random: Random) -> Question:
    existing = random.sample(sample.ids, min(len(sample.ids), random.choice((1, 1, 5, 50))))
    absent: list[RecordId] = [random.randrange(10**9, 10**10) for _ in range(random.choice((0, 0, 1)))]
    return tuple(existing + absent)


def _key(sample: Sample, random: Random) -> Question:
    return Key(random.choice(sample.keys))


def _no_key(sample: Sample, random: Random) -> Question:
    return Key(_typo(random.choice(sample.keys or list(_MISSES)), random))


def _select(sample: Sample, random: Random) -> Question:
    order = Order(random.choice(("id", *_sortable(sample))), descending=random.random() < 0.5)
    limit, offset = random.choice((1, 20, 50, 250)), random.choice((0, 0, 0, 20))
    return Selection(_where(sample, random, (0, 1, 1, 2)), order, limit, offset, _visibility(random))


def _count(sample: Sample, random: Random) -> Question:
    return Counting(_where(sample, random, (0, 1, 2)), _visibility(random))


def _whole(sample: Sample, random: Random) -> Question:
    return _search(_otherwise(random.choice(sample.codes), random), sample, random)


def _run(sample: Sample, random: Random) -> Question:
    parts = _parts(random.choice(sample.codes))
    start = random.randrange(len(parts))
    some = parts[start : start + random.randint(1, 3)]
    return _search(random.choice(_SEPARATORS[:-1]).join(some), sample, random)


def _start(sample: Sample, random: Random) -> Question:
    code = random.choice(sample.codes)
    return _search(code[: random.randint(1, len(code))], sample, random)


def _inside(sample: Sample, random: Random) -> Question:
    code = random.choice(sample.codes)
    start = random.randrange(len(code))
    return _search(code[start : start + 4], sample, random)


def _name(sample: Sample, random: Random) -> Question:
    return _search(_otherwise(random.choice(sample.names), random), sample, random)


def _words(sample: Sample, random: Random) -> Question:
    words = _parts(random.choice(sample.names))
    some = random.sample(words, min(len(words), random.choice((1, 1, 2, 3))))
    return _search(" ".join(word[: random.randint(1, len(word))] for word in some), sample, random)


def _mixed(sample: Sample, random: Random) -> Question:
    word, code = _parts(random.choice(sample.names))[0], _parts(random.choice(sample.codes))[0]
    return _search(f"{word} {code}", sample, random)


def _misspelt(sample: Sample, random: Random) -> Question:
    return _search(_typo(random.choice(_parts(random.choice(sample.names))), random), sample, random)


def _miss(sample: Sample, random: Random) -> Question:
    return _search(random.choice(_MISSES), sample, random)


KINDS = (
    Kind("get_many: ids", 15, _ids, lambda sample: bool(sample.ids)),
    Kind("find_by_key: a key", 10, _key, lambda sample: bool(sample.keys)),
    Kind("find_by_key: no key", 2, _no_key),
    Kind("select: filters and an order", 20, _select),
    Kind("count: filters", 8, _count),
    Kind("search: whole code", 10, _whole, lambda sample: bool(sample.codes)),
    Kind("search: parts of a code", 6, _run, lambda sample: bool(sample.codes)),
    Kind("search: prefix of a code", 6, _start, lambda sample: bool(sample.codes)),
    Kind("search: inside a code", 2, _inside, lambda sample: bool(sample.codes)),
    Kind("search: whole name", 6, _name, lambda sample: bool(sample.names)),
    Kind("search: words of a name", 10, _words, lambda sample: bool(sample.names)),
    Kind("search: name and code", 2, _mixed, lambda sample: bool(sample.names and sample.codes)),
    Kind("search: misspelt name", 3, _misspelt, lambda sample: bool(sample.names)),
    Kind("search: nothing like it", 2, _miss),
)
"""Everything that is asked, and how often."""


def _search(text: str, sample: Sample, random: Random) -> Search:
    where = _where(sample, random, (0, 0, 0, 0, 1))
    limit, visibility = random.choice((1, 5, 20, 20, 50)), _visibility(random)
    fields = frozenset(random.sample(sorted(sample.values), min(len(sample.values), 2)))
    return Search(text, limit, where, visibility, fields=random.choice((None, fields)))


def _visibility(random: Random) -> Visibility:
    return random.choice((LIVE, LIVE, LIVE, EVERYTHING, Visibility(archived=True), Visibility(deleted=True)))


def _where(sample: Sample, random: Random, counts: Sequence[int]) -> Where:
    fields = random.sample(sorted(sample.values), min(len(sample.values), random.choice(counts)))
    return tuple(_condition(name, sample.values[name], random) for name in fields)


def _condition(path: str, values: list[Scalar], random: Random) -> Condition:
    some = tuple(random.choice(values) for _ in range(random.choice((1, 1, 3))))
    first = some[0]
    low, high = random.choice(((first, None), (None, first), (first, random.choice(values))))
    conditions: tuple[Condition, ...] = (
        OneOf(path, some),
        OneOf(path, some),
        NoneOf(path, some),
        Missing(path, missing=random.random() < 0.5),
        Within(path, low, high),
        Below(path, first),
    )
    return random.choice(conditions)


def _sortable(sample: Sample) -> list[str]:
    return sorted(path for path in sample.values if "[]" not in path)


def _scalars(spec: EntitySpec, record: Record) -> Iterator[tuple[str, Scalar]]:
    """Yield the path and value of each field that a filter can name."""
    for name, value in record.items():
        if isinstance(value, bool | int | str | Decimal):
            yield name, value
        elif name in spec.children and isinstance(value, list):
            rows: list[object] = value  # pyright: ignore[reportUnknownVariableType] - records are open
            yield from ((f"{name}[].{key}", scalar) for row in rows for key, scalar in _scalar_items(row))


def _scalar_items(row: object) -> Iterator[tuple[str, Scalar]]:
    if isinstance(row, dict):
        items: dict[str, object] = row  # pyright: ignore[reportUnknownVariableType] - records are open
        yield from ((key, value) for key, value in items.items() if isinstance(value, bool | int | str | Decimal))


def _texts(place: Place, record: Record, parents: Parents) -> list[str]:
    return [text for text in texts_at(place, record, parents) if text.strip()]


def _parts(text: str) -> list[str]:
    """Return the words of a text, or the text where it has none."""
    for separator in _SEPARATORS[1:-1]:
        text = text.replace(separator, " ")
    return text.split() or [text or "?"]


def _otherwise(text: str, random: Random) -> str:
    """Return the text as another person would type it."""
    written: tuple[Callable[[], str], ...] = (
        lambda: text,
        text.upper,
        text.lower,
        lambda: f" {text} ",
        lambda: random.choice(_SEPARATORS).join(_parts(text)),
    )
    return random.choice(written)()


def _typo(word: str, random: Random) -> str:
    """Return the word with a letter left out, doubled, exchanged or swapped with the next; short ones as they are."""
    if len(word) < _SHORTEST_TYPO:
        return word
    at = random.randrange(1, len(word) - 1)
    before, letter, after = word[:at], word[at], word[at + 1 :]
    wrong = (after, letter * 2 + after, random.choice(_LETTERS) + after, after[:1] + letter + after[1:])
    return before + random.choice(wrong)
