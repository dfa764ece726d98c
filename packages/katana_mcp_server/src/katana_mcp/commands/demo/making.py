"""A planner: what holds up production, what it is made of, and an order that is done, corrected."""

from collections.abc import Mapping

from katana_mcp.commands.demo.lines import document, outcome_lines, planned, preview_lines, token, written
from katana_mcp.commands.demo.step import Answer, Chapter, Step, TemplateRow, always, by_row, some


def _blocked_lines(answer: Answer) -> list[str]:
    line = "{sku:<18} missing {missing:>6} {uom} at {location}, for {waiting}"
    orders = [", ".join(order["order_no"] for order in row["orders"]) for row in answer["rows"]]
    return [
        line.format_map(TemplateRow(row, waiting=order_numbers))
        for row, order_numbers in zip(answer["rows"], orders, strict=True)
    ]


def _bom_lines(answer: Answer) -> list[str]:
    return [f"{'  ' * row['level']}{row.get('total_quantity', 1)} x {row.get('sku')}" for row in answer["rows"][:5]]


def _one_more(answers: Mapping[str, Answer]) -> dict[str, object]:
    """One more was made than was reported."""
    order = answers["list_manufacturing_orders"]["rows"][0]
    made = order["completed_quantity"] + 1
    return {"manufacturing_order_id": order["manufacturing_order_id"], "completed_quantity": made}


MAKING = Chapter(
    "making",
    "Making: what holds up production, and an order that is done, corrected",
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
        Step(
            "What was finished last?",
            "list_manufacturing_orders",
            always(status=["DONE"], order_by="-done_date", limit=1),
            some(),
            by_row("{order_no:<8} {completed_quantity:>5} x {sku:<14} done {done_date:.10}"),
        ),
        Step("One more was made", "correct_manufacturing_order", _one_more, planned, preview_lines),
        Step("Write it", "apply_plan", token("correct_manufacturing_order"), written, outcome_lines),
    ),
)
