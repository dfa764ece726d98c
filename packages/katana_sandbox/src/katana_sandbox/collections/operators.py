"""Operators: read-only, in an envelope whatever the docs show, without date ranges."""

from katana_sandbox.descriptor import Collection

OPERATORS = Collection(
    name="operators",
    hidden=frozenset({"working_area", "resource_id"}),
)
