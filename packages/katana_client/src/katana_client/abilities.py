"""What Katana's API can do with each collection whose bodies are written by hand.

Rendered by scripts/render_abilities.py: change the facts of katana_schema.
"""

from katana_client.filters import Abilities, Filters

ABILITIES: dict[str, Abilities] = {
    "bom_rows": Abilities(
        deletes=True,
        gets="id",
        uuid=True,
        filters=Filters.of(
            "id product_item_id product_variant_id ingredient_variant_id created_at_min created_at_max "
            "updated_at_min updated_at_max"
        ),
    ),
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
    "factory": Abilities(lists=False),
    "inventory_reorder_points": Abilities(lists=False),
    "inventory_safety_stock_levels": Abilities(lists=False),
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
    "unlink_variant_bin_locations": Abilities(lists=False),
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
}
