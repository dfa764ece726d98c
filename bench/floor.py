"""The floors: plain sqlite3 that runs the fixed statements of `floors/*.sql`, decoding and encoding what it must."""

import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from bench.data import product_name, product_of
from cache_core.records import Json, decode, encode

_HERE = Path(__file__).parent / "floors"


def statements(name: str) -> dict[str, str]:
    """Return the named statements of a floor file."""
    parts = (_HERE / f"{name}.sql").read_text("utf-8").split("-- name: ")[1:]
    return {head.strip(): text.strip() for head, text in (part.split("\n", 1) for part in parts)}


def records_of(page: bytes) -> list[dict[str, Json]]:
    """Return the records of a page's body."""
    listed = decode(page)["data"]
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


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

    def fill(self, pages: Iterator[bytes]) -> float:
        """Store every page, searchable; return the seconds of the processor that it took."""
        spent = 0.0
        for page in pages:
            start = time.process_time()
            with self._db:
                self._store(records_of(page))
            spent += time.process_time() - start
        return spent

    @abstractmethod
    def _store(self, records: Sequence[dict[str, Json]]) -> None: ...


class VariantFloor(Floor):
    """Variants in plain sqlite3."""

    name = "variants"

    def _store(self, records: Sequence[dict[str, Json]]) -> None:
        fields = ("id", "sku", "product_id", "type", "internal_barcode", "created_at", "updated_at")
        table = [(*map(each.get, fields), encode(each)) for each in records]
        codes = [(code, each["id"]) for each in records for code in _codes(each)]
        texts = [(each["id"], each["sku"], _name(each), " ".join(_codes(each)[1:])) for each in records]
        self._db.executemany(self._sql["insert"], table)
        self._db.executemany(self._sql["insert_code"], codes)
        self._db.executemany(self._sql["insert_words"], texts)

    async def by_id(self, nr: int) -> object:
        """Read one record."""
        return self._decoded("by_id", nr)

    async def by_sku(self, sku: str) -> object:
        """Read one record by its SKU."""
        return self._decoded("by_sku", sku)

    async def hundred(self, first: int) -> object:
        """Read a hundred records."""
        return self._decoded("hundred", first, first + 99)

    async def by_code(self, code: str) -> object:
        """Find by a code or the start of one."""
        return self._decoded("by_code", code, code)

    async def by_words(self, *words: str) -> object:
        """Find by words, each the start of one in the text."""
        return self._decoded("by_words", " ".join(f'"{word}"*' for word in words))

    def _decoded(self, statement: str, *values: object) -> list[object]:
        return [decode(json) for (json,) in self._db.execute(self._sql[statement], values)]


class OrderFloor(Floor):
    """Sales orders in plain sqlite3, with their rows."""

    name = "orders"

    def _store(self, records: Sequence[dict[str, Json]]) -> None:
        fields = ("id", "order_no", "status", "customer_id", "created_at", "delivery_date")
        self._db.executemany(self._sql["insert"], [(*map(each.get, fields), encode(each)) for each in records])
        rows = [(each["id"], at, row["variant_id"], encode(row)) for each in records for at, row in _rows(each)]
        self._db.executemany(self._sql["insert_row"], rows)
        texts = [
            (each["id"], each["order_no"], "", f"{each['customer_ref']} {each['additional_info']}", "")
            for each in records
        ]
        self._db.executemany(self._sql["insert_words"], texts)

    async def page(self, statement: str, *values: object) -> object:
        """Read a page of orders with their rows."""
        found = self._db.execute(self._sql[statement], values).fetchall()
        return [
            (decode(json), [decode(row) for (row,) in self._db.execute(self._sql["rows"], (nr,))]) for nr, json in found
        ]


def _codes(record: dict[str, Json]) -> list[str]:
    codes = record["supplier_item_codes"]
    listed = [each for each in codes if isinstance(each, str)] if isinstance(codes, list) else []
    return [str(record["sku"]), *listed, str(record["internal_barcode"])]


def _name(record: dict[str, Json]) -> str:
    nr = record["id"]
    return product_name(product_of(nr)) if isinstance(nr, int) else ""


def _rows(order: dict[str, Json]) -> list[tuple[int, dict[str, Json]]]:
    rows = order["sales_order_rows"]
    return [(at, row) for at, row in enumerate(rows) if isinstance(row, dict)] if isinstance(rows, list) else []
