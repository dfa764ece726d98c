"""The names of an object's fields, kept once for all objects alike under a number that their rows hold."""

import hashlib
import json
from functools import lru_cache
from typing import NamedTuple

from cache_typed.columns import Cell
from cache_typed.dialect import Connection


class FieldNames(NamedTuple):
    """The names of an object's fields in the order sent, and the number that stands for them in a row."""

    nr: int
    names: str


@lru_cache(maxsize=4096)
def field_names(names: tuple[str, ...]) -> FieldNames:
    """Return the entry for these names: the number is a digest, so every process finds the same one."""
    text = json.dumps(names, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return FieldNames(int.from_bytes(digest, signed=True), text)


def names_of(db: Connection, nr: Cell) -> list[str]:
    """Return the field names that a row refers to; rows alike share an entry, and it is asked for once.

    Raises:
        LookupError: there are none, or others than the number stands for, as in a damaged file.
    """
    found = db.execute("SELECT names FROM cache_fields WHERE nr = ?", (nr,)).fetchone()
    names = [] if found is None else _names_in(str(found[0]))
    if found is None or field_names(tuple(names)).nr != nr:
        raise LookupError(f"no field names of number {nr}")
    return names


def _names_in(text: str) -> list[str]:
    """Return the names of an entry, or none of one that is no list of names."""
    try:
        names: object = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []  # pyright: ignore[reportUnknownVariableType] - whatever was written
