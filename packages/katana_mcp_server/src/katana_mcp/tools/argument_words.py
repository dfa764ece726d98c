"""What people and models call arguments, wherever they stand; what one tool alone is asked for stands with its request.

`ALSO` is taken, `WORDS` is answered with the arguments that may be meant.
"""

from collections.abc import Mapping, Sequence

type Offers = Mapping[str, Sequence[str]]
type Words = Mapping[str, Sequence[str] | str]
"""Arguments to offer, or a sentence to say."""

_PLACES = ("location_id", "source_location_id", "destination_location_id", "target_location_id")
_GOODS = ("sku_or_variant_id", "skus_or_variant_ids")
_DOCUMENTS = ("purchase_order_id", "sales_order_id", "manufacturing_order_id")
_SINCE = ("ordered_from", "created_from", "moved_from", "transfer_from", "adjusted_from", "deadline_from")
_UNTIL = ("ordered_to", "created_to", "moved_to", "transfer_to", "adjusted_to", "deadline_to")
_DUE = (
    *("expected_arrival_date", "arrival_date", "arrival_from", "arrival_to"),
    *("delivery_from", "delivery_to", "deadline_from", "deadline_to"),
)

ALSO: Offers = {
    "variant_id": _GOODS,
    "variant_ids": ("skus_or_variant_ids",),
    "parent_variant_id": _GOODS,
    "linked_manufacturing_order_id": ("manufacturing_order_id",),
    "target_location_id": ("destination_location_id",),
    "destination_location_id": ("target_location_id",),
}
"""Names under which answers show an id, and the arguments that ask for it under another name."""


def _words(*groups: tuple[str, Sequence[str]]) -> Offers:
    merged: dict[str, dict[str, None]] = {}
    for words, meant in groups:
        for word in words.split():
            merged.setdefault(word, {}).update(dict.fromkeys(meant))
    return {word: tuple(meant) for word, meant in merged.items()}


WORDS: Offers = _words(
    ("qty quantities count units number_of_units pieces pcs", ("quantity", "limit")),
    ("amount value", ("quantity", "price", "total_min", "total_max")),
    ("sku skus variant variants item items product products article articles part parts material", _GOODS),
    ("part_number part_no item_code product_code code barcode variant_sku product_sku item_sku", (*_GOODS, "query")),
    ("skus_or_variant_id sku_or_variant_ids sku_or_id skus_or_ids ids_or_skus", _GOODS),
    ("supplier supplier_name vendor vendor_id vendor_name supplier_ids manufacturer", ("supplier_id",)),
    ("customer customer_name client client_id client_name buyer customer_ids", ("customer_id", "name")),
    ("location location_name location_ids warehouse warehouse_id warehouse_name site site_id place", _PLACES),
    ("store store_id depot facility plant", _PLACES),
    ("from_location from_location_id from_warehouse source source_location source_id origin", ("source_location_id",)),
    (
        "to_location to_location_id to_warehouse destination destination_location dest target target_location",
        ("destination_location_id", "target_location_id"),
    ),
    ("ship_to deliver_to delivery_location receiving_location", ("location_id", "destination_location_id")),
    ("note notes comment comments remark remarks memo description message", ("additional_info", "comment", "reason")),
    ("due_date due deadline eta expected_date expected arrival delivery delivery_date deliver_by need_by", _DUE),
    ("arrival_date expected_arrival expected_delivery_date delivery_deadline required_date ship_date", _DUE),
    ("date order_date ordered_at ordered_on document_date", ("order_created_date", "transfer_date", "as_of", *_SINCE)),
    ("at when moment timestamp on_date date_time datetime", ("as_of",)),
    ("from", ("source_location_id",)),
    ("to", ("destination_location_id", "target_location_id")),
    ("from start start_date date_from from_date since after created_after begin", _SINCE),
    ("to end end_date date_to to_date until before created_before", _UNTIL),
    ("updated_since changed_since modified_since updated_after modified_from changed_from", ("updated_from",)),
    ("number order_number document_number po_number so_number po_no reference ref", ("order_no", *_DOCUMENTS)),
    ("order_no order order_id", _DOCUMENTS),
    ("po po_id purchase_order", ("purchase_order_id",)),
    ("so so_id sales_order", ("sales_order_id",)),
    ("mo mo_id manufacturing_order production_order work_order", ("manufacturing_order_id",)),
    ("transfer transfer_id transfer_no transfer_number", ("stock_transfer_id", "stock_transfer_number")),
    ("stock_transfer_number", ("stock_transfer_id",)),
    ("stock_adjustment_number adjustment adjustment_id adjustment_number", ("stock_adjustment_id",)),
    ("price unit_price cost unit_cost price_each price_per_item unit_cost_price", ("price_per_unit", "price")),
    ("unit uom unit_of_measure purchase_unit", ("purchase_uom",)),
    ("conversion conversion_rate units_per_pack pack_size", ("purchase_uom_conversion_rate",)),
    ("tax tax_rate tax_percent vat vat_rate tax_id tax_code", ("tax_rate_id",)),
    ("cost_type cost_id cost_name additional_cost", ("additional_cost_id",)),
    ("lines line_items order_lines order_rows entries positions order_items purchase_order_rows", ("rows",)),
    ("rows lines line_items with_rows with_lines include_lines expand include_items", ("include_rows", "rows")),
    ("costs extra_costs freight shipping shipping_cost fees charges", ("additional_costs",)),
    ("state order_status statuses new_status set_status", ("status",)),
    ("text search q search_term search_text keyword keywords term terms phrase name", ("query",)),
    ("page_size per_page max max_results top size results number_of_results first", ("limit",)),
    ("offset page_number page_no cursor skip next", ("page",)),
    ("sort sort_by orderby sorting sort_order order_direction", ("order_by",)),
    ("late is_overdue only_overdue past_due", ("overdue",)),
    ("is_open only_open active pending outstanding unfinished", ("open",)),
    ("deleted with_deleted show_deleted", ("include_deleted",)),
    ("archived with_archived show_archived", ("include_archived",)),
    ("token plan_id tokens plan plans plan_tokens_list", ("plan_tokens",)),
    ("mail e_mail email_address", ("email",)),
    ("phone_number telephone tel mobile", ("phone",)),
    ("address address_line_1 address_line1 address1 street line1", ("line_1", "addresses")),
    ("address_line_2 address_line2 address2 line2", ("line_2",)),
    ("zip_code zipcode postcode postal_code", ("zip",)),
    ("town", ("city",)),
    ("region province county", ("state",)),
    ("country_code", ("country",)),
    ("address_type", ("entity_type",)),
    ("is_default is_primary primary", ("default",)),
    ("discount discount_percent", ("discount_rate",)),
    ("reference external_id external_reference", ("reference_id",)),
    ("kind item_type types", ("type", "item_type")),
    ("type", ("item_type", "entity_type", "direction", "kind")),
    ("entity tables table collections", ("entities", "kind")),
    ("depth level max_level max_depth", ("levels",)),
    ("expected with_expected incoming", ("include_expected",)),
    ("movement_type", ("resource_type",)),
)
"""Words for arguments, and those that they may stand for: of these the ones that a request has are offered."""
