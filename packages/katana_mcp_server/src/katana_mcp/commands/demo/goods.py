"""A clerk of the stock: what moved, what was there, a transfer, and what broke."""

from collections.abc import Mapping

from katana_mcp.commands.demo.lines import (
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
from katana_mcp.commands.demo.step import Answer, Chapter, Step, always, by_row, some
from katana_mcp.tools.answers import so_many


def _past(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take the beginning of this month."""
    return {**three_skus(answers), "as_of": f"{answers['search_items']['as_of']:.7}-01T00:00:00Z"}


def _transfer(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Move two of the part from where most of it is to the next location."""
    part = next(record for record in answers["check_inventory"]["stock"] if record.get("sku") == "FSKT-35M")
    places = sorted(part["locations"], key=lambda location: -location.get("in_stock", 0))
    source, destination = (place["location_id"] for place in places[:2])
    rows = [{"sku_or_variant_id": part["sku"], "quantity": 2}]
    return {"source_location_id": source, "destination_location_id": destination, "rows": rows}


def _broken(answers: Mapping[str, Answer]) -> dict[str, object]:
    """Take one of the part away from where most of it is."""
    moved = _transfer(answers)
    rows = [{"sku_or_variant_id": "FSKT-35M", "quantity": -1}]
    return {"location_id": moved["source_location_id"], "reason": "broken in the workshop", "rows": rows}


def _cache_lines(answer: Answer) -> list[str]:
    held = [f"{entity['records']} {entity['entity']}" for entity in answer["entities"] if entity["records"]]
    return [f"held here: {', '.join(held[:6])}, and {so_many(len(held) - 6, 'more kind')}"]


GOODS = Chapter(
    "goods",
    "Goods: what moved, what was there, a transfer, and what broke",
    (
        Step("More of that family", "search_items", always(query="00.4021.018", limit=5), lambda _: None, item_lines),
        Step("Stock of three SKUs in one call", "check_inventory", three_skus, three_stocks, stock_lines),
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
            "Move two of the part to another location: a preview, nothing is written",
            "create_stock_transfer",
            _transfer,
            planned,
            preview_lines,
        ),
        Step("Write it", "apply_plan", token("create_stock_transfer"), written, outcome_lines),
        Step(
            "The same plan again writes nothing",
            "apply_plan",
            token("create_stock_transfer"),
            written,
            outcome_lines,
            repeats=True,
        ),
        Step("One broke in the workshop", "create_stock_adjustment", _broken, planned, preview_lines),
        Step("Write it off", "apply_plan", token("create_stock_adjustment"), written, outcome_lines),
        journal_of("create_stock_adjustment", "create_stock_transfer"),
        Step("What is kept here, and how fresh is it?", "cache_status", always(), some("entities"), _cache_lines),
    ),
)
