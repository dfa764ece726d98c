"""The codes of an entity without their separators, by their runs of three: `40210180` of `00.4021.018.003`.

Triggers keep the index true to the codes of its table. Refuses to hold the codes themselves: they stand in the table.
"""

from collections.abc import Iterator

from cache_core.search_rules import SHORTEST_PART, WeightClass
from cache_typed.dialect import SchemaObject, trigger


def run_objects(table: str, pk: str, *, whole: bool) -> Iterator[SchemaObject]:
    """Yield the index of a table's plain codes, and the triggers that keep it.

    Args:
        table: its name.
        pk: its primary key.
        whole: whether codes that never had separators are among them; the index of words may hold these.
    """
    index = f"{table}_code_run"
    yield SchemaObject(
        "table",
        index,
        f"CREATE VIRTUAL TABLE {index} USING fts5(code, content='', tokenize='trigram case_sensitive 1',"
        " detail=none, columnsize=0)",
    )
    added = f"INSERT INTO {index}(rowid, code) VALUES (new.{pk}, {_plain('new', whole=whole)});"
    dropped = f"INSERT INTO {index}({index}, rowid, code) VALUES ('delete', old.{pk}, {_plain('old', whole=whole)});"
    changed = f"old.{pk} IS NOT new.{pk} OR old.cache_codes IS NOT new.cache_codes"
    for suffix, event, body in (
        ("insert", f"INSERT ON {table}", added),
        ("delete", f"DELETE ON {table}", dropped),
        ("codes", f"UPDATE ON {table} WHEN {changed}", f"{dropped} {added}"),
    ):
        yield trigger(f"{index}_{suffix}", event, body)


def refill_runs(table: str, pk: str, *, whole: bool) -> tuple[str, ...]:
    """Return the statements that make the index again from the table."""
    index = f"{table}_code_run"
    return (
        f"INSERT INTO {index}({index}) VALUES ('delete-all')",
        f"INSERT INTO {index}(rowid, code) SELECT {pk}, {_plain(table, whole=whole)} FROM {table}",
    )


def coded_rows(table: str, pk: str) -> str:
    """Return the source of rows that are found by a part of a code, walked from the index."""
    return f"{table}_code_run CROSS JOIN {table} ON {table}.{pk} = {table}_code_run.rowid"


def run_id(table: str) -> str:
    """Return what names a coded row."""
    return f"{table}_code_run.rowid"


def holds_run(table: str, expression: str) -> str:
    """Return the condition that an expression of `runs_of`, given by its placeholder, holds of a coded row."""
    return f"{table}_code_run MATCH {expression}"


def runs_of(text: str) -> str:
    """Return the full-text expression that asks for every three-letter run of a text."""
    runs = dict.fromkeys(text[at : at + SHORTEST_PART] for at in range(len(text) - SHORTEST_PART + 1))
    return " AND ".join(f'"{run}"' for run in runs)


def _plain(row: str, *, whole: bool) -> str:
    # A code without a blank has no separators, or stands there without them, and then counts as another class.
    code, place = "json_extract(value, '$[0]')", "json_extract(value, '$[1]')"
    only = f"instr({code}, ' ') = 0" if whole else f"{place} IN ({WeightClass.NAMES:d}, {WeightClass.RELATED:d})"
    return f"coalesce((SELECT group_concat({code}, ' ') FROM json_each({row}.cache_codes) WHERE {only}), '')"
