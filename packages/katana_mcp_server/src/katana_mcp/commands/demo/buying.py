"""A purchaser: finds a part, sees what is short, orders it with a mistake, and corrects the order."""

from collections.abc import Mapping

from katana_mcp.commands.demo.lines import (
    PART,
    document,
    found_part,
    item_lines,
    journal_of,
    outcome_lines,
    planned,
    preview_lines,
    stock_lines,
    three_skus,
    three_stocks,
    token,
    written,
)
from katana_mcp.commands.demo.step import Answer, Chapter, Step, always, by_row, first, some


def _did_you_mean(answer: Answer) -> str | None:
    if answer["rows"]:
        return "a text that does not exist was found"
    return None if answer["empty"]["did_you_mean"] else "nothing was suggested"


def _empty_lines(answer: Answer) -> list[str]:
    empty = answer["empty"]
    return [
        f"nothing among {empty['records']} records that are neither deleted nor archived matches {empty['searched']!r}",
        f"did you mean: {', '.join(empty['did_you_mean'])}",
    ]


def _order(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Order the part from a supplier that we buy from, with freight."""
    last = answers["list_purchase_orders"]["rows"][0]
    return {
        "supplier_id": last["supplier"],
        "location_id": last["location"],
        "rows": [{"sku_or_variant_id": "FSKT-35M", "quantity": 10, "price_per_unit": 12.5}],
        "additional_costs": [{"additional_cost_id": "Shipping", "price": 30}],
        "additional_info": "call before delivery",
    }


def _ordered(answers: Mapping[str, Answer]) -> dict[str, object]:
    return {"purchase_order_id": answers["apply_plan"]["outcomes"][0]["id"]}


def _corrected(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take 25 of the part instead of 10, two weeks later."""
    order = answers["get_purchase_order"]["order"]
    row = order["rows"][0]["purchase_order_row_id"]
    rows = [{"row_id": row, "quantity": 25}]
    return {"purchase_order_id": order["purchase_order_id"], "update_rows": rows, "additional_info": None}


def _has_notes(answer: Answer) -> str | None:
    order = answer["order"]
    asked = (order["rows"][0]["quantity"], order.get("additional_info"), len(order["additional_costs"]))
    return None if asked == (10, "call before delivery", 1) else f"another order came back: {asked}"


def _order_lines(answer: Answer) -> list[str]:
    order = answer["order"]
    row, cost = order["rows"][0], order["additional_costs"][0]
    return [
        f"{order['order_no']} {order['supplier']}, {order['status']}, notes: {order['additional_info']}",
        f"  {row['quantity']} x {row['sku']}  {row['name']}",
        f"  {cost['name']} {cost['price']} {cost.get('currency', '')}".rstrip(),
    ]


BUYING = Chapter(
    "buying",
    "Buying: a part, what is short, and an order with a mistake in it, corrected",
    (
        Step("Find a part by the supplier's code", "search_items", always(query=PART), found_part, item_lines),
        Step("The same with a typo", "search_items", always(query="00.4012.018.003"), _did_you_mean, _empty_lines),
        Step("More of that family", "search_items", always(query="00.4021.018", limit=5), lambda _: None, item_lines),
        Step("Stock of three SKUs in one call", "check_inventory", three_skus, three_stocks, stock_lines),
        Step(
            "What is short?",
            "list_low_stock_items",
            always(limit=4),
            some(),
            by_row("{sku:<18} short by {short:>4} {uom:<5} at {location:<18} {supplier}"),
        ),
        Step(
            "Work that comes back every morning, as the host offers it",
            "morning_shortage_check",
            always(location="Main workshop"),
            lambda answer: None if "Main workshop" in answer["text"] else "the prompt is of no location",
            lambda answer: answer["text"].splitlines()[:1],
            kind="prompt",
        ),
        Step(
            "Whom do we buy from?",
            "katana://suppliers",
            always(),
            some(),
            lambda answer: [f"{row['name']:<28} {row['currency']}" for row in answer["rows"][:3]],
            kind="resource",
        ),
        Step(
            "Which purchases are late?",
            "list_purchase_orders",
            always(overdue=True, limit=3),
            some(),
            by_row("{order_no:<8} {supplier:<28} due {expected_arrival_date:.10}  {status:<20} {total:>10} {currency}"),
        ),
        Step(
            "One of them in full",
            "get_purchase_order",
            first("list_purchase_orders", "purchase_order_id"),
            lambda answer: None if answer["order"]["rows"] else "the order has no rows",
            document("rows", "  {quantity:>5} x {sku:<12} {name:<30} {received_date:.10}"),
        ),
        Step(
            "All of it has come",
            "receive_purchase_order",
            first("list_purchase_orders", "purchase_order_id"),
            planned,
            preview_lines,
        ),
        Step("Book it in", "apply_plan", token("receive_purchase_order"), written, outcome_lines),
        Step(
            "The first question again, now warm",
            "search_items",
            always(query=PART),
            found_part,
            lambda answer: [f"{answer['total']} found"],
        ),
        Step("Order ten more, with freight", "create_purchase_order", _order, planned, preview_lines),
        Step("Write the order", "apply_plan", token("create_purchase_order"), written, outcome_lines),
        Step(
            "The same plan again writes nothing",
            "apply_plan",
            token("create_purchase_order"),
            written,
            outcome_lines,
            repeats=True,
        ),
        Step("It is there at once", "get_purchase_order", _ordered, _has_notes, _order_lines),
        Step("Twenty-five were meant, and no notes", "modify_purchase_order", _corrected, planned, preview_lines),
        Step("Write the correction", "apply_plan", token("modify_purchase_order"), written, outcome_lines),
        Step("It is not needed after all", "delete_purchase_order", _ordered, planned, preview_lines),
        Step("Delete it", "apply_plan", token("delete_purchase_order"), written, outcome_lines),
        journal_of("delete_purchase_order", "modify_purchase_order", "create_purchase_order"),
    ),
)
