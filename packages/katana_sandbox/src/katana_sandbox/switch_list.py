"""The list of switches: what the facts leave open, and the quirks one may want to turn off."""

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
    Switch("rate_window", 60, "length of the window in seconds", "1.4"),
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
    Switch("all_errors", True, "a 422 lists every fault of the body instead of the first", "1.3"),
    Switch("over_maximum_limit", "clamp", "what a limit above maximum_limit does", "1.5, 6.12", ("clamp", "reject")),
    Switch("bad_paging_status", 400, "status for limit below 1 or a non-number", "7.1 [I]"),
    Switch(
        "naive_query_dates",
        "reject",
        "a date filter without zone is a 400, or read as UTC",
        "1.7",
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
        "shipped_status_patch",
        "ignore",
        "PATCH of an order to PACKED or DELIVERED",
        "4.4 [I], 6.17",
        ("ignore", "refuse"),
    ),
    Switch("picked_date_locked", False, "picked_date can no longer be edited once anything is packed", "4.4, 6.17"),
    Switch("stock_leaves", "PACKED", "fulfillment status at which stock leaves", "4.5 [I]", ("PACKED", "DELIVERED")),
    Switch(
        "kit_build", "always", "a shipment builds all its kits, or those not in stock", "4.1", ("always", "missing")
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
        "whether DELETE refuses linked and done manufacturing orders",
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
        "DELETE of a purchase order with received rows is refused, or takes their stock back",
        "4.3 [I]",
        ("refuse", "allow"),
    ),
    Switch(
        "outsourced_ingredients_committed",
        True,
        "ingredients of outsourced purchase orders are committed until received",
        "4.3",
    ),
    Switch("outsourced_cost_lands", True, "what an outsourced receipt used up is part of its landed cost", "4.3"),
    Switch("receipt_groups", True, "each receipt of a part of an order has a cost group of its own", "October 7.1"),
    Switch("revert_merges_rows", True, "a revert merges rows that differ in quantity only", "October 7.1"),
    Switch(
        "revert_partial",
        "refuse",
        "receipts of an order that is received in part can not be reverted, or can",
        "October 7.1",
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
        "POST /serial_numbers on a manufacturing order: not found, or it mints",
        "October 5.4; 4.11",
        ("404", "mint"),
    ),
    Switch("stocktake_patch", 204, "PATCH of a stocktake answers 204, or 200 with the stocktake", "October 6.2"),
    Switch("ship_pending", "allow", "fulfilling an order in PENDING", "October 1", ("allow", "refuse")),
    Switch(
        "deleted_parent_in_extend",
        "object",
        "a deleted item under product_or_material: the item, or null",
        "October 3.4",
        ("object", "null"),
    ),
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
        "delete_reverses_stock",
        True,
        "deleting a transfer or an adjustment takes its movements back",
        "4.8 [I], 4.9 [I], 6.9",
    ),
    Switch("negative_stock_quantities", False, "negative stock shows quantities on hand and allocated", "6.26"),
    Switch("default_uom", "pcs", "unit of an item created without one", "3.2 [I]"),
    Switch("supplier_currency", "iso", "the currency of a supplier is checked against ISO 4217", "4.2", ("iso", "any")),
    Switch(
        "default_tax_rates",
        "purchases",
        "which rows take the default tax rate when they name none",
        "4.2",
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
        "4.14 [I], 6.25, 7.1",
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
    Switch(
        "rate_window_form",
        "fixed",
        "the window is fixed and opened by the first request, or slides",
        "1.4 [I]",
        ("fixed", "sliding"),
    ),
    Switch("default_limit", 50, "length of a page that names no limit", "1.5"),
    Switch("maximum_limit", 250, "length of the longest page", "1.5"),
    Switch("pagination_strings", True, "values of X-Pagination are strings instead of numbers and booleans", "1.5"),
    Switch("create_status", 200, "status of the reply to a create", "1.2"),
    Switch("bad_path_id_status", 400, "status for a path id that is no number", "1.3 [I]"),
    Switch("unknown_keys", "refuse", "keys that a body may not have: 422, or ignored", "1.3", ("refuse", "ignore")),
    Switch(
        "naive_body_dates",
        "reject",
        "a date-time without zone in a body is a 422, or read as UTC",
        "1.9",
        ("reject", "utc"),
    ),
    Switch("nested_deleted_rows", False, "deleted rows are shown inside their parents", "1.7"),
    Switch("deleted_by_id", False, "GET by id finds deleted records", "4.12 [I]"),
    Switch(
        "patch_checks",
        "body",
        "what a PATCH checks first: its body (422) or that the record exists (404)",
        "7.1 [I]",
        ("body", "record"),
    ),
    Switch("missing_reference_status", 422, "status for a body that refers to a record that is not there", "7.1 [I]"),
    Switch("guarded_delete_status", 412, "status of a delete that other records forbid", "1.3"),
    Switch("archived_references", True, "documents may refer to archived items", "4.1 [I]"),
    Switch("variants_need_options", True, "each of several variants needs a value for every config", "4.1 [I]"),
    Switch("bom_parent_check", True, "product_item_id of a BOM row must be the variant's product", "4.1 [I]"),
    Switch("only_producible", True, "a manufacturing order needs a variant of a producible product", "3.6 [I]"),
    Switch("operation_starts_order", True, "starting an operation starts its manufacturing order", "4.7 [I]"),
    Switch(
        "new_purchase_status",
        "NOT_RECEIVED",
        "status of a purchase order that names none",
        "4.3 [I]",
        ("NOT_RECEIVED", "DRAFT"),
    ),
    Switch("received_locks_notes", False, "a received purchase order locks its notes and its date", "4.3 [I]"),
    Switch("received_locks_rows", True, "a received purchase order takes and gives up no rows", "4.3 [I]"),
    Switch("receive_drafts", False, "rows of a draft can be received", "4.3 [I]"),
    Switch(
        "received_again",
        "refuse",
        "a receipt of a row that is received is refused, or does nothing",
        "4.3 [I]",
        ("refuse", "ignore"),
    ),
    Switch("outsourced_recipe", True, "rows of outsourced purchase orders begin with the BOM's ingredients", "4.3 [I]"),
    Switch(
        "currency_rates",
        "table",
        "other currencies are converted by a fixed table, or one to one",
        "7.1 [I]",
        ("table", "one"),
    ),
    Switch(
        "order_tax",
        "discounted",
        "what tax in a sales order's total is taken on: the price after or before the discount; none leaves it out",
        "4.4 [I]",
        ("discounted", "undiscounted", "none"),
    ),
    Switch(
        "mixed_shipment",
        "PACKED",
        "status of an order that is shipped in whole and delivered in part",
        "4.5 [I]",
        ("PACKED", "PARTIALLY_DELIVERED"),
    ),
    Switch("ship_beyond_order", False, "more than the open quantity of a row can be shipped", "4.5 [I]"),
    Switch("quotes_commit", False, "sales orders in status PENDING commit stock", "4.12 [I]"),
    Switch("drafts_expected", False, "purchase orders in status DRAFT are expected", "4.12 [I]"),
    Switch("transit_leaves", True, "a transfer in transit has left its source", "4.8 [I]"),
    Switch("transit_expected", True, "a transfer in transit is expected at its target", "4.8, 4.12 [I]"),
    Switch("transfers_within", False, "a transfer may lead to the location it comes from", "4.8 [I]"),
    Switch("unknown_cost", "zero", "average cost of what never was in stock", "4.12 [I]", ("zero", "null")),
    Switch("inventory_zeros", True, "inventory has a row for every variant and location", "4.12 [I]"),
)
