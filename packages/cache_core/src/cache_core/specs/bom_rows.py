"""BOM rows: what one unit of a product variant is made of, a collection of its own with text ids (facts 3.2).

Products embed none of them. Deleted rows leave the collection without a trace, so only an id audit finds them gone.
"""

from cache_core.spec import EntitySpec, Searchable

BOM_ROW = EntitySpec(
    name="bom_row",
    collection="bom_rows",
    searchable=Searchable(extras=("notes",)),
    include=(),
    fetch_by="full_list",
)
