"""Locations: read-only; the filter is spelled purchases_allowed, the field purchase_allowed."""

from katana_sandbox.descriptor import Collection, Filter

LOCATIONS = Collection(
    name="locations",
    entity="location",
    operations=("list", "get"),
    filters=(
        Filter("name"),
        Filter("legal_name"),
        Filter("address_id", "int"),
        Filter("is_primary", "bool"),
        Filter("sales_allowed", "bool"),
        Filter("manufacturing_allowed", "bool"),
        Filter("purchases_allowed", "bool", "purchase_allowed"),
        Filter("rank", "int"),
    ),
    hidden=frozenset({"rank"}),
)
