"""The nine entities that have a flag, as records that Katana might send: nulls, news, wrong types too."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from hypothesis import strategies as st

from cache_core.conditions import Below, Condition, Missing, NoneOf, OneOf, Within
from cache_core.records import Record
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS as ALL

from .strategies import AMOUNTS, MOMENTS, SMALL, phrases

NINE = tuple(spec for spec in ALL if spec.name not in {"sales_order", "stock"})

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
FIELDS: dict[str, Fields] = {
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
SCALAR = {
    name: {field: value for field, value in fields.items() if field not in {"variants", "configs", "supplier"}}
    for name, fields in FIELDS.items()
}
INSIDE: dict[str, Fields] = {
    "product": {"variants[].sku": TEXT, "variants[].sales_price": RATES, "configs[].values": TEXT},
    "material": {"variants[].sku": TEXT, "configs[].name": TEXT},
    "service": {"variants[].sku": TEXT},
    "customer": {"addresses[].city": TEXT, "addresses[].default": FLAGS},
    "supplier": {"addresses[].zip": TEXT},
    "location": {"address.city": TEXT},
    "variant": {"supplier_item_codes": TEXT, "config_attributes[].config_value": TEXT},
}
NOT_COMPARED = {"addresses", "address", "supplier_item_codes", "config_attributes", "custom_fields"}


def comparable(spec: EntitySpec) -> dict[str, st.SearchStrategy[object]]:
    """Return the fields that a list may be sorted and filtered by, with values for them."""
    found = {name: value for name, value in SCALAR[spec.name].items() if name not in NOT_COMPARED}
    return {**found, "id": st.integers(0, 7), "unheard_of": SMALL}


@st.composite
def records(draw: st.DrawFn, spec: EntitySpec) -> Sequence[Record]:
    """Draw a few records of the entity, ids from 1."""
    fields = st.fixed_dictionaries({}, optional={**with_odd(FIELDS[spec.name]), "unheard_of": SMALL})
    drawn = draw(st.lists(fields, max_size=6))
    return [{"id": nr, "updated_at": "2025-01-01T12:00:00.000Z", **each} for nr, each in enumerate(drawn, 1)]


@st.composite
def conditions_on(draw: st.DrawFn, spec: EntitySpec) -> Condition:
    """Draw a condition on a field of the entity, or of its rows."""
    fields = {**comparable(spec), **INSIDE.get(spec.name, {})}
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
