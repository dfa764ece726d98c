"""The list of switches: what the facts leave open or an account decides, and the sandbox's budget and lag."""

from dataclasses import dataclass

type Setting = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Switch:
    """One decision: its name, default, the words it takes (none for numbers and yes/no), and its source."""

    name: str
    default: Setting
    meaning: str
    facts: str
    words: tuple[str, ...] = ()


SWITCHES: tuple[Switch, ...] = (
    Switch("rate_limit", 60, "requests a key may make per window; 0 switches the limit off", "1.4"),
    Switch("replica_lag", 0.0, "age in seconds of what a GET sees of earlier writes", "5.2"),
    Switch(
        "additional_info_wipe",
        True,
        "PATCH without additional_info empties it: items, purchase and manufacturing orders, adjustments",
        "5.1",
    ),
    Switch("additional_info_wipe_untested", False, "the same on sales orders, transfers and services", "5.1, 6.8"),
    Switch(
        "error_form", "wrapped", "errors inside {error: …}, or bare as in the docs", "1.3, 5.21", ("wrapped", "bare")
    ),
    Switch("over_maximum_limit", "clamp", "what a limit above maximum_limit does", "1.5, 6.12", ("clamp", "reject")),
    Switch("child_edit_bumps_parent", False, "editing or deleting a child moves the parent's updated_at", "5.13"),
    Switch("stock_leaves", "PACKED", "fulfillment status at which stock leaves", "4.5 [I]", ("PACKED", "DELIVERED")),
    Switch(
        "new_option_values",
        "append",
        "an option value that an item does not know is added to its configs, or refused",
        "4.1, 6.21",
        ("append", "refuse"),
    ),
    Switch("partially_completed_locks", False, "a partly completed manufacturing order locks its rows", "4.7, 6.18"),
    Switch(
        "completed_date_after_reopen",
        "honour",
        "what a production's completed_date does on a manufacturing order that was reopened",
        "5.28, 6.19",
        ("honour", "ignore"),
    ),
    Switch(
        "landed_cost",
        "row",
        "landed_cost of a purchase order row is of the whole row, or of one purchase unit",
        "4.3, 6.23",
        ("row", "unit"),
    ),
    Switch(
        "received_order_delete",
        "refuse",
        "DELETE of a purchase order with received rows is refused, or takes their stock back",
        "4.3 [I]",
        ("refuse", "allow"),
    ),
    Switch("untraced_receipt", "allow", "goods with batches received without", "October 5.2", ("allow", "refuse")),
    Switch(
        "production_serials",
        "generate",
        "a production that names no serial numbers generates them, or is refused",
        "October 5.4; 4.7, 6.1",
        ("generate", "require"),
    ),
    Switch(
        "serial_attach_mo",
        "404",
        "POST /serial_numbers on a manufacturing order answers 404, or mints, as it did until September",
        "October 5.4; 4.11",
        ("404", "mint"),
    ),
    Switch(
        "webhook_disable_after",
        0,
        "deliveries in a row that are given up until a webhook is switched off; 0 is never",
        "October 6.9; 6.16",
    ),
    Switch("stocktake_patch", 204, "PATCH of a stocktake answers 204, or 200 with the stocktake", "October 6.2"),
    Switch("bom_row_missing", 404, "PATCH of a BOM row that is not there answers 404, or 500", "October 1, 8"),
    Switch(
        "row_arrival_date",
        "open",
        "which purchase order rows take a new arrival_date",
        "4.3, 6.22",
        ("open", "received", "any"),
    ),
    Switch(
        "transfer_moves",
        "strict",
        "a received transfer goes back to draft only, or to any status",
        "4.8, 6.20",
        ("strict", "any"),
    ),
    Switch(
        "delete_reverses_stock",
        True,
        "deleting a transfer or an adjustment takes its movements back",
        "4.8 [I], 4.9 [I], 6.9",
    ),
    Switch(
        "unique_numbers", False, "an order, transfer or adjustment number is refused when it is in use", "4.3, 6.24"
    ),
    Switch(
        "item_custom_fields",
        "legacy",
        "forms of items' custom fields that the account has; both shows the older unless a header asks",
        "October 4.1",
        ("legacy", "both", "object"),
    ),
    Switch(
        "custom_field_flag",
        "on",
        "custom fields of orders can be written, or are refused with a status",
        "4.14 [I], 6.25, 7.1",
        ("on", "403", "422"),
    ),
)
