"""What belongs to a manufacturing order though Katana keeps it beside: ingredients, operations, productions."""

from cache_core.records import Record, values_at
from katana_mcp.names import Names, text
from katana_mcp.operations.rows import filled, line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import rows, whole

RECIPE_ROWS = "manufacturing_order_recipe_row"
OPERATIONS = "manufacturing_order_operation_row"
PRODUCTIONS = "manufacturing_order_production"


class RecipeRow(Answer):
    """An ingredient."""

    recipe_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    planned_quantity_per_unit: Number | None = None
    total_actual_quantity: Number | None = None
    total_consumed_quantity: Number | None = None
    total_remaining_quantity: Number | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None
    cost: Number | None = None
    notes: str | None = None


class OperationRow(Answer):
    """A step of the work."""

    operation_row_id: int | None = None
    operation: str | None = None
    resource: str | None = None
    status: str | None = None
    type: str | None = None
    planned_time_per_unit: Number | None = None
    total_actual_time: Number | None = None
    total_remaining_time: Number | None = None
    operators: list[str] | None = None
    """Assigned."""
    completed_at: str | None = None


class Production(Answer):
    """What was made at once."""

    production_id: int | None = None
    quantity: Number | None = None
    production_date: str | None = None
    serial_numbers: list[str] | None = None


def recipe_rows(order: Record, names: Names) -> list[RecipeRow]:
    """Return the ingredients, with SKU and name."""
    return [line(RecipeRow, row, names, recipe_row_id=whole(row, "id")) for row in rows(order, RECIPE_ROWS)]


def operations(order: Record) -> list[OperationRow]:
    """Return the operations as they stand."""
    return [
        filled(
            OperationRow,
            row,
            operation_row_id=whole(row, "id"),
            operation=text(row, "operation_name"),
            resource=text(row, "resource_name"),
            operators=[str(name) for name in values_at(row, "assigned_operators[].name")] or None,
        )
        for row in rows(order, OPERATIONS)
    ]


def productions(order: Record) -> list[Production]:
    """Return the productions, oldest first."""
    return [
        filled(
            Production,
            row,
            production_id=whole(row, "id"),
            serial_numbers=[str(each) for each in values_at(row, "serial_numbers[].serial_number")] or None,
        )
        for row in rows(order, PRODUCTIONS)
    ]
