"""Customers: who the factory sells to."""

from cache_core.spec import EntitySpec, Feed, Searchable

CUSTOMER = EntitySpec(
    name="customer",
    collection="customers",
    searchable=Searchable(
        names=("name", "company"),
        extras=("email", "phone", "reference_id", "comment"),
        related=(
            "first_name",
            "last_name",
            "category",
            "addresses[].company",
            "addresses[].line_1",
            "addresses[].city",
        ),
    ),
    key_path="name",
    children=("addresses",),
    feeds=(Feed("customer_addresses", "customer_id", "addresses[]"),),
)
