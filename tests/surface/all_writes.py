"""The rows of every tool that plans a write; the proofs are generated over them."""

from collections.abc import Mapping

from .writes import Write
from .writes_adjustments import ADJUSTMENTS
from .writes_batches import BATCHES
from .writes_bins import BINS
from .writes_boms import BOMS
from .writes_corrections import CORRECTIONS
from .writes_counts import COUNTS
from .writes_customers import CUSTOMERS
from .writes_fields import FIELDS
from .writes_items import ITEMS
from .writes_making import MAKING
from .writes_orders import ORDERS
from .writes_prices import PRICES
from .writes_ranking import RANKING
from .writes_receipts import RECEIPTS
from .writes_returns import RETURNS
from .writes_safety_stock import SAFETY_STOCK
from .writes_sales import SALES
from .writes_shipments import SHIPMENTS
from .writes_suppliers import SUPPLIERS
from .writes_transfers import TRANSFERS

WRITES: Mapping[str, Write] = {
    **TRANSFERS,
    **CUSTOMERS,
    **SUPPLIERS,
    **ORDERS,
    **ADJUSTMENTS,
    **SALES,
    **RECEIPTS,
    **CORRECTIONS,
    **SHIPMENTS,
    **RETURNS,
    **ITEMS,
    **BOMS,
    **BINS,
    **PRICES,
    **MAKING,
    **COUNTS,
    **RANKING,
    **SAFETY_STOCK,
    **BATCHES,
    **FIELDS,
}
SAGAS = frozenset({"correct_purchase_order", "correct_sales_order", "correct_manufacturing_order", "count_stock"})
"""Those whose steps are planned as they come: what is sent follows from the record, and a step undoes another one's
effect, or is worked on later, so what breaks an apply is tried step by step in `test_correcting.py` and
`test_count_stock.py` of the server's own tests."""
UNSEEN = frozenset({"prioritize_orders"})
"""Those whose effect Katana shows nowhere: what came of an answer that says nothing stays unknown."""
