"""The tables as they are made, and the indexes that filters, orders and counts are read from."""

from collections.abc import Iterator

from sqlalchemy import Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from cache_typed import dialect
from cache_typed.dialect import SchemaObject

HIDING = ("cache_deleted", "cache_archived")
"""Columns that hide a row from those who do not ask for such."""


def table_objects(table: Table) -> Iterator[SchemaObject]:
    """Yield a table and its indexes.

    An index of documents tells their keys and what hides them, so that no row is read to see whether it is one of
    those asked for; that of a column which lists are narrowed by together with another tells that one too.
    """
    yield SchemaObject("table", table.name, str(CreateTable(table).compile(dialect=sqlite.dialect())).strip())
    indexes = sorted(table.indexes, key=lambda item: str(item.name))
    columns = {str(index.name): [column.name for column in index.columns] for index in indexes}
    pairs = [both for both in columns.values() if len(both) > 1]
    told = [*(column.name for column in table.primary_key), *HIDING] if HIDING[0] in table.columns else []
    for index in indexes:
        name, own = str(index.name), columns[str(index.name)]
        listed = ", ".join(map(dialect.quoted, (*own, *told, *(first for first, *rest in pairs if rest == own))))
        where = index.dialect_options["sqlite"]["where"]
        only = "" if where is None else f" WHERE {where}"
        yield SchemaObject("index", name, f"CREATE INDEX {name} ON {table.name} ({listed}){only}")


def overflow_index(table: str) -> SchemaObject:
    """Return the index of rows in which some value did not fit its column: it is empty in good times."""
    name = f"ix_{table}_odd"
    return SchemaObject("index", name, f"CREATE INDEX {name} ON {table} (cache_odd) WHERE cache_odd = 1")


def id_index(table: str, *, few: bool) -> SchemaObject:
    """Return the index of ids that are not primary keys; `few` where hardly a row has one and no list sorts by it."""
    name = f"ix_{table}_cache_id"
    only = " WHERE cache_id IS NOT NULL" if few else ""
    return SchemaObject("index", name, f"CREATE UNIQUE INDEX {name} ON {table} (cache_id){only}")
