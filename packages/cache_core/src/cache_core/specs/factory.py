"""The factory: account settings and default locations, one object (facts 3.3).

It has no id on the wire; in the cache it is the record `FACTORY_ID`.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec

FACTORY_ID = 1

FACTORY = EntitySpec(
    name="factory",
    collection="factory",
    watermark=False,
    include=(),
    fetch_by="full_list",
    fresh_for=timedelta(minutes=15),
)
