"""Documents in every backend and in plain sqlite3, with what they borrow their text from stored before them."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

from bench import data, documents, lines
from bench.caches import FLOOR, Caches, opened, rates, sides, stores, written
from bench.figures import Figure, Work, p95, side_by_side
from bench.floor import DocumentFloor, Fields
from cache_core.conditions import Below, Condition, NoneOf, OneOf, Order, Within
from cache_core.protocol import CacheBackend, Search, Selection
from cache_core.records import Record
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS

KNOWN = 20_000
"""Variants of which the rows of documents speak."""
PARTIES = 500
AGAIN = 10_000
_BY_NAME = {spec.name: spec for spec in SPECS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of document: how it is made up, and what it is asked by."""

    topic: str
    entity: str
    make: Callable[[int], Record]
    fields: Fields
    done: str
    status: str

    @property
    def spec(self) -> EntitySpec:
        """How it is kept."""
        return _BY_NAME[self.entity]

    def number(self, nr: int) -> str:
        """Return the number of the document with this id."""
        return str(self.make(nr)["order_no"])

    @property
    def variant(self) -> str:
        """The path to the variants of which it speaks."""
        return f"{self.fields.rows}[].variant_id" if self.fields.rows else "variant_id"


def _sales_order(nr: int) -> Record:
    return data.order(nr, KNOWN)


def _purchase_order(nr: int) -> Record:
    made = documents.purchase_order(nr)
    rows = cast("list[dict[str, object]]", made["purchase_order_rows"])
    spread = [{**row, "variant_id": 1 + (nr * 3 + at) % KNOWN} for at, row in enumerate(rows)]
    arrives = f"{data.day_of(nr)}T16:00:00.000Z"
    more = {"supplier_id": 1 + nr % PARTIES, "expected_arrival_date": arrives, "purchase_order_rows": spread}
    return {**made, **more}


def _manufacturing_order(nr: int) -> Record:
    ends = f"{data.day_of(nr)}T16:00:00.000Z" if nr % 2 else None
    made = documents.manufacturing_order(nr)
    return {**made, "variant_id": 1 + nr % KNOWN, "production_deadline_date": ends}


KINDS = (
    Kind(
        topic=lines.SALES,
        entity="sales_order",
        make=_sales_order,
        fields=Fields(
            party="customer_id",
            due="delivery_date",
            extras=("customer_ref", "additional_info"),
            rows="sales_order_rows",
        ),
        done="DELIVERED",
        status="PACKED",
    ),
    Kind(
        topic=lines.PURCHASES,
        entity="purchase_order",
        make=_purchase_order,
        fields=Fields(
            party="supplier_id",
            due="expected_arrival_date",
            extras=("additional_info",),
            rows="purchase_order_rows",
        ),
        done="RECEIVED",
        status="PARTIALLY_RECEIVED",
    ),
    Kind(
        topic=lines.MANUFACTURING,
        entity="manufacturing_order",
        make=_manufacturing_order,
        fields=Fields(party="variant_id", due="production_deadline_date", extras=("additional_info",)),
        done="DONE",
        status="IN_PROGRESS",
    ),
)


def _party(nr: int) -> Record:
    first, second = data.product_name(nr).split()[:2]
    about = {"name": f"{first} {second} GmbH", "email": f"{first}@{second}.example".lower()}
    return {"id": nr, **about, **documents.DATES}


async def lend(caches: Caches) -> None:
    """Store what documents borrow their text from: customers, suppliers and variants."""
    parties = [_party(nr) for nr in range(1, PARTIES + 1)]
    for entity, records in (
        ("customer", parties),
        ("supplier", parties),
        ("variant", [data.variant(nr) for nr in range(1, KNOWN + 1)]),
    ):
        await rates(stores(caches, _BY_NAME[entity]), data.pages(iter(records)), len(records))


async def orders(entity: str, size: int, directory: Path) -> list[Figure]:
    """Measure an order book of this many documents of a kind."""
    (kind,) = (kind for kind in KINDS if kind.entity == entity)
    async with opened(directory, size) as caches:
        await lend(caches)
        with closing(DocumentFloor(directory / f"{entity}.db", kind.fields)) as floor:
            floor.lend("party", (_lender(kind, nr) for nr in range(1, PARTIES + 1)), "name", "email")
            floor.lend("variant", (data.variant(nr) for nr in range(1, KNOWN + 1)), "sku")
            return [*await _written(kind, caches, floor, size), *await _read(kind, caches, floor, size)]


def _lender(kind: Kind, nr: int) -> Record:
    return _party(nr) if kind.fields.rows else {"id": nr, "name": data.sku(nr), "email": None}


async def _written(kind: Kind, caches: Caches, floor: DocumentFloor, size: int) -> list[Figure]:
    def wire() -> Iterable[bytes]:
        return data.pages(kind.make(nr) for nr in range(size, 0, -1))

    first = await rates(stores(caches, kind.spec) | {FLOOR: floor.store}, wire(), size)
    again = min(size, AGAIN)
    second = await rates(stores(caches, kind.spec), islice(wire(), again // data.PAGE), again)
    return [
        Figure(topic=kind.topic, what=lines.STORED, size=size, values=first),
        Figure(topic=kind.topic, what=lines.AGAIN, size=size, values=second | {FLOOR: first[FLOOR]}),
    ]


async def _read(kind: Kind, caches: Caches, floor: DocumentFloor, size: int) -> list[Figure]:
    works = {
        **{f"page of 50, {what}": by_side for what, by_side in _pages(kind, caches, floor).items()},
        **_others(kind, caches, floor, size),
    }
    anew = partial(written, caches, kind.entity)
    return [
        Figure(topic=kind.topic, what=f"{what}, p95", size=size, values=p95(await side_by_side(by_side, before=anew)))
        for what, by_side in works.items()
    ]


_LOW, _HIGH, _NOW = "2024-03-01T00:00:00.000Z", "2024-03-31T23:59:59.999Z", "2025-06-01T12:00:00.000Z"


def _pages(kind: Kind, caches: Caches, floor: DocumentFloor) -> dict[str, dict[str, Work]]:
    due = kind.fields.due
    newest, by_due = Order("id", descending=True), Order(due)
    status, window = OneOf("status", (kind.status,)), Within(due, _LOW, _HIGH)
    of_variant, of_party = OneOf(kind.variant, (77,)), OneOf(kind.fields.party, (7,))
    is_open = NoneOf("status", (kind.done,))

    def page(where: tuple[Condition, ...], order: Order, statement: str, *values: object) -> dict[str, Work]:
        selected = partial(_selected, kind.entity, Selection(where, order, 50))
        return sides(caches, selected, (lambda _: floor.page(statement, *values)) if statement else None)

    pages = {
        "newest": page((), newest, "page"),
        "status": page((status,), newest, "page_by_status", kind.status),
        "window of due dates": page((window,), newest, "page_by_window", _LOW, _HIGH),
        "open": page((is_open,), newest, "page_open", kind.done),
        "overdue, by due date": page((is_open, Below(due, _NOW)), by_due, "page_overdue", kind.done, _NOW),
        "status and window, by due date": page(
            (status, window), by_due, "page_by_status_and_window", kind.status, _LOW, _HIGH
        ),
        "four filters": page((status, window, of_variant, OneOf("location_id", (1, 2))), newest, ""),
    }
    if kind.fields.rows is None:
        return pages | {"variant": page((of_variant,), newest, "page_by_party", 77)}
    return pages | {
        "variant in rows": page((of_variant,), newest, "page_by_variant", 77),
        "customer or supplier": page((of_party,), newest, "page_by_party", 7),
    }


def _others(kind: Kind, caches: Caches, floor: DocumentFloor, size: int) -> dict[str, dict[str, Work]]:
    name, number = kind.entity, kind.number
    where = (OneOf("status", (kind.status,)), Within(kind.fields.due, _LOW, _HIGH))
    return {
        "count of a status in a window": sides(
            caches, lambda cache, _: cache.count(name, where), lambda _: floor.count(kind.status, _LOW, _HIGH)
        ),
        "by id": sides(
            caches,
            lambda cache, repeat: cache.get_many(name, [repeat + 1]),
            lambda repeat: floor.page("by_id", repeat + 1),
        ),
        "by number": sides(
            caches,
            lambda cache, repeat: cache.find_by_key(name, number(repeat + 1)),
            lambda repeat: floor.page("by_number", number(repeat + 1)),
        ),
        "search, number": sides(
            caches,
            lambda cache, repeat: cache.search(name, Search(number(size - repeat))),
            lambda repeat: floor.search(number(size - repeat)),
        ),
        "search, miss": sides(
            caches,
            lambda cache, repeat: cache.search(name, Search(f"qqxyz{repeat}")),
            lambda repeat: floor.search(f"qqxyz{repeat}"),
        ),
    }


async def _selected(entity: str, selection: Selection, cache: CacheBackend, _: int) -> object:
    return await cache.select(entity, selection)


async def others(size: int, directory: Path) -> list[Figure]:
    """Measure how fast other documents are stored, this many of each."""
    figures: list[Figure] = []
    async with opened(directory, size) as caches:
        await lend(caches)
        for entity in lines.OTHER_DOCUMENTS:
            pages = data.pages(documents.DOCUMENTS[entity](nr) for nr in range(size, 0, -1))
            values = await rates(stores(caches, _BY_NAME[entity]), pages, size)
            figures.append(Figure(topic=lines.OTHERS, what=entity, size=size, values=values))
    return figures
