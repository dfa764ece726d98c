"""Every collection, and the routes that follow from their descriptors."""

from katana_sandbox.collections.additional_costs import ADDITIONAL_COSTS
from katana_sandbox.collections.bom_rows import BOM_ROWS
from katana_sandbox.collections.customer_addresses import CUSTOMER_ADDRESSES
from katana_sandbox.collections.customers import CUSTOMERS
from katana_sandbox.collections.descriptor import Collection
from katana_sandbox.collections.factory import FACTORY
from katana_sandbox.collections.inventory import INVENTORY
from katana_sandbox.collections.inventory_reorder_points import INVENTORY_REORDER_POINTS
from katana_sandbox.collections.inventory_safety_stock_levels import INVENTORY_SAFETY_STOCK_LEVELS
from katana_sandbox.collections.locations import LOCATIONS
from katana_sandbox.collections.materials import MATERIALS
from katana_sandbox.collections.operators import OPERATORS
from katana_sandbox.collections.products import PRODUCTS
from katana_sandbox.collections.sales_order_addresses import SALES_ORDER_ADDRESSES
from katana_sandbox.collections.sales_order_fulfillments import SALES_ORDER_FULFILLMENTS
from katana_sandbox.collections.sales_order_rows import SALES_ORDER_ROWS
from katana_sandbox.collections.sales_order_shipping_fee import SALES_ORDER_SHIPPING_FEE
from katana_sandbox.collections.sales_orders import SALES_ORDERS
from katana_sandbox.collections.sales_returns import SALES_RETURNS
from katana_sandbox.collections.services import SERVICE_VARIANTS, SERVICES
from katana_sandbox.collections.supplier_addresses import SUPPLIER_ADDRESSES
from katana_sandbox.collections.suppliers import SUPPLIERS
from katana_sandbox.collections.tax_rates import TAX_RATES
from katana_sandbox.collections.variants import VARIANTS
from katana_sandbox.operations import create, delete, get, update
from katana_sandbox.operations import list as list_operation
from katana_sandbox.routing import Route, Router

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
        CUSTOMERS,
        CUSTOMER_ADDRESSES,
        SALES_ORDERS,
        SALES_ORDER_ROWS,
        SALES_ORDER_ADDRESSES,
        SALES_ORDER_FULFILLMENTS,
        SALES_ORDER_SHIPPING_FEE,
        SALES_RETURNS,
        INVENTORY,
        INVENTORY_SAFETY_STOCK_LEVELS,
        INVENTORY_REORDER_POINTS,
    )
}
_OPERATIONS = {
    "list": ("GET", "", list_operation.run),
    "get": ("GET", "/{id}", get.run),
    "create": ("POST", "", create.run),
    "update": ("PATCH", "/{id}", update.run),
    "delete": ("DELETE", "/{id}", delete.run),
}


def build_router() -> Router:
    """The routes of every collection: its declared operations, then its own."""
    routes: dict[tuple[str, str], tuple[Route, Collection]] = {}
    for collection in COLLECTIONS.values():
        for operation in collection.operations:
            method, suffix, run = _OPERATIONS[operation]
            template = collection.path + suffix
            routes[method, template] = (Route(method, template, run), collection)
        for route in collection.routes:
            routes[route.method, route.template] = (route, collection)
    return Router(routes)
