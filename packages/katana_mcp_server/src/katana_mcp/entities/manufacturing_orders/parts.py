"""What belongs to a manufacturing order though Katana keeps it beside: ingredients, operations, productions."""

from cache_core.records import Record, values_at
from katana_mcp.references.display_names import Names, text
from katana_mcp.surface.operations.embedded import BatchTransaction, CustomField
from katana_mcp.surface.operations.rows import filled, line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int, rows

RECIPE_ROWS = "manufacturing_order_recipe_row"
OPERATIONS = "manufacturing_order_operation_row"
PRODUCTIONS = "manufacturing_order_production"


class RecipeLine(Answer):
    """An ingredient as a list shows it."""

    recipe_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    planned_quantity_per_unit: Number | None = None
    total_remaining_quantity: Number | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None


class RecipeRow(RecipeLine):
    """An ingredient."""

    total_actual_quantity: Number | None = None
    total_consumed_quantity: Number | None = None
    cost: Number | None = None
    notes: str | None = None
    batch_transactions: list[BatchTransaction] | None = None
    """With `verbose`."""


class OperationRow(Answer):
    """A step of the work."""

    operation_row_id: int | None = None
    operation: str | None = None
    resource: str | None = None
    status: str | None = None
    type: str | None = None
    planned_time_per_unit: Number | None = None
    total_actual_time: Number | None = None
    total_consumed_time: Number | None = None
    total_remaining_time: Number | None = None
    operators: list[str] | None = None
    """Assigned."""
    completed_by: list[str] | None = None
    completed_at: str | None = None
    planned_cost_per_unit: Number | None = None
    total_actual_cost: Number | None = None
    cost_per_hour: Number | None = None
    custom_fields: list[CustomField] | None = None


class UsedIngredient(Answer):
    """What a production used of an ingredient."""

    recipe_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None
    cost: Number | None = None


class UsedTime(Answer):
    """What a production took of an operation."""

    operation_row_id: int | None = None
    time: Number | None = None
    cost: Number | None = None


class Production(Answer):
    """One production: what was made in one step."""

    production_id: int | None = None
    quantity: Number | None = None
    production_date: str | None = None
    serial_numbers: list[str] | None = None
    ingredients: list[UsedIngredient] | None = None
    operations: list[UsedTime] | None = None


def recipe_rows(order: Record, names: Names, *, verbose: bool = False) -> list[RecipeRow] | None:
    """Return the ingredients, with SKU and name; None where they were not read."""
    if RECIPE_ROWS not in order:
        return None
    unsaid: dict[str, object] = {} if verbose else {"batch_transactions": None}
    return [line(RecipeRow, row, names, recipe_row_id=get_int(row, "id"), **unsaid) for row in rows(order, RECIPE_ROWS)]


def operations(order: Record, names: Names, *, verbose: bool = False) -> list[OperationRow] | None:
    """Return the operations as they stand; None where they were not read."""
    if OPERATIONS not in order:
        return None
    unsaid = {} if verbose else _NO_COSTS
    return [
        filled(
            OperationRow,
            row,
            names,
            operation_row_id=get_int(row, "id"),
            operation=text(row, "operation_name"),
            resource=text(row, "resource_name"),
            operators=_texts(row, "assigned_operators[].name"),
            completed_by=_texts(row, "completed_by_operators[].name"),
            **unsaid,
        )
        for row in rows(order, OPERATIONS)
    ]


_NO_COSTS: dict[str, object] = {"planned_cost_per_unit": None, "total_actual_cost": None, "cost_per_hour": None}


def productions(order: Record, names: Names, *, verbose: bool = False) -> list[Production] | None:
    """Return the productions, oldest first; None where they were not read."""
    if PRODUCTIONS not in order:
        return None
    return [
        filled(
            Production,
            row,
            production_id=get_int(row, "id"),
            serial_numbers=serial_numbers(row),
            ingredients=[_used(ingredient, names) for ingredient in rows(row, "ingredients")] if verbose else None,
            operations=[_spent(operation) for operation in rows(row, "operations")] if verbose else None,
        )
        for row in rows(order, PRODUCTIONS)
    ]


def serial_numbers(record: Record) -> list[str] | None:
    """Return the serial numbers given to what was made, or None when there are none."""
    return _texts(record, "serial_numbers[].serial_number")


def _texts(record: Record, path: str) -> list[str] | None:
    return [str(value) for value in values_at(record, path)] or None


def _spent(operation: Record) -> UsedTime:
    return filled(UsedTime, operation, operation_row_id=get_int(operation, "manufacturing_order_operation_id"))


def _used(ingredient: Record, names: Names) -> UsedIngredient:
    recipe_row_id = get_int(ingredient, "manufacturing_order_recipe_row_id")
    return line(UsedIngredient, ingredient, names, recipe_row_id=recipe_row_id)
