"""Tools beside the matrix that are planned and not there yet: why, and what there is instead.

A line goes when its tool comes.
"""

from collections.abc import Mapping

_BINS = (
    "`list_reference` lists bins and bin transfers, by kind, `list_traceability` says what lies in each bin, "
    "`plan_bin_transfer` moves goods between bins, and deletes empty ones"
)
_REFERENCE = (
    "`list_reference` lists suppliers, locations, tax rates, operators, additional costs, custom fields, by kind"
)
_FINDER = "every tool that is served is listed here: call it by its own name"

ABSENT: Mapping[str, str] = {
    "list_bin_transfers": _BINS,
    "list_locations": _REFERENCE,
    "rank_customers": (
        "no tool adds up what each customer bought; `list_sales_orders` with order_by -total_in_base_currency has the "
        "largest orders, each with its customer"
    ),
    "refund_sales_return": (
        "Katana takes no refund by its API, only from accounting: `list_sales_returns` says what is refunded, "
        "`create_sales_return` and `modify_sales_return` take goods back"
    ),
    "undo_last_change": (
        "the outcome of `apply_plan` has a revert, the call that plans to undo the change, and "
        "`katana://journal/7` keeps it; what it plans is shown first, as any change"
    ),
    "search_tools": _FINDER,
    "call_tool": _FINDER,
}
"""By the tool's name, a sentence that names what there is in backticks."""
