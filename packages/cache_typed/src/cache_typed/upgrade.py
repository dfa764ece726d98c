"""A new file filled from the newest one of an older schema version, so that no change of schema costs a sync.

Refuses to touch the older file: a program of that version may still be using it.
"""

from collections.abc import Iterable

from cache_typed import dialect, schema, writing
from cache_typed.dialect import Connection
from cache_typed.mapping import TableMapping
from cache_typed.schema import EntitySchema

_KEPT = {
    "cache_state": ("entity, state", "entity"),
    "cache_quarantine": ("entity, key, has_id, reason, payload", "nr"),
}
"""Columns to copy, and their order."""


def fill(connection: Connection, older: str, mappings: Iterable[TableMapping]) -> tuple[str, ...]:
    """Copy from an older file what the tables of this version can hold; the schema must be there, and empty.

    Returns:
        The entities that the older file holds in another form, and that therefore start empty.
    """
    source = dialect.attached(connection, older)
    connection.execute("BEGIN")
    try:
        if dialect.columns_in(connection, "cache_fields", source):
            fill_names(connection, source)
        schemas = map(schema.schema_of, mappings)
        left = [
            entity_schema.layout.spec.name
            for entity_schema in schemas
            if not fill_entity(connection, source, entity_schema)
        ]
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return tuple(left)


def fill_names(connection: Connection, source: str) -> None:
    """Copy the names of fields; equal names have equal numbers in every file."""
    connection.execute(dialect.learn_fields_of(source))


def fill_entity(connection: Connection, source: str, entity: EntitySchema) -> bool:
    """Copy an entity's rows; return whether all that the older file holds of it found a place."""
    pairs = [
        (model.name, dialect.columns_in(connection, model.name, source), dialect.column_objects(model))
        for model in entity.models
    ]
    if not pairs[0][1]:
        return True
    if not all(schema.can_lack(there, expected) for _, there, expected in pairs if there):
        return False
    for table, there, _ in pairs:
        if there:
            columns = ", ".join(map(dialect.quoted, there))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM {source}.{table}")
    name = entity.layout.spec.name
    for table, (columns, order) in _KEPT.items():
        rows = f"SELECT {columns} FROM {source}.{table} WHERE entity = ? ORDER BY {order}"
        connection.execute(f"INSERT INTO main.{table} ({columns}) {rows}", (name,))
    if any(len(there) < len(expected) for _, there, expected in pairs):
        writing.store_again(connection, entity.layout)
    return True
