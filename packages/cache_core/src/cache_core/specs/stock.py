"""Stock of one variant, a level per location; filled on demand, because `/inventory` has no delta."""

from datetime import timedelta

from cache_core.spec import EntitySpec

STOCK = EntitySpec(
    name="stock",
    collection="inventory",
    id_path="variant_id",
    watermark=False,
    include=(),
    children=("levels",),
    fresh_for=timedelta(seconds=30),
)
