"""What Katana's API can do with each collection.

Rendered by scripts/render_abilities.py: change the facts of katana_schema.
"""

from katana_client.filters import Abilities, Filters

ABILITIES: dict[str, Abilities] = {
    "additional_costs": Abilities(
        gets="ids",
        filters=Filters.of("created_at_min created_at_max updated_at_min updated_at_max name include_deleted", "ids"),
    ),
    "batch_stocks": Abilities(
        filters=Filters.of(
            "batch_id batch_number location_id variant_id batch_barcode batch_created_at_min "
            "batch_created_at_max include_empty"
        )
    ),
    "batches": Abilities(lists=False),
    "bin_inventory": Abilities(
        filters=Filters.of("granularity location_id variant_id bin_location_id batch_id serial_number_id")
    ),
    "bin_locations": Abilities(
        deletes=True, gets="ids", filters=Filters.of("location_id include_deleted bin_name", "ids")
    ),
    "bin_transfer_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "include_deleted bin_transfer_id variant_id source_bin_location_id target_bin_location_id", "ids"
        ),
    ),
    "bin_transfers": Abilities(
        deletes=True, gets="path", filters=Filters.of("include_deleted bin_transfer_number location_id status", "ids")
    ),
    "bom_rows": Abilities(
        deletes=True,
        gets="id",
        uuid=True,
        filters=Filters.of(
            "id product_item_id product_variant_id ingredient_variant_id created_at_min created_at_max "
            "updated_at_min updated_at_max"
        ),
    ),
    "custom_field_definitions": Abilities(
        deletes=True,
        gets="path",
        uuid=True,
        filters=Filters.of("created_at_min created_at_max updated_at_min updated_at_max label field_type entity_type"),
    ),
    "custom_fields_collections": Abilities(lists=False),
    "customer_addresses": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "entity_type include_deleted created_at_min created_at_max updated_at_min updated_at_max company "
            "first_name last_name line_1 line_2 city state zip country phone",
            "ids customer_ids",
        ),
    ),
    "customers": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max name email "
            "first_name last_name company phone category currency reference_id",
            "ids",
        ),
    ),
    "demand_forecasts": Abilities(lists=False, filters=Filters.of("variant_id location_id")),
    "factory": Abilities(lists=False),
    "inventory": Abilities(filters=Filters.of("location_id include_archived", "variant_id extend")),
    "inventory_movements": Abilities(
        gets="ids",
        filters=Filters.of(
            "location_id resource_type resource_id caused_by_order_no caused_by_resource_id created_at_min "
            "created_at_max updated_at_min updated_at_max",
            "ids variant_ids",
        ),
    ),
    "inventory_reorder_points": Abilities(lists=False),
    "inventory_safety_stock_levels": Abilities(lists=False),
    "inventory_signals": Abilities(filters=Filters.of("demand_window stock_risk", "variant_id")),
    "locations": Abilities(
        gets="path",
        filters=Filters.of(
            "is_primary name legal_name address_id sales_allowed manufacturing_allowed purchases_allowed rank "
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "manufacturing_order_make_to_order": Abilities(lists=False),
    "manufacturing_order_operation_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "status manufacturing_order_id created_at_min created_at_max updated_at_min updated_at_max include_deleted",
            "ids",
        ),
    ),
    "manufacturing_order_production_ingredients": Abilities(
        gets="ids",
        filters=Filters.of(
            "created_at_min created_at_max updated_at_min updated_at_max include_deleted",
            "ids manufacturing_order_ids production_ids",
        ),
    ),
    "manufacturing_order_productions": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "created_at_min created_at_max updated_at_min updated_at_max include_deleted", "ids manufacturing_order_ids"
        ),
    ),
    "manufacturing_order_recipe_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "manufacturing_order_id variant_id ingredient_availability include_deleted created_at_min "
            "created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "manufacturing_order_rerank": Abilities(lists=False),
    "manufacturing_order_unlink": Abilities(lists=False),
    "manufacturing_orders": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "status order_no location_id is_linked_to_sales_order created_at_min created_at_max "
            "updated_at_min updated_at_max include_deleted",
            "ids",
        ),
    ),
    "materials": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "category_name name uom default_supplier_id is_sellable batch_tracked purchase_uom "
            "purchase_uom_conversion_rate include_archived include_deleted created_at_min created_at_max "
            "updated_at_min updated_at_max",
            "ids extend",
        ),
        get_filters=Filters.of("", "extend"),
    ),
    "negative_stock": Abilities(
        filters=Filters.of(
            "location_id variant_id latest_negative_stock_date_max latest_negative_stock_date_min name sku category"
        )
    ),
    "operators": Abilities(filters=Filters.of("working_area resource_id")),
    "outsourced_purchase_order_recipe_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "purchase_order_id purchase_order_row_id ingredient_variant_id include_deleted created_at_min "
            "created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "po_additional_cost_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "group_id additional_cost_id tax_rate_id currency distribution_method include_deleted "
            "created_at_min created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "price_list_customers": Abilities(
        deletes=True, gets="path", filters=Filters.of("", "price_list_ids customer_ids ids")
    ),
    "price_list_rows": Abilities(deletes=True, gets="path", filters=Filters.of("", "ids price_list_ids variant_ids")),
    "price_lists": Abilities(deletes=True, gets="path", filters=Filters.of("name is_active", "ids")),
    "product_operation_rerank": Abilities(lists=False),
    "product_operation_rows": Abilities(
        deletes=True,
        gets="product_operation_row_id",
        filters=Filters.of(
            "product_id operation_id product_variant_id operation_name resource_name resource_id "
            "product_operation_row_id created_at_min created_at_max updated_at_min updated_at_max"
        ),
    ),
    "products": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "category_name name uom is_sellable is_producible is_purchasable is_auto_assembly "
            "default_supplier_id batch_tracked serial_tracked operations_in_sequence purchase_uom "
            "purchase_uom_conversion_rate include_deleted include_archived created_at_min created_at_max "
            "updated_at_min updated_at_max",
            "ids extend",
        ),
        get_filters=Filters.of("", "extend"),
    ),
    "purchase_order_accounting_metadata": Abilities(filters=Filters.of("purchase_order_id received_items_group_id")),
    "purchase_order_receive": Abilities(lists=False),
    "purchase_order_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "purchase_order_id variant_id location_id tax_rate_id group_id purchase_uom include_deleted "
            "created_at_min created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "purchase_orders": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "last_document_status order_no entity_type status billing_status currency location_id "
            "tracking_location_id supplier_id include_deleted created_at_min created_at_max updated_at_min "
            "updated_at_max",
            "ids extend",
        ),
        get_filters=Filters.of("", "extend"),
    ),
    "recipe_rows": Abilities(deletes=True, lists=False, uuid=True),
    "recipes": Abilities(
        deletes=True,
        gets="recipe_row_id",
        filters=Filters.of(
            "created_at_min created_at_max updated_at_min updated_at_max ingredient_variant_id product_id "
            "recipe_row_id",
            "product_variant_ids",
        ),
    ),
    "sales_order_accounting_metadata": Abilities(filters=Filters.of("sales_order_id fulfillment_id")),
    "sales_order_addresses": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "entity_type company first_name last_name line_1 line_2 city state zip country phone "
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max",
            "ids sales_order_ids",
        ),
    ),
    "sales_order_fulfillments": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "invoice_status sales_order_id status tracking_carrier tracking_method tracking_number "
            "tracking_url picked_date_min created_at_min created_at_max updated_at_min updated_at_max "
            "include_deleted"
        ),
        get_filters=Filters.of("include_deleted"),
    ),
    "sales_order_rerank": Abilities(lists=False),
    "sales_order_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "variant_id location_id tax_rate_id linked_manufacturing_order_id product_availability "
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max",
            "ids sales_order_ids extend",
        ),
        get_filters=Filters.of("", "extend"),
    ),
    "sales_order_shipping_fee": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "sales_order_id created_at_min created_at_max updated_at_min updated_at_max include_deleted", "ids"
        ),
    ),
    "sales_orders": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max order_no customer_id "
            "location_id status production_status invoicing_status currency source ecommerce_store_name "
            "ecommerce_order_id ecommerce_order_type ingredient_availability product_availability",
            "ids",
        ),
    ),
    "sales_return_rows": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "sales_return_id variant_id include_deleted created_at_min created_at_max updated_at_min "
            "updated_at_max restock_location_id reason_id sales_order_row_id",
            "ids",
        ),
    ),
    "sales_returns": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "status include_deleted created_at_min created_at_max updated_at_min updated_at_max order_no "
            "return_location_id refund_status order_return_date_min order_return_date_max "
            "order_created_date_min order_created_date_max",
            "ids",
        ),
    ),
    "serial_numbers": Abilities(filters=Filters.of("resource_type resource_id")),
    "serial_numbers_stock": Abilities(lists=False),
    "services": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "name uom is_sellable category_name include_deleted include_archived created_at_min "
            "created_at_max updated_at_min updated_at_max",
            "ids",
        ),
    ),
    "stock_adjustments": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "location_id stock_adjustment_number include_deleted created_at_min created_at_max updated_at_min "
            "updated_at_max",
            "ids",
        ),
    ),
    "stock_transfers": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "include_deleted created_at_min created_at_max updated_at_min updated_at_max source_location_id "
            "target_location_id stock_transfer_number",
            "ids",
        ),
    ),
    "stocktake_rows": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "variant_id batch_id bin_location_id stock_adjustment_id include_deleted created_at_min "
            "created_at_max updated_at_min updated_at_max",
            "ids stocktake_ids",
        ),
    ),
    "stocktakes": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "location_id status stocktake_number stock_adjustment_id created_at_min created_at_max "
            "updated_at_min updated_at_max include_deleted",
            "ids",
        ),
    ),
    "supplier_addresses": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "line_1 line_2 city state zip country include_deleted created_at_min created_at_max "
            "updated_at_min updated_at_max",
            "ids supplier_ids",
        ),
    ),
    "suppliers": Abilities(
        deletes=True,
        gets="ids",
        filters=Filters.of(
            "name email phone include_deleted created_at_min created_at_max updated_at_min updated_at_max", "ids"
        ),
    ),
    "tax_rates": Abilities(
        gets="ids",
        filters=Filters.of(
            "rate name is_default_sales is_default_purchases created_at_min created_at_max updated_at_min "
            "updated_at_max",
            "ids",
        ),
    ),
    "unlink_variant_bin_locations": Abilities(lists=False),
    "user_info": Abilities(lists=False),
    "users": Abilities(filters=Filters.of("created_at_min created_at_max updated_at_min updated_at_max")),
    "variant_bin_locations": Abilities(lists=False),
    "variants": Abilities(
        deletes=True,
        gets="path",
        filters=Filters.of(
            "type product_id material_id sales_price purchase_price internal_barcode registered_barcode "
            "abc_classification include_deleted include_archived created_at_min created_at_max updated_at_min "
            "updated_at_max",
            "ids sku supplier_item_codes extend",
        ),
        get_filters=Filters.of("", "extend"),
    ),
    "webhook_logs_export": Abilities(lists=False),
    "webhooks": Abilities(deletes=True, gets="path", filters=Filters.of("url enabled", "ids")),
}
