"""What the cache knows of an entity, as plain data: an `EntitySpec` value per Katana collection."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, lru_cache, partial
from typing import Literal, NamedTuple, Protocol

from cache_core.records import Record, RecordId, as_id, ids_at, moment_in, values_at
from cache_core.search_rules import CODES, SearchText, Sources, WeightClass, words_and_code


@dataclass(frozen=True)
class Lookup:
    """Text borrowed from another entity: ids at `path` name its records, `fields` say what of them."""

    path: str
    entity: str
    fields: tuple[str, ...]

    @cached_property
    def link(self) -> str:
        """What leads to the same records: the path and the entity."""
        return f"{self.path} {self.entity}"


type Place = str | Lookup


@dataclass(frozen=True)
class Searchable:
    """Where the searchable text of a record stands, one tuple of paths or lookups per weight class."""

    keys: tuple[Place, ...] = ()
    names: tuple[Place, ...] = ()
    extras: tuple[Place, ...] = ()
    related: tuple[Place, ...] = ()

    def by_class(self) -> tuple[tuple[Place, ...], ...]:
        """Return the four tuples in the order of `WeightClass`."""
        return (self.keys, self.names, self.extras, self.related)

    def lookups(self) -> Iterator[Lookup]:
        """Yield every lookup of every class."""
        for places in self.by_class():
            yield from (place for place in places if isinstance(place, Lookup))

    @cached_property
    def sources(self) -> Sources:
        """The names of the sources of each class; a borrowed field is named by its entity: `product.name`."""
        return tuple(map(sources_of, self.by_class()))

    @cached_property
    def read_at(self) -> "tuple[_Source, ...]":
        """Each source of text, and what reads it."""
        classes = zip(WeightClass, self.by_class(), strict=False)
        return tuple(
            _Source(place, name, where if isinstance(where, Lookup) else None, _texts(path))
            for place, listed in classes
            for each in listed
            for name, where, path in _parts(each)
        )


type SoftState = Literal["deleted", "archived"]


class Listed(Protocol):
    """A collection that can be listed: an entity, or a feed of its children."""

    @property
    def name(self) -> str:
        """The entity's name, or the feed's collection."""
        ...

    @property
    def collection(self) -> str:
        """Katana's path."""
        ...

    @property
    def watermark(self) -> bool:
        """Whether Katana filters it by `updated_at_min`."""
        ...

    @property
    def include(self) -> tuple[SoftState, ...]:
        """Which soft states the listing must ask for explicitly."""
        ...

    def id_of(self, record: Record) -> RecordId | None:
        """Return the record's id, or None when it has no usable one."""
        ...

    def version_of(self, record: Record) -> str | None:
        """Return the record's `updated_at`, or None without one."""
        ...


@dataclass(frozen=True, slots=True)
class Feed:
    """A collection of children: it tells which documents changed though their own version stayed.

    Attributes:
        collection: Katana's path: `sales_order_rows`.
        parent: the child's field that names its document: `sales_order_id`.
        children: where the document holds such children: `sales_order_rows[]`.
        watermark: whether Katana filters the collection by `updated_at_min`.
        include: which soft states the listing must ask for explicitly.
        sums: fields of the document that Katana computes from such children.
    """

    collection: str
    parent: str
    children: str
    watermark: bool = True
    include: tuple[SoftState, ...] = ("deleted",)
    sums: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The collection again: a feed has no rows of its own in the cache."""
        return self.collection

    def id_of(self, record: Record) -> RecordId | None:
        """Return the child's id, or None when it has no usable one."""
        return as_id(record.get("id"))

    def version_of(self, record: Record) -> str | None:
        """Return the child's `updated_at`, or None without one."""
        return _version(record)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySpec:
    """One entity as sync and backends see it.

    Attributes:
        name: the entity's name in the cache and in flags, singular: `variant`.
        collection: Katana's path: `variants`.
        searchable: what a person can find it by.
        id_path: the field that identifies a record within its entity.
        key_path: the business key for `find_by_key` (SKU, order number), if it has one.
        keys_at_once: for how many business keys Katana filters one listing; 0 where it does not.
        codes: further fields of codes by which Katana filters a listing.
        watermark: whether Katana filters this collection by `updated_at_min`.
        include: which soft states the listing must ask for explicitly.
        children: paths of what is embedded and has collections or writes of its own: rows, addresses, a fee.
        feeds: the collections of children that Katana may change without touching the document.
        moves: paths of the variants whose stock a change of the record may move.
        inherits: lookups whose record passes its soft state on (a variant is archived with its product).
        fetch_by: how records are read by id: by `list_ids`, one by one with `get`, or only by the `full_list`.
        fresh_for: how old the cached rows may be before a read asks for a delta.
    """

    name: str
    collection: str
    searchable: Searchable = field(default_factory=Searchable)
    id_path: str = "id"
    key_path: str | None = None
    keys_at_once: int = 0
    codes: tuple[str, ...] = ()
    watermark: bool = True
    include: tuple[SoftState, ...] = ("deleted",)
    children: tuple[str, ...] = ()
    feeds: tuple[Feed, ...] = ()
    moves: tuple[str, ...] = ()
    inherits: tuple[Lookup, ...] = ()
    fetch_by: Literal["get", "list_ids", "full_list"] = "list_ids"
    fresh_for: timedelta = timedelta(minutes=2)

    @property
    def parents(self) -> frozenset[str]:
        """Entities whose records lend text or soft state to this one; they are synced first."""
        return frozenset(lookup.entity for lookup in (*self.searchable.lookups(), *self.inherits)) - {self.name}

    def id_of(self, record: Record) -> RecordId | None:
        """Return the record's id, or None when it has no usable one."""
        return as_id(record.get(self.id_path))

    def version_of(self, record: Record) -> str | None:
        """Return `updated_at` (UTC, milliseconds: later is greater as text), or None where it names no moment."""
        return _version(record)


def _version(record: Record) -> str | None:
    return moment_in(record.get("updated_at"))


type Parents = dict[tuple[str, RecordId], Record]


def search_text(searchable: Searchable, record: Record, parents: Parents, some: Sources | None = None) -> SearchText:
    """Return a record's searchable text.

    Args:
        searchable: where it stands.
        record: the record.
        parents: the records that its lookups name, where known.
        some: the sources of which alone it is made; None for all of them.
    """
    words: tuple[dict[str, None], ...] = ({}, {}, {}, {})
    plain: tuple[list[str], ...] = ([], [], [], [])
    lenders: dict[str, list[Record]] = {}
    for place, _, lookup, texts_of in searchable.read_at if some is None else _some_of(searchable, some):
        having = (record,) if lookup is None else _lenders_once(lookup, record, parents, lenders)
        for text in [text for one in having for text in texts_of(one)]:
            tokens, code = words_and_code(text, place)
            if tokens:
                words[place][tokens] = None
            if code:
                plain[place].append(code)
    codes: list[tuple[str, WeightClass]] = []
    for place, less in CODES:
        codes += [(code, place) for code in words[place]]
        codes += [(code, less) for code in plain[place]]
    keys, names, extras, related = map(" ".join, words)
    made_of = partial(search_text, searchable, record, parents)
    return SearchText(keys, names, extras, related, tuple(codes), searchable.sources, made_of)


def _some_of(searchable: Searchable, sources: Sources) -> Iterator["_Source"]:
    return (source for source in searchable.read_at if source.name in sources[source.place])


def _lenders_once(lookup: Lookup, record: Record, parents: Parents, known: dict[str, list[Record]]) -> Sequence[Record]:
    """Return what `_lenders` does, and keep it for the fields that are borrowed of the same records."""
    found = known.get(lookup.link)
    if found is None:
        found = known[lookup.link] = _lenders(lookup, record, parents)
    return found


def declared_text(text: SearchText, sources: Sources) -> SearchText:
    """Return what of a record's text comes from these sources; a text of unknown sources is returned as it is."""
    return text if text.made_of is None or text.sources == sources else text.made_of(sources)


def sources_of(places: tuple[Place, ...]) -> tuple[str, ...]:
    """Return the names of what stands at these places; a borrowed field is named by its entity: `product.name`."""
    return tuple(name for place in places for name, *_ in _parts(place))


def _parts(place: Place) -> Iterator[tuple[str, Place, str]]:
    """Yield the sources at a place: the name of each, where it stands, and the path of its text there."""
    if isinstance(place, str):
        yield place.removesuffix("[]"), place, place
        return
    for path in place.fields:
        yield f"{place.entity}.{path}", place, path


class _Source(NamedTuple):
    """One declared source of text: its class, its name, what lends it, if it is lent, and what reads it there."""

    place: WeightClass
    name: str
    lookup: Lookup | None
    texts: "_Texts"


def texts_at(place: Place, record: Record, parents: Parents) -> Sequence[str]:
    """Return the texts of one declared place, own or borrowed."""
    if isinstance(place, str):
        return _own_texts(place, record)
    return _lent_texts(place, _lenders(place, record, parents))


type _Texts = Callable[[Record], Sequence[str]]


def _own_texts(path: str, record: Record) -> Sequence[str]:
    return _texts(path)(record)


@lru_cache(maxsize=1024)
def _texts(path: str) -> _Texts:
    """Return what reads the texts at a path, each at once where they stand in a field, in a list or in rows."""
    head, listed, inner = path.partition("[]")
    field_ = inner.removeprefix(".")
    if not head.isidentifier() or not (field_.isidentifier() if inner.startswith(".") else not inner):
        return lambda record: _texts_anywhere(record, path)

    def in_field(record: Record) -> Sequence[str]:
        value = record.get(head)
        if isinstance(value, str):
            return (value,)
        return () if value is None else _texts_anywhere(record, path)

    def in_list(record: Record) -> Sequence[str]:
        value = record.get(head)
        if value is None:
            return ()
        return value if isinstance(value, list) and set(map(type, value)) == _TEXTS else _texts_anywhere(record, path)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - records are open

    def in_rows(record: Record) -> Sequence[str]:
        value = record.get(head)
        if isinstance(value, list):
            return _texts_of_rows(value, field_)  # pyright: ignore[reportUnknownArgumentType] - records are open
        return () if value is None else _texts_anywhere(record, path)

    return in_rows if inner else in_list if listed else in_field


_TEXTS = {str}


def _texts_anywhere(record: Record, path: str) -> Sequence[str]:
    value = record.get(path)
    return (value,) if isinstance(value, str) else [_text(value) for value in values_at(record, path)]


def _texts_of_rows(rows: Sequence[object], inner: str) -> list[str]:
    """Return the texts of a field of rows, as `values_at` finds them: addresses have a dozen each."""
    texts: list[str] = []
    for row in rows:
        value = row.get(inner) if isinstance(row, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - records are open
        if isinstance(value, str):
            texts.append(value)
        elif value is not None or not isinstance(row, dict):
            texts += map(_text, values_at(row, inner))  # pyright: ignore[reportUnknownArgumentType] - records are open
    return texts


def _lenders(lookup: Lookup, record: Record, parents: Parents) -> list[Record]:
    """Return the known records whose text this record borrows."""
    keys = ((lookup.entity, parent_id) for parent_id in ids_at(record, lookup.path))
    return [parents[key] for key in keys if key in parents]


def _lent_texts(lookup: Lookup, lenders: Iterable[Record]) -> list[str]:
    return [text for lender in lenders for path in lookup.fields for text in _own_texts(path, lender)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if not isinstance(value, dict) else ""


def read_of_hits(spec: EntitySpec, fields: frozenset[str] | None) -> frozenset[str] | None:
    """Return the paths of a hit's record that are read: those asked for and those of its text; None for all of it."""
    return None if fields is None else fields | _found_by(spec.searchable)


@lru_cache(maxsize=256)
def _found_by(searchable: Searchable) -> frozenset[str]:
    places = (place for places in searchable.by_class() for place in places)
    return frozenset(place if isinstance(place, str) else place.path for place in places)
