"""Suppliers: who the factory buys from."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Feed, Searchable

SUPPLIER = EntitySpec(
    name="supplier",
    collection="suppliers",
    searchable=Searchable(names=("name",), extras=("email", "phone", "comment")),
    key_path="name",
    children=("addresses",),
    feeds=(Feed("supplier_addresses", "supplier_id", "addresses[]"),),
    fresh_for=timedelta(minutes=15),
)
