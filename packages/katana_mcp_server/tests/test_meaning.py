"""What was written is compared by what each field is: amounts by value, moments as instants, texts as they stand."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client.models.customer_addresses import CustomerAddress
from katana_client.models.customers import Customer
from katana_client.models.manufacturing_orders import ManufacturingOrder
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.models.sales_orders import SalesOrder
from katana_client.models.sales_returns import SalesReturn
from katana_client.models.services import Service
from katana_client.models.stock_adjustments import StockAdjustment
from katana_client.models.stock_transfers import StockTransfer, StockTransferRow
from katana_client.models.suppliers import Supplier
from katana_mcp.entities import ENTITIES
from katana_mcp.writing.meaning import Model, all_same, differing, holds, model_of, same

WRITTEN: tuple[Model, ...] = (
    Customer,
    CustomerAddress,
    PurchaseOrder,
    PurchaseOrderRow,
    PurchaseOrderAdditionalCostRow,
    StockTransfer,
)


@pytest.mark.parametrize(
    ("model", "name", "expected", "found", "is_same"),
    [
        (PurchaseOrder, "total", 1100, "1100.0000000000", True),
        (PurchaseOrderRow, "quantity", "2.5", Decimal("2.50"), True),
        (PurchaseOrderRow, "quantity", "2.50", "2.5", True),
        (PurchaseOrderRow, "quantity", 0, None, False),
        (PurchaseOrderRow, "quantity", 0, "0.0", True),
        (PurchaseOrderRow, "quantity", "many", "many", True),
        (PurchaseOrderRow, "quantity", "many", "NaN", False),
        (PurchaseOrderRow, "location_id", 1, 2, False),
        (StockTransfer, "transfer_date", "2026-03-09T00:00:00Z", "2026-03-09T02:00:00.000+02:00", True),
        (StockTransfer, "transfer_date", "2026-03-09T00:00:00Z", "2026-03-09T00:00:01Z", False),
        (StockTransfer, "transfer_date", "2026-03-09T00:00:00Z", "2026-03-09T00:00:00", True),
        (StockTransfer, "transfer_date", "2026-03-09T00:00:00Z", "soon", False),
        (StockTransfer, "transfer_date", "soon", "later", False),
        (StockTransfer, "transfer_date", "soon", "soon", True),
        (StockTransfer, "additional_info", None, "", True),
        (StockTransfer, "additional_info", "", None, True),
        (StockTransfer, "stock_transfer_number", "ST-1", "ST-2", False),
        (StockTransfer, "stock_transfer_number", "7", 7, True),
        (CustomerAddress, "zip", "08010", "8010", False),
        (CustomerAddress, "default", True, True, True),
        (CustomerAddress, "default", True, 1, False),
        (PurchaseOrder, "unheard_of", 1, Decimal("1.0"), True),
        (PurchaseOrder, "unheard_of", "1", "1.0", False),
        # Katana keeps milliseconds, and cuts off the rest.
        (StockAdjustment, "stock_adjustment_date", "2026-02-01T08:00:00.123999Z", "2026-02-01T08:00:00.123Z", True),
        (StockAdjustment, "stock_adjustment_date", "2026-02-01T08:00:00.123999Z", "2026-02-01T08:00:00.124Z", False),
        (PurchaseOrder, "purchase_order_rows", [{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 2}], False),
        (PurchaseOrder, "purchase_order_rows", [{"quantity": 1}], [{"quantity": "1.0", "id": 7}], True),
        (PurchaseOrder, "purchase_order_rows", [{"purchase_uom": "1"}], [{"purchase_uom": "1.0"}], False),
        (PurchaseOrder, "purchase_order_rows", [], [7], False),
        (PurchaseOrder, "purchase_order_rows", [7], {}, False),
        (PurchaseOrder, "purchase_order_rows", [7], ["a"], False),
        (PurchaseOrder, "purchase_order_rows", {"quantity": 1}, [], False),
    ],
)
def test_a_value_is_compared_by_what_its_field_is(
    model: Model, name: str, expected: object, found: object, *, is_same: bool
) -> None:
    assert same(model, name, expected, found) is is_same


def test_an_answer_that_leaves_a_field_out_is_no_surprise_and_no_proof() -> None:
    assert differing(Customer, {"name": "a", "company": "b"}, {"name": "a"}) == []
    assert not holds(Customer, {"name": "a", "company": "b"}, {"name": "a"})
    assert holds(Customer, {"name": "a", "company": None}, {"name": "a"})


def test_records_are_the_same_in_any_order_each_once() -> None:
    one, two = {"reference": "1"}, {"reference": "1.0"}
    assert all_same(PurchaseOrderAdditionalCostRow, [one, two], [two, one])
    assert not all_same(PurchaseOrderAdditionalCostRow, [one, one], [one, two])


def _texts() -> Iterator[tuple[Model, str]]:
    for model in WRITTEN:
        yield from ((model, name) for name, field in model.model_fields.items() if field.annotation == str | None)


TEXT_FIELDS = list(_texts())
_NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str)
_LOOKS = st.one_of(
    st.tuples(_NUMBERS, st.sampled_from(["{}0", "{}.0", "+{}", "0{}", " {}"])),
    st.tuples(
        st.datetimes().map(lambda moment: f"{moment:%Y-%m-%dT%H:%M}"), st.sampled_from(["{}:00", "{}Z", "{}+00:00"])
    ),
)


@given(field=st.sampled_from(TEXT_FIELDS), looks=_LOOKS)
def test_two_texts_are_two_however_much_they_look_like_one_number_or_moment(
    field: tuple[Model, str], looks: tuple[str, str]
) -> None:
    text, spelling = looks
    model, name = field
    assert same(model, name, text, text)
    assert not same(model, name, text, spelling.format(text))
    assert not holds(model, {name: text}, {name: spelling.format(text)})


def test_every_collection_that_is_written_to_is_declared() -> None:
    assert len(TEXT_FIELDS) > 30
    kept = {"items": "services"}
    assert {model_of(kept.get(entity.plural, entity.plural)) for entity in ENTITIES if entity.writes} == {
        *(
            Customer,
            ManufacturingOrder,
            PurchaseOrder,
            SalesOrder,
            SalesReturn,
            Service,
            StockAdjustment,
            StockTransfer,
            Supplier,
        ),
    }


@pytest.mark.parametrize(
    ("expected", "found", "is_same"),
    [
        (
            [{"batch_id": 7, "quantity": 2}],
            [{"batch_id": 7, "serial_number_id": None, "quantity": "2.0000000000"}],
            True,
        ),
        (
            [{"batch_id": 7, "quantity": 2}],
            [{"batch_id": 7, "quantity": "2"}, {"batch_id": None, "quantity": "3"}],
            True,
        ),
        ([{"batch_id": 7, "quantity": 2}], [{"batch_id": 7, "quantity": 1, "bin_location_id": 4}] * 2, True),
        ([{"batch_id": 7, "quantity": 2, "bin_location_id": 4}], [{"batch_id": 7, "quantity": 2}], False),
        ([{"batch_id": 7, "quantity": 2}], [{"batch_id": 7, "quantity": 3}], False),
        ([{"batch_id": 7, "quantity": 2}], [{"batch_id": 8, "quantity": 2}], False),
        ([{"batch_id": 7, "quantity": 2}], [{"batch_id": 7, "quantity": 2}, {"batch_id": 8, "quantity": 1}], False),
        ([{"batch_id": 7}], [{"batch_id": 7, "quantity": 5}], True),
        ([{"batch_id": 7}], [{"batch_id": 8, "quantity": 5}], False),
        ([{"serial_number_id": 9}], [{"serial_number_id": 9, "quantity": "1"}], True),
        ([{"serial_number_id": 9, "quantity": -1}], [{"serial_number_id": 9}], True),
        ([{"serial_number_id": 9}], [{"batch_id": 9, "quantity": 1}], False),
        ([{"serial_number_id": 9}, {"serial_number_id": 8}], [{"serial_number_id": 8}, {"serial_number_id": 9}], True),
        ([], [{"batch_id": None, "quantity": 4}], True),
        ([], [{"batch_id": 7, "quantity": 4}], False),
        ([{"batch_id": 7, "quantity": 2}], [], False),
        ([{"batch_id": 7, "quantity": 2}], None, False),
    ],
)
def test_two_lists_are_traced_alike_when_they_name_the_same_batches_and_units(
    expected: object, found: object, is_same: bool
) -> None:
    assert same(StockTransferRow, "traceability", expected, found) is is_same
