"""The registry against what Katana does not have (facts 1.13) and what it has (facts 2)."""

from pathlib import Path
from typing import cast

from katana_client.collection import Bound, Collection, Spec
from katana_client.filters import DATES
from katana_client.resources import Collections

README = Path(__file__).parent.parent / "README.md"
SPECS: dict[str, Spec] = {
    name: cast("Bound[Collection]", bound).kind.spec
    for name, bound in vars(Collections).items()
    if isinstance(bound, Bound)
}
NEWER = frozenset(
    [
        "batch_stocks",
        "batches",
        "bin_inventory",
        "bin_locations",
        "bin_transfer_rows",
        "bin_transfers",
        "custom_field_definitions",
        "custom_fields_collections",
        "demand_forecasts",
        "inventory_signals",
        "sales_order_accounting_metadata",
        "sales_return_rows",
        "sales_returns",
        "serial_numbers",
        "serial_numbers_stock",
        "stocktake_rows",
        "stocktakes",
        "user_info",
        "users",
        "variant_bin_locations",
        "webhook_logs_export",
        "webhooks",
    ]
)
"""What they can do is what the facts say, by a test of the whole."""
OLDER = {name: spec for name, spec in SPECS.items() if name not in NEWER}
LISTED = {name: spec for name, spec in OLDER.items() if spec.lists}
PRICE_LISTS = {"price_lists", "price_list_rows", "price_list_customers"}
NO_LISTING = {
    "factory",
    "inventory_reorder_points",
    "inventory_safety_stock_levels",
    "recipe_rows",
}
READ_ONLY = {
    "additional_costs",
    "factory",
    "inventory",
    "inventory_movements",
    "locations",
    "negative_stock",
    "operators",
    "purchase_order_accounting_metadata",
}
# L list, G get by path, C create, M create many, U update, D delete
OPERATIONS = {
    "inventory_movements": "L",
    "manufacturing_order_operation_rows": "LGCUD",
    "manufacturing_order_production_ingredients": "LU",
    "manufacturing_order_productions": "LGCUD",
    "manufacturing_order_recipe_rows": "LGCUD",
    "manufacturing_orders": "LGCUD",
    "negative_stock": "L",
    "outsourced_purchase_order_recipe_rows": "LGCUD",
    "po_additional_cost_rows": "LGCUD",
    "price_list_customers": "LGMUD",
    "price_list_rows": "LGMUD",
    "price_lists": "LGCUD",
    "product_operation_rows": "LMUD",
    "purchase_order_accounting_metadata": "L",
    "purchase_order_rows": "LGCUD",
    "purchase_orders": "LGCUD",
    "recipe_rows": "UD",
    "recipes": "LM",
    "stock_adjustments": "LCUD",
    "stock_transfers": "LCUD",
}


def operations(spec: Spec) -> str:
    has = {
        "L": spec.lists,
        "G": spec.gets == "path",
        "C": spec.create,
        "M": spec.bulk,
        "U": spec.update,
        "D": spec.deletes,
    }
    return "".join(letter for letter, there in has.items() if there)


def table() -> str:
    rows: list[str] = []
    for name, spec in SPECS.items():
        letters = operations(spec)
        if spec.gets not in (None, "path"):
            letters = letters.replace("L", "Lg")
        rows.append(f"| `{name}` | {letters or 'one object'} |")
    return "\n".join(["| collection | operations |", "|---|---|", *rows])


def test_the_readme_lists_every_collection() -> None:
    text = README.read_text().partition("<!-- collections: begin -->\n")[2].partition("\n<!-- collections: end -->")[0]
    assert text == table()


def without(names: set[str]) -> set[str]:
    return {name for name, spec in LISTED.items() if not any(filter_name in spec.filters for filter_name in names)}


def test_each_collection_of_purchasing_making_and_stock_has_the_operations_katana_has() -> None:
    assert {name: operations(SPECS[name]) for name in OPERATIONS} == OPERATIONS
    assert {name for name, spec in OLDER.items() if not spec.lists} == NO_LISTING
    assert {name for name, spec in OLDER.items() if not operations(spec).strip("LG")} == READ_ONLY


def test_the_listings_without_a_delta_are_those_that_katana_has_none_for() -> None:
    undated = without(set(DATES))
    assert undated == {
        "inventory",
        "negative_stock",
        "operators",
        "purchase_order_accounting_metadata",
        *PRICE_LISTS,
    }
    assert all(set(DATES) <= set(spec.filters.single) for name, spec in LISTED.items() if name not in undated)


def test_the_listings_without_deleted_rows_are_those_that_katana_has_none_for() -> None:
    assert without({"include_deleted"}) == {
        "bom_rows",
        "inventory",
        "inventory_movements",
        "negative_stock",
        "operators",
        "product_operation_rows",
        "purchase_order_accounting_metadata",
        "recipes",
        "tax_rates",
        *PRICE_LISTS,
    }


def test_the_listings_without_ids_are_those_that_katana_has_none_for() -> None:
    assert without({"ids"}) == {
        "bom_rows",
        "inventory",
        "negative_stock",
        "operators",
        "product_operation_rows",
        "purchase_order_accounting_metadata",
        "recipes",
        "sales_order_fulfillments",
    }


def test_every_key_and_every_way_to_one_record_is_a_field_or_a_filter() -> None:
    for spec in SPECS.values():
        assert set(spec.key) <= spec.model.model_fields.keys()
        assert spec.gets in (None, "path") or spec.gets in spec.filters
        assert spec.lists or spec.gets is None
        assert spec.gets == "path" or not spec.get_filters.names()
