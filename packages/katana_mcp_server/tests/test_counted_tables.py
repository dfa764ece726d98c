"""Pasted tables of counts: what is certain is read as it stands, and nothing else is."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.entities.stocktakes.counting.table import CountLine, UnreadLine, read_table

SEPARATORS = st.sampled_from(["\t", ";", ","])
SKUS = st.from_regex(r"[A-Z]{1,6}[-_/.]?[0-9]{1,4}", fullmatch=True)
AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=2).map(lambda number: format(number, "f"))


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("PAD\t3", ("PAD", "3", None)),
        ("PAD;3,5", ("PAD", "3.5", None)),
        ("PAD\t3.5\t", ("PAD", "3.5", None)),
        ("GLUE, 12 , LOT-1", ("GLUE", "12", "LOT-1")),
        ('"PAD, wide",3', ("PAD, wide", "3", None)),
        ("PAD;0", ("PAD", "0", None)),
        ("PAD;0.125", ("PAD", "0.125", None)),
        ("PAD;12345.678", ("PAD", "12345.678", None)),
    ],
)
def test_a_line_is_read_as_it_stands(line: str, read: tuple[str, str, str | None]) -> None:
    (found,), heading = read_table(line)
    assert isinstance(found, CountLine)
    assert (found.sku_or_variant_id, found.quantity, found.batch) == (read[0], Decimal(read[1]), read[2])
    assert (found.where, heading) == ("line 1", None)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PAD", "is not SKU, quantity"),
        ("PAD;a few", "is not a quantity"),
        ("PAD;-3", "is not a quantity"),
        ("PAD;1.000", "may be 1000 or 1.0"),
        ("PAD;1,250", "may be 1250 or 1.25"),
        ("PAD;1.000.000", "is not a quantity"),
        ("PAD;1e3", "is not a quantity"),
        ("PAD;NaN", "is not a quantity"),
        ("PAD;;LOT-1", "is not a quantity"),
        (";3", "is not SKU, quantity"),
        ("PAD;3;LOT-1;x", "is not SKU, quantity"),
        ("PAD 3", "is not SKU, quantity"),
        ("PAD;٣", "is not a quantity"),
        ("PAD;9999999999999999", "is not a quantity"),
    ],
)
def test_what_is_not_certain_is_not_read(line: str, why: str) -> None:
    (found,), _ = read_table(line)
    assert isinstance(found, UnreadLine)
    assert why in found.why


@pytest.mark.parametrize(
    "heading",
    ["SKU;In stock;Counted", "SKU;Location code;Qty", "SKU;Batch;Qty", "Qty;SKU", "SKU;Name;Qty", "SKU;Qty;Note"],
)
def test_columns_of_another_order_are_not_taken_for_counts(heading: str) -> None:
    lines, named = read_table(f"{heading}\nFSKT-32M;10;5\n")
    (line,) = lines
    assert isinstance(line, UnreadLine)
    assert (line.where, named) == ("line 1", None)
    assert "paste SKU, quantity and, if any, batch alone, in this order" in line.why


def test_lines_are_counted_as_they_are_seen_and_a_heading_is_none() -> None:
    found, heading = read_table("SKU;Counted\r\n\r\nPAD;3\r\n  \r\nHUB;x\r\n")
    assert (heading, [line.where for line in found]) == ("SKU;Counted", ["line 3", "line 5"])
    assert read_table(" \n\n") == ([], None)
    assert read_table("Item code, Qty on shelf") == ([], "Item code, Qty on shelf")
    assert read_table("PAD;three")[1] is None, "a heading has a usual word"


@given(st.lists(st.tuples(SKUS, AMOUNTS), min_size=1, max_size=20), SEPARATORS)
def test_every_table_is_read_back_as_it_was_written(rows: list[tuple[str, str]], separator: str) -> None:
    found, heading = read_table("\n".join(separator.join(row) for row in rows))
    assert heading is None
    assert [(line.sku_or_variant_id, line.quantity) for line in found if isinstance(line, CountLine)] == [
        (sku, Decimal(amount)) for sku, amount in rows
    ]


@given(st.text(max_size=200))
def test_any_text_is_read_or_told_line_by_line(text: str) -> None:
    found, heading = read_table(text)
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(found) + (heading is not None) == len(lines)
