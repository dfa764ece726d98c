"""What several chapters show and ask: rows of items, of an order, of a preview, of an outcome, of the journal."""

from collections.abc import Callable, Mapping

from katana_mcp.commands.demo.step import Answer, Arguments, Step, TemplateRow, always

PART = "00.4021.018.003"


def item_lines(answer: Answer) -> list[str]:
    """Show each item with its codes, and how many there are."""
    rows = [
        f"{row.get('sku') or '(no SKU)':<18} {row.get('name') or '':<44} {row.get('item_type')}"
        + (f"  supplier code {', '.join(row['supplier_item_codes'])}" if row.get("supplier_item_codes") else "")
        for row in answer["rows"]
    ]
    return [*rows, f"{answer['total']} found, as of {answer['as_of']}"]


def found_part(answer: Answer) -> str | None:
    """Find fault with an answer whose first row is not the part."""
    if not answer["rows"]:
        return f"{PART} was not found"
    return None if PART in (answer["rows"][0].get("supplier_item_codes") or ()) else "the first hit is another part"


def three_skus(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take the first three SKUs of what was found last."""
    skus = [row["sku"] for row in answers["search_items"]["rows"] if row.get("sku")]
    return {"skus_or_variant_ids": list(dict.fromkeys(skus))[:3]}


def three_stocks(answer: Answer) -> str | None:
    """Find fault with an answer that lacks one of the three."""
    count = len(answer["stock"])
    return None if count == 3 and not answer["not_found"] else f"{count} of 3 stocks came back"


def stock_lines(answer: Answer) -> list[str]:
    """Show a table of quantities, and what is short."""
    lines = [f"{'':<18} {'in stock':>10} {'committed':>10} {'expected':>10} {'available':>10}"]
    for record in answer["stock"]:
        figures = " ".join(
            f"{record.get(name, '?'):>10}" for name in ("in_stock", "committed", "expected", "available")
        )
        lines.append(f"{record.get('sku') or record['variant_id']:<18} {figures}{_short(record)}")
    return lines


def _short(stock: Answer) -> str:
    """Return where and by how much a variant is short of its commitments and reorder point."""
    missing = [location for location in stock["locations"] if float(location.get("missing_or_excess", 0)) < 0]
    places = (
        f"by {-record['missing_or_excess']} at {record.get('location') or record['location_id']}" for record in missing
    )
    return f"  SHORT {', '.join(places)}" if missing else ""


def document(rows: str, template: str) -> Callable[[Answer], list[str]]:
    """Return what shows an order: a head, then its rows."""

    def lines(answer: Answer) -> list[str]:
        order = TemplateRow(answer["order"])
        head = "{order_no} {customer}{supplier}{sku}, {status}, due {delivery_date:.10}"
        head += "{expected_arrival_date:.10}{production_deadline_date:.10}"
        return [head.format_map(order), *(template.format_map(TemplateRow(row)).rstrip() for row in order[rows])]

    return lines


def token(tool: str) -> Arguments:
    """Return what takes the token of a preview."""
    return lambda answers: {"plan_tokens": [answers[tool]["plan_token"]]}


def planned(answer: Answer) -> str | None:
    """Find fault with a preview that cannot be applied."""
    return None if answer.get("plan_token") else f"there is no plan: {answer['message']}"


def preview_lines(answer: Answer) -> list[str]:
    """Show the lines, sums, changes, warnings and requests of a preview."""
    goods = [
        f"{line.get('change') or '':<6} {line.get('quantity') or '':>5} {line.get('unit') or 'x'} "
        f"{line.get('sku') or '':<10} {line.get('name') or '':<24} {line.get('total') or '':>8}".rstrip()
        for line in answer.get("lines", ())
    ]
    changes = [f"{change['field']}: {change.get('old')} -> {change.get('new')}" for change in answer.get("changes", ())]
    sums = [f"{answer['total']} {answer['currency']} with tax"] if "total" in answer else []
    warnings = [warning["message"] for warning in answer["warnings"]]
    sent = [f"{request['method']} {request['path']}" for request in answer["requests"]]
    return [answer["message"], *goods, *sums, *changes, *warnings, *sent]


def written(answer: Answer) -> str | None:
    """Find fault with a plan that was not applied whole."""
    whole = all(outcome["applied"] == len(outcome["actions"]) for outcome in answer["outcomes"])
    return None if whole else f"not written: {answer['message']}"


def outcome_lines(answer: Answer) -> list[str]:
    """Show what was done, and how to undo it where that can be."""
    (outcome,) = answer["outcomes"]
    back = outcome.get("revert")
    return [outcome["message"], f"to undo it: {back['tool']}(**{back['arguments']})" if back else "nothing undoes it"]


def journal_of(*tools: str) -> Step:
    """Return the step that reads the journal: its latest entries are of these tools, the latest first."""

    def wrong(answer: Answer) -> str | None:
        held = [row["tool"] for row in answer["rows"] if row["state"] == "finished"]
        return None if held[: len(tools)] == [*tools] else f"the journal holds {held}"

    return Step("What was written today?", "katana://journal", always(), wrong, _journal_lines, kind="resource")


def _journal_lines(answer: Answer) -> list[str]:
    return [f"{row['entry']}  {row['state']:<9} {row['actions']}  {row['summary']}" for row in answer["rows"]]
