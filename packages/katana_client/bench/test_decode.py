"""Pages of 250 variants: bytes to normalised records and models, on one core."""

import json
import sys
import time
from collections.abc import Callable
from typing import cast

import pytest

from katana_client.headers import Cursor
from katana_client.jsontext import decode
from katana_client.page import Shape, read_page
from katana_client.resources.variants import Variant

FLOOR = 20_000
PAGES = 60


def page_of_variants() -> bytes:
    """Return a full page as Katana sends it."""
    rows = [
        {
            "id": 30_000 + number,
            "sku": f"00.4021.{number:03}.003",
            "sales_price": 299.99,
            "purchase_price": 150.5,
            "product_id": 101,
            "material_id": None,
            "type": "product",
            "internal_barcode": f"INT-KNF-{number}",
            "registered_barcode": "789123456789",
            "supplier_item_codes": ["SUP-KNF-8PC-001", "00.4021.018.003"],
            "lead_time": 7,
            "minimum_order_quantity": 1.5,
            "config_attributes": [
                {"config_name": "Piece Count", "config_value": "8-piece"},
                {"config_name": "Handle Material", "config_value": "Steel"},
            ],
            "custom_fields": [{"field_name": "Warranty Period", "field_value": "5 years"}],
            "created_at": "2024-01-15T08:00:00.000Z",
            "updated_at": "2024-08-20T14:45:00.813Z",
            "deleted_at": None,
            "archived_at": None,
            "abc_classification": "A",
            "average_weight": 0.75,
            "weight_unit": "kg",
            "hs_code": "8211.91",
            "country_of_origin": "EE",
            "is_batch_tracked": False,
            "note": "Räuber Löffel, 8 Stück",
        }
        for number in range(250)
    ]
    return json.dumps({"data": rows}).encode()


def rate(work: Callable[[bytes], object], body: bytes) -> float:
    """Return the rows per second of the best of three rounds."""
    work(body)
    best = 0.0
    for _ in range(3):
        started = time.process_time()
        for _ in range(PAGES):
            work(body)
        best = max(best, PAGES * 250 / (time.process_time() - started))
    return best


def read(body: bytes) -> None:
    """Do what a listing does with one answer."""
    page = read_page(Shape(Variant), cast("dict[str, list[object]]", decode(body))["data"], Cursor(), (1, 250))
    assert len(page.items) == 250


@pytest.mark.bench
def test_a_page_of_variants_is_read_at_20_000_rows_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    """Hold the floor and show the ratio to `json.loads` alone."""
    body = page_of_variants()
    plain = rate(json.loads, body)
    decoded = rate(decode, body)
    full = rate(read, body)
    told = (
        f"json.loads {plain:,.0f} rows/s; exact decode {decoded:,.0f}; decoded, normalised and validated {full:,.0f}; "
        f"ratio to json.loads alone {full / plain:.2f}; page of {len(body):,} bytes"
    )
    with capsys.disabled():
        sys.stdout.write(f"\n{told}\n")
    assert full >= FLOOR
