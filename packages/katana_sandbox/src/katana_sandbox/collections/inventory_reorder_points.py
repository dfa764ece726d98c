"""Reorder points: the older name of safety stock."""

from katana_sandbox.collections.inventory_safety_stock_levels import REFERENCES
from katana_sandbox.descriptor import Collection, Route
from katana_sandbox.rules.safety_stock import upsert

INVENTORY_REORDER_POINTS = Collection(
    name="inventory_reorder_points",
    entity="reorder point",
    references=REFERENCES,
    routes=(Route("POST", "/inventory_reorder_points", upsert),),
)
