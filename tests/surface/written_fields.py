"""Where the arguments of each tool that writes go."""

from .goes import (
    BATCHED,
    BETWEEN_BINS,
    COST_REFERENCE,
    COUNTED,
    DEFINED,
    IN_ITS_PATH,
    IN_THE_PATH,
    KEPT,
    MADE,
    OF_BOMS,
    OF_ITS_MAKING,
    OF_ITS_ORDER,
    OF_ITS_OWN,
    OF_ITS_SHIPMENT,
    OLDER_FORM,
    ON_THE_FLOOR,
    OPERATIONS,
    OPERATIONS_APART,
    PRICED,
    TAX_BY_ID,
    UNTRACED,
    USED,
    WORKED,
    Goes,
)
from .written_items import ITEMS

WRITTEN: dict[str, tuple[Goes, ...]] = {
    "create_stock_transfer": (
        Goes(
            into=("CreateStockTransferRequest",),
            called={"destination_location_id": "target_location_id", "rows": "stock_transfer_rows"},
        ),
        Goes(
            into=("StockTransferRowRequest",),
            within="rows",
            called={"sku_or_variant_id": "variant_id"},
        ),
    ),
    "modify_stock_transfer": (
        Goes(
            into=("UpdateStockTransferRequest", "UpdateStockTransferStatusRequest"),
            apart={"stock_transfer_id": IN_THE_PATH},
        ),
    ),
    "delete_stock_transfer": (),
    "replenish": (),
    "create_stock_adjustment": (
        Goes(into=("CreateStockAdjustmentRequest",), called={"rows": "stock_adjustment_rows"}),
        Goes(
            into=("CreateStockAdjustmentRequest.stock_adjustment_rows",),
            within="rows",
            called={"sku_or_variant_id": "variant_id"},
            excused={"batch_transactions": OLDER_FORM},
        ),
    ),
    "modify_stock_adjustment": (
        Goes(into=("UpdateStockAdjustmentRequest",), apart={"stock_adjustment_id": IN_THE_PATH}),
    ),
    "delete_stock_adjustment": (),
    "create_sales_order": (
        Goes(
            into=("CreateSalesOrderRequest",),
            called={"rows": "sales_order_rows"},
            apart={"shipping_fees": OF_ITS_OWN},
        ),
        Goes(
            into=("CreateSalesOrderRequest.sales_order_rows",),
            within="rows",
            called={"sku_or_variant_id": "variant_id"},
        ),
        Goes(into=("CreateSalesOrderRequest.addresses",), within="addresses"),
        Goes(into=("CreateSalesOrderShippingFeeRequest",), within="shipping_fees", excused=OF_ITS_ORDER),
    ),
    "modify_sales_order": (
        Goes(
            into=("UpdateSalesOrderRequest",),
            apart={"sales_order_id": IN_THE_PATH}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN)
            | dict.fromkeys(("add_addresses", "update_addresses", "delete_address_ids"), OF_ITS_OWN)
            | dict.fromkeys(("add_shipping_fees", "update_shipping_fees", "delete_shipping_fee_ids"), OF_ITS_OWN),
            excused=dict.fromkeys(("conversion_rate", "conversion_date"), "Katana takes it once the order is packed")
            | {"picked_date": "is that of its shipments, which no tool writes yet"},
        ),
        Goes(
            into=("CreateSalesOrderRowRequest",),
            within="add_rows",
            called={"sku_or_variant_id": "variant_id"},
            excused=OF_ITS_ORDER,
        ),
        Goes(
            into=("UpdateSalesOrderRowRequest",),
            within="update_rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"row_id": IN_THE_PATH},
            excused=dict.fromkeys(("batch_transactions", "serial_number_transactions"), OLDER_FORM),
        ),
        Goes(into=("CreateSalesOrderAddressRequest",), within="add_addresses", excused=OF_ITS_ORDER),
        Goes(into=("UpdateSalesOrderAddressRequest",), within="update_addresses", apart={"address_id": IN_THE_PATH}),
        Goes(into=("CreateSalesOrderShippingFeeRequest",), within="add_shipping_fees", excused=OF_ITS_ORDER),
        Goes(
            into=("UpdateSalesOrderShippingFeeRequest",),
            within="update_shipping_fees",
            apart={"shipping_fee_id": IN_THE_PATH},
        ),
    ),
    "delete_sales_order": (),
    "create_purchase_order": (
        Goes(
            into=("CreatePurchaseOrderRequest",),
            called={"rows": "purchase_order_rows"},
            apart={"additional_costs": OF_ITS_OWN},
        ),
        Goes(
            into=("PurchaseOrderRowRequest",),
            within="rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"custom_fields": "Katana's gateway takes them, and the description leaves them out"},
        ),
        Goes(
            into=("CreatePurchaseOrderAdditionalCostRowRequest",),
            within="additional_costs",
            excused={"group_id": "that of the order, which is known once it is made"} | COST_REFERENCE,
        ),
    ),
    "modify_purchase_order": (
        Goes(
            into=("UpdatePurchaseOrderRequest",),
            apart={"purchase_order_id": IN_THE_PATH}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN)
            | {"unreceive": "asks for the status that takes receipts back"}
            | dict.fromkeys(("add_additional_costs", "update_additional_costs"), OF_ITS_OWN)
            | {"delete_additional_cost_row_ids": OF_ITS_OWN},
        ),
        Goes(
            into=("CreatePurchaseOrderRowRequest",),
            within="add_rows",
            called={"sku_or_variant_id": "variant_id"},
            excused={
                "purchase_order_id": "the order that is changed",
                "currency": "an order has one currency",
            }
            | TAX_BY_ID,
        ),
        Goes(
            into=("UpdatePurchaseOrderRowRequest",),
            within="update_rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"row_id": IN_THE_PATH},
            excused=TAX_BY_ID,
        ),
        Goes(
            into=("CreatePurchaseOrderAdditionalCostRowRequest",),
            within="add_additional_costs",
            excused={"group_id": "that of the order"} | COST_REFERENCE,
        ),
        Goes(
            into=("UpdatePurchaseOrderAdditionalCostRowRequest",),
            within="update_additional_costs",
            apart={"additional_cost_row_id": IN_THE_PATH},
            excused=COST_REFERENCE,
        ),
    ),
    "delete_purchase_order": (),
    "receive_purchase_order": (
        Goes(
            into=("PurchaseOrderReceiveRow",),
            within="rows",
            called={
                "row_id": "purchase_order_row_id",
                "batches": "traceability",
                "serial_number_ids": "traceability",
            },
            excused={"batch_transactions": "the older form of traceability, which excludes it"},
        ),
    ),
    "correct_purchase_order": (
        Goes(
            into=("UpdatePurchaseOrderRequest",),
            apart={"purchase_order_id": IN_THE_PATH, "reopen_billed": "asks for what accounting may notice"}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN),
            excused=KEPT
            | {"status": "the order is reopened and received again by itself"}
            | dict.fromkeys(
                ("additional_info", "order_created_date", "tracking_location_id"),
                "`modify_purchase_order` changes it on a received order, or no correction is planned of such",
            ),
        ),
        Goes(
            into=("CreatePurchaseOrderRowRequest", "PurchaseOrderReceiveRow"),
            within="add_rows",
            called={"sku_or_variant_id": "variant_id", "batches": "traceability"},
            apart={"received_with_row_id": "says with which others it is received"},
            excused={"purchase_order_id": "the order that is corrected", "currency": "an order has one currency"}
            | dict.fromkeys(("purchase_uom", "purchase_uom_conversion_rate"), "the item's own is taken")
            | {"arrival_date": "the goods are there already", "purchase_order_row_id": "the row is a new one"}
            | {"batch_transactions": "the older form of traceability, which excludes it"}
            | TAX_BY_ID
            | KEPT,
        ),
        Goes(
            into=("UpdatePurchaseOrderRowRequest", "PurchaseOrderReceiveRow"),
            within="update_rows",
            called={
                "row_id": "purchase_order_row_id",
                "batches": "traceability",
                "serial_number_ids": "traceability",
            },
            excused={"variant_id": "another good is another row: delete this one and add that"}
            | dict.fromkeys(("purchase_uom", "purchase_uom_conversion_rate"), "the stock that came would be another")
            | {"batch_transactions": "the older form of traceability, which excludes it"}
            | TAX_BY_ID
            | KEPT,
        ),
    ),
    "correct_sales_order": (
        Goes(
            into=("UpdateSalesOrderRequest",),
            apart={"sales_order_id": IN_THE_PATH}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN),
            excused={"status": "the order is reopened and shipped again by itself"}
            | {"picked_date": "is that of its shipments, which `fulfill_order` changes"}
            | dict.fromkeys(
                (
                    *("additional_info", "order_created_date", "customer_ref", "custom_fields", "tracking_number"),
                    *("tracking_number_url", "conversion_rate", "conversion_date"),
                ),
                "`modify_sales_order` changes it on a shipped order, or it is kept",
            ),
        ),
        Goes(
            into=("CreateSalesOrderRowRequest", "SalesOrderFulfillmentRowRequest"),
            within="add_rows",
            called={"sku_or_variant_id": "variant_id", "batches": "traceability"},
            apart={"fulfillment_id": "says with which others it is shipped"},
            excused=OF_ITS_ORDER
            | {"sales_order_row_id": "the row is a new one", "serial_numbers": "the older form of traceability"}
            | dict.fromkeys(("attributes", "custom_fields"), "`modify_sales_order` sets it on a shipped row"),
        ),
        Goes(
            into=("UpdateSalesOrderRowRequest", "SalesOrderFulfillmentRowRequest"),
            within="update_rows",
            called={"row_id": "sales_order_row_id", "batches": "traceability"},
            excused={"variant_id": "another good is another row: delete this one and add that"}
            | {"serial_numbers": "the older form of traceability", "serial_number_transactions": UNTRACED}
            | {"batch_transactions": "the older form of traceability, which wins over it"}
            | dict.fromkeys(("attributes", "custom_fields"), "`modify_sales_order` changes it on a shipped row"),
        ),
    ),
    "fulfill_order": (
        Goes(
            into=("CreateSalesOrderFulfillmentRequest", "UpdateSalesOrderFulfillmentRequest"),
            called={"rows": "sales_order_fulfillment_rows"},
            apart=dict.fromkeys(("fulfillment_id", "delete_fulfillment_id"), IN_THE_PATH),
            excused=dict.fromkeys(("conversion_rate", "conversion_date"), "Katana converts by the order's own rate")
            | {"packer_id": "only accounts with the warehouse add-on have packers"},
        ),
        Goes(
            into=("SalesOrderFulfillmentRowRequest",),
            within="rows",
            called={
                "row_id": "sales_order_row_id",
                "batches": "traceability",
                "serial_number_ids": "traceability",
            },
            excused={"serial_numbers": "the older form of traceability, which wins over it"},
        ),
    ),
    "create_sales_return": (
        Goes(into=("CreateSalesReturnRequest",), apart={"rows": OF_ITS_OWN}),
        Goes(into=("CreateSalesReturnRowRequest",), within="rows", excused=OF_ITS_SHIPMENT),
    ),
    "modify_sales_return": (
        Goes(
            into=("UpdateSalesReturnRequest",),
            apart={"sales_return_id": IN_THE_PATH}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN),
        ),
        Goes(into=("CreateSalesReturnRowRequest",), within="add_rows", excused=OF_ITS_SHIPMENT),
        Goes(
            into=("UpdateSalesReturnRowRequest",),
            within="update_rows",
            called={"batches": "batch_transactions"},
            apart={"row_id": IN_THE_PATH},
        ),
    ),
    "delete_sales_return": (),
    "modify_bom": (
        Goes(
            into=(),
            apart={"sku_or_variant_id": "names the product", "copy_of": "names the product whose rows are added"}
            | dict.fromkeys(("add_rows", "update_rows", "delete_row_ids"), OF_ITS_OWN)
            | OPERATIONS_APART,
        ),
        *OPERATIONS,
        Goes(
            into=("CreateBomRowRequest",),
            within="add_rows",
            called={"sku_or_variant_id": "ingredient_variant_id"},
            excused=dict.fromkeys(("product_variant_id", "product_item_id"), "the product that is changed") | OF_BOMS,
        ),
        Goes(
            into=("UpdateBomRowRequest",),
            within="update_rows",
            called={"sku_or_variant_id": "ingredient_variant_id"},
            apart={"row_id": IN_THE_PATH},
            excused=OF_BOMS,
        ),
    ),
    "change_prices": PRICED,
    "count_stock": COUNTED,
    "define_custom_field": DEFINED,
    "replace_ingredient": (
        Goes(
            into=("UpdateBomRowRequest",),
            called={"new": "ingredient_variant_id", "quantity_factor": "quantity"},
            apart={"old": "names the rows that are changed", "row_ids": IN_THE_PATH},
            excused={"notes": "`modify_bom` changes it"} | OF_BOMS,
        ),
    ),
    **ITEMS,
    "delete_item": (),
    "create_customer": (
        Goes(into=("CreateCustomerRequest",)),
        Goes(
            into=("CreateCustomerRequest.addresses",),
            within="addresses",
            apart={"default": "Katana's gateway takes it, and the description leaves it out"},
        ),
    ),
    "modify_customer": (
        Goes(
            into=("UpdateCustomerRequest",),
            apart={"customer_id": IN_THE_PATH}
            | dict.fromkeys(("add_addresses", "update_addresses", "delete_address_ids"), OF_ITS_OWN),
        ),
        Goes(
            into=("CreateCustomerAddressRequest",),
            within="add_addresses",
            apart={"default": OF_ITS_OWN},
            excused={"customer_id": "the customer that is changed"},
        ),
        Goes(into=("UpdateCustomerAddressRequest",), within="update_addresses", apart={"address_id": IN_THE_PATH}),
    ),
    "delete_customer": (),
    "create_supplier": (
        Goes(into=("CreateSupplierRequest",)),
        Goes(
            into=("SupplierAddressRequest",),
            within="addresses",
            excused={"supplier_id": "the supplier that is made with it"},
        ),
    ),
    "modify_supplier": (
        Goes(
            into=("UpdateSupplierRequest",),
            apart={"supplier_id": IN_THE_PATH}
            | dict.fromkeys(("add_addresses", "update_addresses", "delete_address_ids"), OF_ITS_OWN),
        ),
        Goes(
            into=("CreateSupplierAddressRequest",),
            within="add_addresses",
            excused={"supplier_id": "the supplier that is changed"},
        ),
        Goes(into=("UpdateSupplierAddressRequest",), within="update_addresses", apart={"address_id": IN_THE_PATH}),
    ),
    "delete_supplier": (),
    "create_manufacturing_order": (
        Goes(
            into=("CreateManufacturingOrderRequest",),
            called={"sku_or_variant_id": "variant_id"},
            excused=MADE | {"status": "a new order is NOT_STARTED"},
        ),
    ),
    "modify_manufacturing_order": (
        Goes(
            into=("UpdateManufacturingOrderRequest",),
            apart={"manufacturing_order_id": IN_THE_PATH, "reopen": "says that a status may undo productions"}
            | dict.fromkeys(("add_recipe_rows", "update_recipe_rows", "delete_recipe_row_ids"), OF_ITS_OWN)
            | dict.fromkeys(("add_operation_rows", "update_operation_rows", "delete_operation_row_ids"), OF_ITS_OWN),
            excused=MADE | {"variant_id": "what becomes of the recipe is not known: another product is another order"},
        ),
        Goes(
            into=("CreateManufacturingOrderRecipeRowRequest",),
            within="add_recipe_rows",
            called={"sku_or_variant_id": "variant_id"},
            excused=USED | OF_ITS_MAKING,
        ),
        Goes(
            into=("UpdateManufacturingOrderRecipeRowRequest",),
            within="update_recipe_rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"recipe_row_id": IN_THE_PATH},
            excused=USED,
        ),
        Goes(
            into=("CreateManufacturingOrderOperationRowRequest",),
            within="add_operation_rows",
            excused=WORKED | OF_ITS_MAKING | {"status": "a new operation is NOT_STARTED"},
        ),
        Goes(
            into=("UpdateManufacturingOrderOperationRowRequest",),
            within="update_operation_rows",
            apart={"operation_row_id": IN_THE_PATH},
            excused=WORKED | dict.fromkeys(("status", "total_actual_time", "completed_by_operators"), ON_THE_FLOOR),
        ),
    ),
    "delete_manufacturing_order": (),
    "create_manufacturing_orders": (
        Goes(
            into=("MakeToOrderManufacturingOrderRequest",),
            called={"row_ids": "sales_order_row_id"},
            apart={"sales_order_id": "is that of the rows", "most_per_order": "`planned_quantity` of each order"},
        ),
    ),
    "modify_traceability": BATCHED,
    "plan_bin_transfer": BETWEEN_BINS,
    "modify_safety_stock": (
        Goes(into=(), apart={"rows": "one request for each level, one for the bins of a location"}),
        Goes(
            into=("CreateInventorySafetyStockLevelRequest", "VariantDefaultStorageBinLink"),
            within="rows",
            called={"sku_or_variant_id": "variant_id", "safety_stock": "value", "default_bin": "bin_name"},
        ),
    ),
    "prioritize_orders": (
        Goes(
            into=("RerankSalesOrderRequest", "RerankManufacturingOrderRequest", "RerankPlace"),
            called={"orders": "order_ids", "before": "before_id", "after": "after_id"},
            apart=IN_ITS_PATH,
            excused={"place": "is made of position, before and after"},
        ),
    ),
    "correct_manufacturing_order": (
        Goes(
            into=("UpdateManufacturingOrderRequest",),
            apart={"manufacturing_order_id": IN_THE_PATH, "completed_quantity": "goes into its productions"}
            | dict.fromkeys(("add_recipe_rows", "update_recipe_rows", "delete_recipe_row_ids"), OF_ITS_OWN)
            | dict.fromkeys(("add_operation_rows", "update_operation_rows", "delete_operation_row_ids"), OF_ITS_OWN),
            excused=MADE
            | {"variant_id": "what becomes of the recipe is not known: another product is another order"}
            | {"status": "the order is reopened and completed again by itself"}
            | dict.fromkeys(
                ("additional_info", "order_created_date"), "`modify_manufacturing_order` changes it on a done order"
            ),
        ),
        Goes(
            into=("CreateManufacturingOrderRecipeRowRequest",),
            within="add_recipe_rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"batches": "goes into its productions"},
            excused=USED | OF_ITS_MAKING,
        ),
        Goes(
            into=("UpdateManufacturingOrderRecipeRowRequest",),
            within="update_recipe_rows",
            called={"sku_or_variant_id": "variant_id"},
            apart={"recipe_row_id": IN_THE_PATH, "batches": "goes into its productions"},
            excused=USED,
        ),
        Goes(
            into=("CreateManufacturingOrderOperationRowRequest",),
            within="add_operation_rows",
            excused=WORKED | OF_ITS_MAKING | {"status": "a new operation is NOT_STARTED"},
        ),
        Goes(
            into=("UpdateManufacturingOrderOperationRowRequest",),
            within="update_operation_rows",
            apart={"operation_row_id": IN_THE_PATH},
            excused=WORKED | dict.fromkeys(("status", "total_actual_time", "completed_by_operators"), ON_THE_FLOOR),
        ),
    ),
    "complete_manufacturing_order": (
        Goes(
            into=("CreateManufacturingOrderProductionRequest", "UpdateManufacturingOrderProductionRequest"),
            called={"quantity": "completed_quantity", "batch_id": "traceability"},
            apart=dict.fromkeys(("production_id", "delete_production_id"), IN_THE_PATH)
            | {"serial_number_ids": "goes into traceability too"},
            excused=dict.fromkeys(("batch_transaction", "serial_numbers"), "the older form of traceability")
            | {"production_date": "is that of a production that is there: completed_date of the tool"},
        ),
        Goes(
            into=("CreateManufacturingOrderProductionRequest.ingredients",),
            is_formed=True,
            within="ingredients",
            called={"recipe_row_id": "manufacturing_order_recipe_row_id", "batches": "traceability"},
            excused={"batch_transactions": "the older form of traceability"},
        ),
        Goes(
            into=("CreateManufacturingOrderProductionRequest.operations",),
            is_formed=True,
            within="operations",
            called={"operation_row_id": "manufacturing_order_operation_id", "seconds": "time"},
        ),
    ),
}
"""For each tool that plans a write: where its arguments go."""
