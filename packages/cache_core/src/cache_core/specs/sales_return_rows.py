"""Rows of sales returns, a collection of its own (facts 6.1); gone with their return, and never searched.

Deleted rows leave the collection without a trace, so only an id audit finds them gone.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup

SALES_RETURN_ROW = EntitySpec(
    name="sales_return_row",
    collection="sales_return_rows",
    include=(),
    inherits=(Lookup("sales_return_id", "sales_return", ()),),
    fresh_for=timedelta(seconds=30),
)
