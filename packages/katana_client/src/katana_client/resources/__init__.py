"""The registry: one line per collection, one file of the same name for each."""

from katana_client.collection import Bound, HasSender
from katana_client.resources.additional_costs import AdditionalCosts
from katana_client.resources.bom_rows import BomRows
from katana_client.resources.customer_addresses import CustomerAddresses
from katana_client.resources.customers import Customers
from katana_client.resources.factory import FactorySettings
from katana_client.resources.inventory import InventoryLevels
from katana_client.resources.inventory_movements import InventoryMovements
from katana_client.resources.inventory_reorder_points import InventoryReorderPoints
from katana_client.resources.inventory_safety_stock_levels import InventorySafetyStockLevels
from katana_client.resources.locations import Locations
from katana_client.resources.manufacturing_order_operation_rows import ManufacturingOrderOperationRows
from katana_client.resources.manufacturing_order_production_ingredients import ManufacturingOrderProductionIngredients
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
from katana_client.resources.sales_order_addresses import SalesOrderAddresses
from katana_client.resources.sales_order_fulfillments import SalesOrderFulfillments
from katana_client.resources.sales_order_rows import SalesOrderRows
from katana_client.resources.sales_order_shipping_fee import SalesOrderShippingFees
from katana_client.resources.sales_orders import SalesOrders
from katana_client.resources.services import Services
from katana_client.resources.stock_adjustments import StockAdjustments
from katana_client.resources.stock_transfers import StockTransfers
from katana_client.resources.supplier_addresses import SupplierAddresses
from katana_client.resources.suppliers import Suppliers
from katana_client.resources.tax_rates import TaxRates
from katana_client.resources.variants import Variants


class Collections(HasSender):
    """Every collection, as an attribute named like its path."""

    additional_costs = Bound(AdditionalCosts)
    bom_rows = Bound(BomRows)
    customer_addresses = Bound(CustomerAddresses)
    customers = Bound(Customers)
    factory = Bound(FactorySettings)
    inventory = Bound(InventoryLevels)
    inventory_movements = Bound(InventoryMovements)
    inventory_reorder_points = Bound(InventoryReorderPoints)
    inventory_safety_stock_levels = Bound(InventorySafetyStockLevels)
    locations = Bound(Locations)
    manufacturing_order_operation_rows = Bound(ManufacturingOrderOperationRows)
    manufacturing_order_production_ingredients = Bound(ManufacturingOrderProductionIngredients)
    manufacturing_order_productions = Bound(ManufacturingOrderProductions)
    manufacturing_order_recipe_rows = Bound(ManufacturingOrderRecipeRows)
    manufacturing_orders = Bound(ManufacturingOrders)
    materials = Bound(Materials)
    negative_stock = Bound(NegativeStocks)
    operators = Bound(Operators)
    outsourced_purchase_order_recipe_rows = Bound(OutsourcedPurchaseOrderRecipeRows)
    po_additional_cost_rows = Bound(PurchaseOrderAdditionalCostRows)
    price_list_customers = Bound(PriceListCustomers)
    price_list_rows = Bound(PriceListRows)
    price_lists = Bound(PriceLists)
    product_operation_rows = Bound(ProductOperationRows)
    products = Bound(Products)
    purchase_order_accounting_metadata = Bound(PurchaseOrderAccounting)
    purchase_order_rows = Bound(PurchaseOrderRows)
    purchase_orders = Bound(PurchaseOrders)
    recipe_rows = Bound(RecipeRows)
    recipes = Bound(Recipes)
    sales_order_addresses = Bound(SalesOrderAddresses)
    sales_order_fulfillments = Bound(SalesOrderFulfillments)
    sales_order_rows = Bound(SalesOrderRows)
    sales_order_shipping_fee = Bound(SalesOrderShippingFees)
    sales_orders = Bound(SalesOrders)
    services = Bound(Services)
    stock_adjustments = Bound(StockAdjustments)
    stock_transfers = Bound(StockTransfers)
    supplier_addresses = Bound(SupplierAddresses)
    suppliers = Bound(Suppliers)
    tax_rates = Bound(TaxRates)
    variants = Bound(Variants)
