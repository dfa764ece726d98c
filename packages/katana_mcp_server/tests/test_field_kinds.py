"""Whether two values mean the same, kind of field by kind of field, where the usual cases end."""

from decimal import Decimal

import pytest

from katana_client.models.customer_addresses import CustomerAddress
from katana_client.models.customers import Customer
from katana_client.models.factory import Factory
from katana_client.models.locations import Location, LocationAddress
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.models.sales_order_fulfillments import FulfillmentRow
from katana_client.models.stock_transfers import StockTransfer, StockTransferRow
from katana_mcp.writing.actions import SOME
from katana_mcp.writing.meaning import Model, all_same, differing, entry_model, holds, same


@pytest.mark.parametrize(
    ("found", "is_same"),
    [(5, True), (0, True), ("a", True), ([], True), ({}, True), (False, True), (None, False), ("", False)],
)
def test_what_is_only_known_to_be_set_is_anything_but_nothing(found: object, *, is_same: bool) -> None:
    assert same(PurchaseOrder, "supplier_id", SOME, found) is is_same


@pytest.mark.parametrize(
    ("expected", "found", "is_same"),
    [
        (None, None, True),
        (None, "", True),
        ("", "", True),
        ({}, None, True),
        ({"city": None, "zip": None}, "", True),
        (None, {"city": None}, True),
        ({}, {"city": "Riga"}, False),
        ({"city": None, "zip": "1"}, None, False),
        (None, {"city": "Riga"}, False),
        # What is empty inside is set all the same.
        ({"city": ""}, None, False),
        (None, [], False),
        (None, 0, False),
        (False, None, False),
        (0, "", False),
    ],
)
def test_nothing_is_only_the_same_as_nothing(expected: object, found: object, *, is_same: bool) -> None:
    assert same(Location, "address", expected, found) is is_same


@pytest.mark.parametrize(
    ("model", "name", "expected", "found", "is_same"),
    [
        (Location, "address", {"city": "Riga"}, {"city": "Riga", "zip": "1"}, True),
        (Location, "address", {"city": "Riga", "zip": None}, {"city": "Riga"}, True),
        (Location, "address", {"city": "Riga"}, {"zip": "1"}, False),
        (Location, "address", {"city": "Riga"}, "Riga", False),
        (Location, "address", "Riga", "Riga", True),
        (Location, "address", "Riga", {"city": "Riga"}, False),
        (Factory, "legal_address", {"zip": 1010}, {"zip": "1010"}, True),
        # What no read model declares is compared as it stands.
        (Customer, "unheard_of", {"a": "1"}, {"a": "1"}, True),
        (Customer, "unheard_of", {"a": "1"}, {"a": "1", "b": 2}, False),
        (Customer, "unheard_of", ["1"], ["1"], True),
        (FulfillmentRow, "serial_numbers", [1, 2], [1, 2], True),
        (FulfillmentRow, "serial_numbers", [1, 2], [2, 1], False),
        (PurchaseOrder, "purchase_order_rows", [7, 8], [8, 7], True),
        (PurchaseOrder, "purchase_order_rows", [{"quantity": 1}, 7], [7, {"quantity": "1.0"}], True),
        (PurchaseOrder, "purchase_order_rows", [{"quantity": 1}], [7], False),
        (PurchaseOrder, "purchase_order_rows", [7], [{"quantity": 1}], False),
        (PurchaseOrder, "purchase_order_rows", [], [], True),
        (PurchaseOrder, "purchase_order_rows", [7], "7", False),
    ],
)
def test_objects_and_lists_are_compared_by_what_they_hold(
    model: Model, name: str, expected: object, found: object, *, is_same: bool
) -> None:
    assert same(model, name, expected, found) is is_same


@pytest.mark.parametrize(
    ("model", "name", "expected", "found", "is_same"),
    [
        (PurchaseOrder, "order_no", "7", 7, True),
        (PurchaseOrder, "order_no", Decimal("7.0"), "7.0", True),
        (PurchaseOrder, "order_no", Decimal("7.0"), "7", False),
        (PurchaseOrder, "order_no", ["7"], ["7"], True),
        (PurchaseOrder, "order_no", ["7"], "['7']", False),
        (PurchaseOrder, "order_no", "2026-03-09T00:00:00Z", "2026-03-09T00:00:00", False),
        (PurchaseOrder, "supplier_id", "7", 7, True),
        (PurchaseOrder, "supplier_id", "7.0", "7", True),
        (PurchaseOrder, "supplier_id", "Infinity", "Infinity", True),
        (PurchaseOrder, "supplier_id", "Infinity", "inf", False),
        (PurchaseOrder, "supplier_id", "NaN", "NaN", True),
        (PurchaseOrder, "supplier_id", 1, True, False),
        (PurchaseOrder, "supplier_id", "True", True, True),
        (PurchaseOrder, "created_at", "2026-03-09", "2026-03-09T00:00:00Z", True),
        (PurchaseOrder, "created_at", "2026-03-09T02:00:00+02:00", "2026-03-09T00:00:00+00:00", True),
        (PurchaseOrder, "created_at", "2026-03-09T02:00:00+02:00", "2026-03-09T02:00:00", False),
        (PurchaseOrder, "created_at", 5, 5, True),
        (PurchaseOrder, "created_at", "5", 5, False),
        (CustomerAddress, "default", False, False, True),
        (CustomerAddress, "default", False, 0, False),
        (CustomerAddress, "default", "1", "1.0", False),
    ],
)
def test_a_text_an_amount_and_a_moment_are_each_compared_as_that(
    model: Model, name: str, expected: object, found: object, *, is_same: bool
) -> None:
    assert same(model, name, expected, found) is is_same


@pytest.mark.parametrize(
    ("model", "name", "inner"),
    [
        (PurchaseOrder, "purchase_order_rows", PurchaseOrderRow),
        (Location, "address", LocationAddress),
        (StockTransfer, "stock_transfer_rows", StockTransferRow),
        (PurchaseOrder, "order_no", PurchaseOrder),
        (PurchaseOrder, "unheard_of", PurchaseOrder),
    ],
)
def test_what_the_entries_of_a_list_hold_is_declared_with_the_list(model: Model, name: str, inner: Model) -> None:
    assert entry_model(model, name) is inner


def test_the_fields_that_differ_are_named_in_their_order() -> None:
    expected = {"company": "b", "name": "a", "email": "c", "phone": None, "currency": "EUR"}
    found = {"name": "x", "company": "y", "email": "c", "phone": "1", "city": "z"}
    assert differing(Customer, expected, found) == ["company", "name", "phone"]
    assert differing(Customer, {}, found) == []
    assert (holds(Customer, {}, found), holds(Customer, {"name": "x", "phone": "1"}, found)) == (True, True)
    assert holds(Customer, {"name": "x", "phone": "2"}, found) is False


@pytest.mark.parametrize(
    ("expected", "found", "is_same"),
    [
        ([], [], True),
        ([{"quantity": 1}], [{"quantity": 1}, {"quantity": 2}], False),
        ([{"quantity": 2}, {"quantity": 1}], [{"quantity": 1}, {"quantity": 2}], True),
        ([{"quantity": 1}, {"quantity": 1}], [{"quantity": 1}], False),
    ],
)
def test_two_lists_are_the_same_when_each_record_has_its_own_match(
    expected: list[object], found: list[object], *, is_same: bool
) -> None:
    assert all_same(PurchaseOrderRow, expected, found) is is_same


@pytest.mark.parametrize(
    ("expected", "found", "is_same"),
    [
        # Two entries of one batch count together.
        ([{"batch_id": 7, "quantity": 1}, {"batch_id": 7, "quantity": 2}], [{"batch_id": 7, "quantity": 3}], True),
        ([{"batch_id": 7, "quantity": 1}, {"batch_id": 7, "quantity": 2}], [{"batch_id": 7, "quantity": 2}], False),
        # What is no amount, or missing, is none.
        ([{"batch_id": 7, "quantity": 0}], [{"batch_id": 7, "quantity": None}], True),
        ([{"batch_id": 7, "quantity": 0}], [{"batch_id": 7, "quantity": "many"}], True),
        ([{"batch_id": 7, "quantity": 0}], [{"batch_id": 7, "quantity": 1}], False),
        ([{"batch_id": 7, "quantity": "1.5"}], [{"batch_id": 7, "quantity": Decimal("1.50")}], True),
        # Where one amount is left open, only what is named counts.
        ([{"batch_id": 7, "quantity": 1}, {"batch_id": 8}], [{"batch_id": 8}, {"batch_id": 7, "quantity": 9}], True),
        ([{"batch_id": 7, "quantity": 1}, {"batch_id": 8}], [{"batch_id": 7, "quantity": 1}], False),
        # A unit needs no amount, so it leaves the others counted.
        (
            [{"serial_number_id": 9}, {"batch_id": 7, "quantity": 1}],
            [{"serial_number_id": 9}, {"batch_id": 7, "quantity": 2}],
            False,
        ),
        (
            [{"serial_number_id": 9}, {"batch_id": 7, "quantity": 1}],
            [{"serial_number_id": 9, "quantity": 5}, {"batch_id": 7, "quantity": 1}],
            True,
        ),
        ([{"serial_number_id": 9, "quantity": 1}], [{"serial_number_id": 9}, {"serial_number_id": 9}], False),
        # A bin counts as soon as one entry names one.
        (
            [{"batch_id": 7, "bin_location_id": 1, "quantity": 1}, {"batch_id": 8, "quantity": 1}],
            [{"batch_id": 7, "bin_location_id": 1, "quantity": 1}, {"batch_id": 8, "quantity": 1}],
            True,
        ),
        (
            [{"batch_id": 7, "bin_location_id": 1, "quantity": 1}, {"batch_id": 8, "quantity": 1}],
            [
                {"batch_id": 7, "bin_location_id": 1, "quantity": 1},
                {"batch_id": 8, "bin_location_id": 2, "quantity": 1},
            ],
            False,
        ),
        ([{"bin_location_id": 0, "quantity": 1}], [{"bin_location_id": 0, "quantity": 1}], True),
        ([{"bin_location_id": 0, "quantity": 1}], [], False),
        # What is no object names nothing.
        (["x", {"batch_id": 7, "quantity": 1}], [{"batch_id": 7, "quantity": 1}, 5], True),
    ],
)
def test_batches_units_and_bins_are_compared_by_how_much_is_of_each(
    expected: object, found: object, *, is_same: bool
) -> None:
    assert same(StockTransferRow, "traceability", expected, found) is is_same
