"""Ingredients of manufacturing orders, newest first; locked once their order is done."""

from katana_sandbox.descriptor import Collection, Field, plain_fields
from katana_sandbox.rules.manufacturing_rows import add_recipe_row, check_row_deletable, update_recipe_row
from katana_sandbox.rules.manufacturing_settle import settle_changed_row
from katana_sandbox.wire.numbers import decimal_text

INGREDIENTS = ("PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE")

MANUFACTURING_ORDER_RECIPE_ROWS = Collection(
    name="manufacturing_order_recipe_rows",
    custom_fields=("RecipeBom",),
    fields=(
        *plain_fields("manufacturing_order_id variant_id"),
        Field("notes", "", lambda value: value or ""),
        Field("planned_quantity_per_unit", store=decimal_text(10)),
        *plain_fields(
            "total_actual_quantity ingredient_availability=NOT_AVAILABLE ingredient_expected_date"
            " batch_transactions=[] cost total_consumed_quantity=0 total_remaining_quantity=0 location_id"
            " written_quantity custom_fields"
        ),
    ),
    foreign_keys=("manufacturing_order_id", "variant_id"),
    references={"manufacturing_order_id": "manufacturing_orders", "variant_id": "variants"},
    hidden=frozenset({"location_id", "written_quantity"}),
    parent=("manufacturing_order_id", "manufacturing_orders"),
    on_create=add_recipe_row,
    on_update=update_recipe_row,
    on_delete=check_row_deletable,
    settle=settle_changed_row,
)
