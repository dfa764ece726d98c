"""A planner: what holds up production, and what it is made of."""

from katana_mcp.commands.demo.lines import document
from katana_mcp.commands.demo.step import Answer, Chapter, Step, TemplateRow, always, by_row, some


def _blocked_lines(answer: Answer) -> list[str]:
    line = "{sku:<18} missing {missing:>6} {uom} at {location}, for {waiting}"
    orders = [", ".join(order["order_no"] for order in row["orders"]) for row in answer["rows"]]
    return [line.format_map(TemplateRow(row, waiting=each)) for row, each in zip(answer["rows"], orders, strict=True)]


def _bom_lines(answer: Answer) -> list[str]:
    return [f"{'  ' * row['level']}{row.get('total_quantity', 1)} x {row.get('sku')}" for row in answer["rows"][:5]]


MAKING = Chapter(
    "making",
    "Making: what holds up production",
    (
        Step("What holds up production?", "list_blocking_ingredients", always(limit=3), some(), _blocked_lines),
        Step(
            "The first order that waits, and its recipe",
            "get_manufacturing_order_recipe",
            lambda answers: {
                "manufacturing_order_id": answers["list_blocking_ingredients"]["rows"][0]["orders"][0][
                    "manufacturing_order_id"
                ]
            },
            lambda answer: None if answer["order"]["recipe_rows"] else "the recipe has no rows",
            document("recipe_rows", "  {total_remaining_quantity:>6} x {sku:<14} {ingredient_availability}"),
        ),
        Step(
            "What its product is made of",
            "get_bom",
            lambda answers: {
                "skus_or_variant_ids": [answers["get_manufacturing_order_recipe"]["order"]["variant_id"]],
                "levels": 1,
            },
            some(),
            _bom_lines,
        ),
        Step(
            "Which manufacturing orders are late?",
            "list_manufacturing_orders",
            always(overdue=True, limit=3),
            some(),
            by_row("{order_no:<8} {planned_quantity:>5} x {sku:<14} due {production_deadline_date:.10}  {status}"),
        ),
    ),
)
