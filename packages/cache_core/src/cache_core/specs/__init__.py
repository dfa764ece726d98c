"""What the cache knows of Katana, one `EntitySpec` per collection; plain data, no code."""

from cache_core.spec import EntitySpec
from cache_core.specs.customers import CUSTOMER
from cache_core.specs.locations import LOCATION
from cache_core.specs.materials import MATERIAL
from cache_core.specs.operators import OPERATOR
from cache_core.specs.products import PRODUCT
from cache_core.specs.sales_orders import SALES_ORDER
from cache_core.specs.services import SERVICE
from cache_core.specs.stock import STOCK
from cache_core.specs.suppliers import SUPPLIER
from cache_core.specs.tax_rates import TAX_RATE
from cache_core.specs.variants import VARIANT

SPECS: tuple[EntitySpec, ...] = (
    LOCATION,
    TAX_RATE,
    OPERATOR,
    SUPPLIER,
    CUSTOMER,
    PRODUCT,
    MATERIAL,
    SERVICE,
    VARIANT,
    SALES_ORDER,
    STOCK,
)
"""Every entity, parents before the entities that borrow from them."""
