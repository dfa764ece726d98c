"""From stored rows to the rows of an answer, with names looked up once for all of them."""

from collections.abc import Callable, Sequence
from functools import cache

from cache_core.protocol import Stored
from cache_core.records import Record, RecordId, values_at
from katana_mcp.references.display_names import Names, look_up, parts_of, text
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import ComputedFields, View
from katana_mcp.surface.operations.embedded import Attribute, BatchTransaction, CustomField, Traced, custom_fields
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_bool, get_int, number, rows

type Sourced = tuple[str, Stored]
"""A stored row and the cache entity that it comes from."""


async def to_answers(view: Callable[[str], View], rows: Sequence[Sourced], services: Services) -> list[Answer]:
    """Return the rows of the answer in the order of the stored rows."""
    parts: Parts = {}
    for source in dict.fromkeys(origin for origin, _ in rows):
        mine = [row for row in rows if row[0] == source]
        for entity, path in view(source).parts.items():
            parts[entity] = await parts_of(services.cache, entity, path, mine)
    names = await look_up(services.cache, _ids_to_name(view, rows, parts), rows, only_shown=True)
    for by_record in parts.values():
        names.parts.update(by_record)
    return [_row(view(source), row, names, services) for source, row in rows]


def read_of(view: View) -> frozenset[str] | None:
    """Return the paths of a record that its row is made of, or None where that may be any."""
    if view.reads is None:
        return None
    return _fields(view.model, view.reads, tuple(path for paths in view.names.values() for path in paths))


@cache
def _fields(model: type[Answer], own: frozenset[str], named: tuple[str, ...]) -> frozenset[str]:
    return own.union(*_readers(model), named)


type Parts = dict[str, dict[tuple[str, RecordId], list[Record]]]
"""Records that belong to rows, by their own cache entity, then by the entity and id of the row."""


def _row(view: View, row: Stored, names: Names, services: Services) -> Answer:
    return filled(view.model, row.record, names, **view.computed_fields(row, names, services))


def filled[A: Answer](model: type[A], record: Record, names: Names | None = None, /, **own: object) -> A:
    """Return an answer whose fields are the record's where it has them under the same names; `own` comes first.

    Custom fields are named where there are names.
    """
    texts, others = _readers(model)
    # As `text` does, without a call for each: most fields of a row are texts.
    said: dict[str, object] = {
        name: value if isinstance(value := record.get(name), str) and value else None for name in texts
    }
    said.update((name, read(record, name)) for name, read in others.items())
    if "custom_fields" in said:
        said["custom_fields"] = custom_fields(record, "custom_fields", names)
    return model.model_validate(said | own)


def line[A: Answer](model: type[A], record: Record, names: Names, **own: object) -> A:
    """Return the row of a document, with the SKU and the name of its variant."""
    variant_id = record.get("variant_id")
    return filled(model, record, names, sku=names.sku(variant_id), name=names.variant(variant_id), **own)


def with_lines(header: ComputedFields, model: type[Answer], source: str) -> ComputedFields:
    """Return how documents of this cache entity are shown with their rows, whose amounts are in the base currency."""

    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        said: dict[str, object] = {"currency": names.base_currency()}
        sent = rows(stored.record, f"{source}_rows")
        lines = [line(model, row, names, **said, **{f"{source}_row_id": get_int(row, "id")}) for row in sent]
        return {**header(stored, names, services), "rows": lines}

    return computed


@cache
def _readers(model: type[Answer]) -> tuple[tuple[str, ...], dict[str, Callable[[Record, str], object]]]:
    """Return the fields of a model that a record can hold under their own names: its texts, and how others are read."""
    fields = model.model_fields.items()
    kinds: dict[str, object] = {name: field.annotation for name, field in fields if field.annotation in _KINDS}
    texts = tuple(name for name, kind in kinds.items() if kind == _TEXT)
    return texts, {name: _KINDS[kind] for name, kind in kinds.items() if kind != _TEXT}


def _several(model: type[Answer]) -> Callable[[Record, str], object]:
    return lambda record, name: [filled(model, row) for row in rows(record, name)] or None


_TEXT = str | None
_KINDS: dict[object, Callable[[Record, str], object]] = {
    _TEXT: text,
    int | None: get_int,
    bool | None: get_bool,
    Number | None: number,
    list[BatchTransaction] | None: _several(BatchTransaction),
    list[Traced] | None: _several(Traced),
    list[Attribute] | None: _several(Attribute),
    list[CustomField] | None: custom_fields,
}


def _ids_to_name(view: Callable[[str], View], rows: Sequence[Sourced], parts: Parts) -> dict[str, list[object]]:
    """Return the ids that need names, per cache entity: at paths of the rows, and of their parts by their entity."""
    ids: dict[str, list[object]] = {}
    for source, row in rows:
        beside = {entity: parts[entity].get((source, row.id), []) for entity in view(source).parts}
        whole = {**row.record, **beside} if beside else row.record
        for entity, paths in view(source).names.items():
            ids.setdefault(entity, []).extend(value for path in paths for value in values_at(whole, path))
    return ids
