"""A clerk of sales: an order that is delivered and closed, put right; with a minute's requests of its own."""

from collections.abc import Mapping

from katana_mcp.commands.demo.lines import document, journal_of, outcome_lines, planned, preview_lines, token, written
from katana_mcp.commands.demo.step import Answer, Chapter, Step, always, by_row, first, some


def _one_more(answers: Mapping[str, Answer]) -> dict[str, object]:
    """One more left than was written."""
    order = answers["get_sales_order"]["order"]
    row = order["rows"][0]
    rows = [{"row_id": row["sales_order_row_id"], "quantity": row["quantity"] + 1}]
    return {"sales_order_id": order["sales_order_id"], "update_rows": rows}


def _closed(answer: Answer) -> str | None:
    return None if answer["order"]["status"] == "DELIVERED" else "the order was left open"


_ORDER = first("list_sales_orders", "sales_order_id")
_ROWS = document("rows", "  {quantity:>5} x {sku:<12} {name:<30} {product_availability}")
CORRECTING = Chapter(
    "correcting",
    "Correcting: a sales order that is delivered and closed, put right",
    (
        Step(
            "What was delivered last?",
            "list_sales_orders",
            always(status=["DELIVERED"], limit=1),
            some(),
            by_row("{order_no:<8} {customer:<28} {status:<20} {total:>10} {currency}"),
        ),
        Step("It in full", "get_sales_order", _ORDER, _closed, _ROWS),
        Step("One more has left than was written", "correct_sales_order", _one_more, planned, preview_lines),
        Step("Write it", "apply_plan", token("correct_sales_order"), written, outcome_lines),
        Step("It is closed again", "get_sales_order", _ORDER, _closed, _ROWS),
        journal_of("correct_sales_order"),
    ),
)
