"""What is planned for sales orders, and what speaks against it: pure functions of a request and of facts."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, cast

import pytest

from cache_core.records import Record, RecordId
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.writes import WRITES
from katana_mcp.references.display_names import Names
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import JsonObject, Ref

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
RECORDS: dict[tuple[str, RecordId], Record] = {
    ("factory", 0): {"base_currency_code": "EUR"},
    ("tax_rate", 1): {"id": 1, "rate": Decimal(20), "is_default_sales": True},
    ("tax_rate", 2): {"id": 2, "rate": Decimal(10)},
    ("customer", 3): {"id": 3, "name": "Acme", "currency": "EUR"},
    ("customer", 4): {"id": 4, "name": "Globex", "currency": "USD"},
    ("location", 5): {"id": 5, "name": "North", "sales_allowed": True},
    ("location", 6): {"id": 6, "name": "Depot", "sales_allowed": False},
    ("variant", 7): {"id": 7, "sku": "FORK", "sales_price": Decimal(12), "product_id": 70},
    ("variant", 8): {"id": 8, "sku": "GIFT", "sales_price": None, "product_id": 80},
    ("product", 70): {"id": 70, "is_sellable": True},
    ("product", 80): {"id": 80, "is_sellable": False},
}
FORK, GIFT = NamedRecord(id=7, sku="FORK", unit="pcs"), NamedRecord(id=8, sku="GIFT", unit="pcs")
FOUND: dict[tuple[str, int | str], Named] = {
    ("customer", "Acme"): Named("Acme", (NamedRecord(id=3, name="Acme"),)),
    ("customer", "Globex"): Named("Globex", (NamedRecord(id=4, name="Globex"),)),
    ("customer", "Acne"): Named("Acne", (), ("Acme",)),
    ("location", "North"): Named("North", (NamedRecord(id=5, name="North"),)),
    ("location", "Depot"): Named("Depot", (NamedRecord(id=6, name="Depot"),)),
    ("variant", "FORK"): Named("FORK", (FORK,)),
    ("variant", 7): Named(7, (FORK,)),
    ("variant", "GIFT"): Named("GIFT", (GIFT,)),
    ("tax_rate", 2): Named(2, (NamedRecord(id=2),)),
}
ROW: Record = {
    "id": 9,
    "variant_id": 7,
    "quantity": 2,
    "price_per_unit": "10.0000000000",
    "total_discount": "1.50",
    "tax_rate_id": 1,
}
RECORD: dict[str, Any] = {
    "id": 5,
    "order_no": "SO-5",
    "status": "NOT_SHIPPED",
    "customer_id": 3,
    "location_id": 5,
    "currency": "EUR",
    "additional_info": "fragile",
    "sales_order_rows": [ROW],
    "addresses": [{"id": 11, "entity_type": "billing", "city": "Oslo"}],
    "shipping_fee": {"id": 12, "amount": "5.0000000000", "tax_rate_id": 1, "description": None},
}


def _new(**changed: object) -> Request:
    row = {"sku_or_variant_id": "FORK", "quantity": 2}
    return CREATE.request.model_validate({"customer_id": "Acme", "order_no": "SO-6", "rows": [row]} | changed)


def _row(**changed: object) -> dict[str, object]:
    return {"sku_or_variant_id": "FORK", "quantity": 2, **changed}


def _change(**changed: object) -> Request:
    return MODIFY.request.model_validate({"sales_order_id": 5} | changed)


def _facts(record: dict[str, Any] | None = None, shipments: Iterable[Record] = ()) -> Facts:
    numbered = Numbered(number="SO-6") if record is None else None
    beside = {"sales_order_fulfillment": tuple(shipments)}
    return Facts(record=record, numbered=numbered, references=FOUND, names=Names(dict(RECORDS)), beside=beside)


def _summaries(warnings: Iterable[ToolWarning], *severities: str) -> list[tuple[str, str | None, str | None]]:
    included = severities or ("blocking", "advisory")
    return [
        (warning.severity, warning.code, warning.field_path) for warning in warnings if warning.severity in included
    ]


def _arguments(revert: JsonObject | None) -> dict[str, Any]:
    assert revert is not None
    return cast("dict[str, Any]", revert["arguments"])


def test_a_new_order_takes_price_and_tax_of_the_account_and_says_so() -> None:
    draft = CREATE.plan(_new(), _facts())
    (action,) = draft.actions
    assert action.body == {
        "customer_id": 3,
        "order_no": "SO-6",
        "status": "NOT_SHIPPED",
        "sales_order_rows": [{"variant_id": 7, "quantity": 2, "price_per_unit": 12, "tax_rate_id": 1}],
    }
    (line,) = draft.lines
    assert (line.price, line.total, line.tax_rate, draft.currency) == (12, 24, 20, "EUR")
    assert (draft.totals.net_total, draft.totals.total) == (24, Decimal("28.8"))
    assert draft.summary == "new sales order SO-6 for Acme (rows: 1)"
    assert _summaries(CREATE.checks(_new(), _facts()), "info") == [
        ("info", "default_price", "rows[0].price_per_unit"),
        ("info", "default_tax_rate", "rows"),
    ]


def test_a_discount_is_off_the_whole_row_and_a_fee_has_its_tax() -> None:
    request = _new(rows=[_row(price_per_unit=10, total_discount=1.5, tax_rate_id=2)], shipping_fees=[{"amount": 5}])
    draft = CREATE.plan(request, _facts())
    assert [(line.total, line.tax_rate) for line in draft.lines] == [(Decimal("18.5"), 10), (5, 20)]
    assert (draft.totals.net_total, draft.totals.total) == (Decimal("23.5"), Decimal("26.35"))
    assert [action.path for action in draft.actions] == ["/sales_orders", "/sales_order_shipping_fee"]
    assert draft.actions[1].body == {"sales_order_id": Ref(0, "id"), "amount": "5", "tax_rate_id": 1}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"customer_id": "Globex"}, [("blocking", "price_required", "rows[0].price_per_unit")]),
        ({"currency": "USD"}, [("blocking", "price_required", "rows[0].price_per_unit")]),
        ({"customer_id": "Acne"}, [("blocking", "not_found", "customer_id")]),
        ({"location_id": "Depot"}, [("blocking", "not_sellable", "location_id")]),
        ({"rows": [_row(location_id="Depot")]}, [("blocking", "not_sellable", "rows[0].location_id")]),
        ({"rows": [_row(quantity=0)]}, [("blocking", "invalid_quantity", "rows[0].quantity")]),
        (
            {"rows": [_row(sku_or_variant_id="GIFT", price_per_unit=1)]},
            [("advisory", "not_sellable", "rows[0].sku_or_variant_id")],
        ),
        (
            {"addresses": [{"entity_type": "billing"}, {"entity_type": "billing", "city": "Oslo"}]},
            [("blocking", "only_one_allowed", "addresses")],
        ),
        ({"rows": [_row(total_discount=25)]}, [("advisory", "discount_above_price", "rows[0].total_discount")]),
        ({"rows": [_row(total_discount=24)]}, []),
    ],
)
def test_what_speaks_against_a_new_order_names_its_field(
    changed: dict[str, object], expected: list[tuple[str, str, str]]
) -> None:
    assert _summaries(CREATE.checks(_new(**changed), _facts())) == expected


def test_of_a_new_row_of_nothing_it_is_said_what_is_allowed_and_of_one_that_is_there_how_it_goes() -> None:
    change = _change(add_rows=[_row(quantity=0, price_per_unit=3)], update_rows=[{"row_id": 9, "quantity": 0}])
    warnings = MODIFY.checks(change, _facts(RECORD))
    assert [warning.message for warning in warnings if warning.code == "invalid_quantity"] == [
        "add_rows[0].quantity is 0: must be more than 0",
        "update_rows[0].quantity is 0: delete the row or leave it out",
    ]


def test_an_order_of_another_currency_is_planned_with_a_price() -> None:
    request = _new(customer_id="Globex", rows=[_row(price_per_unit=3)])
    assert CREATE.plan(request, _facts()).currency == "USD"
    assert _summaries(CREATE.checks(request, _facts())) == []


def test_the_currency_of_the_customer_is_bound() -> None:
    records = {**RECORDS, ("customer", 3): {**RECORDS["customer", 3], "currency": "USD"}}
    request = _new(rows=[_row(price_per_unit=3)])
    changed = Facts(numbered=Numbered(number="SO-6"), references=FOUND, names=Names(records))
    assert CREATE.plan(request, changed).content != CREATE.plan(request, _facts()).content


def test_a_change_of_an_order_is_sent_in_the_order_that_katana_takes() -> None:
    request = _change(
        status="READY_FOR_FULFILLMENT",
        customer_ref="PO 7",
        add_rows=[_row(price_per_unit=3)],
        update_rows=[{"row_id": 9, "total_discount": 2}],
        update_shipping_fees=[{"shipping_fee_id": 12, "amount": 7}],
        update_addresses=[{"address_id": 11, "city": "Bergen"}],
    )
    draft = MODIFY.plan(request, _facts(RECORD))
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        ("PATCH", "/sales_orders/5", {"customer_ref": "PO 7", "additional_info": "fragile"}),
        (
            "POST",
            "/sales_order_rows",
            {"sales_order_id": 5, "variant_id": 7, "quantity": 2, "price_per_unit": 3, "tax_rate_id": 1},
        ),
        ("PATCH", "/sales_order_rows/9", {"total_discount": 2}),
        ("PATCH", "/sales_order_addresses/11", {"city": "Bergen"}),
        ("PATCH", "/sales_order_shipping_fee/12", {"amount": "7", "tax_rate_id": 1}),
        ("PATCH", "/sales_orders/5", {"status": "READY_FOR_FULFILLMENT", "additional_info": "fragile"}),
    ]
    assert _arguments(draft.revert)["update_rows"] == [{"row_id": 9, "total_discount": Decimal("1.5")}]
    MODIFY.request.model_validate({**_arguments(draft.revert), "delete_row_ids": [1]})


def _in(status: str, **row: object) -> dict[str, Any]:
    return {**RECORD, "status": status, "sales_order_rows": [{**ROW, **row}]}


SHIPMENT: Record = {"id": 20, "status": "PACKED", "sales_order_fulfillment_rows": [{"sales_order_row_id": 9}]}


@pytest.mark.parametrize(
    ("record", "asked", "expected"),
    [
        (_in("PACKED"), {"customer_id": "Globex"}, [("blocking", "locked", "customer_id")]),
        (_in("PARTIALLY_PACKED"), {"add_rows": [_row(price_per_unit=1)]}, [("blocking", "locked", "add_rows")]),
        (_in("PACKED"), {"delete_row_ids": [9]}, [("blocking", "locked", "delete_row_ids")]),
        (
            _in("PARTIALLY_PACKED"),
            {"update_rows": [{"row_id": 9, "quantity": 3}]},
            [("blocking", "locked", "update_rows[0]")],
        ),
        (
            {**_in("PARTIALLY_PACKED"), "sales_order_rows": [ROW, {**ROW, "id": 10}]},
            {"update_rows": [{"row_id": 10, "quantity": 3}]},
            [],
        ),
        (_in("PACKED"), {"delivery_date": "2026-04-05"}, []),
        (_in("DELIVERED"), {"delivery_date": "2026-04-05"}, [("blocking", "locked", "delivery_date")]),
        (_in("DELIVERED"), {"additional_info": "paid"}, []),
        (_in("DELIVERED"), {"status": "NOT_SHIPPED"}, [("blocking", "invalid_status_transition", "status")]),
        (
            _in("NOT_SHIPPED", linked_manufacturing_order_id=30),
            {"update_rows": [{"row_id": 9, "location_id": "North"}]},
            [("blocking", "locked", "update_rows[0].location_id")],
        ),
        (RECORD, {"add_shipping_fees": [{"amount": 3}]}, [("blocking", "only_one_allowed", "add_shipping_fees")]),
        (RECORD, {"add_addresses": [{"entity_type": "billing"}]}, [("blocking", "only_one_allowed", "add_addresses")]),
        (RECORD, {"currency": "USD"}, [("advisory", "amounts_stay", "currency")]),
    ],
)
def test_what_the_status_of_an_order_locks_is_told(
    record: dict[str, Any], asked: dict[str, object], expected: list[tuple[str, str, str]]
) -> None:
    found = _summaries(MODIFY.checks(_change(**asked), _facts(record, [SHIPMENT])))
    assert [check for check in found if check[1] != "no_way_back"] == expected


def test_a_fee_comes_in_the_place_of_one_that_goes() -> None:
    request = _change(delete_shipping_fee_ids=[12], add_shipping_fees=[{"amount": 3}])
    assert _summaries(MODIFY.checks(request, _facts(RECORD))) == []
    assert [action.method for action in MODIFY.plan(request, _facts(RECORD)).actions] == ["DELETE", "POST"]


@pytest.mark.parametrize(
    ("record", "is_made_again"),
    [
        (RECORD, True),
        ({**RECORD, "status": "PENDING"}, True),
        ({**RECORD, "status": "PARTIALLY_DELIVERED"}, False),
        ({**RECORD, "custom_fields": {"a": 1}, "tracking_number_url": "https://a.b"}, True),
        (_in("NOT_SHIPPED", batch_transactions=[{"batch_id": 1}]), False),
    ],
)
def test_a_deleted_order_is_made_again_where_all_of_it_can_be_given(
    record: dict[str, Any], *, is_made_again: bool
) -> None:
    request = DELETE.request.model_validate({"sales_order_id": 5})
    revert = DELETE.plan(request, _facts(record)).revert
    assert (revert is not None) is is_made_again
    if revert is not None:
        again: Any = CREATE.request.model_validate(_arguments(revert))
        assert again.status == ("PENDING" if record["status"] == "PENDING" else "NOT_SHIPPED")
        assert [fee.amount for fee in again.shipping_fees] == [5]


def test_what_ships_is_said_to_be_another_tools() -> None:
    assert "`fulfill_order` ships" in str(MODIFY.request.words["picked_date"])
