"""Locations: read-only; the filter is spelled purchases_allowed, the field purchase_allowed."""

from katana_sandbox.descriptor import Collection, Filter

LOCATIONS = Collection(
    name="locations",
    filters=(Filter("purchases_allowed", "bool", "purchase_allowed"),),
    hidden=frozenset({"rank"}),
)
