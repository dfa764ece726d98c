"""The end of the session: what is planned, shown, written once, and undone."""

from collections.abc import Mapping

from katana_mcp.demo.step import Answer, Arguments, Step, always


def _transfer(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Move two of the part from where most of it is to the next location."""
    part = next(each for each in answers["check_inventory"]["stock"] if each.get("sku") == "FSKT-35M")
    places = sorted(part["locations"], key=lambda each: -each.get("in_stock", 0))
    source, destination = (each["location_id"] for each in places[:2])
    rows = [{"sku_or_variant_id": part["sku"], "quantity": 2}]
    return {"source_location_id": source, "destination_location_id": destination, "rows": rows}


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


def _token(tool: str) -> Arguments:
    return lambda answers: {"plan_tokens": [answers[tool]["plan_token"]]}


def _preview_lines(answer: Answer) -> list[str]:
    goods = [
        f"{each.get('change') or '':<6} {each.get('quantity') or '':>5} {each.get('unit') or 'x'} "
        f"{each.get('sku') or '':<10} {each.get('name') or '':<24} {each.get('total') or '':>8}".rstrip()
        for each in answer.get("lines", ())
    ]
    changes = [f"{each['field']}: {each.get('old')} -> {each.get('new')}" for each in answer.get("changes", ())]
    sums = [f"{answer['total']} {answer['currency']} with tax"] if "total" in answer else []
    told = [each["message"] for each in answer["warnings"]]
    sent = [f"{each['method']} {each['path']}" for each in answer["requests"]]
    return [answer["message"], *goods, *sums, *changes, *told, *sent]


def _written(answer: Answer) -> str | None:
    whole = all(each["applied"] == len(each["actions"]) for each in answer["outcomes"])
    return None if whole else f"not written: {answer['message']}"


def _outcome_lines(answer: Answer) -> list[str]:
    (outcome,) = answer["outcomes"]
    return [outcome["message"], f"to undo it: {outcome['revert']['tool']}(**{outcome['revert']['arguments']})"]


def _planned(answer: Answer) -> str | None:
    return None if answer.get("plan_token") else f"there is no plan: {answer['message']}"


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


def _noted(answer: Answer) -> str | None:
    tools = [each["tool"] for each in answer["rows"] if each["state"] == "finished"]
    wanted = ["delete_purchase_order", "modify_purchase_order", "create_purchase_order", "create_stock_transfer"]
    return None if tools[:4] == wanted else f"the journal holds {tools}"


def _journal_lines(answer: Answer) -> list[str]:
    return [f"{each['entry']}  {each['state']:<9} {each['actions']}  {each['summary']}" for each in answer["rows"]]


WRITING: tuple[Step, ...] = (
    Step(
        "Move two of the part to another location: a preview, nothing is written",
        "create_stock_transfer",
        _transfer,
        _planned,
        _preview_lines,
    ),
    Step("Write it", "apply_plan", _token("create_stock_transfer"), _written, _outcome_lines),
    Step(
        "The same plan again writes nothing",
        "apply_plan",
        _token("create_stock_transfer"),
        _written,
        _outcome_lines,
        repeats=True,
    ),
    Step("Order ten more, with freight", "create_purchase_order", _order, _planned, _preview_lines),
    Step("Write the order", "apply_plan", _token("create_purchase_order"), _written, _outcome_lines),
    Step("It is there at once", "get_purchase_order", _ordered, _has_notes, _order_lines),
    Step("Twenty-five were meant, and no notes", "modify_purchase_order", _corrected, _planned, _preview_lines),
    Step("Write the correction", "apply_plan", _token("modify_purchase_order"), _written, _outcome_lines),
    Step("It is not needed after all", "delete_purchase_order", _ordered, _planned, _preview_lines),
    Step("Delete it", "apply_plan", _token("delete_purchase_order"), _written, _outcome_lines),
    Step("What was written today?", "katana://journal", always(), _noted, _journal_lines, kind="resource"),
)
