"""Read models take anything Katana sends; write models send exactly what was set, in Katana's form."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from types import NoneType, get_original_bases
from typing import cast, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AwareDatetime, ValidationError
from tests.at_once import at_once

from katana_client import ReadModel, WriteModel
from katana_client.collection import Bound, Collection, Spec
from katana_client.jsontext import decode, encode
from katana_client.models.customers import Customer
from katana_client.models.factory import Factory
from katana_client.models.items import ItemConfig
from katana_client.models.products import Product
from katana_client.models.sales_order_rows import SalesOrderRow
from katana_client.models.sales_order_shipping_fee import SalesOrderShippingFee
from katana_client.models.sales_orders import SalesOrder
from katana_client.models.services import ServiceVariant
from katana_client.models.tracking import Traceability
from katana_client.models.variants import Variant
from katana_client.normalise import normalise
from katana_client.page import InvalidRecord, Reading, Shape, read_record, reading
from katana_client.resources import Collections
from katana_client.resources.customers import CustomerCreate, CustomerUpdate
from katana_client.resources.materials import MaterialUpdate
from katana_client.resources.products import ConfigChange, NewVariant, ProductCreate, ProductUpdate
from katana_client.resources.sales_order_rows import SalesOrderRowUpdate
from katana_client.resources.sales_order_shipping_fee import SalesOrderShippingFeeCreate
from katana_client.resources.sales_orders import SalesOrderCreate, SalesOrderUpdate
from katana_client.resources.services import NewServiceVariant
from katana_client.resources.variants import VariantUpdate
from katana_client.tracking import TraceabilityInput
from katana_client.wire import Moment, models_in, parts_of

SPECS: dict[str, Spec] = {
    name: cast("Bound[Collection]", bound).kind.spec
    for name, bound in vars(Collections).items()
    if isinstance(bound, Bound)
}
READ_MODELS = [spec.model for spec in SPECS.values()]
SERVER_OWNED = frozenset(
    {
        "id",
        "created_at",
        "updated_at",
        "deleted_at",
        "archived_at",
        "type",
        "total",
        "total_in_base_currency",
        "source",
        "invoicing_status",
        "product_availability",
        "ingredient_availability",
        "production_status",
        "shipping_fee",
        "supplier",
        "billing_address_id",
        "shipping_address_id",
        "default_billing_id",
        "default_address_id",
        "linked_manufacturing_order_id",
        "display_name",
        "is_default_sales",
        "cogs_value",
        "price_per_unit_in_base_currency",
        "rank",
        "default_group_id",
        "billing_status",
        "last_document_status",
        "landed_cost",
        "price_in_base",
        "currency_conversion_rate",
        "currency_conversion_rate_fix_date",
        "ingredient_expected_date",
        "cost",
        "factory_id",
        "production_id",
        "completed_quantity",
        "remaining_quantity",
        "includes_partial_completions",
        "is_linked_to_sales_order",
        "sales_order_delivery_deadline",
        "total_cost",
        "material_cost",
        "subassemblies_cost",
        "operations_cost",
        "total_planned_time",
        "total_actual_cost",
        "total_consumed_quantity",
        "total_remaining_quantity",
        "total_consumed_time",
        "total_remaining_time",
        "planned_cost_per_unit",
        "is_status_actionable",
        "active_operator_id",
        "group_boundary",
        "completed_at",
    }
)
WRITABLE_HERE = {
    "custom_field_definitions": frozenset({"source"}),
    "manufacturing_order_operation_rows": frozenset({"type"}),
    "product_operation_rows": frozenset({"type"}),
    "manufacturing_order_productions": frozenset({"completed_quantity"}),
}
SAMPLE: dict[object, object] = {
    AwareDatetime: "2026-01-02T03:04:05.678Z",
    int: 7,
    str: "text",
    bool: True,
    Decimal: "1.50",
    datetime: "2026-01-02T03:04:05.678Z",
}


def sample(model: type[ReadModel]) -> dict[str, object]:
    """Return a full record for a read model, as Katana would send it."""
    full = {name: sample_value(field.annotation) for name, field in model.model_fields.items()}
    return full if model is not Traceability else {**full, "serial_number_id": None}


def sample_value(annotation: object) -> object:
    if annotation in SAMPLE:
        return SAMPLE[annotation]
    nested = models_in(annotation, ReadModel)
    kind: object = getattr(annotation, "__origin__", None)
    if kind is dict:
        return {"any": 1}
    inner = parts_of(annotation)
    if kind is list:
        return [sample_value(inner[0])]
    if nested == [annotation]:
        return sample(nested[0])
    return sample_value(next(part for part in inner if part is not NoneType))


def read[M: ReadModel](model: type[M], record: Mapping[str, object]) -> M:
    item = read_record(Shape(model, ()), normalise(record, model))
    assert not isinstance(item, InvalidRecord), item
    return item


@at_once("model", READ_MODELS)
def test_every_field_may_be_null_absent_or_an_unknown_one_beside(model: type[ReadModel]) -> None:
    full = sample(model)
    for name in full:
        assert getattr(read(model, {**full, name: None}), name) is None
        without = {key: value for key, value in full.items() if key != name}
        assert name not in read(model, without).model_fields_set
    assert read(model, {**full, "new_field": {"x": []}}).model_extra == {"new_field": {"x": []}}
    assert read(model, {}).model_fields_set == set()


@at_once("model", READ_MODELS)
def test_absent_objects_and_sentinels_are_null_where_the_type_cannot_hold_them(model: type[ReadModel]) -> None:
    full = sample(model)
    for name, value in full.items():
        texts = isinstance(value, str) and value == "text"
        wire: object = "null" if texts else {}
        got = getattr(read(model, {**full, name: wire}), name) if not isinstance(value, list) else None
        assert got == ("null" if texts else None)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "null", "1.50", "NaN", "\ud800", "x" * 99]),
    lambda children: (
        st.lists(children, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "quantity", "new"]), children, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=150)
@given(st.sampled_from(READ_MODELS), st.data())
def test_any_value_in_any_field_is_normalised_without_harm_and_unknown_fields_are_kept(
    model: type[ReadModel], data: st.DataObject
) -> None:
    names = [*data.draw(st.lists(st.sampled_from([*model.model_fields]), max_size=4)), "new", "{}"]
    record = {name: data.draw(ANYTHING) for name in names}
    out = normalise(record, model)
    read_record(Shape(model), out)
    assert out.keys() == record.keys()
    assert out["new"] is record["new"]
    assert out["{}"] is record["{}"]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-(10**18), max_value=10**18))
def test_amounts_are_exact_as_number_and_as_text(number: Decimal) -> None:
    for wire in (encode([{"id": 1, "sales_price": number}]), encode([{"id": 1, "sales_price": f"{number:f}"}])):
        record = normalise(cast("list[dict[str, object]]", decode(wire))[0], Variant)
        assert record["sales_price"] == number
        assert read(Variant, record).sales_price == number


@pytest.mark.parametrize("text", ["NaN", "Infinity", "abc", "1,5"])
def test_an_amount_that_is_none_stays_as_it_came_and_costs_its_field_alone(text: str) -> None:
    record = normalise({"id": 1, "sku": "A", "sales_price": text}, Variant)
    assert record["sales_price"] == text
    read = reading(Shape(Variant), record)
    assert isinstance(read, Reading)
    assert (read.item.sku, read.item.sales_price, read.unread) == ("A", None, ("sales_price",))
    assert "sales_price" not in read.item.model_fields_set


@pytest.mark.parametrize("model", READ_MODELS, ids=lambda model: model.__name__)
@settings(max_examples=8, deadline=None)
@given(st.data())
def test_any_value_in_any_field_costs_at_most_that_field(model: type[ReadModel], data: st.DataObject) -> None:
    full, name = normalise(sample(model), model), data.draw(st.sampled_from([*model.model_fields]))
    changed = normalise({**full, name: data.draw(ANYTHING)}, model)
    clean, odd = (reading(Shape(model, ()), record) for record in (full, changed))
    assert isinstance(clean, Reading)
    assert isinstance(odd, Reading)
    assert clean.unread == ()
    assert all(path.partition("[")[0].partition(".")[0] == name for path in odd.unread)
    others = model.model_fields.keys() - {name}
    assert {other: getattr(odd.item, other) for other in others} == {
        other: getattr(clean.item, other) for other in others
    }


@pytest.mark.parametrize("sent", ["1767323045", "2026", "2026-01-02", "", 1767323045, True])
def test_what_is_no_moment_as_katana_sends_one_is_told(sent: object) -> None:
    read = reading(Shape(Product), normalise({"id": 1, "created_at": sent}, Product))
    assert isinstance(read, Reading)
    assert read.unread == ("created_at",)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"variants": [{"id": 1, "lead_time": "soon", "sku": "A"}, {"id": 2, "sku": "B"}]}, "variants[].lead_time"),
        ({"variants": [{"id": 1, "sku": "A"}, 7, {"id": 2, "sku": "B"}]}, "variants[]"),
    ],
)
def test_a_nested_row_costs_its_odd_fields_and_one_that_is_no_object_itself(
    value: dict[str, object], path: str
) -> None:
    read = reading(Shape(Product), normalise({"id": 1, **value}, Product))
    assert isinstance(read, Reading)
    assert [variant.sku for variant in read.item.variants or ()] == ["A", "B"]
    assert read.unread == (path,)


CUSTOM: tuple[object, ...] = (
    [{"field_name": "Colour", "field_value": "red"}],
    {"0f9e6b1a-0000-4000-8000-000000000001": "red", "0f9e6b1a-0000-4000-8000-000000000002": 7},
    [],
    None,
)


@pytest.mark.parametrize("model", [Variant, ServiceVariant, SalesOrder, SalesOrderRow])
@pytest.mark.parametrize("custom", CUSTOM)
def test_custom_fields_are_read_in_both_forms(model: type[ReadModel], custom: object) -> None:
    record = normalise({"id": 1, "custom_fields": custom}, model)
    read = reading(Shape(model), record)
    assert isinstance(read, Reading)
    assert (record["custom_fields"], read.unread) == (custom, ())


def test_free_text_and_custom_fields_are_never_touched() -> None:
    row = read(Customer, {"id": 1, "name": "null", "comment": "undefined", "reference_id": "1.50", "company": " "})
    assert (row.name, row.comment, row.reference_id, row.company) == ("null", "undefined", "1.50", " ")
    order = read(SalesOrder, {"id": 1, "custom_fields": {"uuid": "null", "x": {}}, "shipping_fee": {}})
    assert order.custom_fields == {"uuid": "null", "x": {}}
    assert order.shipping_fee is None


def test_read_enums_are_open_and_moments_aware() -> None:
    order = read(
        SalesOrder,
        {"id": 1, "status": "NEW_THING", "delivery_date": "2026-01-02T03:04:05", "picked_date": "2026-01-02"},
    )
    assert order.status == "NEW_THING"
    assert order.delivery_date == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert order.picked_date == datetime(2026, 1, 2, tzinfo=UTC)
    assert read(Factory, {"default_so_delivery_time": 14}).default_so_delivery_time == "14"


def test_absent_null_and_value_are_three_things() -> None:
    assert VariantUpdate().wire() == {}
    assert VariantUpdate(sku=None).wire() == {"sku": None}
    assert VariantUpdate(sku="x").wire() == {"sku": "x"}
    with pytest.raises(ValidationError, match="null is not accepted"):
        CustomerCreate(name="x", email=None)


def test_the_wire_form_of_each_kind_of_field_is_pinned() -> None:
    body = SalesOrderCreate.model_validate(
        {
            "customer_id": 1,
            "order_created_date": datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))),
            "sales_order_rows": [
                {"variant_id": 2, "quantity": "0.1000000000", "price_per_unit": 12, "total_discount": Decimal("1E-7")}
            ],
            "custom_fields": {"uuid": Decimal("1.10")},
        }
    ).wire()
    assert encode(body).decode() == (
        '{"customer_id":1,"sales_order_rows":[{"quantity":0.1000000000,"variant_id":2,"price_per_unit":12,'
        '"total_discount":0.0000001}],"order_created_date":"2026-01-02T00:00:00.000+02:00","custom_fields":{"uuid":1.10}}'
    )
    fee = SalesOrderShippingFeeCreate(sales_order_id=1, amount=Decimal("6.7500000000")).wire()
    assert encode(fee).decode() == '{"sales_order_id":1,"amount":"6.7500000000"}'


@pytest.mark.parametrize(
    ("model", "body", "reason"),
    [
        (SalesOrderUpdate, {"picked_date": datetime(2026, 1, 1)}, "timezone"),  # noqa: DTZ001 - naive on purpose
        (SalesOrderUpdate, {"picked_date": "2026-01-01T00:00:00"}, "timezone"),
        (SalesOrderUpdate, {"status": "PARTIALLY_PACKED"}, "Input should be"),
        (SalesOrderUpdate, {"total": 1}, "Extra inputs"),
        (SalesOrderCreate, {"customer_id": 1, "sales_order_rows": []}, "at least 1"),
        (
            ProductUpdate,
            {"configs": []},
            "Katana refuses an empty configs list: to drop all configs, delete the extra variants",
        ),
        (MaterialUpdate, {"configs": []}, "Katana refuses an empty configs list"),
        (MaterialUpdate, {"serial_tracked": True}, "Extra inputs"),
        (SalesOrderShippingFeeCreate, {"sales_order_id": 1, "amount": "NaN"}, "finite"),
        (TraceabilityInput, {"quantity": 0}, "zero"),
        (SalesOrderRowUpdate, {"traceability": [{"batch_id": 1}, {"serial_number_id": 2}]}, "never both"),
        (ProductCreate, {"name": "x", "variants": [{"sku": "x", "typo": 1}]}, "Extra inputs"),
    ],
)
def test_what_katana_would_refuse_is_refused_here_with_the_reason(
    model: type[WriteModel], body: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValidationError, match=reason):
        model.model_validate(body)


def test_a_refused_body_does_not_show_its_values() -> None:
    with pytest.raises(ValidationError) as caught:
        CustomerUpdate.model_validate({"email": ["canary@example.com"]})
    assert "canary" not in str(caught.value)


WRITERS = [(spec, kind) for spec in SPECS.values() for kind in (spec.create, spec.update) if kind is not None]
STATES: dict[str, object] = {
    "entity_type": "billing",
    "status": "PACKED",
    "planned_time_parameter": "90.000",
    "field_type": "shortText",
    "subscribed_events": ["sales_order.created"],
    "url": "https://example.com/hook",
}
NEVER_READ: dict[str, object] = {"completed_quantity": 1}
"""Required fields that no read model has, so that a copy is given them."""


@at_once(("spec", "kind"), WRITERS)
def test_what_was_read_can_be_sent_back_without_what_the_server_owns(spec: Spec, kind: type[WriteModel]) -> None:
    record = sample(spec.model)
    record.update({name: value for name, value in STATES.items() if name in record})
    record.update({"uom": "pcs", "purchase_uom": "box"} if "uom" in record else {})
    record.update({"currency": "EUR"} if "currency" in record else {})
    if kind.__name__ == "SalesOrderCreate":
        record["addresses"] = [{**sample(spec.model), "entity_type": "shipping"}]
    if spec.name == "custom_field_definitions":
        record["entity_type"] = "SalesOrder"
    current = read(spec.model, record)
    given = {name: NEVER_READ[name] for name in required(kind) - spec.model.model_fields.keys()}
    body = kind.from_read(current, **given).wire()
    owned = SERVER_OWNED - WRITABLE_HERE.get(spec.name, frozenset())
    assert body
    assert not owned & body.keys()
    encode(body)
    lists = [cast("list[object]", value) for value in body.values() if isinstance(value, list)]
    rows = [cast("dict[str, object]", row) for rows in lists for row in rows if isinstance(row, dict)]
    assert not any((owned - {"id"}) & row.keys() for row in rows)
    nothing = dict.fromkeys(record)
    partial = read(spec.model, {**nothing, **{name: record[name] for name in record if name in required(kind)}})
    kind.from_read(partial, **given)


def required(kind: type[WriteModel]) -> set[str]:
    return {name for name, field in kind.model_fields.items() if field.is_required()}


def test_a_copied_order_keeps_its_rows_and_drops_a_state_that_cannot_be_written() -> None:
    row = {"id": 5, "variant_id": 2, "quantity": 3, "price_per_unit": "10.0000000000", "cogs_value": "1.0", "sku": "x"}
    order = read(
        SalesOrder, {"id": 1, "customer_id": 4, "status": "PARTIALLY_PACKED", "sales_order_rows": [row], "order_no": ""}
    )
    assert SalesOrderCreate.from_read(order, order_no="SO-2").wire() == {
        "customer_id": 4,
        "sales_order_rows": [{"variant_id": 2, "quantity": Decimal(3), "price_per_unit": Decimal("10.0000000000")}],
        "order_no": "SO-2",
    }
    assert SalesOrderUpdate.from_read(order, status="PACKED").wire() == {"customer_id": 4, "status": "PACKED"}
    with pytest.raises(ValidationError):
        SalesOrderUpdate.from_read(order, status="ODD")


def test_an_edited_copy_becomes_the_smallest_update() -> None:
    order = read(SalesOrder, {"id": 1, "customer_id": 4, "status": "DELIVERED", "customer_ref": "a", "total": 3})
    edited = order.model_copy(update={"customer_ref": None, "total": Decimal(9)})
    assert SalesOrderUpdate.difference(order, edited).wire() == {"customer_ref": None}
    assert SalesOrderUpdate.difference(order, order).wire() == {}
    product = read(Product, {"id": 1, "configs": None})
    sized = product.model_copy(update={"configs": [ItemConfig(id=3, name="Size", values=["S", "M"], product_id=1)]})
    assert ProductUpdate.difference(product, sized).wire() == {
        "configs": [{"id": 3, "name": "Size", "values": ["S", "M"]}]
    }


def test_configs_are_sent_back_with_their_ids_and_variants_without() -> None:
    product = read(
        Product, {"id": 1, "name": "Knife", "configs": [{"id": 3, "name": "Size", "values": ["S"], "product_id": 1}]}
    )
    assert ProductUpdate.from_read(product).configs == [ConfigChange(id=3, name="Size", values=["S"])]
    assert NewVariant.from_read(read(Variant, {"id": 9, "sku": "x"})).wire() == {"sku": "x"}
    assert NewServiceVariant.model_fields.keys() == {"sku", "sales_price", "default_cost", "custom_fields"}


def test_a_fee_is_read_with_all_its_digits() -> None:
    assert str(read(SalesOrderShippingFee, {"amount": "6.7500000000"}).amount) == "6.7500000000"
    assert str(read(SalesOrderRow, {"price_per_unit": "0.0300000000"}).price_per_unit) == "0.0300000000"


def test_every_collection_is_registered_under_its_own_name_with_one_file() -> None:
    assert len(SPECS) == 64
    for name, spec in SPECS.items():
        assert spec.name == name
        assert spec.model.__module__ == f"katana_client.models.{name}"
    for bound in vars(Collections).values():
        if isinstance(bound, Bound):
            kind = cast("Bound[Collection]", bound).kind
            base: object = get_original_bases(kind)[0]
            assert get_args(base)[0] is kind.spec.model


class _Timed(ReadModel):
    at: Moment


AWARE = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", [AWARE, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"])
def test_a_moment_with_its_offset_is_read_as_it_is(value: object) -> None:
    assert _Timed.model_validate({"at": value}).at == AWARE


@pytest.mark.parametrize("value", [AWARE.replace(tzinfo=None), "2026-01-01T00:00:00", "2026-01-01", 5, ""])
def test_what_is_no_moment_with_an_offset_is_unforeseen(value: object) -> None:
    with pytest.raises(ValidationError):
        _Timed.model_validate({"at": value})
