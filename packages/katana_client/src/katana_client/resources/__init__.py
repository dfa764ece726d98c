"""The registry: one line per collection, one file of the same name for each."""

from katana_client.collection import Bound, HasSender
from katana_client.resources.additional_costs import AdditionalCosts
from katana_client.resources.bom_rows import BomRows
from katana_client.resources.customer_addresses import CustomerAddresses
from katana_client.resources.customers import Customers
from katana_client.resources.factory import FactorySettings
from katana_client.resources.inventory import InventoryLevels
from katana_client.resources.inventory_reorder_points import InventoryReorderPoints
from katana_client.resources.inventory_safety_stock_levels import InventorySafetyStockLevels
from katana_client.resources.locations import Locations
from katana_client.resources.materials import Materials
from katana_client.resources.operators import Operators
from katana_client.resources.products import Products
from katana_client.resources.sales_order_addresses import SalesOrderAddresses
from katana_client.resources.sales_order_fulfillments import SalesOrderFulfillments
from katana_client.resources.sales_order_rows import SalesOrderRows
from katana_client.resources.sales_order_shipping_fee import SalesOrderShippingFees
from katana_client.resources.sales_orders import SalesOrders
from katana_client.resources.services import Services
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
    inventory_reorder_points = Bound(InventoryReorderPoints)
    inventory_safety_stock_levels = Bound(InventorySafetyStockLevels)
    locations = Bound(Locations)
    materials = Bound(Materials)
    operators = Bound(Operators)
    products = Bound(Products)
    sales_order_addresses = Bound(SalesOrderAddresses)
    sales_order_fulfillments = Bound(SalesOrderFulfillments)
    sales_order_rows = Bound(SalesOrderRows)
    sales_order_shipping_fee = Bound(SalesOrderShippingFees)
    sales_orders = Bound(SalesOrders)
    services = Bound(Services)
    supplier_addresses = Bound(SupplierAddresses)
    suppliers = Bound(Suppliers)
    tax_rates = Bound(TaxRates)
    variants = Bound(Variants)
