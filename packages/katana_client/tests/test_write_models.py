"""Every write model there is: closed, exact, aware of time, and free of what the server owns."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import cast

import pytest
from pydantic import AwareDatetime, ValidationError
from tests.at_once import at_once

from katana_client import ReadModel, WriteModel
from katana_client.collection import Bound, Collection
from katana_client.jsontext import encode
from katana_client.models.manufacturing_order_operation_rows import ManufacturingOrderOperationRow
from katana_client.models.manufacturing_orders import ManufacturingOrder
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.models.stock_adjustments import StockAdjustment
from katana_client.models.stock_transfers import StockTransfer
from katana_client.normalise import normalise
from katana_client.page import InvalidRecord, Shape, read_record
from katana_client.resources import Collections, bom_rows
from katana_client.resources.manufacturing_order_operation_rows import (
    ManufacturingOrderOperationRowCreate,
    ManufacturingOrderOperationRowUpdate,
)
from katana_client.resources.manufacturing_order_production_ingredients import (
    ManufacturingOrderProductionIngredientUpdate,
    UsedBatchInput,
)
from katana_client.resources.manufacturing_order_productions import (
    ManufacturingOrderProductionCreate,
    UsedIngredientInput,
    UsedOperationInput,
)
from katana_client.resources.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRowCreate
from katana_client.resources.manufacturing_orders import ManufacturingOrderCreate, ManufacturingOrderUpdate
from katana_client.resources.po_additional_cost_rows import PurchaseOrderAdditionalCostRowCreate
from katana_client.resources.price_list_rows import PriceListRowsCreate, PriceListRowUpdate
from katana_client.resources.product_operation_rows import ProductOperationRowsCreate
from katana_client.resources.purchase_order_rows import PurchaseOrderRowCreate, PurchaseOrderRowUpdate
from katana_client.resources.purchase_orders import (
    NewPurchaseOrderRow,
    PurchaseOrderCreate,
    PurchaseOrderUpdate,
    Receipt,
)
from katana_client.resources.recipes import RecipesCreate
from katana_client.resources.stock_adjustments import NewStockAdjustmentRow, StockAdjustmentCreate
from katana_client.resources.stock_transfers import NewStockTransferRow, StockTransferCreate, StockTransferUpdate
from katana_client.tracking import StockBatchInput, TraceabilityInput
from katana_client.wire import parts_of

assert Collections


KINDS = [cast("Bound[Collection]", bound).kind for bound in vars(Collections).values() if isinstance(bound, Bound)]
"""All resources, so that the modules of their write models are there."""


def descendants(model: type[WriteModel]) -> Iterator[type[WriteModel]]:
    for kind in model.__subclasses__():
        yield kind
        yield from descendants(kind)


MODELS = sorted(
    {kind for kind in descendants(WriteModel) if kind.__module__.startswith("katana_client.")},
    key=lambda kind: (kind.__module__, kind.__name__),
)
STORED = [model for model in MODELS if not model.__name__.endswith("SearchFilter")]
"""Those that become records; the conditions of a search name what the server owns, with any value."""
NEVER_WRITTEN = {"created_at", "updated_at", "deleted_at", "archived_at", "landed_cost", "total", "cost"}


def mentions(annotation: object, kind: object) -> bool:
    return annotation is kind or any(mentions(part, kind) for part in parts_of(annotation))


def read[M: ReadModel](model: type[M], record: dict[str, object]) -> M:
    item = read_record(Shape(model, ()), normalise(record, model))
    assert not isinstance(item, InvalidRecord), item
    return item


def refused(model: type[WriteModel], body: dict[str, object], field: str) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(body)
    return [error["msg"] for error in caught.value.errors() if error["loc"][:1] == (field,)]


@at_once("model", STORED)
def test_no_write_model_has_a_field_of_the_server_or_takes_an_unknown_one(model: type[WriteModel]) -> None:
    assert not NEVER_WRITTEN & model.model_fields.keys()
    assert refused(model, {"typo": 1}, "typo") == ["Extra inputs are not permitted"]
    assert model.not_copied <= model.model_fields.keys()


@at_once("model", STORED)
def test_naive_dates_are_refused_before_sending_in_every_field(model: type[WriteModel]) -> None:
    for name, field in model.model_fields.items():
        if mentions(field.annotation, AwareDatetime):
            for naive in (datetime(2026, 1, 1), "2026-01-01T00:00:00"):  # noqa: DTZ001 - naive on purpose
                assert refused(model, {name: naive}, name) == ["Input should have timezone info"]
            assert refused(model, {name: "2026-01-01"}, name)
        else:
            assert not name.endswith(("_date", "_deadline", "_at"))


def test_the_purchasing_and_making_models_are_among_them() -> None:
    dated = {model.__name__ for model in MODELS if any(name.endswith("_date") for name in model.model_fields)}
    assert dated >= {"PurchaseOrderCreate", "PurchaseOrderRowUpdate", "Receipt", "ManufacturingOrderUpdate"}
    assert bom_rows.BomRowCreate in MODELS
    assert len(MODELS) > len(KINDS) == 64


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ONE = Decimal("1.50")
FORMS: list[tuple[WriteModel, str]] = [
    (NewStockTransferRow(variant_id=1, quantity=ONE), '{"variant_id":1,"quantity":"1.50"}'),
    (
        NewPurchaseOrderRow(variant_id=1, quantity=ONE, price_per_unit=ONE, tax_name="VAT", tax_rate=Decimal("7.70")),
        '{"variant_id":1,"quantity":1.50,"price_per_unit":1.50,"tax_name":"VAT","tax_rate":"7.70"}',
    ),
    (
        PurchaseOrderRowCreate(purchase_order_id=2, variant_id=1, quantity=ONE, price_per_unit=ONE, tax_rate=ONE),
        '{"purchase_order_id":2,"variant_id":1,"quantity":1.50,"price_per_unit":1.50,"tax_rate":"1.50"}',
    ),
    (
        PurchaseOrderRowUpdate(tax_rate=Decimal(20), purchase_uom_conversion_rate=ONE, arrival_date=NOON),
        '{"arrival_date":"2026-05-01T12:00:00.000Z","tax_rate":"20","purchase_uom_conversion_rate":1.50}',
    ),
    (
        Receipt(
            purchase_order_row_id=1,
            quantity=ONE,
            received_date=NOON,
            location_id=3,
            batch_transactions=[StockBatchInput(batch_id=None, quantity=ONE)],
        ),
        (
            '{"purchase_order_row_id":1,"quantity":1.50,"received_date":"2026-05-01T12:00:00.000Z","location_id":3,'
            '"batch_transactions":[{"batch_id":null,"quantity":1.50}]}'
        ),
    ),
    (
        PurchaseOrderAdditionalCostRowCreate(additional_cost_id=1, group_id=2, tax_rate_id=3, price=ONE),
        '{"additional_cost_id":1,"group_id":2,"tax_rate_id":3,"price":1.50}',
    ),
    (
        NewStockAdjustmentRow(variant_id=1, quantity=Decimal("2.0"), cost_per_unit=ONE),
        '{"variant_id":1,"quantity":2.0,"cost_per_unit":1.50}',
    ),
    (
        ManufacturingOrderCreate(variant_id=1, planned_quantity=Decimal("0.00001"), location_id=2),
        '{"variant_id":1,"location_id":2,"planned_quantity":0.00001}',
    ),
    (
        ManufacturingOrderRecipeRowCreate(manufacturing_order_id=1, variant_id=2, planned_quantity_per_unit=ONE),
        '{"manufacturing_order_id":1,"variant_id":2,"planned_quantity_per_unit":1.50}',
    ),
    (
        ManufacturingOrderOperationRowCreate(manufacturing_order_id=1, operation_name="Weld", cost_parameter=ONE),
        '{"manufacturing_order_id":1,"operation_name":"Weld","cost_parameter":1.50,"status":"NOT_STARTED"}',
    ),
    (
        ManufacturingOrderProductionCreate(
            manufacturing_order_id=1,
            completed_quantity=ONE,
            is_final=True,
            ingredients=[UsedIngredientInput(manufacturing_order_recipe_row_id=5, quantity=ONE)],
            operations=[UsedOperationInput(manufacturing_order_operation_id=6, time=Decimal(90))],
            serial_numbers=[7],
        ),
        (
            '{"manufacturing_order_id":1,"is_final":true,"completed_quantity":1.50,"ingredients":[{'
            '"manufacturing_order_recipe_row_id":5,"quantity":1.50}],"operations":[{"manufacturing_order_operation_id":6,'
            '"time":90}],"serial_numbers":[7]}'
        ),
    ),
    (
        ManufacturingOrderProductionCreate(manufacturing_order_id=1, completed_quantity=ONE, ingredients=[]),
        '{"manufacturing_order_id":1,"completed_quantity":1.50,"ingredients":[]}',
    ),
    (
        ManufacturingOrderProductionIngredientUpdate(batch_transactions=[UsedBatchInput(batch_id=3)]),
        '{"batch_transactions":[{"batch_id":3}]}',
    ),
]


def forms(text: str | bytes) -> object:
    """Return JSON with each number as it is written; the order of keys means nothing to Katana."""
    return json.loads(text, parse_float=lambda number: ("number", number), parse_int=lambda number: ("number", number))


@pytest.mark.parametrize(("body", "text"), FORMS, ids=lambda body: type(body).__name__)
def test_each_amount_travels_in_the_form_that_katana_takes(body: WriteModel, text: str) -> None:
    assert forms(encode(body.wire())) == forms(text)


ROW: dict[str, object] = {"variant_id": 1, "quantity": 1, "price_per_unit": 1}
ORDER: dict[str, object] = {"supplier_id": 1, "location_id": 2, "purchase_order_rows": [ROW]}
RULES: list[tuple[type[WriteModel], dict[str, object], str]] = [
    (PurchaseOrderCreate, {**ORDER, "entity_type": "outsourced"}, "tracking_location_id is needed"),
    (PurchaseOrderCreate, {**ORDER, "tracking_location_id": 3}, "not for a regular one"),
    (PurchaseOrderCreate, {**ORDER, "purchase_order_rows": []}, "at least 1"),
    (PurchaseOrderCreate, {**ORDER, "purchase_order_rows": [{**ROW, "location_id": 9}]}, "Extra inputs"),
    (PurchaseOrderCreate, {**ORDER, "status": "RECEIVED"}, "Input should be"),
    (PurchaseOrderUpdate, {"total": 1}, "Extra inputs"),
    (PurchaseOrderRowUpdate, {"landed_cost": 1}, "Extra inputs"),
    (Receipt, {"purchase_order_row_id": 1, "quantity": -1}, "greater than or equal to 0"),
    (Receipt, {"purchase_order_row_id": 1, "quantity": 1, "batch_transactions": [{"quantity": 1}]}, "required"),
    (ManufacturingOrderCreate, {"variant_id": 1, "planned_quantity": 0, "location_id": 1}, "0.00001"),
    (ManufacturingOrderCreate, {"variant_id": 1, "planned_quantity": 1, "location_id": 1, "status": "DONE"}, "NOT_STA"),
    (ManufacturingOrderProductionCreate, {"manufacturing_order_id": 1, "completed_quantity": "NaN"}, "finite"),
    (
        ManufacturingOrderProductionCreate,
        {"manufacturing_order_id": 1, "completed_quantity": 1, "serial_numbers": ["SN-1"]},
        "valid integer",
    ),
    (NewStockAdjustmentRow, {"variant_id": 1, "quantity": 0}, "zero"),
    (NewStockAdjustmentRow, {"variant_id": 1, "quantity": -1, "cost_per_unit": 2}, "not allowed when the quantity is"),
    (
        NewStockAdjustmentRow,
        {
            "variant_id": 1,
            "quantity": 1,
            "traceability": [{"batch_id": 1, "quantity": 1}, {"serial_number_id": 2, "quantity": 1}],
        },
        "never both",
    ),
    (StockTransferUpdate, {"status": "received"}, "Extra inputs"),
    (StockTransferUpdate, {"stock_transfer_rows": []}, "Extra inputs"),
    (PriceListRowsCreate, {"price_list_id": 1, "price_list_rows": []}, "at least 1"),
    (PriceListRowUpdate, {"amount": 0}, "greater than 0"),
    (
        RecipesCreate,
        {"rows": [{"product_variant_id": 1, "ingredient_variant_id": 2, "quantity": 1}] * 151},
        "at most 150",
    ),
    (ProductOperationRowsCreate, {"rows": []}, "at least 1"),
    (TraceabilityInput, {"quantity": 0}, "zero"),
]


@pytest.mark.parametrize(("model", "body", "reason"), RULES)
def test_what_katana_would_refuse_or_ignore_is_refused_here_with_the_reason(
    model: type[WriteModel], body: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValidationError, match=reason):
        model.model_validate(body)


OUTSOURCED: dict[str, object] = {
    "id": 8,
    "entity_type": "outsourced",
    "supplier_id": 1,
    "location_id": 2,
    "tracking_location_id": 3,
    "status": "PARTIALLY_RECEIVED",
    "expected_arrival_date": "2026-05-01T12:00:00.000Z",
    "ingredient_availability": "IN_STOCK",
    "ingredient_expected_date": "2026-05-02T12:00:00.000Z",
    "total": 30,
    "default_group_id": 4,
    "purchase_order_rows": [
        {**ROW, "id": 5, "landed_cost": 12, "conversion_rate": None, "received_date": None, "location_id": 2}
    ],
}
REGULAR = {
    **OUTSOURCED,
    "entity_type": "regular",
    "tracking_location_id": None,
    "ingredient_availability": None,
    "ingredient_expected_date": None,
}


def test_regular_and_outsourced_orders_keep_their_own_fields() -> None:
    outsourced = read(PurchaseOrder, {**OUTSOURCED, "something_new": 1})
    assert (outsourced.tracking_location_id, outsourced.ingredient_availability) == (3, "IN_STOCK")
    assert outsourced.ingredient_expected_date == datetime(2026, 5, 2, 12, tzinfo=UTC)
    assert outsourced.model_extra == {"something_new": 1}
    regular = read(PurchaseOrder, REGULAR)
    assert (regular.tracking_location_id, regular.ingredient_availability) == (None, None)


def test_a_copied_purchase_order_is_of_its_own_kind_and_starts_anew() -> None:
    body = PurchaseOrderCreate.from_read(read(PurchaseOrder, OUTSOURCED)).wire()
    assert body == {
        "supplier_id": 1,
        "location_id": 2,
        "purchase_order_rows": [{"variant_id": 1, "quantity": Decimal(1), "price_per_unit": Decimal(1)}],
        "entity_type": "outsourced",
        "tracking_location_id": 3,
        "expected_arrival_date": NOON,
    }
    stray = {**REGULAR, "tracking_location_id": 3}
    for record in (REGULAR, stray, {**stray, "entity_type": "NEW_KIND"}):
        made = PurchaseOrderCreate.from_read(read(PurchaseOrder, record))
        assert made.tracking_location_id is None


def test_a_copied_order_never_carries_a_state_that_moves_stock() -> None:
    order = read(PurchaseOrder, {**OUTSOURCED, "order_no": "PO-1"})
    assert PurchaseOrderUpdate.from_read(order).wire() == {
        "order_no": "PO-1",
        "supplier_id": 1,
        "location_id": 2,
        "tracking_location_id": 3,
    }
    made = read(
        ManufacturingOrder,
        {
            "id": 1,
            "order_no": "MO-1",
            "status": "DONE",
            "actual_quantity": 3,
            "done_date": "2026-05-01T12:00:00.000Z",
            "production_deadline_date": "2026-05-01T12:00:00.000Z",
            "batch_transactions": [{"batch_id": 1, "quantity": 3}],
            "serial_numbers": [{"id": 1, "transaction_id": "undefined", "resource_id": "null"}],
        },
    )
    assert made.serial_numbers is not None
    assert made.serial_numbers[0].resource_id is None
    assert ManufacturingOrderUpdate.from_read(made).wire() == {"order_no": "MO-1"}
    edited = made.model_copy(update={"status": "IN_PROGRESS"})
    assert ManufacturingOrderUpdate.difference(made, edited).wire() == {"status": "IN_PROGRESS"}
    received = read(PurchaseOrderRow, {"id": 1, "quantity": 2, "received_date": "2026-05-01T12:00:00.000Z"})
    assert PurchaseOrderRowUpdate.from_read(received).wire() == {"quantity": Decimal(2)}


def test_a_name_that_is_given_anew_is_not_overruled_by_a_copied_id() -> None:
    row = read(
        ManufacturingOrderOperationRow,
        {
            "id": 1,
            "manufacturing_order_id": 2,
            "status": "COMPLETED",
            "operation_id": 3,
            "operation_name": "Weld",
            "cost_per_hour": "9.0",
            "cost_parameter": "9.0",
            "assigned_operators": [{"operator_id": 4, "name": "Ada", "deleted_at": None}],
        },
    )
    change = ManufacturingOrderOperationRowUpdate.from_read(row, operation_name="Bend", cost_parameter=Decimal(5))
    people = [{"operator_id": 4, "name": "Ada"}]
    assert change.wire() == {"operation_name": "Bend", "assigned_operators": people, "cost_parameter": Decimal(5)}
    copy = ManufacturingOrderOperationRowCreate.from_read(row).wire()
    assert (copy["status"], copy["operation_name"]) == ("NOT_STARTED", "Weld")


def test_a_copied_adjustment_keeps_unbatched_stock_and_drops_costs_that_are_refused() -> None:
    trace: list[object] = [{"batch_id": None, "serial_number_id": 5, "quantity": "1"}]
    rows: list[dict[str, object]] = [
        {"id": 1, "variant_id": 2, "quantity": -3, "cost_per_unit": 4, "traceability": trace},
        {"id": 2, "variant_id": 2, "quantity": 3, "cost_per_unit": 4},
        {"id": 3, "variant_id": 2, "quantity": 1, "batch_transactions": [{"batch_id": None, "quantity": 1}]},
        {"id": 4, "variant_id": 2, "quantity": Decimal("-0.5"), "cost_per_unit": 4},
    ]
    read_one = read(
        StockAdjustment, {"id": 1, "stock_adjustment_number": "SA-1", "location_id": 7, "stock_adjustment_rows": rows}
    )
    wire = cast("list[object]", StockAdjustmentCreate.from_read(read_one).wire()["stock_adjustment_rows"])
    assert wire == [
        {"variant_id": 2, "quantity": Decimal(-3)},
        {"variant_id": 2, "quantity": Decimal(3), "cost_per_unit": Decimal(4)},
        {
            "variant_id": 2,
            "quantity": Decimal(1),
            "batch_transactions": [{"batch_id": None, "quantity": Decimal(1)}],
        },
        {"variant_id": 2, "quantity": Decimal("-0.5")},
    ]


def test_a_copied_transfer_sends_its_quantities_as_text() -> None:
    row = {"id": 1, "variant_id": 2, "quantity": Decimal("0.3000000000"), "cost_per_unit": 4, "deleted_at": None}
    transfer = read(
        StockTransfer,
        {
            "id": 1,
            "stock_transfer_number": "ST-1",
            "source_location_id": 1,
            "target_location_id": 2,
            "status": "inTransit",
            "stock_transfer_rows": [row],
        },
    )
    assert forms(encode(StockTransferCreate.from_read(transfer).wire())) == forms(
        '{"source_location_id":1,"target_location_id":2,"stock_transfer_number":"ST-1",'
        '"stock_transfer_rows":[{"variant_id":2,"quantity":"0.3000000000"}]}'
    )
    assert StockTransferUpdate.from_read(transfer).wire() == {"stock_transfer_number": "ST-1"}
