"""Operators: read-only, in an envelope whatever the docs show, without date ranges."""

from katana_sandbox.descriptor import Collection, Filter, Ranges

OPERATORS = Collection(
    name="operators",
    entity="operator",
    operations=("list",),
    filters=(Filter("working_area", values=("shopFloor", "warehouse")), Filter("resource_id", "int")),
    ranges=Ranges(dates=False, ids=False, deleted=False),
    hidden=frozenset({"working_area", "resource_id"}),
)
