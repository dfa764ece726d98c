"""Every collection, and the routes that follow from their descriptors."""

from katana_sandbox.collections.additional_costs import ADDITIONAL_COSTS
from katana_sandbox.collections.batches import BATCHES
from katana_sandbox.collections.bin_transfers import BIN_TRANSFER_ROWS, BIN_TRANSFERS
from katana_sandbox.collections.bins import BIN_LOCATIONS, VARIANT_BIN_LOCATIONS
from katana_sandbox.collections.bom_rows import BOM_ROWS
from katana_sandbox.collections.custom_field_definitions import CUSTOM_FIELD_DEFINITIONS
from katana_sandbox.collections.customer_addresses import CUSTOMER_ADDRESSES
from katana_sandbox.collections.customers import CUSTOMERS
from katana_sandbox.collections.demand_forecasts import DEMAND_FORECASTS
from katana_sandbox.collections.factory import FACTORY
from katana_sandbox.collections.inventory import INVENTORY
from katana_sandbox.collections.inventory_movements import INVENTORY_MOVEMENTS
from katana_sandbox.collections.inventory_reorder_points import INVENTORY_REORDER_POINTS
from katana_sandbox.collections.inventory_safety_stock_levels import INVENTORY_SAFETY_STOCK_LEVELS
from katana_sandbox.collections.inventory_signals import INVENTORY_SIGNALS
from katana_sandbox.collections.locations import LOCATIONS
from katana_sandbox.collections.manufacturing_names import OPERATIONS, RESOURCES
from katana_sandbox.collections.manufacturing_order_operation_rows import MANUFACTURING_ORDER_OPERATION_ROWS
from katana_sandbox.collections.manufacturing_order_production_ingredients import (
    MANUFACTURING_ORDER_PRODUCTION_INGREDIENTS,
    MANUFACTURING_ORDER_PRODUCTION_OPERATIONS,
)
from katana_sandbox.collections.manufacturing_order_productions import MANUFACTURING_ORDER_PRODUCTIONS
from katana_sandbox.collections.manufacturing_order_recipe_rows import MANUFACTURING_ORDER_RECIPE_ROWS
from katana_sandbox.collections.manufacturing_orders import MANUFACTURING_ORDERS
from katana_sandbox.collections.materials import MATERIALS
from katana_sandbox.collections.negative_stock import NEGATIVE_STOCK
from katana_sandbox.collections.operators import OPERATORS
from katana_sandbox.collections.order_reranks import ORDER_RERANKS
from katana_sandbox.collections.outsourced_purchase_order_recipe_rows import OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS
from katana_sandbox.collections.po_additional_cost_rows import PO_ADDITIONAL_COST_ROWS
from katana_sandbox.collections.price_list_customers import PRICE_LIST_CUSTOMERS
from katana_sandbox.collections.price_list_rows import PRICE_LIST_ROWS
from katana_sandbox.collections.price_lists import PRICE_LISTS
from katana_sandbox.collections.product_operation_rows import PRODUCT_OPERATION_ROWS
from katana_sandbox.collections.products import PRODUCTS
from katana_sandbox.collections.purchase_order_accounting_metadata import PURCHASE_ORDER_ACCOUNTING_METADATA
from katana_sandbox.collections.purchase_order_receive import PURCHASE_ORDER_RECEIVE
from katana_sandbox.collections.purchase_order_rows import PURCHASE_ORDER_ROWS
from katana_sandbox.collections.purchase_orders import PURCHASE_ORDERS
from katana_sandbox.collections.recipes import RECIPES
from katana_sandbox.collections.sales_order_accounting_metadata import SALES_ORDER_ACCOUNTING_METADATA
from katana_sandbox.collections.sales_order_addresses import SALES_ORDER_ADDRESSES
from katana_sandbox.collections.sales_order_fulfillments import SALES_ORDER_FULFILLMENTS
from katana_sandbox.collections.sales_order_rows import SALES_ORDER_ROWS
from katana_sandbox.collections.sales_order_shipping_fee import SALES_ORDER_SHIPPING_FEE
from katana_sandbox.collections.sales_orders import SALES_ORDERS
from katana_sandbox.collections.sales_returns import SALES_RETURN_ROWS, SALES_RETURNS
from katana_sandbox.collections.serial_numbers import (
    SERIAL_ENTRIES,
    SERIAL_NUMBERS,
    SERIAL_NUMBERS_STOCK,
    SERIAL_UNITS,
)
from katana_sandbox.collections.services import SERVICE_VARIANTS, SERVICES
from katana_sandbox.collections.stock_adjustments import STOCK_ADJUSTMENT_ROWS, STOCK_ADJUSTMENTS
from katana_sandbox.collections.stock_transfers import STOCK_TRANSFER_ROWS, STOCK_TRANSFERS
from katana_sandbox.collections.stocktakes import STOCKTAKE_ROWS, STOCKTAKES
from katana_sandbox.collections.supplier_addresses import SUPPLIER_ADDRESSES
from katana_sandbox.collections.suppliers import SUPPLIERS
from katana_sandbox.collections.tax_rates import TAX_RATES
from katana_sandbox.collections.users import USERS
from katana_sandbox.collections.variants import VARIANTS
from katana_sandbox.collections.webhooks import WEBHOOK, WEBHOOK_LOGS
from katana_sandbox.descriptor import Collection, Route
from katana_sandbox.operations import create, delete, get, update
from katana_sandbox.operations import list as list_operation
from katana_sandbox.routing import Router
from katana_schema.reading import read_facts

COLLECTIONS: dict[str, Collection] = {
    collection.name: collection
    for collection in (
        FACTORY,
        LOCATIONS,
        TAX_RATES,
        OPERATORS,
        ADDITIONAL_COSTS,
        SUPPLIERS,
        SUPPLIER_ADDRESSES,
        PRODUCTS,
        MATERIALS,
        VARIANTS,
        SERVICES,
        SERVICE_VARIANTS,
        BOM_ROWS,
        RECIPES,
        OPERATIONS,
        RESOURCES,
        PRODUCT_OPERATION_ROWS,
        MANUFACTURING_ORDERS,
        MANUFACTURING_ORDER_RECIPE_ROWS,
        MANUFACTURING_ORDER_OPERATION_ROWS,
        MANUFACTURING_ORDER_PRODUCTIONS,
        MANUFACTURING_ORDER_PRODUCTION_INGREDIENTS,
        MANUFACTURING_ORDER_PRODUCTION_OPERATIONS,
        CUSTOMERS,
        CUSTOMER_ADDRESSES,
        SALES_ORDERS,
        SALES_ORDER_ROWS,
        SALES_ORDER_ADDRESSES,
        SALES_ORDER_FULFILLMENTS,
        SALES_ORDER_SHIPPING_FEE,
        SALES_RETURNS,
        SALES_RETURN_ROWS,
        SALES_ORDER_ACCOUNTING_METADATA,
        CUSTOM_FIELD_DEFINITIONS,
        ORDER_RERANKS,
        USERS,
        BATCHES,
        BIN_LOCATIONS,
        VARIANT_BIN_LOCATIONS,
        BIN_TRANSFERS,
        BIN_TRANSFER_ROWS,
        STOCKTAKES,
        STOCKTAKE_ROWS,
        SERIAL_UNITS,
        SERIAL_ENTRIES,
        SERIAL_NUMBERS,
        SERIAL_NUMBERS_STOCK,
        PURCHASE_ORDERS,
        PURCHASE_ORDER_ROWS,
        PURCHASE_ORDER_RECEIVE,
        PURCHASE_ORDER_ACCOUNTING_METADATA,
        PO_ADDITIONAL_COST_ROWS,
        OUTSOURCED_PURCHASE_ORDER_RECIPE_ROWS,
        STOCK_TRANSFERS,
        STOCK_TRANSFER_ROWS,
        STOCK_ADJUSTMENTS,
        STOCK_ADJUSTMENT_ROWS,
        PRICE_LISTS,
        PRICE_LIST_ROWS,
        PRICE_LIST_CUSTOMERS,
        INVENTORY,
        INVENTORY_MOVEMENTS,
        NEGATIVE_STOCK,
        INVENTORY_SAFETY_STOCK_LEVELS,
        INVENTORY_REORDER_POINTS,
        INVENTORY_SIGNALS,
        DEMAND_FORECASTS,
        WEBHOOK,
        WEBHOOK_LOGS,
    )
}
_OPERATIONS = (
    ("GET", "", list_operation.run),
    ("GET", "/{id}", get.run),
    ("POST", "", create.run),
    ("PATCH", "/{id}", update.run),
    ("DELETE", "/{id}", delete.run),
)


def build_router() -> Router:
    """The routes of every collection: those of the five operations that the facts have, and its own before them."""
    own = [(route, collection) for collection in COLLECTIONS.values() for route in collection.routes]
    routes = {(route.method, route.template): (route, collection) for route, collection in own}
    for collection in COLLECTIONS.values():
        for method, suffix, run in _OPERATIONS:
            template = collection.path + suffix
            if f"{method} {template}" in read_facts().operations:
                routes.setdefault((method, template), (Route(method, template, run), collection))
    return Router(routes)
