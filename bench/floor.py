"""The floors: plain sqlite3 that runs the fixed statements of `floors/*.sql`, decoding and encoding what it must."""

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from bench.data import category, product_name, product_of
from cache_core.records import Json, decode, encode
from cache_core.search_rules import parse

_HERE = Path(__file__).parent / "floors"

type _Wire = dict[str, Json]


def statements(name: str) -> dict[str, str]:
    """Return the named statements of a floor file."""
    parts = (_HERE / f"{name}.sql").read_text("utf-8").split("-- name: ")[1:]
    return {head.strip(): text.strip() for head, text in (part.split("\n", 1) for part in parts)}


def records_of(page: bytes) -> list[_Wire]:
    """Return the records of a page's body."""
    return _objects(decode(page)["data"])


class Floor(ABC):
    """Records in plain sqlite3, with the statements of this name."""

    name: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self._sql = statements(self.name)
        is_new = not path.exists()
        self._db = sqlite3.connect(path)
        if is_new:
            self._db.executescript(self._sql["schema"])

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    async def store(self, page: bytes) -> None:
        """Store a page, searchable, in one transaction."""
        with self._db:
            self._store(records_of(page))

    @abstractmethod
    def _store(self, records: Sequence[_Wire]) -> None: ...

    def _all(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        return self._db.execute(self._sql[statement], values).fetchall()


class VariantFloor(Floor):
    """Variants in plain sqlite3."""

    name = "variants"

    def _store(self, records: Sequence[_Wire]) -> None:
        fields = ("id", "sku", "product_id", "type", "internal_barcode", "created_at", "updated_at")
        table = [(*map(record.get, fields), encode(record)) for record in records]
        codes = [(code, record["id"]) for record in records for code in _codes(record)]
        texts = [
            (record["id"], record["sku"], name, " ".join((*_codes(record)[1:], *_options(record))), related)
            for record, (name, related) in zip(records, map(_borrowed, records), strict=True)
        ]
        self._db.executemany(self._sql["insert"], table)
        self._db.executemany(self._sql["insert_code"], codes)
        self._db.executemany(self._sql["insert_words"], texts)

    async def by_id(self, nr: int) -> object:
        """Read one record."""
        return self._read("by_id", nr)

    async def by_sku(self, sku: str) -> object:
        """Read one record by its SKU."""
        return self._read("by_sku", sku)

    async def hundred(self, first: int) -> object:
        """Read a hundred records."""
        return self._read("hundred", first, first + 99)

    async def search(self, text: str) -> tuple[object, int]:
        """Find the best 20: those with this code, and those with words that begin so; and how many there are."""
        coded = [nr for (nr,) in self._all("coded", text)]
        ranked = self._all("ranked", _match(parse(text).tokens))
        total = len(coded) + (int(str(ranked[0][1])) if ranked else 0)
        return self._read("records", json.dumps([*coded, *(nr for nr, _ in ranked)][:20])), total

    async def search_inside(self, text: str) -> object:
        """Find the best 20 with a word in which this text stands."""
        words = [str(word) for (word,) in self._all("holding", text)]
        found = self._all("ranked", " OR ".join(f'"{word}"' for word in words)) if words else []
        return self._read("records", json.dumps([nr for nr, _ in found]))

    def _read(self, statement: str, *values: object) -> list[object]:
        return [_decoded(text) for (text,) in self._all(statement, *values)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields of a document that the floor knows.

    Attributes:
        party: the id of who it is for, or of what is made.
        due: when it is due.
        extras: texts that people search by.
        rows: its rows, or None.
    """

    party: str
    due: str
    extras: tuple[str, ...]
    rows: str | None = None


class DocumentFloor(Floor):
    """Documents in plain sqlite3, with their rows and the text that they borrow."""

    name = "documents"

    def __init__(self, path: Path, fields: Fields) -> None:
        super().__init__(path)
        self._fields = fields

    def lend(self, kind: str, records: Iterable[Mapping[str, object]], *fields: str) -> None:
        """Store what documents borrow from."""
        lent = [(kind, record["id"], " ".join(str(record[name] or "") for name in fields)) for record in records]
        with self._db:
            self._db.executemany(self._sql["lend"], lent)

    def _store(self, records: Sequence[_Wire]) -> None:
        fields = ("id", "order_no", "status", self._fields.party, "created_at", self._fields.due)
        rows = [
            (record["id"], at, row["variant_id"], encode(row)) for record in records for at, row in self._rows(record)
        ]
        heads = [{name: value for name, value in record.items() if name != self._fields.rows} for record in records]
        self._db.executemany(self._sql["insert"], [(*map(head.get, fields), encode(head)) for head in heads])
        self._db.executemany(self._sql["insert_row"], rows)
        parties = self._borrowed("party", [record[self._fields.party] for record in records])
        variants = self._borrowed("variant", [row[2] for row in rows])
        texts = [
            (
                record["id"],
                record["order_no"],
                parties.get(record[self._fields.party], ""),
                " ".join(str(record[name]) for name in self._fields.extras),
                " ".join(variants.get(row["variant_id"], "") for _, row in self._rows(record)),
            )
            for record in records
        ]
        self._db.executemany(self._sql["insert_words"], texts)

    def _borrowed(self, kind: str, ids: Iterable[object]) -> dict[object, str]:
        return {nr: str(text) for nr, text in self._all("borrow", kind, json.dumps(list(set(ids))))}

    def _rows(self, record: _Wire) -> list[tuple[int, _Wire]]:
        return list(enumerate(_objects(record[self._fields.rows]))) if self._fields.rows else []

    async def page(self, statement: str, *values: object) -> object:
        """Read documents with their rows."""
        found = self._all(statement, *values)
        rows = self._all("rows", json.dumps([nr for nr, _ in found])) if self._fields.rows else []
        return [_decoded(document) for _, document in found], [_decoded(row) for (row,) in rows]

    async def count(self, *values: object) -> object:
        """Count the documents of a status in a window."""
        return self._all("count", *values)

    async def search(self, text: str) -> object:
        """Find the best 20 with words that begin so."""
        return await self.page("search", _match(parse(text).tokens))


def _decoded(stored: object) -> object:
    assert isinstance(stored, bytes)
    return decode(stored)


def _match(tokens: Iterable[str]) -> str:
    return " ".join(f'"{token}"*' for token in tokens)


def _objects(listed: Json) -> list[_Wire]:
    return [value for value in listed if isinstance(value, dict)] if isinstance(listed, list) else []


def _codes(record: _Wire) -> list[str]:
    return [str(record["sku"]), *map(str, _texts(record["supplier_item_codes"])), str(record["internal_barcode"])]


def _options(record: _Wire) -> list[str]:
    return [str(attribute["config_value"]) for attribute in _objects(record["config_attributes"])]


def _texts(listed: Json) -> list[Json]:
    return listed if isinstance(listed, list) else []


def _borrowed(record: _Wire) -> tuple[str, str]:
    """Return the name and the category of a variant's product."""
    nr = product_of(cast("int", record["id"]))
    return product_name(nr), category(nr)
