"""Sales orders for the tests of this package: realistic ones, and strategies that bend every field."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from bench import data
from hypothesis import strategies as st

from cache_core.indexing import row_of
from cache_core.protocol import Batch, Row
from cache_core.records import Json, canonical
from cache_core.spec import Parents
from cache_core.specs.sales_orders import SALES_ORDER

NOON = data.NOON
PARENTS: Parents = {
    ("customer", 1): {"name": "Müller GmbH", "company": "Werk Süd"},
    ("customer", 2): {"name": "Åse & Sønn", "company": None},
    **{("variant", nr): {"sku": f"00.4021.{nr:03}"} for nr in range(50)},
}


def order(nr: int, **fields: object) -> dict[str, Json]:
    """Return an order with three rows as Katana sends it."""
    made = data.order(nr, 50)
    rows = cast("list[dict[str, object]]", made["sales_order_rows"])
    record: dict[str, object] = {
        **made,
        "customer_id": 1 + nr % 2,
        "order_created_date": f"2025-01-{1 + nr % 28:02}T08:00:00.000Z",
        "delivery_date": None if nr % 7 == 0 else f"2025-02-{1 + nr % 28:02}T08:00:00.000Z",
        "customer_ref": f"REF/{nr % 1000}",
        "sales_order_rows": [row | {"variant_id": (nr + index) % 50} for index, row in enumerate(rows)],
        "created_at": NOON,
        "updated_at": NOON,
        **fields,
    }
    return canonical(record)


def row(record: Mapping[str, Json]) -> Row:
    """Return the record ready to be stored, with its parents' text."""
    return row_of(SALES_ORDER, dict(record), PARENTS)


def batch(*records: Mapping[str, Json]) -> Batch:
    """Return a listing of these orders."""
    return Batch(entity="sales_order", at=NOON, upserts=tuple(row(record) for record in records))


def only_file(directory: Path) -> Path:
    """Return the database file in a directory."""
    (path,) = directory.glob("*.db")
    return path


WEIRD = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        [
            "",
            "null",
            "10.5000000000",
            "-0.0",
            "1e5",
            "2021-09-01T07:49:29.813Z",
            "2021-09-01T07:49:29Z",
            "2021-13-01T07:49:29.813Z",
            "2021-09-01T24:00:00.000Z",
            "a\x00b",
            "\ud800",
            "漢字",
            'x"y',
        ]
    )
    | st.text(max_size=8)
    | st.builds(dict[str, int])
    | st.builds(list[int])
    | st.lists(st.integers(-3, 3) | st.text(max_size=3), max_size=3)
    | st.dictionaries(st.text(max_size=4), st.integers(-3, 3) | st.none(), max_size=3)
)
"""Values of every type, at the edges of every column."""


def bent(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, object]]:
    """Return objects with any of these fields, and unknown ones, each holding anything."""
    return st.dictionaries(st.sampled_from(names) | st.text(max_size=6), WEIRD, max_size=8)
