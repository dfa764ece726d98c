"""What is done to a cache file from beside it: checked on a copy, and filled from another file in one transaction.

Refuses to hold up who works with the file while it is checked.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from cache_core.files import private_file
from cache_typed import dialect, one_word, schema, trigrams, upgrade, writing
from cache_typed.dialect import Connection
from cache_typed.mapping import TableMapping
from cache_typed.schema import EntitySchema

COPIES = "checked-"
"""How the name of the directory begins in which a copy is checked."""


def faults(path: Path, mappings: Iterable[TableMapping]) -> tuple[str, ...]:
    """Return what is wrong with a cache file, a sentence each; a copy of it is read whole. None there is no fault."""
    if not path.is_file():
        return ()
    schemas = [schema.schema_of(mapping) for mapping in mappings]
    with tempfile.TemporaryDirectory(prefix=COPIES, dir=path.parent) as directory:
        copy = private_file(Path(directory) / path.name)
        try:
            with closing(dialect.connect(str(path))) as live, closing(dialect.connect(str(copy))) as connection:
                live.backup(connection)
                return tuple(_faults(connection, schemas))
        except (dialect.DatabaseError, UnicodeDecodeError) as error:
            if not dialect.is_damage_at_open(error):
                raise
            return (str(error),)


def take(path: Path, beside: Path, mappings: Iterable[TableMapping]) -> None:
    """Replace what a cache file holds of these entities by what another one of this version holds, or change nothing.

    Readers see all of the old or all of the new; other entities stay as they are. Who syncs these entities meanwhile
    loses the lease: the proof of a half-read listing went with its rows.
    """
    schemas = [schema.schema_of(mapping) for mapping in mappings]
    with closing(dialect.connect(str(path))) as connection:
        source = dialect.attached(connection, str(beside))
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = dialect.schema_objects(connection)
            upgrade.fill_names(connection, source)
            for entity_schema in schemas:
                schema.renew(connection, entity_schema, found)
                writing.void_lease(connection, entity_schema.layout.spec.name)
                # The sidecar is made as a whole: faster than row by row.
                own = f" ON {entity_schema.layout.name} "
                triggers = [thing for thing in entity_schema.sidecar if thing.kind == "trigger" and own in thing.sql]
                for statement in map(dialect.drop, triggers):
                    connection.execute(statement)
                upgrade.fill_entity(connection, source, entity_schema)
                for statement in (*entity_schema.refill, *(thing.sql for thing in triggers)):
                    connection.execute(statement)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _faults(connection: Connection, schemas: list[EntitySchema]) -> Iterator[str]:
    yield from dialect.inconsistencies(connection)
    gone = schema.drifted(connection, schemas)
    if gone:
        yield f"these are missing or not as expected: {', '.join(gone)}"
        return
    for entity_schema in schemas:
        yield from _sidecar_faults(connection, entity_schema)


def _sidecar_faults(connection: Connection, entity: EntitySchema) -> Iterator[str]:
    """Yield how the sidecar of an entity differs from its table."""
    layout = entity.layout
    name, table = layout.spec.name, layout.name
    checks = [(dialect.sidecar_check(table), "full-text index")]
    if layout.mapping.guesses:
        checks.append((trigrams.words_check(table), "index of words"))
    for statement, what in checks:
        try:
            connection.execute(statement)
        except dialect.DatabaseError:
            yield f"{name}: the {what} and the table differ"
    if connection.execute(dialect.codes_differ(table, layout.pk)).fetchone():
        yield f"{name}: the exact codes and the table differ"
    if layout.mapping.guesses and connection.execute(one_word.rank_differs(table, layout.pk)).fetchone():
        yield f"{name}: the order of hits and the table differ"
    if layout.mapping.guesses and connection.execute(trigrams.words_lack(table)).fetchone():
        yield f"{name}: the words and the table differ"
