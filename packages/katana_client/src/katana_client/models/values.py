"""Values by model and field, those known so far, as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from typing import Literal

type BinTransferStatus = Literal["CREATED", "IN_TRANSIT", "DONE"]
type CustomFieldDefinitionEntityType = Literal[
    "SalesOrder",
    "SalesOrderRow",
    "ProductVariant",
    "MaterialVariant",
    "ServiceVariant",
    "PurchaseOrder",
    "PurchaseOrderRow",
    "OutsourcedPurchaseOrder",
    "OutsourcedPurchaseOrderRow",
    "ProductionOperation",
    "RecipeBom",
    "Supplier",
    "Customer",
]
type CustomFieldDefinitionFieldType = Literal["shortText", "number", "singleSelect", "date", "boolean", "url"]
type CustomFieldOptionsAppearson = Literal[
    "SalesOrderRow", "PurchaseOrderRow", "OutsourcedPurchaseOrderRow", "ManufacturingOrder"
]
type CustomFieldsCollectionResourceType = Literal[
    "product", "material", "variant", "customer", "sales_order", "purchase_order", "stocktake"
]
type CustomerAddressEntityType = Literal["billing", "shipping"]
type FailedSerialNumberReason = Literal["DUPLICATE", "MISSING", "NOT_IN_STOCK"]
type InventoryMovementResourceType = Literal[
    "Production",
    "PurchaseOrderRow",
    "PurchaseOrderRecipeRow",
    "SalesOrderRow",
    "ManufacturingOrderRecipeRow",
    "StockAdjustmentRow",
    "StockTransferRow",
    "ManufacturingOrder",
    "SystemGenerated",
    "ProductionIngredient",
]
type InventorySignalDemandWindow = Literal[7, 30, 60, 90]
type InventorySignalLeadTimeSource = Literal["sku", "system_po", "system_mo", "fallback"]
type InventorySignalStockRisk = Literal[0, 1, 2, 3]
type ManufacturingOrderIngredientAvailability = Literal[
    "PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE"
]
type ManufacturingOrderOperationRowStatus = Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED"]
type ManufacturingOrderOperationRowType = Literal["process", "setup", "perUnit", "fixed"]
type ManufacturingOrderRecipeRowIngredientAvailability = Literal[
    "PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE"
]
type ManufacturingOrderStatus = Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"]
type MaterialType = Literal["product", "material"]
type OutsourcedPurchaseOrderRecipeRowIngredientAvailability = Literal[
    "PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE"
]
type PriceListRowAdjustmentMethod = Literal["fixed", "percentage", "markup"]
type ProductOperationRowType = Literal["process", "setup", "perUnit", "fixed"]
type ProductType = Literal["product", "material"]
type PurchaseOrderBillingStatus = Literal["BILLED", "NOT_BILLED", "PARTIALLY_BILLED"]
type PurchaseOrderEntityType = Literal["regular", "outsourced"]
type PurchaseOrderIngredientAvailability = Literal[
    "PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE"
]
type PurchaseOrderLastDocumentStatus = Literal["NOT_SENT", "SENDING", "FAILED", "SENT"]
type PurchaseOrderStatus = Literal["DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"]
type SalesOrderAccountingMetadataIntegrationType = Literal["xero", "quickBooks", "sage", "custom"]
type SalesOrderAddressEntityType = Literal["billing", "shipping"]
type SalesOrderFulfillmentInvoiceStatus = Literal["NOT_INVOICED", "INVOICED", "PARTIALLY_INVOICED"]
type SalesOrderFulfillmentStatus = Literal["PACKED", "DELIVERED"]
type SalesOrderIngredientAvailability = Literal[
    "PROCESSED", "IN_STOCK", "NOT_AVAILABLE", "EXPECTED", "NO_RECIPE", "NOT_APPLICABLE"
]
type SalesOrderInvoicingStatus = Literal["notInvoiced", "partiallyInvoiced", "invoiced"]
type SalesOrderProductAvailability = Literal["IN_STOCK", "EXPECTED", "PICKED", "NOT_AVAILABLE", "NOT_APPLICABLE"]
type SalesOrderProductionStatus = Literal["NOT_STARTED", "NONE", "NOT_APPLICABLE", "IN_PROGRESS", "BLOCKED", "DONE"]
type SalesOrderRowProductAvailability = Literal["IN_STOCK", "EXPECTED", "PICKED", "NOT_AVAILABLE", "NOT_APPLICABLE"]
type SalesOrderStatus = Literal[
    "NOT_SHIPPED", "PENDING", "READY_FOR_FULFILLMENT", "PARTIALLY_PACKED", "PARTIALLY_DELIVERED", "PACKED", "DELIVERED"
]
type SalesReturnRefundStatus = Literal["NOT_REFUNDED", "REFUNDED", "PARTIALLY_REFUNDED"]
type SalesReturnStatus = Literal["NOT_RETURNED", "RETURNED_ALL", "RESTOCKED_ALL"]
type SerialNumberResourceType = Literal[
    "ManufacturingOrder",
    "Production",
    "StockAdjustmentRow",
    "StockTransferRow",
    "PurchaseOrderRow",
    "SalesOrderRow",
    "SalesOrderFulfillmentRow",
]
type SerialNumberTransactionQuantity = Literal[0, 1]
type ServiceType = Literal["service"]
type ServiceVariantType = Literal["product", "material", "service"]
type StockTransferStatus = Literal["draft", "received", "inTransit"]
type StocktakeStatus = Literal["NOT_STARTED", "IN_PROGRESS", "COUNTED", "COMPLETED"]
type VariantAbcClassification = Literal["A", "B", "C"]
type VariantType = Literal["product", "material", "service"]
