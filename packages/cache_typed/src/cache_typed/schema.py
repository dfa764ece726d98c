"""The schema of a cache file: made when it is not there, compared at every open, mended where it drifted.

A table may gain columns, and then keeps its rows. Refuses to guess: an entity whose tables miss or change a column
that held something starts empty and is synced again.
"""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Table

from cache_core.protocol import Capability
from cache_typed import code_fragments, dialect, indexes, one_word, trigrams, writing
from cache_typed.dialect import Column, Connection, SchemaObject
from cache_typed.documents import CacheFields, CacheQuarantine, CacheState
from cache_typed.mapping import Layout, TableMapping, layout_of, table_of

SCHEMA_VERSION = 12
"""Stands in the file name: two versions never share a file. Raised when an existing table or sidecar changes."""


@dataclass(frozen=True, slots=True)
class EntitySchema:
    """One entity's objects.

    Attributes:
        layout: what the machinery knows of it.
        models: its declared tables, the document's first.
        tables: tables that hold records.
        sidecar: what is derived from them and can be made again.
        refill: the statements that make it again.
    """

    layout: Layout
    models: tuple[Table, ...]
    tables: tuple[SchemaObject, ...]
    sidecar: tuple[SchemaObject, ...]
    refill: tuple[str, ...]


@lru_cache(maxsize=64)
def schema_of(mapping: TableMapping) -> EntitySchema:
    """Return the expected objects of an entity."""
    main = table_of(mapping.table)
    pk = next(column.name for column in main.primary_key)
    models = (main, *(table_of(part.table) for part in mapping.parts))
    objects = [schema_object for model in models for schema_object in indexes.table_objects(model)]
    tables = tuple(schema_object for schema_object in objects if schema_object.kind == "table")
    others = (
        *(schema_object for schema_object in objects if schema_object.kind != "table"),
        indexes.overflow_index(main.name),
        indexes.id_index(main.name, few=layout_of(mapping).id_is_pk),
    )
    learnt = (*one_word.rank_objects(main.name, pk), *trigrams.word_objects(main.name)) if mapping.guesses else ()
    whole = Capability.SUBSTRING not in mapping.guesses
    coded = tuple(code_fragments.run_objects(main.name, pk, whole=whole)) if layout_of(mapping).is_coded else ()
    sidecar = (*others, *dialect.sidecar_objects(main.name, pk), *coded, *learnt)
    refill = (
        *dialect.refill_sidecar(main.name, pk),
        *(code_fragments.refill_runs(main.name, pk, whole=whole) if coded else ()),
        *((*one_word.refill_rank(main.name, pk), *trigrams.refill_words(main.name)) if mapping.guesses else ()),
    )
    return EntitySchema(layout_of(mapping), models, tables, sidecar, refill)


@lru_cache(maxsize=1)
def _bookkeeping() -> tuple[SchemaObject, ...]:
    return tuple(
        schema_object
        for model in (CacheState, CacheQuarantine, CacheFields)
        for schema_object in indexes.table_objects(table_of(model))
    )


def ensure(connection: Connection, mappings: Iterable[TableMapping]) -> tuple[str, ...]:
    """Make the file hold the expected schema; return the entities that had to start empty.

    Costs one small read when everything is as expected.
    """
    schemas = [schema_of(mapping) for mapping in mappings]
    if not drifted(connection, schemas):
        return ()
    connection.execute("BEGIN IMMEDIATE")
    try:
        emptied = _mend(connection, schemas)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return emptied


@lru_cache(maxsize=8)
def empty_image(mappings: tuple[TableMapping, ...]) -> bytes:
    """Return an empty cache file: to make its hundreds of objects takes some 60 ms of work, to copy them 1 ms."""
    with closing(dialect.connect(":memory:")) as connection:
        ensure(connection, mappings)
        return connection.serialize()


def drifted(connection: Connection, schemas: Iterable[EntitySchema]) -> tuple[str, ...]:
    """Return the names of expected objects that the file lacks, or holds in another form."""
    expected = [*_bookkeeping(), *(schema for one in schemas for schema in (*one.tables, *one.sidecar))]
    found = dialect.schema_objects(connection)
    return tuple(schema.name for schema in expected if found.get(schema.name) != schema)


def _mend(connection: Connection, schemas: Iterable[EntitySchema]) -> tuple[str, ...]:
    found = dialect.schema_objects(connection)
    _replace(connection, [schema for schema in _bookkeeping() if found.get(schema.name) != schema], found)
    emptied: list[str] = []
    for schema in schemas:
        grown = _grow(connection, schema, found)
        if grown is None:
            entity = schema.layout.spec.name
            if any(table.name in found for table in schema.tables):
                emptied.append(entity)
            renew(connection, schema, found)
            continue
        if any(found.get(schema_object.name) != schema_object for schema_object in schema.sidecar):
            _replace(connection, schema.sidecar, found)
            for statement in schema.refill:
                connection.execute(statement)
        if grown:
            writing.store_again(connection, schema.layout)
    return tuple(emptied)


def renew(connection: Connection, schema: EntitySchema, found: dict[str, SchemaObject]) -> None:
    """Make an entity's tables and sidecar anew, empty; `found` is what the file holds."""
    _replace(connection, (*reversed(schema.tables), *schema.sidecar), found)
    entity = schema.layout.spec.name
    connection.execute("DELETE FROM cache_state WHERE entity = ?", (entity,))
    connection.execute("DELETE FROM cache_quarantine WHERE entity = ?", (entity,))


def _grow(connection: Connection, schema: EntitySchema, found: dict[str, SchemaObject]) -> bool | None:
    """Add what the entity's tables lack; return whether they lacked something, or None where they are others."""
    if schema.tables[0].name not in found:
        return None
    missing: list[str] = []
    for model, table in zip(schema.models, schema.tables, strict=True):
        if found.get(table.name) == table:
            continue
        there, expected = dialect.columns_in(connection, table.name), dialect.column_objects(model)
        lacking = [column for name, column in expected.items() if name not in there] if there else []
        if lacking and not can_lack(there, expected):
            return None
        if there and any(there[name] != expected[name] for name in there.keys() & expected.keys()):
            return None
        missing += [dialect.add_column(table.name, column) for column in lacking] if there else [table.sql]
    for statement in missing:
        connection.execute(statement)
    return bool(missing)


def can_lack(there: dict[str, Column], expected: dict[str, Column]) -> bool:
    """Return whether rows of the columns there can become rows of those expected, and lose nothing."""
    same = all(name in expected and expected[name] == column for name, column in there.items())
    return same and not any(column.required for name, column in expected.items() if name not in there)


def _replace(connection: Connection, objects: Iterable[SchemaObject], found: dict[str, SchemaObject]) -> None:
    objects = list(objects)
    for schema_object in objects:
        if schema_object.name in found:
            connection.execute(dialect.drop(found[schema_object.name]))
    ordered = sorted(objects, key=lambda item: ("table", "index", "trigger").index(item.kind))
    for schema_object in ordered:
        connection.execute(schema_object.sql)
