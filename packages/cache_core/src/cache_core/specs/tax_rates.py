"""Tax rates, in percent."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

TAX_RATE = EntitySpec(
    name="tax_rate",
    collection="tax_rates",
    searchable=Searchable(names=("display_name", "name")),
    include=(),
    key_path="name",
    fresh_for=timedelta(minutes=15),
)
