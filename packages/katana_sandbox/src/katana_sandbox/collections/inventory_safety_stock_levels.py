"""Safety stock: set per variant and location, read in /inventory."""

from katana_sandbox.descriptor import Collection, Route
from katana_sandbox.rules.safety_stock import upsert

REFERENCES = {"variant_id": "variants", "location_id": "locations"}

INVENTORY_SAFETY_STOCK_LEVELS = Collection(
    name="inventory_safety_stock_levels",
    entity="safety stock level",
    references=REFERENCES,
    routes=(Route("POST", "/inventory_safety_stock_levels", upsert),),
)
