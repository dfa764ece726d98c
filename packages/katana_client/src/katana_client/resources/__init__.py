"""All collections of the API, with all that can be done with each.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from katana_client.collection import Bound, HasSender

if TYPE_CHECKING:
    from katana_client.resources.additional_costs import AdditionalCosts
    from katana_client.resources.batch_stocks import BatchStocks
    from katana_client.resources.batches import Batches
    from katana_client.resources.bin_inventory import BinInventories
    from katana_client.resources.bin_locations import BinLocations
    from katana_client.resources.bin_transfer_rows import BinTransferRows
    from katana_client.resources.bin_transfers import BinTransfers
    from katana_client.resources.bom_rows import BomRows
    from katana_client.resources.custom_field_definitions import CustomFieldDefinitions
    from katana_client.resources.custom_fields_collections import CustomFieldsCollections
    from katana_client.resources.customer_addresses import CustomerAddresses
    from katana_client.resources.customers import Customers
    from katana_client.resources.demand_forecasts import DemandForecasts
    from katana_client.resources.factory import FactorySettings
    from katana_client.resources.inventory import InventoryLevels
    from katana_client.resources.inventory_movements import InventoryMovements
    from katana_client.resources.inventory_reorder_points import InventoryReorderPoints
    from katana_client.resources.inventory_safety_stock_levels import InventorySafetyStockLevels
    from katana_client.resources.inventory_signals import InventorySignals
    from katana_client.resources.locations import Locations
    from katana_client.resources.manufacturing_order_operation_rows import ManufacturingOrderOperationRows
    from katana_client.resources.manufacturing_order_production_ingredients import (
        ManufacturingOrderProductionIngredients,
    )
    from katana_client.resources.manufacturing_order_productions import ManufacturingOrderProductions
    from katana_client.resources.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRows
    from katana_client.resources.manufacturing_orders import ManufacturingOrders
    from katana_client.resources.materials import Materials
    from katana_client.resources.negative_stock import NegativeStocks
    from katana_client.resources.operators import Operators
    from katana_client.resources.outsourced_purchase_order_recipe_rows import OutsourcedPurchaseOrderRecipeRows
    from katana_client.resources.po_additional_cost_rows import PurchaseOrderAdditionalCostRows
    from katana_client.resources.price_list_customers import PriceListCustomers
    from katana_client.resources.price_list_rows import PriceListRows
    from katana_client.resources.price_lists import PriceLists
    from katana_client.resources.product_operation_rows import ProductOperationRows
    from katana_client.resources.products import Products
    from katana_client.resources.purchase_order_accounting_metadata import PurchaseOrderAccounting
    from katana_client.resources.purchase_order_rows import PurchaseOrderRows
    from katana_client.resources.purchase_orders import PurchaseOrders
    from katana_client.resources.recipe_rows import RecipeRows
    from katana_client.resources.recipes import Recipes
    from katana_client.resources.sales_order_accounting_metadata import SalesOrderAccounting
    from katana_client.resources.sales_order_addresses import SalesOrderAddresses
    from katana_client.resources.sales_order_fulfillments import SalesOrderFulfillments
    from katana_client.resources.sales_order_rows import SalesOrderRows
    from katana_client.resources.sales_order_shipping_fee import SalesOrderShippingFees
    from katana_client.resources.sales_orders import SalesOrders
    from katana_client.resources.sales_return_rows import SalesReturnRows
    from katana_client.resources.sales_returns import SalesReturns
    from katana_client.resources.serial_numbers import SerialNumbers
    from katana_client.resources.serial_numbers_stock import SerialNumbersStock
    from katana_client.resources.services import Services
    from katana_client.resources.stock_adjustments import StockAdjustments
    from katana_client.resources.stock_transfers import StockTransfers
    from katana_client.resources.stocktake_rows import StocktakeRows
    from katana_client.resources.stocktakes import Stocktakes
    from katana_client.resources.supplier_addresses import SupplierAddresses
    from katana_client.resources.suppliers import Suppliers
    from katana_client.resources.tax_rates import TaxRates
    from katana_client.resources.user_info import UserInfos
    from katana_client.resources.users import Users
    from katana_client.resources.variant_bin_locations import VariantBinLocations
    from katana_client.resources.variants import Variants
    from katana_client.resources.webhook_logs_export import WebhookLogs
    from katana_client.resources.webhooks import Webhooks


class Collections(HasSender):
    """Every collection, as an attribute named like its path."""

    additional_costs: Bound[AdditionalCosts] = Bound("additional_costs", "AdditionalCosts")
    batch_stocks: Bound[BatchStocks] = Bound("batch_stocks", "BatchStocks")
    batches: Bound[Batches] = Bound("batches", "Batches")
    bin_inventory: Bound[BinInventories] = Bound("bin_inventory", "BinInventories")
    bin_locations: Bound[BinLocations] = Bound("bin_locations", "BinLocations")
    bin_transfer_rows: Bound[BinTransferRows] = Bound("bin_transfer_rows", "BinTransferRows")
    bin_transfers: Bound[BinTransfers] = Bound("bin_transfers", "BinTransfers")
    bom_rows: Bound[BomRows] = Bound("bom_rows", "BomRows")
    custom_field_definitions: Bound[CustomFieldDefinitions] = Bound(
        "custom_field_definitions", "CustomFieldDefinitions"
    )
    custom_fields_collections: Bound[CustomFieldsCollections] = Bound(
        "custom_fields_collections", "CustomFieldsCollections"
    )
    customer_addresses: Bound[CustomerAddresses] = Bound("customer_addresses", "CustomerAddresses")
    customers: Bound[Customers] = Bound("customers", "Customers")
    demand_forecasts: Bound[DemandForecasts] = Bound("demand_forecasts", "DemandForecasts")
    factory: Bound[FactorySettings] = Bound("factory", "FactorySettings")
    inventory: Bound[InventoryLevels] = Bound("inventory", "InventoryLevels")
    inventory_movements: Bound[InventoryMovements] = Bound("inventory_movements", "InventoryMovements")
    inventory_reorder_points: Bound[InventoryReorderPoints] = Bound(
        "inventory_reorder_points", "InventoryReorderPoints"
    )
    inventory_safety_stock_levels: Bound[InventorySafetyStockLevels] = Bound(
        "inventory_safety_stock_levels", "InventorySafetyStockLevels"
    )
    inventory_signals: Bound[InventorySignals] = Bound("inventory_signals", "InventorySignals")
    locations: Bound[Locations] = Bound("locations", "Locations")
    manufacturing_order_operation_rows: Bound[ManufacturingOrderOperationRows] = Bound(
        "manufacturing_order_operation_rows", "ManufacturingOrderOperationRows"
    )
    manufacturing_order_production_ingredients: Bound[ManufacturingOrderProductionIngredients] = Bound(
        "manufacturing_order_production_ingredients", "ManufacturingOrderProductionIngredients"
    )
    manufacturing_order_productions: Bound[ManufacturingOrderProductions] = Bound(
        "manufacturing_order_productions", "ManufacturingOrderProductions"
    )
    manufacturing_order_recipe_rows: Bound[ManufacturingOrderRecipeRows] = Bound(
        "manufacturing_order_recipe_rows", "ManufacturingOrderRecipeRows"
    )
    manufacturing_orders: Bound[ManufacturingOrders] = Bound("manufacturing_orders", "ManufacturingOrders")
    materials: Bound[Materials] = Bound("materials", "Materials")
    negative_stock: Bound[NegativeStocks] = Bound("negative_stock", "NegativeStocks")
    operators: Bound[Operators] = Bound("operators", "Operators")
    outsourced_purchase_order_recipe_rows: Bound[OutsourcedPurchaseOrderRecipeRows] = Bound(
        "outsourced_purchase_order_recipe_rows", "OutsourcedPurchaseOrderRecipeRows"
    )
    po_additional_cost_rows: Bound[PurchaseOrderAdditionalCostRows] = Bound(
        "po_additional_cost_rows", "PurchaseOrderAdditionalCostRows"
    )
    price_list_customers: Bound[PriceListCustomers] = Bound("price_list_customers", "PriceListCustomers")
    price_list_rows: Bound[PriceListRows] = Bound("price_list_rows", "PriceListRows")
    price_lists: Bound[PriceLists] = Bound("price_lists", "PriceLists")
    product_operation_rows: Bound[ProductOperationRows] = Bound("product_operation_rows", "ProductOperationRows")
    products: Bound[Products] = Bound("products", "Products")
    purchase_order_accounting_metadata: Bound[PurchaseOrderAccounting] = Bound(
        "purchase_order_accounting_metadata", "PurchaseOrderAccounting"
    )
    purchase_order_rows: Bound[PurchaseOrderRows] = Bound("purchase_order_rows", "PurchaseOrderRows")
    purchase_orders: Bound[PurchaseOrders] = Bound("purchase_orders", "PurchaseOrders")
    recipe_rows: Bound[RecipeRows] = Bound("recipe_rows", "RecipeRows")
    recipes: Bound[Recipes] = Bound("recipes", "Recipes")
    sales_order_accounting_metadata: Bound[SalesOrderAccounting] = Bound(
        "sales_order_accounting_metadata", "SalesOrderAccounting"
    )
    sales_order_addresses: Bound[SalesOrderAddresses] = Bound("sales_order_addresses", "SalesOrderAddresses")
    sales_order_fulfillments: Bound[SalesOrderFulfillments] = Bound(
        "sales_order_fulfillments", "SalesOrderFulfillments"
    )
    sales_order_rows: Bound[SalesOrderRows] = Bound("sales_order_rows", "SalesOrderRows")
    sales_order_shipping_fee: Bound[SalesOrderShippingFees] = Bound(
        "sales_order_shipping_fee", "SalesOrderShippingFees"
    )
    sales_orders: Bound[SalesOrders] = Bound("sales_orders", "SalesOrders")
    sales_return_rows: Bound[SalesReturnRows] = Bound("sales_return_rows", "SalesReturnRows")
    sales_returns: Bound[SalesReturns] = Bound("sales_returns", "SalesReturns")
    serial_numbers: Bound[SerialNumbers] = Bound("serial_numbers", "SerialNumbers")
    serial_numbers_stock: Bound[SerialNumbersStock] = Bound("serial_numbers_stock", "SerialNumbersStock")
    services: Bound[Services] = Bound("services", "Services")
    stock_adjustments: Bound[StockAdjustments] = Bound("stock_adjustments", "StockAdjustments")
    stock_transfers: Bound[StockTransfers] = Bound("stock_transfers", "StockTransfers")
    stocktake_rows: Bound[StocktakeRows] = Bound("stocktake_rows", "StocktakeRows")
    stocktakes: Bound[Stocktakes] = Bound("stocktakes", "Stocktakes")
    supplier_addresses: Bound[SupplierAddresses] = Bound("supplier_addresses", "SupplierAddresses")
    suppliers: Bound[Suppliers] = Bound("suppliers", "Suppliers")
    tax_rates: Bound[TaxRates] = Bound("tax_rates", "TaxRates")
    user_info: Bound[UserInfos] = Bound("user_info", "UserInfos")
    users: Bound[Users] = Bound("users", "Users")
    variant_bin_locations: Bound[VariantBinLocations] = Bound("variant_bin_locations", "VariantBinLocations")
    variants: Bound[Variants] = Bound("variants", "Variants")
    webhook_logs_export: Bound[WebhookLogs] = Bound("webhook_logs_export", "WebhookLogs")
    webhooks: Bound[Webhooks] = Bound("webhooks", "Webhooks")
