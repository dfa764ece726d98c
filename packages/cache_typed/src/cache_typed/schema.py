"""The schema of a cache file: made when it is not there, compared at every open, mended where it drifted.

Refuses to guess: an entity whose tables are not the expected ones starts empty and is synced again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from cache_typed import dialect
from cache_typed.dialect import Connection, SchemaObject
from cache_typed.documents import CacheFields, CacheQuarantine, CacheState
from cache_typed.mapping import TableMapping, table_of

SCHEMA_VERSION = 1
"""Stands in the file name: two versions never share a file. Raised when an existing table changes."""


@dataclass(frozen=True, slots=True)
class EntitySchema:
    """One entity's objects.

    Attributes:
        entity: its name.
        table: the document's table.
        pk: its primary key.
        tables: tables that hold records.
        sidecar: what is derived from them and can be made again.
    """

    entity: str
    table: str
    pk: str
    tables: tuple[SchemaObject, ...]
    sidecar: tuple[SchemaObject, ...]


@lru_cache(maxsize=64)
def schema_of(mapping: TableMapping) -> EntitySchema:
    """Return the expected objects of an entity."""
    main = table_of(mapping.table)
    pk = next(column.name for column in main.primary_key)
    objects = [
        each
        for model in (mapping.table, *(part.table for part in mapping.parts))
        for each in dialect.table_objects(table_of(model))
    ]
    tables = tuple(each for each in objects if each.kind == "table")
    indexes = (*(each for each in objects if each.kind != "table"), dialect.odd_index(main.name))
    sidecar = (*indexes, *dialect.sidecar_objects(main.name, pk))
    return EntitySchema(mapping.spec.name, main.name, pk, tables, sidecar)


@lru_cache(maxsize=1)
def _bookkeeping() -> tuple[SchemaObject, ...]:
    return tuple(
        each for model in (CacheState, CacheQuarantine, CacheFields) for each in dialect.table_objects(table_of(model))
    )


def ensure(connection: Connection, mappings: Iterable[TableMapping]) -> tuple[str, ...]:
    """Make the file hold the expected schema; return the entities that had to start empty.

    Costs one small read when everything is as expected.
    """
    schemas = [schema_of(mapping) for mapping in mappings]
    expected = [*_bookkeeping(), *(each for one in schemas for each in (*one.tables, *one.sidecar))]
    found = dialect.schema_objects(connection)
    if all(found.get(each.name) == each for each in expected):
        return ()
    connection.execute("BEGIN IMMEDIATE")
    try:
        emptied = _mend(connection, schemas)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return emptied


def _mend(connection: Connection, schemas: Iterable[EntitySchema]) -> tuple[str, ...]:
    found = dialect.schema_objects(connection)
    _replace(connection, [each for each in _bookkeeping() if found.get(each.name) != each], found)
    emptied: list[str] = []
    for schema in schemas:
        wrong = [each for each in schema.tables if found.get(each.name) != each]
        if wrong:
            if any(each.name in found for each in schema.tables):
                emptied.append(schema.entity)
            _replace(connection, (*reversed(schema.tables), *schema.sidecar), found)
            connection.execute("DELETE FROM cache_state WHERE entity = ?", (schema.entity,))
            connection.execute("DELETE FROM cache_quarantine WHERE entity = ?", (schema.entity,))
            continue
        drifted = [each for each in schema.sidecar if found.get(each.name) != each]
        if drifted:
            _replace(connection, schema.sidecar, found)
            for statement in dialect.refill_sidecar(schema.table, schema.pk):
                connection.execute(statement)
    return tuple(emptied)


def _replace(connection: Connection, wanted: Iterable[SchemaObject], found: dict[str, SchemaObject]) -> None:
    wanted = list(wanted)
    for each in wanted:
        if each.name in found:
            connection.execute(dialect.drop(found[each.name]))
    ordered = sorted(wanted, key=lambda each: ("table", "index", "trigger").index(each.kind))
    for each in ordered:
        connection.execute(each.sql)
