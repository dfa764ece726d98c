"""Operators: who works on the shop floor."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

OPERATOR = EntitySpec(
    name="operator",
    collection="operators",
    searchable=Searchable(names=("operator_name",)),
    watermark=False,
    include=(),
    key_path="operator_name",
    fetch_by="full_list",
    fresh_for=timedelta(minutes=15),
)
