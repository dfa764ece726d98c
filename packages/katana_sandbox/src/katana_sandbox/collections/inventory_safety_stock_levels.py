"""Safety stock: set per variant and location, read in /inventory."""

from katana_sandbox.descriptor import Collection, Route
from katana_sandbox.rules.levels import upsert
from katana_sandbox.wire.schema import integer, number, record

LEVEL = record(
    ("variant_id", "location_id", "value"),
    variant_id=integer(),
    location_id=integer(),
    value=number(high=1e17),
)
REFERENCES = {"variant_id": "variants", "location_id": "locations"}

INVENTORY_SAFETY_STOCK_LEVELS = Collection(
    name="inventory_safety_stock_levels",
    entity="safety stock level",
    create=LEVEL,
    references=REFERENCES,
    routes=(Route("POST", "/inventory_safety_stock_levels", upsert),),
)
