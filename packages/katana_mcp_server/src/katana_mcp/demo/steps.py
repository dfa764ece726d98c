"""The working session as data: what is asked, what must come back, and how it reads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

type Answer = Mapping[str, Any]

PART = "00.4021.018.003"


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the session.

    Attributes:
        title: what the person wants.
        tool: what the assistant calls.
        arguments: with what; made from the answers so far, by tool.
        wrong: says what is wrong with the answer, or nothing.
        lines: the answer as a person would read it.
        may_fail: whether a refusal is the right answer.
    """

    title: str
    tool: str
    arguments: Callable[[Mapping[str, Answer]], dict[str, object]]
    wrong: Callable[[Answer], str | None]
    lines: Callable[[Answer], list[str]]
    may_fail: bool = False


def _always(**arguments: object) -> Callable[[Mapping[str, Answer]], dict[str, object]]:
    return lambda _: arguments


def _item_lines(answer: Answer) -> list[str]:
    rows = [
        f"{row.get('sku') or '(no SKU)':<18} {row.get('name') or '':<44} {row.get('item_type')}"
        + (f"  supplier code {', '.join(row['supplier_item_codes'])}" if row.get("supplier_item_codes") else "")
        for row in answer["rows"]
    ]
    return [*rows, f"{answer['total']} found, as of {answer['as_of']}"]


def _found_part(answer: Answer) -> str | None:
    if not answer["rows"]:
        return f"{PART} was not found"
    return None if PART in (answer["rows"][0].get("supplier_item_codes") or ()) else "the first hit is another part"


def _did_you_mean(answer: Answer) -> str | None:
    if answer["rows"]:
        return "a text that does not exist was found"
    return None if answer["empty"]["did_you_mean"] else "nothing was suggested"


def _empty_lines(answer: Answer) -> list[str]:
    empty = answer["empty"]
    return [
        f"nothing among {empty['records']} records matches {empty['searched']!r}",
        f"did you mean: {', '.join(empty['did_you_mean'])}",
    ]


def _three_skus(answers: Mapping[str, Answer]) -> dict[str, object]:
    skus = [row["sku"] for row in answers["search_items"]["rows"] if row.get("sku")]
    return {"skus_or_variant_ids": list(dict.fromkeys(skus))[:3]}


def _stock_lines(answer: Answer) -> list[str]:
    lines = [f"{'':<18} {'in stock':>10} {'committed':>10} {'expected':>10} {'available':>10}"]
    for each in answer["stock"]:
        figures = " ".join(f"{each.get(name, '?'):>10}" for name in ("in_stock", "committed", "expected", "available"))
        lines.append(f"{each.get('sku') or each['variant_id']:<18} {figures}{_short(each)}")
    return lines


def _short(stock: Answer) -> str:
    """Return where and by how much a variant is short of its commitments and reorder point."""
    missing = [each for each in stock["locations"] if float(each.get("missing_or_excess", 0)) < 0]
    places = (f"by {-each['missing_or_excess']} at {each.get('location') or each['location_id']}" for each in missing)
    return f"  SHORT {', '.join(places)}" if missing else ""


def _three_stocks(answer: Answer) -> str | None:
    count = len(answer["stock"])
    return None if count == 3 and not answer["not_found"] else f"{count} of 3 stocks came back"


def _late_lines(answer: Answer) -> list[str]:
    rows = [
        f"{row['order_no']:<10} due {row['delivery_date'][:10]}  {row.get('customer') or '?':<30} "
        f"{row['status']:<20} {row.get('total', '?')} {row.get('currency') or ''}"
        for row in answer["rows"]
    ]
    return [*rows, f"{answer['total']} late orders in all"]


def _late(answer: Answer) -> str | None:
    return None if answer["rows"] and all(row.get("overdue") for row in answer["rows"]) else "no late orders came back"


def _order_lines(answer: Answer) -> list[str]:
    order = answer["order"]
    head = f"{order['order_no']} for {order.get('customer')}, {order['status']}, due {order['delivery_date'][:10]}"
    rows = [
        f"  {row.get('quantity')} x {row.get('sku') or '(no SKU)'} {row.get('name') or ''}  "
        f"{row.get('product_availability') or ''}"
        for row in order["rows"]
    ]
    return [head, *rows]


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


STEPS: tuple[Step, ...] = (
    Step("Find a part by the supplier's code", "search_items", _always(query=PART), _found_part, _item_lines),
    Step("The same with a typo", "search_items", _always(query="00.4012.018.003"), _did_you_mean, _empty_lines),
    Step("More of that family", "search_items", _always(query="00.4021.018", limit=5), lambda _: None, _item_lines),
    Step("Stock of three SKUs in one call", "check_inventory", _three_skus, _three_stocks, _stock_lines),
    Step(
        "Which sales orders are late?",
        "list_sales_orders",
        _always(overdue=True, order_by="delivery_date", limit=5),
        _late,
        _late_lines,
    ),
    Step(
        "The latest of them in full",
        "get_sales_order",
        lambda answers: {"sales_order_id": answers["list_sales_orders"]["rows"][0]["sales_order_id"]},
        lambda answer: None if answer["order"]["rows"] else "the order has no rows",
        _order_lines,
    ),
    Step("An order number that does not exist", "get_sales_order", _misspelt, _refused, _refusal_lines, may_fail=True),
    Step(
        "The first question again, now warm",
        "search_items",
        _always(query=PART),
        _found_part,
        lambda answer: [f"{answer['total']} found"],
    ),
)
