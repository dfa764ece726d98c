"""Locations: read-only; the filter is spelled purchases_allowed, the field purchase_allowed."""

from katana_sandbox.descriptor import Collection, Filter, plain_filters

LOCATIONS = Collection(
    name="locations",
    entity="location",
    operations=("list", "get"),
    filters=(
        Filter("name"),
        Filter("legal_name"),
        Filter("address_id", "int"),
        *plain_filters("is_primary sales_allowed manufacturing_allowed", kind="bool"),
        Filter("purchases_allowed", "bool", "purchase_allowed"),
        Filter("rank", "int"),
    ),
    hidden=frozenset({"rank"}),
)
