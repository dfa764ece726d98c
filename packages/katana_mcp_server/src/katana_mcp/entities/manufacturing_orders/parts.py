"""What belongs to a manufacturing order though Katana keeps it beside: ingredients, operations, productions."""

from cache_core.records import Record, values_at
from katana_mcp.names import Names, text
from katana_mcp.operations.rows import filled, line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import rows, whole

RECIPE_ROWS = "manufacturing_order_recipe_row"
OPERATIONS = "manufacturing_order_operation_row"
PRODUCTIONS = "manufacturing_order_production"


class BatchUse(Answer):
    """How much of a batch was used."""

    batch_id: int | None = None
    quantity: Number | None = None


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
    batches: list[BatchUse] | None = None
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
    total_remaining_time: Number | None = None
    operators: list[str] | None = None
    """Assigned."""
    completed_at: str | None = None
    planned_cost_per_unit: Number | None = None
    total_actual_cost: Number | None = None
    cost_per_hour: Number | None = None


class UsedIngredient(Answer):
    """What a production used of an ingredient."""

    recipe_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    quantity: Number | None = None
    cost: Number | None = None


class Production(Answer):
    """What was made at once."""

    production_id: int | None = None
    quantity: Number | None = None
    production_date: str | None = None
    serial_numbers: list[str] | None = None
    ingredients: list[UsedIngredient] | None = None


def recipe_rows(order: Record, names: Names, *, verbose: bool = False) -> list[RecipeRow] | None:
    """Return the ingredients, with SKU and name; None where they were not read."""
    if RECIPE_ROWS not in order:
        return None
    return [
        line(
            RecipeRow,
            row,
            names,
            recipe_row_id=whole(row, "id"),
            batches=[filled(BatchUse, each) for each in rows(row, "batch_transactions")] if verbose else None,
        )
        for row in rows(order, RECIPE_ROWS)
    ]


def operations(order: Record, *, verbose: bool = False) -> list[OperationRow] | None:
    """Return the operations as they stand; None where they were not read."""
    if OPERATIONS not in order:
        return None
    unsaid = {} if verbose else _NO_COSTS
    return [
        filled(
            OperationRow,
            row,
            operation_row_id=whole(row, "id"),
            operation=text(row, "operation_name"),
            resource=text(row, "resource_name"),
            operators=[str(name) for name in values_at(row, "assigned_operators[].name")] or None,
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
            production_id=whole(row, "id"),
            serial_numbers=[str(each) for each in values_at(row, "serial_numbers[].serial_number")] or None,
            ingredients=[_used(each, names) for each in rows(row, "ingredients")] if verbose else None,
        )
        for row in rows(order, PRODUCTIONS)
    ]


def _used(ingredient: Record, names: Names) -> UsedIngredient:
    return filled(
        UsedIngredient,
        ingredient,
        recipe_row_id=whole(ingredient, "manufacturing_order_recipe_row_id"),
        sku=names.sku(ingredient.get("variant_id")),
    )
