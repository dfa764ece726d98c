"""The entities as records that Katana might send: nulls, news, wrong types too. Nine of them both backends hold."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from hypothesis import strategies as st

from cache_core.conditions import Below, Condition, Missing, NoneOf, OneOf, Within
from cache_core.records import Record
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS as ALL

from .strategies import AMOUNTS, MOMENTS, SMALL, phrases

BOTH = {"location", "tax_rate", "operator", "supplier", "customer", "product", "material", "service", "variant"}
NINE = tuple(spec for spec in ALL if spec.name in BOTH)
DOCUMENTS = tuple(spec for spec in ALL if spec.name not in BOTH | {"stock"})
"""What the typed cache alone holds; stock has no listing of its own."""

TEXT = phrases(("Blue Widget", "Stahlrohr", "00.4021", "Müller", "Köln", "A-1", "red", "ops@x.io", "+49 30", "null"))
CODES = st.lists(phrases(("SUP-1", "ABC", "00.4021", "x_1")), max_size=3)
RATES = AMOUNTS | st.sampled_from(["1.00000000000", "12.5", Decimal("0.99")])
IDS = st.integers(1, 3)
FLAGS = st.booleans()
ODD = st.sampled_from([0, -1, 10**20, True, "", "undefined", "null", Decimal("1.50"), ("a", 1, None), ()]).map(
    lambda value: list(value) if isinstance(value, tuple) else value
)

type Fields = Mapping[str, st.SearchStrategy[object]]

DATES: Fields = {"created_at": MOMENTS, "deleted_at": MOMENTS}
OPTIONS = st.lists(st.fixed_dictionaries({"config_name": TEXT, "config_value": TEXT}), max_size=2)


def nested(fields: Fields) -> st.SearchStrategy[list[dict[str, object]]]:
    """Draw the rows inside a record."""
    return st.lists(st.fixed_dictionaries({}, optional=with_odd(fields)), max_size=2)


def with_odd(fields: Fields) -> dict[str, st.SearchStrategy[object]]:
    """Let every field be null now and then, or of a type that it should not have."""
    return {name: st.one_of(value, value, value, st.none(), ODD) for name, value in fields.items()}


VARIANT: Fields = {
    "sku": TEXT,
    "sales_price": RATES,
    "purchase_price": RATES,
    "product_id": IDS,
    "material_id": IDS,
    "type": st.sampled_from(["product", "material"]),
    "internal_barcode": TEXT,
    "registered_barcode": TEXT,
    "supplier_item_codes": CODES,
    "lead_time": SMALL,
    "minimum_order_quantity": RATES,
    "config_attributes": OPTIONS,
    "custom_fields": st.lists(st.fixed_dictionaries({"field_name": TEXT, "field_value": TEXT}), max_size=1),
    **DATES,
}
ADDRESSES = nested(
    {"id": IDS, "entity_type": TEXT, "default": FLAGS, "line_1": TEXT, "city": TEXT, "zip": TEXT, "country": TEXT}
)
MATERIAL: Fields = {
    "name": TEXT,
    "uom": TEXT,
    "category_name": TEXT,
    "is_sellable": FLAGS,
    "default_supplier_id": IDS,
    "additional_info": TEXT,
    "batch_tracked": FLAGS,
    "purchase_uom_conversion_rate": RATES,
    "variants": nested({"id": IDS, **VARIANT}),
    "configs": nested({"id": IDS, "name": TEXT, "values": CODES, "product_id": IDS}),
    "supplier": st.fixed_dictionaries({}, optional={"id": IDS, "name": TEXT}),
    "archived_at": MOMENTS,
    **DATES,
}
STATES = st.sampled_from(["NOT_STARTED", "DONE", "DRAFT", "RECEIVED", "IN_STOCK", "draft", "inTransit"])
ALLOCATIONS = nested({"batch_id": IDS, "quantity": RATES})
SERIALS = nested({"id": IDS, "serial_number": TEXT, "quantity_change": SMALL})
ROW: Fields = {"id": IDS, "variant_id": IDS, "quantity": RATES, "batch_transactions": ALLOCATIONS}
USED: Fields = {
    "id": IDS,
    "manufacturing_order_id": IDS,
    "production_id": IDS,
    "cost": RATES,
    "production_date": MOMENTS,
}
INGREDIENT: Fields = {
    "notes": TEXT,
    "planned_quantity_per_unit": RATES,
    "ingredient_availability": STATES,
    "ingredient_expected_date": MOMENTS,
    "batch_transactions": ALLOCATIONS,
    "cost": RATES,
    **DATES,
}
DOCUMENT_FIELDS: dict[str, Fields] = {
    "factory": {
        **dict.fromkeys(("name", "address", "currency", "timezone", "base_currency_code"), TEXT),
        "default_sales_location_id": IDS,
        "inventory_closing_date": MOMENTS,
    },
    "additional_cost": {"name": TEXT, **DATES},
    "custom_field_definition": {
        **dict.fromkeys(("label", "description", "source", "field_type", "entity_type"), TEXT),
        "options": st.fixed_dictionaries({}, optional={"choices": nested({"id": IDS, "label": TEXT})}),
        **DATES,
    },
    "bom_row": {
        **dict.fromkeys(("product_variant_id", "product_item_id", "ingredient_variant_id"), IDS),
        "quantity": RATES,
        "notes": TEXT,
        "rank": SMALL,
    },
    "sales_order": {
        "customer_id": IDS,
        **dict.fromkeys(("order_no", "customer_ref", "additional_info", "ecommerce_order_id"), TEXT),
        "status": STATES,
        "total": RATES,
        "delivery_date": MOMENTS,
        "linked_manufacturing_order_id": IDS,
        "sales_order_rows": nested({**ROW, "linked_manufacturing_order_id": IDS, "total_discount": RATES}),
        "addresses": ADDRESSES,
        **DATES,
    },
    "sales_order_fulfillment": {
        "sales_order_id": IDS,
        "status": STATES,
        **dict.fromkeys(("tracking_number", "tracking_carrier", "tracking_method"), TEXT),
        "picked_date": MOMENTS,
        "sales_order_fulfillment_rows": nested({**ROW, "sales_order_row_id": IDS}),
        **DATES,
    },
    "sales_return": {
        **dict.fromkeys(("customer_id", "sales_order_id", "return_location_id"), IDS),
        **dict.fromkeys(("order_no", "additional_info", "tracking_number"), TEXT),
        **dict.fromkeys(("status", "refund_status"), STATES),
        "return_date": MOMENTS,
        **DATES,
    },
    "sales_return_row": {
        **dict.fromkeys(("sales_return_id", "variant_id", "sales_order_row_id", "reason_id"), IDS),
        **dict.fromkeys(("quantity", "net_price_per_unit"), RATES),
        "batch_transactions": ALLOCATIONS,
        "created_at": MOMENTS,
    },
    "purchase_order": {
        "supplier_id": IDS,
        "location_id": IDS,
        "default_group_id": IDS,
        **dict.fromkeys(("order_no", "additional_info"), TEXT),
        **dict.fromkeys(("status", "billing_status", "last_document_status"), STATES),
        "currency": st.sampled_from(["EUR", "USD"]),
        "total": RATES,
        "expected_arrival_date": MOMENTS,
        "purchase_order_rows": nested({**ROW, "received_date": MOMENTS, "group_id": IDS, "landed_cost": RATES}),
        **DATES,
    },
    "purchase_order_additional_cost_row": {
        **dict.fromkeys(("group_id", "additional_cost_id", "tax_rate_id"), IDS),
        **dict.fromkeys(("name", "reference", "currency"), TEXT),
        "price": RATES,
        **DATES,
    },
    "purchase_order_accounting_metadata": {
        **dict.fromkeys(("purchase_order_id", "received_items_group_id"), IDS),
        "bill_id": TEXT,
        "created_at": MOMENTS,
    },
    "outsourced_purchase_order_recipe_row": {
        **dict.fromkeys(("purchase_order_id", "purchase_order_row_id", "ingredient_variant_id"), IDS),
        **INGREDIENT,
    },
    "manufacturing_order": {
        **dict.fromkeys(("variant_id", "location_id", "sales_order_id", "sales_order_row_id"), IDS),
        **dict.fromkeys(("order_no", "additional_info"), TEXT),
        "status": STATES,
        "planned_quantity": RATES,
        "total_cost": RATES,
        "production_deadline_date": MOMENTS,
        "done_date": MOMENTS,
        "is_linked_to_sales_order": FLAGS,
        "serial_numbers": SERIALS,
        **DATES,
    },
    "manufacturing_order_recipe_row": {"manufacturing_order_id": IDS, "variant_id": IDS, **INGREDIENT},
    "manufacturing_order_operation_row": {
        "manufacturing_order_id": IDS,
        "status": STATES,
        "rank": RATES,
        **dict.fromkeys(("operation_name", "resource_name"), TEXT),
        "assigned_operators": nested({"operator_id": IDS, "name": TEXT}),
        "completed_by_operators": nested({"operator_id": IDS, "name": TEXT}),
        "is_status_actionable": FLAGS,
        **DATES,
    },
    "manufacturing_order_production": {
        "manufacturing_order_id": IDS,
        "quantity": RATES,
        "production_date": MOMENTS,
        "ingredients": nested({**ROW, **USED, "manufacturing_order_recipe_row_id": IDS}),
        "operations": nested({**USED, "manufacturing_order_operation_id": IDS, "time": RATES}),
        "serial_numbers": SERIALS,
        **DATES,
    },
    "stock_transfer": {
        **dict.fromkeys(("source_location_id", "target_location_id"), IDS),
        **dict.fromkeys(("stock_transfer_number", "additional_info"), TEXT),
        "status": STATES,
        "expected_arrival_date": MOMENTS,
        "stock_transfer_rows": nested(ROW),
        **DATES,
    },
    "stock_adjustment": {
        "location_id": IDS,
        **dict.fromkeys(("stock_adjustment_number", "reason", "additional_info"), TEXT),
        "stock_adjustment_date": MOMENTS,
        "stock_adjustment_rows": nested(ROW),
        **DATES,
    },
    "stocktake": {
        "location_id": IDS,
        **dict.fromkeys(("stocktake_number", "reason", "additional_info"), TEXT),
        "status": STATES,
        "completed_date": MOMENTS,
        **DATES,
    },
    "stocktake_row": {
        **dict.fromkeys(("stocktake_id", "variant_id", "batch_id"), IDS),
        **dict.fromkeys(("in_stock_quantity", "counted_quantity", "discrepancy_quantity"), RATES),
        "notes": TEXT,
        **DATES,
    },
    "inventory_movement": {
        **dict.fromkeys(("variant_id", "location_id", "resource_id", "caused_by_resource_id"), IDS),
        "caused_by_order_no": TEXT,
        "movement_date": MOMENTS,
        "quantity_change": RATES,
        "rank": SMALL,
    },
}
FIELDS: dict[str, Fields] = {
    **DOCUMENT_FIELDS,
    "variant": VARIANT,
    "product": {**MATERIAL, "is_producible": FLAGS, "is_purchasable": FLAGS, "lead_time": SMALL},
    "material": MATERIAL,
    "service": {
        "name": TEXT,
        "category_name": TEXT,
        "is_sellable": FLAGS,
        "additional_info": TEXT,
        "variants": nested({"id": IDS, "sku": TEXT, "sales_price": RATES, "default_cost": RATES}),
        "archived_at": MOMENTS,
        **DATES,
    },
    "customer": {
        **dict.fromkeys(("name", "first_name", "last_name", "company", "email", "phone", "comment", "category"), TEXT),
        "currency": st.sampled_from(["EUR", "USD"]),
        "reference_id": TEXT,
        "discount_rate": RATES,
        "default_billing_id": IDS,
        "addresses": ADDRESSES,
        **DATES,
    },
    "supplier": {
        **dict.fromkeys(("name", "email", "phone", "currency", "comment"), TEXT),
        "default_address_id": IDS,
        "addresses": ADDRESSES,
        **DATES,
    },
    "location": {
        "name": TEXT,
        "legal_name": TEXT,
        "address_id": IDS,
        "address": st.fixed_dictionaries({}, optional={"id": IDS, "city": TEXT, "country": TEXT, "line_1": TEXT}),
        "is_primary": FLAGS,
        "sales_allowed": FLAGS,
        "purchase_allowed": FLAGS,
        "manufacturing_allowed": FLAGS,
        **DATES,
    },
    "tax_rate": {
        "name": TEXT,
        "display_name": TEXT,
        "rate": RATES,
        "is_default_sales": FLAGS,
        "is_default_purchases": FLAGS,
        "created_at": MOMENTS,
    },
    "operator": {"operator_name": TEXT, "working_area": st.sampled_from(["shopFloor", "warehouse"]), **DATES},
}
INSIDE: dict[str, Fields] = {
    "product": {"variants[].sku": TEXT, "variants[].sales_price": RATES, "configs[].values": TEXT},
    "material": {"variants[].sku": TEXT, "configs[].name": TEXT},
    "service": {"variants[].sku": TEXT},
    "customer": {"addresses[].city": TEXT, "addresses[].default": FLAGS},
    "supplier": {"addresses[].zip": TEXT},
    "location": {"address.city": TEXT},
    "variant": {"supplier_item_codes": TEXT, "config_attributes[].config_value": TEXT},
    "sales_order": {"sales_order_rows[].variant_id": IDS, "sales_order_rows[].linked_manufacturing_order_id": IDS},
    "sales_order_fulfillment": {"sales_order_fulfillment_rows[].sales_order_row_id": IDS},
    "purchase_order": {"purchase_order_rows[].variant_id": IDS, "purchase_order_rows[].received_date": MOMENTS},
    "manufacturing_order": {"serial_numbers[].serial_number": TEXT},
    "manufacturing_order_operation_row": {"assigned_operators[].operator_id": IDS},
    "manufacturing_order_production": {"ingredients[].variant_id": IDS, "operations[].time": RATES},
    "stock_transfer": {"stock_transfer_rows[].variant_id": IDS, "stock_transfer_rows[].quantity": RATES},
    "stock_adjustment": {"stock_adjustment_rows[].variant_id": IDS},
}
NOT_COMPARED = {
    *("variants", "configs", "supplier"),
    *("addresses", "address", "supplier_item_codes", "config_attributes", "custom_fields"),
    *("ingredients", "operations", "options", "assigned_operators", "completed_by_operators", "serial_numbers"),
    *(spec.collection.removesuffix("s") + "_rows" for spec in DOCUMENTS),
    "batch_transactions",
}


def comparable(spec: EntitySpec) -> dict[str, st.SearchStrategy[object]]:
    """Return the fields that a list may be sorted and filtered by, with values for them."""
    found = {name: value for name, value in FIELDS[spec.name].items() if name not in NOT_COMPARED}
    return {**found, "id": st.integers(0, 7), "unheard_of": SMALL}


def identity(spec: EntitySpec, nr: int) -> int | str:
    """Return the id of the entity's record of this number: a text where Katana gives texts."""
    return f"id-{nr}" if spec.name in {"bom_row", "custom_field_definition"} else nr


def fields_of(spec: EntitySpec) -> st.SearchStrategy[dict[str, object]]:
    """Return how the fields of a record of the entity are drawn, but for its id and version."""
    return st.fixed_dictionaries({}, optional={**with_odd(FIELDS[spec.name]), "unheard_of": SMALL})


@st.composite
def records(draw: st.DrawFn, spec: EntitySpec) -> Sequence[Record]:
    """Draw a few records of the entity, ids from 1."""
    drawn = draw(st.lists(fields_of(spec), max_size=6))
    return [
        {"id": identity(spec, nr), "updated_at": "2025-01-01T12:00:00.000Z", **fields}
        for nr, fields in enumerate(drawn, 1)
    ]


@st.composite
def conditions_on(draw: st.DrawFn, spec: EntitySpec) -> Condition:
    """Draw a condition on a field of the entity, or of its rows."""
    return draw(conditions_among({**comparable(spec), **INSIDE.get(spec.name, {})}))


@st.composite
def conditions_among(draw: st.DrawFn, fields: Fields) -> Condition:
    """Draw a condition on one of these fields."""
    name = draw(st.sampled_from(sorted(fields)))
    value = fields[name]
    return draw(
        st.one_of(
            st.builds(OneOf, st.just(name), st.lists(value, max_size=3).map(tuple)),
            st.builds(NoneOf, st.just(name), st.lists(value, max_size=3).map(tuple)),
            st.builds(Within, st.just(name), st.none() | value, st.none() | value),
            st.builds(Below, st.just(name), value),
            st.builds(Missing, st.just(name), st.booleans()),
        )
    )
