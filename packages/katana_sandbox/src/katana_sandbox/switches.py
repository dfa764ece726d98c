"""What the facts leave open, and the quirks one may want to turn off: each a named switch with a default."""

from collections.abc import Iterator, Mapping
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
    Switch("rate_window", 60, "length of the fixed window in seconds, opened by the first request", "1.4 [I]"),
    Switch("replica_lag", 0.0, "age in seconds of what a GET sees of earlier writes", "5.2"),
    Switch("max_lag", 3600, "seconds of history kept for lagging reads", "5.2"),
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
    Switch("detail_path", "pointer", "path form of 422 details", "1.3", ("pointer", "dotted")),
    Switch("all_errors", True, "a 422 lists every fault of the body instead of the first", "1.3 [I]"),
    Switch("over_maximum_limit", "clamp", "what limit above 250 does", "1.5, 6.12", ("clamp", "reject")),
    Switch("bad_paging_status", 400, "status for limit below 1 or a non-number", "7.1 [I]"),
    Switch(
        "naive_query_dates",
        "reject",
        "a date filter without zone is a 400, or read as UTC",
        "1.7 [I]",
        ("reject", "utc"),
    ),
    Switch("text_filters", "exact", "how name-like filters compare", "1.7 [I]", ("exact", "ignore_case")),
    Switch(
        "date_bounds", "inclusive", "whether _min and _max include the bound", "1.7 [I]", ("inclusive", "exclusive")
    ),
    Switch("location_dates", True, "GET /locations knows the date ranges", "2; 1.13"),
    Switch("decimal_strings", True, "amounts that production sends as strings are strings", "1.10, 5.19"),
    Switch("empty_objects", True, "absent shipping_fee and supplier are {} instead of null", "5.6"),
    Switch("sales_order_addresses", "list", "where a sales order embeds addresses", "5.7", ("list", "always", "never")),
    Switch(
        "undocumented_fields",
        True,
        "members that only examples show: sku and traceability on rows, ids on fulfillment rows, reference on "
        "cost rows, stamps on stock levels, product_or_material_name on a linked variant",
        "3.5, 5.43, 6.27",
    ),
    Switch("bom_create_status", 200, "POST /bom_rows answers 200 with the row, or the documented 204", "1.2, 5.17"),
    Switch("delete_status", 204, "DELETE answers 204, or an empty 200", "1.2, 5.33"),
    Switch("fulfillment_delete_status", 204, "the same for fulfillments", "1.2, 5.33"),
    Switch("child_edit_bumps_parent", False, "editing or deleting a child moves the parent's updated_at", "5.13"),
    Switch("delete_bumps_updated_at", True, "a soft delete moves updated_at", "7.1 [I]"),
    Switch(
        "shipped_status_patch", "ignore", "PATCH of an order to PACKED or DELIVERED", "4.4, 6.17", ("ignore", "refuse")
    ),
    Switch("picked_date_locked", False, "picked_date can no longer be edited once anything is packed", "4.4, 6.17"),
    Switch("stock_leaves", "PACKED", "fulfillment status at which stock leaves", "4.5 [I]", ("PACKED", "DELIVERED")),
    Switch(
        "kit_build", "always", "a shipment builds all its kits, or those not in stock", "4.1 [I]", ("always", "missing")
    ),
    Switch("copy_customer_addresses", True, "an order without addresses copies the customer's defaults", "4.4 [I]"),
    Switch(
        "new_option_values",
        "append",
        "an option value that an item does not know is added to its configs, or refused",
        "4.1, 6.21",
        ("append", "refuse"),
    ),
    Switch(
        "config_match", "id", "a configs PATCH finds configs by id first, or by name only", "4.1, 6.21", ("id", "name")
    ),
    Switch("total_includes_shipping", True, "a sales order's total includes its shipping fee", "4.4 [I]"),
    Switch("partially_completed_locks", False, "a partly completed manufacturing order locks its rows", "4.7, 6.18"),
    Switch("done_locks_production_date", True, "production_date is locked with the manufacturing order", "4.7, 5.28"),
    Switch(
        "completed_date_after_reopen",
        "honour",
        "what a production's completed_date does on a manufacturing order that was reopened",
        "5.28, 6.19",
        ("honour", "ignore"),
    ),
    Switch("manufacturing_order_serial_numbers", False, "PATCH of a manufacturing order takes serial_numbers", "6.2"),
    Switch("production_serial_count", True, "a serial-tracked production needs as many serial numbers", "4.7, 6.1"),
    Switch(
        "unknown_serials",
        "refuse",
        "a transfer of unknown serial numbers is refused, or a 200 that reports them as MISSING",
        "4.11, 5.46, 6.1",
        ("refuse", "report"),
    ),
    Switch(
        "unknown_serial_resource",
        "404",
        "serial numbers for a document that does not exist: 404, or 422 No entity found",
        "4.11, 6.1",
        ("404", "422"),
    ),
    Switch("serial_sentinels", True, "transfers of serial numbers answer null and undefined as words", "4.11, 5.5"),
    Switch(
        "serial_in_stock",
        "dated",
        "whether a serial number's stock counts its dated entries, or all",
        "4.11 [I]",
        ("dated", "all"),
    ),
    Switch("serial_stock_pages", False, "GET /serial_numbers_stock knows limit and page", "1.5, 5.44, 6.15"),
    Switch(
        "make_to_order_serials",
        "stuck",
        "whether serial numbers minted on a make-to-order can be shipped",
        "4.11, 5.45, 6.29, 7.1",
        ("stuck", "free"),
    ),
    Switch(
        "operation_row_patch",
        "partial",
        "whether PATCH of an operation row demands status and manufacturing_order_id",
        "3.6, 6.2",
        ("partial", "strict"),
    ),
    Switch(
        "make_to_order_body",
        "snake",
        "body of make-to-order; camel also takes salesOrderIds",
        "3.6, 6.13",
        ("snake", "camel"),
    ),
    Switch(
        "manufacturing_order_delete",
        "guarded",
        "whether DELETE refuses linked (412) and done (422) manufacturing orders",
        "4.7 [I]",
        ("guarded", "free"),
    ),
    Switch("automatic_deadlines", False, "production_deadline_date is computed and can not be written", "4.7"),
    Switch("production_factory_id", True, "productions carry a factory_id", "6.26"),
    Switch("rerank_status", 200, "POST /product_operation_rerank answers 200, or the documented 204", "1.2, 6.11"),
    Switch(
        "landed_cost",
        "row",
        "landed_cost of a purchase order row is of the whole row, or of one purchase unit",
        "4.3, 6.23",
        ("row", "unit"),
    ),
    Switch("thin_purchase_patch", True, "the reply to PATCH of a purchase order shows no rows", "1.2, 5.8"),
    Switch(
        "received_order_delete",
        "refuse",
        "DELETE of a purchase order with received rows: 412, or the stock goes back",
        "4.3 [I]",
        ("refuse", "allow"),
    ),
    Switch(
        "outsourced_ingredients_committed",
        True,
        "ingredients of outsourced purchase orders are committed until received",
        "4.3 [I]",
    ),
    Switch("outsourced_cost_lands", True, "what an outsourced receipt used up is part of its landed cost", "4.3 [I]"),
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
    Switch("transfer_refusal_status", 400, "status of a refused move of a transfer", "4.8, 6.20"),
    Switch(
        "delete_reverses_stock", True, "deleting a transfer or an adjustment takes its movements back", "4.8, 4.9, 6.9"
    ),
    Switch("negative_stock_quantities", False, "negative stock shows quantities on hand and allocated", "6.26"),
    Switch("default_uom", "pcs", "unit of an item created without one", "3.2 [I]"),
    Switch("supplier_currency", "iso", "the currency of a supplier is checked against ISO 4217", "4.2", ("iso", "any")),
    Switch(
        "default_tax_rates",
        "purchases",
        "which rows take the default tax rate when they name none",
        "4.2 [I]",
        ("purchases", "sales", "both", "none"),
    ),
    Switch(
        "unique_numbers", False, "an order, transfer or adjustment number is refused when it is in use", "4.3, 6.24"
    ),
    Switch("unique_item_names", False, "the name of a product, material or service is refused when in use", "6.24"),
    Switch(
        "custom_field_keys", "uuid", "custom fields of orders are keyed by UUID or name", "4.14, 6.25", ("uuid", "name")
    ),
    Switch(
        "custom_field_flag",
        "on",
        "custom fields of orders can be written, or are refused with a status",
        "4.14, 6.25, 7.1",
        ("on", "403", "422"),
    ),
    Switch(
        "query_enums",
        "closed",
        "a filter's value outside its enum is a 400, or finds nothing",
        "6.3",
        ("closed", "open"),
    ),
    Switch("text_lengths", True, "bounds on the length of texts are held", "6.30"),
    Switch("order_shows_link", True, "a sales order shows linked_manufacturing_order_id", "6.26"),
    Switch("item_lead_times", False, "items show lead_time and minimum_order_quantity of their first variant", "6.26"),
)
_BY_NAME = {switch.name: switch for switch in SWITCHES}


class Switches:
    """Settings by name; unknown names and values of the wrong kind are refused with a ValueError."""

    def __init__(self, settings: Mapping[str, Setting] | None = None) -> None:
        self._settings: dict[str, Setting] = {switch.name: switch.default for switch in SWITCHES}
        for name, value in (settings or {}).items():
            self.set(name, value)

    def set(self, name: str, value: Setting) -> None:
        """Change one setting."""
        self._settings[name] = _checked(name, value)

    def on(self, name: str) -> bool:
        """Whether a yes/no switch is on."""
        return bool(self._settings[name])

    def number(self, name: str) -> float:
        """A numeric setting."""
        value = self._settings[name]
        return 0.0 if isinstance(value, str) else float(value)

    def status(self, name: str) -> int:
        """A status code setting."""
        return int(self.number(name))

    def word(self, name: str) -> str:
        """A setting that is a word."""
        return str(self._settings[name])

    def changed(self) -> dict[str, Setting]:
        """The settings that differ from their defaults."""
        return {name: value for name, value in self._settings.items() if value != _BY_NAME[name].default}

    def __iter__(self) -> Iterator[tuple[str, Setting]]:
        return iter(self._settings.items())


def parse_setting(text: str) -> tuple[str, Setting]:
    """A `name=value` pair from the command line; ValueError says what is allowed."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"switch {text!r} must have the form name=value")
    switch = _known(name)
    if isinstance(switch.default, bool):
        if value.lower() not in {"true", "false"}:
            raise ValueError(f"switch {name} must be true or false, not {value!r}")
        return name, value.lower() == "true"
    if isinstance(switch.default, str):
        return name, value
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        raise ValueError(f"switch {name} must be a number, not {value!r}") from None


def _known(name: str) -> Switch:
    if name not in _BY_NAME:
        raise ValueError(f"unknown switch {name!r}; allowed: {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name]


def _checked(name: str, value: Setting) -> Setting:
    switch = _known(name)
    if isinstance(switch.default, bool) != isinstance(value, bool):
        raise ValueError(
            f"switch {name} must be {'true or false' if isinstance(switch.default, bool) else 'no boolean'}"
        )
    if isinstance(switch.default, str) != isinstance(value, str):
        raise ValueError(f"switch {name} must be {'text' if isinstance(switch.default, str) else 'a number'}")
    if switch.words and value not in switch.words:
        raise ValueError(f"switch {name} must be one of {', '.join(switch.words)}, not {value!r}")
    if isinstance(value, int | float) and value < 0:
        raise ValueError(f"switch {name} must not be negative")
    return value
