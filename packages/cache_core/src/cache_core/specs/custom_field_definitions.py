"""Custom field definitions: what orders, rows, items, customers and suppliers may carry besides (October facts 4.2).

Their ids are texts. Deleted ones leave the collection without a trace, so only an id audit finds them gone.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

CUSTOM_FIELD_DEFINITION = EntitySpec(
    name="custom_field_definition",
    collection="custom_field_definitions",
    searchable=Searchable(names=("label",), extras=("description",)),
    key_path="label",
    keys_at_once=1,
    include=(),
    fetch_by="full_list",
    fresh_for=timedelta(minutes=15),
)
