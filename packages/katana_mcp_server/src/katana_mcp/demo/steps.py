"""The working session as data: what is asked, what must come back, and how it reads."""

from collections.abc import Callable, Mapping

from katana_mcp.demo.step import Answer, Shown, Step, always, by_row, first, some
from katana_mcp.demo.writing import WRITING

PART = "00.4021.018.003"


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
        f"nothing among {empty['records']} records that are neither deleted nor archived matches {empty['searched']!r}",
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


def _late(answer: Answer) -> str | None:
    return None if answer["rows"] and all(row.get("overdue") for row in answer["rows"]) else "no late orders came back"


def _document(rows: str, template: str) -> Callable[[Answer], list[str]]:
    """Return what shows an order: a head, then its rows."""

    def lines(answer: Answer) -> list[str]:
        order = Shown(answer["order"])
        head = "{order_no} {customer}{supplier}{sku}, {status}, due {delivery_date:.10}"
        head += "{expected_arrival_date:.10}{production_deadline_date:.10}"
        return [head.format_map(order), *(template.format_map(Shown(each)).rstrip() for each in order[rows])]

    return lines


def _blocked_lines(answer: Answer) -> list[str]:
    line = "{sku:<18} missing {missing:>6} {uom} at {location}, for {waiting}"
    orders = [", ".join(order["order_no"] for order in row["orders"]) for row in answer["rows"]]
    return [line.format_map(Shown(row, waiting=each)) for row, each in zip(answer["rows"], orders, strict=True)]


def _bom_lines(answer: Answer) -> list[str]:
    return [f"{'  ' * row['level']}{row.get('total_quantity', 1)} x {row.get('sku')}" for row in answer["rows"][:5]]


def _past(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take the beginning of this month."""
    return {**_three_skus(answers), "as_of": f"{answers['search_items']['as_of']:.7}-01T00:00:00Z"}


def _customer_lines(answer: Answer) -> list[str]:
    customer = answer["customer"]
    orders = (f"{each['order_no']} {each['status']}" for each in customer["recent_sales_orders"])
    return [f"{customer['name']}, {customer.get('email')}: {', '.join(orders)}"]


def _cache_lines(answer: Answer) -> list[str]:
    held = [f"{each['records']} {each['entity']}" for each in answer["entities"] if each["records"]]
    return [f"held here: {', '.join(held[:6])}, and {len(held) - 6} more kinds"]


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
    Step("Find a part by the supplier's code", "search_items", always(query=PART), _found_part, _item_lines),
    Step("The same with a typo", "search_items", always(query="00.4012.018.003"), _did_you_mean, _empty_lines),
    Step("More of that family", "search_items", always(query="00.4021.018", limit=5), lambda _: None, _item_lines),
    Step("Stock of three SKUs in one call", "check_inventory", _three_skus, _three_stocks, _stock_lines),
    Step(
        "What is short?",
        "list_low_stock_items",
        always(limit=4),
        some(),
        by_row("{sku:<18} short by {short:>4} {uom:<5} at {location:<18} {supplier}"),
    ),
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
        _document("recipe_rows", "  {total_remaining_quantity:>6} x {sku:<14} {ingredient_availability}"),
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
        _document("rows", "  {quantity:>5} x {sku:<12} {name:<30} {received_date:.10}"),
    ),
    Step(
        "What moved the part's stock?",
        "get_inventory_movements",
        always(skus_or_variant_ids=["FSKT-35M"], limit=3),
        some(),
        by_row("{movement_date:.10}  {quantity_change:>5} {balance_after:>6} left  {caused_by_order_no}"),
    ),
    Step(
        "How much was there at the beginning of the month?",
        "inventory_at",
        _past,
        some("stock"),
        by_row("{sku:<18} {in_stock:>6} {uom}", "stock"),
    ),
    Step(
        "Which sales orders are late?",
        "list_sales_orders",
        always(overdue=True, order_by="delivery_date", limit=5),
        _late,
        by_row("{order_no:<8} {customer:<28} due {delivery_date:.10}  {status:<20} {total:>10} {currency}"),
    ),
    Step(
        "The latest of them in full",
        "get_sales_order",
        first("list_sales_orders", "sales_order_id"),
        lambda answer: None if answer["order"]["rows"] else "the order has no rows",
        _document("rows", "  {quantity:>5} x {sku:<12} {name:<30} {product_availability}"),
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
    Step("An order number that does not exist", "get_sales_order", _misspelt, _refused, _refusal_lines, may_fail=True),
    Step(
        "Whom do we buy from?",
        "katana://suppliers",
        always(),
        some(),
        lambda answer: [f"{row['name']:<28} {row['currency']}" for row in answer["rows"][:3]],
        kind="resource",
    ),
    Step(
        "Work that comes back every morning, as the host offers it",
        "morning_shortage_check",
        always(location="Main workshop"),
        lambda answer: None if "Main workshop" in answer["text"] else "the prompt is of no location",
        lambda answer: answer["text"].splitlines()[:1],
        kind="prompt",
    ),
    Step("What is kept here, and how fresh is it?", "cache_status", always(), some("entities"), _cache_lines),
    Step(
        "The first question again, now warm",
        "search_items",
        always(query=PART),
        _found_part,
        lambda answer: [f"{answer['total']} found"],
    ),
    *WRITING,
)
