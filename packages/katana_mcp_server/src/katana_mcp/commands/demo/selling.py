"""A clerk of sales: which orders are late, whose they are, and a new order, corrected and shipped."""

from collections.abc import Mapping

from katana_mcp.commands.demo.lines import document, journal_of, outcome_lines, planned, preview_lines, token, written
from katana_mcp.commands.demo.step import Answer, Chapter, Step, always, by_row, first, some


def _late(answer: Answer) -> str | None:
    return None if answer["rows"] and all(row.get("overdue") for row in answer["rows"]) else "no late orders came back"


def _customer_lines(answer: Answer) -> list[str]:
    customer = answer["customer"]
    orders = (f"{order['order_no']} {order['status']}" for order in customer["recent_sales_orders"])
    return [f"{customer['name']}, {customer.get('email')}: {', '.join(orders)}"]


def _refusal_lines(answer: Answer) -> list[str]:
    return [warning["message"] for warning in answer["warnings"]]


def _refused(answer: Answer) -> str | None:
    if answer.get("error") != "not_found":
        return "the order that does not exist was not refused"
    return None if "did you mean" in answer["warnings"][0]["message"] else "nothing was suggested"


def _misspelt(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take the number of the latest order, with a letter too many."""
    number = answers["list_sales_orders"]["rows"][0]["order_no"]
    return {"sales_order_id": f"{number}z"}


def _ordered(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take an order for two of what the customer's late order holds, with a parcel to pay."""
    late = answers["get_sales_order"]["order"]
    rows = [{"sku_or_variant_id": late["rows"][-1]["variant_id"], "quantity": 2}]
    return {"customer_id": late["customer"], "rows": rows, "shipping_fees": [{"amount": 12}]}


def _new(answers: Mapping[str, Answer]) -> dict[str, object]:
    return {"sales_order_id": answers["apply_plan"]["outcomes"][0]["id"]}


def _corrected(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Sell three instead of two."""
    order = answers["get_sales_order"]["order"]
    rows = [{"row_id": order["rows"][0]["sales_order_row_id"], "quantity": 3}]
    return {"sales_order_id": order["sales_order_id"], "update_rows": rows}


def _part(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Send one of the three."""
    order = answers["get_sales_order"]["order"]
    rows = [{"row_id": order["rows"][0]["sales_order_row_id"], "quantity": 1}]
    return {"sales_order_id": order["sales_order_id"], "rows": rows, "tracking_number": "1Z 999 AA1"}


def _ten_more(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Ask for an order that can ship, and ten of an item that is bought."""
    order = answers["order_readiness"]["rows"][0]["order_no"]
    return {"sales_order_id": order, "rows": [{"sku_or_variant_id": "FSKT-35M", "quantity": 10}]}


def _all_told(answer: Answer) -> str | None:
    unknown = [row["sku"] for row in answer["rows"] if "date" not in row]
    return f"nobody knows when {', '.join(unknown)} is there" if unknown or not answer["rows"] else None


def _rest(answers: Mapping[str, Answer]) -> dict[str, object]:
    return {"sales_order_id": answers["get_sales_order"]["order"]["sales_order_id"]}


def _two(answer: Answer) -> str | None:
    quantities = [row["quantity"] for row in answer["order"]["rows"]]
    return None if quantities == [2] else f"the order has rows of {quantities}"


_ROWS = document("rows", "  {quantity:>5} x {sku:<12} {name:<30} {product_availability}")

SELLING = Chapter(
    "selling",
    "Selling: late orders, who waits for them, and a new order, corrected and shipped",
    (
        Step(
            "Which sales orders are late?",
            "list_sales_orders",
            always(overdue=True, order_by="delivery_date", limit=5),
            _late,
            by_row("{order_no:<8} {customer:<28} due {delivery_date:.10}  {status:<20} {total:>10} {currency}"),
        ),
        Step(
            "What can ship today, and what waits?",
            "order_readiness",
            always(state=["ready", "part"], limit=3),
            some(),
            by_row("{order_no:<8} {customer:<28} due {delivery_date:.10}  {state:<8} {ready_rows} of {open_rows} rows"),
        ),
        Step(
            "When could they have ten more of the first?",
            "promise_date",
            _ten_more,
            _all_told,
            by_row("{quantity:>5} x {sku:<12} {name:<30} {date}"),
        ),
        Step(
            "The latest of them in full",
            "get_sales_order",
            first("list_sales_orders", "sales_order_id"),
            lambda answer: None if answer["order"]["rows"] else "the order has no rows",
            _ROWS,
        ),
        Step(
            "Who waits for it?",
            "search_customers",
            first("list_sales_orders", "customer", "query"),
            some(),
            by_row("{name:<28} {email}"),
        ),
        Step(
            "That customer's orders",
            "get_customer",
            first("search_customers", "customer_id"),
            lambda answer: None if answer["customer"]["recent_sales_orders"] else "the customer has no orders",
            _customer_lines,
        ),
        Step("They order two more by phone", "create_sales_order", _ordered, planned, preview_lines),
        Step("Write the order", "apply_plan", token("create_sales_order"), written, outcome_lines),
        Step("It is there at once", "get_sales_order", _new, _two, _ROWS),
        Step("Three were meant", "modify_sales_order", _corrected, planned, preview_lines),
        Step("Write the correction", "apply_plan", token("modify_sales_order"), written, outcome_lines),
        Step("One of them leaves today", "fulfill_order", _part, planned, preview_lines),
        Step("Ship it", "apply_plan", token("fulfill_order"), written, outcome_lines),
        Step("The rest follows", "fulfill_order", _rest, planned, preview_lines),
        Step("Ship the rest", "apply_plan", token("fulfill_order"), written, outcome_lines),
        journal_of("fulfill_order", "fulfill_order", "modify_sales_order", "create_sales_order"),
        Step(
            "An order number that does not exist", "get_sales_order", _misspelt, _refused, _refusal_lines, may_fail=True
        ),
    ),
)
