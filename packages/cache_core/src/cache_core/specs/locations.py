"""Locations: where stock lies, is made, bought and sold."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

LOCATION = EntitySpec(
    name="location",
    collection="locations",
    searchable=Searchable(names=("name", "legal_name"), extras=("address.city", "address.country")),
    watermark=False,
    key_path="name",
    fresh_for=timedelta(minutes=15),
)
