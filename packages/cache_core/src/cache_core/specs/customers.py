"""Customers: who the factory sells to."""

from cache_core.spec import EntitySpec, Searchable

CUSTOMER = EntitySpec(
    name="customer",
    collection="customers",
    searchable=Searchable(
        names=("name", "company", "first_name", "last_name"),
        extras=("email", "phone", "reference_id", "comment", "category"),
    ),
    key_path="name",
    children=("addresses",),
)
