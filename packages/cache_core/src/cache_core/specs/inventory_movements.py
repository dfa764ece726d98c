"""Inventory movements: the stock ledger (facts 3.7), found by filters and never searched.

Katana has no deleted movements to list: one that is taken back leaves without a trace, and only an id audit finds it
gone. A back-dated movement changes the balances of later ones; whether their `updated_at` moves is not known.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec

INVENTORY_MOVEMENT = EntitySpec(
    name="inventory_movement",
    collection="inventory_movements",
    include=(),
    moves=("variant_id",),
    fresh_for=timedelta(seconds=30),
)
